"""What is wrong with a graph that a model wrote: its queries, its rows, its traps. Runs in a limited child only."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from workgym.authoring.planner.records import Problem
from workgym.errors import EvaluationError, GraphError, QueryError
from workgym.graph import Evaluator, SupportGraph, Values, provided
from workgym.graph.checks import acyclic, check_graph, static
from workgym.graph.database import Database
from workgym.graph.lineage import cycle, refusals, schema, supports
from workgym.graph.rows import mistyped
from workgym.graph.traps import trapped
from workgym.records import Finding

_PREMISE = "read it from a provided unit of one row, or put it into a branch of a case on a rule unit"
_INSTEAD: Mapping[str, str] = {
    "dpipe": "use concat(a, b)",
    "function avg": "use sum(x) / count(*), rounded and cast",
    "function rank": "use row_number() over (order by ..., key)",
    "function dense_rank": "use row_number() over (order by ..., key)",
    "qualify": "number the rows in a subquery and choose outside it",
    "function group_concat": "keep one row for each",
    "function sqrt": "use pow with an exponent that a unit gives",
    "function median": "number the rows in a subquery and choose the middle one",
    "function current_date": "make the day a provided unit",
}
"""What to write instead of constructs that are refused, by how the refusal begins."""


_FIXES: Mapping[str, str] = {
    "acyclic": "what a query reads is provided and no distractor",
    "absence": "declare the rows that must be there with `for_each`, or a control",
    "robustness": "make what is exact (a count, days, a factor) an integer, or move the rows until it is clear",
    "margin": "move the rows so that the best two are further apart",
    "necessity": "read it in a query, name it in a rubric item, leave it out, or make it a distractor",
}
_CODES: Mapping[str, str] = {"acyclic": "premises"}
"""Names for a model, where a check's own says less: of cycles it is told when queries are compiled."""


def unsound(draft: SupportGraph) -> list[Problem]:
    """Queries that are refused, and those that give other columns than are declared."""
    found = refusals(draft)
    wrong = {error.unit for error in found if isinstance(error, QueryError)}
    if any(not isinstance(error, QueryError) for error in found):
        return [_refusal(error) for error in found]
    problems = [*map(_refusal, found), *_mistyped(draft, wrong)]
    return [*problems, *_of_structure(draft)] if problems else []


def _of_structure(draft: SupportGraph) -> list[Problem]:
    """What can be told beside queries that are refused; nothing where one cannot be read, or units go in a circle.

    Where no deliverable is given it is not known what is needed.
    """
    try:
        graph = draft.model_copy(update={"supports": supports(draft.units)})
        if cycle(graph):
            return []
        return structural(graph) if draft.deliverables else _told(acyclic(graph))
    except GraphError:
        return []


def structural(graph: SupportGraph) -> list[Problem]:
    """What is wrong with a graph whose rows are not worked out."""
    return _told(static(graph))


def _mistyped(draft: SupportGraph, left_out: Collection[str]) -> Iterator[Problem]:
    """Derived units whose queries, asked over empty tables, give other columns or types than are declared."""
    database = Database()
    try:
        for name, columns in schema(draft.units).items():
            database.create(name, columns)
        for unit in draft.relations("derived"):
            if unit.name in left_out or unit.query is None:
                continue
            try:
                names, types, _ = database.select(unit.query)
            except GraphError as error:
                yield Problem(code="query", place=f"units.{unit.name}", message=error.message)
            else:
                yield from map(_failure, mistyped(unit, names, types))
    finally:
        database.close()


def _refusal(error: GraphError) -> Problem:
    if isinstance(error, QueryError):
        message = error.message.removeprefix(f"query of {error.unit}: ")
        instead = [way for word, way in _INSTEAD.items() if message.startswith(f"{word} ")]
        instead += [_PREMISE] if message.endswith("is a premise that no file states") else []
        fix = instead[0] if instead else (error.fix or "").replace("see docs/families.md for", "look up")
        return Problem(code="query", place=f"units.{error.unit}", message=message, fix=fix)
    return Problem(code="query", place="units", message=error.message, fix=error.fix or "")


def failures(evaluator: Evaluator, rows: Values) -> Iterator[Problem]:
    """What cannot be computed; behind a unit that fails those that rest on it are left out."""
    try:
        for _ in evaluator.steps(rows):
            pass
    except EvaluationError as error:
        yield _failure(error)
        failed = {error.unit, *evaluator.program.dependents.get(error.unit, ())}
        if error.unit not in evaluator.program.order:
            return
    else:
        return
    for name in evaluator.program.order:
        if name not in failed:
            try:
                evaluator.derive(name)
            except EvaluationError as error:
                yield _failure(error)
                failed |= {name, *evaluator.program.dependents[name]}


def _failure(error: EvaluationError) -> Problem:
    row = "" if error.key is None else f"[{', '.join(map(str, error.key))}]"
    return Problem(code="evaluation", place=f"units.{error.unit}{row}", message=error.reason, fix=error.fix or "")


def traps(evaluator: Evaluator, graph: SupportGraph, values: Values) -> list[Problem]:
    """Traps that do not bite, or whose queries do not work."""
    problems = []
    for trap in graph.traps:
        place = f"traps.{trap.name}"
        try:
            mistaken = trapped(evaluator, graph, values, trap)
        except GraphError as error:
            problems.append(Problem(code="trap", place=place, message=str(error)))
            continue
        try:
            found = evaluator.evaluate(mistaken)
        except EvaluationError:
            continue  # the hasty solver is stopped, which is a way of coming out differently
        same = [name for name in trap.must_change if found[name].by_key == values[name].by_key]
        if same:
            message = f"{', '.join(same)} comes out the same when the mistake is made"
            fix = "change rows so that the mistake shows, or drop the trap"
            problems.append(Problem(code="trap", place=place, message=message, fix=fix))
    evaluator.evaluate(provided(graph, values))
    return problems


def goals(evaluator: Evaluator, graph: SupportGraph) -> Iterator[Problem]:
    """Queries of what is accepted that read units alone and do not work."""
    for deliverable in graph.deliverables:
        asked = [(f"tables.{table.name}.covers", table.covers) for table in deliverable.handed if table.covers]
        asked += [(f"objectives.{goal.name}.best", goal.best) for goal in deliverable.objectives]
        for name, query in asked:
            place = f"deliverables.{deliverable.path}.{name}"
            try:
                found = evaluator.select(query)
            except GraphError as error:
                yield Problem(code="query", place=place, message=error.message, fix=error.fix or "")
                continue
            if name.endswith(".best") and [len(row) for row in found] != [1]:
                yield Problem(code="query", place=place, message=f"gives {len(found)} rows, and one number is wanted")


def findings(graph: SupportGraph, values: Values) -> list[Problem]:
    """What the checks of a graph find."""
    return _told(check_graph(graph, values)[1])


def _told(found: Iterable[Finding]) -> list[Problem]:
    return [
        Problem(
            code=_CODES.get(finding.check, finding.check),
            place=f"units.{finding.unit or ''}".rstrip(".") + (f"[{', '.join(finding.key)}]" if finding.key else ""),
            message=finding.message,
            fix=_FIXES.get(finding.check, ""),
        )
        for finding in found
        if finding.severity == "hard"
    ]
