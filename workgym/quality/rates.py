"""False accepts and false rejects: a task's mutants and equivalents graded, counted by kind.

A mutant is caught where the reward is below 1 and no unit that it spoils gets full credit; an equivalent passes where
the reward is 1 and every check that was requested passed. The same task gives the same rates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from pydantic import Field

from workgym.package import TaskPackage
from workgym.quality.equivalents import Equivalent, equivalents, skipped
from workgym.quality.mutants import Mutant, mutants
from workgym.quality.sound import Sound, sound
from workgym.records import Record
from workgym.verify import Verdict, grade

_CHECKS = 4


class Count(Record):
    """How many of one kind came out as they should."""

    kind: str
    """The kind of mutant or equivalent."""
    right: int
    """Mutants that were caught, or equivalents that passed."""
    total: int
    """How many there were."""


class Survivor(Record):
    """A mutant or an equivalent that came out wrong."""

    task: str
    """Id of the task."""
    kind: str
    """Its kind."""
    deliverable: str
    """Path of the deliverable that differs from the expert's."""
    what: str
    """What was done."""
    reward: float
    """The reward that it got."""
    reason: str
    """For a mutant what still gets full credit, and where; for an equivalent the checks that fail."""


class Rates(Record):
    """How a grader does on mutants and equivalents."""

    tasks: tuple[str, ...]
    """Ids of the tasks."""
    mutants: tuple[Count, ...]
    """By kind of mistake."""
    equivalents: tuple[Count, ...]
    """By kind of difference."""
    false_accepts: tuple[Survivor, ...] = ()
    """Mutants that were not caught."""
    false_rejects: tuple[Survivor, ...] = ()
    """Equivalents that did not pass."""
    skipped: Mapping[str, str] = Field(default_factory=dict)
    """Kinds that could not be made here, with the reason."""

    @property
    def false_accept_rate(self) -> float:
        """Share of mutants that were not caught; 0 where there are none."""
        total = sum(count.total for count in self.mutants)
        return len(self.false_accepts) / total if total else 0.0

    @property
    def false_reject_rate(self) -> float:
        """Share of equivalents that did not pass; 0 where there are none."""
        total = sum(count.total for count in self.equivalents)
        return len(self.false_rejects) / total if total else 0.0

    def table(self) -> str:
        """The rates as text: a line for each kind, then every survivor with its reason."""
        lines = [f"{len(self.tasks)} tasks"]
        for name, counts in (("mutants caught", self.mutants), ("equivalents passed", self.equivalents)):
            lines.append(name)
            lines += [f"  {count.kind:<32}{count.right:>6} of {count.total}" for count in counts]
        lines += [f"skipped: {kind}: {why}" for kind, why in self.skipped.items()]
        lines.append(f"false accepts {self.false_accept_rate:.2%}, false rejects {self.false_reject_rate:.2%}")
        for name, survivors in (("accepted", self.false_accepts), ("rejected", self.false_rejects)):
            for one in survivors:
                lines.append(f"{name}: {one.task}: {one.kind} in {one.deliverable} ({one.what}): {one.reason}")
        return "\n".join(lines) + "\n"


def rates(package: TaskPackage, most: int | None = None) -> Rates:
    """Grade the mutants and equivalents of a task: the first ``most`` of each kind, or all.

    Raises UsageError where its expert does not get full credit.
    """
    return of(sound(package), most)


def of(reference: Sound, most: int | None = None) -> Rates:
    """The same from deliverables that are known to be right."""
    return counted(reference.package, mutants(reference), equivalents(reference), most, skipped())


def counted(
    package: TaskPackage,
    mutated: Iterable[Mutant],
    rewritten: Iterable[Equivalent],
    most: int | None = None,
    left_out: Mapping[str, str] | None = None,
    graded: Callable[[TaskPackage, Mapping[str, bytes]], Verdict] = grade,
) -> Rates:
    """The rates of mutants and equivalents that were made already; of each kind of mutants the first ``most``."""
    kinds: dict[str, list[bool]] = {}
    accepted, rejected = [], []
    for mutant in mutated:
        if most is not None and len(kinds.get(mutant.kind, ())) >= most:
            continue
        verdict = graded(package, mutant.files)
        why = survives(mutant, verdict)
        kinds.setdefault(mutant.kind, []).append(why is None)
        if why is not None:
            accepted.append(_survivor(package, mutant.kind, mutant.deliverable, mutant.what, verdict, why))
    others: dict[str, list[bool]] = {}
    for equivalent in rewritten:
        verdict = graded(package, equivalent.files)
        passed = verdict.state == "passed" and verdict.reward == 1.0
        others.setdefault(equivalent.kind, []).append(passed)
        if not passed:
            why = _failing(verdict)
            rejected.append(_survivor(package, equivalent.kind, equivalent.deliverable, equivalent.what, verdict, why))
    return Rates(
        tasks=(package.id,),
        mutants=_counts(kinds),
        equivalents=_counts(others),
        false_accepts=tuple(accepted),
        false_rejects=tuple(rejected),
        skipped=dict(left_out or {}),
    )


def survives(mutant: Mutant, verdict: Verdict) -> str | None:
    """Why a mutant is not caught; None where it is."""
    if verdict.state == "unscored":
        return f"it is unscored, not failed: {_failing(verdict)}"
    full = {(unit.deliverable, unit.unit) for unit in verdict.scores.units if unit.credit == 1.0}
    for deliverable, unit in mutant.concerns:
        if (deliverable, unit) in full:
            seen = [
                f"{check.name} at {check.place} says {check.found}"
                for check in verdict.checks
                if check.kind == "fact" and (check.deliverable, check.unit) == (deliverable, unit)
            ]
            return f"{unit} in {deliverable} still gets full credit: {'; '.join(seen[:_CHECKS])}"
    return "the reward is 1" if verdict.reward >= 1.0 else None


def merged(several: Iterable[Rates]) -> Rates:
    """The rates of many tasks together: seeds, presets, families."""
    tasks: list[str] = []
    kinds: dict[str, list[bool]] = {}
    others: dict[str, list[bool]] = {}
    accepted: list[Survivor] = []
    rejected: list[Survivor] = []
    left: dict[str, str] = {}
    for one in several:
        tasks += one.tasks
        for counts, found in ((one.mutants, kinds), (one.equivalents, others)):
            for count in counts:
                wrong = count.total - count.right
                found.setdefault(count.kind, []).extend([True] * count.right + [False] * wrong)
        accepted += one.false_accepts
        rejected += one.false_rejects
        left |= one.skipped
    return Rates(
        tasks=tuple(tasks),
        mutants=_counts(kinds),
        equivalents=_counts(others),
        false_accepts=tuple(accepted),
        false_rejects=tuple(rejected),
        skipped=left,
    )


def _counts(kinds: dict[str, list[bool]]) -> tuple[Count, ...]:
    return tuple(Count(kind=kind, right=sum(found), total=len(found)) for kind, found in kinds.items())


def _failing(verdict: Verdict) -> str:
    wrong = [check for check in verdict.checks if check.state in ("failed", "unscored")]
    told = [f"{check.name}: {check.message} (expected {check.expected}, found {check.found})" for check in wrong]
    return "; ".join(told[:_CHECKS]) + (f"; and {len(told) - _CHECKS} more" if len(told) > _CHECKS else "")


def _survivor(package: TaskPackage, kind: str, deliverable: str, what: str, verdict: Verdict, reason: str) -> Survivor:
    return Survivor(
        task=package.id, kind=kind, deliverable=deliverable, what=what, reward=verdict.reward, reason=reason
    )
