"""Texts of an edited input, given and handed in: paragraphs, lines and, as one piece each, tables.

Pieces are aligned by what they say. A given piece outside the areas has to be there still, in its order; a new one has
to stand in an area, or at its edge.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from workgym.documents import Document, Fragment
from workgym.graph import Area
from workgym.verify.edited.alignment import pairs
from workgym.verify.edited.book import is_remark
from workgym.verify.edited.damage import Damage, said
from workgym.verify.stated.matching import normal

_HASHES = re.compile(r"\s{0,3}(#{1,6})\s")
_APART = re.compile(r"^property\.|\.del\d+$|^[hf]\d+$")
_NUMBERED = re.compile(r"([a-z]+)(\d+)")


class Piece(NamedTuple):
    """A paragraph, a line or a table."""

    at: str
    """Its place."""
    text: str
    """What it says; of a table its first row."""
    level: int | None = None
    """Level of a heading, the title being 0; None for other text."""
    table: str | None = None
    """For a table its name; None for text."""


class Aligned(NamedTuple):
    """Two texts beside each other."""

    damage: tuple[Damage, ...]
    """What differs outside the areas."""
    given: frozenset[str]
    """Places of what was given and stands outside the areas, as it was handed in."""
    tables: tuple[tuple[str, str], ...]
    """Tables that were given, with their names as handed in."""


def pieces(document: Document) -> list[Piece]:
    """The text of a document, tables as one piece each where its format has cells.

    Without properties, comments, text that a tracked change struck, and headers and footers of pages, whose fields
    programs write anew.
    """
    found: list[Piece] = []
    seen: set[str] = set()
    for fragment in document.fragments:
        if _APART.search(fragment.at) or is_remark(fragment):
            continue
        if fragment.table is None or document.kind.flow == "lines":
            found.append(Piece(fragment.at, said(fragment), _level(document, fragment)))
        elif fragment.table not in seen:
            seen.add(fragment.table)
            row = [one for one in document.fragments if (one.table, one.row) == (fragment.table, fragment.row)]
            found.append(Piece(fragment.table, " | ".join(map(said, row)), table=fragment.table))
    return found


def _level(document: Document, fragment: Fragment) -> int | None:
    if document.format == "md":
        hashes = _HASHES.match(fragment.text)
        return len(hashes[1]) if hashes else None
    label = (fragment.label or "").casefold().replace(" ", "")
    if label == "title":
        return 0
    return int(label[7:] or 1) if label.startswith("heading") and label[7:].isdecimal() | (label[7:] == "") else None


class Passages:
    """The pieces of a given text that may be changed, and the gaps where something may come in."""

    def __init__(self, text: Sequence[Piece], areas: Sequence[Area]) -> None:
        self.pieces: set[int] = set()
        self.gaps: set[int] = set()
        """A gap has the number of the piece behind it."""
        self.missing: list[Area] = []
        for one in areas:
            if one.kind == "end":
                self.gaps.add(len(text))
            elif one.kind == "section":
                self._section(text, one)
            elif one.kind == "places":
                self._places(text, one)

    def _section(self, text: Sequence[Piece], one: Area) -> None:
        wanted = normal(one.heading)
        heads = [at for at, piece in enumerate(text) if piece.level is not None and _title(piece) == wanted]
        if not heads:
            self.missing.append(one)
            return
        head = heads[0]
        level = text[head].level or 0
        below = ((at, text[at].level) for at in range(head + 1, len(text)))
        end = next((at for at, other in below if other is not None and other <= level), len(text))
        self.pieces |= set(range(head + 1, end))
        self.gaps |= set(range(head + 1, end + 1))

    def _places(self, text: Sequence[Piece], one: Area) -> None:
        inside = [at for at, piece in enumerate(text) if _within(piece.at, one)]
        if not inside:
            self.missing.append(one)
        self.pieces |= set(inside)
        self.gaps |= {gap for at in inside for gap in (at, at + 1)}


def _title(piece: Piece) -> str:
    return normal(_HASHES.sub("", piece.text))


def _within(at: str, one: Area) -> bool:
    match = _NUMBERED.fullmatch(at)
    return match is not None and match[1] == one.letter and one.first[0] <= int(match[2]) <= one.last[0]


def aligned(given: Sequence[Piece], now: Sequence[Piece], passages: Passages) -> Aligned:
    """Compare two texts."""
    damage: list[Damage] = []
    kept: set[str] = set()
    tables: list[tuple[str, str]] = []
    before, after = ([(piece.table is not None, piece.text) for piece in text] for text in (given, now))
    top = first = 0
    for at, to in [*pairs(before, after), (len(given), len(now))]:
        if at > top or to > first:
            damage += _changed(given[top:at], now[first:to], top, passages)
        top, first = at + 1, to + 1
        if at == len(given):
            break
        if at not in passages.pieces:
            kept.add(now[to].at)
        name, other = given[at].table, now[to].table
        if name is not None and other is not None:
            tables.append((name, other))
    return Aligned(tuple(damage), frozenset(kept), tuple(tables))


def _changed(given: Sequence[Piece], now: Sequence[Piece], top: int, passages: Passages) -> Iterator[Damage]:
    fixed = [piece for at, piece in enumerate(given, top) if at not in passages.pieces]
    free = len(fixed) < len(given) or bool(passages.gaps & set(range(top, top + len(given) + 1)))
    new = [] if free else list(now)
    for number, piece in enumerate(fixed):
        what = "the table is gone" if piece.table else "it is gone" if free or number >= len(new) else "it was changed"
        other = new[number] if number < len(new) else None
        yield Damage(other.at if other else piece.at, piece.text[:200], other.text[:200] if other else None, what)
    for piece in new[len(fixed) :]:
        yield Damage(piece.at, None, piece.text[:200], "nothing stood there")
