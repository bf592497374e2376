"""The cells of one given table that may be changed, and where rows may come into it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workgym.documents import Fragment
from workgym.graph import Area
from workgym.verify.stated.matching import normal

Cells = Mapping[int, Mapping[int, Fragment]]
"""Cells of a table by row, then column; empty ones are left out."""
Block = tuple[int, int, int, int]
"""First row, first column, last row, last column."""


class Field:
    """The areas of one table, in the rows and columns of the table as it was given."""

    def __init__(self, cells: Cells, areas: Sequence[Area]) -> None:
        self.last_row = max(cells, default=0)
        self.last_column = max((column for row in cells.values() for column in row), default=0)
        self.missing: list[Area] = []
        """Areas whose heading is not there."""
        self._blocks: list[Block] = []
        self._computed: set[tuple[int, int]] = set()
        self._below = any(one.kind == "rows" for one in areas)
        self._behind = any(one.kind == "columns" for one in areas)
        for one in areas:
            if one.kind == "cells":
                self._blocks.append((*one.first, *one.last))
            elif one.kind == "column":
                self._column(cells, one)

    def _column(self, cells: Cells, one: Area) -> None:
        """The cells below a heading up to the first blank row; formulas among them are not to be filled in."""
        wanted = normal(one.heading)
        heads = [(row, column) for row in sorted(cells) for column, f in cells[row].items() if normal(f.text) == wanted]
        if not heads:
            self.missing.append(one)
            return
        top, column = heads[0]
        bottom = top
        while bottom + 1 in cells:
            bottom += 1
        self._blocks.append((top + 1, column, bottom, column))
        below = range(top + 1, bottom + 1)
        self._computed |= {(row, column) for row in below if _formula(cells[row].get(column))}

    def editable(self, row: int, column: int) -> bool:
        """Whether a cell may be changed."""
        if (row, column) in self._computed:
            return False
        if (self._below and row > self.last_row) or (self._behind and column > self.last_column):
            return True
        return any(top <= row <= bottom and left <= column <= right for top, left, bottom, right in self._blocks)

    def takes(self, behind: int, column: int) -> bool:
        """Whether a new row directly behind a row of the table may hold something in a column."""
        return self.editable(behind + 1, column) or any(
            top - 1 <= behind <= bottom and left <= column <= right for top, left, bottom, right in self._blocks
        )

    def opens(self, behind: int) -> bool:
        """Whether a row may come directly behind a row of the table, or that row may go."""
        return any(top - 1 <= behind <= bottom for top, _, bottom, _ in self._blocks)


def _formula(fragment: Fragment | None) -> bool:
    return fragment is not None and fragment.formula is not None
