"""The verdict as a record: every check with its evidence, the scores as a vector, and the reward made of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from workgym.model import Sampling
from workgym.records import Record, Sparse, pretty

CheckState = Literal["passed", "failed", "not requested", "unscored"]
"""``failed``: the deliverable is the cause. ``unscored``: our side is. ``not requested``: no judge is configured."""

CheckKind = Literal["fact", "guard", "file", "structure", "rubric"]
"""``fact`` a value beside its entity; ``guard`` what multiplies; ``file`` handed in and readable; ``structure`` rows
and formulas; ``rubric`` what a judge scores."""


class Answer(Record):
    """What a judge said when it was asked once."""

    raw: str
    """Its words as they came, secrets replaced, cut where they are long; empty where there are none."""
    score: float | None = None
    """The score in it: 0, 0.5 or 1; None where there is none."""
    error: str = ""
    """Why there is no score; empty where there is one."""


class CheckResult(Sparse):
    """One thing that was checked, with the evidence for its state."""

    left_out: ClassVar[tuple[str, ...]] = ("score", "answers")

    name: str
    """What was checked, unique in a verdict: ``npv[Alder Mills Ltd].npv in recommendation.docx``."""
    kind: CheckKind
    """Which of the five kinds."""
    state: CheckState
    """How it came out."""
    unit: str | None = None
    """The information unit concerned, or None."""
    key: tuple[str, ...] = ()
    """Key of the row; empty for a scalar or for the whole unit."""
    column: str | None = None
    """The column, or None for the row as a whole."""
    deliverable: str | None = None
    """Path of the deliverable, or None where a guard looks at the workspace."""
    place: str | None = None
    """Where in the deliverable the value was found, or None."""
    expected: str | None = None
    """What should be there, as text, or None."""
    found: str | None = None
    """What is there, as text, or None."""
    message: str = ""
    """One sentence for a person."""
    weight: float = 0.0
    """Share of the reward that rests on it; 0 for what only multiplies or is not scored."""
    score: float | None = None
    """What a judge gave a rubric item, 0, 0.5 or 1; None where it gave none, and for all other checks."""
    answers: tuple[Answer, ...] = ()
    """Every answer of the judge, those that could not be used included; empty where none was asked."""


class UnitScore(Record):
    """How well one unit is stated in one deliverable."""

    deliverable: str
    """Path of the deliverable."""
    unit: str
    """Name of the unit."""
    weight: float
    """``Stated.weight``: relative to the other units of the task."""
    facts: int
    """How many facts are asked for."""
    right: int
    """How many are right."""
    whole: bool
    """Whether nothing beyond the facts is wrong: no rows too many, formulas where asked."""

    @property
    def credit(self) -> float:
        """1 for a unit that is right and whole, otherwise half of the share of right facts."""
        if self.whole and self.right == self.facts:
            return 1.0
        return 0.5 * self.right / self.facts if self.facts else 0.0


class RubricScore(Record):
    """What a judge gave one rubric item."""

    deliverable: str
    """Path of the deliverable whose rubric it is in."""
    number: int
    """Its number there, from 1."""
    score: float
    """0, 0.5 or 1: the median of the samples."""


class Scores(Sparse):
    """The vector that a combiner makes a reward of."""

    left_out: ClassVar[tuple[str, ...]] = ("rubric",)

    units: tuple[UnitScore, ...]
    """Stated units, in the order in which the deliverables state them."""
    guards: Mapping[str, float] = Field(default_factory=dict)
    """What each guard multiplies by, by name; 1 where it holds."""

    rubric: tuple[RubricScore, ...] = ()
    """Rubric items that a judge scored; those that are not requested or unscored are absent, never zero."""

    def vector(self) -> dict[str, float]:
        """All scores by name: ``code.<deliverable>.<unit>``, ``guard.<name>``, ``rubric.<deliverable>.<number>``."""
        credits = {f"code.{unit.deliverable}.{unit.unit}": unit.credit for unit in self.units}
        guards = {f"guard.{name}": value for name, value in sorted(self.guards.items())}
        return credits | guards | {f"rubric.{item.deliverable}.{item.number}": item.score for item in self.rubric}


class Pin(Record):
    """All that a judge's scores depend on beside what it is shown. A licence is for one pin, and a verdict names it."""

    model: str
    """Name of the model, as a configuration writes it."""
    prompt: str
    """Digest of the texts that it is asked with."""
    sampling: Sampling = Sampling()
    """How its answers are drawn; None leaves a choice to the provider."""
    samples: int = 3
    """How often each question is asked; the median counts."""
    pages: bool = False
    """Whether it is shown pictures of pages beside the text."""


class JudgeRecord(Record):
    """Who judged, by what right, and what was shown."""

    pin: Pin
    """What the scores depend on."""
    licence: str | None
    """Id of the licence that the judge held; None where it held none, and nothing was scored."""
    shown: Mapping[str, str] = Field(default_factory=dict)
    """What the judge saw of each file (and of ``process``), by path: how much of it, and what was left out."""
    tripwires: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    """Sentences that speak to whoever grades, by path: found, reported, and withheld from the judge."""


class Verdict(Sparse):
    """How one final workspace was graded."""

    left_out: ClassVar[tuple[str, ...]] = ("judge",)

    task: str
    """Id of the task."""
    package: str
    """Digest of the package that it was graded against."""
    combiner: str
    """Name and version of the combiner, ``code/1``."""
    state: Literal["passed", "failed", "unscored"]
    """``passed`` where no check failed; ``unscored`` where what the reward rests on could not be had by our fault."""
    reward: float
    """0 to 1; 0.0 where it is unscored, which is not a score."""
    checks: tuple[CheckResult, ...]
    """Every check, files first, then guards, facts and structure, then rubric items."""
    scores: Scores
    """The scores that the reward is made of."""
    judge: JudgeRecord | None = None
    """Who scored the rubric items; None where no judge was configured."""

    @property
    def record(self) -> dict[str, Any]:
        """The verdict as JSON types."""
        return self.model_dump(mode="json")

    def dump(self) -> str:
        """The verdict as JSON text; the same files give the same text."""
        return pretty(self.record)

    @classmethod
    def load(cls, text: str) -> Verdict:
        """Read what :meth:`dump` wrote. Raises ValueError where it is none."""
        return cls.model_validate(json.loads(text))

    def failed(self) -> tuple[CheckResult, ...]:
        """The checks that failed."""
        return tuple(check for check in self.checks if check.state == "failed")
