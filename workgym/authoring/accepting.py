"""Handed tables, rules and objectives of a family file, as graph records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from pydantic import ValidationError

from workgym.authoring.blueprint import DeliverableSpec, Family, UnitSpec
from workgym.authoring.drawing import substitute
from workgym.authoring.handing import HandedSpec, ObjectiveSpec
from workgym.errors import BlueprintError, GraphError
from workgym.graph import Acceptance, Column, Deliverable, Handed, Objective, SupportGraph
from workgym.graph.accepting import queries
from workgym.graph.lineage import schema
from workgym.records import ColumnType

Keys = tuple[str | int, ...]
Raise = Callable[[Keys, str], BlueprintError]


def accepting(family: Family, path: str, parameters: Mapping[str, Any], error: Raise) -> dict[str, Any]:
    """The fields of a deliverable that say what is accepted. Raises BlueprintError with file, line and key."""
    spec = family.blueprint.deliverables[path]
    found: dict[str, list[Any]] = {"handed": [], "accepts": [], "objectives": []}
    for kind, name, make in _records(spec, family.blueprint.units, parameters):
        try:
            found["handed" if kind == "tables" else kind].append(make())
        except ValidationError as problem:
            message = problem.errors()[0]["msg"].removeprefix("Value error, ")
            raise error(("deliverables", path, kind, name), message) from problem
        except ValueError as problem:
            raise error(("deliverables", path, kind, name), str(problem)) from problem
    fields = {field: tuple(records) for field, records in found.items()}
    try:
        Deliverable.model_validate({"path": path, "states": spec.stated(), **fields})
    except ValidationError as problem:
        message = problem.errors()[0]["msg"].removeprefix("Value error, ")
        raise error(("deliverables", path), message) from problem
    return fields


def _records(
    spec: DeliverableSpec, units: Mapping[str, UnitSpec], parameters: Mapping[str, Any]
) -> Iterator[tuple[str, str, Callable[[], Any]]]:
    for name, table in spec.tables.items():
        yield "tables", name, partial(_table, name, table, units, parameters)
    for name, rule in spec.accepts.items():
        query = substitute(rule.sql, parameters)
        yield "accepts", name, partial(Acceptance, name=name, says=rule.says, query=query, weight=rule.weight)
    for name, goal in spec.objectives.items():
        yield "objectives", name, partial(_objective, name, goal, parameters)


def _table(name: str, spec: HandedSpec, units: Mapping[str, UnitSpec], parameters: Mapping[str, Any]) -> Handed:
    for column in spec.labels:
        if column not in spec.columns:
            raise ValueError(f"labels: {column} is not a column of the table {name}")
    covers = None
    if spec.covers is not None:
        unit, _, condition = substitute(spec.covers, parameters).partition(" where ")
        key = units[unit].key if unit in units else ()
        if not key:
            raise ValueError(f"covers: there is no unit {unit} with a key")
        covers = f"select distinct {', '.join(key)} from {unit}" + (f" where {condition}" if condition else "")
    return Handed(
        name=name,
        columns=tuple(
            Column(name=column, type=ColumnType.parse(written), label=spec.labels.get(column))
            for column, written in spec.columns.items()
        ),
        key=spec.key,
        of=spec.of,
        sheet=spec.sheet,
        covers=covers,
        weight=spec.weight,
    )


def _objective(name: str, spec: ObjectiveSpec, parameters: Mapping[str, Any]) -> Objective:
    best = substitute(str(spec.best), parameters).strip()
    if not best.lower().startswith(("select", "with")):
        unit, _, column = best.partition(".")
        best = f"select {column} from {unit}" if unit.isidentifier() else f"select {best}"
    return Objective(
        name=name,
        says=spec.says,
        query=substitute(spec.sql, parameters),
        best=best,
        sense=spec.sense,
        gap=str(spec.gap),
        half=None if spec.half is None else str(spec.half),
        weight=spec.weight,
    )


def check_queries(graph: SupportGraph, error: Raise) -> None:
    """Every query of what is accepted compiles. Raises BlueprintError at the part that it stands in."""
    units = schema(graph.units)
    for deliverable in graph.deliverables:
        for kind, name, alone in _alone(deliverable):
            try:
                for _ in queries(alone, units):
                    pass
            except GraphError as problem:
                raise error(("deliverables", deliverable.path, kind, name), problem.message) from problem


def _alone(deliverable: Deliverable) -> Iterator[tuple[str, str, Deliverable]]:
    """Each part with its kind and name, in a deliverable that has no other; rules have their tables."""
    bare = deliverable.model_copy(update={"accepts": (), "objectives": ()})
    for at, table in enumerate(deliverable.handed):
        yield "tables", table.name, bare.model_copy(update={"handed": deliverable.handed[: at + 1]})
    for rule in deliverable.accepts:
        yield "accepts", rule.name, bare.model_copy(update={"accepts": (rule,)})
    for goal in deliverable.objectives:
        yield "objectives", goal.name, bare.model_copy(update={"objectives": (goal,)})
