"""Repair: a reviser proposes typed edits, and a revision is accepted only if everything holds afterwards."""

from workgym.repair.acceptance import Objection, Review, Reviewed, attempt, objection
from workgym.repair.mending import mend, reviewing
from workgym.repair.outcome import Fate, RepairOutcome, Try
from workgym.repair.restoring import Reviser, repair, restorer

__all__ = [
    "Fate",
    "Objection",
    "RepairOutcome",
    "Review",
    "Reviewed",
    "Reviser",
    "Try",
    "attempt",
    "mend",
    "objection",
    "repair",
    "restorer",
    "reviewing",
]
