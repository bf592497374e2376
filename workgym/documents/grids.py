"""Tables out of a document: rows of cells with the places that they stand in, headers, titles and notes told apart.

A sheet may have title lines above a table, notes below it, and several tables: each is a grid of its own, cut at blank
rows and at lines that do not fit. ``context`` says what stands beside and above a fragment, for a key and a label.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby, pairwise

from workgym.documents.model import Document, Fragment
from workgym.documents.readers.text import row_cells
from workgym.records import Record
from workgym.records.surface import parse_date, parse_number, parse_time

_YEAR = re.compile(r"(?:19|20)\d\d")


class GridCell(Record):
    """A cell of a grid."""

    text: str
    """What it says."""
    fragment: Fragment
    """The fragment that it is, or is a part of."""
    row: int
    """Its row, as its fragment counts."""
    column: int
    """Its column from 1, as its fragment counts; found by position in lines of a page or of Markdown."""
    span: tuple[int, int] | None = None
    """The characters of the fragment that it takes, or None for all of them."""

    @property
    def at(self) -> str:
        """Its place, with a span where it is a part of a line."""
        return self.fragment.at if self.span is None else f"{self.fragment.at}[{self.span[0]}:{self.span[1]}]"


class Grid(Record):
    """One table."""

    name: str
    """Name of what holds it: a sheet, ``t1``, ``p1``, ``csv``, a JSON pointer."""
    titles: tuple[str, ...] = ()
    """Lines above it that belong to no column."""
    header: tuple[GridCell, ...] = ()
    """The row of column headings (its lowest one), or empty where there is none."""
    above: tuple[GridCell, ...] = ()
    """Cells of further heading rows above ``header``."""
    rows: tuple[tuple[GridCell, ...], ...] = ()
    """The rows below the header, cells from left to right; empty cells are left out."""
    notes: tuple[str, ...] = ()
    """Lines below it that belong to no column."""

    def heading(self, column: int) -> tuple[str, ...]:
        """The headings over a column, the outermost first."""
        outer = [cell for cell in self.above if cell.column <= column]
        found = [max(outer, key=lambda cell: (cell.row, cell.column)).text] if outer else []
        return (*found, *(cell.text for cell in self.header if cell.column == column))

    def column(self, heading: str) -> int | None:
        """The column under a heading, letter case and blanks aside, or None."""
        wanted = _folded(heading)
        return next((cell.column for cell in self.header if _folded(cell.text) == wanted), None)

    def cell(self, row: int, column: int) -> GridCell | None:
        """The cell in a row and column as their fragments count, or None where it is empty."""
        return next((cell for cells in self.rows for cell in cells if (cell.row, cell.column) == (row, column)), None)


class RowContext(Record):
    """What stands around a fragment."""

    row: tuple[str, ...] = ()
    """The other texts of its row; for JSON also the keys on the way to it."""
    headings: tuple[str, ...] = ()
    """Column headings over it, and the label that the format gives it."""
    titles: tuple[str, ...] = ()
    """Titles of its grid: lines above it, the sheet's name."""
    lines: tuple[str, ...] = ()
    """Outside a grid: the line or paragraph itself and the nearest one above it."""

    @property
    def texts(self) -> tuple[str, ...]:
        """All of it, the nearest first."""
        return (*self.row, *self.headings, *self.lines, *self.titles)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def grids(document: Document) -> tuple[Grid, ...]:
    """Every table of a document, in order."""
    found: list[Grid] = []
    named: dict[str, list[Fragment]] = {}
    for fragment in document.fragments:
        if fragment.table is not None and fragment.row is not None and not fragment.at.endswith(".comment"):
            named.setdefault(fragment.table, []).append(fragment)
    for name, fragments in named.items():
        if document.kind.grids == "records":
            found.append(_records(name, [fragment for fragment in fragments if not fragment.hidden]))
        else:
            found += _tables(name, document, fragments)
    return tuple(grid for grid in found if grid.rows or grid.header)


def _tables(name: str, document: Document, fragments: list[Fragment]) -> Iterator[Grid]:
    """The tables of a sheet or page; single lines of text above one are its titles, below the last its notes."""
    titles: tuple[str, ...] = ()
    last: Grid | None = None
    for block in _blocks(list(_rows(document, fragments)), document):
        prose = all(len(row) == 1 and not _typed(row[0]) for row in block)
        if prose and (document.kind.grids == "page" or (document.kind.grids == "sheets" and len(block) < 3)):
            titles += tuple(row[0].text for row in block)
            continue
        grid = _grid(name, block)
        if last is not None:
            yield last
        last = grid.model_copy(update={"titles": titles + grid.titles}) if titles else grid
        titles = ()
    if last is not None:
        yield last.model_copy(update={"notes": last.notes + titles})


def _records(name: str, fragments: list[Fragment]) -> Grid:
    """Records of data and events: the labels are the headings."""
    header: dict[int, GridCell] = {}
    rows: dict[int, list[GridCell]] = {}
    for fragment in fragments:
        row, column = fragment.row or 0, fragment.column or 0
        rows.setdefault(row, []).append(GridCell(text=fragment.text, fragment=fragment, row=row, column=column))
        if column not in header:
            header[column] = GridCell(text=fragment.label or "", fragment=fragment, row=0, column=column)
    cells = tuple(tuple(sorted(row, key=lambda cell: cell.column)) for row in rows.values())
    return Grid(name=name, header=tuple(header[column] for column in sorted(header)), rows=cells)


def _rows(document: Document, fragments: list[Fragment]) -> Iterator[list[GridCell]]:
    """The rows of a holder; lines are cut into cells, and their columns found by position."""
    if document.kind.grids == "page":
        yield from _lines(fragments)
        return
    for row, members in groupby(fragments, key=lambda fragment: fragment.row or 0):
        if document.kind.grids == "markdown":
            yield [
                GridCell(text=fragment.text[start:end], fragment=fragment, row=row, column=column, span=(start, end))
                for fragment in members
                for column, (start, end) in enumerate(row_cells(fragment.text), 1)
                if end > start
            ]
        else:
            yield [
                GridCell(text=fragment.text, fragment=fragment, row=row, column=fragment.column or 1)
                for fragment in members
            ]


def _lines(fragments: list[Fragment]) -> Iterator[list[GridCell]]:
    """Lines of a page: parts that stand one over the other form a column."""
    for _, run in groupby(fragments, key=_Runs()):
        lines = list(run)
        columns = _columns([edge for line in lines for edge in line.edges]) if len(lines[0].edges) > 1 else []
        for line in lines:
            cells, at = [], 0
            for number, (part, edge) in enumerate(zip(line.text.split("  "), line.edges, strict=False), 1):
                column = bisect_right(columns, edge[0] + 0.5) if columns else number
                span = (at, at + len(part))
                at += len(part) + 2
                cells.append(GridCell(text=part, fragment=line, row=line.row or 0, column=max(1, column), span=span))
            yield cells


class _Runs:
    """A key for ``groupby``: lines of one part and lines of several parts alternate."""

    def __init__(self) -> None:
        self.run, self.several = 0, False

    def __call__(self, line: Fragment) -> int:
        several = len(line.edges) > 1
        if several != self.several:
            self.run, self.several = self.run + 1, several
        return self.run


def _columns(edges: list[tuple[float, float]]) -> list[float]:
    """Left borders of columns: parts that overlap, directly or through others, are one column."""
    borders: list[float] = []
    reach = float("-inf")
    for left, right in sorted(edges):
        if left > reach:
            borders.append(left)
        reach = max(reach, right)
    return borders


def _blocks(rows: list[list[GridCell]], document: Document) -> Iterator[list[list[GridCell]]]:
    """Rows that stand together: cut at blank rows, on a page where tabular lines end, on a sheet at blank columns."""
    page = document.kind.grids == "page"
    block: list[list[GridCell]] = []
    blocks: list[list[list[GridCell]]] = []
    for row in rows:
        if not row:
            continue
        if block and (row[0].row > block[-1][0].row + 1 or (page and (len(row) == 1) != (len(block[-1]) == 1))):
            blocks.append(block)
            block = []
        block.append(row)
    if block:
        blocks.append(block)
    for found in blocks:
        yield from _beside(found) if document.kind.grids == "sheets" else (found,)


def _beside(block: list[list[GridCell]]) -> Iterator[list[list[GridCell]]]:
    """Tables that stand side by side, with an empty column between them."""
    used = sorted({cell.column for row in block for cell in row})
    starts = [used[0], *(right for left, right in pairwise(used) if right > left + 1)]
    if len(starts) == 1:
        yield block
        return
    for start, end in zip(starts, [*starts[1:], used[-1] + 1], strict=True):
        rows = [[cell for cell in row if start <= cell.column < end] for row in block]
        yield [row for row in rows if row]


@lru_cache(maxsize=8192)
def _is_data(text: str) -> bool:
    return parse_number(text) is not None or parse_date(text) is not None or parse_time(text) is not None


def _typed(cell: GridCell) -> bool:
    return cell.fragment.value is not None or cell.fragment.formula is not None or _is_data(cell.text)


def _grid(name: str, block: list[list[GridCell]]) -> Grid:
    """A block with its titles, headings, rows and notes told apart."""
    width = max(len(row) for row in block)
    first = 0
    while first < len(block) and width > 1 and len(block[first]) == 1:
        first += 1
    last = len(block)
    while last > first + 1 and width > 1 and len(block[last - 1]) == 1 and not _typed(block[last - 1][0]):
        last -= 1
    titles = tuple(cell.text for row in block[:first] for cell in row)
    notes = tuple(cell.text for row in block[last:] for cell in row)
    body = block[first:last]
    top = _headings(body)
    header = tuple(body[top - 1]) if top else ()
    above = tuple(cell for row in body[: max(0, top - 1)] for cell in row)
    return Grid(name=name, titles=titles, header=header, above=above, rows=tuple(map(tuple, body[top:])), notes=notes)


def _headings(body: list[list[GridCell]]) -> int:
    """How many rows at the top are headings: mostly text, as wide as what follows, and data or more rows follow."""
    if len(body) < 2 or len(body[0]) < 2:
        return 0
    texts = [sum(1 for cell in row if not _typed(cell)) / len(row) for row in body[:4]]
    if texts[0] < 0.75 and not _calendar_headings(body[0], body[1]):
        return 0
    if len(body) > 2 and texts[1] == 1.0 and texts[2] < 1.0 and len(body[0]) < len(body[1]) >= len(body[2]):
        return 2
    if any(share < 1.0 for share in texts[1:]) or any(_typed(cell) for row in body[1:] for cell in row):
        return 1
    return 1 if len(body[0]) >= max(len(row) for row in body[1:]) else 0


def _calendar_headings(row: list[GridCell], below: list[GridCell]) -> bool:
    """Whether a row is headings that are days, months or years: all but texts are, and what stands below is not."""
    dated = {cell.column for cell in row if _typed(cell)}
    under = [cell for cell in below if cell.column in dated]
    return (
        len(dated) < len(row)
        and all(_YEAR.fullmatch(cell.text) or _is_date(cell) for cell in row if _typed(cell))
        and bool(under)
        and not any(_YEAR.fullmatch(cell.text) or _is_date(cell) for cell in under)
    )


def _is_date(cell: GridCell) -> bool:
    value = cell.fragment.value if cell.span is None else None
    return parse_date(value if isinstance(value, str) else cell.text) is not None


class _Index:
    """Where each fragment of a document stands."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.rows: dict[str, tuple[Grid, tuple[GridCell, ...]]] = {}
        for grid in grids(document):
            records = document.kind.grids == "records"  # their headings are labels of cells that stand in the rows
            for row in grid.rows if records else (grid.above, grid.header, *grid.rows):
                for cell in row:
                    self.rows[cell.fragment.at] = (grid, row)
        self.order = {fragment.at: number for number, fragment in enumerate(document.fragments)}

    def context(self, fragment: Fragment, span: tuple[int, int] | None) -> RowContext:
        label = (fragment.label,) if fragment.label else ()
        keys: tuple[str, ...] = ()
        if self.document.kind.grids == "records" and fragment.at.startswith("/"):
            keys = tuple(key for key in fragment.at.split("/")[1:-1] if not key.isdecimal())
        if fragment.at not in self.rows:
            return RowContext(row=keys, headings=label, lines=self._lines(fragment))
        grid, row = self.rows[fragment.at]
        mine = [cell for cell in row if cell.fragment.at == fragment.at and _meets(cell.span, span)]
        own = set(map(id, mine))
        others = [cell.text for cell in row if id(cell) not in own or (span is None and cell.span is not None)]
        headings = [text for cell in mine for text in grid.heading(cell.column)] if row is not grid.header else []
        sheet = (grid.name,) if self.document.kind.grids == "sheets" else ()
        return RowContext(
            row=(*others, *keys), headings=tuple(dict.fromkeys((*headings, *label))), titles=(*grid.titles, *sheet)
        )

    def _lines(self, fragment: Fragment) -> tuple[str, ...]:
        for number in range(self.order[fragment.at] - 1, -1, -1):
            before = self.document.fragments[number]
            if not before.hidden:
                return (fragment.text, before.text)
        return (fragment.text,)


def contexts(document: Document) -> dict[str, RowContext]:
    """The context of every fragment, by its place: for checks that look at all of them."""
    index = _Index(document)
    return {fragment.at: index.context(fragment, None) for fragment in document.fragments}


def context(document: Document, at: str, span: tuple[int, int] | None = None) -> RowContext:
    """What stands around the fragment at ``at``, or with ``span`` around that part of a line; empty where none is."""
    index = _Index(document)
    number = index.order.get(at)
    return RowContext() if number is None else index.context(document.fragments[number], span)


def _meets(part: tuple[int, int] | None, span: tuple[int, int] | None) -> bool:
    return part is None or span is None or (part[0] < span[1] and span[0] < part[1])
