"""Calendars: one content line changes, folded as the standard asks; line ends stay."""

from __future__ import annotations

import re

from workgym.documents.ical import Property, escaped, folded, scan
from workgym.documents.patches import Patch, Target, apply
from workgym.documents.text import decode
from workgym.errors import EditRefused

_EVENT = re.compile(r"e(\d+)(?:\..*)?")


def edit(path: str, content: bytes, targets: list[Target]) -> bytes:
    """Change properties (``clear`` of a whole one removes its line), or remove the event around them."""
    text = decode(path, content)
    body = text.body
    calendar = scan(path, body)
    places = {item.at: item for item in calendar.properties}
    end = "\r\n" if "\r\n" in body else "\n"
    patches = []
    for target in targets:
        item = places.get(target.base)
        old = target.check(path, None if item is None else item.text)
        assert item is not None  # check refuses a place that is missing
        if target.edit.mode == "remove_row":
            match = _EVENT.fullmatch(target.base)
            if match is None:
                raise EditRefused(f"{path} {target.base} stands in no event")
            patches.append(Patch(*calendar.events[int(match[1]) - 1], ""))
        elif target.whole:
            after = item.end + (2 if body.startswith("\r\n", item.end) else 1)
            patches.append(Patch(item.start, after, ""))
        else:
            patches.append(Patch(item.start, item.end, _written(body, item, target.new_text(old), end)))
    return text.encode(apply(path, body, dict.fromkeys(patches)))


def _written(body: str, item: Property, new: str, end: str) -> str:
    """The content line with its name and parameters as they are; escaped where the old value was."""
    raw = escaped(new) if escaped(item.text) == item.raw else new
    if "\n" in raw or "\r" in raw:
        raise EditRefused(f"{item.at}: this property holds one line")
    name = body[item.start : item.start + len(item.name)]
    return folded(f"{name}{item.parameters}:{raw}", end)
