"""Attribution: why a stated value is wrong, by the mistake that gives exactly what was found.

Two kinds of mistakes are tried. Those of stating: another row's value, the other sign, a unit slip, a row that is not
there. And those of working it out: wrong premises (:mod:`.premises`), all evaluated together with the graph. The
mistake that gives the most of the wrong values, and would change the fewest of the right ones, is named; what is left
is looked at again. A value that no mistake gives is said to be unexplained.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from workgym.graph import Key, Relation, SupportGraph, Values, evaluating, provided
from workgym.graph.whatif import imagine
from workgym.package import TaskPackage
from workgym.quality.premises import SLIPS, Premise, PremiseKind, likely, unlikely
from workgym.records import ColumnType, Record, Value
from workgym.records.surface import numbers
from workgym.verify import CheckResult, Verdict
from workgym.verify.matching import normal

CauseKind = (
    PremiseKind
    | Literal[
        "missing row", "not stated", "other row", "other column", "wrong sign", "stated in another unit", "last place"
    ]
)
_HALF = Decimal("0.5000005")
_DETAILS = 3
_ORDER: tuple[CauseKind, ...] = (
    *("superseded", "conflict", "trap", "convention", "missing row", "not stated", "left out", "other row"),
    *("wrong sign", "stated in another unit", "dropped row", "unit slip", "other column", "last place"),
)
"""Which kind is named where several explain the same: the likeliest first."""


class Cause(Record):
    """A mistake, and the wrong values that it explains."""

    kind: CauseKind | Literal["no file", "unexplained"]
    """The kind of mistake; ``no file`` where a deliverable is not there or cannot be read."""
    says: str
    """One sentence for a person."""
    units: tuple[str, ...] = ()
    """The premises that were wrong; empty for a mistake of stating."""
    checks: tuple[str, ...]
    """Names of the failed checks that it explains."""


@dataclass(frozen=True)
class _Fact:
    """A fact of a verdict with what was found."""

    check: CheckResult
    kind: ColumnType
    places: int
    right: Value

    @property
    def at(self) -> tuple[str, Key, str]:
        return str(self.check.unit), self.check.key, str(self.check.column)

    @property
    def step(self) -> Decimal:
        return Decimal(1).scaleb(-(self.places + 2 if self.kind.kind == "percent" else self.places))

    def found(self, value: Value) -> bool:
        """Whether what was found is a value, as far as it is printed."""
        text = self.check.found
        if text is None or value is None:
            return False
        if not isinstance(value, (int, Decimal)):
            return normal(text) == normal(self.kind.show(value))
        return any(
            abs(number - Decimal(value)) <= max(self.step, quantum) * _HALF
            for token in numbers(text)
            for number, quantum in token.readings[:1]
        )

    def is_right(self, value: Value) -> bool:
        """Whether a value is the right one, within the tolerance."""
        if isinstance(value, (int, Decimal)) and isinstance(self.right, (int, Decimal)):
            return abs(Decimal(value) - Decimal(self.right)) <= self.step * _HALF
        return value == self.right


@dataclass(frozen=True)
class _Candidate:
    kind: CauseKind
    says: str
    units: tuple[str, ...]
    explains: frozenset[str]
    against: int
    """Right values of the same deliverables that the mistake would have changed."""


def attribute(package: TaskPackage, verdict: Verdict) -> tuple[Cause, ...]:
    """The causes of all wrong facts of a verdict, the one that explains most first."""
    unread = {
        check.deliverable: check.message for check in verdict.checks if check.kind == "file" and check.state != "passed"
    }
    causes = [Cause(kind="no file", says=f"{says}.", checks=_of(verdict, path)) for path, says in unread.items()]
    facts = tuple(fact for fact in _facts(package, verdict) if fact.check.deliverable not in unread)
    wrong = {fact.check.name: fact for fact in facts if fact.check.state == "failed"}
    candidates = [*_stating(package, wrong.values()), *_absent(package, facts)]
    bare = _unguarded(package.hidden.graph)
    if wrong:
        candidates += _working(package, bare, facts, [*likely(package)])
    if not wrong.keys() <= {name for one in candidates for name in one.explains}:
        candidates += _working(package, bare, facts, [*unlikely(package)])
    left = set(wrong)
    while left:
        best = max(candidates, key=lambda one: _merit(one, left), default=None)
        if best is None or len(best.explains & left) <= best.against:
            break
        mine = best.explains & left
        left -= mine
        causes.append(_cause(best.kind, best.says, best.units, wrong, mine))
    if left:
        causes.append(_cause("unexplained", "no mistake that is known gives what was found", (), wrong, left))
    return tuple(causes)


def _of(verdict: Verdict, path: str | None) -> tuple[str, ...]:
    """Names of the facts that one deliverable had to state."""
    return tuple(check.name for check in verdict.checks if check.kind == "fact" and check.deliverable == path)


def _merit(one: _Candidate, left: set[str]) -> tuple[int, int]:
    return len(one.explains & left) - one.against, -_ORDER.index(one.kind)


def _cause(
    kind: CauseKind | Literal["unexplained"],
    says: str,
    units: tuple[str, ...],
    wrong: Iterable[str],
    mine: set[str] | frozenset[str],
) -> Cause:
    checks = tuple(name for name in wrong if name in mine)
    return Cause(kind=kind, says=f"{says[:1].upper()}{says[1:]}.", units=units, checks=checks)


def _facts(package: TaskPackage, verdict: Verdict) -> Iterator[_Fact]:
    graph, values = package.hidden.graph, package.hidden.values
    places = {
        (deliverable.path, stated.unit): stated.places
        for deliverable in graph.deliverables
        for stated in deliverable.states
    }
    for check in verdict.checks:
        if (
            check.kind == "fact"
            and check.unit is not None
            and check.column is not None
            and check.deliverable is not None
        ):
            kind = graph.unit(check.unit).column(check.column).type
            asked = places.get((check.deliverable, check.unit), {}).get(check.column, kind.places)
            yield _Fact(check, kind, asked, values[check.unit].value(check.key, check.column))


def _stating(package: TaskPackage, wrong: Iterable[_Fact]) -> Iterator[_Candidate]:
    """Mistakes made in writing down what was right; each kind together for all values that it explains."""
    groups: dict[tuple[CauseKind, str], dict[str, str]] = {}
    for fact in wrong:
        for kind, says, detail in _slips(package, fact):
            groups.setdefault((kind, says), {}).setdefault(fact.check.name, detail)
    for (kind, says), found in groups.items():
        details = [detail for detail in found.values() if detail]
        told = f": {'; '.join(details[:_DETAILS])}" if details else ""
        yield _Candidate(kind, says + told, (), frozenset(found), 0)


def _absent(package: TaskPackage, facts: Sequence[_Fact]) -> Iterator[_Candidate]:
    """Units of several facts of which nothing is stated at all: no premise has to be wrong for that."""
    units: dict[tuple[str | None, str], list[_Fact]] = {}
    for fact in facts:
        units.setdefault((fact.check.deliverable, fact.at[0]), []).append(fact)
    gone = {
        unit: [fact.check.name for fact in mine]
        for unit, mine in units.items()
        if len(mine) > 1 and all(fact.check.state == "failed" and fact.check.found is None for fact in mine)
    }
    if gone:
        told = [f"{package.hidden.graph.unit(unit).content} in {path}" for path, unit in gone]
        more = f"; and {len(told) - _DETAILS} more" if len(told) > _DETAILS else ""
        says = f"nothing is stated where it was asked for: {'; '.join(told[:_DETAILS])}{more}"
        yield _Candidate("not stated", says, (), frozenset(name for names in gone.values() for name in names), 0)


def _slips(package: TaskPackage, fact: _Fact) -> Iterator[tuple[CauseKind, str, str]]:
    """Kind, what is wrong, and a detail of this fact."""
    unit, key, column = fact.at
    relation = package.hidden.values[unit]
    if fact.check.found is None:
        kind: CauseKind = "not stated" if fact.check.place or not key else "missing row"
        yield kind, "it is not stated" if kind == "not stated" else f"the row of {', '.join(key)} is not there", ""
        return
    for other, row in relation.by_key.items():
        value = row[relation.index[column]]
        if other != key and not fact.is_right(value) and fact.found(value):
            detail = f"{', '.join(key)} has that of {', '.join(other)}"
            yield "other row", "values stand in the rows of other entities", detail
    if not isinstance(fact.right, (int, Decimal)):
        return
    number = Decimal(fact.right)
    if fact.found(-number):
        yield "wrong sign", "the sign is the other one", ""
    if fact.found(number):
        yield "wrong sign", "the digits are right, and the sign or the currency is not", ""
    for what, factor in SLIPS.items():
        if fact.found(number * factor):
            yield "stated in another unit", f"it is stated as {what}", ""
    for steps in (1, -1, 2, -2):
        if fact.found(number + steps * fact.step):
            yield "last place", "it is off by a unit or two of its last place, as after rounding on the way", ""
    row = relation.by_key[key]
    for other_column in relation.unit.value_columns:
        if (
            other_column.name != column
            and other_column.type == fact.kind
            and fact.found(row[relation.index[other_column.name]])
        ):
            yield "other column", "it is the value of another column", f"that under {other_column.title!r}"


def _working(
    package: TaskPackage, graph: SupportGraph, facts: Sequence[_Fact], premises: Sequence[Premise]
) -> Iterator[_Candidate]:
    """Wrong premises, each with the wrong values that come out of it."""
    base = _fitted(graph, provided(graph, package.hidden.values))
    by_unit: dict[str, list[_Fact]] = {}
    for fact in facts:
        by_unit.setdefault(fact.at[0], []).append(fact)
    spoiled = {fact.check.deliverable for fact in facts if fact.check.state == "failed"}
    explains: list[set[str]] = [set() for _ in premises]
    against = [0] * len(premises)
    told: dict[int, int] = {}

    def look(world: int, relation: Relation) -> bool:
        mine = by_unit.get(relation.unit.name)
        if mine is None:
            return False
        for fact in mine:
            value = relation.value(*fact.at[1:])
            gone = fact.check.found is None and fact.check.key not in relation.by_key
            if fact.check.state != "failed":
                against[world] += fact.check.deliverable in spoiled and not fact.is_right(value)
            elif gone or (not fact.is_right(value) and fact.found(value)):
                explains[world].add(fact.check.name)
        told[world] = told.get(world, 0) + 1
        return told[world] == len(by_unit)

    worlds: list[Values] = [{**base, **_fitted(graph, premise.given)} for premise in premises]
    with evaluating(graph) as evaluator:
        failed = imagine(evaluator, base, worlds, look)
    for world, premise in enumerate(premises):
        if world not in failed and explains[world]:
            units = tuple(sorted(premise.given))
            yield _Candidate(premise.kind, premise.says, units, frozenset(explains[world]), against[world])


def _unguarded(graph: SupportGraph) -> SupportGraph:
    """The graph as a solver has it who checks nothing: without controls and without keys that have to be there."""
    units = tuple(unit.model_copy(update={"controls": (), "domain": None}) for unit in graph.units)
    return graph.model_copy(update={"units": units})


def _fitted(graph: SupportGraph, rows: Mapping[str, Relation]) -> dict[str, Relation]:
    return {name: Relation(graph.unit(name), relation.rows) for name, relation in rows.items()}
