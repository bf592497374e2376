"""Values that stand in pictures: found again in what was recognised there, or said to be unproved."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from workgym.documents import Document
from workgym.records import Anchor, Place

_PAGE_LINE = re.compile(r"(p\d+)l(\d+)")
_NEAR = 3
"""Lines up or down by which recognition may count differently: a signature or a mark read as a line."""
_ALIKE = (
    {ord(char): "-" for char in "‐‑‒–—−"} | {ord(char): "'" for char in "‘’´`"} | {ord(char): '"' for char in "“”„"}
)
_PAIRS = ((str.isdigit, str.isdigit), (str.isalpha, str.isalpha))


def page_of(anchor: Anchor) -> str | None:
    """The page on which an anchor stands, or None where its place is no line of a page."""
    match = _PAGE_LINE.fullmatch(anchor.place.base)
    return match[1] if match else None


def located(document: Document, anchor: Anchor) -> Anchor | None:
    """The anchor at the nearest line that shows its text, blanks and the forms of signs aside; None where none does."""
    match = _PAGE_LINE.fullmatch(anchor.place.base)
    if match is None:
        return None
    row = int(match[2])
    near = [
        fragment
        for fragment in document.fragments
        if fragment.table == match[1] and fragment.row is not None and abs(fragment.row - row) <= _NEAR
    ]
    span = anchor.place.span
    for fragment in sorted(near, key=lambda fragment: abs((fragment.row or 0) - row)):
        places = list(_places(fragment.text, anchor.printed))
        if places:
            start, end = min(places, key=lambda place: abs(place[0] - (span[0] if span else 0)))
            whole = (start, end) == (0, len(fragment.text))
            at = fragment.at if whole else f"{fragment.at}[{start}:{end}]"
            return anchor.model_copy(update={"place": Place(path=anchor.place.path, at=at)})
    return None


def same(text: str, other: str) -> bool:
    """Whether two texts are alike but for blanks and the forms of signs."""
    return "".join(char for char, _ in _folded(text)) == "".join(char for char, _ in _folded(other))


def _places(text: str, wanted: str) -> Iterator[tuple[int, int]]:
    """Where a text shows another one as a whole: no further digit or letter of the same kind goes on at its ends."""
    folded = list(_folded(text))
    letters, sought = "".join(char for char, _ in folded), "".join(char for char, _ in _folded(wanted))
    at = letters.find(sought) if sought else -1
    while at >= 0:
        start, end = folded[at][1], folded[at + len(sought) - 1][1] + 1
        before, after = text[start - 1 : start], text[end : end + 1]
        if not _goes_on(before, text[start]) and not _goes_on(text[end - 1], after):
            yield start, end
        at = letters.find(sought, at + 1)


def _goes_on(left: str, right: str) -> bool:
    return bool(left and right) and any(kind(left) and other(right) for kind, other in _PAIRS)


def _folded(text: str) -> Iterator[tuple[str, int]]:
    """Its signs in one form each, without blanks, and where each stands."""
    for at, char in enumerate(text):
        for plain in unicodedata.normalize("NFKC", char).translate(_ALIKE):
            if not plain.isspace():
                yield plain, at
