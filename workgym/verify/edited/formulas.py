"""Whether a formula is still the one that was given, rows that came and went and ways of writing aside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from workgym.documents.xlsx.references import LAST_COLUMN, LAST_ROW, Corner, Reference, Token, sheets_named, tokens
from workgym.documents.xlsx.shifts import RowShift

Piece = tuple[str, ...]


class Moved(NamedTuple):
    """Where the rows of the sheets of a workbook came to stand."""

    shifts: Mapping[str, RowShift]
    """By sheet, in small letters; what is not there stayed."""

    def of(self, sheet: str) -> RowShift | None:
        """What happened to a sheet."""
        return self.shifts.get(sheet.casefold())


def unchanged(given: str, now: str, sheet: str, moved: Moved) -> bool:
    """Whether ``now`` is the formula ``given`` of that sheet, its references moved with the rows.

    A range may take in rows that came directly before or behind it. ``$`` and blanks do not matter.
    """
    before, after = _pieces(given), _pieces(now)
    return len(before) == len(after) and all(
        _same(one, other, sheet, moved) for one, other in zip(before, after, strict=True)
    )


def expected(given: str, sheet: str, moved: Moved) -> str:
    """The formula ``given`` of that sheet as it has to read now."""
    parts = []
    for token in tokens(given):
        own = None if token.reference is None else _sheet(token.reference, sheet)
        shift = None if own is None else moved.of(own)
        if token.reference is None or shift is None:
            parts.append(token.text)
        else:
            now = shift.reference(token.reference)
            parts.append("#REF!" if now is None else token.text if now == token.reference else str(now))
    return "".join(parts)


def outline(formula: str) -> tuple[Piece, ...]:
    """A formula with its references blanked: what it keeps wherever rows come and go."""
    return tuple(("reference",) if token.reference is not None else _plain(token) for token in _pieces(formula))


def _pieces(formula: str) -> list[Token]:
    return [token for token in tokens(formula) if token.text.strip()]


def _plain(token: Token) -> Piece:
    if token.kind == "other" and token.text.startswith('"'):
        return ("text", token.text)
    bare = token.text.strip().upper()
    return ("sign", bare.removeprefix("_XLFN.").removeprefix("_XLWS."))


def _same(one: Token, other: Token, sheet: str, moved: Moved) -> bool:
    if one.reference is None:
        return other.reference is None and _plain(one) == _plain(other)
    own = _sheet(one.reference, sheet)
    shift = moved.of(own) if own is not None else None
    if other.reference is None:
        return shift is not None and shift.reference(one.reference) is None and other.text == "#REF!"
    if own != _sheet(other.reference, sheet) or (own is None and one.reference.sheet != other.reference.sheet):
        return False
    first, last = _corners(one.reference)
    expected = one.reference if shift is None else shift.reference(one.reference)
    if expected is None:
        return False
    wanted, found = _corners(expected), _corners(other.reference)
    before = shift.added.get(first[0] - 1, 0) if shift is not None and one.reference.last is not None else 0
    behind = shift.added.get(last[0], 0) if shift is not None and one.reference.last is not None else 0
    tops, bottoms = (wanted[0][0], wanted[0][0] - before), (wanted[1][0], wanted[1][0] + behind)
    columns = [corner[1] for corner in found] == [corner[1] for corner in wanted]
    return columns and found[0][0] in tops and found[1][0] in bottoms


def _sheet(reference: Reference, own: str) -> str | None:
    """The one sheet that a reference names, in small letters; None for several, or another book's."""
    if not reference.sheet:
        return own.casefold()
    named = sheets_named(reference.sheet)
    return None if named is None or named[0] != named[1] else named[0].casefold()


def _corners(reference: Reference) -> tuple[tuple[int, int], tuple[int, int]]:
    first, last = reference.first, reference.last or reference.first
    return _cell(first, 1, 1), _cell(last, LAST_ROW, LAST_COLUMN)


def _cell(corner: Corner, row: int, column: int) -> tuple[int, int]:
    return corner.row or row, corner.column or column
