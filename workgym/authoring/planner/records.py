"""What comes of planning: a package, or why there is none, and what was wrong on the way."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from workgym.package import TaskPackage
from workgym.records import Record

Condition = Literal["planned", "direct"]
"""Whether the information is planned before the files, or the files are written at once."""
External = Literal["never", "may", "must"]
"""Whether something that a task needs stands on web pages instead of files: as the model likes with ``may``."""
Stage = Literal["graph", "plan", "direct"]
"""What a model was working on: the support graph, the construction plan, or a direct draft."""


class Problem(Record):
    """One thing that is wrong with a draft, as the model is told."""

    code: str
    """The rule that is broken, in a word, by which drop-outs are counted: ``query``, ``absence``, ``limit``, ..."""
    place: str
    """Where: ``units.npv.sql``, ``artifacts.policies/policy.docx``; empty for the whole."""
    message: str
    """What is wrong, with row and line where there are any."""
    fix: str = ""
    """The way out, where one is known."""

    def __str__(self) -> str:
        place = f"{self.place}: " if self.place else ""
        return f"{self.code}: {place}{self.message}" + (f"; {self.fix}" if self.fix else "")


class Round(Record):
    """A draft that had to be corrected."""

    stage: Stage
    """What was wrong: the graph, the plan, or a direct draft."""
    problems: tuple[Problem, ...]
    """What was wrong with it."""

    @property
    def lines(self) -> tuple[str, ...]:
        """The problems as the model was told them."""
        return tuple(map(str, self.problems))


class Drop(Record):
    """Why an intent came to no package."""

    stage: Stage
    """Where it ended."""
    reason: str
    """In a word, for counting: the code of the first problem that was left, ``form`` where no reply fitted the form,
    ``context`` where the conversation outgrew the model."""
    detail: str
    """The first problem as a line, and how many there were."""


class Wrong(Exception):
    """A draft in which something is wrong: it goes back to the model."""

    def __init__(
        self, problems: Iterable[Problem], stage: Stage | None = None, *, holds: TaskPackage | None = None
    ) -> None:
        self.problems = tuple(problems)
        """What is wrong, in the order in which it is told."""
        self.stage = stage
        """Where it is wrong; None for the step that is being worked on."""
        self.holds = holds
        """The task, where nothing has to be mended and the problems are advice; None otherwise."""
        super().__init__(f"{len(self.problems)} problems")


@dataclass(frozen=True)
class Planned:
    """One intent, planned."""

    package: TaskPackage | None
    """The task; None where it was dropped."""
    dropped: Drop | None = None
    """Why there is no task; None where there is one."""
    rounds: tuple[Round, ...] = ()
    """What was wrong with each draft, oldest first; of a dropped one the last problems too."""
