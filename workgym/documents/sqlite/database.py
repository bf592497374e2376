"""SQLite databases, opened with suspicion: in memory, from bytes, with nothing run that the file brings along.

The library is the standard one on both sides, for there is no second: what guards the reading is that only columns of
ordinary tables are read, that an authorizer refuses everything else (functions, views, triggers, virtual tables,
attached files), that the schema is not trusted, and that steps of the engine, rows, cells and bytes are counted.
"""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from workgym.documents.limits import LIMITS, check
from workgym.errors import Unreadable

_MAGIC = b"SQLite format 3\x00"
_STEPS, _ROUNDS = 10_000, 20_000
"""The engine is asked every so many steps whether to go on, and so many times at most."""
_READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_TRANSACTION}
_WRITING = _READING | {sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE}
_PRAGMAS = {"table_xinfo"}
_ROWID = ("rowid", "_rowid_", "oid")
_KEPT = ((18, 20), (24, 28), (92, 100))
"""Bytes of the header that say who wrote the file and how often, not what it holds; an edit leaves them."""

Value = str | int | float | bytes | None
"""What a cell holds."""


class Table(NamedTuple):
    """An ordinary table."""

    name: str
    """Its name."""
    columns: tuple[str, ...]
    """Its columns, without those that are computed."""
    types: tuple[str, ...]
    """What each column is declared to hold, in capitals; empty for nothing."""
    rowid: str | None
    """The name by which its rows are numbered; None where they are ordered by their key alone."""
    key: tuple[str, ...]
    """The columns of its primary key, in their order."""


class Entry(NamedTuple):
    """Anything that the schema names."""

    kind: str
    """``table``, ``view``, ``index``, ``trigger``; ``virtual`` for a virtual table."""
    name: str
    """Its name."""
    table: str
    """The table that it belongs to."""
    sql: str
    """The statement that made it, or empty."""


class Database:
    """An open database; errors of the engine come out of its methods as they are."""

    def __init__(self, path: str, connection: sqlite3.Connection) -> None:
        self.path, self.connection = path, connection
        self.entries = tuple(self._entries())
        self.tables = tuple(
            self._table(entry.name)
            for entry in self.entries
            if entry.kind == "table" and not entry.name.startswith("sqlite_")
        )

    def _entries(self) -> Iterator[Entry]:
        rows = self.connection.execute("select type, name, tbl_name, sql, rootpage from sqlite_schema order by _rowid_")
        for number, (kind, name, table, sql, page) in enumerate(rows, 1):
            check(self.path, number, LIMITS.lines, "entries in its schema")
            virtual = kind == "table" and not page
            yield Entry("virtual" if virtual else str(kind), str(name), str(table), str(sql or ""))

    def _table(self, name: str) -> Table:
        found = self.connection.execute(f"pragma table_xinfo({quoted(name)})").fetchall()
        plain = [row for row in found if row[6] == 0]  # the others are hidden or computed
        columns = tuple(row[1] for row in plain)
        taken = {column.lower() for column in columns}
        free = next((alias for alias in _ROWID if alias not in taken), None)
        if free is not None:
            try:
                self.connection.execute(f"select {free} from {quoted(name)} limit 0")
            except sqlite3.OperationalError:
                free = None
        key = tuple(row[1] for row in sorted(found, key=lambda row: row[5]) if row[5])
        return Table(name, columns, tuple(str(row[2]).upper() for row in plain), free, key)

    def measure(self) -> None:
        """Raises :class:`Unreadable` where there are too many rows or cells, before any is read."""
        rows = cells = 0
        for table in self.tables:
            (count,) = self.connection.execute(f"select count(*) from {quoted(table.name)}").fetchone()
            rows, cells = rows + count, cells + (count + 1) * len(table.columns)
        check(self.path, rows, LIMITS.lines, "rows")
        check(self.path, cells, LIMITS.cells, "cells")

    def rows(self, table: Table) -> Iterator[tuple[Value, ...]]:
        """The rows of a table by their number, or by their key where they have none."""
        order = f" order by {table.rowid}" if table.rowid else " not indexed"
        columns = ", ".join(map(quoted, table.columns)) or "null"
        yield from self.connection.execute(f"select {columns} from {quoted(table.name)}{order}")


def quoted(name: str) -> str:
    """A name as it stands in a statement."""
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def opened(path: str, content: bytes, *, writing: bool = False) -> Iterator[Database]:
    """The database. Raises :class:`Unreadable` where the engine finds it damaged, at any time while it is open."""
    body = _sound(path, content)
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        _limit(connection)
        connection.deserialize(body)
        settings = ["trusted_schema = off", "cell_size_check = on", "secure_delete = on", "foreign_keys = off"]
        settings += ["journal_mode = memory"] if writing else ["query_only = on"]
        for setting in settings:
            connection.execute(f"pragma {setting}").fetchall()
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        connection.set_authorizer(_authorizer(_WRITING if writing else _READING))
        connection.set_progress_handler(_counter(), _STEPS)
        yield Database(path, connection)
    except sqlite3.IntegrityError:
        raise
    except sqlite3.OperationalError as error:
        reason = "over-limit" if "interrupted" in str(error) else "corrupt"
        raise Unreadable(path, reason, f"the database engine gives up ({_line(error)})") from error
    except (sqlite3.Error, OverflowError, MemoryError, UnicodeError, ValueError) as error:
        reason = "over-limit" if "too big" in str(error) or isinstance(error, MemoryError) else "corrupt"
        raise Unreadable(path, reason, f"the database is damaged ({_line(error)})") from error
    finally:
        connection.close()


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:160]


def _sound(path: str, content: bytes) -> bytes:
    """The bytes as they can be opened in memory."""
    check(path, len(content), LIMITS.file_bytes, "bytes")
    if not content:
        raise Unreadable(path, "truncated", "it is empty")
    if len(content) < 100 or not content.startswith(_MAGIC):
        whole = not _MAGIC.startswith(content[:16])
        raise Unreadable(path, "corrupt" if whole else "truncated", "it is no SQLite database, or an encrypted one")
    size = struct.unpack_from(">H", content, 16)[0]
    page = 65_536 if size == 1 else size
    if page < 512 or page & (page - 1):
        raise Unreadable(path, "corrupt", f"its pages cannot have {page} bytes")
    changes, pages, valid = (struct.unpack_from(">I", content, at)[0] for at in (24, 28, 92))
    if len(content) < page or (changes == valid and pages * page > len(content)):
        raise Unreadable(path, "truncated", f"it says that it has {pages:,} pages, and does not")
    return content[:18] + b"\x01\x01" + content[20:]  # in memory there is no write-ahead log


def _limit(connection: sqlite3.Connection) -> None:
    for what, limit in (
        (sqlite3.SQLITE_LIMIT_LENGTH, LIMITS.characters),
        (sqlite3.SQLITE_LIMIT_SQL_LENGTH, 1_000_000),
        (sqlite3.SQLITE_LIMIT_ATTACHED, 0),
        (sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 100),
        (sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 1),
    ):
        connection.setlimit(what, limit)


def _counter() -> Callable[[], int]:
    rounds = 0

    def more() -> int:
        nonlocal rounds
        rounds += 1
        return int(rounds > _ROUNDS)

    return more


def _authorizer(
    allowed: set[int],
) -> Callable[[int, str | None, str | None, str | None, str | None], int]:
    def allow(action: int, first: str | None, second: str | None, _: str | None, within: str | None) -> int:
        fine = action in allowed or (action == sqlite3.SQLITE_PRAGMA and first in _PRAGMAS)
        fine = fine or (action == sqlite3.SQLITE_FUNCTION and second == "count")
        return sqlite3.SQLITE_OK if fine and within is None else sqlite3.SQLITE_DENY

    return allow


def closed(connection: sqlite3.Connection, before: bytes) -> bytes:
    """The bytes of a database that was changed; what its header says of versions and counts is as it was."""
    made = bytearray(connection.serialize())
    for start, end in _KEPT:
        made[start:end] = before[start:end]
    return bytes(made)
