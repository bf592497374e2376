"""The independent solution, and the independent verifier: two computations that never saw the builder's queries.

A model that sees what a solver sees writes ``solve.py`` (:func:`solve`), or a script that says what will have to stand
in the deliverables (:func:`construct`). Both run in the sandbox by the expert harness, and both are compared with the
graph; where they disagree, each difference is a finding that shows both computations and says who has to look.
"""

from workgym.check.independent.comparison import compare
from workgym.check.independent.findings import Disagreement
from workgym.check.independent.solution import Attempt, Solution, solve
from workgym.check.independent.verifier import Statement, Verifier, construct

__all__ = ["Attempt", "Disagreement", "Solution", "Statement", "Verifier", "compare", "construct", "solve"]
