"""Doubles that ship with the seams, and suites for plug-in authors: tests patch nothing, users can dry-run."""

from workgym.testing.dummy_sandbox import DummySandbox
from workgym.testing.harness_suite import check_harness
from workgym.testing.toy import grade, toy_task

__all__ = ["DummySandbox", "check_harness", "grade", "toy_task"]
