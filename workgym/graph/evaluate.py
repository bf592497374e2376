"""Evaluation: the true value of every derived unit, computed from the provided rows.

Absence hurts: a NULL in a derived cell, a key of the declared domain that is missing, a control that
does not hold, is an error and never a plausible number. Only what depends on a changed premise is
computed again, so that hundreds of what-if questions about one task are cheap.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from operator import is_
from typing import Any

import networkx as nx

from workgym.errors import EvaluationError, GraphError
from workgym.graph import sql
from workgym.graph.database import Database
from workgym.graph.lineage import columns_read, schema
from workgym.graph.model import Control, InfoUnit, SupportGraph
from workgym.graph.relation import Key, Relation, Values
from workgym.records import Column, Value

_Early = list[tuple[InfoUnit, Control, frozenset[str]]]
"""A control, whose it is, and which provided units it reads."""


class Evaluator:
    """A graph made executable; not thread-safe. Most who need one borrow it: :func:`evaluating`."""

    def __init__(self, graph: SupportGraph, *, exact: bool = False, wide: bool = False) -> None:
        self.graph = graph
        self.exact = exact
        self.wide = wide
        self._database = Database()
        self._loaded: dict[str, Relation] = {}
        self._stored: dict[str, Relation] = {}
        self._wanted: dict[str, tuple[tuple[Relation, ...], set[Key]]] = {}
        self._derived: dict[str, Relation] = {}
        self._unchecked: set[str] = set()
        info = graph.premises()
        derived = {unit.name for unit in graph.relations("derived")}
        self.order = tuple(name for name in nx.lexicographical_topological_sort(info) if name in derived)
        self._dependents = {unit.name: nx.descendants(info, unit.name) for unit in graph.units}
        self._read = columns_read(graph)
        self._schema = schema(graph.units)
        self._domains = self._domain_sources()
        self._inner = derived & {premise for premise in info if info.out_degree(premise)}  # others need no table
        self._early, self._late = self._controls(derived)
        self._unproved = set(range(len(self._early)))
        self._queries = {name: self._text(graph.unit(name)) for name in self.order}
        for unit in graph.relations():
            if unit.name not in derived:
                self._create(unit)

    def close(self) -> None:
        """Free the database."""
        self._database.close()

    def _text(self, unit: InfoUnit) -> str:
        text = unit.query or ""
        sql.compile_query(unit.name, text, self._schema)  # a package from elsewhere brings any text
        return sql.without_rounding(unit.name, text) if self.exact and unit.rounding is None else text

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
        for name in self.order:
            if name not in self._derived:
                self._derived[name] = self._compute(self.graph.unit(name))
                yield self._derived[name]

    def select(self, query: str, among: Collection[str] | None = None) -> list[dict[str, Any]]:
        """Rows of a query over the units as they were last evaluated; ``among`` names those it may read, None all.

        Raises QueryError for a query outside the closed language, GraphError where it reads what was not computed.
        """
        self._sync()
        for name in sql.compile_query("(selection)", query, self._schema).reads:
            if name not in self._loaded and name not in self._derived:
                raise GraphError(f"{name} has not been computed here")
            if among is not None and name not in among:
                raise GraphError(f"{name} is not to be read here")
            if name in self._derived and name not in self._inner:
                self._database.create_as(name, self._queries[name])
        names, _, rows = self._database.select(query)
        return [dict(zip(names, row, strict=True)) for row in rows]

    def _create(self, unit: InfoUnit) -> None:
        wide = [
            f"DECIMAL(18,{column.type.scale + 1})" if "DECIMAL" in column.type.sql else column.type.sql
            for column in unit.columns
        ]
        self._database.create(unit.name, unit.columns, wide if self.wide else None)

    def _domain_sources(self) -> dict[str, frozenset[str]]:
        known = schema(self.graph.units)
        return {
            unit.name: frozenset(sql.compile_query(unit.name, unit.domain, known).reads)
            for unit in self.graph.relations()
            if unit.domain is not None
        }

    def _controls(self, derived: set[str]) -> tuple[_Early, dict[str, list[Control]]]:
        """Controls that read provided rows alone, and the others by unit; none where nothing is to be proved."""
        early: _Early = []
        late: dict[str, list[Control]] = {}
        for unit in () if self.wide else self.graph.units:
            for control in unit.controls:
                reads = frozenset(sql.compile_query(unit.name, control.query, self._schema).reads)
                if reads & derived:
                    late.setdefault(unit.name, []).append(control)
                else:
                    early.append((unit, control, reads))
        return early, late

    def load(self, provided: Values, *, strict: bool = True) -> None:
        """Take the provided rows without deriving anything.

        Raises EvaluationError where a needed one is absent, unless not ``strict``: a task from which something was
        withheld has to be printed, too.
        """
        for unit in self.graph.relations("provided", "external"):
            new = provided.get(unit.name)
            if new is None:
                raise EvaluationError(unit.name, "has no rows at all")
            if new is not self._loaded.get(unit.name):
                self._unchecked.add(unit.name)  # until all rows have passed, however often they are refused
                for dependent in self._dependents[unit.name]:
                    self._derived.pop(dependent, None)
                self._unproved |= {n for n, (_, _, reads) in enumerate(self._early) if unit.name in reads}
                self._loaded[unit.name] = new
        if not strict:
            return
        for unit in self.graph.relations("provided", "external"):
            if self._unchecked & ({unit.name} | self._domains.get(unit.name, frozenset())):
                self._check_provided(self._loaded[unit.name])
        self._unchecked.clear()

    def _prove(self) -> None:
        """Run the controls that read provided rows alone and may have changed: what fails should fail first."""
        for number in sorted(self._unproved):
            unit, control, _ = self._early[number]
            self._control(unit, control)
            self._unproved.discard(number)

    def _control(self, unit: InfoUnit, control: Control) -> None:
        if self._select(unit, control.query) != [(True,)]:
            raise EvaluationError(unit.name, f"{control.name}: {control.says}")

    def _sync(self) -> None:
        """Bring the tables up to date; put off until something is asked of them, since much fails before."""
        for name, new in self._loaded.items():
            old = self._stored.get(name)
            if new is not old:
                self._stored.pop(name, None)
                try:
                    self._replace(self.graph.unit(name), old, new)
                except GraphError as error:
                    raise EvaluationError(name, error.message) from error
                self._stored[name] = new

    def _replace(self, unit: InfoUnit, old: Relation | None, new: Relation) -> None:
        before, after = set(old.rows) if old else set(), set(new.rows)
        alike = old is not None and len(before) == len(old.rows) and len(after) == len(new.rows)
        if alike and len(before ^ after) <= 4:
            self._database.delete(unit.name, unit.columns, before - after)
            self._database.insert(unit.name, sorted(after - before, key=repr))
        else:
            self._create(unit)
            self._database.insert(unit.name, new.rows)

    def _check_provided(self, relation: Relation) -> None:
        unit = relation.unit
        if not unit.key and len(relation.rows) != 1:
            raise EvaluationError(unit.name, f"is a scalar and has {len(relation.rows)} rows")
        for key, row in relation.by_key.items():
            for column, value in zip(unit.columns, row, strict=True):
                if value is None and column.name in self._read.get(unit.name, ()):
                    raise EvaluationError(unit.name, f"{column.name} is absent", key=key)
        self._check_domain(relation)

    def _compute(self, unit: InfoUnit) -> Relation:
        for control in self._late.get(unit.name, ()):
            self._control(unit, control)
        self._sync()
        query = self._queries[unit.name]
        try:
            if unit.name in self._inner:
                self._database.create_as(unit.name, query)
            names, types, rows = self._database.select(query if unit.name not in self._inner else f"from {unit.name}")
        except GraphError as error:
            raise EvaluationError(unit.name, error.message) from error
        typed = (self._typed(unit, names, types, row) for row in rows)
        relation = Relation(unit, _by_key(unit, typed))
        self._check_derived(relation)
        self._check_domain(relation)
        return relation

    def _select(self, unit: InfoUnit, query: str) -> list[tuple[Any, ...]]:
        self._sync()
        try:
            return self._database.select(query)[2]
        except GraphError as error:
            raise EvaluationError(unit.name, error.message) from error

    def _typed(self, unit: InfoUnit, names: list[str], types: list[str], row: tuple[Any, ...]) -> tuple[Any, ...]:
        wanted = [column.name for column in unit.columns]
        if names != wanted:
            raise EvaluationError(
                unit.name, f"the query gives columns {', '.join(names)}, declared are {', '.join(wanted)}"
            )
        return tuple(
            self._cell(unit, column, kind, value) for column, kind, value in zip(unit.columns, types, row, strict=True)
        )

    def _cell(self, unit: InfoUnit, column: Column, kind: str, value: Any) -> Value:
        if self.exact and column.type.numeric and value is not None:
            return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
        if kind != column.type.sql:
            declared = f"{column.type} ({column.type.sql})"
            raise EvaluationError(
                unit.name,
                f"{column.name} is {kind}, declared is {declared}",
                fix=f"cast(... as {column.type.sql.lower()})",
            )
        if column.type.options and value is not None and value not in column.type.options:
            raise EvaluationError(unit.name, f"{column.name} is {value!r}, which is not {column.type}")
        typed: Value = value
        return typed

    def _check_derived(self, relation: Relation) -> None:
        unit = relation.unit
        if not unit.key and len(relation.rows) != 1:
            raise EvaluationError(unit.name, f"is a scalar and comes out with {len(relation.rows)} rows")
        for key, row in relation.by_key.items():
            for column, value in zip(unit.columns, row, strict=True):
                if value is None:
                    raise EvaluationError(unit.name, f"{column.name} comes out empty", key=key)

    def _check_domain(self, relation: Relation) -> None:
        unit = relation.unit
        if unit.domain is None:
            return
        wanted = self._domain(unit, unit.domain)
        for key in sorted(wanted - set(relation.by_key)):
            raise EvaluationError(unit.name, "this row is missing", key=key)
        for key in sorted(set(relation.by_key) - wanted):
            raise EvaluationError(unit.name, "this row has no counterpart", key=key)

    def _domain(self, unit: InfoUnit, query: str) -> set[Key]:
        """The keys that must be there; asked again only when what the query reads has changed."""
        rows = {**self._loaded, **self._derived}
        sources = tuple(rows[name] for name in sorted(self._domains[unit.name]))
        kept = self._wanted.get(unit.name)
        if kept is not None and len(kept[0]) == len(sources) and all(map(is_, kept[0], sources)):
            return kept[1]
        wanted = {
            tuple(str(unit.column(name).type.dump(value)) for name, value in zip(unit.key, row, strict=True))
            for row in self._select(unit, query)
        }
        self._wanted[unit.name] = (sources, wanted)
        return wanted


def _by_key(unit: InfoUnit, rows: Iterable[tuple[Value, ...]]) -> tuple[tuple[Value, ...], ...]:
    """Rows in the order of their keys: the database's own depends on what was loaded before."""
    places = [index for index, column in enumerate(unit.columns) if column.name in unit.key]
    return tuple(sorted(rows, key=lambda row: [(row[at] is None, row[at]) for at in places]))


_KEPT = 4
"""Evaluators that a thread keeps when nobody uses them."""


class _Idle(threading.local):
    """Evaluators that nobody uses at the moment, the longest unused first, by thread."""

    def __init__(self) -> None:
        self.evaluators: list[Evaluator] = []


_idle = _Idle()


@contextmanager
def evaluating(graph: SupportGraph, *, exact: bool = False, wide: bool = False) -> Iterator[Evaluator]:
    """An evaluator of a graph, for a while.

    With ``exact`` the derived units are computed without intermediate rounding, except where a rule
    unit prescribes it (``InfoUnit.rounding``). With ``wide`` provided numbers may have a decimal place more
    than their types keep, and controls do not count: for the question of what happens nearby.

    Tasks of one family share their units, and what the one before them left loaded is worth keeping:
    only rows that differ are loaded, and only what depends on them is computed.
    """
    wanted = (id(graph.units), id(graph.supports), exact, wide)
    for found in _idle.evaluators:
        if (id(found.graph.units), id(found.graph.supports), found.exact, found.wide) == wanted:
            _idle.evaluators.remove(found)
            break
    else:
        found = Evaluator(graph, exact=exact, wide=wide)
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
