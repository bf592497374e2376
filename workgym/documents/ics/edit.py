"""Calendars: one content line changes, folded as the standard asks; line ends stay."""

from __future__ import annotations

import hashlib
import re

from workgym.documents.contentline import escaped, folded
from workgym.documents.decoding import decode
from workgym.documents.grids.find import grids
from workgym.documents.ics.calendar import Calendar, Property, scan
from workgym.documents.ics.read import read
from workgym.documents.patches import Patch, Target, apply, said
from workgym.errors import EditRefused

_EVENT = re.compile(r"e(\d+)(?:\..*)?")
_MOMENT = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)(?:[T ](\d\d):?(\d\d)(?::?(\d\d))?(Z?))?")


def edit(path: str, content: bytes, targets: list[Target]) -> bytes:
    """Change properties (``clear`` of a whole one removes its line), remove the event around them, or add another."""
    text = decode(path, content)
    body = text.body
    calendar = scan(path, body)
    places = {item.at: item for item in calendar.properties}
    end = "\r\n" if "\r\n" in body else "\n"
    patches: list[Patch] = []
    added: list[Patch] = []
    for target in targets:
        item = places.get(target.base)
        old = target.check(path, None if item is None else item.text)
        assert item is not None  # check refuses a place that is missing
        if target.edit.mode in ("remove_row", "insert_row"):
            if not item.event:
                raise EditRefused(f"{path} {target.base} stands in no event")
            event = calendar.events[item.event - 1]
            if target.edit.mode == "remove_row":
                patches.append(Patch(*event, ""))
            else:
                number = len(added) + 1
                added.append(
                    Patch(event.end, event.end, _addition(path, content, calendar, target, item.event, number))
                )
        elif target.whole:
            patches.append(Patch(item.start, _after(body, item), ""))
        else:
            patches.append(Patch(item.start, item.end, _written(body, item, target.new_text(old), end)))
    return text.encode(apply(path, body, [*dict.fromkeys(patches), *added]))


def _addition(path: str, content: bytes, calendar: Calendar, target: Target, event: int, number: int) -> str:
    """A copy of an event with other values in the columns that people see, and an id of its own."""
    body = decode(path, content).body
    end = "\r\n" if "\r\n" in body else "\n"
    (grid,) = grids(read(path, content))
    names = [cell.fragment.at.partition(".")[2] for cell in grid.header]
    cells = [said(cell) for cell in target.edit.cells]
    if len(cells) > len(names):
        raise EditRefused(f"{path} {target.base}: events have the columns {', '.join(names)}, and no more")
    wanted = dict(zip(names, [*cells, *[""] * (len(names) - len(cells))], strict=True))
    start, stop = calendar.events[event - 1]
    changes: list[Patch] = []
    block = body[start:stop].rstrip("\r\n")
    closing = start + max(block.rfind("\n"), block.rfind("\r")) + 1
    for item in calendar.properties:
        if item.event != event:
            continue
        new: str | None = wanted.pop(item.at.partition(".")[2], None)
        if new == "":
            changes.append(Patch(item.start - start, _after(body, item) - start, ""))
        elif new is not None:
            changes.append(Patch(item.start - start, item.end - start, _restated(path, body, item, new, end)))
        elif item.name == "UID":
            stamp = hashlib.sha256(f"{number}\0{target.edit.cells!r}\0".encode() + content).hexdigest()[:32]
            _, mark, domain = item.raw.partition("@")
            changes.append(
                Patch(item.start - start, item.end - start, _written(body, item, stamp + mark + domain, end))
            )
    for name, new in wanted.items():
        if new:
            like = next(item for item in calendar.properties if item.event and item.at.partition(".")[2] == name)
            if "." in name:
                raise EditRefused(f"{path} {target.base}: the event has no {name} to be copied")
            changes.append(Patch(closing - start, closing - start, _restated(path, body, like, new, end) + end))
    return apply(path, body[start:stop], changes)


def _after(body: str, item: Property) -> int:
    return item.end + (2 if body.startswith("\r\n", item.end) else 1)


def _restated(path: str, body: str, item: Property, new: str, end: str) -> str:
    """A property's line with another value; a date or time in the form that the property has."""
    match, old = _MOMENT.fullmatch(new), _MOMENT.fullmatch(item.raw)
    if old is not None and item.name not in ("SUMMARY", "DESCRIPTION"):
        if match is None or bool(match[4]) != bool(old[4]):
            form = "a date and time" if old[4] else "a date"
            raise EditRefused(f"{path} {item.at}: {new!r} is not {form}, as the property has here")
        new = "".join(match.group(1, 2, 3))
        if match[4]:
            new += f"T{match[4]}{match[5]}{match[6] or '00'}{old[7]}"
    return _written(body, item, new, end)


def _written(body: str, item: Property, new: str, end: str) -> str:
    """The content line with its name and parameters as they are; escaped where the old value was."""
    raw = escaped(new) if escaped(item.text) == item.raw else new
    if "\n" in raw or "\r" in raw:
        raise EditRefused(f"{item.at}: this property holds one line")
    name = body[item.start : item.start + len(item.name)]
    return folded(f"{name}{item.parameters}:{raw}", end)
