"""The table of defects: rates by class and of hard defects, under the three conditions.

A task counts under a condition where a probe of it was diagnosed whose diagnosis could not see the graph: otherwise
the direct condition, which has none, could not be compared. After repair only a held-out probe counts, on which nothing
was decided: the probes that repairs answer find nothing any more by construction. What was not measured is told, and
counts neither as sound nor as defective.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import get_args

from workgym.evaluate.published import CONDITIONS, DEFECTS, PLANNED_AS, REPAIRED, Published
from workgym.evaluate.rates import Rate
from workgym.probe.model import ProbeReport
from workgym.records import DefectClass, Record
from workgym.records.factory import FactoryEntry, ProbeRun

CLASSES: tuple[DefectClass, ...] = get_args(DefectClass)
HARD, ANY = "at least one hard defect", "any defect"


class Row(Record):
    """One line of the table."""

    defect: str
    """A defect class, ``any defect`` or ``at least one hard defect``."""
    rates: Mapping[str, Rate]
    """Share of tasks with such a defect, hard or soft, by condition."""
    hard: Mapping[str, Rate]
    """Share of tasks with a hard one, by condition."""
    published: Mapping[str, Published] = {}
    """What the papers report, by condition."""


class Measured(Record):
    """What the rates under one condition rest on."""

    entries: int
    """Intents that were planned so."""
    reached: int
    """Tasks that there were to be measured: packages that came to the probe; after repair, those that were kept."""
    measured: int
    """Tasks of them that count."""
    probes: tuple[str, ...]
    """Who probed and diagnosed, as ``harness, model; diagnosed by model``."""


class DefectTable(Record):
    """Rates under the three conditions."""

    conditions: Mapping[str, Measured]
    """What each column rests on."""
    rows: tuple[Row, ...]
    """The six classes, any defect, and hard defects."""


def table(entries: Sequence[FactoryEntry], reports: Mapping[str, ProbeReport]) -> DefectTable:
    """The table for some entries; ``reports`` are the probes' reports by the paths that entries name."""
    found = {name: _measured(name, entries, reports) for name in CONDITIONS}
    rows = [_row(defect, found, DEFECTS.get(defect, {})) for defect in CLASSES]
    return DefectTable(
        conditions={name: _basis(name, entries, list(there.values())) for name, there in found.items()},
        rows=(*rows, _row(ANY, found, {}), _row(HARD, found, {})),
    )


def alike(entries: Sequence[FactoryEntry], reports: Mapping[str, ProbeReport]) -> tuple[FactoryEntry, ...]:
    """The entries of the intents that were measured under all three conditions, so that the same work is compared."""
    there = [_measured(name, entries, reports).keys() for name in CONDITIONS]
    shared = frozenset(there[0]).intersection(*there[1:])
    return tuple(entry for entry in entries if entry.intent in shared)


def _measured(
    condition: str, entries: Iterable[FactoryEntry], reports: Mapping[str, ProbeReport]
) -> dict[str, ProbeReport]:
    """The report that counts, by intent."""
    found = {}
    for entry in entries:
        if entry.condition == PLANNED_AS[condition] and (entry.kept or condition != REPAIRED):
            runs = [run for run in entry.probes if _counts(run, condition) and run.report in reports]
            runs = [run for run in runs if reports[run.report].measured]
            if runs:
                found[entry.intent] = reports[max(runs, key=lambda run: run.held_out).report]
    return found


def _counts(run: ProbeRun, condition: str) -> bool:
    if run.with_graph:
        return False
    return run.held_out and run.when == "after repair" if condition == REPAIRED else run.when == "before repair"


def _basis(condition: str, entries: Sequence[FactoryEntry], there: Sequence[ProbeReport]) -> Measured:
    own = [entry for entry in entries if entry.condition == PLANNED_AS[condition]]
    reached = [entry for entry in own if (entry.kept if condition == REPAIRED else _probed(entry))]
    probes = {f"{one.harness}, {one.model or 'no model'}; diagnosed by {one.diagnoser}" for one in there}
    return Measured(entries=len(own), reached=len(reached), measured=len(there), probes=tuple(sorted(probes)))


def _probed(entry: FactoryEntry) -> bool:
    return any(one.stage == "probe" and one.outcome != "skipped" for one in entry.stages)


def _row(defect: str, found: Mapping[str, Mapping[str, ProbeReport]], published: Mapping[str, Published]) -> Row:
    return Row(
        defect=defect,
        rates={name: _rate(defect, there.values(), defect == HARD) for name, there in found.items()},
        hard={name: _rate(defect, there.values(), True) for name, there in found.items()},
        published=published,
    )


def _rate(defect: str, reports: Iterable[ProbeReport], hard: bool) -> Rate:
    reports = list(reports)
    hits = sum(
        any(defect in (ANY, HARD, problem.defect) and (problem.hard or not hard) for problem in report.defects)
        for report in reports
    )
    return Rate.count(hits, len(reports))
