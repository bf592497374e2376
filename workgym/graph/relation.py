"""The rows of a unit: an immutable table of typed values, with its key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from workgym.errors import EvaluationError
from workgym.graph.model import InfoUnit
from workgym.records import Cell, ColumnType, Scalar, Value

Key = tuple[str, ...]
"""A row's key: each part in its JSON form as text; empty for a scalar."""


@dataclass(frozen=True)
class Relation:
    """Rows of ``unit``; each row is a tuple of values in the order of the unit's columns."""

    unit: InfoUnit
    rows: tuple[tuple[Value, ...], ...]

    @classmethod
    def load(cls, unit: InfoUnit, rows: Iterable[Mapping[str, object]]) -> Relation:
        """From JSON rows. Raises EvaluationError where a value does not fit its column."""
        table = []
        for number, row in enumerate(rows, 1):
            try:
                table.append(tuple(column.type.load(row.get(column.name)) for column in unit.columns))
            except (ValueError, ArithmeticError) as error:
                raise EvaluationError(unit.name, f"row {number}: {error}") from error
        return cls(unit, tuple(table))

    def dump(self) -> list[dict[str, Scalar]]:
        """JSON rows, read back equal by :meth:`load`."""
        return [
            {column.name: column.type.dump(value) for column, value in zip(self.unit.columns, row, strict=True)}
            for row in self.rows
        ]

    @cached_property
    def index(self) -> dict[str, int]:
        """Position of each column."""
        return {column.name: position for position, column in enumerate(self.unit.columns)}

    def key(self, row: tuple[Value, ...]) -> Key:
        """The key of a row."""
        return tuple([str(kind.dump(row[position])) for position, kind in self._key_columns])

    @cached_property
    def _key_columns(self) -> list[tuple[int, ColumnType]]:
        return [(self.index[name], self.unit.column(name).type) for name in self.unit.key]

    @cached_property
    def by_key(self) -> dict[Key, tuple[Value, ...]]:
        """Rows by key. Raises EvaluationError where a key is there twice."""
        found: dict[Key, tuple[Value, ...]] = {}
        for row in self.rows:
            key = self.key(row)
            if key in found:
                raise EvaluationError(self.unit.name, "this key is there twice", key=key)
            found[key] = row
        return found

    def value(self, key: Key, column: str) -> Value:
        """One value; None where the row is absent."""
        row = self.by_key.get(key)
        return None if row is None else row[self.index[column]]

    def cells(self) -> Iterator[tuple[Cell, Value]]:
        """Every cell outside the key, or every cell where all columns are key, with its value."""
        columns = self.unit.value_columns or self.unit.columns
        for key, row in self.by_key.items():
            for column in columns:
                yield Cell(unit=self.unit.name, key=key, column=column.name), row[self.index[column.name]]

    def with_value(self, key: Key, column: str, value: Value) -> Relation:
        """The same rows with one value replaced. Raises EvaluationError where the row is absent."""
        if key not in self.by_key:
            raise EvaluationError(self.unit.name, "there is no such row", key=key)
        at = self.index[column]
        row = self.by_key[key]
        changed = (*row[:at], value, *row[at + 1 :])
        rows = {**self.by_key, key: changed}
        return self._of(rows) if column not in self.unit.key else replace(self, rows=tuple(rows.values()))

    def without(self, key: Key) -> Relation:
        """The same rows without one."""
        return self._of({other: row for other, row in self.by_key.items() if other != key})

    def columns(self, names: Sequence[str]) -> list[tuple[Value, ...]]:
        """The rows cut down to some columns."""
        places = [self.index[name] for name in names]
        return [tuple([row[at] for at in places]) for row in self.rows]

    def _of(self, by_key: dict[Key, tuple[Value, ...]]) -> Relation:
        changed = replace(self, rows=tuple(by_key.values()))
        changed.__dict__["by_key"] = by_key  # what cached_property would compute again
        return changed


Values = Mapping[str, Relation]
"""The rows of every unit with columns, by name."""
