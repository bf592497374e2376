"""Data as JSON has it, walked: each scalar with its pointer, and the grids that they stand in, within the limits.

Arrays of objects, arrays of arrays and objects of objects are grids, named by their pointer: a row for each member, a
column for each path within it, in order of appearance.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from workgym.documents.limits import LIMITS, check
from workgym.documents.model import Fragment, piece
from workgym.errors import Unreadable
from workgym.records import Scalar

MOST, LONGEST = 3 * LIMITS.cells, 4 * LIMITS.characters
"""Values, lists and objects of a file, and characters in all their pointers."""
_USUAL = 19
"""Signs of the shortest number that is given as a text."""
Row = tuple[str, str, str | None, int | None, int | None, Scalar, str | None]
"""What :func:`workgym.documents.model.piece` makes a fragment of."""


class Digits(str):
    """A number as it is written."""

    __slots__ = ()


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
    """Data (dicts, lists, scalars or leaves) to the rows that fragments are made of."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.rows: list[Row] = []
        self.visited = self.size = 0

    def walk(self, node: Any, at: str, label: str | None, grid: _Grid | None, within: str, depth: int) -> None:
        """Takes the scalars of ``node``, at the pointer ``at``. Raises :class:`Unreadable` where it is too much."""
        if depth > LIMITS.depth:
            raise Unreadable(self.path, "over-limit", f"it is nested more than {LIMITS.depth} deep")
        self.visited += 1
        self.size += len(at)
        if self.visited > MOST or self.size > LONGEST:
            check(self.path, self.visited, MOST, "values, lists and objects")
            check(self.path, self.size, LONGEST, "characters in the pointers to its values")
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
            text, value = scalar(node)
            if len(self.rows) > LIMITS.cells:
                check(self.path, len(self.rows), LIMITS.cells, "values")
            if grid is None:
                self.rows.append((at, text, None, None, None, value, label))
            else:
                self.rows.append((at, text, grid.name, grid.row, grid.column(within), value, label))

    def fragments(self) -> Iterator[Fragment]:
        """The fragments of all rows, which are given up on the way."""
        self.rows.reverse()
        while self.rows:
            yield piece(*self.rows.pop())


def scalar(node: object) -> tuple[str, Scalar]:
    """What a scalar says, and its value."""
    if isinstance(node, Leaf):
        return node
    if isinstance(node, Digits):
        return str(node), number(str(node))
    if isinstance(node, str):
        return node, None
    if node is None:
        return "null", None
    if type(node) is int:
        text = str(node)
        return text, node if len(text) < _USUAL else text
    return ("true", True) if node else ("false", False)


def number(digits: str) -> Scalar:
    """A number as it is written: an integer where it is one of usual size, else its digits."""
    return int(digits) if digits.lstrip("-").isdecimal() and len(digits) < _USUAL else digits
