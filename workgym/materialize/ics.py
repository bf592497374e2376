"""Calendars (RFC 5545): all-day and timed events, folded lines, ids that depend on the carrier alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from workgym.materialize.bound import Bound, isoformat
from workgym.materialize.carrier import Job, Rendered, rendered
from workgym.materialize.marks import Marked, Span
from workgym.materialize.scope import Fault
from workgym.materialize.template import located
from workgym.materialize.tree import Tree, allow
from workgym.records import Anchor

_WHEN = re.compile(r"^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d))?)?$")
_DATES = ("DTSTART", "DTEND")
_TEXTS = ("SUMMARY", "DESCRIPTION", "LOCATION", "CATEGORIES", "STATUS")


def write(job: Job, content: Mapping[str, Any]) -> Rendered:
    """A calendar from a tree with ``calendar`` and ``events``. Raises MaterializeError."""
    tree = Tree(job.path, job.view)
    with located(job.path, "content"):
        allow(content, ("calendar", "events"))
        calendar = dict(content.get("calendar", {}))
        allow(calendar, ("name",))
    name = tree.text(calendar.get("name", job.title), "calendar.name").plain
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Calendar export//EN", "CALSCALE:GREGORIAN"]
    lines += [f"X-WR-CALNAME:{_escaped(name)}"] if name else []
    anchors: list[Anchor] = []
    for number, fields in enumerate(_events(job, tree, content.get("events")), 1):
        lines += ["BEGIN:VEVENT", f"UID:{job.stamp('event', str(number))}@calendar.example"]
        lines.append(f"DTSTAMP:{job.today:%Y%m%d}T000000Z")
        for prop, text in fields:
            if prop in _DATES:
                line, text = _date(job, prop, text)
            else:
                line = f"{prop}:{_escaped(text.plain)}"
            lines.append(line)
            anchors += text.anchors(job.path, f"e{number}.{prop}")
        lines.append("END:VEVENT")
    lines.append("END:VCALENDAR")
    return rendered(job, b"".join(_folded(line) for line in lines), anchors)


def _events(job: Job, tree: Tree, spec: object) -> Iterator[list[tuple[str, Marked]]]:
    """The properties of every event, in the order of the tree."""
    for at, part in enumerate(spec if isinstance(spec, list) else [spec], 1):
        where = f"events[{at}]" if isinstance(spec, list) else "events"
        with located(job.path, where):
            if not isinstance(part, Mapping):
                raise Fault("events: a list of items, or a mapping with `each` and `item`, is needed")
        if "each" not in part:
            yield _fields(job, tree, part, where, {})
            continue
        with located(job.path, where):
            allow(part, ("each", "as", "item"))
        for row in tree.rows(part["each"], f"{where}.each"):
            yield _fields(job, tree, part.get("item"), f"{where}.item", {str(part.get("as", "row")): row})


def _fields(job: Job, tree: Tree, item: object, where: str, names: Mapping[str, Any]) -> list[tuple[str, Marked]]:
    with located(job.path, where):
        if not isinstance(item, Mapping) or "DTSTART" not in item or "SUMMARY" not in item:
            raise Fault("an event needs SUMMARY and DTSTART")
        allow(item, (*_TEXTS, *_DATES))
    fields = []
    for prop, source in item.items():
        content = tree.content(source, f"{where}.{prop}", names)
        if prop in _DATES and isinstance(content, Bound) and content.printed is None and content.value is not None:
            content = content.formed(str(isoformat(content.value)))
        text = tree.shown(content)
        if text:
            fields.append((str(prop), text))
    return fields


def _date(job: Job, prop: str, text: Marked) -> tuple[str, Marked]:
    """The line of a date property, and its value in the form of the file with the marks moved along."""
    match = _WHEN.match(text.plain)
    if match is None:
        with located(job.path, prop):
            raise Fault(f"{text.plain!r} is neither 2026-04-06 nor 2026-04-06T07:30")
    compact, places = "", [0] * (len(text.text) + 1)
    for at, char in enumerate(text.plain):
        places[at] = len(compact)
        compact += "" if char in "-:" else char
    places[-1] = len(compact)
    compact += "" if match[4] is None or match[6] is not None else "00"
    spans = tuple(Span(places[s.start], places[s.end], s.kind, s.cells) for s in text.spans)
    if not spans:
        spans = (Span(0, len(compact), "decor", ()),)
    kind = ";VALUE=DATE" if match[4] is None else ""
    return f"{prop}{kind}:{compact}", Marked(compact, spans)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,").replace("\n", "\\n")


def _folded(line: str) -> bytes:
    """A content line of at most 75 octets, goes on after CRLF and a space."""
    parts, current = [], b""
    for char in line:
        encoded = char.encode()
        if len(current) + len(encoded) > 75:
            parts.append(current)
            current = b" "
        current += encoded
    return b"\r\n".join([*parts, current]) + b"\r\n"
