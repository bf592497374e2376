"""The grid of a web page's table: which column a cell stands in, cells over several rows and columns counted."""

from __future__ import annotations

from dataclasses import dataclass, field

from workgym.documents.html.lines import Block, Element
from workgym.documents.limits import LIMITS, check

_WIDEST, _TALLEST = 1000, 65_534
"""What the HTML standard lets a cell take at most."""


@dataclass(slots=True, eq=False)
class Cell:
    """A cell where it begins."""

    element: Element
    column: int
    width: int
    height: int
    block: Block | None = None


@dataclass(slots=True, eq=False)
class Row:
    """A row of a table."""

    element: Element
    cells: list[Cell] = field(default_factory=list)
    covered: bool = False
    """Whether a cell of a row above reaches into it."""
    group: int = 0
    """Which group of rows (``tbody``) it lies in."""

    @property
    def shared(self) -> bool:
        """Whether it shares a cell with another row."""
        return self.covered or any(cell.height > 1 for cell in self.cells)

    @property
    def heading(self) -> bool:
        """Whether all its cells are headings."""
        return all(cell.element.name == "th" for cell in self.cells)


@dataclass(slots=True, eq=False)
class _Reach:
    """Columns that a cell of a row above takes, up to and with a row."""

    first: int
    last: int
    row: int


class Table:
    """A table while it is read; a table within a cell is one of its own."""

    def __init__(self, number: int, element: Element) -> None:
        self.name = f"t{number}"
        self.element = element
        self.rows: list[Row] = []
        self._reaching: list[_Reach] = []
        self._coming: list[_Reach] = []
        self._next = self._at = self._work = self._group = 0

    def add_row(self, path: str, element: Element) -> None:
        """A row begins."""
        self.rows.append(Row(element, group=self._group))
        number = len(self.rows)
        reaching = [reach for reach in (*self._reaching, *self._coming) if reach.row >= number]
        self._reaching, self._coming = sorted(reaching, key=lambda reach: reach.first), []
        self._next, self._at = 1, 0
        self.rows[-1].covered = bool(reaching)
        self._work += len(reaching)
        check(path, self._work, 5 * LIMITS.cells, "cells over several rows")

    def add_cell(self, path: str, element: Element, colspan: str, rowspan: str) -> int:
        """A cell of the last row; returns its column."""
        while self._at < len(self._reaching) and self._reaching[self._at].first <= self._next:
            self._next = max(self._next, self._reaching[self._at].last + 1)
            self._at += 1
        column, width, height = self._next, _number(colspan, 1, _WIDEST), _number(rowspan, 0, _TALLEST) or _TALLEST
        self._next += width
        check(path, column, LIMITS.cells, "columns of a table")
        self.rows[-1].cells.append(Cell(element, column, width, height))
        if height > 1:
            self._coming.append(_Reach(column, self._next - 1, len(self.rows) + height - 1))
        return column

    def ends_group(self) -> None:
        """A group of rows ends, and with it all cells that reach down."""
        self._reaching, self._coming = [], []
        self._group += 1

    def spread(self) -> None:
        """Tells each cell over several rows or columns how many of them there are."""
        widest = max((row.cells[-1].column for row in self.rows if row.cells), default=0)
        last = {row.group: number for number, row in enumerate(self.rows)}
        for number, row in enumerate(self.rows):
            for cell in row.cells:
                if cell.block is not None and (cell.height > 1 or cell.width > 1):
                    rows = min(cell.height, last[row.group] - number + 1)
                    cell.block.merged = (rows, max(1, min(cell.width, widest - cell.column + 1)))


def _number(written: str, least: int, most: int) -> int:
    digits = written.strip()[:6]
    return min(max(int(digits), least), most) if digits.isascii() and digits.isdigit() else 1
