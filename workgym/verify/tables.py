"""Facts in tables: each value in the row of its key, under its heading.

For every heading that is the label asked for, the columns that hold the parts of the key are found: those that name
the most rows. A part may stand in a heading over the column (a pivot), in a title, in a sheet's name or in a section
line; a blank below a group's name goes on with it. Tables turned on their side are read the same way. Where several
places state one fact, the best ones count: the sheet asked for before others, the closest heading before others;
these have to agree.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal, NamedTuple

from workgym.records import Value
from workgym.verify.asked import Asked, KeyReader
from workgym.verify.matching import Wanted, is_error, normal, shows
from workgym.verify.sheets import Sheet, Spot, is_total, label_grade, label_scale

HEADINGS = 16
"""Headings of one column and sheet that are looked at; more are a heap of labels, not a table."""
SCORED = 2000
"""Rows by which the columns of the key are chosen."""
_CANDIDATES = 4
_ONE = Decimal(1)

Fact = tuple[int, str | None]
"""Position of a row, and a column; None for the row itself."""


class Sight(NamedTuple):
    """How one fact stands in a deliverable."""

    state: Literal["right", "wrong", "missing"]
    """What it is."""
    place: str | None = None
    """Where it was looked at."""
    found: str | None = None
    """What stands there."""
    message: str = ""
    """What is wrong, as a part of a sentence."""
    formula: bool = False
    """Whether a formula computes it."""
    sure: bool = True
    """Whether the place is certainly meant: under the very label asked for."""


class Extra(NamedTuple):
    """A row beyond those asked for."""

    place: str
    """Where it stands."""
    text: str
    """What it says in the columns of the key."""


@dataclass
class Found:
    """What the tables of a deliverable say about one unit."""

    sights: dict[Fact, Sight] = field(default_factory=dict)
    """By fact; what is not there is stated nowhere."""
    extras: list[Extra] = field(default_factory=list)
    """Rows beyond those asked for, in the tables that count."""


@dataclass
class _Block:
    """One heading with the rows below it, and which of them are rows asked for."""

    tier: tuple[int, int, int]
    hits: list[tuple[int, Spot | None, Spot]] = field(default_factory=list)
    """Position of the row asked for, the cell with its value, and a cell of its key."""
    extras: list[Extra] = field(default_factory=list)
    scale: Decimal = _ONE


class _Marks:
    """The cells of a sheet that are parts of keys: by part and column, the row's value."""

    def __init__(self, sheet: Sheet, readers: tuple[KeyReader, ...]) -> None:
        self.by_column: list[dict[int, dict[int, Value]]] = []
        for reader in readers:
            found: dict[int, dict[int, Value]] = {}
            for column, cells in sheet.columns.items():
                marked = _column(cells, reader)
                if marked:
                    found[column] = marked
            self.by_column.append(found)


def _column(cells: dict[int, Spot], reader: KeyReader) -> dict[int, Value]:
    read = {row: values for row, spot in cells.items() if (values := reader.cell(spot.text, spot.value))}
    if not read and reader.texts:
        loose = {row: reader.inside(normal(spot.text)) for row, spot in cells.items() if len(spot.text) <= 80}
        return {row: named[0][2] for row, named in loose.items() if len({value for _, _, value in named}) == 1}
    # 3/2/2026 may be two days; a column is written in one way, that which names more rows
    first = len({values[0] for values in read.values()})
    last = len({values[-1] for values in read.values()})
    return {row: values[0] if first >= last else values[-1] for row, values in read.items()}


def find(sheets: tuple[Sheet, ...], asked: Asked) -> Found:
    """Look for every fact of a unit in the tables of one deliverable."""
    found = Found()
    oriented = [sheet for upright in sheets for sheet in (upright, upright.turn())]
    marks = {id(sheet): _Marks(sheet, asked.readers) for sheet in oriented}
    if not asked.columns:
        _selection(oriented, marks, asked, found)
        return found
    for column in asked.columns:
        blocks: list[_Block] = []
        for sheet in oriented:
            blocks += _blocks(sheet, marks[id(sheet)], asked, column.name)
        _settle(blocks, asked, column.name, found)
    return found


def _asked_sheet(sheet: Sheet, asked: Asked) -> int:
    return 0 if asked.stated.sheet is None or normal(sheet.name) == normal(asked.stated.sheet) else 1


def _heads(sheet: Sheet, label: str) -> Iterator[tuple[int, int, int]]:
    count = 0
    for (row, column), spot in sorted(sheet.cells.items(), key=lambda item: item[0]):
        if spot.value is None and (grade := label_grade(spot.text, label)) is not None:
            yield grade, row, column
            count += 1
            if count == HEADINGS:
                return


def _blocks(sheet: Sheet, marks: _Marks, asked: Asked, column: str) -> Iterator[_Block]:
    label = asked.label(column)
    heads = list(_heads(sheet, label))
    for grade, row, at in heads:
        tier = (_asked_sheet(sheet, asked), grade, int(sheet.turned))
        if not asked.parts:
            yield _pair(sheet, tier, row, at)
            continue
        end = min((other for _, other, same in heads if same == at and other > row), default=1 << 30)
        heading = sheet.cells[row, at].text
        fixed = _fixed(asked.readers, [heading, *(spot.text for spot in sheet.over(row, at))])
        yield _read(sheet, marks, asked, _Head(row, at, end, heading, tier, fixed))
    if len(asked.parts) > 1:
        yield from _pivots(sheet, marks, asked, label, heads)


class _Head(NamedTuple):
    row: int
    column: int
    end: int
    heading: str
    tier: tuple[int, int, int]
    fixed: dict[int, Value]
    """Parts of the key that the headings name, by number."""


def _fixed(readers: tuple[KeyReader, ...], texts: list[str]) -> dict[int, Value]:
    """Parts of a key that headings or titles name, each by the nearest text that names just one of its values."""
    fixed: dict[int, Value] = {}
    for number, reader in enumerate(readers):
        for text in texts:
            named = {value for _, _, value in reader.inside(normal(text))}
            if len(named) == 1:
                fixed[number] = named.pop()
                break
    return fixed


def _pivots(
    sheet: Sheet, marks: _Marks, asked: Asked, label: str, heads: list[tuple[int, int, int]]
) -> Iterator[_Block]:
    """Columns headed by values of a part of the key, with the label above, in a title or as the name of the sheet."""
    for number in range(len(asked.parts)):
        lines: dict[int, list[tuple[int, Value]]] = {}
        for column, cells in marks.by_column[number].items():
            for row, value in cells.items():
                lines.setdefault(row, []).append((column, value))
        headed = [row for row, line in sorted(lines.items()) if len({value for _, value in line}) > 1][:HEADINGS]
        for row in headed:
            line = sorted(lines[row], key=lambda item: item[0])
            grade, text = _context(sheet, asked, label, row, line[0][0], heads)
            if grade is None:
                continue
            end = min((other for other in headed if other > row), default=1 << 30)
            tier = (_asked_sheet(sheet, asked), 100 + grade, int(sheet.turned))
            for column, value in line:
                yield _read(sheet, marks, asked, _Head(row, column, end, text, tier, {number: value}))


def _context(
    sheet: Sheet, asked: Asked, label: str, row: int, column: int, heads: list[tuple[int, int, int]]
) -> tuple[int | None, str]:
    """The text around a pivot that carries the label, with its grade."""
    texts = [sheet.cells[at, first].text for _, at, first in heads if 0 < row - at <= 3 and first <= column]
    texts += [spot.text for spot in sheet.over(row, column)]
    texts += itertools.islice(sheet.titles(row), 8)
    graded = [(grade, text) for text in texts if (grade := label_grade(text, label)) is not None]
    if not graded and asked.stated.sheet is not None and not _asked_sheet(sheet, asked) and len(asked.columns) == 1:
        return 20, ""  # the sheet that the request names for this one column says what it is
    return min(graded, key=lambda item: item[0], default=(None, ""))


def _read(sheet: Sheet, marks: _Marks, asked: Asked, head: _Head) -> _Block:
    block = _Block(head.tier, scale=label_scale(head.heading))
    columns = _key_columns(sheet, marks, asked, head)
    keyed = [column for column in columns if column is not None]
    for row, parts in _keys(sheet, marks, asked, head, columns):
        cells = sheet.rows[row]
        value = cells.get(head.column)
        position = None if parts is None else asked.by_parts.get(parts)
        if position is not None:
            block.hits.append((position, value, _key_cell(cells, keyed)))
        elif value is not None and keyed:
            block.extras += _extra(cells, keyed, value)
    return block


def _key_cell(cells: dict[int, Spot], keyed: list[int]) -> Spot:
    return next((cells[at] for at in reversed(keyed) if at in cells), cells[min(cells)])


def _keys(
    sheet: Sheet, marks: _Marks, asked: Asked, head: _Head, columns: tuple[int | None, ...], most: int | None = None
) -> Iterator[tuple[int, tuple[Value, ...] | None]]:
    """The key of each row below a heading by a choice of columns; None for a row that names none."""
    known = _fixed(asked.readers, list(itertools.islice(sheet.titles(head.row), 6))) | head.fixed
    above: dict[int, Value] = {}
    for row in itertools.islice((row for row in sheet.rows if head.row < row < head.end), most):
        cells = sheet.rows[row]
        if len(cells) == 1:
            at = next(iter(cells))
            known |= {part: marked[at][row] for part, marked in enumerate(marks.by_column) if row in marked.get(at, {})}
            known |= head.fixed
        named = _named(marks, columns, cells, row, above)
        parts = None if named is None else tuple(named.get(part, known.get(part)) for part in range(len(columns)))
        yield row, parts


def _named(
    marks: _Marks, columns: tuple[int | None, ...], cells: dict[int, Spot], row: int, above: dict[int, Value]
) -> dict[int, Value] | None:
    """The parts of a key that a row names; None where a cell of the key says something else, or nothing does.

    A blank cell takes the value above it only where a part further right is named: so a group is continued, and a
    total is not.
    """
    named: dict[int, Value] = {}
    for part, column in enumerate(columns):
        if column is None:
            continue
        value = marks.by_column[part].get(column, {}).get(row)
        if value is not None:
            named[part] = above[part] = value
        elif column in cells:
            above.pop(part, None)
            return None
    if not named:
        return None if any(column is not None for column in columns) else named
    for part, column in enumerate(columns):
        if column is not None and part not in named:
            right = any(other is not None and other > column and at in named for at, other in enumerate(columns))
            if not right or part not in above:
                return None
            named[part] = above[part]
    return named


def _extra(cells: dict[int, Spot], keyed: list[int], value: Spot) -> list[Extra]:
    """A row that is none of those asked for, unless its key is incomplete or it is one of totals."""
    if any(column not in cells for column in keyed) or any(is_total(cells[column].text) for column in keyed):
        return []
    return [Extra(value.at, ", ".join(cells[column].text for column in keyed))]


def _key_columns(sheet: Sheet, marks: _Marks, asked: Asked, head: _Head) -> tuple[int | None, ...]:
    """For each part of the key the column that holds it, None where headings or titles do: what names the most rows."""
    options: list[list[int | None]] = []
    for part, by_column in enumerate(marks.by_column):
        counts = sorted(
            (-sum(1 for row in cells if head.row < row < head.end), abs(column - head.column), column)
            for column, cells in by_column.items()
            if column != head.column
        )
        found: list[int | None] = [column for count, _, column in counts[:_CANDIDATES] if count]
        options.append([None] if part in head.fixed else [*found, None])
    best: tuple[tuple[int, int, int], tuple[int | None, ...]] | None = None
    for choice in itertools.product(*options):
        used = [column for column in choice if column is not None]
        if len(set(used)) < len(used) or (not used and len(head.fixed) < len(choice)):
            continue
        keys = {parts for _, parts in _keys(sheet, marks, asked, head, choice, SCORED)}
        hits = sum(1 for key in keys if key in asked.by_parts)
        distance = sum(abs(column - head.column) + (1000 if column > head.column else 0) for column in used)
        score = (hits, len(used), -distance)
        if best is None or score > best[0]:
            best = (score, choice)
    return best[1] if best else tuple(None for _ in asked.parts)


def _pair(sheet: Sheet, tier: tuple[int, int, int], row: int, column: int) -> _Block:
    """A label and its value: behind a colon, or next to it (below; beside it in the sheet turned on its side)."""
    key = sheet.cells[row, column]
    block = _Block(tier, scale=label_scale(key.text))
    _, colon, rest = key.text.partition(":")
    if colon and rest.strip():
        block.hits.append((0, key._replace(text=rest.strip()), key))
    below = next((spot for at, spot in sheet.columns[column].items() if at > row), None)
    if below is not None:
        block.hits.append((0, below, key))
    return block


def _settle(blocks: list[_Block], asked: Asked, column: str, found: Found) -> None:
    """Judge every row by the places that count, and keep the extra rows of the fullest table among them."""
    hit = [block for block in blocks if block.hits]
    if not hit:
        return
    best = min(block.tier for block in hit) if asked.parts else min(block.tier[:2] for block in hit)
    counted = [block for block in hit if block.tier[: len(best)] == best]
    places: dict[int, list[tuple[_Block, Spot | None, Spot]]] = {}
    for block in counted:
        for position, value, key in block.hits:
            places.setdefault(position, []).append((block, value, key))
    for position, stands in places.items():
        wanted = asked.rows[position].values[column]
        sights = [_sight(wanted, value, key, block) for block, value, key in stands]
        found.sights[position, column] = _agreed(sights, strict=bool(asked.parts))
    fullest = max(counted, key=lambda block: (len(block.hits), -len(block.extras)))
    found.extras += [extra for extra in fullest.extras if extra not in found.extras]


def _sight(wanted: Wanted, value: Spot | None, key: Spot, block: _Block) -> Sight:
    sure = block.tier[1] == 0
    if value is None:
        return Sight("missing", key.at, None, "the row is there, without a value under that heading", sure=sure)
    if shows(value.text, value.value, wanted, block.scale):
        return Sight("right", value.at, value.text, formula=value.formula, sure=sure)
    what = "a formula error" if is_error(value.text) else "another value"
    return Sight("wrong", value.at, value.text, what, formula=value.formula, sure=sure)


def _agreed(sights: list[Sight], *, strict: bool) -> Sight:
    right = [sight for sight in sights if sight.state == "right"]
    wrong = [sight for sight in sights if sight.state == "wrong"]
    if right and wrong and strict:
        return wrong[0]._replace(message=f"it contradicts {right[0].place}, which says {right[0].found}")
    return (right or wrong or sights)[0]


def _selection(oriented: list[Sheet], marks: dict[int, _Marks], asked: Asked, found: Found) -> None:
    """Rows that have to be there: the table that names the most of them counts, and its other rows are too many."""
    blocks = []
    for sheet in oriented:
        head = _Head(0, 0, 1 << 30, "", (_asked_sheet(sheet, asked), 0, int(sheet.turned)), {})
        columns = _key_columns(sheet, marks[id(sheet)], asked, head)
        block = _chosen(sheet, marks[id(sheet)], asked, head, columns)
        if block.hits:
            blocks.append(block)
    if not blocks:
        return
    best = min(block.tier[0] for block in blocks)
    fullest = max(
        (block for block in blocks if block.tier[0] == best),
        key=lambda block: (len({hit[0] for hit in block.hits}), -len(block.extras), -block.tier[2]),
    )
    for position, _, key in fullest.hits:
        found.sights.setdefault((position, None), Sight("right", key.at, key.text))
    found.extras += fullest.extras


def _chosen(sheet: Sheet, marks: _Marks, asked: Asked, head: _Head, columns: tuple[int | None, ...]) -> _Block:
    block = _Block(head.tier)
    keyed = [column for column in columns if column is not None]
    hits: list[int] = []
    others: dict[int, list[Extra]] = {}
    for row, parts in _keys(sheet, marks, asked, head, columns):
        cells = sheet.rows[row]
        position = None if parts is None else asked.by_parts.get(parts)
        if position is not None:
            hits.append(row)
            block.hits.append((position, None, _key_cell(cells, keyed)))
        elif keyed and all(column in cells for column in keyed):
            others[row] = _extra(cells, keyed, cells[keyed[0]])
    together = _together(sheet, hits)
    for row, extras in others.items():
        heading = row - 1 not in together and all(spot.value is None for spot in sheet.rows[row].values())
        if row in together and not heading:
            block.extras += extras
    return block


def _together(sheet: Sheet, hits: list[int]) -> set[int]:
    """The rows that stand in one run with rows asked for: up to a blank row or a line of one cell."""
    width = min(2, *(len(sheet.rows[row]) for row in hits)) if hits else 2
    found = set(hits)
    for start in hits:
        for step in (-1, 1):
            row = start + step
            while row not in found and len(sheet.rows.get(row, {})) >= width:
                found.add(row)
                row += step
    return found
