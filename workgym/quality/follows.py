"""Wrong values that only follow from other wrong values: copies, sums, and what is worked out of stated figures.

A figure follows from others where it states the same wrong value of the same entity again; where it is right to add
them up, and its error is the sum of their errors; where it is as many times the right one as a figure of the same
entity; and where the graph gives it of what was stated in place of the right rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from workgym.errors import GraphError
from workgym.graph import Relation, SupportGraph, evaluating, provided
from workgym.package import TaskPackage
from workgym.quality.findings import Finding
from workgym.quality.working import fitted
from workgym.records import Value

Sources = tuple[str, ...]
_TERMS = 2
_FAR = 4
"""Steps by which a value is off before its ratio to the right one says anything."""


def follows(package: TaskPackage, graph: SupportGraph, findings: Sequence[Finding]) -> dict[str, Sources]:
    """By name of a wrong fact, the wrong facts that it follows from; never in a circle.

    Parts are taken in the order in which they are asked for: what is stated later may follow from what is earlier.
    """
    units = list(dict.fromkeys(finding.at[0] for finding in findings))
    ranked = sorted(findings, key=lambda finding: units.index(finding.at[0]))
    wrong = [finding for finding in ranked if finding.wrong and finding.error]
    stated = [finding for finding in wrong if finding.check.found is not None]
    found: dict[str, Sources] = {}
    for finding in stated:
        before = wrong[: wrong.index(finding)]
        sources = _copied(finding, before) or _added(package, finding, ranked) or _times(finding, before)
        if sources:
            found[finding.name] = tuple(source.name for source in sources)
    rest = [finding for finding in stated if finding.name not in found]
    return {**found, **_reckoned(package, graph, wrong, rest)}


def _copied(finding: Finding, before: Sequence[Finding]) -> list[Finding]:
    """The same amount of the same entity, stated before with the same wrong value."""
    for other in before if finding.telling else ():
        alike = other.at[1] == finding.at[1] and other.kind == finding.kind and other.row != finding.row
        if alike and other.number is not None and (finding.found(other.number) or finding.found(-other.number)):
            return [other]
    return []


def _added(package: TaskPackage, finding: Finding, ranked: Sequence[Finding]) -> list[Finding]:
    """Those terms of a sum that are wrong, or one of them, where they are all that is wrong with it."""
    slack = finding.step / 2
    for terms in _sums(package, finding, ranked):
        wrong = [term for term in terms if term.wrong and term.error]
        if wrong and abs(sum((_right(term) for term in terms), Decimal(0)) - _right(finding)) <= slack:
            for some in (wrong, *([term] for term in wrong)):
                error = sum((term.error or Decimal(0) for term in some), Decimal(0))
                if abs(error - (finding.error or Decimal(0))) <= slack:
                    return some
    return []


def _sums(package: TaskPackage, finding: Finding, ranked: Sequence[Finding]) -> Iterator[list[Finding]]:
    """What a value may be the sum of: the rest of its row, lines of a form above it, rows of an earlier part."""
    alike = [other for other in ranked if other.kind == finding.kind and other is not finding]
    row = [other for other in alike if other.row == finding.row]
    if len(row) >= _TERMS:
        yield row
    yield from _above(package, finding, alike)
    columns: dict[tuple[str | None, str, str], list[Finding]] = {}
    for other in alike:
        if other.at[0] == finding.at[0]:
            break
        columns.setdefault((other.check.deliverable, other.at[0], other.at[2]), []).append(other)
    for column in columns.values():
        yield column
        yield [term for term in column if _right(term) > 0]
        yield [term for term in column if _right(term) < 0]
        yield from _chosen(package, column)


def _above(package: TaskPackage, finding: Finding, alike: Sequence[Finding]) -> Iterator[list[Finding]]:
    """Runs of lines above this one, where the lines are those of a form."""
    unit = package.hidden.graph.unit(finding.at[0])
    options = unit.column(unit.key[0]).type.options if len(unit.key) == 1 else ()
    if finding.at[1] and finding.at[1][0] in options:
        lines = {
            other.at[1][0]: other
            for other in alike
            if other.row[:2] == finding.row[:2] and other.at[2] == finding.at[2]
        }
        above = [lines[line] for line in options[: options.index(finding.at[1][0])] if line in lines]
        yield from (above[first:last] for last in range(_TERMS, len(above) + 1) for first in range(last - 1))


def _chosen(package: TaskPackage, column: Sequence[Finding]) -> Iterator[list[Finding]]:
    """Rows that have one option of a choice."""
    relation = package.hidden.values[column[0].at[0]]
    for choice in relation.unit.columns:
        for option in choice.type.options:
            yield [term for term in column if relation.value(term.at[1], choice.name) == option]


def _times(finding: Finding, before: Sequence[Finding]) -> list[Finding]:
    """A figure of the same entity in an earlier part that is as many times the right one: pay for wrong hours."""
    if not finding.telling or finding.number is None or abs(finding.error or Decimal(0)) < _FAR * finding.step:
        return []
    for other in before:
        if other.at[1] == finding.at[1] and other.at[0] != finding.at[0] and other.number and _right(other):
            due = _right(finding) * other.number / _right(other)
            if abs(finding.number - due) <= finding.step:
                return [other]
    return []


def _reckoned(
    package: TaskPackage, graph: SupportGraph, wrong: Sequence[Finding], rest: Sequence[Finding]
) -> dict[str, Sources]:
    """What comes out of the values of one unit as they were stated."""
    found: dict[str, Sources] = {}
    for unit in dict.fromkeys(finding.at[0] for finding in wrong):
        sources = [finding for finding in wrong if finding.at[0] == unit]
        later = [finding for finding in rest if finding.at[0] != unit and finding.name not in found]
        if later:
            values = _downstream(package, graph, unit, sources, {finding.at[0] for finding in later})
            for finding in later:
                rows = values.get(finding.at[0])
                value = None if rows is None else rows.value(*finding.at[1:])
                if value is not None and not finding.is_right(value) and finding.found(value):
                    mine = [source for source in sources if not {*source.at[1]}.isdisjoint(finding.at[1])]
                    found[finding.name] = tuple(source.name for source in mine or sources)
    return found


def _downstream(
    package: TaskPackage, graph: SupportGraph, name: str, sources: Sequence[Finding], wanted: set[str]
) -> Mapping[str, Relation]:
    """Units that rest on one, worked out of its rows as they were stated; empty where nothing can be."""
    rows = package.hidden.values[name]
    for source in sources:
        if source.check.found is None and source.at[1] in rows.by_key:
            rows = rows.without(source.at[1])
        elif source.number is not None and source.at[1] in rows.by_key:
            rows = rows.with_value(source.at[1], source.at[2], _loaded(source, source.number))
    with evaluating(graph) as evaluator:
        if wanted.isdisjoint(evaluator.program.dependents[name]):
            return {}
    given = graph.unit(name).model_copy(update={"status": "provided", "query": None})
    cut = graph.model_copy(update={"units": tuple(given if one.name == name else one for one in graph.units)})
    try:
        with evaluating(cut) as evaluator:
            return evaluator.evaluate(fitted(cut, {**provided(graph, package.hidden.values), name: rows}))
    except GraphError:
        return {}


def _loaded(finding: Finding, number: Decimal) -> Value:
    """A number as a value of its column; the right one where it is none."""
    try:
        return finding.kind.load(number)
    except (ValueError, ArithmeticError):
        return finding.right


def _right(finding: Finding) -> Decimal:
    return Decimal(finding.right) if isinstance(finding.right, (int, Decimal)) else Decimal(0)
