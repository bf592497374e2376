"""What a run of the factory does with each intent."""

from __future__ import annotations

import hashlib
from typing import Literal, Self

from pydantic import Field, model_validator

from workgym.authoring.planner import External
from workgym.records import Intent, Record, WebAccess
from workgym.records.factory import Condition


class Settings(Record):
    """How each intent is carried through the stages; the same for a run and for those that resume it."""

    conditions: tuple[Condition, ...] = Field(default=("planned",), min_length=1)
    """How each intent is planned: ``planned``, with the information first; ``direct``, the baseline; or both."""
    plan_rounds: int = Field(default=8, ge=0)
    """Corrections of a draft before it is dropped."""
    desk: bool = True
    """Whether a planned task must be as rich as an office desk: 8 files or more in 4 formats, a replaced version with a
    rule, traps, noise (``planner.OFFICE_DESK``); else that is left to the prompt."""
    external: External = "may"
    """Whether something that a task needs stands on pages of an offline site, which web tools find: it ``never`` does,
    it ``may`` where the builder finds that natural, or it ``must``."""
    external_share: float = Field(default=1.0, ge=0.0, le=1.0)
    """Share of the intents for which ``external`` holds, drawn by each intent's id; the others never need the web."""
    web: WebAccess | None = None
    """How well the web tools of such tasks work, unless an episode says otherwise: for probes, for the independent
    script, and in the corpus; None where they never fail."""
    solution_rounds: int = Field(default=3, ge=1)
    """Attempts at an expert script that sees the solver's view alone; a script that cannot be run uses one up."""
    verifier: bool = True
    """Whether a second model says what the deliverables must come to, from the solver's view alone."""
    verifier_rounds: int = Field(default=2, ge=1)
    """Attempts at its script, where one stops or fails and so says nothing; what it does say is never asked again."""
    harness: str = "react"
    """Harness of the probes."""
    repairs: int = Field(default=2, ge=0)
    """Repairs of a task, each followed by a fresh probe, before it is dropped; 0 drops what a probe finds blocked."""
    repair_rounds: int = Field(default=3, ge=1)
    """Revisions that are proposed for one repair."""
    measure: bool = True
    """Whether a held-out probe, which decides nothing, looks at the task in the end, so that rates can be reported."""
    seed: int = Field(default=0, ge=0)
    """Seed of the first probe; fresh ones count on from it."""
    measure_seed: int = Field(default=1_000_000, ge=0)
    """Seed of the held-out probe; none of ``seed`` and the ``repairs`` that follow it."""
    sandbox: Literal["bubblewrap", "docker", "docker-office", "unsafe-local"] = "bubblewrap"
    """Where probes and expert scripts run."""
    retries: int = Field(default=2, ge=0)
    """Later runs that take a task up again which a failure or a fault of ours stopped, before it is given up. Like
    ``at_once`` it may change from run to run."""
    at_once: int = Field(default=2, ge=1)
    """Tasks in the works at the same time."""

    @model_validator(mode="after")
    def _held_out(self) -> Self:
        """Whether repairs may be decided on a probe with the seed of the held-out one."""
        last = self.seed + self.repairs
        if self.measure and self.seed <= self.measure_seed <= last:
            raise ValueError(f"measure_seed {self.measure_seed}: {self.seed} to {last} are of probes before it")
        return self

    def external_of(self, intent: Intent) -> External:
        """Whether the tasks of an intent may or must need the web."""
        drawn = int.from_bytes(hashlib.sha256(f"external/{intent.id}".encode()).digest()[:8])
        return self.external if drawn < self.external_share * 2**64 else "never"
