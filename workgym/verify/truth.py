"""What is right: the accepted values of each stated unit, and the admissible conventions.

A derived value is computed twice, with the rounding that its queries write and without any that no rule
prescribes; both are accepted. A rule that is printed nowhere (status ``internal``) is a free convention: each of
its options gives one :class:`Truth`, and a deliverable is right when it follows one of them throughout.
"""

from __future__ import annotations

import datetime
import itertools
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from workgym.errors import EvaluationError, GraphError
from workgym.graph import InfoUnit, Key, Relation, Stated, SupportGraph, Values, evaluate, evaluating, provided
from workgym.graph.whatif import imagine
from workgym.package import TaskPackage, apart
from workgym.records import Value

CONVENTIONS = 64
"""Sets of free conventions that are looked at; a task has few."""
_KEPT = 256


@dataclass(frozen=True)
class Truth:
    """One consistent answer: the rows of each unit under one set of conventions."""

    conventions: Mapping[str, str]
    """The option taken, by free rule unit; empty where nothing is free."""
    rounded: Values
    """Rows as the queries give them."""
    exact: Values
    """Rows computed without intermediate rounding; the same where that cannot be computed."""

    def rows(self, unit: str) -> Relation:
        """The rows of a unit."""
        return self.rounded[unit]

    def accepted(self, unit: str, key: Key, column: str) -> tuple[Value, ...]:
        """The values that are right in one place: one, or two where rounding on the way makes a difference."""
        found = [self.rounded[unit].value(key, column)]
        other = self.exact[unit].value(key, column) if unit in self.exact else None
        return tuple(found if other is None or other == found[0] else [*found, other])


def truths(package: TaskPackage, digest: str) -> tuple[Truth, ...]:
    """Every admissible answer, that of the package first. ``digest`` is the package's; answers are kept under it.

    Those of a package that is not ours are computed in a limited child; raises EvaluationError where that ends it.
    """
    with _guard:
        if digest in _cache:
            _cache.move_to_end(digest)
            return _cache[digest]
    graph, values = package.hidden.graph, package.hidden.values
    found = _apart(package.id, graph, values) if apart.needed(package) else tuple(_truths(graph, values))
    with _guard:
        _cache[digest] = found
        while len(_cache) > _KEPT:
            _cache.popitem(last=False)
    return found


def answer_sets(package: TaskPackage) -> int:
    """How many different sets of answers the task admits: its vagueness as a number, 1 where nothing is left open.

    Conventions that nothing visible fixes are free, and each choice of them that the work can be done under gives one
    set; two that state the same, to the places asked for, are one. At most ``CONVENTIONS`` choices are looked at.
    """
    if not _free(package.hidden.graph):
        return 1
    return len({_stated(package, truth) for truth in truths(package, package.digest)})


def _stated(package: TaskPackage, truth: Truth) -> tuple[tuple[str, ...], ...]:
    """What the deliverables have to state by one truth, a row as a text."""
    return tuple(
        tuple(sorted(_rows(truth.rows(stated.unit), stated)))
        for deliverable in package.hidden.graph.deliverables
        for stated in deliverable.states
    )


def _rows(relation: Relation, stated: Stated) -> Iterator[str]:
    for key, row in relation.by_key.items():
        pairs = zip(relation.unit.columns, row, strict=True)
        asked = [(column, value) for column, value in pairs if column.name in stated.labels]
        yield "\0".join((*key, *(_text(value, stated.places.get(column.name)) for column, value in asked)))


def _text(value: Value, places: int | None) -> str:
    return f"{value:.{places}f}" if isinstance(value, Decimal) and places is not None else str(value)


_guard = threading.Lock()
_cache: OrderedDict[str, tuple[Truth, ...]] = OrderedDict()


def _truths(graph: SupportGraph, values: Values) -> Iterator[Truth]:
    free = _free(graph)
    if not free:
        yield Truth({}, values, _exact(graph, provided(graph, values), values))
        return
    fixed = _printed(graph, free)
    given = {unit.name: values[unit.name] for unit in fixed.relations("provided", "external") if unit.name in values}
    own = {unit.name: str(values[unit.name].rows[0][0]) for unit in free if unit.name in values}
    choices = itertools.product(*[[(unit, option) for option in _options(unit)] for unit in free])
    ordered = sorted(choices, key=lambda chosen: sum(own.get(unit.name) != option for unit, option in chosen))
    for chosen in ordered[:CONVENTIONS]:
        rows = given | {unit.name: Relation(fixed.unit(unit.name), ((option,),)) for unit, option in chosen}
        try:
            rounded = evaluate(fixed, rows)
        except GraphError:
            continue  # an option under which the work cannot be done is no convention
        yield Truth({unit.name: option for unit, option in chosen}, rounded, _exact(fixed, rows, rounded))


def _free(graph: SupportGraph) -> list[InfoUnit]:
    """The rules that are printed nowhere."""
    return [unit for unit in graph.relations("internal") if unit.rule and _options(unit)]


def _options(unit: InfoUnit) -> tuple[str, ...]:
    return unit.columns[0].type.options if len(unit.columns) == 1 else ()


def _printed(graph: SupportGraph, free: list[InfoUnit]) -> SupportGraph:
    """The graph as it would be if the free rules were given."""
    names = {unit.name for unit in free}
    units = tuple(
        unit.model_copy(update={"status": "provided"}) if unit.name in names else unit for unit in graph.units
    )
    return SupportGraph(units=units, carriers=graph.carriers, supports=graph.supports, deliverables=graph.deliverables)


def _exact(graph: SupportGraph, given: Values, rounded: Values) -> Values:
    """The rows without rounding on the way; ``rounded`` where that does not come out.

    Controls do not count here: what holds to the cent need not hold for doubles. Units that rest on no rounding are
    not computed again.
    """
    exact: dict[str, Relation] = {}

    def keep(_world: int, relation: Relation) -> bool:
        exact[relation.unit.name] = relation
        return False

    try:
        with evaluating(graph) as evaluator:
            failed = imagine(evaluator, given, [given], keep, nearby=True)
    except GraphError:
        return rounded
    return rounded if failed else {**rounded, **exact}


def _apart(name: str, graph: SupportGraph, values: Values) -> tuple[Truth, ...]:
    rows = {unit: relation.dump() for unit, relation in values.items()}
    try:
        answer = apart.computed(
            "workgym.verify.truth:truths_json", {"graph": graph.model_dump(mode="json"), "rows": rows}
        )
    except apart.Refused as error:
        raise EvaluationError(name, str(error)) from error

    def made(raw: Mapping[str, Any]) -> dict[str, Relation]:
        return {
            unit: Relation(graph.unit(unit), tuple(tuple(map(unkept, row)) for row in found))
            for unit, found in raw.items()
        }

    return tuple(Truth(one["conventions"], made(one["rounded"]), made(one["exact"])) for one in answer)


def truths_json(payload: dict[str, Any]) -> list[dict[str, Any]]:
    """What the child runs: numbers with all their digits, which rows as a package keeps them have not."""
    graph = SupportGraph.model_validate(payload["graph"])
    values = {name: Relation.load(graph.unit(name), rows) for name, rows in payload["rows"].items()}

    def raw(values: Values) -> dict[str, Any]:
        return {name: [list(map(kept, row)) for row in relation.rows] for name, relation in values.items()}

    return [
        {"conventions": dict(truth.conventions), "rounded": raw(truth.rounded), "exact": raw(truth.exact)}
        for truth in _truths(graph, values)
    ]


def kept(value: Value) -> Any:
    """A value with all its digits as JSON has it."""
    if isinstance(value, Decimal):
        return {"decimal": str(value)}
    if isinstance(value, datetime.time):
        return {"time": value.isoformat()}
    return {"date": value.isoformat()} if isinstance(value, datetime.date) else value


def unkept(raw: Any) -> Value:
    """What :func:`kept` wrote."""
    if not isinstance(raw, dict):
        return None if raw is None else raw if isinstance(raw, (bool, int)) else str(raw)
    if "time" in raw:
        return datetime.time.fromisoformat(raw["time"])
    return Decimal(raw["decimal"]) if "decimal" in raw else datetime.date.fromisoformat(raw["date"])
