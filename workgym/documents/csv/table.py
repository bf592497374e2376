"""The fields of delimited text, parsed: by :mod:`csv` where it says the same as our own scanner, which counts as well.

:mod:`csv` is ten times as fast. The two agree on every text in which each quoted field ends where its second quote
stands; with anything else in quotes ``strict`` makes it stop, and the scanner says what is there, or what is wrong.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from itertools import chain
from typing import Any

from workgym.documents.csv.dialect import scan
from workgym.documents.limits import LIMITS
from workgym.documents.model import Pieces
from workgym.errors import Unreadable

_AT = re.compile(r"r([1-9][0-9]*)c([1-9][0-9]*)")


class Table(Pieces):
    """The fragments of one grid: a field that is not empty is one."""

    def __init__(self, name: str, fields: list[list[str]]) -> None:
        self.name, self.fields = name, fields

    def rows(self) -> Iterator[tuple[str, str, str, int, int]]:
        """Place, text, name, row and column of each."""
        for row, fields in enumerate(self.fields, 1):
            for column, field in enumerate(fields, 1):
                if field:
                    yield f"r{row}c{column}", field, self.name, row, column

    def __len__(self) -> int:
        return sum(len(row) - row.count("") for row in self.fields)

    def text_at(self, at: str) -> str | None:
        """The field at ``r3c2``, or None where there is none or it is empty."""
        match = _AT.fullmatch(at)
        if match is None or len(at) > 40:
            return None
        row, column = int(match[1]) - 1, int(match[2]) - 1
        return (self.fields[row][column] or None) if self._holds(row, column) else None

    def _holds(self, row: int, column: int) -> bool:
        return row < len(self.fields) and column < len(self.fields[row])

    @property
    def text(self) -> str:
        """A line for each row that says something, with tabs between what it says."""
        return "\n".join(line for line in ("\t".join(filter(None, row)) for row in self.fields) if line)

    def packed(self) -> list[list[str]]:
        """Its fields."""
        return self.fields

    def __reduce__(self) -> tuple[Any, ...]:
        return Table, (self.name, self.fields)


def fields(path: str, body: str, delimiter: str) -> list[list[str]]:
    """The fields of each row. Raises :class:`workgym.errors.Unreadable` as :func:`scan` does."""
    ends = body.count("\n") + body.count("\r") - body.count("\r\n")
    if body.count(delimiter) + ends < LIMITS.cells:
        try:
            return list(csv.reader(io.StringIO(body, newline=""), delimiter=delimiter, strict=True))
        except csv.Error:
            pass
    return [[field.text for field in row.fields] for row in scan(path, body, delimiter)]


def unpacked(path: str, name: str, packed: object) -> Table:
    """What :meth:`Table.packed` gave. Raises :class:`workgym.errors.Unreadable` where it is none."""
    if not isinstance(packed, list) or not set(map(type, packed)) <= {list}:
        raise Unreadable(path, "corrupt", "it has no rows")
    if not set(map(type, chain.from_iterable(packed))) <= {str}:
        raise Unreadable(path, "corrupt", "it has fields that are no text")
    return Table(name, packed)
