"""Evaluation: the true value of every derived unit, computed from the provided rows.

Absence hurts: a NULL in a derived cell, a key of the declared domain that is missing, a control that
does not hold, is an error and never a plausible number. Only what depends on a changed premise is
computed again; for many variants of the premises at once there is ``workgym.graph.whatif``.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import cached_property
from operator import is_
from typing import Any

from workgym.errors import EvaluationError, GraphError
from workgym.graph import sql
from workgym.graph.database import Database
from workgym.graph.model import InfoUnit, SupportGraph
from workgym.graph.program import Claim, Program, program
from workgym.graph.relation import Key, Relation, Values
from workgym.graph.rows import check_given, check_keys, derived_rows, keys_of


class Evaluator:
    """A graph made executable; not thread-safe. Most who need one borrow it: :func:`evaluating`."""

    def __init__(self, graph: SupportGraph, *, exact: bool = False) -> None:
        self.program = program(graph, exact=exact)
        self.database = Database()
        self._loaded: dict[str, Relation] = {}
        self._stored: dict[str, Relation] = {}
        self._numbered: dict[str, dict[tuple[Any, ...], list[int]]] = {}
        self._wanted: dict[str, tuple[tuple[Relation, ...], set[Key]]] = {}
        self._derived: dict[str, Relation] = {}
        self._unchecked: set[str] = set()
        self._unproved = set(range(len(self.program.early)))
        for unit in graph.relations():
            if unit.status != "derived":
                self.database.create(unit.name, self.program.known[unit.name])

    @property
    def graph(self) -> SupportGraph:
        """What is evaluated."""
        return self.program.graph

    @cached_property
    def unrounded(self) -> Program:
        """The same graph without intermediate rounding."""
        return self.program if self.program.exact else program(self.graph, exact=True)

    def close(self) -> None:
        """Free the database."""
        self.database.close()

    def evaluate(self, provided: Values) -> dict[str, Relation]:
        """All units' rows: those given, and the derived ones computed from them.

        Raises EvaluationError naming the first unit, in order of derivation, that cannot be computed.
        """
        for _ in self.steps(provided):
            pass
        return {**self._loaded, **self._derived}

    def steps(self, provided: Values) -> Iterator[Relation]:
        """The same unit by unit: what has to be computed anew, in order of derivation.

        Who has seen enough may stop early; the rest is computed when it is asked for again.
        """
        self.load(provided)
        self._prove()
        for name in self.program.order:
            if name not in self._derived:
                yield self.derive(name)

    def derive(self, name: str) -> Relation:
        """One derived unit from the rows as loaded; those that it rests on must have been derived before."""
        if name not in self._derived:
            self._derived[name] = self._compute(self.graph.unit(name))
        return self._derived[name]

    def select(self, query: str, among: Collection[str] | None = None) -> list[dict[str, Any]]:
        """Rows of a query over the units as they were last evaluated; ``among`` names those it may read, None all.

        Raises QueryError for a query outside the closed language, GraphError where it reads what was not computed.
        """
        self.sync()
        for name in sql.compile_query("(selection)", query, self.program.known).reads:
            if name not in self._loaded and name not in self._derived:
                raise GraphError(f"{name} has not been computed here")
            if among is not None and name not in among:
                raise GraphError(f"{name} is not to be read here")
            if name in self._derived and name not in self.program.inner:
                self.database.create_as(name, self.program.queries[name])
        names, _, rows = self.database.select(query)
        return [dict(zip(names, row, strict=True)) for row in rows]

    def load(self, provided: Values, *, strict: bool = True) -> None:
        """Take the provided rows without deriving anything.

        Raises EvaluationError where a needed one is absent, unless not ``strict``: a task from which something was
        withheld has to be printed, too.
        """
        for unit in self.program.given:
            new = provided.get(unit.name)
            if new is None:
                raise EvaluationError(unit.name, "has no rows at all")
            if new is not self._loaded.get(unit.name):
                self._unchecked.add(unit.name)  # until all rows have passed, however often they are refused
                for dependent in self.program.dependents[unit.name]:
                    self._derived.pop(dependent, None)
                self._unproved |= {n for n, claim in enumerate(self.program.early) if unit.name in claim.reads}
                self._loaded[unit.name] = new
        if not strict:
            return
        for unit in self.program.given:
            if self._unchecked & ({unit.name} | self.program.domains.get(unit.name, frozenset())):
                check_given(self._loaded[unit.name], self.program.read.get(unit.name, ()))
                self._check_domain(self._loaded[unit.name])
        self._unchecked.clear()

    def _prove(self) -> None:
        """Run the controls that read provided rows alone and may have changed: what fails should fail first."""
        for number in sorted(self._unproved):
            self._hold(self.program.early[number])
            self._unproved.discard(number)

    def _hold(self, claim: Claim) -> None:
        if self._select(claim.unit, claim.control.query) != [(True,)]:
            raise claim.broken()

    def sync(self) -> None:
        """Bring the tables up to date; put off until something is asked of them, since much fails before."""
        for name, new in self._loaded.items():
            if new is not self._stored.get(name):
                self._stored.pop(name, None)
                self._numbered.pop(name, None)
                try:
                    self.database.table(name, self.program.known[name], new.rows)
                except GraphError as error:
                    raise EvaluationError(name, error.message) from error
                self._stored[name] = new

    def numbered(self, name: str) -> dict[tuple[Any, ...], list[int]]:
        """Where each row of a loaded unit is in its table: the database's own numbers of it and its equal twins.

        Raises EvaluationError where the table does not hold the rows as they are.
        """
        self.sync()
        if name not in self._numbered:
            columns = ", ".join(f'"{column}"' for column in self.program.known[name])
            found: dict[tuple[Any, ...], list[int]] = {}
            for number, *row in self.database.select(f'select rowid, {columns} from "{name}"')[2]:
                found.setdefault(tuple(row), []).append(number)
            if found.keys() != set(self._loaded[name].rows):
                raise EvaluationError(name, "holds values that are not of their columns' types")
            self._numbered[name] = found
        return self._numbered[name]

    def _compute(self, unit: InfoUnit) -> Relation:
        for claim in self.program.late[unit.name]:
            self._hold(claim)
        self.sync()
        query = self.program.queries[unit.name]
        try:
            if unit.name in self.program.inner:
                self.database.create_as(unit.name, query)
                query = f'from "{unit.name}"'
            names, types, rows = self.database.select(query)
        except GraphError as error:
            raise EvaluationError(unit.name, error.message) from error
        relation = derived_rows(unit, names, types, rows, exact=self.program.exact)
        self._check_domain(relation)
        return relation

    def _select(self, unit: InfoUnit, query: str) -> list[tuple[Any, ...]]:
        self.sync()
        try:
            return self.database.select(query)[2]
        except GraphError as error:
            raise EvaluationError(unit.name, error.message) from error

    def _check_domain(self, relation: Relation) -> None:
        if relation.unit.domain is not None:
            check_keys(relation, self.domain(relation.unit, relation.unit.domain))

    def domain(self, unit: InfoUnit, query: str) -> set[Key]:
        """The keys that must be there; asked again only when what the query reads has changed."""
        rows = {**self._loaded, **self._derived}
        sources = tuple(rows[name] for name in sorted(self.program.domains[unit.name]))
        kept = self._wanted.get(unit.name)
        if kept is not None and len(kept[0]) == len(sources) and all(map(is_, kept[0], sources)):
            return kept[1]
        plain = self.program.projections.get(unit.name)
        wanted = keys_of(unit, self._select(unit, query) if plain is None else rows[plain[0]].columns(plain[1]))
        self._wanted[unit.name] = (sources, wanted)
        return wanted


_KEPT = 4
"""Evaluators that a thread keeps when nobody uses them."""


class _Idle(threading.local):
    """Evaluators that nobody uses at the moment, the longest unused first, by thread."""

    def __init__(self) -> None:
        self.evaluators: list[Evaluator] = []


_idle = _Idle()


@contextmanager
def evaluating(graph: SupportGraph, *, exact: bool = False) -> Iterator[Evaluator]:
    """An evaluator of a graph, for a while.

    With ``exact`` the derived units are computed without intermediate rounding, except where a rule
    unit prescribes it (``InfoUnit.rounding``).

    Tasks of one family share their units, and what the one before them left loaded is worth keeping:
    only rows that differ are loaded, and only what depends on them is computed.
    """
    wanted = (id(graph.units), id(graph.supports), exact)
    for found in _idle.evaluators:
        if (id(found.graph.units), id(found.graph.supports), found.program.exact) == wanted:
            _idle.evaluators.remove(found)
            break
    else:
        found = Evaluator(graph, exact=exact)
    try:
        yield found
    finally:
        _idle.evaluators.append(found)
        if len(_idle.evaluators) > _KEPT:
            _idle.evaluators.pop(0).close()


def evaluate(graph: SupportGraph, provided: Values, *, exact: bool = False) -> dict[str, Relation]:
    """All units' rows, once. Raises EvaluationError."""
    with evaluating(graph, exact=exact) as evaluator:
        return evaluator.evaluate(provided)


def provided(graph: SupportGraph, values: Values) -> dict[str, Relation]:
    """Those of ``values`` that evaluation starts from."""
    return {unit.name: values[unit.name] for unit in graph.relations("provided", "external")}
