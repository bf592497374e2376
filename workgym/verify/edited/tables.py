"""Tables of an edited input, given and handed in: which rows are which, and what differs outside the areas."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from workgym.documents import Fragment
from workgym.documents.xlsx.shifts import RowShift
from workgym.verify.edited.damage import Damage, differs, said, shown
from workgym.verify.edited.field import Cells, Field
from workgym.verify.edited.formulas import Moved, expected, outline, unchanged

_PAIRS = 1_000_000
"""Pairs of cells that are looked at to align two tables; beyond, rows are paired in their order."""
Place = Callable[[int, int], str]
"""Row and column to the place as the format writes it."""


class Table(NamedTuple):
    """A table by its cells."""

    name: str
    """Sheet or table."""
    cells: Cells
    """Its cells."""
    place: Place
    """How its places are written."""


@dataclass(frozen=True)
class Matched:
    """A table with its areas, and what was handed in of it, row by row."""

    given: Table
    now: Table
    field: Field
    rows: dict[int, int]
    """Row as it was given to row as it is; a row that is not there is gone."""

    @property
    def shift(self) -> RowShift | None:
        """Rows that came and went among those that were given; None where all stayed."""
        last = max(self.rows.values(), default=0)
        standing = {now: row for row, now in self.rows.items()}
        added: dict[int, int] = {}
        behind = 0
        for row in range(1, last + 1):
            if row in standing:
                behind = standing[row]
            else:
                added[behind] = added.get(behind, 0) + 1
        removed = frozenset(row for row in range(1, self.field.last_row + 1) if row not in self.rows)
        return RowShift(removed, added) if removed or added else None


def matched(given: Table, now: Table, field: Field) -> Matched:
    """Align the rows: by their numbers where that holds, else so that as many as can be say what was given."""
    count = field.last_row
    last = max(now.cells, default=0)

    def same(row: int, other: int) -> bool:
        before, after = given.cells.get(row, {}), now.cells.get(other, {})
        return all(_alike(before.get(at), after.get(at)) for at in {*before, *after} if not field.editable(row, at))

    top = 0
    while top < count and same(top + 1, top + 1):
        top += 1
    if top == count:
        return Matched(given, now, field, {row: row for row in range(1, count + 1)})
    ends = 0
    while count - ends > top and last - ends > top and same(count - ends, last - ends):
        ends += 1
    came = last - count if count - ends == top else 0
    rows = {row: row for row in range(1, top + 1)} | {count - at: last - at for at in range(ends)}
    if came > 0:
        rows |= {row: row + came for row in range(_slid(given.cells, now.cells, top, came, same) + 1, top + 1)}
    rows |= _between(range(top + 1, count - ends + 1), range(top + 1, last - ends + 1), same, given.cells)
    return Matched(given, now, field, rows)


def _slid(given: Cells, now: Cells, top: int, came: int, same: Callable[[int, int], bool]) -> int:
    """Behind which row new rows came in, where several would do: that which lets most cells be what they were."""
    best, gain, most = top, 0, 0
    for row in range(top, 0, -1):
        if not same(row, row + came):
            break
        gain += _likeness(given, now, row, row + came) - _likeness(given, now, row, row)
        if gain > most:
            best, most = row - 1, gain
    return best


def _likeness(given: Cells, now: Cells, row: int, other: int) -> int:
    before, after = given.get(row, {}), now.get(other, {})
    return sum(_alike(cell, after.get(column)) for column, cell in before.items())


def _alike(given: Fragment | None, now: Fragment | None) -> bool:
    if given is not None and now is not None and given.formula is not None and now.formula is not None:
        return outline(given.formula) == outline(now.formula)
    return not differs(given, now, loose=True) and (given is None or now is None or not given.formula)


def _between(before: range, after: range, same: Callable[[int, int], bool], cells: Cells) -> dict[int, int]:
    """The longest common run of rows, weighed by what they hold; what is left between is paired in order."""
    widest = max((len(cells.get(row, {})) for row in before), default=0) + 1
    if len(before) * len(after) * widest > _PAIRS:
        return dict(zip(before, after, strict=False))
    fits = [[same(row, other) for other in after] for row in before]
    best = [[0.0] * (len(after) + 1) for _ in range(len(before) + 1)]
    for at in range(len(before) - 1, -1, -1):
        weight = len(cells.get(before[at], {})) + 0.01
        for to in range(len(after) - 1, -1, -1):
            taken = best[at + 1][to + 1] + weight if fits[at][to] else 0.0
            best[at][to] = max(taken, best[at + 1][to], best[at][to + 1])
    pairs: list[tuple[int, int]] = []
    at = to = 0
    while at < len(before) and to < len(after):
        weight = len(cells.get(before[at], {})) + 0.01
        if fits[at][to] and best[at][to] == best[at + 1][to + 1] + weight:
            pairs.append((at, to))
            at, to = at + 1, to + 1
        elif best[at][to] == best[at + 1][to]:
            at += 1
        else:
            to += 1
    found = {before[one]: after[other] for one, other in pairs}
    edges = [(-1, -1), *pairs, (len(before), len(after))]
    for (one, other), (upto, until) in pairwise(edges):
        found |= dict(zip(before[one + 1 : upto], after[other + 1 : until], strict=False))
    return found


def damaged(match: Matched, moved: Moved, *, loose: bool) -> Iterator[Damage]:
    """Every cell outside the areas that is not as it was given, rows that came or went elsewhere included."""
    given, now, field = match.given, match.now, match.field
    came = {other: row for row, other in match.rows.items()}
    hidden: list[Damage] = []
    for row in range(1, field.last_row + 1):
        before = given.cells.get(row, {})
        if row not in match.rows:
            yield from _gone(match, row)
            continue
        after = now.cells.get(match.rows[row], {})
        for column in sorted({*before, *after}):
            if not field.editable(row, column):
                place = now.place(match.rows[row], column)
                yield from _cell(before.get(column), after.get(column), place, given.name, moved, loose, hidden)
    yield from _flips(hidden)
    last = max(came, default=0)
    behind = 0
    for row in range(1, last + 1):
        if row in came:
            behind = came[row]
        else:
            yield from _new(match, row, behind, at_end=False)
    for row in sorted(row for row in now.cells if row > last):
        yield from _new(match, row, behind, at_end=True)


def _cell(
    given: Fragment | None,
    now: Fragment | None,
    place: str,
    table: str,
    moved: Moved,
    loose: bool,
    hidden: list[Damage],
) -> Iterator[Damage]:
    """What is wrong with one cell outside the areas; cells that were hidden or shown go to ``hidden``."""
    if given is not None and given.formula is not None:
        if now is None or now.formula is None:
            yield Damage(place, shown(given), shown(now), "the formula is gone")
        elif not unchanged(given.formula, now.formula, table, moved):
            yield Damage(place, f"={expected(given.formula, table, moved)}", shown(now), "the formula is another one")
    elif now is not None and now.formula is not None:
        yield Damage(place, shown(given), shown(now), "a formula was put there")
    elif differs(given, now, loose=loose):
        what = "nothing stood there" if given is None else "it is gone" if now is None else "it was changed"
        yield Damage(place, shown(given), shown(now), what)
    elif given is not None and now is not None and given.hidden != now.hidden:
        was, is_now = (f"{said(one)} ({'hidden' if one.hidden else 'to be seen'})" for one in (given, now))
        what = "it was to be seen and is hidden" if now.hidden else "it was hidden and is shown"
        hidden.append(Damage(place, was, is_now, what))


def _flips(hidden: Sequence[Damage]) -> Iterator[Damage]:
    """Cells that were hidden or shown: as a whole row, column or sheet is, they are one change."""
    if len(hidden) > 3:
        yield hidden[0]._replace(message=f"{hidden[0].message}, and so are {len(hidden) - 1} more")
    else:
        yield from hidden


def _gone(match: Matched, row: int) -> Iterator[Damage]:
    cells = match.given.cells.get(row, {})
    kept = [(column, cell) for column, cell in sorted(cells.items()) if not match.field.editable(row, column)]
    for column, cell in kept:
        yield Damage(match.given.place(row, column), shown(cell), None, "its row was taken out")
    if not kept and not match.field.opens(row):
        yield Damage(match.given.place(row, 1), None, None, "a row was taken out here")


def _new(match: Matched, row: int, behind: int, *, at_end: bool) -> Iterator[Damage]:
    """A row that came in: what it holds has to be in an area, and it may not push others down anywhere else."""
    cells = match.now.cells.get(row, {})
    field = match.field
    for column, cell in sorted(cells.items()):
        fits = field.editable(row, column) if at_end else False
        if not fits and not field.takes(behind, column):
            yield Damage(match.now.place(row, column), None, shown(cell), "nothing stood there")
    if not cells and not at_end and not field.opens(behind):
        yield Damage(match.now.place(row, 1), None, None, "a row was put in here")


def standing(match: Matched) -> Iterator[str]:
    """Places of what was given, as the table was handed in."""
    for row, now in match.rows.items():
        for column, cell in match.now.cells.get(now, {}).items():
            if not match.field.editable(row, column):
                yield cell.at
