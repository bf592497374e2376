"""Doubles that ship with the seams, and suites for plug-in authors: tests patch nothing, users can dry-run."""

from workgym.testing.dummy_sandbox import DummySandbox
from workgym.testing.harness_suite import Moves, check_harness
from workgym.testing.marked import MARK, mark, marked_task
from workgym.testing.recordings import record_hand_in
from workgym.testing.toy import grade, toy_task

__all__ = [
    "MARK",
    "DummySandbox",
    "Moves",
    "check_harness",
    "grade",
    "mark",
    "marked_task",
    "record_hand_in",
    "toy_task",
]
