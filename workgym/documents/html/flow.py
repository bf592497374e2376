"""A page as lines, each character with its place in the source: what a mail program shows of a body in HTML.

A block is a line, ``<br>`` and the blocks of a cell are line breaks, and the cells of a row stand on one line.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from workgym.documents.html.lines import Block, Segment
from workgym.documents.html.page import Page

_BETWEEN = "  "


class Char(NamedTuple):
    """A character that is shown."""

    text: str
    start: int
    """Where it begins in the page's source."""
    end: int
    """One past its end there."""


class Flow(NamedTuple):
    """What a page says."""

    lines: list[str]
    """Its lines that show anything, from the top to the bottom; two blanks stand between cells."""
    hidden: list[str]
    """Texts in it that are not shown, as far as the page itself says so."""


def flow(path: str, source: str) -> Flow:
    """The lines of a page; of one that is cut off, what there is of it. Raises :class:`Unreadable`."""
    blocks = Page(path, source, whole=False).blocks
    hidden = [text for block in blocks for text in (*([block.text] if block.hidden else []), *block.aside)]
    found: list[str] = []
    for row in _rows(blocks):
        said = _BETWEEN.join(text for block in row if (text := _single(block.text)))
        found += (line.strip() for line in said.split("\n"))
    return Flow([line for line in found if line], [text for text in hidden if text.strip()])


def _single(text: str) -> str:
    """With one blank wherever there are blanks, of whatever kind, between two words of a line."""
    return "\n".join(" ".join(line.split()) for line in text.split("\n"))


def characters(path: str, source: str) -> list[list[Char]]:
    """The characters of the same lines, blanks left out. Raises :class:`Unreadable`."""
    found: list[list[Char]] = [[]]
    for row in _rows(Page(path, source, whole=False).blocks):
        for char in (char for block in row for segment in block.segments for char in _chars(segment)):
            if char.text == "\n":
                found.append([])
            elif not char.text.isspace():
                found[-1].append(char)
        found.append([])
    return [line for line in found if line]


def _rows(blocks: list[Block]) -> Iterator[list[Block]]:
    """The blocks that are shown: those of a table's row together, the others alone."""
    shown = (block for block in blocks if not block.hidden)
    for _, row in groupby(shown, key=lambda block: (block.table, block.row) if block.table else block.at):
        yield list(row)


def _chars(segment: Segment) -> Iterator[Char]:
    for at, text in enumerate(segment.text):
        if segment.kind == "plain":
            yield Char(text, segment.start + at, segment.start + at + 1)
        else:
            yield Char(text, segment.start, segment.end)
