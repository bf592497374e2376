"""Plain text, logs, source code and Markdown: a fragment for each line that is not blank, ``l14``.

The lines of a Markdown table are a grid, ``l10`` by its first line, with a row for each line but the ruler.
"""

from __future__ import annotations

import re
from itertools import pairwise

from workgym.documents.decoding import bare, decode, lines
from workgym.documents.limits import LIMITS, check
from workgym.documents.model import Document, Fragment
from workgym.records import FormatName

_LONGEST = 10_000
"""Characters of a line below the header of a table; longer ones make none."""
_RULER = re.compile(r"^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")


def _read(path: str, content: bytes) -> list[str]:
    body = decode(path, content).body
    found = [bare(line) for line in lines(body)]
    check(path, len(found), LIMITS.lines, "lines")
    return found


def read_txt(path: str, content: bytes) -> Document:
    """Read plain text. Raises :class:`Unreadable`."""
    return _plain(path, content, "txt")


def read_log(path: str, content: bytes) -> Document:
    """Read a log, line by line. Raises :class:`Unreadable`."""
    return _plain(path, content, "log")


def read_code(path: str, content: bytes) -> Document:
    """Read source code, line by line, comments and all. Raises :class:`Unreadable`."""
    return _plain(path, content, "code")


def _plain(path: str, content: bytes, form: FormatName) -> Document:
    found = _read(path, content)
    fragments = [Fragment(at=f"l{number}", text=line) for number, line in enumerate(found, 1) if line.strip()]
    return Document(path=path, format=form, fragments=tuple(fragments))


def read_md(path: str, content: bytes) -> Document:
    """Read Markdown, as it is written. Raises :class:`Unreadable`."""
    found = _read(path, content)
    tables = _tables(found)
    fragments = []
    for number, line in enumerate(found, 1):
        if not line.strip():
            continue
        if number in tables:
            first, row = tables[number]
            fragments.append(Fragment(at=f"l{number}", text=line, table=f"l{first}", row=row))
        else:
            fragments.append(Fragment(at=f"l{number}", text=line))
    return Document(path=path, format="md", fragments=tuple(fragments))


def _tables(found: list[str]) -> dict[int, tuple[int, int | None]]:
    """Of each line in a table: the number of the table's first line, and its row; the ruler has no row."""
    placed: dict[int, tuple[int, int | None]] = {}
    fenced = False
    number = 0
    while number + 1 < len(found):
        line = found[number]
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        below = found[number + 1]
        if not fenced and "|" in line and "-" in below and len(below) < _LONGEST and _RULER.match(below):
            first = number
            placed[first + 1], placed[first + 2] = (first + 1, 1), (first + 1, None)
            number += 2
            while number < len(found) and "|" in found[number]:
                placed[number + 1] = (first + 1, number - first)
                number += 1
        else:
            number += 1
    return placed


def row_cells(line: str) -> list[tuple[int, int]]:
    """Where the cells of a line of a Markdown table stand in it, without their blanks."""
    bars = [match.start() for match in re.finditer(r"(?<!\\)\|", line)]
    edges = [-1, *bars, len(line)]
    if not line[: edges[1]].strip():
        edges = edges[1:]
    if len(edges) > 2 and not line[edges[-2] + 1 :].strip():
        edges = edges[:-1]
    found = []
    for start, end in pairwise(edges):
        piece = line[start + 1 : end]
        blank = len(piece) - len(piece.lstrip())
        found.append((start + 1 + blank, start + 1 + blank + len(piece.strip())))
    return found
