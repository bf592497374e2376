"""The verdict as a record: every check with its evidence, the scores as a vector, and the reward made of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from workgym.records import Record, pretty

CheckState = Literal["passed", "failed", "not requested", "unscored"]
"""``failed``: the deliverable is the cause. ``unscored``: our side is. ``not requested``: no judge is configured."""

CheckKind = Literal["fact", "guard", "file", "structure", "rubric"]
"""``fact`` a value beside its entity; ``guard`` what multiplies; ``file`` handed in and readable; ``structure`` rows
and formulas; ``rubric`` what a judge would score."""


class CheckResult(Record):
    """One thing that was checked, with the evidence for its state."""

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


class Scores(Record):
    """The vector that a combiner makes a reward of."""

    units: tuple[UnitScore, ...]
    """Stated units, in the order in which the deliverables state them."""
    guards: Mapping[str, float] = Field(default_factory=dict)
    """What each guard multiplies by, by name; 1 where it holds."""

    def vector(self) -> dict[str, float]:
        """All scores by name: ``code.<deliverable>.<unit>`` and ``guard.<name>``."""
        credits = {f"code.{unit.deliverable}.{unit.unit}": unit.credit for unit in self.units}
        return credits | {f"guard.{name}": value for name, value in sorted(self.guards.items())}


class Verdict(Record):
    """How one final workspace was graded."""

    task: str
    """Id of the task."""
    package: str
    """Digest of the package that it was graded against."""
    combiner: str
    """Name and version of the combiner, ``code/1``."""
    state: Literal["passed", "failed", "unscored"]
    """``passed`` where every check that was requested passed; ``unscored`` where one could not be had by our fault."""
    reward: float
    """0 to 1; 0.0 where it is unscored, which is not a score."""
    checks: tuple[CheckResult, ...]
    """Every check, files first, then guards, facts and structure, then rubric items."""
    scores: Scores
    """The scores that the reward is made of."""

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
