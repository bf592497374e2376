"""What a template sees: units as rows of bound values, and the facts of the world that no unit holds."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from workgym.graph.model import InfoUnit
from workgym.graph.relation import Key, Relation, Values
from workgym.materialize.bound import Bound, decor
from workgym.materialize.marks import Registry
from workgym.materialize.strip import Strip, cell_of
from workgym.records import Column, Value

Select = Callable[[str], list[dict[str, Any]]]
_DIGIT = re.compile(r"\d")
_ORDER = re.compile(r"^\s*([a-z][a-z0-9_]*)(?:\s+(asc|desc))?\s*$", re.IGNORECASE)


class Fault(ValueError):
    """Something that a template asks for and that is not there; becomes a MaterializeError with carrier and line."""


@dataclass(frozen=True)
class Scope:
    """The world as one carrier's template may see it."""

    values: Values
    """The rows of every unit with columns."""
    context: Mapping[str, Any] = field(default_factory=dict)
    """Facts that no unit holds (JSON types); ``today`` is the ISO date of the world."""
    rows: Mapping[str, Key] = field(default_factory=dict)
    """Units that stand for one row here, each with that row's key."""
    select: Select | None = None
    """Runs a query over the units, for ``where`` and ``order``; None where templates have none."""

    @cached_property
    def facts(self) -> Mapping[str, Any]:
        """The context as templates see it: every text or number with a digit is decor."""
        return Facts(self.context)


def near(name: str, known: list[str]) -> str:
    """A hint at what was meant, for messages."""
    close = difflib.get_close_matches(name, known, 1)
    return f"did you mean {close[0]}?" if close else f"there are {', '.join(sorted(known)) or 'none'}"


def key_part(part: object) -> str:
    """One part of a key, in the JSON form as text that keys have."""
    if isinstance(part, Bound):
        return str(part.type.dump(part.value))
    return str(part)


class Row:
    """One row of a unit; its columns are attributes."""

    __slots__ = ("key", "unit", "values")

    def __init__(self, unit: Unit, key: Key, values: tuple[Value, ...]) -> None:
        self.unit, self.key, self.values = unit, key, values

    def bound(self, name: str) -> Bound:
        """The value of a column. Raises Fault where there is no such column."""
        return self.unit.bound(name, self)

    def attribute(self, name: str) -> object:
        """What ``row.name`` means in a template."""
        return self.bound(name)

    def single(self) -> Bound:
        """The value of a row with one column outside its key. Raises Fault where there are several."""
        columns = self.unit.spec.value_columns or self.unit.spec.columns
        if len(columns) != 1:
            raise Fault(f"a row of {self.unit.name} has several columns: name one of {_names(columns)}")
        return self.bound(columns[0].name)

    def __str__(self) -> str:
        raise Fault(f"a row of {self.unit.name} cannot be printed: name one of {_names(self.unit.spec.columns)}")


def _names(columns: tuple[Column, ...]) -> str:
    return ", ".join(column.name for column in columns)


class Unit:
    """A unit with columns: iterating gives its rows, and with one row its columns are attributes."""

    __slots__ = ("bound_to", "registry", "relation")

    def __init__(self, relation: Relation, registry: Registry, bound_to: Key | None) -> None:
        self.relation, self.registry, self.bound_to = relation, registry, bound_to

    @property
    def spec(self) -> InfoUnit:
        """The unit's record."""
        return self.relation.unit

    @property
    def name(self) -> str:
        """The unit's name."""
        return self.relation.unit.name

    def _position(self, name: str) -> int:
        at = self.relation.index.get(name)
        if at is None:
            raise Fault(f"unit {self.name} has no column {name}: {near(name, list(self.relation.index))}")
        return at

    def bound(self, name: str, row: Row) -> Bound:
        """The value of a column in one of its rows. Raises Fault where there is no such column."""
        at = self._position(name)
        cell = cell_of({"unit": self.name, "key": row.key, "column": name})
        return Bound(self.registry, (cell,), self.spec.columns[at].type, row.values[at])

    def strips(self, rows: Sequence[Row]) -> Callable[[str], Strip]:
        """What gives the values of a column in some of its rows. Raises Fault where there is no such column."""
        keys, values = [row.key for row in rows], list(zip(*(row.values for row in rows), strict=True))

        def strip(name: str) -> Strip:
            at = self._position(name)
            return Strip(self.registry, self.name, name, self.spec.columns[at].type, keys, values[at] if rows else ())

        return strip

    def of(self, *parts: object) -> Row:
        """The row with this key. Raises Fault where there is none."""
        key = tuple(key_part(part) for part in parts)
        values = self.relation.by_key.get(key)
        if values is None:
            size = len(self.spec.key)
            why = f"its key is ({', '.join(self.spec.key)})" if len(key) != size else "there is no such row"
            raise Fault(f"{self.name}.of({', '.join(key)}): {why}")
        return Row(self, key, values)

    def has(self, *parts: object) -> bool:
        """Whether there is a row with this key."""
        return tuple(key_part(part) for part in parts) in self.relation.by_key

    def every(self) -> list[Row]:
        """All rows, whatever it is bound to."""
        return [Row(self, key, values) for key, values in self.relation.by_key.items()]

    def here(self) -> list[Row]:
        """The rows that iterating gives: the one that it is bound to, or all."""
        return self.every() if self.bound_to is None else [self.of(*self.bound_to)]

    def attribute(self, name: str) -> object:
        """What ``unit.name`` means in a template."""
        if name in self.relation.index:
            if self.bound_to is not None:
                return self.of(*self.bound_to).bound(name)
            rows = self.every()
            if len(rows) != 1:
                raise Fault(
                    f"unit {self.name} has {len(rows)} rows: iterate, or use {self.name}.of({', '.join(self.spec.key)})"
                )
            return rows[0].bound(name)
        if name == "of":
            return self.of
        raise Fault(f"unit {self.name} has no column {name}: {near(name, list(self.relation.index))}")

    def __iter__(self) -> Iterator[Row]:
        return iter(self.here())

    def __len__(self) -> int:
        return len(self.here())

    def __reversed__(self) -> Iterator[Row]:
        return reversed(self.here())

    def __str__(self) -> str:
        raise Fault(f"unit {self.name} cannot be printed: name one of {_names(self.spec.columns)}")


class View:
    """The names that one carrier's templates use; one for each rendering."""

    def __init__(self, scope: Scope, rows: Mapping[str, Key] | None = None) -> None:
        self.registry = Registry()
        self.scope = scope
        bound = {**scope.rows, **(rows or {})}
        for name in bound:
            if name not in scope.values:
                raise Fault(f"row: there is no unit {name}: {near(name, list(scope.values))}")
        self.units = {
            name: Unit(relation, self.registry, _key(bound[name]) if name in bound else None)
            for name, relation in scope.values.items()
        }
        for name in bound:
            self.units[name].here()
        self.names: dict[str, Any] = {
            **self.units,
            "context": scope.facts,
            "rows": self.rows,
            "exists": lambda unit, *key: self.unit(unit).has(*key),
        }

    def unit(self, named: object) -> Unit:
        """A unit by its name or itself. Raises Fault where there is none."""
        if isinstance(named, Unit):
            return named
        found = self.units.get(str(named))
        if found is None:
            raise Fault(f"there is no unit {named}: {near(str(named), list(self.units))}")
        return found

    def rows(self, unit: object, where: str | None = None, order: str | None = None, **match: object) -> list[Row]:
        """Rows of ``unit`` where columns equal values and a condition holds, in an order. Raises Fault."""
        return self.chosen(unit, where, order, match)

    def chosen(self, unit: object, where: str | None, order: str | None, match: Mapping[str, object]) -> list[Row]:
        """The same for columns of any name, ``where`` and ``order`` included."""
        source = self.unit(unit)
        found = source.every()
        for column, wanted in match.items():
            if column not in source.relation.index:
                raise Fault(f"unit {source.name} has no column {column}: {near(column, list(source.relation.index))}")
            found = [row for row in found if row.bound(column) == wanted]
        simple = None if order is None else _plain_order(order, source)
        if where is not None or (order is not None and simple is None):
            found = self._selected(source, found, where, order)
        if simple is not None:
            for column, descending in reversed(simple):
                found = sorted(found, key=partial(_sortable, column), reverse=descending)
        return found

    def _selected(self, unit: Unit, rows: list[Row], where: str | None, order: str | None) -> list[Row]:
        """``rows`` filtered and ordered by a query over the units."""
        if self.scope.select is None:
            raise Fault("where and order need queries, and there are none here")
        if not unit.spec.key:
            raise Fault(f"unit {unit.name} has no key to choose rows by")
        columns = ", ".join(f'{unit.name}."{name}"' for name in unit.spec.key)
        query = f"select {columns} from {unit.name}"
        query += f" where {where}" if where else ""
        query += f" order by {order}" if order else ""
        by_key = {row.key: row for row in rows}
        types = [unit.spec.column(name).type for name in unit.spec.key]
        chosen = []
        for record in self.scope.select(query):
            key = tuple(str(type_.dump(type_.load(raw))) for type_, raw in zip(types, record.values(), strict=True))
            chosen.append(key)
        if order:
            return [by_key[key] for key in chosen if key in by_key]
        wanted = set(chosen)
        return [row for row in rows if row.key in wanted]


def _key(key: object) -> Key:
    return (str(key),) if isinstance(key, str) else tuple(str(part) for part in key)  # type: ignore[attr-defined]


def _plain_order(order: str, unit: Unit) -> list[tuple[str, bool]] | None:
    """Columns of the unit and whether each descends, or None where ``order`` is more than that."""
    found = []
    for part in order.split(","):
        match = _ORDER.match(part)
        if match is None or match[1] not in unit.relation.index:
            return None
        found.append((match[1], (match[2] or "").lower() == "desc"))
    return found


def _sortable(column: str, row: Row) -> tuple[bool, Any]:
    value = row.bound(column).value
    return (value is None, 0 if value is None else value)


class Facts(Mapping[str, Any]):
    """Facts by name, each declared when it is first asked for: a world has many rows that no template reads."""

    def __init__(self, facts: Mapping[str, Any]) -> None:
        self._facts = facts
        self._declared: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._declared:
            self._declared[name] = declared(self._facts[name])
        return self._declared[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._facts)

    def __len__(self) -> int:
        return len(self._facts)


def declared(facts: Any) -> Any:
    """Plain facts in which every text or number with a digit is decor."""
    if isinstance(facts, str):
        return decor(facts) if _DIGIT.search(facts) else facts
    if isinstance(facts, (list, tuple)):
        return [declared(fact) for fact in facts]
    if isinstance(facts, Mapping):
        return {name: declared(fact) for name, fact in facts.items()}
    return facts if facts is None or isinstance(facts, bool) else decor(facts)
