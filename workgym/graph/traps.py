"""Traps: the premises as a hasty solver would have used them."""

from __future__ import annotations

from workgym.graph.evaluate import Evaluator, provided
from workgym.graph.model import SupportGraph, Trap
from workgym.graph.relation import Relation, Values


def trapped(evaluator: Evaluator, graph: SupportGraph, values: Values, trap: Trap) -> dict[str, Relation]:
    """The provided rows with those of ``trap`` in their place. Raises GraphError where its queries fail."""
    evaluator.evaluate(provided(graph, values))
    given = {name: Relation.load(graph.unit(name), evaluator.select(query)) for name, query in trap.given.items()}
    return {**provided(graph, values), **given}
