"""Calendars (RFC 5545): all-day and timed events, folded lines, ids that depend on the carrier alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workgym.materialize.bound import Bound, isoformat
from workgym.materialize.carrier import Job, Rendered, rendered
from workgym.materialize.data.contentlines import compact, escaped, folded, items
from workgym.materialize.marks import Marked
from workgym.materialize.scope import Fault
from workgym.materialize.template import located
from workgym.materialize.tree import Tree, allow
from workgym.records import Anchor

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
    lines += [f"X-WR-CALNAME:{escaped(name)}"] if name else []
    anchors: list[Anchor] = []
    for number, item in enumerate(items(job, tree, content.get("events"), "events"), 1):
        fields = _fields(job, tree, *item)
        lines += [
            "BEGIN:VEVENT",
            f"UID:{job.stamp('event', name, job.today.isoformat(), str(number))}@calendar.example",
        ]
        lines.append(f"DTSTAMP:{job.today:%Y%m%d}T000000Z")
        for prop, text in fields:
            if prop in _DATES:
                line, text = _date(job, prop, text)
            else:
                line = f"{prop}:{escaped(text.plain)}"
            lines.append(line)
            anchors += text.anchors(job.path, f"e{number}.{prop}")
        lines.append("END:VEVENT")
    lines.append("END:VCALENDAR")
    return rendered(job, b"".join(folded(line) for line in lines), anchors)


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
    with located(job.path, prop):
        written, day = compact(text)
    return f"{prop}{';VALUE=DATE' if day else ''}:{written.text}", written
