"""One closed DuckDB connection: in memory, no files, no network, no extensions, one thread."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import duckdb

from workgym.errors import GraphError
from workgym.records import Column, Value

Row = tuple[Value, ...]


class Database:
    """Tables of typed rows, and queries over them. Not thread-safe: one for each task and thread."""

    def __init__(self) -> None:
        self._connection = duckdb.connect(
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
        self._connection.execute("set enable_external_access = false")
        self._connection.execute("set lock_configuration = true")

    def close(self) -> None:
        """Free the connection."""
        self._connection.close()

    def create(self, name: str, columns: Sequence[Column], types: Sequence[str] | None = None) -> None:
        """An empty table for a unit, replacing one of that name; ``types`` overrides the declared ones."""
        kinds = types or [column.type.sql for column in columns]
        body = ", ".join(f'"{column.name}" {kind}' for column, kind in zip(columns, kinds, strict=True))
        self._connection.execute(f'create or replace table "{name}" ({body})')

    def insert(self, name: str, rows: Sequence[Row]) -> None:
        """Append rows."""
        if rows:
            holes = ", ".join("(" + ", ".join("?" * len(rows[0])) + ")" for _ in rows)
            self._connection.execute(f'insert into "{name}" values {holes}', [value for row in rows for value in row])

    def delete(self, name: str, columns: Sequence[Column], rows: Iterable[Row]) -> None:
        """Remove rows that are equal in every column; equal twins go together."""
        where = " and ".join(f'"{column.name}" is not distinct from ?' for column in columns)
        for row in rows:
            self._connection.execute(f'delete from "{name}" where {where}', list(row))

    def create_as(self, name: str, query: str) -> None:
        """A table from a query. Raises GraphError with the database's own first line."""
        self._run(f'create or replace table "{name}" as {query}')

    def select(self, query: str) -> tuple[list[str], list[str], list[Row]]:
        """Column names, their types as DuckDB writes them, and all rows. Raises GraphError."""
        cursor = self._run(query)
        described = cursor.description or []
        return [item[0] for item in described], [str(item[1]) for item in described], cursor.fetchall()

    def rows(self, name: str) -> tuple[list[str], list[str], list[Row]]:
        """All of a table, with the names and types of its columns."""
        return self.select(f'select * from "{name}"')

    def _run(self, statement: str) -> duckdb.DuckDBPyConnection:
        try:
            return self._connection.execute(statement)
        except duckdb.Error as error:
            raise GraphError(str(error).splitlines()[0]) from error
