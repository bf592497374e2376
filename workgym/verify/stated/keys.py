"""Keys of rows: which columns hold them, and what key each row has.

The columns that hold the parts of a key are those that name the most rows asked for. A part may stand in a heading
over the values (a pivot), in a title, in a sheet's name or in a line of its own above a group; a blank below a
group's name goes on with it.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from workgym.records import ColumnType, Value
from workgym.verify.stated.asked import Asked, KeyReader
from workgym.verify.stated.matching import cell_dates, cell_readings, cell_time, normal
from workgym.verify.stated.scenes import other_scene
from workgym.verify.stated.sheets import Sheet, Spot, is_total
from workgym.verify.stated.sights import Extra

SCORED = 200
"""Rows by which the columns of the key are chosen."""
_CANDIDATES = 3
_REACH = 20


class Marks:
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
        self.columns = [sorted(found) for found in self.by_column]
        self.rows = [{column: sorted(cells) for column, cells in found.items()} for found in self.by_column]


def _column(cells: dict[int, Spot], reader: KeyReader) -> dict[int, Value]:
    read = {row: values for row, spot in cells.items() if (values := reader.cell(spot.text, spot.value))}
    if not read and reader.texts:
        loose = {row: reader.inside(normal(spot.text)) for row, spot in cells.items() if len(spot.text) <= 80}
        return {row: named[0][2] for row, named in loose.items() if len({value for _, _, value in named}) == 1}
    # 3/2/2026 may be two days; a column is written in one way, that which names more rows
    first = len({values[0] for values in read.values()})
    last = len({values[-1] for values in read.values()})
    return {row: values[0] if first >= last else values[-1] for row, values in read.items()}


def _near(columns: list[int], column: int) -> list[int]:
    """The columns next to one, it left out."""
    at = bisect_left(columns, column)
    return [other for other in columns[max(0, at - _REACH) : at + _REACH] if other != column]


def off_sheet(sheet: Sheet, asked: Asked) -> int:
    """0 for the sheet that the request names, and for any where it names none; 1 for others."""
    return 0 if asked.stated.sheet is None or normal(sheet.name) == normal(asked.stated.sheet) else 1


def off_scene(sheet: Sheet, asked: Asked, row: int) -> int:
    """0 for a table as it is asked for; 2 where its title or its sheet says another scenario, version or time."""
    own = " ".join((asked.unit.content, asked.unit.scope, asked.stated.sheet or "", *asked.stated.labels.values()))
    titles = [*itertools.islice(sheet.titles(row), 1), *sheet.lead, sheet.name]
    return 2 * any(other_scene(title, own) for title in titles)


class Head(NamedTuple):
    """Where the values of one column start."""

    row: int
    """Row of the heading; the rows below it are looked at."""
    column: int
    """Column of the values."""
    end: int
    """Row of the next heading of that kind below."""
    heading: str
    """What the heading says."""
    tier: tuple[int, int, int]
    """How well it is what was asked for; the smallest counts."""
    fixed: dict[int, Value]
    """Parts of the key that the headings name, by number."""


def named_in(readers: tuple[KeyReader, ...], texts: list[str]) -> dict[int, Value]:
    """Parts of a key that headings or titles name, each by the nearest text that names just one of its values."""
    fixed: dict[int, Value] = {}
    for number, reader in enumerate(readers):
        for text in texts:
            named = {value for _, _, value in reader.inside(normal(text))}
            if len(named) == 1:
                fixed[number] = named.pop()
                break
    return fixed


def key_cell(cells: dict[int, Spot], keyed: list[int]) -> Spot:
    """The cell that names a row: the last of its key, or the first of the row."""
    return next((cells[at] for at in reversed(keyed) if at in cells), cells[min(cells)])


def keys(
    sheet: Sheet, marks: Marks, asked: Asked, head: Head, columns: tuple[int | None, ...], most: int | None = None
) -> Iterator[tuple[int, tuple[Value, ...] | None]]:
    """The key of each row below a heading by a choice of columns; None for a row that names none."""
    titles = list(itertools.islice(sheet.titles(head.row), 6))
    known = named_in(asked.readers, titles) | head.fixed
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
    marks: Marks, columns: tuple[int | None, ...], cells: dict[int, Spot], row: int, above: dict[int, Value]
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


def extra(asked: Asked, cells: dict[int, Spot], columns: tuple[int | None, ...]) -> list[Extra]:
    """A row that is none of those asked for.

    None where its key is incomplete or is not of the kind of a key (a remark where a year should be), and where it is
    a row of totals or of a result.
    """
    spots = [cells.get(column) for column in columns if column is not None]
    kinds = [part.type for part, column in zip(asked.parts, columns, strict=True) if column is not None]
    named = [spot for spot, kind in zip(spots, kinds, strict=True) if spot is not None and _of_kind(spot, kind)]
    if len(named) < len(spots) or any(is_total(spot.text) for spot in named):
        return []
    return [Extra(named[0].at, ", ".join(spot.text for spot in named))]


def _of_kind(spot: Spot, kind: ColumnType) -> bool:
    if kind.numeric:
        return bool(cell_readings(spot.text, spot.value, kind))
    if kind.kind == "date":
        return bool(cell_dates(spot.text, spot.value))
    return kind.kind != "time" or cell_time(spot.text, spot.value) is not None


def together(sheet: Sheet, hits: list[int]) -> set[int]:
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


def key_columns(sheet: Sheet, marks: Marks, asked: Asked, head: Head) -> tuple[int | None, ...]:
    """For each part of the key the column that holds it, None where headings or titles do: what names the most rows."""
    options: list[list[int | None]] = []
    for part, columns in enumerate(marks.columns):
        counts = []
        for column in _near(columns, head.column):
            rows = marks.rows[part][column]
            count = bisect_left(rows, head.end) - bisect_right(rows, head.row)
            if count:
                counts.append((-count, abs(column - head.column), column))
        found: list[int | None] = [column for _, _, column in sorted(counts)[:_CANDIDATES]]
        options.append([*found, None])
    best: tuple[tuple[int, int, int], tuple[int | None, ...]] | None = None
    for choice in itertools.product(*options):
        used = [column for column in choice if column is not None]
        if len(set(used)) < len(used) or (not used and len(head.fixed) < len(choice)):
            continue
        named = {parts for _, parts in keys(sheet, marks, asked, head, choice, SCORED)}
        hits = sum(1 for parts in named if parts in asked.by_parts)
        distance = sum(abs(column - head.column) + (1000 if column > head.column else 0) for column in used)
        score = (hits, len(used), -distance)
        if best is None or score > best[0]:
            best = (score, choice)
    return best[1] if best else tuple(None for _ in asked.parts)
