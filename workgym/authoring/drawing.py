"""A world and the provided rows, drawn for one family, preset, seed and attempt."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from types import TracebackType
from typing import Any, Self

from workgym.authoring.blueprint import Family
from workgym.authoring.world import DrawError, draw_table
from workgym.errors import BlueprintError, GraphError, QueryError
from workgym.graph.database import Database, Row
from workgym.graph.sql import named, parse
from workgym.records import Value

MAX_ROWS = 100_000
"""Rows of one table or unit beyond which nothing is drawn: this many take ten seconds, and no reader of a task looks at
more."""


@dataclass(frozen=True)
class World:
    """What was drawn."""

    units: Mapping[str, tuple[Row, ...]]
    """Rows of every provided and external unit with columns."""
    context: Mapping[str, Any]
    """The world's tables as JSON: a table of one row as an object, the others as lists; and ``today``."""
    look: str
    """Seed of the company look."""


class WorldBuilder:
    """Draws worlds of one family and preset, in one database. A context manager."""

    def __init__(self, family: Family, preset: str) -> None:
        blueprint = family.blueprint
        if preset not in blueprint.presets:
            raise BlueprintError(
                f"{blueprint.family}/family.yaml",
                family.line("presets"),
                "presets",
                f"there is no preset {preset}",
                fix=f"use one of {', '.join(blueprint.presets)}",
            )
        self.family = family
        self.preset = preset
        self.parameters = blueprint.presets[preset]
        self._database = Database()
        self._provided = {
            name: (spec.typed(), self._closed(("units", name, "drawn"), spec.drawn))
            for name, spec in blueprint.units.items()
            if spec.drawn is not None
        }
        self._read = frozenset(self._named())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()

    def _named(self) -> Iterator[str]:
        """What some query names: a table of a statement's time is made for those alone."""
        queries = [(name, query) for name, (_, query) in self._provided.items()]
        queries += [
            (name, substitute(spec.sql, self.parameters))
            for name, spec in self.family.blueprint.world.items()
            if spec.sql
        ]
        queries += [(name, spec.require) for name, spec in self.family.blueprint.world.items() if spec.require]
        for name, query in queries:
            with suppress(QueryError):  # what is refused is told when it is drawn
                yield from named(name, query)

    def _closed(self, keys: tuple[str, ...], text: str) -> str:
        query = substitute(text, self.parameters)
        try:
            parse(keys[1], query)
        except QueryError as error:
            raise self._error(keys, error.message, error.fix) from error
        return query

    def _error(self, keys: tuple[str, ...], message: str, fix: str | None = None) -> BlueprintError:
        file = f"{self.family.blueprint.family}/family.yaml"
        return BlueprintError(file, self.family.line(*keys), ".".join(keys), message, fix=fix)

    def draw(self, seed: int, attempt: int) -> World | None:
        """One world, or None where a table misses what it requires.

        Raises BlueprintError at the table or unit that cannot be drawn.
        """
        blueprint = self.family.blueprint
        stream = f"{blueprint.family}/{blueprint.version}/{self.preset}/{seed}/{attempt}"
        taken: dict[str, set[Value]] = {}
        context: dict[str, Any] = {}
        for name in blueprint.world:
            context[name] = self._table(stream, name, taken)
            if not self._holds(name):
                return None
        units = {name: self._unit(name) for name in self._provided}
        look = self._fact(context, "look", blueprint.look)
        today = self._fact(context, "today", blueprint.today)
        return World(units, {**context, "today": today}, str(look))

    def _fact(self, context: Mapping[str, Any], key: str, path: str) -> Any:
        table, _, column = path.partition(".")
        try:
            return context[table][column]
        except (KeyError, TypeError):
            raise self._error((key,), f"{path} is no column of a world table of one row") from None

    def _table(self, stream: str, name: str, taken: dict[str, set[Value]]) -> Any:
        spec = self.family.blueprint.world[name]
        if spec.sql is not None:
            query = self._closed(("world", name, "sql"), spec.sql)
            try:
                if name.casefold() in self._read:
                    self._database.create_as(name, query)
                    query = f"from {name}"
                names, _, rows = self._database.select(query)
            except GraphError as error:
                raise self._error(("world", name, "sql"), error.message) from error
            self._few(("world", name, "sql"), len(rows))
        else:
            try:
                count = self._few(("world", name, "rows"), self._count(name, spec.rows or 1))
                columns, rows = draw_table(f"{stream}/{name}", count, spec.columns, taken)
                if name.casefold() in self._read:
                    self._database.table(name, {column.name: column.type.sql for column in columns}, rows)
            except (DrawError, GraphError) as error:
                raise self._error(("world", name, "columns"), str(error)) from error
            names = [column.name for column in columns]
        facts = [{column: _json(value) for column, value in zip(names, row, strict=True)} for row in rows]
        return facts[0] if spec.rows == 1 else facts

    def _holds(self, name: str) -> bool:
        clause = self.family.blueprint.world[name].require
        if clause is None:
            return True
        keys = ("world", name, "require")
        try:
            return self._database.select(self._closed(keys, clause))[2] == [(True,)]
        except GraphError as error:
            raise self._error(keys, error.message) from error

    def _few(self, keys: tuple[str, ...], rows: int) -> int:
        if rows > MAX_ROWS:
            raise self._error(keys, f"{rows:,} rows; at most {MAX_ROWS:,} are drawn")
        return rows

    def _count(self, name: str, rows: int | str) -> int:
        if isinstance(rows, int):
            return rows
        value = self.parameters.get(rows.removeprefix("$"))
        if not isinstance(value, int):
            raise self._error(("world", name, "rows"), f"{rows} is no whole number of preset {self.preset}")
        return value

    def _unit(self, name: str) -> tuple[Row, ...]:
        columns, query = self._provided[name]
        try:
            names, types, rows = self._database.select(query)
            wanted = [column.name for column in columns]
            if names != wanted:
                raise GraphError(f"gives columns {', '.join(names)}, declared are {', '.join(wanted)}")
            for column, kind in zip(columns, types, strict=True):
                if kind != column.type.sql:
                    raise GraphError(f"{column.name} is {kind}, declared is {column.type} ({column.type.sql})")
            if name.casefold() in self._read:
                self._database.table(name, {column.name: column.type.sql for column in columns}, rows)
        except GraphError as error:
            raise self._error(("units", name, "drawn"), error.message) from error
        self._few(("units", name, "drawn"), len(rows))
        return tuple(rows)


def substitute(text: str, parameters: Mapping[str, Any]) -> str:
    """A query with its ``$parameters`` filled in; parameters are numbers, never pieces of SQL."""

    def number(match: re.Match[str]) -> str:
        value = parameters.get(match[1])
        return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else match[0]

    return re.sub(r"\$([a-z_]+)", number, text)


def _json(value: Value) -> Any:
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return value
