"""SQLite databases: one cell, or one row, through the engine itself, and everything else compared afterwards.

A number stays a number, exactly; what the engine would store otherwise is refused, and so is a table with triggers. The
file's header keeps its counts and versions, and what is overwritten leaves no trace in free space.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from decimal import Decimal

from workgym.documents.limits import LIMITS
from workgym.documents.patches import Target
from workgym.documents.sqlite.database import Database, Table, Value, closed, opened, quoted
from workgym.documents.sqlite.read import shown
from workgym.errors import EditRefused
from workgym.records import Scalar

_AT = re.compile(r"(.*)!r(\d{1,9})c(\d{1,9})", re.S)
_NUMBER = re.compile(r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?")
_TEXT = re.compile("CHAR|CLOB|TEXT")
_BIGGEST = 2**63 - 1

Rows = list[tuple[Value, ...]]


def edit(path: str, content: bytes, targets: list[Target]) -> bytes:
    """Change cells (``clear`` of a whole one makes it NULL), remove rows, or add them behind others."""
    with opened(path, content, writing=True) as database:
        database.measure()
        before = dict(_everything(database))
        changes = {table.name: _Changes(path, table, before[table.name]) for table in database.tables}
        for target in targets:
            match = _AT.fullmatch(target.base)
            if match is None or match[1] not in changes:
                raise EditRefused(f"{path} has no place {target.base}")
            changes[match[1]].take(target, int(match[2]), int(match[3]))
        for name, change in changes.items():
            if change and any(entry.kind == "trigger" and entry.table == name for entry in database.entries):
                raise EditRefused(f"{path}: table {name} has triggers, which are not run")
        try:
            database.connection.execute("begin")
            for change in changes.values():
                change.make(database)
            for name, rows in _everything(database):
                changes[name].compare(rows)
            database.connection.execute("commit")
        except sqlite3.Error as error:
            reason = " ".join(str(error).split())
            raise EditRefused(f"{path}: the database does not take that ({reason})") from error
        made = closed(database.connection, content)
    if len(made) > LIMITS.file_bytes:
        raise EditRefused(f"{path}: it would be larger than {LIMITS.file_bytes:,} bytes")
    return made


def _everything(database: Database) -> Iterator[tuple[str, Rows]]:
    for table in database.tables:
        yield table.name, list(database.rows(table))


class _Changes:
    """What changes in one table; rows and columns are counted from 0."""

    def __init__(self, path: str, table: Table, rows: Rows) -> None:
        self.path, self.table, self.rows = path, table, rows
        self.cells: dict[int, dict[int, Value]] = {}
        self.removed: set[int] = set()
        self.added: list[tuple[int, tuple[Value, ...]]] = []

    def __bool__(self) -> bool:
        return bool(self.cells or self.removed or self.added)

    def take(self, target: Target, row: int, column: int) -> None:
        """An edit; ``row`` and ``column`` as places count them."""
        columns, at = self.table.columns, row - 2
        if not 1 <= column <= len(columns) or not -1 <= at < len(self.rows) or row < 1:
            raise EditRefused(f"{self.path} has no place {target.base}")
        old = columns[column - 1] if at < 0 else self.rows[at][column - 1]
        text = target.check(self.path, shown(old))
        if target.edit.mode == "insert_row":
            if len(target.edit.cells) > len(columns):
                raise EditRefused(f"{self.path}: table {self.table.name} has {len(columns)} columns")
            given = [*target.edit.cells, *[None] * (len(columns) - len(target.edit.cells))]
            values = tuple(self._stored(at, cell, None) for at, cell in enumerate(given))
            self.added.append((at + 1, values))
        elif at < 0:
            raise EditRefused(f"{self.path} {target.base}: the name of a column is not edited")
        elif target.edit.mode == "remove_row":
            self.removed.add(at)
        else:
            if column - 1 in self.cells.get(at, {}):
                raise EditRefused(f"{self.path}: two edits change {target.base}")
            if isinstance(old, bytes):
                raise EditRefused(f"{self.path} {target.base} holds bytes, which are not edited")
            new = None if target.whole else self._changed(column - 1, target, text, old)
            self.cells.setdefault(at, {})[column - 1] = new
        if self.removed & set(self.cells):
            raise EditRefused(f"{self.path}: an edit changes a row that another one removes")

    def _changed(self, column: int, target: Target, text: str, old: Value) -> Value:
        new, value = target.new_text(text), target.edit.value
        if value is not None and (isinstance(value, (bool, int, float)) or _NUMBER.fullmatch(value)):
            return self._stored(column, value, old)
        if isinstance(old, (int, float)) and new and not _NUMBER.fullmatch(new):
            raise EditRefused(f"{self.path} {target.edit.at} holds a number, and {new!r} is none")
        return None if isinstance(old, (int, float)) and not new else self._stored(column, new, old)

    def _stored(self, column: int, value: Scalar, old: Value) -> Value:
        """What the engine is given: numbers exactly, also from text where the column or the cell holds numbers."""
        declared = self.table.types[column]
        numeric = isinstance(old, (int, float)) or (declared != "" and not _TEXT.search(declared))
        if isinstance(value, bool):
            return int(value)
        if isinstance(value, str):
            if isinstance(old, str) or not numeric or not _NUMBER.fullmatch(value):
                return value
            value = _exact(self.path, Decimal(value.replace(",", "")))
        return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value

    def make(self, database: Database) -> None:
        """Runs the changes; all of them mean the rows as they were."""
        if not self:
            return
        name, where, ids = quoted(self.table.name), self._where(), self._ids(database)
        for at, cells in self.cells.items():
            columns = ", ".join(f"{quoted(self.table.columns[column])} = ?" for column in cells)
            self._one(database, f"update or abort {name} set {columns} where {where}", (*cells.values(), *ids[at]))
        for at in self.removed:
            self._one(database, f"delete from {name} where {where}", ids[at])
        for _, (at, values) in sorted(enumerate(self.added), key=lambda added: (-added[1][0], -added[0])):
            self._add(database, at, values)

    def _one(self, database: Database, statement: str, values: tuple[Value, ...]) -> None:
        if database.connection.execute(statement, values).rowcount != 1:
            raise EditRefused(f"{self.path}: a row of {self.table.name} cannot be told from the others")

    def _add(self, database: Database, at: int, values: tuple[Value, ...]) -> None:
        name, columns = quoted(self.table.name), list(map(quoted, self.table.columns))
        rowid = self.table.rowid
        if rowid is not None and not self._numbered():
            number = self._room(database, at - sum(gone < at for gone in self.removed))
            columns, values = [rowid, *columns], (number, *values)
        marks = ", ".join("?" * len(columns))
        self._one(database, f"insert or abort into {name} ({', '.join(columns)}) values ({marks})", values)

    def _room(self, database: Database, at: int) -> int:
        """A number for a row that stands behind ``at`` others; those behind it move up where there is none."""
        name, rowid = quoted(self.table.name), self.table.rowid
        numbers = [row[0] for row in database.connection.execute(f"select {rowid} from {name} order by {rowid}")]
        before = numbers[at - 1] if at else min([0, *(number - 1 for number in numbers[:1])])
        if at == len(numbers) or numbers[at] > before + 1:
            return int(before) + 1
        if numbers[0] < 1 or numbers[-1] == _BIGGEST:
            raise EditRefused(f"{self.path}: the rows of {self.table.name} are numbered so that none can be added here")
        database.connection.execute(f"update {name} set {rowid} = -{rowid} where {rowid} >= ?", (numbers[at],))
        database.connection.execute(f"update {name} set {rowid} = 1 - {rowid} where {rowid} < 0")
        return int(before) + 1

    def _numbered(self) -> bool:
        """Whether the number of a row is one of its columns, so that its place follows from what it holds."""
        key = self.table.key
        return len(key) == 1 and self.table.types[self.table.columns.index(key[0])] == "INTEGER"

    def _where(self) -> str:
        if self.table.rowid is None and not self.table.key:
            raise EditRefused(f"{self.path}: the rows of {self.table.name} have no number and no key to tell them by")
        key = [self.table.rowid] if self.table.rowid else [quoted(column) for column in self.table.key]
        return " and ".join(f"{column} is ?" for column in key)

    def _ids(self, database: Database) -> list[tuple[Value, ...]]:
        if self.table.rowid is None:
            places = [self.table.columns.index(column) for column in self.table.key]
            return [tuple(row[place] for place in places) for row in self.rows]
        statement = f"select {self.table.rowid} from {quoted(self.table.name)} order by {self.table.rowid}"
        return [tuple(row) for row in database.connection.execute(statement)]

    def compare(self, after: Rows) -> None:
        """Raises :class:`EditRefused` where the table now holds anything else than it should."""
        wanted: Rows = []
        for at in range(len(self.rows) + 1):
            wanted += [values for place, values in self.added if place == at]
            if at < len(self.rows) and at not in self.removed:
                cells = self.cells.get(at, {})
                wanted.append(tuple(cells.get(column, value) for column, value in enumerate(self.rows[at])))
        same = len(wanted) == len(after) and all(map(_alike, wanted, after))
        if not same:
            raise EditRefused(f"{self.path}: table {self.table.name} would not hold exactly that, in that order")


def _alike(wanted: tuple[Value, ...], found: tuple[Value, ...]) -> bool:
    return wanted == found and list(map(shown, wanted)) == list(map(shown, found))


def _exact(path: str, number: Decimal) -> int | float:
    if number == number.to_integral_value() and abs(number) <= _BIGGEST:
        return int(number)
    double = float(number)
    if Decimal(repr(double)) != number:
        raise EditRefused(f"{path}: {number} has more digits than a database keeps in a number")
    return double
