"""The shape of tables: which rows belong together, where headings end, what people put in between.

See :mod:`workgym.documents.grids.find` for what is understood.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import pairwise

from workgym.documents.grids.grid import Grid, GridCell, folded, typed
from workgym.documents.limits import LIMITS
from workgym.documents.xlsx import numfmt
from workgym.records.surface import parse_date

Row = list[GridCell]
_YEAR = re.compile(r"(?:19|20)\d\d")
_UNIT = 16
"""Characters that a unit under a heading has at most."""


def unfolded(rows: list[Row]) -> list[Row]:
    """The rows with each merged cell in all rows and columns that it takes, as far as these hold anything.

    A cell that stands alone in its row stays one: it is a title over the table.
    """
    numbers = [row[0].row for row in rows if row]
    extra: dict[int, Row] = {}
    count = 0
    for row in rows:
        for cell in row:
            height, width = cell.fragment.merged
            if height == width == 1:
                continue
            reach = range(bisect_left(numbers, cell.row), bisect_right(numbers, cell.row + height - 1))
            across = range(cell.column, cell.column + (width if len(row) > 1 else 1))
            count += len(reach) * len(across)
            if count > LIMITS.cells:
                return rows
            for at in (numbers[number] for number in reach):
                added = extra.setdefault(at, [])
                added += [
                    cell.model_copy(update={"row": at, "column": column})
                    for column in across
                    if (at, column) != (cell.row, cell.column)
                ]
    return [_joined(row, extra.get(row[0].row, [])) if row else row for row in rows]


def _joined(row: Row, added: Row) -> Row:
    """A row with further cells, where none stands yet."""
    taken = {cell.column for cell in row}
    return sorted([*row, *(cell for cell in added if cell.column not in taken)], key=lambda cell: cell.column)


def blocks(rows: list[Row], page: bool, sheet: bool) -> Iterator[list[Row]]:
    """Rows that stand together: cut at blank rows, on a page where tabular lines end, on a sheet at blank columns."""
    block: list[Row] = []
    found: list[list[Row]] = []
    for row in rows:
        if not row:
            continue
        if block and (row[0].row > block[-1][0].row + 1 or (page and (len(row) == 1) != (len(block[-1]) == 1))):
            found.append(block)
            block = []
        block.append(row)
    if block:
        found.append(block)
    for block in found:
        yield from _beside(block) if sheet else (block,)


def _beside(block: list[Row]) -> Iterator[list[Row]]:
    """Tables that stand side by side, with an empty column between them."""
    used = sorted({cell.column for row in block for cell in row})
    starts = [used[0], *(right for left, right in pairwise(used) if right > left + 1)]
    parts: list[list[Row]] = []
    for start, end in zip(starts, [*starts[1:], used[-1] + 1], strict=True):
        part = [[cell for cell in row if start <= cell.column < end] for row in block]
        part = [row for row in part if row]
        if parts and _goes_on(parts[-1], part):
            by_row = {row[0].row: row for row in part}
            parts[-1] = [[*row, *by_row.get(row[0].row, ())] for row in parts[-1]]
        else:
            parts.append(part)
    yield from parts


def _goes_on(left: list[Row], right: list[Row]) -> bool:
    """Whether columns behind a blank one belong to the table before: the same rows, and no texts in the first one."""
    rows = [row[0].row for row in left]
    mine = {row[0].row for row in right}
    top = right[0][0]
    body = [row[0] for row in right[1:] if row[0].column == top.column and folded(row[0].text) != folded(top.text)]
    first = next((row for row in left if row[0].row == top.row), None)
    return (
        first is not None
        and len(right) > 1
        and mine <= set(rows)
        and all(len(row) == 1 for row in left if row[0].row < top.row)
        and rows[-1] - right[-1][0].row <= 2
        and 2 * len(body) > len(right)
        and not typed(top)
        and folded(first[0].text) != folded(top.text)
        and all(map(typed, body))
    )


def continues(grid: Grid, block: list[Row]) -> bool:
    """Whether rows below a blank one go on with ``grid``: in its columns, numbers and dates where it has them."""
    if not grid.header or not grid.rows or grid.notes or block[0][0].row != grid.rows[-1][0].row + 2:
        return False
    columns = {cell.column for cell in grid.header}
    kinds: dict[int, set[tuple[str, bool]]] = {column: set() for column in columns}
    texts: dict[int, int] = dict.fromkeys(columns, 0)
    for row in grid.rows:
        for cell in row:
            if cell.column in columns and typed(cell):
                kinds[cell.column].add(_kind(cell))
            elif cell.column in columns:
                texts[cell.column] += 1
    data = {column for column in columns if len(kinds[column]) and texts[column] * 2 < len(grid.rows)}
    header = _marks(grid.header)
    rows = [row for row in block if _marks(row) != header]
    return (
        bool(data)
        and rows[:1] != []
        and all({cell.column for cell in row} <= columns for row in rows)
        and min(columns) in {cell.column for cell in rows[0]}
        and all(_fits(row, data, kinds) for row in rows)
    )


def _fits(row: Row, data: set[int], kinds: dict[int, set[tuple[str, bool]]]) -> bool:
    here = [cell for cell in row if typed(cell)]
    return bool({cell.column for cell in here} & data) and all(
        cell.column in data and _kind(cell) in kinds[cell.column] for cell in here if kinds[cell.column]
    )


def _kind(cell: GridCell) -> tuple[str, bool]:
    """What a number is: a date or not, a share or not."""
    code = cell.fragment.format or ""
    kind = numfmt.kind(code) if code else "number"
    if not code and parse_date(cell.text) is not None:
        kind = "date"
    return kind, "%" in code or cell.text.rstrip().endswith("%")


def _marks(row: Iterable[GridCell]) -> list[tuple[int, str]]:
    return [(cell.column, folded(cell.text)) for cell in row]


def unrepeated(header: Iterable[GridCell], rows: Iterable[Row]) -> list[Row]:
    """The rows that do not say the headings again."""
    wanted = _marks(header)
    return [row for row in rows if not wanted or _marks(row) != wanted]


def shaped(name: str, block: list[Row], *, sheet: bool) -> Grid:
    """A block with its titles, headings, rows and notes told apart; of cells (``sheet``) units and repeats as well."""
    width = max(len(row) for row in block)
    first = 0
    while first < len(block) and width > 1 and len(block[first]) == 1:
        first += 1
    last = len(block)
    while last > first + 1 and width > 1 and len(block[last - 1]) == 1 and not typed(block[last - 1][0]):
        last -= 1
    titles = tuple(cell.text for row in block[:first] for cell in row)
    notes = tuple(cell.text for row in block[last:] for cell in row)
    body = block[first:last]
    top = _headings(body)
    header = tuple(body[top - 1]) if top else ()
    above = tuple(cell for row in body[: max(0, top - 1)] for cell in row)
    units = _units(header, body[top:]) if sheet else []
    rest = body[top + bool(units) :]
    rows = tuple(map(tuple, unrepeated(header, rest) if sheet else rest))
    return Grid(name=name, titles=titles, header=header, above=above, units=tuple(units), rows=rows, notes=notes)


def _units(header: tuple[GridCell, ...], rows: list[Row]) -> Row:
    """The row of units below the headings: short texts over numbers and dates, and none over the first column."""
    if len(rows) < 2 or not header or rows[0][0].column == header[0].column:
        return []
    under = {cell.column for cell in rows[1] if typed(cell)}
    fits = all(not typed(cell) and len(cell.text) <= _UNIT and cell.column in under for cell in rows[0])
    return rows[0] if fits else []


def _headings(body: list[Row]) -> int:
    """How many rows at the top are headings: mostly text, as wide as what follows, and data or more rows follow."""
    if len(body) < 2 or len(body[0]) < 2:
        return 0
    grouped = _grouped(body)
    if grouped:
        return grouped
    texts = [sum(1 for cell in row if not typed(cell)) / len(row) for row in body[:4]]
    if texts[0] < 0.75 and not _calendar_headings(body[0], body[1]):
        return 0
    if len(body) > 2 and texts[1] == 1.0 and texts[2] < 1.0 and len(body[0]) < len(body[1]) >= len(body[2]):
        return 2
    if any(share < 1.0 for share in texts[1:]) or any(typed(cell) for row in body[1:] for cell in row):
        return 1
    return 1 if len(body[0]) >= max(len(row) for row in body[1:]) else 0


def _calendar_headings(row: Row, below: Row) -> bool:
    """Whether a row is headings that are days, months or years: all but texts are, and what stands below is not."""
    dated = {cell.column for cell in row if typed(cell)}
    under = [cell for cell in below if cell.column in dated]
    return (
        len(dated) < len(row)
        and all(_YEAR.fullmatch(cell.text) or _is_date(cell) for cell in row if typed(cell))
        and bool(under)
        and not any(_YEAR.fullmatch(cell.text) or _is_date(cell) for cell in under)
    )


def _is_date(cell: GridCell) -> bool:
    value = cell.fragment.value if cell.span is None else None
    return parse_date(value if isinstance(value, str) else cell.text) is not None


def _grouped(body: list[Row]) -> int:
    """How many rows at the top are headings that merged cells tie together, or 0 where none do."""
    top = 0
    while top + 2 < len(body):
        here, below = body[top], {id(cell.fragment) for cell in body[top + 1]}
        ids = [id(cell.fragment) for cell in here]
        tied = len(set(ids)) < len(ids) or any(one in below for one in ids)
        if not tied or any(typed(cell) for cell in (*here, *body[top + 1])):
            break
        top += 1
    return top + 1 if top else 0
