"""Cards of contacts (vCard, RFC 6350, and the older forms), scanned with positions: for reading and for editing."""

from __future__ import annotations

from typing import NamedTuple

from workgym.documents.contentline import content_lines, line_end, unescaped
from workgym.errors import Unreadable


class Property(NamedTuple):
    """A property of a card."""

    at: str
    """Its place: ``c3.TEL`` in the third card, ``c3.TEL.2`` the second of that name there."""
    start: int
    """First character of its line in the file's text."""
    end: int
    """One past the last character of its line, before the line end."""
    head: str
    """Group, name and parameters as they are written, and the colon."""
    name: str
    """Name in capitals."""
    raw: str
    """The value as it is written, unfolded."""
    card: int
    """Number of the card from 1."""

    @property
    def text(self) -> str:
        """The value as a person reads it; ``;`` between the parts of one that has several."""
        return unescaped(self.raw)


class Cards(NamedTuple):
    """A file's lines."""

    properties: tuple[Property, ...]
    """All properties but BEGIN and END, in order."""
    cards: tuple[tuple[int, int], ...]
    """Where each card begins, and one past the line end of its END."""


def scan(path: str, body: str) -> Cards:
    """All properties. Raises :class:`Unreadable` where it holds no cards, or one is never closed."""
    properties: list[Property] = []
    cards: list[tuple[int, int]] = []
    seen: dict[str, int] = {}
    begun: int | None = None
    for line in content_lines(path, body, "card"):
        if line.name == "BEGIN" and line.raw.strip().upper() == "VCARD" and begun is None:
            begun, seen = line.start, {}
        elif line.name == "END" and line.raw.strip().upper() == "VCARD" and begun is not None:
            cards.append((begun, line_end(body, line.end)))
            begun = None
        elif begun is None or line.name in ("BEGIN", "END"):
            raise Unreadable(path, "corrupt", f"{line.name}:{line.raw[:40]} stands where no card allows it")
        else:
            base = f"c{len(cards) + 1}.{line.name}"
            seen[base] = seen.get(base, 0) + 1
            at = base if seen[base] == 1 else f"{base}.{seen[base]}"
            properties.append(Property(at, line.start, line.end, line.head, line.name, line.raw, len(cards) + 1))
    if begun is not None:
        raise Unreadable(path, "truncated", f"card {len(cards) + 1} is never closed")
    if not cards:
        raise Unreadable(path, "corrupt" if body.strip() else "truncated", "it holds no card")
    return Cards(tuple(properties), tuple(cards))
