"""What is right: the accepted values of each stated unit, and the admissible conventions.

A derived value is computed twice, with the rounding that its queries write and without any that no rule
prescribes; both are accepted. A rule that is printed nowhere (status ``internal``) is a free convention: each of
its options gives one :class:`Truth`, and a deliverable is right when it follows one of them throughout.
"""

from __future__ import annotations

import itertools
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from workgym.errors import GraphError
from workgym.graph import InfoUnit, Key, Relation, SupportGraph, Values, evaluate, evaluating, provided
from workgym.graph.whatif import imagine
from workgym.package import TaskPackage
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
    """Every admissible answer, that of the package first. ``digest`` is the package's; answers are kept under it."""
    with _guard:
        if digest in _cache:
            _cache.move_to_end(digest)
            return _cache[digest]
    found = tuple(_truths(package))
    with _guard:
        _cache[digest] = found
        while len(_cache) > _KEPT:
            _cache.popitem(last=False)
    return found


_guard = threading.Lock()
_cache: OrderedDict[str, tuple[Truth, ...]] = OrderedDict()


def _truths(package: TaskPackage) -> Iterator[Truth]:
    graph, values = package.hidden.graph, package.hidden.values
    free = [unit for unit in graph.relations("internal") if unit.rule and _options(unit)]
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
