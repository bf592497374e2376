"""Mistakes of working out: wrong premises, all evaluated together, each with the wrong values that come out of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from workgym.graph import Relation, SupportGraph, Values, evaluating, provided
from workgym.graph.whatif import imagine
from workgym.package import TaskPackage
from workgym.quality.findings import Candidate, Finding
from workgym.quality.premises import Premise

_NAMED = 2
_SURE = ("superseded", "conflict", "trap", "convention")
"""Kinds that are few in each task, and documented: what they give is not given by chance."""


@dataclass(frozen=True)
class Worked:
    """A wrong premise and what comes out of it."""

    premise: Premise
    """The wrong premise."""
    explains: frozenset[str]
    """Names of the wrong facts that are as they would be."""
    changed: frozenset[str]
    """Names of the right facts of the same deliverables that would be others."""

    @property
    def whole(self) -> Candidate:
        """The premise wrong in all that was handed in."""
        units = tuple(sorted(self.premise.given))
        return Candidate(self.premise.kind, self.premise.says, units, self.explains, len(self.changed))

    def local(self, findings: Mapping[str, Finding]) -> Candidate | None:
        """The premise wrong only where it gives what was found; None where that may be chance."""
        mine = [findings[name] for name in self.explains]
        if self.premise.kind not in _SURE:
            left_out = self.premise.kind == "left out"
            mine = [finding for finding in mine if finding.telling or (left_out and finding.number == 0)]
        if not mine:
            return None
        rows = {finding.row for finding in mine}
        against = sum(findings[name].row in rows for name in self.changed)
        explains = frozenset(finding.name for finding in mine)
        return replace(self.whole, explains=explains, against=against, local=True)


def only(findings: Sequence[Finding]) -> str:
    """Where a mistake was made that was not made everywhere, as the end of a sentence."""
    rows = dict.fromkeys(", ".join(finding.check.key) for finding in findings if finding.check.key)
    if not rows:
        return ", but only in " + ", ".join(dict.fromkeys(str(finding.check.deliverable) for finding in findings))
    more = f" and {len(rows) - _NAMED} more" if len(rows) > _NAMED else ""
    return f", but only for {'; '.join([*rows][:_NAMED])}{more}"


def worked(
    package: TaskPackage, graph: SupportGraph, findings: Sequence[Finding], premises: Sequence[Premise]
) -> list[Worked]:
    """Wrong premises that give something of what was found, by a graph without guards."""
    base = fitted(graph, provided(graph, package.hidden.values))
    by_unit: dict[str, list[Finding]] = {}
    for finding in findings:
        by_unit.setdefault(finding.at[0], []).append(finding)
    spoiled = {finding.check.deliverable for finding in findings if finding.wrong}
    explains: list[set[str]] = [set() for _ in premises]
    changed: list[set[str]] = [set() for _ in premises]
    told: dict[int, int] = {}

    def look(world: int, relation: Relation) -> bool:
        mine = by_unit.get(relation.unit.name)
        if mine is None:
            return False
        for finding in mine:
            value = relation.value(*finding.at[1:])
            gone = finding.check.found is None and finding.check.key not in relation.by_key
            if not finding.wrong:
                if finding.check.deliverable in spoiled and not finding.is_right(value):
                    changed[world].add(finding.name)
            elif gone or (not finding.is_right(value) and finding.found(value)):
                explains[world].add(finding.name)
        told[world] = told.get(world, 0) + 1
        return told[world] == len(by_unit)

    worlds: list[Values] = [{**base, **fitted(graph, premise.given)} for premise in premises]
    with evaluating(graph) as evaluator:
        failed = imagine(evaluator, base, worlds, look)
    return [
        Worked(premise, frozenset(explains[world]), frozenset(changed[world]))
        for world, premise in enumerate(premises)
        if world not in failed and explains[world]
    ]


def unguarded(graph: SupportGraph) -> SupportGraph:
    """The graph as a solver has it who checks nothing: without controls and without keys that have to be there."""
    units = tuple(unit.model_copy(update={"controls": (), "domain": None}) for unit in graph.units)
    return graph.model_copy(update={"units": units})


def fitted(graph: SupportGraph, rows: Mapping[str, Relation]) -> dict[str, Relation]:
    """Rows as those of the units of one graph."""
    return {name: Relation(graph.unit(name), relation.rows) for name, relation in rows.items()}
