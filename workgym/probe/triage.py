"""What the graph says of a probe's problems: for repair alone, never for the measurement.

A problem is *confirmed* where a construction check has a finding of its class at its place, or a value that it misses
is really withheld; *mistaken* where the value that it misses stands in a visible file, or a rule of the task settles
what it calls contradictory; else the graph is *silent*, which says nothing against it. What comes out is a record of
its own: a ``ProbeReport`` stays as it was measured.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from workgym.check import check
from workgym.errors import UsageError
from workgym.package import TaskPackage
from workgym.probe.model import ProbeReport, Problem
from workgym.probe.words import telling
from workgym.records import Cell, Finding, Record, is_page, page_path


class Sighting(Record):
    """What the graph says of one problem."""

    problem: int
    """Its position in the report's ``problems``, from 0."""
    says: Literal["confirmed", "mistaken", "silent"]
    """Whether the graph bears it out."""
    by: tuple[str, ...] = ()
    """The findings and facts that say so, a line each."""


class Triage(Record):
    """The graph's word on each problem of a report."""

    task_id: str
    """Id of the task."""
    report: str
    """Digest of the report."""
    sightings: tuple[Sighting, ...]
    """One for each problem, in their order."""

    def of(self, says: str) -> tuple[int, ...]:
        """Positions of the problems of which the graph says so."""
        return tuple(one.problem for one in self.sightings if one.says == says)


class Sorted(NamedTuple):
    """What a report's blocking problems come to before they are repaired."""

    repair: tuple[Problem, ...]
    """Those that a reviser should see."""
    mistaken: tuple[str, ...]
    """Those that the graph shows mistaken, each with the fact that says so, as lines."""


def to_repair(package: TaskPackage, report: ProbeReport) -> Sorted:
    """The blocking problems of a report, without those that the graph shows mistaken.

    A task that was written without a graph has none of these. Raises UsageError where the report is of another package.
    """
    found = triage(package, report) if report.hard and package.hidden.graph.units else None
    mistaken = {one.problem: one for one in found.sightings if one.says == "mistaken"} if found else {}
    blocking = [(place, problem) for place, problem in enumerate(report.problems) if problem.hard]
    return Sorted(
        tuple(problem for place, problem in blocking if place not in mistaken),
        tuple(f"{problem}: {'; '.join(mistaken[place].by)}" for place, problem in blocking if place in mistaken),
    )


def triage(package: TaskPackage, report: ProbeReport) -> Triage:
    """Compare a report with the graph behind its task. Raises UsageError where it is of another package."""
    if report.package != package.digest:
        raise UsageError(f"the report is of another state of {report.task_id} than this package")
    findings = check(package).findings
    sightings = tuple(_seen(position, one, package, findings) for position, one in enumerate(report.problems))
    return Triage(task_id=package.id, report=report.fingerprint(), sightings=sightings)


def _seen(position: int, problem: Problem, package: TaskPackage, findings: tuple[Finding, ...]) -> Sighting:
    confirmed = [str(finding) for finding in findings if _about(finding, problem)]
    withheld, there = _missed(problem, package)
    confirmed += withheld
    mistaken = [*there, *_settled(problem, package)]
    if confirmed:
        return Sighting(problem=position, says="confirmed", by=tuple(confirmed))
    return Sighting(problem=position, says="mistaken" if mistaken else "silent", by=tuple(mistaken))


def _about(finding: Finding, problem: Problem) -> bool:
    """Whether a finding is of a problem's class, and at its place or about its row."""
    if finding.defect != problem.defect:
        return False
    if finding.path is not None and finding.path.partition("//")[0] in _carriers(problem):
        return True
    said = telling(" ".join((problem.what, problem.blocks, *(f"{one.quote} {one.missing}" for one in problem.grounds))))
    return any(telling(part) and telling(part) <= said for part in finding.key)


def _carriers(problem: Problem) -> set[str]:
    """The sources of a problem as the graph calls them: a page by its path."""
    return {*problem.sources, *(page_path(one) for one in problem.sources if is_page(one.removeprefix("https://")))}


def _missed(problem: Problem, package: TaskPackage) -> tuple[list[str], list[str]]:
    """Cells that a problem misses: those that are really withheld, and those that stand in visible files."""
    withheld, there = [], []
    for ground in problem.grounds:
        wanted = telling(ground.missing)
        for cell, value in _cells(package) if wanted else ():
            if not wanted <= _words(cell, package):
                continue
            if value is None:
                withheld.append(f"{cell} has no value")
            elif places := [anchor.place for anchor in package.hidden.anchors if anchor.cell == cell]:
                there.append(f"{cell} stands in {places[0]}")
    return withheld, there


def _cells(package: TaskPackage) -> Iterator[tuple[Cell, object]]:
    for unit in package.hidden.graph.relations("provided", "external"):
        for cell, value in package.hidden.values[unit.name].cells():
            if cell.column not in unit.key:
                yield cell, value


def _words(cell: Cell, package: TaskPackage) -> frozenset[str]:
    """The words by which a person would ask for a cell: its row, its column, what the unit is about."""
    unit = package.hidden.graph.unit(cell.unit)
    column = unit.column(cell.column)
    named = (cell.unit.replace("_", " "), cell.column.replace("_", " "), column.label or "")
    return telling(" ".join((*cell.key, *named, unit.content, unit.entity)))


def _settled(problem: Problem, package: TaskPackage) -> Iterator[str]:
    """Rules of the task that settle what a problem calls contradictory."""
    if problem.defect != "cross-file inconsistency":
        return
    graph = package.hidden.graph
    for conflict in graph.conflicts:
        homes = [
            {one.carrier for one in graph.bindings if one.unit == unit and one.visible} for unit in conflict.between
        ]
        if all(home & _carriers(problem) for home in homes):
            yield f"{conflict.rule} in {conflict.resolved_by} settles {' against '.join(conflict.between)}"
