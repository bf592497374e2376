"""The whole story, straight-line: read this file first.

    blueprint -> support graph -> plan -> package -> checks -> rollout -> verdict
                        -> a defect -> found twice, independently -> repair -> checks again

Every stage takes the record of the stage before. ``tell`` runs it for one task; ``workgym demo`` prints it
for each family and writes the report. Where a model is the author, the same packages, checks, rollouts and repairs are
joined by ``workgym.engine.line``: intent, plan, checks, independent solution, probe, repair, held-out probe.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from workgym.authoring import families
from workgym.check import check
from workgym.defects import inject
from workgym.package import TaskPackage, save
from workgym.records import CheckReport, DefectClass
from workgym.repair import RepairOutcome, objection, repair, restorer
from workgym.rollout import Rollout, rollout
from workgym.trajectory import Trajectory

Progress = Callable[[str], None]
"""Takes one line about what is being done."""


@dataclass(frozen=True)
class Defective:
    """A planted defect, who found it, and what became of it."""

    defect: DefectClass
    """Its class."""
    package: TaskPackage
    """The defective task."""
    report: CheckReport
    """What the checks say of it."""
    expert: Rollout
    """The expert's run on it: blocked, or wrong."""
    repair: RepairOutcome
    """The repair, accepted or discarded."""
    again: Rollout | None
    """The expert's run on the repaired task; None where the repair was discarded."""

    @property
    def found_by_checks(self) -> bool:
        """Whether a check found it, by the class that was planted."""
        return any(finding.severity == "hard" and finding.defect == self.defect for finding in self.report.findings)

    @property
    def found_by_expert(self) -> bool:
        """Whether the expert stopped instead of inventing an assumption."""
        return self.expert.blocked is not None


@dataclass(frozen=True)
class Story:
    """One task from blueprint to repair."""

    package: TaskPackage
    """The sound task, with the expert's deliverables in its hidden side."""
    report: CheckReport
    """Its construction checks."""
    expert: Rollout
    """The expert's run: the reference solution."""
    noop: Rollout
    """The no-op control."""
    defects: tuple[Defective, ...]
    """What happened when defects were planted."""

    @property
    def holds(self) -> bool:
        """Whether everything came out as it should."""
        return (
            self.report.passed
            and self.expert.reward == 1.0
            and self.noop.reward == 0.0
            and all(
                item.found_by_checks
                and item.found_by_expert
                and item.repair.accepted
                and item.again is not None
                and item.again.reward == 1.0
                for item in self.defects
            )
        )


def make(family: str, preset: str | None, seed: int) -> TaskPackage:
    """Intent to package: compile the family's graph, draw a world, plan the artifacts, write them, check them."""
    package = families.build(family, preset, seed)
    return package.with_hidden(checks=check(package, trusted=True))


def solve(package: TaskPackage, out: Path | None = None) -> tuple[TaskPackage, Rollout]:
    """Let the expert work on the solver's view; keep what it handed in as the reference solution."""
    run = rollout(package, "expert", out=out)
    return package.with_hidden(expert_files=handed_in(package, run)), run


def handed_in(package: TaskPackage, run: Rollout) -> dict[str, bytes]:
    """The deliverables of a recorded rollout, by path; empty where it was not recorded."""
    if run.trajectory is None:
        return {}
    files = Trajectory.open(run.trajectory).handed_in(dict(package.files))
    return {card.path: files[card.path] for card in package.card.deliverables if card.path in files}


def spoil_and_repair(sound: TaskPackage, defect: DefectClass, seed: int = 0, at: str | None = None) -> Defective:
    """Plant a defect (at ``unit.column``), let checks and expert find it independently, repair it, and look again."""
    spoiled = inject(sound, defect, seed, at=at)
    report = check(spoiled)
    expert = rollout(spoiled, "expert")
    outcome = repair(spoiled, restorer(sound), accept=objection)
    again = rollout(outcome.package, "expert") if outcome.accepted else None
    return Defective(defect, spoiled, report, expert, outcome, again)


def tell(
    family: str,
    preset: str | None = None,
    seed: int = 42,
    *,
    defects: tuple[DefectClass, ...] = ("broken derivation", "cross-file inconsistency"),
    out: Path | None = None,
    progress: Progress = lambda line: None,
) -> Story:
    """One task through the whole flow. With ``out`` its package and trajectories are kept there."""
    progress(f"{family}: draw a world, compile, write the files, check them")
    package = make(family, preset, seed)
    home = None if out is None else out / package.id.rpartition("/")[2]
    progress(f"{package.id}: the expert works on {len(package.files)} files")
    package, expert = solve(package, None if home is None else home / "expert")
    progress(f"{package.id}: the no-op control")
    noop = rollout(package, "noop", out=None if home is None else home / "noop")
    spoiled = []
    for defect in defects:
        progress(f"{package.id}: plant a {defect}, find it, repair it")
        at = families.family(family).blueprint.showcase if defect == "broken derivation" else None
        spoiled.append(spoil_and_repair(package, defect, at=at))
    if home is not None:
        save(package, home / "package")
        for item in spoiled:
            save(item.repair.package, home / f"repaired-{item.defect.replace(' ', '-')}")
    return Story(package, package.hidden.checks or check(package), expert, noop, tuple(spoiled))
