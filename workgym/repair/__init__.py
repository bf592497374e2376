"""Repair: a reviser proposes typed edits, and a revision is accepted only if everything holds afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from workgym.check import check
from workgym.errors import MutationError
from workgym.mutation import Revision, SetCell, apply
from workgym.package import TaskPackage
from workgym.records import Cell, CheckReport, Finding

Reviser = Callable[[TaskPackage, CheckReport], Revision | None]
"""Package and findings in, a repair out; None where it knows none."""


@dataclass(frozen=True)
class RepairOutcome:
    """What became of a repair."""

    package: TaskPackage
    """The repaired package, or the one given where the repair was discarded."""
    accepted: bool
    """Whether the repair holds."""
    reason: str
    """Why it was accepted or discarded, in one sentence."""
    report: CheckReport
    """The checks of ``package``."""


def repair(
    package: TaskPackage, reviser: Reviser, *, accept: Callable[[TaskPackage], str | None] | None = None
) -> RepairOutcome:
    """Check, revise, apply, check again.

    The revision is accepted when the mutator's contract holds, all checks pass, and ``accept`` (the expert's
    run, a review) has no objection; it gives a reason against, or None. Anything else is discarded.
    """
    before = check(package)
    if before.passed:
        return RepairOutcome(package, False, "nothing needs repair", before)
    revision = reviser(package, before)
    if revision is None:
        return RepairOutcome(package, False, "the reviser knows no repair", before)
    try:
        revised = apply(package, revision)
    except MutationError as error:
        return RepairOutcome(package, False, str(error), before)
    after = check(revised)
    if not after.passed:
        hard = next(finding for finding in after.findings if finding.severity == "hard")
        return RepairOutcome(package, False, f"the revised task does not pass: {hard}", before)
    objection = accept(revised) if accept is not None else None
    if objection is not None:
        return RepairOutcome(package, False, objection, before)
    *earlier, last = revised.hidden.history
    noted = last.model_copy(update={"accepted_on": after.ran})
    return RepairOutcome(revised.with_hidden(history=(*earlier, noted), checks=after), True, "all checks pass", after)


def restorer(sound: TaskPackage) -> Reviser:
    """The reviser of a task whose sound form is known: it restores what is found missing or contradicted.

    A family and a seed rebuild the sound form of any task that a blueprint made.
    """

    def revise(package: TaskPackage, report: CheckReport) -> Revision | None:
        hard = [finding for finding in report.findings if finding.severity == "hard"]
        cells = dict.fromkeys((*_absent(package), *_misprinted(hard)))
        edits = []
        for cell in cells:
            unit = sound.hidden.graph.unit(cell.unit)
            value = sound.hidden.values[cell.unit].value(cell.key, cell.column)
            if cell.column not in unit.key and value is not None:
                edits.append(SetCell(cell=cell, value=unit.column(cell.column).type.dump(value)))
        if not edits:
            return None
        return Revision(
            purpose="repair",
            why="restore " + ", ".join(str(edit.cell) for edit in edits),
            edits=tuple(edits),
            findings=tuple(str(finding) for finding in hard),
        )

    return revise


def _absent(package: TaskPackage) -> Iterator[Cell]:
    for unit in package.hidden.graph.relations("provided", "external"):
        yield from (cell for cell, value in package.hidden.values[unit.name].cells() if value is None)


def _misprinted(findings: list[Finding]) -> Iterator[Cell]:
    for finding in findings:
        if finding.check == "presence" and finding.unit and finding.column:
            yield Cell(unit=finding.unit, key=finding.key, column=finding.column)


__all__ = ["RepairOutcome", "Reviser", "repair", "restorer"]
