"""JSON: a fragment for each scalar, at its pointer (RFC 6901), labelled with its last key.

Arrays of objects, arrays of arrays and objects of objects are grids, named by their pointer: a row for each member, a
column for each path within it, in order of appearance. Numbers keep the digits that they are written with.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from workgym.documents.decoding import decode
from workgym.documents.limits import LIMITS, check
from workgym.documents.model import Document, Fragment, piece
from workgym.errors import Unreadable
from workgym.records import Scalar

_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"', re.S)
_MOST, _LONGEST = 3 * LIMITS.cells, 4 * LIMITS.characters
_HALF = re.compile(r"\\u[dD][89a-fA-F]")


class _Digits(str):
    """A number as it is written."""


class Leaf(NamedTuple):
    """A scalar of another format than JSON."""

    text: str
    """What a person reads."""
    value: Scalar
    """What it stands for: a number, true or false; None for a text."""


def escape(key: str) -> str:
    """A key as a part of a pointer."""
    return key.replace("~", "~0").replace("/", "~1") if "~" in key or "/" in key else key


class _Grid:
    """The grid that a value stands in: its name, the row, and the columns seen so far."""

    __slots__ = ("columns", "name", "row")

    def __init__(self, name: str, row: int, columns: dict[str, int]) -> None:
        self.name, self.row, self.columns = name, row, columns

    def column(self, within: str) -> int:
        return self.columns.setdefault(within, len(self.columns) + 1)


class Walk:
    """Data (dicts, lists, scalars or leaves) to fragments."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.fragments: list[Fragment] = []
        self.visited = self.size = 0

    def walk(self, node: Any, at: str, label: str | None, grid: _Grid | None, within: str, depth: int) -> None:
        """Takes the fragments of ``node``, at the pointer ``at``. Raises :class:`Unreadable` where it is too much."""
        if depth > LIMITS.depth:
            raise Unreadable(self.path, "over-limit", f"it is nested more than {LIMITS.depth} deep")
        self.visited += 1
        self.size += len(at)
        if self.visited > _MOST or self.size > _LONGEST:
            check(self.path, self.visited, _MOST, "values, lists and objects")
            check(self.path, self.size, _LONGEST, "characters in the pointers to its values")
        if isinstance(node, dict):
            rows = len(node) > 1 and all(isinstance(member, dict) for member in node.values())
            columns: dict[str, int] = {}
            for number, (key, member) in enumerate(node.items(), 1):
                part = escape(key)
                inner = _Grid(at, number, columns) if rows else grid
                self.walk(member, f"{at}/{part}", key, inner, "" if rows else f"{within}/{part}", depth + 1)
        elif isinstance(node, list):
            rows = bool(node) and all(isinstance(member, (dict, list)) for member in node)
            columns = {}
            for number, member in enumerate(node):
                inner = _Grid(at, number + 1, columns) if rows else grid
                self.walk(member, f"{at}/{number}", label, inner, "" if rows else f"{within}/{number}", depth + 1)
        else:
            text, value = _scalar(node)
            if len(self.fragments) > LIMITS.cells:
                check(self.path, len(self.fragments), LIMITS.cells, "values")
            if grid is None:
                self.fragments.append(piece(at, text, None, None, None, value, label=label))
            else:
                column = grid.column(within)
                self.fragments.append(piece(at, text, grid.name, grid.row, column, value, label=label))


def _scalar(node: object) -> tuple[str, Scalar]:
    if isinstance(node, Leaf):
        return node
    if isinstance(node, _Digits):
        return str(node), number(str(node))
    if isinstance(node, str):
        return node, None
    if node is None:
        return "null", None
    return ("true", True) if node else ("false", False)


def number(digits: str) -> Scalar:
    """A number as it is written: an integer where it is one of usual size, else its digits."""
    return int(digits) if digits.lstrip("-").isdecimal() and len(digits) < 19 else digits


def load(path: str, body: str) -> Any:
    """Parse it, numbers as they are written. Raises :class:`Unreadable`."""

    def refuse(word: str) -> object:
        raise Unreadable(path, "corrupt", f"{word} is not JSON")

    def unique(members: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(members)
        if len(made) != len(members):
            raise Unreadable(path, "corrupt", "an object has the same key twice")
        return made

    if _members(body) > _MOST:
        check(path, _members(_STRING.sub("", body)), _MOST, "values, lists and objects")
    try:
        data = json.loads(body, parse_float=_Digits, parse_int=_Digits, parse_constant=refuse, object_pairs_hook=unique)
        if _HALF.search(body):
            json.dumps(data, ensure_ascii=False).encode()
        return data
    except UnicodeEncodeError as error:
        raise Unreadable(path, "corrupt", "a text holds half a character (a lone surrogate)") from error
    except RecursionError as error:
        raise Unreadable(path, "over-limit", "it is nested too deep") from error
    except ValueError as error:
        raise Unreadable(path, "corrupt" if body.strip() else "truncated", f"it is not JSON ({error})") from error


def _members(body: str) -> int:
    """How many values there are, roughly and at most: each takes memory, an empty list too."""
    return sum(map(body.count, ",[{"))


def read(path: str, content: bytes) -> Document:
    """Read it. Raises :class:`Unreadable`."""
    walk = Walk(path)
    walk.walk(load(path, decode(path, content).body), "", None, None, "", 0)
    return Document(path=path, format="json", fragments=tuple(walk.fragments))
