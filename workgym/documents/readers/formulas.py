"""Shared formulas: the one that is written, moved to a cell that shares it."""

from __future__ import annotations

import re

from workgym.documents.cells import column_letters, column_number

_PIECE = re.compile(
    r"""(?P<keep>"(?:[^"]|"")*"|'(?:[^']|'')*'!?|[A-Za-z_\\][\w.]*\()"""
    r"|(?P<cell>(?<![\w.$])(?P<c1>\$?)(?P<col>[A-Za-z]{1,3})(?P<c2>\$?)(?P<row>[1-9]\d{0,6})(?![\w.(]))"
    r"|(?P<name>[A-Za-z_\\][\w.]*)"
)


def shifted(formula: str, rows: int, columns: int) -> str:
    """``formula`` with its relative cell references moved; what leaves the sheet becomes ``#REF!``."""

    def move(match: re.Match[str]) -> str:
        if match["cell"] is None:
            return match[0]
        column, row = column_number(match["col"]), int(match["row"])
        if not match["c1"]:
            column += columns
        if not match["c2"]:
            row += rows
        if not (1 <= column <= 16384 and 1 <= row <= 1_048_576):
            return "#REF!"
        return f"{match['c1']}{column_letters(column)}{match['c2']}{row}"

    return _PIECE.sub(move, formula)
