"""One closed DuckDB connection: in memory, no files, no network, no extensions, one thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import duckdb

from workgym.errors import GraphError
from workgym.records import Value

Row = tuple[Value, ...]


_OPTIMIZERS = ("filter_pushdown", "expression_rewriter", "deliminator")
"""What is left of the optimizer: tables here have tens of rows, and planning takes most of a statement's time."""


_AT_ONCE = 200
"""Rows that one statement inserts where they go in row by row."""


def _connect() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(
        ":memory:",
        config={
            "temp_directory": "",
            "threads": 1,
            "memory_limit": "256MB",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "python_enable_replacements": "false",
        },
    )
    rows = connection.execute("select name from duckdb_optimizers()").fetchall()
    idle = ",".join(name for (name,) in rows if name not in _OPTIMIZERS)
    connection.execute(f"set disabled_optimizers = '{idle}'")
    connection.execute("set enable_external_access = false")
    connection.execute("set lock_configuration = true")
    return connection


_PARSED = 1024
"""Statements that a connection keeps parsed: tasks of one family ask some 250 of them each, mostly the same ones."""
_Parse = Callable[[str], list[duckdb.Statement]]


class _Idle(threading.local):
    """Of each thread, connections that nobody uses now, each with its parser: opening one costs 12 to 30 ms."""

    def __init__(self) -> None:
        self.connections: list[tuple[duckdb.DuckDBPyConnection, _Parse]] = []

    def take(self) -> tuple[duckdb.DuckDBPyConnection, _Parse]:
        """One of them, or a new one; none is opened earlier, since a process that is forked lacks its threads."""
        if self.connections:
            return self.connections.pop()
        connection = _connect()
        return connection, lru_cache(maxsize=_PARSED)(connection.extract_statements)


_idle = _Idle()


def _alike(rows: Sequence[Row]) -> bool:
    """Whether each column has values of one kind, so that they make a list as they are."""
    return bool(rows) and all(
        len({type(value) for value in values if value is not None}) <= 1 for values in zip(*rows, strict=True)
    )


def _columnwise(rows: Sequence[Row]) -> list[list[Value]]:
    """One list a column: a statement with a parameter for each is as long and as soon planned for any rows."""
    return [list(values) for values in zip(*rows, strict=True)]


class Database:
    """Tables of typed rows, and queries over them. Not thread-safe: one for each use and thread."""

    def __init__(self) -> None:
        self._connection, self._parse = _idle.take()
        self._tables: set[str] = set()

    def close(self) -> None:
        """Drop the tables and hand the connection back."""
        for name in self._tables:
            self._connection.execute(f'drop table if exists "{name}"')
        self._tables.clear()
        _idle.connections.append((self._connection, self._parse))

    def create(self, name: str, columns: Mapping[str, str]) -> None:
        """An empty table with columns of some types, replacing one of that name.

        Raises GraphError, as all that follow do, with the database's own first line.
        """
        self._tables.add(name)
        body = ", ".join(f'"{column}" {kind}' for column, kind in columns.items())
        self._run(f'create or replace table "{name}" ({body})')

    def table(self, name: str, columns: Mapping[str, str], rows: Sequence[Row]) -> None:
        """A table of rows, as :meth:`create` makes it."""
        if not _alike(rows):
            self.create(name, columns)
            self.append(name, rows)
            return
        cells = ", ".join(f'unnest(?::{kind}[]) as "{column}"' for column, kind in columns.items())
        self.create_as(name, f"select {cells}", _columnwise(rows))

    def append(self, name: str, rows: Sequence[Row]) -> None:
        """Append rows."""
        if not rows:
            return
        if _alike(rows):
            holes = ", ".join(["unnest(?)"] * len(rows[0]))
            self._run(f'insert into "{name}" select {holes}', _columnwise(rows))
            return
        for at in range(0, len(rows), _AT_ONCE):
            part = rows[at : at + _AT_ONCE]
            holes = ", ".join("(" + ", ".join("?" * len(rows[0])) + ")" for _ in part)
            self._run(f'insert into "{name}" values {holes}', [value for row in part for value in row])

    def create_as(self, name: str, query: str, parameters: Sequence[Any] = ()) -> None:
        """A table from a query. Raises GraphError with the database's own first line."""
        self._tables.add(name)
        self._run(f'create or replace table "{name}" as {query}', parameters)

    def select(self, query: str, parameters: Sequence[Any] = ()) -> tuple[list[str], list[str], list[tuple[Any, ...]]]:
        """Column names, their types as DuckDB writes them, and all rows. Raises GraphError."""
        cursor = self._run(query, parameters)
        described = cursor.description or []
        return [item[0] for item in described], [str(item[1]) for item in described], cursor.fetchall()

    def _run(self, statement: str, parameters: Sequence[Any] = ()) -> duckdb.DuckDBPyConnection:
        try:
            parsed = self._parse(statement)
            if len(parsed) != 1:
                raise GraphError(f"{len(parsed)} statements where one is run")
            return self._connection.execute(parsed[0], list(parameters))
        except duckdb.Error as error:
            raise GraphError(str(error).splitlines()[0]) from error
