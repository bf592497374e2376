"""A grader to hand to an environment: the combiner and the judge chosen once, and checked before anything runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from workgym.package import TaskPackage
from workgym.trajectory import Trajectory
from workgym.verify.combine import needs_judge, no_judge
from workgym.verify.grade import grade
from workgym.verify.judging.licence import LicensedJudge
from workgym.verify.model import Verdict


@dataclass(frozen=True)
class Grader:
    """Grades with one combiner and one judge. Raises UsageError where the combiner is none or wants a judge."""

    combine: str = "code/1"
    """Name of the combiner."""
    judge: LicensedJudge | None = None
    """Who scores rubric items; None leaves them out."""

    def __post_init__(self) -> None:
        if needs_judge(self.combine) and self.judge is None:
            raise no_judge(self.combine)

    def __call__(self, package: TaskPackage, files: Mapping[str, bytes]) -> Verdict:
        """The verdict on a workspace; items about the process stay unscored."""
        return self.with_process(package, files, None)

    def with_process(self, package: TaskPackage, files: Mapping[str, bytes], trajectory: Path | None) -> Verdict:
        """The verdict on a workspace and on how it came about: the folder of the trajectory so far, or None."""
        recorded = None if trajectory is None or self.judge is None else Trajectory.open(trajectory)
        return grade(package, files, combine=self.combine, judge=self.judge, trajectory=recorded)
