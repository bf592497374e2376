"""Typed edits bound to units: one mechanism for repair, defect injection and a user's change."""

from workgym.mutation.apply import Mutator, apply
from workgym.mutation.revision import Contradict, DropRow, Edit, Revision, SetCell, Withhold, violations

__all__ = ["Contradict", "DropRow", "Edit", "Mutator", "Revision", "SetCell", "Withhold", "apply", "violations"]
