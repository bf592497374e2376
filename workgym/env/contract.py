"""What the environment needs of others, as types: somebody who grades, somebody who makes sandboxes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from workgym.package import TaskPackage
from workgym.sandbox.contract import Sandbox
from workgym.trajectory import VerdictEvent


class Verdict(Protocol):
    """How an episode's workspace was graded."""

    @property
    def state(self) -> str:
        """``passed``, ``failed``, ``not requested`` or ``unscored``."""

    @property
    def reward(self) -> float:
        """The reward."""

    @property
    def record(self) -> Any:
        """The evidence, as JSON."""


Grader = Callable[[TaskPackage, Mapping[str, bytes]], Verdict]
"""Grades a task's final workspace; ``workgym.verify.grade`` is one."""


@runtime_checkable
class ProcessGrader(Protocol):
    """A grader that also looks at how the work was done; ``workgym.verify.Grader`` is one."""

    def with_process(self, package: TaskPackage, files: Mapping[str, bytes], trajectory: Path | None) -> Verdict:
        """The verdict; ``trajectory`` is the folder of the log so far, None where none is written."""


SandboxMaker = Callable[[], Sandbox]
"""Makes a new sandbox for every episode."""


def graded(
    grade: Grader | None, package: TaskPackage, files: Mapping[str, bytes], trajectory: Path | None = None
) -> VerdictEvent:
    """The verdict on a workspace by ``grade`` (our own where None). An error of the grader is ours: unscored."""
    if grade is None:
        from workgym import verify

        grade = verify.grade
    try:
        if isinstance(grade, ProcessGrader):
            verdict = grade.with_process(package, files, trajectory)
        else:
            verdict = grade(package, files)
    except Exception as error:  # noqa: BLE001 - the boundary: a fault of grading is ours, never a score
        return unscored(f"{type(error).__name__}: {error}")
    reward = 0.0 if verdict.state == "unscored" else float(verdict.reward)
    return VerdictEvent(state=verdict.state, reward=reward, record=verdict.record)


def unscored(error: str) -> VerdictEvent:
    """The verdict where our side failed."""
    return VerdictEvent(state="unscored", reward=0.0, record={"error": error})
