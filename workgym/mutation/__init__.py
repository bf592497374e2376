"""Typed edits bound to units: one mechanism for repair, defect injection and a user's change."""

from workgym.mutation.apply import Mutator, apply
from workgym.mutation.contract import violations
from workgym.mutation.edits import (
    AddFact,
    AddRow,
    Contradict,
    Damage,
    DropRow,
    Edit,
    Restore,
    Reword,
    SetCell,
    Withhold,
)
from workgym.mutation.revision import Revision

__all__ = [
    "AddFact",
    "AddRow",
    "Contradict",
    "Damage",
    "DropRow",
    "Edit",
    "Mutator",
    "Restore",
    "Revision",
    "Reword",
    "SetCell",
    "Withhold",
    "apply",
    "violations",
]
