"""Delimited text, scanned with positions (RFC 4180, and what offices make of it): for reading and for editing."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from workgym.documents.limits import LIMITS, check
from workgym.errors import Unreadable

DELIMITERS = (",", ";", "\t", "|")


class Field(NamedTuple):
    """One field in the text of a file."""

    start: int
    """Its first character, an opening quote included."""
    end: int
    """One past its last character, before the delimiter or the line end."""
    text: str
    """What it says, without quotes."""
    quoted: bool
    """Whether it is written in quotes."""


class Row(NamedTuple):
    """One record."""

    start: int
    """Its first character."""
    end: int
    """One past its line end."""
    fields: tuple[Field, ...]
    """Its fields."""


@lru_cache(maxsize=8)
def _pattern(delimiter: str) -> re.Pattern[str]:
    mark = re.escape(delimiter)
    return re.compile(rf'(?:"((?:[^"]++|"")*+)"([^{mark}\r\n]*+)|([^{mark}\r\n]*+))({mark}|\r\n|\n|\r|\Z)')


def sniff(body: str) -> str:
    """The delimiter that cuts the most of the first rows into the same number of fields; a comma where none does.

    Bars that would leave a field of the only row empty (``||``) are taken for text.
    """
    head = body[:16384]
    if not any(candidate in head for candidate in DELIMITERS[1:]):
        return ","
    best, delimiter = (0.0, 0), ","
    for candidate in DELIMITERS:
        if candidate not in head:
            continue
        counts: list[int] = []
        count, at, gaps = 1, 0, False
        pattern = _pattern(candidate)
        while at < len(head) and len(counts) < 40:
            match = pattern.match(head, at)
            if match is None or match.end() == at:
                break
            at = match.end()
            gaps = gaps or match[3] == ""
            if match[4] == candidate:
                count += 1
            else:
                counts.append(count)
                count = 1
        if candidate == "|" and gaps and len(counts) == 1:
            continue
        usual = max(set(counts), key=lambda width: (counts.count(width), width)) if counts else 1
        if usual > 1:
            score = (counts.count(usual) / len(counts), usual)
            if score > best:
                best, delimiter = score, candidate
    return delimiter


def scan(path: str, body: str, delimiter: str) -> list[Row]:
    """All records. Raises :class:`Unreadable` where a quote is never closed or there is too much."""
    pattern = _pattern(delimiter)
    rows: list[Row] = []
    fields: list[Field] = []
    at, row_start, total, size, most = 0, 0, 0, len(body), LIMITS.cells
    while at < size or fields:
        match = pattern.match(body, at)
        if match is None:
            raise Unreadable(path, "corrupt", f"a quoted field in row {len(rows) + 1} never ends")
        quoted, tail, plain, stop = match.groups()
        if plain is None:
            fields.append(Field(at, match.start(4), quoted.replace('""', '"') + tail, True))
        elif plain[:1] == '"':
            raise Unreadable(path, "corrupt", f"a quoted field in row {len(rows) + 1} never ends")
        else:
            fields.append(Field(at, at + len(plain), plain, False))
        at = match.end()
        if len(fields) > most:
            check(path, len(fields), most, "fields")
        if stop != delimiter:
            rows.append(Row(row_start, at, tuple(fields)))
            total += len(fields)
            check(path, total, LIMITS.cells, "fields")
            fields, row_start = [], at
    return rows
