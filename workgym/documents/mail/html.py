"""The HTML beside the text of a mail, with the position of every character: so that a change of one is made in both.

A line of the text and a line of the page are the same where they agree in all but blanks and the marks of quotation.
"""

from __future__ import annotations

import html
import re
from itertools import dropwhile

from workgym.documents.html.flow import Char, characters
from workgym.documents.patches import Patch
from workgym.errors import EditRefused

_QUOTE = re.compile(r"[>\s]*")
_CELL = re.compile(r"\S+(?:\s\S+)*")


def shown(path: str, source: str) -> list[list[Char]]:
    """The lines of a page that show anything, without their blanks and without marks of quotation before them."""
    bare = [list(dropwhile(lambda char: char.text == ">", line)) for line in characters(path, source)]
    return [line for line in bare if line]


def key(line: str) -> str:
    """What of a line has to agree."""
    return "".join(line[_end_of_quote(line) :].split())


def _end_of_quote(line: str) -> int:
    match = _QUOTE.match(line)
    return match.end() if match else 0


def counterpart(path: str, lines: list[str], number: int, keys: list[str]) -> int | None:
    """The line of the page that says what line ``number`` of the text says; None for one that it has no need of.

    Raises :class:`EditRefused` where it cannot be told which.
    """
    wanted = key(lines[number - 1])
    mine = [at for at, line in enumerate(lines, 1) if key(line) == wanted]
    theirs = [at for at, other in enumerate(keys) if other == wanted]
    if wanted and len(mine) == len(theirs):
        return theirs[mine.index(number)]
    if not wanted or (not theirs and not wanted.strip("-=")):
        return None
    raise EditRefused(f"{path} l{number}: its body stands in HTML too, and there the line is another")


def parts(old: str, new: str, change: tuple[int, int, str]) -> list[tuple[int, int, str]]:
    """A change of a line as one of each cell, where both are rows of a table with as many cells: columns move then."""
    before, after = list(_CELL.finditer(old)), [match[0] for match in _CELL.finditer(new)]
    if len(before) < 2 or len(before) != len(after):
        return [change]
    return [(*was.span(), now) for was, now in zip(before, after, strict=True) if was[0] != now]


def patch(path: str, number: int, source: str, line: list[Char], old: str, change: tuple[int, int, str]) -> Patch:
    """The change of characters ``start`` to ``end`` of a line of the text, in the page's source.

    What is added changes the character beside it, and blanks at the edge change the one behind them, so that there is
    something of the page to be replaced.
    """
    start, end, new = change
    skipped = _end_of_quote(old)
    while start > skipped and (start == end or old[start].isspace()):
        start, new = start - 1, old[start - 1] + new
    while end < len(old) and (start == end or old[end - 1].isspace()):
        new, end = new + old[end], end + 1
    before, size = len("".join(old[skipped:start].split())), len("".join(old[start:end].split()))
    if not size or start < skipped:
        raise EditRefused(f"{path} l{number}: its body stands in HTML too, where nothing corresponds to the edit")
    first, last = line[before].start, line[before + size - 1].end
    if "<" in source[first:last]:
        raise EditRefused(f"{path} l{number}: its body stands in HTML too, and there the text is in several pieces")
    return Patch(first, last, html.escape(new, quote=False))


def removal(source: str, line: list[Char]) -> list[Patch]:
    """A line of the page emptied; its markup stays."""
    patches = [Patch(line[0].start, line[0].end, "")]
    for char in line[1:]:
        last = patches[-1]
        if "<" in source[last.end : char.start]:
            patches.append(Patch(char.start, char.end, ""))
        else:
            patches[-1] = Patch(last.start, char.end, "")
    return patches
