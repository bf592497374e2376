"""YAML with positions: the nodes of its documents and where each stands, for reading and for editing.

Events of PyYAML's scanner are all that is used of it: nothing is constructed. Plain scalars mean what YAML 1.2's core
schema says (``NO``, ``12:30`` and ``2026-03-01`` are text). Tags are refused, and so are keys that stand twice.
Aliases stand for the same node again; whoever walks the nodes counts them as often as they stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import yaml

from workgym.documents.json.walk import Leaf, number
from workgym.documents.limits import LIMITS, check
from workgym.errors import Unreadable

_COMMENT = re.compile(r"(?<!\S)#[^\r\n]*")
_NULL = ("", "~", "null", "Null", "NULL")
_TRUE, _FALSE = ("true", "True", "TRUE"), ("false", "False", "FALSE")
NUMBER = re.compile(r"[-+]?(?:0|[1-9]\d*)|[-+]?(?:\.\d+|\d+\.\d*)(?:[eE][-+]?\d+)?|[-+]?\d+[eE][-+]?\d+")
"""Plain scalars that are numbers."""
_CHARACTERS = 4_000_000
"""Characters of one file: the scanner is slower than those of other formats."""

Kind = Literal["map", "seq", "null", "bool", "number", "text"]


@dataclass(slots=True, eq=False)
class Node:
    """A value of the file."""

    start: int
    """Its first character; of one with an anchor (``&name``), that of the anchor."""
    end: int
    """One past its last character; of a block collection or scalar, without blank lines behind it."""
    kind: Kind
    """What it is."""
    text: str = ""
    """What a scalar says."""
    style: str = ""
    """How a scalar is written: nothing for a plain one, ``'``, ``"``, ``|`` or ``>``; ``{`` for a flow collection."""
    anchored: bool = False
    """Whether it carries an anchor: aliases may stand for it elsewhere."""
    members: list[Member] = field(default_factory=list)
    """Of a collection, in order."""

    @property
    def leaf(self) -> Leaf:
        """A scalar as readers have it."""
        if self.kind == "null":
            return Leaf("null", None)
        if self.kind == "bool":
            return Leaf(self.text, self.text in _TRUE)
        return Leaf(self.text, number(self.text) if self.kind == "number" else None)


class Member(NamedTuple):
    """A node in a collection."""

    key: Node | None
    """Its key in a mapping; None in a sequence."""
    node: Node
    """Its value."""
    lent: bool
    """Whether an alias stands there, and the node elsewhere."""
    start: int
    """First character of what stands there: of the node, or of the alias."""
    end: int
    """One past its last character."""


class Tree(NamedTuple):
    """A file."""

    roots: list[Node]
    """The root of each document."""
    comments: list[tuple[int, int]]
    """Where its comments stand."""


def scan(path: str, body: str) -> Tree:
    """All nodes. Raises :class:`Unreadable`."""
    check(path, len(body), _CHARACTERS, "characters of YAML")
    builder = _Builder(path, body)
    try:
        for event in yaml.parse(body, Loader=yaml.SafeLoader):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        where = "" if error.problem_mark is None else f", line {error.problem_mark.line + 1}"
        raise Unreadable(path, "corrupt", f"it is not YAML ({error.problem}{where})") from error
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        raise Unreadable(path, "corrupt", f"it is not YAML ({' '.join(str(error).split())})") from error
    if not builder.roots:
        raise Unreadable(path, "truncated", "it holds no YAML document")
    return Tree(builder.roots, builder.comments)


class _Builder:
    """Events to nodes."""

    def __init__(self, path: str, body: str) -> None:
        self.path, self.body = path, body
        self.roots: list[Node] = []
        self.comments: list[tuple[int, int]] = []
        self._open: list[tuple[Node, list[Member], str | None]] = []
        self._anchors: dict[str, Node] = {}
        self._count = self._last = 0

    def take(self, event: Any) -> None:
        """The next event."""
        start, end = event.start_mark.index, event.end_mark.index
        self.comments += (match.span() for match in _COMMENT.finditer(self.body, self._last, start))
        check(self.path, len(self.comments), LIMITS.lines, "comments")
        self._last = max(self._last, end)
        if isinstance(event, yaml.DocumentStartEvent):
            self._anchors = {}
        elif isinstance(event, yaml.AliasEvent):
            self._lend(event)
        elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            node = self._node(event, "map" if isinstance(event, yaml.MappingStartEvent) else "seq")
            node.style = "{" if event.flow_style else ""
            check(self.path, len(self._open), LIMITS.depth, "levels of nesting")
            self._open.append((node, [], event.anchor))
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            node, children, anchor = self._open.pop()
            node.end = end if node.style or not children else children[-1].end
            node.members = list(self._members(node, children))
            self._place(node, anchor)
        elif isinstance(event, yaml.ScalarEvent):
            node = self._node(event, _kind(event.value) if event.style is None else "text")
            node.text, node.style = event.value, event.style or ""
            if node.style in ("|", ">"):
                node.end = node.start + len(self.body[node.start : node.end].rstrip())
            if any("\ud800" <= char <= "\udfff" for char in node.text):
                raise Unreadable(self.path, "corrupt", "a text holds half a character (a lone surrogate)")
            self._place(node, event.anchor)

    def _node(self, event: Any, kind: Kind) -> Node:
        if event.tag is not None:
            raise Unreadable(self.path, "corrupt", f"tags ({event.tag}) are not read")
        self._count += 1
        check(self.path, self._count, LIMITS.cells, "keys and values")
        return Node(event.start_mark.index, event.end_mark.index, kind, anchored=event.anchor is not None)

    def _place(self, node: Node, anchor: str | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = node
        if self._open:
            self._open[-1][1].append(Member(None, node, False, node.start, node.end))
        else:
            self.roots.append(node)

    def _lend(self, event: Any) -> None:
        anchor = event.anchor
        if any(anchor == opened for _, _, opened in self._open):
            raise Unreadable(self.path, "corrupt", f"&{anchor} holds itself")
        if anchor not in self._anchors:
            raise Unreadable(self.path, "corrupt", f"*{anchor} stands for nothing")
        place = (event.start_mark.index, event.end_mark.index)
        self._open[-1][1].append(Member(None, self._anchors[anchor], True, *place))

    def _members(self, node: Node, children: list[Member]) -> Iterator[Member]:
        if node.kind == "seq":
            yield from children
            return
        seen: set[str] = set()
        merged: list[Node] = []
        for (_, key, *_), standing in zip(children[::2], children[1::2], strict=True):
            value = standing.node
            if key.members or key.kind in ("map", "seq"):
                raise Unreadable(self.path, "corrupt", "a key that is a list or a mapping is not read")
            if key.text in seen:
                raise Unreadable(self.path, "corrupt", f"the key {key.text[:60]!r} stands twice")
            seen.add(key.text)
            if key.text == "<<" and not key.style:
                merged += [value] if value.kind == "map" else [member.node for member in value.members]
            else:
                yield standing._replace(key=key)
        for other in merged:
            if other.kind != "map":
                raise Unreadable(self.path, "corrupt", "<< stands for something that is no mapping")
            for member in other.members:
                assert member.key is not None  # a mapping's members have keys
                if member.key.text not in seen:
                    seen.add(member.key.text)
                    yield member._replace(lent=True)


def _kind(text: str) -> Kind:
    if text in _NULL:
        return "null"
    if text in _TRUE or text in _FALSE:
        return "bool"
    return "number" if NUMBER.fullmatch(text) else "text"
