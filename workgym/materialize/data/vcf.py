"""Cards of contacts (vCard 4.0, RFC 6350): folded and escaped lines, ids that depend on the carrier alone.

Written by code of our own. Not supported: pictures, keys, sounds.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from typing import Any

from workgym.materialize.bound import Bound, isoformat
from workgym.materialize.carrier import Job, Rendered, rendered
from workgym.materialize.data.contentlines import compact, escaped, folded, items, one_kind_of_break
from workgym.materialize.marks import Marked
from workgym.materialize.scope import Fault, near
from workgym.materialize.template import located
from workgym.materialize.tree import Tree, allow
from workgym.records import Anchor

_PROPERTY = re.compile(r"^([A-Z]+)((?:;[A-Z-]+=[A-Za-z0-9_\",:/+-]+)*)$")
_DATES = ("BDAY", "ANNIVERSARY")
_PARTED = {"N": 5, "ADR": 7, "ORG": 0}
"""Properties in several parts, and how many they have; 0 for any number."""
_KNOWN = "FN N NICKNAME ORG TITLE ROLE TEL EMAIL ADR URL NOTE CATEGORIES BDAY ANNIVERSARY LANG TZ RELATED IMPP".split()


def write(job: Job, content: Mapping[str, Any]) -> Rendered:
    """Cards from a tree with ``cards``. Raises MaterializeError."""
    tree = Tree(job.path, job.view)
    with located(job.path, "content"):
        allow(content, ("cards",))
    lines: list[str] = []
    anchors: list[Anchor] = []
    for number, item in enumerate(items(job, tree, content.get("cards"), "cards"), 1):
        fields = _fields(job, tree, *item)
        ident = uuid.UUID(job.stamp("card", str(number)), version=4)
        lines += ["BEGIN:VCARD", "VERSION:4.0", f"UID:urn:uuid:{ident}"]
        anchors += Marked("4.0").decorated(0, 3).anchors(job.path, f"c{number}.VERSION")
        anchors += Marked(f"urn:uuid:{ident}").decorated(0, 45).anchors(job.path, f"c{number}.UID")
        seen: dict[str, int] = {}
        for head, parts in fields:
            name = head.partition(";")[0]
            seen[name] = seen.get(name, 0) + 1
            lines.append(f"{head}:{';'.join(escaped(part.plain) for part in parts)}")
            text = parts[0]
            for part in parts[1:]:
                text = text + Marked(";") + part
            anchors += text.anchors(job.path, f"c{number}.{name}" + (f".{seen[name]}" if seen[name] > 1 else ""))
        lines.append("END:VCARD")
    with located(job.path, "cards"):
        if not lines:
            raise Fault("there is no card")
    return rendered(job, b"".join(folded(line) for line in lines), anchors)


def _fields(job: Job, tree: Tree, item: object, where: str, names: Mapping[str, Any]) -> list[tuple[str, list[Marked]]]:
    with located(job.path, where):
        if not isinstance(item, Mapping) or "FN" not in item:
            raise Fault("a card needs FN")
        for head in item:
            match = _PROPERTY.match(str(head))
            if match is None or match[1] not in _KNOWN:
                known = f"{near(str(head).partition(';')[0], _KNOWN)}; parameters as in `TEL;TYPE=work`"
                raise Fault(f"unknown property {head!r}: {known}")
    fields = []
    for head, source in item.items():
        name, place = str(head).partition(";")[0], f"{where}.{head}"
        with located(job.path, place):
            if isinstance(source, list) and (name not in _PARTED or len(source) > (_PARTED[name] or len(source))):
                raise Fault(f"{name} has {f'{_PARTED[name]} parts' if name in _PARTED else 'one part'}")
        parts = [_part(tree, part, name, place, names) for part in (source if isinstance(source, list) else [source])]
        if any(parts):
            parts += [Marked("")] * (_PARTED.get(name, 0) - len(parts)) if isinstance(source, list) else []
            fields.append((str(head), parts))
    return fields


def _part(tree: Tree, source: object, name: str, place: str, names: Mapping[str, Any]) -> Marked:
    content = tree.content(source, place, names)
    if name not in _DATES:
        return one_kind_of_break(tree.shown(content))
    if isinstance(content, Bound) and content.printed is None and content.value is not None:
        content = content.formed(str(isoformat(content.value)))
    text = tree.shown(content)
    with located(tree.path, place):
        return compact(text)[0] if text else text
