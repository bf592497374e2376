"""Shared formulas: the one that is written, moved to a cell that shares it."""

from __future__ import annotations

from workgym.documents.xlsx.references import LAST_COLUMN, LAST_ROW, Corner, tokens


def shifted(formula: str, rows: int, columns: int) -> str:
    """``formula`` with its relative references moved; what leaves the sheet becomes ``#REF!``."""
    if not rows and not columns:
        return formula
    parts = []
    for token in tokens(formula):
        reference = token.reference
        if reference is None:
            parts.append(token.text)
            continue
        corners = [_moved(corner, rows, columns) for corner in (reference.first, reference.last) if corner is not None]
        parts.append(reference.sheet + ("#REF!" if None in corners else ":".join(map(str, corners))))
    return "".join(parts)


def _moved(corner: Corner, rows: int, columns: int) -> Corner | None:
    column, row = corner.column, corner.row
    if column is not None and not corner.column_fixed:
        column += columns
    if row is not None and not corner.row_fixed:
        row += rows
    if column is not None and not 1 <= column <= LAST_COLUMN:
        return None
    if row is not None and not 1 <= row <= LAST_ROW:
        return None
    return Corner(column, corner.column_fixed, row, corner.row_fixed)
