"""Teacher trajectories: who rolls out which task, and which of what came of it is worth learning from."""

from workgym.select.collect import Collected, collect
from workgym.select.config import Config
from workgym.select.jobs import Row
from workgym.select.makers import makers
from workgym.select.score import Evidence, Score
from workgym.select.selecting import select
from workgym.select.selection import Comparison, Contest, Entry, Selection, Stage
from workgym.select.tasks import TaskRef, task_refs
from workgym.select.teachers import Longest, Teacher, Teachers, assign

__all__ = [
    "Collected",
    "Comparison",
    "Config",
    "Contest",
    "Entry",
    "Evidence",
    "Longest",
    "Row",
    "Score",
    "Selection",
    "Stage",
    "TaskRef",
    "Teacher",
    "Teachers",
    "assign",
    "collect",
    "makers",
    "select",
    "task_refs",
]
