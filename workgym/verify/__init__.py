"""Grading: from a task and a copy of the final workspace to a verdict with its evidence."""

from workgym.verify.combine import COMBINERS
from workgym.verify.evidence import summary
from workgym.verify.grade import grade
from workgym.verify.model import CheckResult, Scores, UnitScore, Verdict
from workgym.verify.workspace import regrade, workspace_files

__all__ = [
    "COMBINERS",
    "CheckResult",
    "Scores",
    "UnitScore",
    "Verdict",
    "grade",
    "regrade",
    "summary",
    "workspace_files",
]
