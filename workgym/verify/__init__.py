"""Grading: from a task and a copy of the final workspace to a verdict with its evidence.

What a person cannot see is not stated: hidden sheets, rows, columns and text, comments, deleted text, text of less than
4 points or in the colour of what lies behind it. Not looked at are colours in tables of Word documents and in sheets
with table styles or conditional formats, which may shade a cell, styles of paragraphs, PDFs, and what covers what.

Number facts in a text earn by what is said most plainly, then by what is said first, so that a list of guesses earns
no more than a single one. What a sentence means beyond that (irony, a denial three sentences on) is for the rubric:
items that a licensed judge scores one by one, see ``judging`` and docs/judging.md.
"""

from workgym.verify.combine import COMBINERS
from workgym.verify.grade import grade
from workgym.verify.grader import Grader
from workgym.verify.judging.judge import Judge, Settings
from workgym.verify.judging.licence import Licence, LicensedJudge, calibrate
from workgym.verify.model import Answer, CheckResult, JudgeRecord, Pin, RubricScore, Scores, UnitScore, Verdict
from workgym.verify.telling.evidence import failing, summary
from workgym.verify.telling.explain import explain
from workgym.verify.truth import answer_sets
from workgym.verify.workspace import regrade, workspace_files

__all__ = [
    "COMBINERS",
    "Answer",
    "CheckResult",
    "Grader",
    "Judge",
    "JudgeRecord",
    "Licence",
    "LicensedJudge",
    "Pin",
    "RubricScore",
    "Scores",
    "Settings",
    "UnitScore",
    "Verdict",
    "answer_sets",
    "calibrate",
    "explain",
    "failing",
    "grade",
    "regrade",
    "summary",
    "workspace_files",
]
