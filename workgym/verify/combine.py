"""Combiners: how the scores of a verdict become one reward. Named and versioned; a change is a new version."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod

from workgym.errors import UsageError
from workgym.verify.model import Scores

Combiner = Callable[[Scores], float]
"""Scores to a reward from 0 to 1; it is 1 only where every score is."""

STRAY = 0.9
"""What stray files multiply by, however many there are: untidy, but the work may still be right."""


def code_1(scores: Scores) -> float:
    """``V_code`` times the guards: the mean of the units' credit, weighted as stated.

    Guards: ``inputs`` and ``types`` are 0 or 1 (a changed or removed input, or a deliverable that is not of the
    format that its name says, spoils the whole hand-in); ``stray`` is 1 or 0.9.
    """
    total = sum(unit.weight for unit in scores.units)
    if total <= 0:
        return 0.0
    mean = sum(unit.weight * unit.credit for unit in scores.units) / total
    return round(mean * prod(scores.guards.values()), 6)


COMBINERS: Mapping[str, Combiner] = {"code/1": code_1}
"""Combiners by name and version."""


def combiner(name: str) -> Combiner:
    """The combiner of that name. Raises UsageError where there is none."""
    if name not in COMBINERS:
        raise UsageError(f"there is no combiner {name!r}", fix=f"use one of {', '.join(sorted(COMBINERS))}")
    return COMBINERS[name]
