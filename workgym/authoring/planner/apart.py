"""The queries and templates that a model wrote, in a limited child.

The host builds records from a draft; it never parses its SQL, evaluates it or fills its templates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from workgym.authoring.planner.examining import failures, findings, goals, structural, traps, unsound
from workgym.authoring.planner.records import Problem, Wrong
from workgym.authoring.planner.sites import as_drafted, named
from workgym.errors import ChildFailed, MaterializeError, WorkgymError
from workgym.graph import InfoUnit, Relation, Support, SupportGraph, Values, compile_graph, evaluating
from workgym.package import apart
from workgym.package.assemble import Assembled, press
from workgym.plan import ConstructionPlan

_HERE = "workgym.authoring.planner.apart"


def worked_out(graph: SupportGraph, rows: Values) -> tuple[SupportGraph, Values]:
    """The compiled graph and the rows of all its units.

    Queries are compiled and evaluated, the checks of a graph run, traps are tried. Raises Wrong with all that is found.
    """
    try:
        answer = apart.computed(f"{_HERE}:graph_job", _payload(graph, rows))
    except apart.Refused as error:
        raise Wrong([_process("units", error, "one of the queries takes too much")]) from error
    if answer["problems"]:
        raise Wrong(map(Problem.model_validate, answer["problems"]))
    compiled = graph.model_copy(update={"supports": tuple(map(Support.model_validate, answer["supports"]))})
    return compiled, {name: Relation.load(graph.unit(name), found) for name, found in answer["values"].items()}


def refused(units: Sequence[InfoUnit]) -> tuple[Problem, ...]:
    """What is wrong with the queries of some units: for a draft with other faults, whose rows cannot be looked at."""
    try:
        found = apart.computed(f"{_HERE}:queries_job", _payload(SupportGraph(units=tuple(units), carriers=()), {}))
    except apart.Refused as error:
        return (_process("units", error, "one of the queries takes too much"),)
    return tuple(map(Problem.model_validate, found))


def written(graph: SupportGraph, rows: Values, plan: ConstructionPlan) -> tuple[Values, Assembled]:
    """All rows and the files of a plan. Raises Wrong with the first fault of each template and tree."""
    try:
        return apart.assembled(graph, rows, plan)
    except MaterializeError as error:
        if error.__cause__ is not None and isinstance(error.__cause__.__cause__, ChildFailed):
            raise Wrong([_process("artifacts", error, "one of the templates takes too much")]) from error
        first = Problem(code="template", place="artifacts", message=error.message, fix=error.fix or "")
    raise Wrong(faults(graph, rows, plan) or (first,))


def faults(graph: SupportGraph, rows: Values, plan: ConstructionPlan) -> tuple[Problem, ...]:
    """What is wrong with the carriers of a plan, of each the first thing."""
    payload = _payload(graph, rows) | {"plan": plan.model_dump(mode="json")}
    try:
        found = apart.computed(f"{_HERE}:carriers_job", payload, prints=(spec.path for spec in plan.artifacts))
    except apart.Refused as error:
        return (_process("artifacts", error, "one of the templates takes too much"),)
    return tuple(map(Problem.model_validate, found))


def _payload(graph: SupportGraph, rows: Values) -> dict[str, Any]:
    given = {name: relation.dump() for name, relation in rows.items()}
    return {"graph": graph.model_dump(mode="json"), "rows": given}


def _process(place: str, error: Exception, fix: str) -> Problem:
    return Problem(code="process", place=place, message=str(error), fix=fix)


def queries_job(payload: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What the child runs for :func:`refused`."""
    return _dumped(unsound(SupportGraph.model_validate(payload["graph"])))


def graph_job(payload: Mapping[str, Any]) -> dict[str, Any]:
    """What the child runs for :func:`worked_out`."""
    draft = SupportGraph.model_validate(payload["graph"])
    problems = unsound(draft)
    if problems:
        return {"problems": _dumped(problems)}
    graph = compile_graph(draft)
    rows = _rows(graph, payload)
    with evaluating(graph) as evaluator:
        problems = list(failures(evaluator, rows))
        if problems:
            return {"problems": _dumped([*problems, *structural(graph)])}
        values = evaluator.evaluate(rows)
        problems = [*traps(evaluator, graph, values), *goals(evaluator, graph)]
    return {
        "problems": _dumped([*problems, *findings(graph, values)]),
        "supports": [edge.model_dump(mode="json") for edge in graph.supports],
        "values": {name: relation.dump() for name, relation in values.items()},
    }


def carriers_job(payload: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What the child runs for :func:`faults`."""
    graph = SupportGraph.model_validate(payload["graph"])
    plan = ConstructionPlan.model_validate(payload["plan"])
    problems: list[Problem] = []

    def tried(place: str, path: str, write: Callable[[], object]) -> None:
        try:
            write()
        except WorkgymError as error:
            message = error.message.removeprefix(f"{path}: ")
            told = as_drafted(message) if place.startswith("pages.") else message
            problems.append(Problem(code="template", place=place, message=told[:600], fix=error.fix or ""))

    with press(graph, _rows(graph, payload), plan) as writer:
        tried("artifacts", "", plan.ordered)
        tried("request", "request.md", writer.request)
        for spec in plan.artifacts:
            place = f"artifacts.{spec.path}" if spec.page is None else named(spec)
            tried(place, spec.path, partial(writer.artifact, spec))
    return _dumped(problems)


def _rows(graph: SupportGraph, payload: Mapping[str, Any]) -> dict[str, Relation]:
    return {name: Relation.load(graph.unit(name), found) for name, found in payload["rows"].items()}


def _dumped(problems: Iterable[Problem]) -> list[dict[str, Any]]:
    return [problem.model_dump(mode="json") for problem in problems]
