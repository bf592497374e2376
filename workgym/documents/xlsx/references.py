"""The references in a formula: which text is one, what it names, and how it is written again.

Grammar: ECMA-376 part 1, 18.17 (SpreadsheetML formulas), as far as references go. Strings, quoted sheets, external
books (``[1]Data!A1``), sheets in a row (``Jan:Mar!B2``), structured references (``Sales[[#This Row],[Net]]``), whole
rows and columns, and names that look like cells of another notation (``R1C1``) are told apart; ``LOG10(`` is a
function.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from workgym.documents.xlsx.a1 import column_letters, column_number

LAST_ROW, LAST_COLUMN = 1_048_576, 16_384
_SHEET = r"(?:'(?:[^']|'')*'|(?:\[[^\[\]]*\])?[^\W\d][\w.]*(?::[\w.]+)?|\[[^\[\]]*\][\w.]*)!"
_CELL = r"\$?[A-Za-z]{1,3}\$?[1-9]\d{0,6}"
_ENDS = r"(?![\w.(\\?])"
_TOKEN = re.compile(
    r'(?P<text>"(?:[^"]|"")*"|\#[A-Z/0]+[!?]?(?:/A)?)'
    rf"|(?P<sheet>{_SHEET})?"
    rf"(?:(?P<cells>{_CELL}(?::{_CELL})?){_ENDS}"
    rf"|(?P<columns>\$?[A-Za-z]{{1,3}}:\$?[A-Za-z]{{1,3}}){_ENDS}"
    rf"|(?P<rows>\$?[1-9]\d{{0,6}}:\$?[1-9]\d{{0,6}}){_ENDS})"
    rf"|(?P<prefix>{_SHEET})"
    r"|(?P<bracket>\[(?:[^\[\]']|'.|\[(?:[^\[\]']|'.)*\])*\])"
    r"|(?P<function>[^\W\d][\w.]*)(?=\()"
    r"|(?P<name>(?:[^\W\d]|\\)[\w.\\?]*)"
    r"|(?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)"
    r"|(?P<other>(?s:.))"
)
_CORNER = re.compile(r"(?P<column_fixed>\$?)(?P<column>[A-Za-z]{0,3})(?P<row_fixed>\$?)(?P<row>\d*)")

Kind = Literal["reference", "function", "name", "structured", "sheet", "other"]


class Corner(NamedTuple):
    """One corner of an area."""

    column: int | None
    """Its column, from 1; None for whole rows."""
    column_fixed: bool
    """Whether the column has a ``$``."""
    row: int | None
    """Its row, from 1; None for whole columns."""
    row_fixed: bool
    """Whether the row has a ``$``."""

    def __str__(self) -> str:
        column = "" if self.column is None else "$" * self.column_fixed + column_letters(self.column)
        return column if self.row is None else f"{column}{'$' * self.row_fixed}{self.row}"


class Reference(NamedTuple):
    """A cell, an area, whole rows or whole columns."""

    sheet: str
    """The sheet or sheets before it as written, with the exclamation mark; empty for the formula's own sheet."""
    first: Corner
    """The cell, or the first corner."""
    last: Corner | None
    """The other corner, or None for a single cell."""

    def __str__(self) -> str:
        return f"{self.sheet}{self.first}" if self.last is None else f"{self.sheet}{self.first}:{self.last}"


class Token(NamedTuple):
    """A piece of a formula; the texts of all pieces are the formula."""

    kind: Kind
    """What it is; ``other`` covers strings, numbers, errors and signs."""
    text: str
    """As written."""
    reference: Reference | None = None
    """The reference taken apart, where it is one within the bounds of a sheet."""


@lru_cache(maxsize=8192)
def tokens(formula: str) -> tuple[Token, ...]:
    """The pieces of a formula (without its ``=``), in order."""
    found = []
    for match in _TOKEN.finditer(formula):
        body = match["cells"] or match["columns"] or match["rows"]
        if body is not None:
            reference = _reference(match["sheet"] or "", body)
            found.append(Token("name" if reference is None else "reference", match[0], reference))
            continue
        kind: Kind = "other"
        if match["function"] is not None:
            kind = "function"
        elif match["name"] is not None:
            kind = "name"
        elif match["bracket"] is not None:
            kind = "structured"
        elif match["prefix"] is not None:
            kind = "sheet"
        found.append(Token(kind, match[0]))
    return tuple(found)


def functions(formula: str) -> tuple[str, ...]:
    """The functions that a formula calls, in capitals, each once, without the marks of newer ones (``_xlfn.``)."""
    called = (token.text.upper() for token in tokens(formula) if token.kind == "function")
    return tuple(dict.fromkeys(name.removeprefix("_XLFN.").removeprefix("_XLWS.") for name in called))


def sheets_named(prefix: str) -> tuple[str, str] | None:
    """First and last sheet of a prefix like ``'Q 1'!`` or ``Jan:Mar!``; None for a sheet of another book."""
    bare = prefix[:-1]
    if bare.startswith("'"):
        bare = bare[1:-1].replace("''", "'")
    if "[" in bare:
        return None
    first, colon, last = bare.partition(":")
    return first, last if colon else first


def _reference(sheet: str, body: str) -> Reference | None:
    first, colon, last = body.partition(":")
    corners = [_corner(text) for text in ((first, last) if colon else (first,))]
    if any(corner is None for corner in corners):
        return None
    return Reference(sheet, corners[0], corners[1] if colon else None)  # type: ignore[arg-type]  # None is excluded


def _corner(text: str) -> Corner | None:
    match = _CORNER.fullmatch(text)
    if match is None:
        return None
    column = column_number(match["column"]) if match["column"] else None
    row = int(match["row"]) if match["row"] else None
    if (column or 1) > LAST_COLUMN or (row or 1) > LAST_ROW:
        return None
    # The one dollar of whole rows stands before the row, and the pattern gives it to the column.
    fixed = bool(match["column_fixed"])
    if column is None:
        return Corner(None, False, row, fixed or bool(match["row_fixed"]))
    return Corner(column, fixed, row, bool(match["row_fixed"]))
