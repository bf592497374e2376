"""What a probe says of a task: problems with their grounds, and the report that holds them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from pydantic import Field

from workgym.records import DefectClass, Record

REQUEST = "request.md"
"""The source that is the user's request; it is read before the first call, so its call is 0."""

Judged = Literal["defect", "mistake", "choice"]
"""What a problem turns out to be: a defect of the task, the solver's own mistake, or a choice that was open to it."""


class Ground(Record):
    """What a problem rests on: a piece of text that the solver read, and where."""

    call: int
    """Number of the tool call in the trajectory; 0 for the request."""
    source: str
    """Path of the file that the call opened (or the folder that it listed, or the page's address); ``request.md``."""
    quote: str
    """Words of that call's answer, as they stand there."""
    missing: str = ""
    """Words that would stand together on one line if what is missing were there; empty where nothing is missing."""

    def __str__(self) -> str:
        lacks = f", without: {self.missing}" if self.missing else ""
        return f'call {self.call}, {self.source}: "{self.quote}"{lacks}'


class Problem(Record):
    """Something that stood in the solver's way, or made the work pointless."""

    defect: DefectClass
    """Which of the six classes."""
    what: str
    """What is wrong, in one or two sentences."""
    blocks: str
    """Which part of the work cannot be done rightly because of it."""
    grounds: tuple[Ground, ...]
    """What it rests on; code has looked each of them up where the problem was accepted."""
    verdict: Judged | None = None
    """What it is; None where it was rejected before anybody judged it."""
    severity: Literal["hard", "soft"] | None = None
    """``hard`` where the work cannot be done rightly; None where it was not judged."""
    why: str = ""
    """The reasons for verdict and severity."""

    @property
    def hard(self) -> bool:
        """Whether it is a defect that calls for a repair."""
        return self.verdict == "defect" and self.severity == "hard"

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources that it rests on, each once."""
        return tuple(dict.fromkeys(ground.source for ground in self.grounds))

    def __str__(self) -> str:
        return f"[{self.defect}] {self.what} (blocks: {self.blocks}; seen in {', '.join(self.sources) or 'nothing'})"


class Rejected(NamedTuple):
    """A problem that code did not accept."""

    problem: Problem
    """As it was reported."""
    why: str
    """Which ground does not hold, and why."""


class ProbeReport(Record):
    """One probe of one task: a run on what a solver sees, and what its diagnosis found."""

    format: Literal[1] = 1
    """Version of this record."""
    task_id: str
    """Id of the task."""
    package: str
    """Digest of the package that was probed; the report says nothing of another one."""
    harness: str
    """Harness of the run."""
    model: str | None
    """Model of the run; None where the harness is a callable without one."""
    seed: int
    """Seed of the run and sample index of all requests."""
    diagnoser: str
    """Model that diagnosed."""
    prompts: Mapping[str, str] = Field(default_factory=dict)
    """sha256 of each prompt of the diagnosis, in hexadecimal, by name."""
    held_out: bool = False
    """Whether it was kept apart from the probes that repairs saw: by another model or seed."""
    turns: int = 0
    """Actions of the run."""
    end: str = ""
    """Why the run ended."""
    state: str = "unscored"
    """How the run was graded, ``passed`` or another state: for the record, no model was told."""
    reward: float = 0.0
    """Its reward, likewise."""
    error: str | None = None
    """Why there is no diagnosis: a run that broke, replies that never fitted. None where there is one."""
    trajectory: str | None = None
    """Folder of the run's trajectory, from the report's; None where none was kept."""
    shown: str = ""
    """How much of the transcript the diagnoser was shown."""
    problems: tuple[Problem, ...] = ()
    """Problems whose grounds hold, each judged."""
    rejected: tuple[Rejected, ...] = ()
    """Problems whose grounds do not hold, with the reason."""

    @property
    def defects(self) -> tuple[Problem, ...]:
        """Problems that are the task's fault."""
        return tuple(problem for problem in self.problems if problem.verdict == "defect")

    @property
    def hard(self) -> bool:
        """Whether a defect blocks the work: only such a one calls for a repair."""
        return any(problem.hard for problem in self.problems)

    @property
    def classes(self) -> tuple[DefectClass, ...]:
        """Classes of its defects, each once, in the order of the report."""
        return tuple(dict.fromkeys(problem.defect for problem in self.defects))

    @property
    def measured(self) -> bool:
        """Whether it says anything about the task: one without a diagnosis counts neither as sound nor as defective."""
        return self.error is None
