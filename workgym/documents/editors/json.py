"""JSON: the characters of one value change, and layout, key order and all other numbers stay as they are written."""

from __future__ import annotations

import json
import re

from workgym.documents.jsonpos import Node, scan
from workgym.documents.patches import Patch, Target, apply
from workgym.documents.readers.json import load
from workgym.documents.text import decode
from workgym.errors import EditRefused

_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORDS = ("true", "false", "null")


def edit(path: str, content: bytes, targets: list[Target]) -> bytes:
    """Change scalars (``clear`` makes them null), or remove the array element or record around them."""
    text = decode(path, content)
    load(path, text.body)
    nodes = scan(path, text.body)
    ascii_only = text.body.isascii()
    patches = []
    for target in targets:
        node = nodes.get(target.base)
        if node is None or node.members or node.kind in ("object", "array"):
            if node is None or target.edit.mode != "remove_row":
                raise EditRefused(f"{path} has no value at {target.base!r}")
            patches.append(_removal(path, text.body, nodes, target.base))
            continue
        raw = text.body[node.start : node.end]
        old = target.check(path, json.loads(raw) if node.kind == "string" else raw)
        if target.edit.mode == "remove_row":
            patches.append(_removal(path, text.body, nodes, target.base))
        else:
            patches.append(Patch(node.start, node.end, _written(target, old, node.kind, ascii_only)))
    return text.encode(apply(path, text.body, dict.fromkeys(patches)))


def _written(target: Target, old: str, kind: str, ascii_only: bool) -> str:
    """The new value as JSON: of the old one's type where the text allows it."""
    if target.whole:
        return "null"
    new = target.new_text(old)
    value = target.edit.value
    if isinstance(value, (bool, int, float)):
        return json.dumps(value)
    typed = kind == "bare" or (isinstance(value, str) and _NUMBER.fullmatch(value))
    if typed and (_NUMBER.fullmatch(new) or new in _WORDS):
        return new
    return json.dumps(new, ensure_ascii=ascii_only)


def _removal(path: str, body: str, nodes: dict[str, Node], pointer: str) -> Patch:
    """The nearest enclosing member of an array, or of an object of objects, with one comma."""
    while pointer:
        parent = nodes[pointer.rpartition("/")[0]]
        records = parent.kind == "object" and all(nodes[name].kind == "object" for name, _ in parent.members)
        if (parent.kind == "array" or records) and parent.members:
            break
        pointer = pointer.rpartition("/")[0]
    else:
        raise EditRefused(f"{path}: no array or record to be removed stands around the place")
    order = [name for name, _ in parent.members]
    index = order.index(pointer)
    start = parent.members[index][1]
    if index + 1 < len(order):
        return Patch(start, parent.members[index + 1][1], "")
    if index:
        return Patch(nodes[order[index - 1]].end, nodes[pointer].end, "")
    return Patch(parent.start + 1, parent.end - 1, "")
