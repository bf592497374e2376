"""The text of a web page in blocks, as browsers collapse it, each character with its place in the source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from workgym.documents.html.markup import REFERENCE, SPACE, referred

_REFERRED = r"&(?:#|[A-Za-z])[^\t\n\f\r &]{0,40}"
_PIECE = re.compile(rf"[\t\n\f\r ]+|{_REFERRED}|[^\t\n\f\r &]+(?: [^\t\n\f\r &]+)*|&")
_KEPT = re.compile(rf"\r\n?|{_REFERRED}|[^\r&]+|&")
_BLANKS = 30
"""Pieces of white space in a row, between tags, that are kept in mind for edits."""
_LOST = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")


def shown(text: str) -> str:
    """Text with a replacement character for each byte that its encoding does not know."""
    return text if text.isascii() else text.translate(_LOST)


class Segment(NamedTuple):
    """A piece of a block's text, and what stands for it in the source."""

    start: int
    """Its first character in the source; -1 where nothing stands for it."""
    end: int
    """One past its last character in the source."""
    text: str
    """What is read there; nothing for white space behind other white space."""
    kind: Literal["plain", "whole", "edge"]
    """``plain``: a character of source for each of text; ``whole``: cannot be parted (a reference, white space, a
    break); ``edge``: the line break between two blocks of a table's cell."""


@dataclass(slots=True, eq=False)
class Element:
    """An element while it is open, and the range that it takes."""

    name: str
    start: int
    inner: int
    """Where its content begins."""
    parent: Element | None
    hidden: bool = False
    kept: bool = False
    """Whether white space is kept (``pre``)."""
    paper: str | None = None
    """The colour behind its text, where it is known."""
    zone: str = "p"
    """The letter of the places in it: p, h, f or n."""
    cell: Block | None = None
    """The cell, or the note, whose text its blocks are lines of."""
    first: int = 0
    """How many blocks stood before it."""
    last: int = 0
    """How many blocks stood when it ended."""
    close: int = -1
    """Where its content ends."""
    end: int = -1
    """Where it ends itself."""

    container: Element | None = None
    """Itself, or the nearest block-level element around it."""
    label: str | None = None
    """What kind of text its blocks are: ``heading 2``, ``list item``."""
    apart: bool = False
    """Whether a header or footer in it is not the page's."""
    notes: bool = False
    """Whether list items in it are notes."""

    def within(self) -> Iterator[Element]:
        """Itself, and what it lies in."""
        found: Element | None = self
        while found is not None:
            yield found
            found = found.parent


@dataclass(slots=True, eq=False)
class Block:
    """One place of a page: a paragraph, heading, list item, cell or note."""

    at: str
    element: Element
    """What it is the text of: the innermost block-level element."""
    label: str | None = None
    table: str | None = None
    row: int = 0
    column: int = 0
    merged: tuple[int, int] = (1, 1)
    """Rows and columns that it takes, if it is a cell."""
    hidden: bool = False
    segments: list[Segment] = field(default_factory=list)
    aside: list[str] = field(default_factory=list)
    """Text in it that is not shown."""
    _blank: tuple[Segment, ...] = ()
    """White space whose first piece is shown as a blank if something follows on the line."""
    _broken: bool = False

    @property
    def text(self) -> str:
        """What it says."""
        return shown("".join(segment.text for segment in self.segments))

    def add(self, source: str, start: int, end: int, kept: bool, most: int) -> int:
        """Characters of the source, in ``most`` pieces; white space is collapsed unless it is ``kept``.

        Returns how many pieces there are, one more than ``most`` where these are not all.
        """
        before = len(self.segments)
        for match in (_KEPT if kept else _PIECE).finditer(source, start, end):
            piece, at = match[0], match.start()
            if not kept and piece[0] in SPACE:
                self._space(at, match.end(), "plain" if piece == " " else "whole")
            elif kept and piece[0] == "\r":
                self._put(Segment(at, match.end(), "\n", "whole"))
            elif piece[0] == "&" and (reference := REFERENCE.match(piece)) is not None:
                self._reference(piece, reference.end(), at, kept)
            else:
                self._put(Segment(at, match.end(), piece, "plain"))
            if len(self.segments) - before > most:
                return most + 1
        return len(self.segments) - before

    def _reference(self, piece: str, size: int, start: int, kept: bool) -> None:
        """What begins with ``&`` and a name, and what follows up to the next blank."""
        written, rest = piece[:size], piece[size:]
        meant = referred(written)
        if meant == written:
            self._put(Segment(start, start + size, meant, "plain"))
        elif meant in SPACE and not kept:
            self._space(start, start + size, "whole")
        else:
            self._put(Segment(start, start + size, meant, "whole"))
        if rest:
            self._put(Segment(start + size, start + len(piece), rest, "plain"))

    def _space(self, start: int, end: int, kind: Literal["plain", "whole"]) -> None:
        """White space: one blank between what is shown, nothing at the ends of lines."""
        if self.segments and self.segments[-1].text != "\n" and not self._broken:
            blank = Segment(start, end, "", "whole") if self._blank else Segment(start, end, " ", kind)
            self._blank = (*self._blank[:_BLANKS], blank)

    def _put(self, segment: Segment) -> None:
        if self._broken and self.segments:
            self.segments.append(Segment(-1, -1, "\n", "edge"))
        else:
            self.segments += self._blank
        self._blank, self._broken = (), False
        self.segments.append(segment)

    def breaks(self, start: int, end: int) -> None:
        """A line break, by a tag at ``start``."""
        self._blank = ()
        self._put(Segment(start, end, "\n", "whole"))

    def ends_line(self) -> None:
        """A block in it, or it itself, ends here: what follows is another line."""
        self._blank = ()
        self._broken = bool(self.segments)

    def trim(self) -> None:
        """Without line breaks at its ends, where they show nothing."""
        while self.segments and self.segments[-1].text.endswith("\n"):
            last = self.segments.pop()
            text = last.text.rstrip("\n")
            if text:
                self.segments.append(last._replace(text=text, end=last.end - len(last.text) + len(text)))
        gone = next((at for at, segment in enumerate(self.segments) if segment.text.strip("\n")), 0)
        del self.segments[:gone]
        if self.segments and self.segments[0].text.startswith("\n"):
            first = self.segments[0]
            text = first.text.lstrip("\n")
            self.segments[0] = first._replace(text=text, start=first.start + len(first.text) - len(text))
