"""What the environment needs of others, as types: somebody who grades, somebody who makes sandboxes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

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

SandboxMaker = Callable[[], Sandbox]
"""Makes a new sandbox for every episode."""


def graded(grade: Grader | None, package: TaskPackage, files: Mapping[str, bytes]) -> VerdictEvent:
    """The verdict on a workspace by ``grade`` (our own where None). An error of the grader is ours: unscored."""
    if grade is None:
        from workgym import verify

        grade = verify.grade
    try:
        verdict = grade(package, files)
    except Exception as error:  # noqa: BLE001 - the boundary: a fault of grading is ours, never a score
        return unscored(f"{type(error).__name__}: {error}")
    reward = 0.0 if verdict.state == "unscored" else float(verdict.reward)
    return VerdictEvent(state=verdict.state, reward=reward, record=verdict.record)


def unscored(error: str) -> VerdictEvent:
    """The verdict where our side failed."""
    return VerdictEvent(state="unscored", reward=0.0, record={"error": error})
