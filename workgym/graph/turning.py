"""What comes out of a graph when one of its queries follows another convention."""

from __future__ import annotations

from collections.abc import Collection

import networkx as nx

from workgym.errors import EvaluationError, GraphError
from workgym.graph.evaluate import Evaluator
from workgym.graph.relation import Relation
from workgym.graph.rows import check_keys, derived_rows
from workgym.graph.variants import Variant


class Turning:
    """An evaluated graph in which queries are exchanged one at a time; its rows stay as they are."""

    def __init__(self, evaluator: Evaluator, wanted: Collection[str]) -> None:
        """``wanted`` are the derived units whose rows are asked for; the evaluator has been loaded and run."""
        self._evaluator = evaluator
        self._wanted = frozenset(wanted)
        info = evaluator.graph.premises()
        self._leads = {name for one in self._wanted for name in (one, *nx.ancestors(info, one))}

    @property
    def units(self) -> tuple[str, ...]:
        """The derived units that something wanted rests on, premises first."""
        return tuple(name for name in self._evaluator.program.order if name in self._leads)

    def rows(self, variant: Variant) -> dict[str, Relation]:
        """Rows of the wanted units that come out differently, by unit.

        Raises EvaluationError where the work cannot be done that way: a row that is needed is missing, a cell empty.
        """
        program, name = self._evaluator.program, variant.unit
        new = self._asked(name, variant.query)
        if new.by_key == self._evaluator.derive(name).by_key:
            return {}
        found = {name: new} if name in self._wanted else {}
        chain = [(name, variant.query)]
        for other in program.order:
            if other in program.dependents[name] and other in self._leads:
                query = program.queries[other]
                if other in self._wanted:
                    given = ", ".join(f'"{unit}" as materialized ({text})' for unit, text in chain)
                    relation = self._asked(other, f"with {given} from ({query})")
                    if relation.by_key != self._evaluator.derive(other).by_key:
                        found[other] = relation
                chain.append((other, query))
        return found

    def _asked(self, name: str, query: str) -> Relation:
        unit = self._evaluator.graph.unit(name)
        try:
            names, types, rows = self._evaluator.database.select(query)
        except GraphError as error:
            raise EvaluationError(name, error.message) from error
        relation = derived_rows(unit, names, types, rows, exact=True)
        if unit.domain is not None:
            check_keys(relation, self._evaluator.domain(unit, unit.domain))
        return relation
