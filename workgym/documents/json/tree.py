"""The values of a JSON text as :mod:`json` parses them, measured without a look at each.

What takes time is to refuse an object that has a key twice, numbers other than they are written, and what is too much.
All three are seen by counting: where everything in the tree is accounted for by the signs in the text, nothing is lost.
Where that cannot be told, :mod:`workgym.documents.json.read` takes the long way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import chain, repeat
from typing import Any, NamedTuple

from workgym.documents.json.walk import LONGEST, MOST, Digits, Row, Walk, escape, scalar
from workgym.documents.limits import LIMITS
from workgym.documents.model import Pieces

HALF = re.compile(r"\\u[dD][89a-fA-F]")
"""An escape that may be half of a character."""
_MINUS_NOTHING = re.compile(r"-0[^0-9.eE]|-0\Z")
_HOLDERS = frozenset({dict, list})
_LONG = 5_000_000
"""Characters from which a text with others than ASCII is not handed on as it is: escaped it takes six times as much."""


class Tree(Pieces):
    """The fragments of a JSON text: a scalar is one."""

    def __init__(self, body: str, data: Any, leaves: int) -> None:
        self.body, self.data, self.leaves = body, data, leaves

    def rows(self) -> list[Row]:
        """What each fragment is made of."""
        walk = Walk("")
        walk.walk(self.data, "", None, None, "", 0)
        return walk.rows

    def __len__(self) -> int:
        return self.leaves

    def text_at(self, at: str) -> str | None:
        """What the scalar at a pointer says, or None where none is."""
        root, *parts = at.split("/")
        node = self.data
        for part in parts:
            key = part.replace("~1", "/").replace("~0", "~")
            if isinstance(node, dict) and escape(key) == part and key in node:
                node = node[key]
            elif isinstance(node, list) and part in map(str, range(len(node))):
                node = node[int(part)]
            else:
                return None
        return None if root or isinstance(node, (dict, list)) else scalar(node)[0]

    def packed(self) -> str | None:
        """The text, from which it can be made again; None where that is too long."""
        return self.body if len(self.body) < _LONG or self.body.isascii() else None

    def __reduce__(self) -> tuple[Any, ...]:
        return Tree, (self.body, self.data, self.leaves)


class _Measures(NamedTuple):
    """What a tree comes to."""

    depth: int
    """Of its deepest value; the root has 0."""
    values: int
    """Scalars, objects and arrays."""
    leaves: int
    """Scalars."""
    keys: int
    """Of all objects."""
    pointers: int
    """Characters in the pointers to all values, at most."""


def quick(body: str) -> Tree | None:
    """The tree of a text that is JSON, within all limits, and says nothing that parsing loses; None elsewhere.

    The only integer that is written otherwise than Python does is ``-0``; fractions stay as they are written.
    """
    crowded = len(body) > 2 * MOST and members(body) > MOST  # the shortest values take two characters each
    if crowded or len(body) > LIMITS.characters or _MINUS_NOTHING.search(body) or ("\\" in body and HALF.search(body)):
        return None
    try:
        data = _DECODER.decode(body)
    except (ValueError, RecursionError):
        return None
    found = _measured(body, data)
    fits = found.depth <= LIMITS.depth and found.values <= MOST and found.leaves <= LIMITS.cells
    if not fits or found.pointers > LONGEST or not _accounted(body, data, found):
        return None
    return Tree(body, data, found.leaves)


def members(body: str) -> int:
    """How many values there are, roughly and at most: each takes memory, an empty list too."""
    return sum(map(body.count, ",[{"))


def _refuse(word: str) -> object:
    raise ValueError(word)


_DECODER = json.JSONDecoder(parse_float=Digits, parse_constant=_refuse)


_Level = tuple[list[dict[str, Any]], list[list[Any]]]


def _levels(body: str, data: Any) -> Iterator[_Level]:
    """The objects and arrays of each level, from the root, until there are as many as the text opens."""
    level = [data] if type(data) in _HOLDERS else []
    left = body.count("{") + body.count("[")
    while level:
        objects = [node for node in level if type(node) is dict]
        arrays = [node for node in level if type(node) is list] if len(objects) < len(level) else []
        yield objects, arrays
        left -= len(level)
        level = [node for node in _within(objects, arrays) if type(node) in _HOLDERS] if left else []


def _within(objects: list[dict[str, Any]], arrays: list[list[Any]]) -> Iterator[Any]:
    return chain(chain.from_iterable(map(dict.values, objects)), chain.from_iterable(arrays))


def _measured(body: str, data: Any) -> _Measures:
    depth = keys = members = holders = pointers = reach = 0
    for objects, arrays in _levels(body, data):
        here, elements = sum(map(len, objects)), sum(map(len, arrays))
        longest = max(map(len, set().union(*objects)), default=0)
        reach += 1 + max(2 * longest, len(str(max(map(len, arrays), default=0))))
        pointers += reach * (here + elements)
        holders += len(objects) + len(arrays)
        keys += here
        members += here + elements
        depth += here + elements > 0
    return _Measures(depth, members + 1, members + 1 - holders, keys, pointers)


def _accounted(body: str, data: Any, found: _Measures) -> bool:
    """Whether each object has all members that are written: one lost would leave a colon, and a comma, too many."""
    if body.count(":") == found.keys:
        return True
    levels = list(_levels(body, data))
    filled = sum(sum(map(bool, objects)) + sum(map(bool, arrays)) for objects, arrays in levels)
    if body.count(",") == found.values - 1 - filled:
        return True
    if "\\u003" in body:  # a colon that is not written as one
        return False
    inside = 0
    for objects, arrays in levels:
        texts = (text for text in _within(objects, arrays) if isinstance(text, str))
        inside += sum(map(str.count, chain(chain.from_iterable(objects), texts), repeat(":")))
    return body.count(":") == found.keys + inside
