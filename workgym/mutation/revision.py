"""Revisions: typed edits that are made together or not at all.

Repair, defect injection and a user's change in mid-task are one mechanism; they differ in ``purpose``.
"""

from __future__ import annotations

from typing import Literal

from workgym.errors import MutationError
from workgym.mutation.edits import REPAIRS, Edit, SetCell
from workgym.records import Record

Purpose = Literal["repair", "inject", "user"]
"""What a revision is for."""


class Revision(Record):
    """Edits that are made together or not at all."""

    purpose: Purpose
    """Why: a repair may not withhold, contradict or damage, and a user only sets cells."""
    why: str
    """One sentence for the history."""
    edits: tuple[Edit, ...]
    """The edits, in order."""
    findings: tuple[str, ...] = ()
    """The findings that a repair answers, as lines."""


def permitted(revision: Revision) -> None:
    """Raises MutationError where a revision does what its purpose does not allow."""
    for item in revision.edits:
        if revision.purpose == "user" and not isinstance(item, SetCell):
            other = "repairs or injections" if isinstance(item, REPAIRS) else "injections"
            raise MutationError(f"a user only sets cells; {item.kind} is for {other}")
        if revision.purpose == "repair" and not isinstance(item, REPAIRS):
            raise MutationError(f"a repair only sets cells, adds and rewords; {item.kind} is for injections")
        if revision.purpose == "repair" and isinstance(item, SetCell) and item.value is None:
            raise MutationError(f"{item.cell}: a repair does not take a value out")
