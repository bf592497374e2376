"""The model's planner: from an intent, backwards, to a support graph, a construction plan and a task package."""

from workgym.authoring.planner.desk import OFFICE_DESK, Desk
from workgym.authoring.planner.example import worked_example
from workgym.authoring.planner.packaging import Accept
from workgym.authoring.planner.planning import plan
from workgym.authoring.planner.records import Condition, Drop, External, Planned, Problem, Round, Stage

__all__ = [
    "OFFICE_DESK",
    "Accept",
    "Condition",
    "Desk",
    "Drop",
    "External",
    "Planned",
    "Problem",
    "Round",
    "Stage",
    "plan",
    "worked_example",
]
