"""JSON: the characters of one value change, and layout, key order and all other numbers stay as they are written.

A row comes behind the nearest array element around the place; of an array of arrays, name the inner array (``/1``).
"""

from __future__ import annotations

import json
import re

from workgym.documents.decoding import decode
from workgym.documents.json.places import Node, scan
from workgym.documents.json.read import load, read
from workgym.documents.patches import Patch, Target, apply
from workgym.documents.records import columns, new_values, runs
from workgym.errors import EditRefused
from workgym.records import Scalar

_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORDS = ("true", "false", "null")


def edit(path: str, content: bytes, targets: list[Target]) -> bytes:
    """Change scalars (``clear`` makes them null), remove the array element or record around them, or add another."""
    text = decode(path, content)
    load(path, text.body)
    nodes = scan(path, text.body)
    ascii_only = text.body.isascii()
    patches: list[Patch] = []
    added: list[Patch] = []
    gone: dict[str, set[int]] = {}
    for target in targets:
        node = nodes.get(target.base)
        whole = node is not None and node.kind in ("object", "array")
        if node is None or (whole and target.edit.mode not in ("remove_row", "insert_row")):
            raise EditRefused(f"{path} has no value at {target.base!r}")
        raw = text.body[node.start : node.end]
        old = "" if whole else target.check(path, json.loads(raw) if node.kind == "string" else raw)
        if target.edit.mode == "remove_row":
            holder, number = _member(path, nodes, target.base)
            gone.setdefault(holder, set()).add(number)
        elif target.edit.mode == "insert_row":
            added.append(_addition(path, content, text.body, nodes, target))
        else:
            patches.append(Patch(node.start, node.end, _written(target, old, node.kind, ascii_only)))
    for holder, numbers in gone.items():
        patches += _removals(nodes, nodes[holder], numbers)
    return text.encode(apply(path, text.body, [*dict.fromkeys(patches), *added]))


def _written(target: Target, old: str, kind: str, ascii_only: bool) -> str:
    """The new value as JSON: of the old one's type where the text allows it."""
    if target.whole:
        return "null"
    return _value(target.new_text(old), target.edit.value, kind, ascii_only)


def _value(new: str, value: Scalar, kind: str, ascii_only: bool) -> str:
    if isinstance(value, (bool, int, float)):
        return json.dumps(value)
    typed = kind == "bare" or (isinstance(value, str) and _NUMBER.fullmatch(value))
    if typed and (_NUMBER.fullmatch(new) or new in _WORDS):
        return new
    return json.dumps(new, ensure_ascii=ascii_only)


def _member(path: str, nodes: dict[str, Node], pointer: str) -> tuple[str, int]:
    """The nearest enclosing member of an array, or of an object of objects: what holds it, and its number."""
    while pointer:
        holder = pointer.rpartition("/")[0]
        parent = nodes[holder]
        records = parent.kind == "object" and all(nodes[name].kind == "object" for name, _ in parent.members)
        if parent.kind == "array" or records:
            return holder, [name for name, _ in parent.members].index(pointer)
        pointer = holder
    raise EditRefused(f"{path}: no array or record to be removed stands around the place")


def _removals(nodes: dict[str, Node], parent: Node, gone: set[int]) -> list[Patch]:
    """Members gone, each with one comma."""
    members = parent.members
    if len(gone) == len(members):
        return [Patch(parent.start + 1, parent.end - 1, "")]
    return [
        Patch(members[first][1], members[last + 1][1], "")
        if last + 1 < len(members)
        else Patch(nodes[members[first - 1][0]].end, nodes[members[last][0]].end, "")
        for first, last in runs(gone)
    ]


def _addition(path: str, content: bytes, body: str, nodes: dict[str, Node], target: Target) -> Patch:
    """A copy of the array element around the place, behind it, with other values; arrays of records in it are empty."""
    row, parent = _element(path, nodes, target.base)
    node = nodes[row]
    inner = {at: own for at, own in nodes.items() if at == row or at.startswith(f"{row}/")}
    emptied = [at for at, own in inner.items() if own.kind == "array" and at != row and _records(nodes, own)]
    leaves = {
        at: at[len(row) :]
        for at, own in inner.items()
        if own.kind in ("string", "bare") and not any(at.startswith(f"{outer}/") for outer in emptied)
    }
    known = columns(read(path, content), row.rpartition("/")[0])
    values = new_values(path, target, row, leaves, known)
    ascii_only = body.isascii()
    changes = [
        Patch(nodes[at].start - node.start, nodes[at].end - node.start, _cell(value, nodes[at].kind, ascii_only))
        for at, value in values.items()
    ]
    outermost = [at for at in emptied if not any(at.startswith(f"{outer}/") for outer in emptied)]
    changes += [Patch(nodes[at].start - node.start, nodes[at].end - node.start, "[]") for at in outermost]
    order = [name for name, _ in parent.members]
    index = order.index(row)
    before = nodes[order[index - 1]].end if index else parent.start + 1
    gap = body[before : node.start] if index else "," + (body[before : node.start] or " ")
    if not index and len(order) > 1:
        gap = body[node.end : parent.members[1][1]]
    return Patch(node.end, node.end, gap + apply(path, body[node.start : node.end], changes))


def _element(path: str, nodes: dict[str, Node], at: str) -> tuple[str, Node]:
    """The nearest array element around a place, and its array."""
    while at:
        parent = nodes[at.rpartition("/")[0]]
        if parent.kind == "array":
            return at, parent
        if len(parent.members) > 1 and all(nodes[name].kind == "object" for name, _ in parent.members):
            break
        at = at.rpartition("/")[0]
    raise EditRefused(f"{path}: no array stands around the place, so that no row can be added")


def _records(nodes: dict[str, Node], node: Node) -> bool:
    return bool(node.members) and all(nodes[name].kind in ("object", "array") for name, _ in node.members)


def _cell(cell: Scalar, kind: str, ascii_only: bool) -> str:
    if cell is None:
        return "null"
    if isinstance(cell, str):
        return _value(cell, None, kind, ascii_only)
    return json.dumps(cell)
