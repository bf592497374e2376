"""What rows must be like: typed as declared, complete, and nothing absent without hurting.

All that raise raise EvaluationError with the unit and, where there is one, the key of the row.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any

from workgym.errors import EvaluationError
from workgym.graph.model import InfoUnit
from workgym.graph.relation import Key, Relation
from workgym.records import Column, Value


def derived_rows(
    unit: InfoUnit, names: Sequence[str], types: Sequence[str], rows: Iterable[Sequence[Any]], *, exact: bool
) -> Relation:
    """What a query gave, as rows of its unit in the order of their keys; ``names`` and ``types`` are the query's.

    With ``exact`` numbers are taken as they are, whatever type they came in. Raises where columns or types are not
    those declared, where a value is empty, and where a scalar has not one row.
    """
    if list(names) != [column.name for column in unit.columns]:
        raise _other_columns(unit, names)
    typed = _typed(unit, types, [tuple(row) for row in rows], exact)
    places = [index for index, column in enumerate(unit.columns) if column.name in unit.key]
    # the database's own order depends on what was loaded before
    typed.sort(key=lambda row: [(row[at] is None, row[at]) for at in places])
    relation = Relation(unit, tuple(typed))
    if not unit.key and len(relation.rows) != 1:
        raise EvaluationError(unit.name, f"is a scalar and comes out with {len(relation.rows)} rows")
    for key, row in relation.by_key.items():
        for column, value in zip(unit.columns, row, strict=True):
            if value is None:
                raise EvaluationError(unit.name, f"{column.name} comes out empty", key=key)
    return relation


def _typed(unit: InfoUnit, types: Sequence[str], rows: list[tuple[Any, ...]], exact: bool) -> list[tuple[Value, ...]]:
    free = [exact and column.type.numeric for column in unit.columns]
    for column, kind, loose in zip(unit.columns, types, free, strict=True):
        if rows and not loose and kind != column.type.sql:
            raise _other_type(unit, column, kind)
    choices = [(at, column) for at, column in enumerate(unit.columns) if column.type.options]
    for row in rows if choices else ():
        for at, column in choices:
            if row[at] is not None and row[at] not in column.type.options:
                raise EvaluationError(unit.name, f"{column.name} is {row[at]!r}, which is not {column.type}")
    if not any(free):
        return rows
    return [
        tuple(_exact(value) if any_type else value for any_type, value in zip(free, row, strict=True)) for row in rows
    ]


def _exact(value: Any) -> Value:
    if value is None:
        return None
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)


def _other_columns(unit: InfoUnit, names: Sequence[str]) -> EvaluationError:
    wanted = ", ".join(column.name for column in unit.columns)
    return EvaluationError(unit.name, f"the query gives columns {', '.join(names)}, declared are {wanted}")


def _other_type(unit: InfoUnit, column: Column, kind: str) -> EvaluationError:
    declared = f"{column.type} ({column.type.sql})"
    fix = f"cast(... as {column.type.sql.lower()})"
    return EvaluationError(unit.name, f"{column.name} is {kind}, declared is {declared}", fix=fix)


def mistyped(unit: InfoUnit, names: Sequence[str], types: Sequence[str]) -> Iterator[EvaluationError]:
    """What is wrong with the columns that a query gives, whatever its rows."""
    if list(names) != [column.name for column in unit.columns]:
        yield _other_columns(unit, names)
        return
    for column, kind in zip(unit.columns, types, strict=True):
        if kind != column.type.sql:
            yield _other_type(unit, column, kind)


def check_given(relation: Relation, read: Collection[str]) -> None:
    """A scalar has one row, and no column that something reads is empty."""
    unit = relation.unit
    if not unit.key and len(relation.rows) != 1:
        raise EvaluationError(unit.name, f"is a scalar and has {len(relation.rows)} rows")
    for key, row in relation.by_key.items():
        for column, value in zip(unit.columns, row, strict=True):
            if value is None and column.name in read:
                raise EvaluationError(unit.name, f"{column.name} is absent", key=key)


def check_keys(relation: Relation, wanted: set[Key]) -> None:
    """The keys are those of the declared domain."""
    if relation.by_key.keys() == wanted:
        return
    for key in sorted(wanted - set(relation.by_key)):
        raise EvaluationError(relation.unit.name, "this row is missing", key=key)
    for key in sorted(set(relation.by_key) - wanted):
        raise EvaluationError(relation.unit.name, "this row has no counterpart", key=key)


def keys_of(unit: InfoUnit, rows: Iterable[tuple[Any, ...]]) -> set[Key]:
    """The keys that the rows of a domain's query are, in the order of the unit's key."""
    kinds = [unit.column(name).type for name in unit.key]
    return {tuple([str(kind.dump(value)) for kind, value in zip(kinds, row, strict=True)]) for row in set(rows)}
