"""iCalendar lines (RFC 5545), scanned with positions: for reading and for editing."""

from __future__ import annotations

from typing import NamedTuple

from workgym.documents.contentline import content_lines, line_end, unescaped
from workgym.documents.limits import LIMITS, check
from workgym.errors import Unreadable


class Property(NamedTuple):
    """A content line, unfolded."""

    at: str
    """Its place: ``e3.SUMMARY`` in the third event, ``calendar.X-WR-CALNAME`` outside events."""
    start: int
    """First character of the line in the file's text."""
    end: int
    """One past its last character, before the line end."""
    name: str
    """Name in capitals."""
    parameters: str
    """``;VALUE=DATE`` and the like, or empty."""
    raw: str
    """The value as it is written, unfolded."""
    event: int
    """Number of the event from 1, or 0 outside."""

    @property
    def text(self) -> str:
        """The value as a person reads it, escapes undone."""
        return unescaped(self.raw)


class Component(NamedTuple):
    """An event from its BEGIN to its END line."""

    start: int
    """First character of the BEGIN line."""
    end: int
    """One past the line end of the END line."""


class Calendar(NamedTuple):
    """A file's lines."""

    properties: tuple[Property, ...]
    """All properties but BEGIN and END, in order."""
    events: tuple[Component, ...]
    """The events, in order."""


def scan(path: str, body: str) -> Calendar:
    """All properties. Raises :class:`Unreadable` where it is no calendar or a component is left open."""
    properties: list[Property] = []
    events: list[Component] = []
    stack: list[str] = []
    seen: dict[str, int] = {}
    counts = {"VEVENT": 0, "VTODO": 0, "VALARM": 0}
    event_start = 0
    for line in content_lines(path, body, "calendar"):
        name, raw = line.name, line.raw
        if name == "BEGIN":
            stack.append(raw.upper())
            check(path, len(stack), LIMITS.depth, "levels")
            if stack[-1] in counts:
                counts[stack[-1]] += 1
            if stack[-1] == "VEVENT":
                event_start, counts["VALARM"] = line.start, 0
        elif name == "END":
            if not stack or stack.pop() != raw.upper():
                raise Unreadable(path, "corrupt", f"END:{raw} closes nothing")
            if raw.upper() == "VEVENT":
                events.append(Component(event_start, line_end(body, line.end)))
        else:
            if not stack:
                raise Unreadable(path, "corrupt", "it does not begin with BEGIN:VCALENDAR")
            base = f"{_owner(stack, counts)}.{name}"
            seen[base] = seen.get(base, 0) + 1
            at = base if seen[base] == 1 else f"{base}.{seen[base]}"
            event = counts["VEVENT"] if "VEVENT" in stack else 0
            properties.append(Property(at, line.start, line.end, name, line.parameters, raw, event))
    if stack:
        raise Unreadable(path, "truncated", f"{stack[-1]} is never closed")
    return Calendar(tuple(properties), tuple(events))


def _owner(stack: list[str], counts: dict[str, int]) -> str:
    if "VEVENT" in stack:
        alarm = f".alarm{counts['VALARM']}" if stack[-1] == "VALARM" else ""
        return f"e{counts['VEVENT']}{alarm}"
    if "VTODO" in stack:
        return f"todo{counts['VTODO']}"
    return "calendar" if len(stack) == 1 else stack[-1].lower()
