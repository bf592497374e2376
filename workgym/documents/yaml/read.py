"""YAML, by PyYAML's scanner: a fragment for each scalar, at its JSON pointer, with the same grids as JSON has.

Several documents in one file are read as a list of them (``/0/kind``). Texts, numbers and words are given as they are
written, only nothing (``~``, ``null``) is always ``null``. Comments are hidden fragments (``l3.comment``). Not read:
tags, keys that are no scalars, keys that stand twice.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from workgym.documents.decoding import decode, lines
from workgym.documents.json.walk import Walk
from workgym.documents.model import Document, Fragment
from workgym.documents.yaml.places import Node, scan
from workgym.errors import Unreadable


def read(path: str, content: bytes) -> Document:
    """Read it. Raises :class:`Unreadable`."""
    body = decode(path, content).body
    roots, comments = scan(path, body)
    walk = Walk(path)
    try:
        data = [plain(root, {}) for root in roots]
    except RecursionError as error:
        raise Unreadable(path, "over-limit", "it is nested too deep") from error
    walk.walk(data if len(data) > 1 else data[0], "", None, None, "", 0)
    starts = [0]
    for line in lines(body):
        starts.append(starts[-1] + len(line))
    remarks = [
        Fragment(at=f"l{bisect_right(starts, start)}.comment", text=body[start + 1 : end].strip(), hidden=True)
        for start, end in comments
    ]
    return Document(path=path, format="yaml", fragments=(*walk.fragments(), *(one for one in remarks if one.text)))


def plain(node: Node, made: dict[int, Any]) -> Any:
    """A node as dicts, lists and leaves; ``made`` keeps what was made of each node that aliases may stand for."""
    if node.kind not in ("map", "seq"):
        return node.leaf
    if id(node) not in made:
        if node.kind == "map":
            made[id(node)] = {m.key.text: plain(m.node, made) for m in node.members if m.key is not None}
        else:
            made[id(node)] = [plain(member.node, made) for member in node.members]
    return made[id(node)]
