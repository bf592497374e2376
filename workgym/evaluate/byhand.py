"""Probes that were made one by one, without a factory: as entries, so that they have the same table.

A task of a blueprint family counts as *planned*: its information was there before its files. A probe of a state that a
revision has replaced, or of a task that was never revised, is one before repair.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workgym.evaluate.packages import Package
from workgym.probe.model import ProbeReport
from workgym.records.factory import FactoryEntry, ProbeRun, StageOutcome


def by_hand(reports: Mapping[str, ProbeReport], packages: Sequence[Package]) -> tuple[FactoryEntry, ...]:
    """An entry for each task of ``packages`` that was probed; ``reports`` are by path."""
    by_task: dict[str, list[str]] = {}
    for path, report in reports.items():
        by_task.setdefault(report.task_id, []).append(path)
    return tuple(
        FactoryEntry(
            intent=package.card.id,
            condition="direct" if package.origin.condition == "direct" else "planned",
            occupation=package.card.occupation,
            stages=(StageOutcome(stage="probe", outcome="passed"),),
            package=package.folder,
            probes=tuple(_run(path, reports[path], package) for path in by_task[package.card.id]),
        )
        for package in packages
        if package.card.id in by_task
    )


def _run(path: str, report: ProbeReport, package: Package) -> ProbeRun:
    first = not package.revisions or report.package in package.earlier
    return ProbeRun(report=path, when="before repair" if first else "after repair", held_out=report.held_out)
