"""Robustness: no discrete result hangs on the last half unit of a measured premise."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator
from decimal import Decimal
from functools import partial

from workgym.graph.evaluate import Evaluator, provided
from workgym.graph.lineage import compared
from workgym.graph.model import SupportGraph
from workgym.graph.relation import Relation, Values
from workgym.graph.whatif import imagine
from workgym.records import Finding, Value

_SHAKES = 4
"""Random directions in which all premises are moved at once."""


def robustness(graph: SupportGraph, values: Values, evaluator: Evaluator) -> Iterator[Finding]:
    """No discrete result flips when all measured premises move by half a unit of their printed precision.

    Numbers that a query compares for equality, directly or further on, are exact by nature (a booked
    amount) and are not moved.
    """
    given = provided(graph, values)
    exact = compared(graph)
    rng = random.Random("robustness")
    discrete = {
        unit.name: _discrete(values[unit.name])
        for unit in graph.relations("derived")
        if any(not column.type.numeric for column in unit.columns)
    }
    if not discrete:
        return
    directions = [lambda: 1, lambda: -1, *[lambda: rng.choice((-1, 1))] * (_SHAKES - 2)]
    worlds = [{name: _moved(relation, exact, to) for name, relation in given.items()} for to in directions]
    flipped: set[str] = set()

    def flips(_: int, new: Relation) -> bool:
        if new.unit.name in discrete and _discrete(new) != discrete[new.unit.name]:
            flipped.add(new.unit.name)
        return False

    errors = imagine(evaluator, given, worlds, flips, nearby=True)
    flipped |= {error.unit for error in errors.values()}
    alone = _alone(given, values, evaluator, flipped) if flipped else {}
    for name in sorted(flipped):
        cause = f"{', '.join(alone[name])} alone does it" if name in alone else "they do it together"
        yield Finding(
            check="robustness",
            severity="hard",
            defect="self-inconsistency",
            unit=name,
            message=f"{name} flips when its premises move by half a unit of their printed precision: {cause}",
        )


def _alone(given: Values, values: Values, evaluator: Evaluator, flipped: Collection[str]) -> dict[str, list[str]]:
    """By unit that flips, the provided columns that do it without the others, as ``unit.column``."""
    exact = compared(evaluator.graph)
    moves = [
        (f"{name}.{column.name}", {**given, name: moved})
        for name, relation in given.items()
        for column in relation.unit.value_columns
        for to in (1, -1)
        if (moved := _moved(relation, exact, partial(int, to), column.name)) is not relation
    ]
    found: dict[str, list[str]] = {}

    def flips(world: int, new: Relation) -> bool:
        if new.unit.name in flipped and _discrete(new) != _discrete(values[new.unit.name]):
            found.setdefault(new.unit.name, []).append(moves[world][0])
        return False

    errors = imagine(evaluator, given, [world for _, world in moves], flips, nearby=True)
    for world, error in errors.items():
        found.setdefault(error.unit, []).append(moves[world][0])
    return {name: list(dict.fromkeys(columns)) for name, columns in found.items()}


def _moved(
    relation: Relation, exact: frozenset[str], direction: Callable[[], int], only: str | None = None
) -> Relation:
    """The rows with all numbers moved that are measured, or with those of one column."""
    columns = relation.unit.columns
    rows = tuple(
        tuple(
            value + direction() * column.type.step / 2
            if isinstance(value, Decimal)
            and only in (None, column.name)
            and column.name not in relation.unit.key
            and f"{relation.unit.name}.{column.name}" not in exact
            else value
            for column, value in zip(columns, row, strict=True)
        )
        for row in relation.rows
    )
    return relation if rows == relation.rows else Relation(relation.unit, rows)


def _discrete(relation: Relation) -> set[tuple[Value, ...]]:
    keep = [
        position
        for position, column in enumerate(relation.unit.columns)
        if not column.type.numeric or column.name in relation.unit.key
    ]
    return {tuple([row[position] for position in keep]) for row in relation.rows}
