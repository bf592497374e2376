"""What one sheet prints: noted while it is written, made into anchors when somebody looks at them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import merge
from operator import itemgetter
from typing import Protocol

from workgym.documents.xlsx.a1 import column_letters
from workgym.materialize.marks import Marked
from workgym.records import Anchor, AnchorKind, Cell, anchored

_Value = tuple[AnchorKind, tuple[Cell, ...], str]
"""What kind of anchor a native value makes, its cells, and what the sheet shows."""


class Column(Protocol):
    """A column of a table whose cells are noted all at once."""

    @property
    def place(self) -> int:
        """Its column on the sheet, from 0."""

    def anchors(self, at: int, where: str) -> list[Anchor]:
        """The anchors of a row of the body, whose cell is at ``where``."""


class Notes:
    """The anchors of one sheet; rows and columns from 0."""

    def __init__(self, path: str, sheet: str) -> None:
        self.path, self.sheet = path, sheet
        self._cells: list[tuple[int, int, Marked | _Value]] = []
        self._blocks: list[tuple[Sequence[Column], Sequence[tuple[int, int]]]] = []
        self._asides: list[Anchor] = []

    def at(self, row: int, column: int) -> str:
        """The place of a cell."""
        return f"{self.sheet}!{column_letters(column + 1)}{row + 1}"

    def text(self, row: int, column: int, text: Marked) -> None:
        """A cell holds a text."""
        self._cells.append((row, column, text))

    def value(self, row: int, column: int, kind: AnchorKind, cells: tuple[Cell, ...], printed: str) -> None:
        """A cell holds a native value, and shows it like this."""
        self._cells.append((row, column, (kind, cells, printed)))

    def block(self, columns: Sequence[Column], rows: Sequence[tuple[int, int]]) -> None:
        """Columns of a table, from left to right, hold their values in these rows: of the body, and of the sheet."""
        self._blocks.append((columns, rows))

    def aside(self, at: str, text: str) -> None:
        """A place outside the cells holds a text that belongs to no unit."""
        self._asides += anchored(self.path, f"{self.sheet}{at}", "decor", (), text)

    def in_order(self) -> Iterator[Anchor]:
        """All anchors in reading order; those outside cells last."""
        for _, _, anchors in merge(self._single(), *(self._of(*block) for block in self._blocks), key=_PLACE):
            yield from anchors
        yield from self._asides

    def _single(self) -> Iterator[tuple[int, int, list[Anchor]]]:
        for row, column, said in sorted(self._cells, key=_PLACE):
            where = self.at(row, column)
            made = said.anchors(self.path, where) if isinstance(said, Marked) else anchored(self.path, where, *said)
            yield row, column, made

    def _of(
        self, columns: Sequence[Column], rows: Sequence[tuple[int, int]]
    ) -> Iterator[tuple[int, int, list[Anchor]]]:
        """The anchors of a block, cell by cell."""
        letters = [f"{self.sheet}!{column_letters(column.place + 1)}" for column in columns]
        for at, row in rows:
            for column, start in zip(columns, letters, strict=True):
                yield row, column.place, column.anchors(at, f"{start}{row + 1}")


_PLACE = itemgetter(0, 1)
