"""Calendars: properties unfolded and unescaped, events in their order, ``e3.SUMMARY``; the events are one grid.

The value of a date is ISO text; its text is as it is written.
"""

from __future__ import annotations

import re

from workgym.documents.decoding import decode
from workgym.documents.ics.calendar import scan
from workgym.documents.model import Document, Fragment
from workgym.errors import Unreadable

_MOMENT = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)Z?)?")
_DULL = {"UID", "DTSTAMP", "SEQUENCE", "CREATED", "LAST-MODIFIED", "PRODID", "VERSION", "CALSCALE", "METHOD"}


def read(path: str, content: bytes) -> Document:
    """Read it. Raises :class:`Unreadable`."""
    calendar = scan(path, decode(path, content).body)
    if not calendar.properties:
        raise Unreadable(path, "corrupt" if content.strip() else "truncated", "it holds no calendar")
    columns: dict[str, int] = {}
    fragments = []
    for item in calendar.properties:
        match = _MOMENT.fullmatch(item.raw)
        value = None
        if match is not None and item.name not in ("SUMMARY", "DESCRIPTION"):
            value = "-".join(match.group(1, 2, 3)) + (f"T{':'.join(match.group(4, 5, 6))}" if match[4] else "")
        hidden = item.name in _DULL
        fragment = Fragment(at=item.at, text=item.text, value=value, label=item.name, hidden=hidden)
        if item.event:
            column = columns.setdefault(item.at.partition(".")[2], len(columns) + 1)
            fragment = fragment.model_copy(update={"table": "events", "row": item.event, "column": column})
        fragments.append(fragment)
    return Document(path=path, format="ics", fragments=tuple(fragments))
