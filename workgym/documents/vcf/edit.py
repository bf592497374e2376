"""Cards of contacts: one property changes, folded as the standard asks; parameters, groups and line ends stay."""

from __future__ import annotations

from workgym.documents.contentline import changed, escaped, folded, line_end, unescaped
from workgym.documents.decoding import decode
from workgym.documents.patches import Patch, Target, apply
from workgym.documents.vcf.card import Property, scan
from workgym.errors import EditRefused

_PARTED = frozenset(("N", "ADR", "ORG", "GENDER", "CATEGORIES", "NICKNAME"))
"""Properties in which ``;`` and ``,`` part the value, unless they are escaped."""


def edit(path: str, content: bytes, targets: list[Target]) -> bytes:
    """Change properties (``clear`` of a whole one removes its line), or remove the card around them."""
    text = decode(path, content)
    body = text.body
    found = scan(path, body)
    places = {item.at: item for item in found.properties}
    end = "\r\n" if "\r\n" in body else "\n"
    patches = []
    for target in targets:
        item = places.get(target.base)
        old = target.check(path, None if item is None else item.text)
        assert item is not None  # check refuses a place that is missing
        if target.edit.mode == "remove_row":
            patches.append(Patch(*found.cards[item.card - 1], ""))
        elif target.whole:
            patches.append(Patch(item.start, line_end(body, item.end), ""))
        else:
            patches.append(Patch(item.start, item.end, _written(path, item, target.change(old), end)))
    return text.encode(apply(path, body, dict.fromkeys(patches)))


def _written(path: str, item: Property, change: tuple[int, int, str], end: str) -> str:
    """The content line with another value; what is new in it is escaped where the old value was, or has to be."""
    start, stop, new = change
    parted = item.name in _PARTED or escaped(item.text) == item.raw
    raw = changed(item.raw, start, stop, escaped(new) if parted else new.replace("\\", "\\\\"))
    if "\n" in raw or "\r" in raw or unescaped(raw) != item.text[:start] + new + item.text[stop:]:
        raise EditRefused(f"{path} {item.at}: this property holds one line, written as it is read")
    return folded(item.head + raw, end)
