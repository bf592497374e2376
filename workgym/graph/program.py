"""A graph as something to be run: what is computed, in which order, from what, and what must hold."""

from __future__ import annotations

from dataclasses import dataclass

import networkx as nx

from workgym.errors import EvaluationError
from workgym.graph import sql
from workgym.graph.lineage import columns_read, schema
from workgym.graph.model import Control, InfoUnit, SupportGraph


@dataclass(frozen=True)
class Claim:
    """A control and what it reads."""

    unit: InfoUnit
    """Whose control it is."""
    control: Control
    """What must hold."""
    reads: frozenset[str]
    """The units that it reads."""

    def broken(self) -> EvaluationError:
        """What to say where it does not hold."""
        return EvaluationError(self.unit.name, f"{self.control.name}: {self.control.says}")


@dataclass(frozen=True)
class Program:
    """Everything about evaluating a graph that does not depend on its rows."""

    graph: SupportGraph
    """The graph."""
    exact: bool
    """Whether intermediate rounding is left out, except where a rule unit prescribes it."""
    known: sql.Schema
    """Column types of all units."""
    given: tuple[InfoUnit, ...]
    """Provided and external units: what evaluation starts from."""
    order: tuple[str, ...]
    """Derived units, premises first."""
    queries: dict[str, str]
    """The query of each derived unit, as it is run."""
    inner: frozenset[str]
    """Derived units that something else reads; the others need no table."""
    dependents: dict[str, frozenset[str]]
    """By unit, all that rests on it, directly or not."""
    read: dict[str, set[str]]
    """By unit, the columns that something reads."""
    domains: dict[str, frozenset[str]]
    """By unit that declares which rows it must have, the units that the declaration reads."""
    premises: dict[str, frozenset[str]]
    """By derived unit, the units that its query reads."""
    projections: dict[str, tuple[str, tuple[str, ...]]]
    """Of the domains, those that are nothing but columns of one unit: which."""
    early: tuple[Claim, ...]
    """Controls over provided rows alone: what fails should fail first."""
    late: dict[str, tuple[Claim, ...]]
    """The other controls, by unit."""

    def reads(self, unit: InfoUnit, query: str) -> frozenset[str]:
        """Which units a query reads. Raises QueryError for one outside the closed language."""
        return frozenset(sql.compile_query(unit.name, query, self.known).reads)


def program(graph: SupportGraph, *, exact: bool) -> Program:
    """The program of a graph. Raises QueryError for a query outside the closed language."""
    info = graph.premises()
    derived = frozenset(unit.name for unit in graph.relations("derived"))
    order = tuple(name for name in nx.lexicographical_topological_sort(info) if name in derived)
    known = schema(graph.units)
    domains = {unit.name: unit.domain for unit in graph.relations() if unit.domain is not None}
    claims = [
        Claim(unit, control, frozenset(sql.compile_query(unit.name, control.query, known).reads))
        for unit in graph.units
        for control in unit.controls
    ]
    late = [claim for claim in claims if claim.reads & derived]
    queries = {name: _text(graph.unit(name), known, exact) for name in order}
    return Program(
        graph=graph,
        exact=exact,
        known=known,
        given=tuple(graph.relations("provided", "external")),
        order=order,
        queries=queries,
        inner=derived & {premise for premise in info if info.out_degree(premise)},
        dependents={unit.name: frozenset(nx.descendants(info, unit.name)) for unit in graph.units},
        read=columns_read(graph),
        domains={name: frozenset(sql.compile_query(name, text, known).reads) for name, text in domains.items()},
        premises={name: frozenset(sql.compile_query(name, text, known).reads) for name, text in queries.items()},
        projections={
            name: plain for name, text in domains.items() if (plain := sql.projection(name, text)) is not None
        },
        early=tuple(claim for claim in claims if not claim.reads & derived),
        late={name: tuple(claim for claim in late if claim.unit.name == name) for name in order},
    )


def _text(unit: InfoUnit, known: sql.Schema, exact: bool) -> str:
    text = unit.query or ""
    sql.compile_query(unit.name, text, known)  # a package from elsewhere brings any text
    return sql.without_rounding(unit.name, text) if exact and unit.rounding is None else text
