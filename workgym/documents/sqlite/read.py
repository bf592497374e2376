"""SQLite databases: every ordinary table is a grid of its name, ``invoices!r3c2``, its columns' names in row 1.

Rows come by their number (rowid), or by their key in tables without one. What the schema says is hidden,
``schema.invoices``: tables, indexes, views, triggers and virtual tables, none of which is run. Computed columns are not
read. Numbers keep their digits; a blob is its bytes in hexadecimal, or their count and digest where they are many.
"""

from __future__ import annotations

import hashlib
import math
from decimal import Decimal

from workgym.documents.limits import LIMITS, check
from workgym.documents.model import Document, Fragment
from workgym.documents.sqlite.database import Database, Table, Value, opened
from workgym.records import Scalar

_SHORT = 512


def read(path: str, content: bytes) -> Document:
    """Read it. Raises :class:`Unreadable`."""
    fragments: list[Fragment] = []
    counted = _Count(path)
    with opened(path, content) as database:
        database.measure()
        for table in database.tables:
            fragments += _grid(database, table, counted)
        for entry in database.entries:
            if entry.sql:
                counted.cell(entry.sql)
                fragments.append(Fragment(at=f"schema.{entry.name}", text=entry.sql, label=entry.kind, hidden=True))
    return Document(path=path, format="sqlite", fragments=tuple(fragments))


class _Count:
    """The text that was read so far."""

    def __init__(self, path: str) -> None:
        self.path, self.characters = path, 0

    def cell(self, text: str) -> None:
        self.characters += len(text)
        check(self.path, self.characters, LIMITS.characters, "characters")


def _grid(database: Database, table: Table, counted: _Count) -> list[Fragment]:
    found = _row(table, 1, table.columns, counted)
    for number, values in enumerate(database.rows(table), 2):
        found += _row(table, number, values, counted)
    return found


def _row(table: Table, number: int, values: tuple[Value, ...], counted: _Count) -> list[Fragment]:
    found = []
    for column, value in enumerate(values[: len(table.columns)], 1):
        text = shown(value)
        counted.cell(text)
        if text:
            found.append(
                Fragment(
                    at=f"{table.name}!r{number}c{column}",
                    text=text,
                    value=typed(value),
                    table=table.name,
                    row=number,
                    column=column,
                )
            )
    return found


def shown(value: Value) -> str:
    """What a person reads in a cell."""
    if value is None:
        return ""
    if isinstance(value, bytes):
        if len(value) <= _SHORT:
            return f"x'{value.hex()}'"
        return f"{len(value)} bytes, sha256 {hashlib.sha256(value).hexdigest()}"
    if isinstance(value, float):
        return format(Decimal(repr(value)), "f").removesuffix(".0") if math.isfinite(value) else repr(value)
    return str(value)


def typed(value: Value) -> Scalar:
    """A number as it is; one with a fraction as decimal text."""
    if isinstance(value, float):
        return shown(value) if math.isfinite(value) else None
    return value if isinstance(value, int) else None
