"""Units, carriers, the graph between them, and its evaluation."""

from workgym.graph.acceptance import Acceptance, Handed, Objective
from workgym.graph.areas import LAST, Area, area
from workgym.graph.evaluate import Evaluator, evaluate, evaluating, provided
from workgym.graph.lineage import columns_read, compile_graph, depths, needed
from workgym.graph.model import (
    Binding,
    Carrier,
    Conflict,
    Control,
    Decision,
    Deliverable,
    InfoUnit,
    Margin,
    RubricItem,
    Stated,
    Status,
    Support,
    SupportGraph,
    Trap,
)
from workgym.graph.relation import Key, Relation, Values
from workgym.records import Column

__all__ = [
    "LAST",
    "Acceptance",
    "Area",
    "Binding",
    "Carrier",
    "Column",
    "Conflict",
    "Control",
    "Decision",
    "Deliverable",
    "Evaluator",
    "Handed",
    "InfoUnit",
    "Key",
    "Margin",
    "Objective",
    "Relation",
    "RubricItem",
    "Stated",
    "Status",
    "Support",
    "SupportGraph",
    "Trap",
    "Values",
    "area",
    "columns_read",
    "compile_graph",
    "depths",
    "evaluate",
    "evaluating",
    "needed",
    "provided",
]
