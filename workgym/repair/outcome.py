"""What became of a repair, attempt by attempt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workgym.mutation import Revision
from workgym.package import TaskPackage
from workgym.records import CheckReport, Record

Fate = Literal["accepted", "no proposal", "contract", "checks", "preservation review", "expert"]
"""How an attempt ended: as it should, or at what it failed."""


class Try(Record):
    """One proposal of a reviser."""

    fate: Fate
    """How it ended."""
    reason: str
    """Why, in one sentence."""
    revision: Revision | None = None
    """What was proposed; None where it was nothing that could be tried."""
    said: tuple[str, ...] = ()
    """What the reviser was told, or the reviewer's reasons, as lines."""


@dataclass(frozen=True)
class RepairOutcome:
    """What became of a repair."""

    package: TaskPackage
    """The repaired package, or the one given where the repair was discarded."""
    accepted: bool
    """Whether the repair holds."""
    reason: str
    """Why it was accepted or discarded, in one sentence."""
    report: CheckReport
    """The checks of ``package``."""
    tries: tuple[Try, ...] = ()
    """Every proposal, in order; all but an accepted last one were discarded."""

    @property
    def refused(self) -> tuple[Fate, ...]:
        """What each discarded proposal failed at."""
        return tuple(one.fate for one in self.tries if one.fate != "accepted")
