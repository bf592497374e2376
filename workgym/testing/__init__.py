"""Doubles that ship with the seams, and suites for plug-in authors: tests patch nothing, users can dry-run."""

from workgym.testing.dummy_sandbox import DummySandbox
from workgym.testing.harness_suite import Moves, check_harness
from workgym.testing.recordings import record_hand_in
from workgym.testing.toy import grade, toy_task

__all__ = ["DummySandbox", "Moves", "check_harness", "grade", "record_hand_in", "toy_task"]
