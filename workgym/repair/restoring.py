"""Repair by somebody who knows it: a callable that proposes a revision, and the one that knows the sound form."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from workgym.check import check
from workgym.mutation import AddRow, Edit, Restore, Revision, Reword, SetCell
from workgym.mutation.wording import difference, spec_of
from workgym.package import TaskPackage
from workgym.records import Cell, CheckReport, Finding
from workgym.repair.acceptance import Objection, attempt
from workgym.repair.outcome import RepairOutcome, Try

Reviser = Callable[[TaskPackage, CheckReport], Revision | None]
"""Package and findings in, a repair out; None where it knows none."""


def repair(package: TaskPackage, reviser: Reviser, *, accept: Objection | None = None) -> RepairOutcome:
    """Check, revise, apply, check again.

    The revision is accepted when the mutator's contract holds, all checks pass, and ``accept`` (the expert's
    run, a review) has no objection; it gives a reason against, or None. Anything else is discarded.
    """
    before = check(package)
    if before.passed:
        return RepairOutcome(package, False, "nothing needs repair", before)
    revision = reviser(package, before)
    if revision is None:
        none = Try(fate="no proposal", reason="the reviser knows no repair")
        return RepairOutcome(package, False, none.reason, before, (none,))
    tried = attempt(package, revision, expert=accept)
    if tried.package is None or tried.report is None:
        return RepairOutcome(package, False, tried.record.reason, before, (tried.record,))
    return RepairOutcome(tried.package, True, tried.record.reason, tried.report, (tried.record,))


def restorer(sound: TaskPackage) -> Reviser:
    """The reviser of a task whose sound form is known: it restores what is found missing, contradicted or damaged.

    A family and a seed rebuild the sound form of any task that a blueprint made.
    """

    def revise(package: TaskPackage, report: CheckReport) -> Revision | None:
        hard = [finding for finding in report.findings if finding.severity == "hard"]
        edits: list[Edit] = [*_rows(package, sound), *(Restore(path=path) for path in _spoiled(package, hard))]
        for cell in dict.fromkeys((*_absent(package), *_misprinted(hard))):
            unit = sound.hidden.graph.unit(cell.unit)
            value = sound.hidden.values[cell.unit].value(cell.key, cell.column)
            if cell.column not in unit.key and value is not None:
                edits.append(SetCell(cell=cell, value=unit.column(cell.column).type.dump(value)))
        edits += _words(package, sound)
        if not edits:
            return None
        return Revision(
            purpose="repair",
            why="restore " + ", ".join(dict.fromkeys(map(_named, edits))),
            edits=tuple(edits),
            findings=tuple(str(finding) for finding in hard),
        )

    return revise


def _named(edit: Edit) -> str:
    if isinstance(edit, SetCell):
        return str(edit.cell)
    return edit.path if isinstance(edit, Restore | Reword) else str(edit)


def _words(package: TaskPackage, sound: TaskPackage) -> Iterator[Reword]:
    """The words of the plan that are others than the sound form's."""
    for path in ("request.md", *(spec.path for spec in sound.hidden.plan.artifacts)):
        spec, wanted = spec_of(package.hidden.plan, path), spec_of(sound.hidden.plan, path)
        if spec != wanted:
            for at, old, new in difference(spec, wanted):
                yield Reword(path=path, old=old, new=new, at=at)


def _rows(package: TaskPackage, sound: TaskPackage) -> Iterator[AddRow]:
    """Rows that the sound form has and the task lacks."""
    for unit in sound.hidden.graph.relations("provided", "external"):
        there = package.hidden.values[unit.name].by_key
        relation = sound.hidden.values[unit.name]
        for key, row in zip(relation.by_key, relation.dump(), strict=True):
            if key not in there:
                yield AddRow(unit=unit.name, row=row)


def _spoiled(package: TaskPackage, findings: list[Finding]) -> Iterator[str]:
    """Files that cannot be read, or lack the name of a row: no value that is set would bring that back."""
    paths = set()
    for finding in findings:
        unit = package.hidden.graph.by_name.get(finding.unit or "")
        nameless = finding.check == "presence" and unit is not None and finding.column in unit.key
        if finding.path is not None and (finding.check == "readable" or nameless):
            paths.add(finding.path.partition("//")[0])
    yield from sorted(paths & package.files.keys())


def _absent(package: TaskPackage) -> Iterator[Cell]:
    for unit in package.hidden.graph.relations("provided", "external"):
        yield from (cell for cell, value in package.hidden.values[unit.name].cells() if value is None)


def _misprinted(findings: list[Finding]) -> Iterator[Cell]:
    for finding in findings:
        if finding.check == "presence" and finding.unit and finding.column:
            yield Cell(unit=finding.unit, key=finding.key, column=finding.column)
