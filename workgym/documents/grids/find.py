"""Tables out of a document: rows of cells with the places that they stand in, headers, titles and notes told apart.

A sheet may have title lines above a table, notes below it, and several tables: each is a grid of its own, cut at blank
rows and at lines that do not fit. ``context`` says what stands beside and above a fragment, for a key and a label.

Tables as people leave them: a merged cell counts in every row and column that it takes; a row of units under the
headings is told apart; headings that are repeated further down are left out; rows after a blank one go on with the
table above them where their columns hold the same kind of content, and so do columns after a blank one that begin with
numbers or dates, in the same rows. A table of texts alone is cut at its blank rows.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import groupby

from workgym.documents.grids.grid import Grid, GridCell, RowContext, typed
from workgym.documents.grids.shape import blocks, continues, shaped, unfolded, unrepeated
from workgym.documents.model import Document, Fragment
from workgym.documents.text.read import row_cells

__all__ = ["Grid", "GridCell", "RowContext", "context", "contexts", "grids"]


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
    found: list[Grid] = []
    pending: list[GridCell] = []
    plain = document.kind.grids in ("sheets", "cells")
    rows = list(_rows(document, fragments))
    cut = blocks(unfolded(rows) if plain else rows, document.kind.grids == "page", document.kind.grids == "sheets")
    for block in cut:
        before = next((at for at, grid in enumerate(found) if plain and continues(grid, block)), None)
        if before is not None and not any(line.row > found[before].rows[-1][0].row for line in pending):
            grid = found[before]
            more = map(tuple, unrepeated(grid.header, block))
            found[before] = grid.model_copy(update={"rows": (*grid.rows, *more)})
            continue
        prose = all(len(row) == 1 and not typed(row[0]) for row in block)
        if prose and (document.kind.grids == "page" or (document.kind.grids == "sheets" and len(block) < 3)):
            pending += [row[0] for row in block]
            continue
        grid = shaped(name, block, sheet=plain)
        titles = tuple(cell.text for cell in pending)
        found.append(grid.model_copy(update={"titles": titles + grid.titles}) if titles else grid)
        pending = []
    if found and pending:
        notes = tuple(cell.text for cell in pending)
        found[-1] = found[-1].model_copy(update={"notes": found[-1].notes + notes})
    yield from found


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


class _Index:
    """Where each fragment of a document stands."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.rows: dict[str, tuple[Grid, tuple[GridCell, ...]]] = {}
        for grid in grids(document):
            records = document.kind.grids == "records"  # their headings are labels of cells that stand in the rows
            for row in grid.rows if records else (grid.above, grid.header, grid.units, *grid.rows):
                for cell in row:
                    self.rows.setdefault(cell.fragment.at, (grid, row))
        self.order = {fragment.at: number for number, fragment in enumerate(document.fragments)}

    def context(self, fragment: Fragment, span: tuple[int, int] | None) -> RowContext:
        label = (fragment.label,) if fragment.label else ()
        keys: tuple[str, ...] = ()
        if self.document.kind.grids == "records" and fragment.at.startswith("/"):
            keys = tuple(key.partition("[")[0] for key in fragment.at.split("/")[1:-1] if not key.isdecimal())
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
