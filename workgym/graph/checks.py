"""Checks of a graph and its rows that need no files. Each yields findings; none means that it holds.

``acyclic``, ``truth``, ``absence``, ``necessity``, ``robustness`` and ``margin``; those that need the
carriers are in ``workgym.check``.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal

import networkx as nx

from workgym.errors import EvaluationError
from workgym.graph import accepting
from workgym.graph.evaluate import Evaluator, evaluating, provided
from workgym.graph.inquiry import Inquiry, inquire, moving
from workgym.graph.lineage import columns_read, cycle, needed, schema
from workgym.graph.model import InfoUnit, Margin, SupportGraph
from workgym.graph.relation import Relation, Values
from workgym.graph.robustness import robustness
from workgym.records import Column, Finding, Value

_SAMPLE = 8
"""Cells that the necessity check perturbs, a seeded sample."""


def acyclic(graph: SupportGraph) -> Iterator[Finding]:
    """``E_info`` has no cycle, and every derived unit rests on provided or external premises only.

    No query reads a distractor; a judgement may rest on one, which is then read by people alone.
    """
    circle = cycle(graph)
    if circle:
        yield Finding(
            check="acyclic",
            severity="hard",
            defect="broken derivation",
            unit=circle[0],
            message=f"units depend on each other: {' -> '.join((*circle, circle[0]))}",
        )
        return
    info = graph.premises()
    for unit in graph.units:
        if unit.status != "derived":
            continue
        for premise in sorted(nx.ancestors(info, unit.name)):
            source = graph.unit(premise)
            if source.status == "internal" and not source.rule:
                yield Finding(
                    check="acyclic",
                    severity="hard",
                    defect="broken derivation",
                    unit=unit.name,
                    message=f"{unit.name} rests on {premise}, which is for construction only",
                )
            if source.role == "distractor" and unit.columns:
                yield Finding(
                    check="acyclic",
                    severity="hard",
                    defect="self-inconsistency",
                    unit=unit.name,
                    message=f"the result {unit.name} rests on {premise}, which is declared a distractor",
                )


def static(graph: SupportGraph) -> Iterator[Finding]:
    """What can be told without evaluating anything: ``acyclic``, and what no query reads."""
    yield from acyclic(graph)
    if not cycle(graph):
        yield from _spare(graph, columns_read(graph), needed(graph))


def truth(graph: SupportGraph, values: Values, evaluator: Evaluator) -> Iterator[Finding]:
    """The stored derived rows are what the queries give for the provided rows as they stand."""
    try:
        computed = evaluator.evaluate(provided(graph, values))
    except EvaluationError as error:
        yield Finding(
            check="truth",
            severity="hard",
            defect="broken derivation",
            unit=error.unit,
            key=tuple(str(part) for part in error.key or ()),
            message=str(error),
        )
        return
    for unit in graph.relations("derived"):
        stored = values.get(unit.name)
        if stored is None or stored.by_key != computed[unit.name].by_key:
            yield Finding(
                check="truth",
                severity="hard",
                defect="self-inconsistency",
                unit=unit.name,
                message=f"the stored rows of {unit.name} are not what its query gives",
            )


def absence(graph: SupportGraph, values: Values) -> Inquiry:
    """Without any one needed row, evaluation fails or loses a key; it never gives a plausible number.

    A key of what is handed in must be lost; what is lost on the way may be summed over.
    """
    given = provided(graph, values)
    rows = [
        (given[name], key)
        for name in sorted(needed(graph, accepted=False))
        if name in given and given[name].unit.key  # a scalar without its row is an error by itself
        for key in given[name].by_key
    ]
    stated = {item.unit for deliverable in graph.deliverables for item in deliverable.states}
    hurt: set[int] = set()

    def loses(world: int, new: Relation) -> bool:
        lost = new.unit.name in stated and bool(set(values[new.unit.name].by_key) - set(new.by_key))
        if lost:
            hurt.add(world)
        return lost

    def told(errors: Mapping[int, EvaluationError]) -> Iterator[Finding]:
        for world, (relation, key) in enumerate(rows):
            if world not in hurt and world not in errors:
                yield Finding(
                    check="absence",
                    severity="hard",
                    defect="broken derivation",
                    unit=relation.unit.name,
                    key=key,
                    message=f"{relation.unit.name} {', '.join(key)} can be absent without anyone noticing",
                )

    return Inquiry([{**given, relation.unit.name: relation.without(key)} for relation, key in rows], loses, told)


def necessity(graph: SupportGraph, values: Values) -> Inquiry:
    """What is provided is read, or declared a distractor; and what is read moves something."""
    read, wanted = columns_read(graph), needed(graph)
    judged = accepting.reads(graph, schema(graph.units))  # what judges answers need not move what is worked out
    moves = {name: columns - judged.get(name, set()) for name, columns in read.items()}
    return _inert(values, provided(graph, values), wanted, moves, tuple(_spare(graph, read, wanted)))


def _spare(graph: SupportGraph, read: Mapping[str, set[str]], wanted: frozenset[str]) -> Iterator[Finding]:
    rests = {name for item in graph.deliverables for rubric in item.rubric for name in rubric.rests_on}
    for unit in graph.relations("provided", "external"):
        if unit.role == "distractor":
            continue
        if unit.name not in wanted:
            yield _unread(unit, None, f"nothing that is handed in rests on {unit.name}; declare it a distractor")
            continue
        for column in unit.columns:
            if column.name in unit.key:
                continue  # it names the row
            if column.name not in read.get(unit.name, ()) and not rests & {unit.name, f"{unit.name}.{column.name}"}:
                yield _unread(unit, column.name, f"no query reads {unit.name}.{column.name}")


def _unread(unit: InfoUnit, column: str | None, message: str) -> Finding:
    return Finding(
        check="necessity", severity="hard", defect="self-inconsistency", unit=unit.name, column=column, message=message
    )


def _inert(
    values: Values, given: Values, wanted: frozenset[str], read: Mapping[str, set[str]], found: Sequence[Finding]
) -> Inquiry:
    """Cells that are read and move nothing; ``found`` is told before."""
    cells = [
        (relation, key, column)
        for name, relation in sorted(given.items())
        if name in wanted
        for key in relation.by_key
        for column in relation.unit.value_columns
        if column.name in read.get(name, ()) and (column.type.numeric or column.type.options)
    ]
    rng = random.Random("necessity")
    rules = [cell for cell in cells if cell[0].unit.rule]
    plain = [cell for cell in cells if not cell[0].unit.rule]
    sample = rules + rng.sample(plain, min(_SAMPLE, len(plain)))
    trials = [
        (number, {**given, relation.unit.name: relation.with_value(key, column.name, other)})
        for number, (relation, key, column) in enumerate(sample)
        for others in (_others(column, relation.value(key, column.name)),)
        for other in (others if relation.unit.rule else others[:1])
    ]

    def told(moved: Sequence[bool]) -> Iterator[Finding]:
        yield from found
        moves = {number for (number, _), moves_it in zip(trials, moved, strict=True) if moves_it}
        for number, (relation, key, column) in enumerate(sample):
            if number not in moves:
                yield Finding(
                    check="necessity",
                    severity="soft",
                    defect="self-inconsistency",
                    unit=relation.unit.name,
                    key=key,
                    column=column.name,
                    message=f"{relation.unit.name}.{column.name} is read, and moves nothing here",
                )

    return moving(values, [changed for _, changed in trials], told)


def _others(column: Column, value: Value) -> list[Value]:
    if column.type.options:
        return [option for option in column.type.options if option != value]
    number, step = Decimal(str(value)), column.type.step
    return [column.type.load(number * 2 + step * 1000), column.type.load((number / 2).quantize(step))]


def margin(graph: SupportGraph, values: Values) -> Iterator[Finding]:
    """Discrete results are as clear-cut as the graph demands."""
    for unit in graph.units:
        if unit.margin is not None and not clear(values, unit.margin):
            yield Finding(
                check="margin",
                severity="hard",
                defect="self-inconsistency",
                unit=unit.name,
                message=f"{unit.name} is decided by less than {unit.margin.at_least:%} of {unit.margin.of}",
            )


def clear(values: Values, margin: Margin) -> bool:
    """Whether the best two of the ranked numbers are far enough apart."""
    unit, _, column = margin.of.partition(".")
    relation = values[unit]
    numbers = sorted(Decimal(str(row[relation.index[column]])) for row in relation.rows)
    if len(numbers) < 2:
        return True
    best, second = (numbers[0], numbers[1]) if margin.end == "lowest" else (numbers[-1], numbers[-2])
    return abs(best - second) >= margin.at_least * abs(best)


GRAPH_CHECKS = ("truth", "absence", "necessity", "robustness", "margin")
"""The checks that evaluate, in order; ``acyclic`` comes before, a failing ``truth`` ends them."""
Found = tuple[Finding, ...]


def check_graph(
    graph: SupportGraph, values: Values, besides: Sequence[Callable[[], Inquiry]] = ()
) -> tuple[tuple[str, ...], Found, list[Found]]:
    """Run all checks, and ``besides`` what others ask about other worlds.

    Returns the names of those that ran, what they found, and what each of ``besides`` found: nothing where the rows
    cannot be computed.
    """
    structure = tuple(acyclic(graph))
    if any(finding.defect == "broken derivation" for finding in structure):  # else all can be worked out
        return ("acyclic",), structure, [()] * len(besides)
    with evaluating(graph) as evaluator:
        found = {"acyclic": structure, "truth": tuple(truth(graph, values, evaluator))}
        if found["truth"]:
            return ("acyclic", "truth"), (*structure, *found["truth"]), [()] * len(besides)
        asked = [absence(graph, values), necessity(graph, values), *(ask() for ask in besides)]
        found["absence"], found["necessity"], *others = inquire(evaluator, provided(graph, values), asked)
        found["robustness"] = tuple(robustness(graph, values, evaluator))
        found["margin"] = tuple(margin(graph, values))
    names = ("acyclic", *GRAPH_CHECKS)
    return names, tuple(one for name in names for one in found[name]), others
