"""The quality suite: what has to hold of a task before it is released, checked one by one, in one report.

``examine`` runs it on a package; ``gate`` says whether a package may be released by the report that is sealed in it.
"""

from workgym.quality.suite.bench import Grade
from workgym.quality.suite.examining import examine
from workgym.quality.suite.gate import gate, standing, whole
from workgym.quality.suite.policy import NAMES, POLICY, Check
from workgym.quality.suite.report import (
    SIZES,
    SUITE,
    CorpusReport,
    MatrixCell,
    MatrixRow,
    QaCheck,
    QaReport,
    Size,
    counts,
    sealed,
)
from workgym.quality.suite.together import together

__all__ = [
    "NAMES",
    "POLICY",
    "SIZES",
    "SUITE",
    "Check",
    "CorpusReport",
    "Grade",
    "MatrixCell",
    "MatrixRow",
    "QaCheck",
    "QaReport",
    "Size",
    "counts",
    "examine",
    "gate",
    "sealed",
    "standing",
    "together",
    "whole",
]
