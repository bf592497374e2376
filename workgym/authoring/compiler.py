"""From a family, a preset and a seed to a graph, its rows and a construction plan.

The graph depends on family and preset only. The seed makes a world; a world that misses a ``require``
clause, a margin or a trap is drawn again, at most ``MAX_WORLDS`` times, and how often is recorded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from pydantic import ValidationError

from workgym.authoring.accepting import accepting, check_queries
from workgym.authoring.blueprint import Family, UnitSpec
from workgym.authoring.carriers import artifacts, carriers, located
from workgym.authoring.drawing import WorldBuilder, substitute
from workgym.errors import BlueprintError, EvaluationError, GraphError
from workgym.graph import (
    Conflict,
    Control,
    Deliverable,
    Evaluator,
    InfoUnit,
    Margin,
    Relation,
    SupportGraph,
    Trap,
    Values,
    compile_graph,
    evaluating,
)
from workgym.graph.checks import clear
from workgym.graph.traps import trapped
from workgym.graph.whatif import imagine
from workgym.plan import ArtifactSpec, ConstructionPlan

MAX_WORLDS = 100
"""How many worlds are drawn for one seed before the family is called too narrow."""


@dataclass(frozen=True)
class Compiled:
    """What a family gives for one preset and seed."""

    graph: SupportGraph
    values: Values
    """All units' rows, derived ones included."""
    plan: ConstructionPlan
    worlds: int
    """How many worlds were drawn until one was accepted."""


def compile_family(family: Family, preset: str, seed: int) -> Compiled:
    """Compile one task. Raises BlueprintError with file, line and key."""
    graph, error = graph_of(family, preset), partial(_error, family)
    with WorldBuilder(family, preset) as builder, evaluating(graph) as evaluator:
        for attempt in range(1, MAX_WORLDS + 1):
            world = builder.draw(seed, attempt)
            if world is None:
                continue
            values = _evaluated(
                family, evaluator, {name: Relation(graph.unit(name), rows) for name, rows in world.units.items()}
            )
            if _accepted(family, builder, evaluator, graph, values):
                specs, dependencies = artifacts(family, evaluator, error)
                break
        else:
            raise _error(family, ("require",), f"no world of {MAX_WORLDS} satisfies every clause for seed {seed}")
    graph = graph.model_copy(update={"carriers": carriers(family, specs)})
    plan = ConstructionPlan(
        request=ArtifactSpec(path="request.md", template=family.templates[family.blueprint.request]),
        artifacts=tuple(specs),
        dependencies=dependencies,
        context=world.context,
        look=world.look,
    )
    plan.ordered()
    return Compiled(graph, values, plan, attempt)


def _error(family: Family, keys: tuple[str | int, ...], message: str, fix: str | None = None) -> BlueprintError:
    file = f"{family.blueprint.family}/family.yaml"
    return BlueprintError(file, family.line(*keys), ".".join(map(str, keys)), message, fix=fix)


_GRAPHS: dict[tuple[str, str], SupportGraph] = {}


def graph_of(family: Family, preset: str) -> SupportGraph:
    """The graph of a family and preset, without the carriers that the world decides. Raises BlueprintError."""
    memo = (family.fingerprint(), preset)
    if memo not in _GRAPHS:
        _GRAPHS[memo] = _graph(family, preset)
    return _GRAPHS[memo]


def _graph(family: Family, preset: str) -> SupportGraph:
    parameters = family.blueprint.presets[preset]
    units = tuple(_unit(family, name, spec, parameters) for name, spec in family.blueprint.units.items())
    blueprint = family.blueprint
    draft = SupportGraph(
        units=units,
        carriers=(),
        deliverables=tuple(
            Deliverable(
                path=path,
                states=_stated(family, path),
                live_formulas=spec.live_formulas,
                exact_rows=spec.exact_rows,
                rubric=spec.rubric,
                edits=spec.edits,
                **accepting(family, path, parameters, partial(_error, family)),
            )
            for path, spec in blueprint.deliverables.items()
        ),
        conflicts=tuple(
            Conflict(
                between=spec.between,
                rule=spec.rule,
                resolved_by=located(spec.resolved_by, ("conflicts", number, "resolved_by"), partial(_error, family)),
            )
            for number, spec in enumerate(blueprint.conflicts)
        ),
        traps=tuple(
            Trap(
                name=trap.name,
                given={unit: substitute(query, parameters) for unit, query in trap.given.items()},
                must_change=trap.must_change,
            )
            for trap in blueprint.traps
        ),
    )
    _check_names(family, draft)
    check_queries(draft, partial(_error, family))
    try:
        graph = compile_graph(draft)
    except GraphError as error:
        keys = ("units", error.unit, "sql") if hasattr(error, "unit") else ("units",)
        raise _error(family, keys, error.message, error.fix) from error
    return graph


def _stated(family: Family, path: str) -> tuple[Any, ...]:
    try:
        return family.blueprint.deliverables[path].stated()
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise _error(family, ("deliverables", path, "states"), f"{where}: {first['msg']}") from error


def _unit(family: Family, name: str, spec: UnitSpec, parameters: Mapping[str, Any]) -> InfoUnit:
    if (spec.status in ("provided", "external") and bool(spec.columns)) != (spec.drawn is not None):
        raise _error(
            family, ("units", name), "a provided unit with columns has one `drawn` query, and nothing else has one"
        )
    if (spec.status == "derived" and bool(spec.columns)) != (spec.sql is not None):
        raise _error(
            family, ("units", name), "a derived unit with columns has one `sql` query, and nothing else has one"
        )
    wanted = spec.margin
    margin = None if wanted is None else Margin(of=wanted.of, at_least=wanted.fraction, end=wanted.end)
    try:
        return InfoUnit(
            name=name,
            content=spec.content,
            entity=spec.entity,
            scope=spec.scope,
            status=spec.status,
            columns=spec.typed(),
            key=spec.key,
            query=substitute(spec.sql, parameters) if spec.sql else None,
            domain=substitute(_domain(spec), parameters) if spec.for_each else None,
            controls=tuple(
                Control(name=item.name, query=substitute(item.sql, parameters), says=item.says)
                for item in spec.controls
            ),
            rule=spec.rule,
            rounding=spec.rounding,
            permits=spec.permits,
            role=spec.role,
            superseded_by=spec.superseded_by,
            premises=spec.premises,
            decision=spec.decision,
            margin=margin,
        )
    except ValidationError as error:
        raise _error(family, ("units", name), error.errors()[0]["msg"].removeprefix("Value error, ")) from error


def _domain(spec: UnitSpec) -> str:
    unit, _, condition = (spec.for_each or "").partition(" where ")
    return f"select distinct {', '.join(spec.key)} from {unit}" + (f" where {condition}" if condition else "")


def _check_names(family: Family, graph: SupportGraph) -> None:
    def unit(name: str, *keys: str | int) -> InfoUnit:
        if name not in graph.by_name:
            raise _error(family, keys, f"there is no unit {name}")
        return graph.unit(name)

    for deliverable in graph.deliverables:
        for item in deliverable.states:
            stated = unit(item.unit, "deliverables", deliverable.path, "states", item.unit)
            for name in item.cites:
                unit(name, "deliverables", deliverable.path, "states", item.unit)
            for column in (*item.labels, *item.places):
                if column not in {known.name for known in stated.columns}:
                    raise _error(
                        family,
                        ("deliverables", deliverable.path, "states", item.unit),
                        f"{item.unit} has no column {column}",
                    )
        for number, rubric in enumerate(deliverable.rubric):
            for name in rubric.rests_on:
                unit(name.split(".")[0], "deliverables", deliverable.path, "rubric", number)
    for spec in graph.units:
        named = [("decision", spec.decision.admissible)] if spec.decision else []
        for key, path in [*named, *([("margin", spec.margin.of)] if spec.margin else [])]:
            name, _, column = path.partition(".")
            if column not in {known.name for known in unit(name, "units", spec.name, key).columns}:
                raise _error(family, ("units", spec.name, key), f"{name} has no column {column or '(none is named)'}")
    for number, trap in enumerate(graph.traps):
        for name in (*trap.given, *trap.must_change):
            unit(name, "traps", number)
    for number, conflict in enumerate(graph.conflicts):
        for name in (*conflict.between, conflict.rule):
            unit(name, "conflicts", number)


def _evaluated(family: Family, evaluator: Evaluator, rows: Mapping[str, Relation]) -> dict[str, Relation]:
    try:
        return evaluator.evaluate(rows)
    except EvaluationError as error:
        raise _error(family, ("units", error.unit), error.message, error.fix) from error


def _accepted(
    family: Family, builder: WorldBuilder, evaluator: Evaluator, graph: SupportGraph, values: Mapping[str, Relation]
) -> bool:
    for number, clause in enumerate(family.blueprint.require):
        try:
            rows = evaluator.select(substitute(clause, builder.parameters))
        except GraphError as error:
            raise _error(family, ("require", number), error.message) from error
        if [list(row.values()) for row in rows] != [[True]]:
            return False
    if not all(clear(values, unit.margin) for unit in graph.units if unit.margin):
        return False
    mistaken = []
    for number, trap in enumerate(graph.traps):
        with _trap_errors(family, number, trap):
            mistaken.append(trapped(evaluator, graph, values, trap))
    return _bite(family, evaluator, values, graph.traps, mistaken)


@contextmanager
def _trap_errors(family: Family, number: int, trap: Trap) -> Iterator[None]:
    try:
        yield
    except GraphError as error:
        raise _error(family, ("traps", number, "given"), f"{trap.name}: {error.message}") from error


def _bite(
    family: Family, evaluator: Evaluator, values: Values, traps: Sequence[Trap], mistaken: Sequence[Values]
) -> bool:
    """Whether each trap changes all that it says; ``mistaken`` are the premises as each takes them."""
    unmoved = [set(trap.must_change) for trap in traps]
    missed: set[int] = set()

    def known(world: int, new: Relation) -> bool:
        name = new.unit.name
        if name in unmoved[world] and new.by_key == values[name].by_key:
            missed.add(world)
        unmoved[world].discard(name)
        return world in missed or not unmoved[world]

    errors = imagine(evaluator, values, mistaken, known)
    for number, trap in enumerate(traps):
        if number in errors:
            with _trap_errors(family, number, trap):
                raise errors[number]
        if number in missed or unmoved[number]:
            return False
    return True
