"""JSON with positions: where each value stands in the text, by its pointer. For text that ``json`` has accepted."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from workgym.documents.json.walk import escape
from workgym.documents.limits import LIMITS
from workgym.errors import Unreadable

_BLANK = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.S)
_BARE = re.compile(r"[^\s,\]}]+")


class Node(NamedTuple):
    """A value in the text."""

    start: int
    """Its first character."""
    end: int
    """One past its last character."""
    kind: str
    """``object``, ``array``, ``string``, or ``bare`` (a number, true, false, null)."""
    members: tuple[tuple[str, int], ...]
    """Of an object or array: pointer and first character (of the key, in an object) of each member, in order."""


def scan(path: str, body: str) -> dict[str, Node]:
    """Every value by its pointer."""
    nodes: dict[str, Node] = {}

    def blank(at: int) -> int:
        match = _BLANK.match(body, at)
        return match.end() if match else at

    def string(at: int) -> int:
        match = _STRING.match(body, at)
        return match.end() if match else len(body)

    def value(at: int, pointer: str, depth: int) -> int:
        if depth > LIMITS.depth:
            raise Unreadable(path, "over-limit", f"it is nested more than {LIMITS.depth} deep")
        opening = body[at]
        if opening == '"':
            end = string(at)
            nodes[pointer] = Node(at, end, "string", ())
        elif opening in "{[":
            end, members = inside(at, pointer, depth)
            nodes[pointer] = Node(at, end, "object" if opening == "{" else "array", members)
        else:
            match = _BARE.match(body, at)
            end = match.end() if match else at + 1
            nodes[pointer] = Node(at, end, "bare", ())
        return end

    def inside(at: int, pointer: str, depth: int) -> tuple[int, tuple[tuple[str, int], ...]]:
        members: list[tuple[str, int]] = []
        keyed = body[at] == "{"
        at = blank(at + 1)
        while body[at] not in "}]":
            start, part = at, str(len(members))
            if keyed:
                at = string(at)
                part = escape(json.loads(body[start:at]))
                at = blank(blank(at) + 1)
            members.append((f"{pointer}/{part}", start))
            at = blank(value(at, f"{pointer}/{part}", depth + 1))
            if body[at] == ",":
                at = blank(at + 1)
        return at + 1, tuple(members)

    value(blank(0), "", 0)
    return nodes
