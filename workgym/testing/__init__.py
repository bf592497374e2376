"""Doubles that ship with the seams, so that tests patch nothing and plug-in authors can dry-run."""

from workgym.testing.dummy_sandbox import DummySandbox
from workgym.testing.toy import grade, toy_task

__all__ = ["DummySandbox", "grade", "toy_task"]
