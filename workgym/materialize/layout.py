"""How a table is laid out: its lines in order, what stands between them, and which cells are merged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Literal, NamedTuple

from workgym.materialize.marks import Marked
from workgym.materialize.table import Content, Table, number


class Line(NamedTuple):
    """A line of a table below its headings."""

    kind: Literal["row", "subtotal", "header", "blank"]
    """What it is: a row of the body, a sum of rows, the headings again, nothing."""
    row: int = -1
    """Which row of the body; of a subtotal its last one."""
    first: int = -1
    """Of a subtotal: the first row that it adds up."""


@dataclass
class Laid:
    """A table with its lines in the order in which they are written."""

    table: Table
    """Its contents as they are printed."""
    plain: list[Sequence[Content]]
    """The body before any dial, by columns."""
    turned: list[Line] | None = None
    """All lines below the headings, a totals row aside; None for the rows of the body and nothing else."""
    gaps: frozenset[int] = frozenset()
    """Columns with a blank one before them."""
    runs: list[tuple[int, int, int]] = field(default_factory=list)
    """Merged cells: column, first and last row of the body."""
    codes: dict[tuple[int, int], str] = field(default_factory=dict)
    """Number formats of single cells, by row and column."""
    sums: list[int] = field(default_factory=list)
    """Columns that subtotals add up."""
    labels: dict[int, Marked] = field(default_factory=dict)
    """What a subtotal is called, by its last row."""

    @property
    def lines(self) -> list[Line]:
        """All lines below the headings, a totals row aside."""
        return [Line("row", at) for at in range(self.table.height)] if self.turned is None else self.turned

    def pieces(self) -> list[range | Line]:
        """The same, with rows of the body that follow each other put together."""
        if self.turned is None:
            return [range(self.table.height)]
        return [range(line.row, line.row + 1) if line.kind == "row" else line for line in self.turned]

    def place(self, column: int) -> int:
        """The column's position, blank ones counted."""
        return column + sum(gap <= column for gap in self.gaps) if self.gaps else column

    def number(self, row: int, column: int) -> Decimal | None:
        """The number in the body before any dial."""
        return number(self.plain[column][row])

    @property
    def width(self) -> int:
        """Columns, blank ones counted."""
        return len(self.table.formats) + len(self.gaps)

    @cached_property
    def native(self) -> list[bool]:
        """Of each column, whether all its numbers are native ones, so that a spreadsheet adds them up."""
        return [
            now is was or all(number(a) is not None for a, b in zip(now, was, strict=True) if number(b) is not None)
            for now, was in zip(self.table.columns, self.plain, strict=True)
        ]

    @cached_property
    def merged(self) -> dict[tuple[int, int], int]:
        """Cells of runs, by row and column: how many rows the first one takes; 0 for the others."""
        found = {(first, column): last - first + 1 for column, first, last in self.runs}
        return found | {(row, column): 0 for column, first, last in self.runs for row in range(first + 1, last + 1)}
