"""Corners of what is drawn over a sheet: the row (from 0 in the file) in which one lies."""

from __future__ import annotations

from workgym.documents.archive import Element
from workgym.documents.ooxml.parts import PartEdit, local
from workgym.documents.xlsx.shifts import RowShift


def rows_of_anchor(corner: Element) -> int:
    """The row of a corner, from 1."""
    return next((int(child.text or "0") + 1 for child in corner if local(child) == "row"), 1)


def anchor_rows(part: PartEdit, corner: Element, shift: RowShift, steps: int | None = None) -> None:
    """Move a corner by its own row, or by ``steps`` rows; in a row that goes it moves to the next one's top."""
    row = rows_of_anchor(corner)
    for child in corner:
        if local(child) == "row":
            part.text(child, str((shift.row(row) if steps is None else row + steps) - 1))
        elif local(child) == "rowOff" and steps is None and row in shift.removed:
            part.text(child, "0")
