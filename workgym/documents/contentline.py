"""Content lines, the common form of calendars and cards (RFC 5545, 3.1; RFC 6350, 3.3), scanned with positions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from workgym.documents.limits import LIMITS, check
from workgym.errors import Unreadable

_FOLD = re.compile(r"(?:\r\n|\n|\r)[ \t]")
_HEAD = re.compile(r"(?:([A-Za-z0-9-]+)\.)?([A-Za-z0-9-]+)((?:;[^\":;=]+(?:=(?:\"[^\"]*\"|[^\":;])*)?)*):", re.S)
_UNESCAPE = re.compile(r"\\([\\;,nN])")
_CHAR = re.compile(r"\\[\\;,nN]|.", re.S)
_LINE = re.compile(r"[^\r\n]+(?:(?:\r\n|\n|\r)[ \t][^\r\n]*+)*+")


class Line(NamedTuple):
    """A content line, unfolded."""

    start: int
    """First character of the line in the file's text."""
    end: int
    """One past its last character, before the line end."""
    head: str
    """All before the value as it is written, the colon included."""
    name: str
    """Name in capitals, without its group."""
    parameters: str
    """``;VALUE=DATE`` and the like, or empty."""
    raw: str
    """The value as it is written."""


def content_lines(path: str, body: str, what: str) -> Iterator[Line]:
    """All lines. Raises :class:`Unreadable` where one is no property of a ``what``."""
    # Lines are folded at 75 octets, and each fold takes memory while the line is put together.
    check(path, max(body.count("\n"), body.count("\r")), 5 * LIMITS.lines, "lines before they are unfolded")
    for number, match in enumerate(_LINE.finditer(body)):
        check(path, number, LIMITS.lines, "lines")
        line = _FOLD.sub("", match[0])
        head = _HEAD.match(line)
        if head is None:
            raise Unreadable(path, "corrupt", f"line {line[:40]!r} is not a {what} property")
        yield Line(match.start(), match.end(), head[0], head[2].upper(), head[3], line[head.end() :])


def line_end(body: str, at: int) -> int:
    """One past the line end at ``at``."""
    if body.startswith("\r\n", at):
        return at + 2
    return at + 1 if at < len(body) else at


def unescaped(raw: str) -> str:
    """A value as a person reads it."""
    if "\\" not in raw:
        return raw
    return _UNESCAPE.sub(lambda match: "\n" if match[1] in "nN" else match[1], raw)


def escaped(text: str) -> str:
    """A text value as it is written."""
    return text.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,").replace("\n", "\\n")


def changed(raw: str, start: int, end: int, new: str) -> str:
    """A written value in which characters ``start`` to ``end`` of its text become ``new``, which is written too."""
    edges = [0, *(match.end() for match in _CHAR.finditer(raw))]
    return raw[: edges[start]] + new + raw[edges[end] :]


def folded(line: str, end: str) -> str:
    """A content line cut at 75 octets, as the standards ask."""
    parts, current, size, limit = [], "", 0, 75
    for char in line:
        width = len(char.encode())
        if size + width > limit:
            parts.append(current)
            current, size, limit = "", 0, 74
        current += char
        size += width
    parts.append(current)
    return f"{end} ".join(parts)
