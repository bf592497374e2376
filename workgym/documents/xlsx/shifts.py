"""Where rows and references come to stand when rows of a sheet go and others come.

The rules are those of spreadsheets: a range that spans the place grows or shrinks, one that begins below it moves, and
a reference to nothing but rows that are gone becomes ``#REF!``. A row that comes directly behind the last row of a
range joins it where the range belongs to a rule for formats or input, and stays out elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from workgym.documents.xlsx.a1 import split_reference
from workgym.documents.xlsx.formulas import shifted
from workgym.documents.xlsx.references import LAST_ROW, Corner, Reference, sheets_named, tokens
from workgym.errors import EditRefused

GONE = "#REF!"


class RowShift(NamedTuple):
    """What happens to the rows of one sheet."""

    removed: frozenset[int]
    """Rows that go."""
    added: Mapping[int, int]
    """How many rows come behind a row."""

    @property
    def first(self) -> int:
        """The first row that may move or go."""
        return min([*self.removed, *(row + 1 for row in self.added)])

    def row(self, row: int) -> int:
        """Where a row comes to stand; one that goes leaves its number to the next one that stays."""
        gone = sum(1 for other in self.removed if other < row)
        return row - gone + sum(count for behind, count in self.added.items() if behind < row)

    def rows(self, top: int, bottom: int) -> tuple[int, int] | None:
        """First and last row of a range, or None where nothing of it is left (or fits on the sheet)."""
        while top <= bottom and top in self.removed:
            top += 1
        while bottom >= top and bottom in self.removed:
            bottom -= 1
        if top > bottom or self.row(top) > LAST_ROW:
            return None
        return self.row(top), LAST_ROW if bottom == LAST_ROW else min(self.row(bottom), LAST_ROW)

    def inside(self, top: int, bottom: int) -> bool:
        """Whether the range is torn: a row of it goes while others stay, or one comes between its rows."""
        leaving = sum(1 for row in self.removed if top <= row <= bottom)
        return 0 < leaving <= bottom - top or any(top <= row < bottom for row in self.added)

    def range(self, written: str, *, joined: bool = False) -> str | None:
        """A cell or range like ``B2:D9`` after the change; None where nothing is left.

        With ``joined``, rows that come behind its last row belong to it.
        """
        found = [token.reference for token in tokens(written)]
        if len(found) != 1 or found[0] is None:
            return written
        reference = found[0]
        moved = self.reference(reference)
        last = reference.last or reference.first
        if moved is None or last.row is None:
            return None if moved is None else str(moved)
        end = moved.last or moved.first
        if joined and last.row in self.added and last.row not in self.removed and end.row is not None:
            moved = moved._replace(last=_in_row(end, end.row + self.added[last.row]))
        return str(moved)

    def ranges(self, written: str, *, joined: bool = False) -> str:
        """A list of ranges after the change; empty where nothing is left."""
        moved = (self.range(piece, joined=joined) for piece in written.split())
        return " ".join(piece for piece in moved if piece is not None)

    def reference(self, reference: Reference) -> Reference | None:
        """A reference to this sheet after the change; None where nothing is left."""
        first, last = reference.first, reference.last or reference.first
        if first.row is None or last.row is None:
            return reference
        moved = self.rows(min(first.row, last.row), max(first.row, last.row))
        if moved is None:
            return None
        top, bottom = moved if first.row <= last.row else moved[::-1]
        return Reference(
            reference.sheet, _in_row(first, top), None if reference.last is None else _in_row(last, bottom)
        )


class Shifts:
    """The changes to the rows of all sheets of a workbook."""

    def __init__(self, path: str, sheets: Sequence[str], shifts: Mapping[str, RowShift]) -> None:
        """``sheets`` are all sheets in their order, ``shifts`` those that change."""
        self.path = path
        self.sheets = [name.casefold() for name in sheets]
        self._shifts = {name.casefold(): shift for name, shift in shifts.items()}

    def of(self, sheet: str) -> RowShift | None:
        """What happens to a sheet; None where its rows stay."""
        return self._shifts.get(sheet.casefold())

    def formula(self, formula: str, sheet: str) -> str:
        """A formula that stands on ``sheet`` (empty for a name of the workbook), with its references moved.

        Raises :class:`EditRefused` for a reference through several sheets of which only some change.
        """
        parts = []
        for token in tokens(formula):
            reference = token.reference
            if reference is None:
                parts.append(token.text)
                continue
            shift = self._shift(reference, sheet, formula)
            moved = reference if shift is None else shift.reference(reference)
            if moved is None:
                # Not ``Data!#REF!``, which a spreadsheet writes too: LibreOffice takes that for a name.
                parts.append(GONE)
            else:
                parts.append(token.text if moved == reference else str(moved))
        return "".join(parts)

    def relative(self, formula: str, sheet: str, ranges: str) -> str:
        """A formula of a rule over ``ranges`` of ``sheet``, written as its first cell sees it.

        Where the first rows of the ranges go, another cell becomes the first one. Raises :class:`EditRefused` where
        that happens in one of several ranges.
        """
        shift = self.of(sheet)
        pieces = ranges.split()
        first = split_reference(pieces[0].partition(":")[0]) if pieces else None
        if shift is None or first is None:
            return self.formula(formula, sheet)
        steps = 0
        while first[0] + steps in shift.removed:
            steps += 1
        if steps and len(pieces) > 1:
            raise EditRefused(f"{self.path}: a rule of sheet {sheet} begins in a removed row and covers {ranges}")
        return self.formula(shifted(formula, steps, 0), sheet)

    def name(self, name: str, formula: str) -> str:
        """What a defined name refers to. Raises :class:`EditRefused` where that depends on the cell that uses it."""
        for token in tokens(formula):
            reference = token.reference
            if reference is None or reference.sheet == "":
                continue
            shift = self._shift(reference, "", formula)
            corners = (reference.first, reference.last or reference.first)
            loose = any(corner.row is not None and not corner.row_fixed for corner in corners)
            if shift is not None and loose and shift.reference(reference) != reference:
                raise EditRefused(f"{self.path}: the name {name} has the relative reference {token.text}")
        return self.formula(formula, "")

    def _shift(self, reference: Reference, sheet: str, formula: str) -> RowShift | None:
        if not reference.sheet:
            return self.of(sheet)
        named = sheets_named(reference.sheet)
        if named is None:
            return None
        first, last = (name.casefold() for name in named)
        if first == last:
            return self._shifts.get(first)
        known = [self.sheets.index(name) for name in (first, last) if name in self.sheets]
        through = self.sheets[min(known) : max(known) + 1] if len(known) == 2 else [first, last]
        changing = [self._shifts[name] for name in through if name in self._shifts]
        if any(shift.reference(reference) != reference for shift in changing):
            raise EditRefused(f"{self.path}: the formula {formula[:60]!r} refers through several sheets")
        return None


def _in_row(corner: Corner, row: int) -> Corner:
    return corner._replace(row=row)
