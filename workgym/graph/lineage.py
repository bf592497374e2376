"""``E_info``, read off the queries: which unit reads which columns of which others."""

from __future__ import annotations

from collections.abc import Iterator

import networkx as nx

from workgym.errors import GraphError, QueryError
from workgym.graph import accepting, sql
from workgym.graph.derived import refused
from workgym.graph.model import InfoUnit, Support, SupportGraph


def schema(units: tuple[InfoUnit, ...]) -> dict[str, dict[str, str]]:
    """Column types of every unit that has columns, as DuckDB writes them."""
    return {unit.name: {column.name: column.type.sql for column in unit.columns} for unit in units if unit.columns}


def reads(unit: InfoUnit, units: tuple[InfoUnit, ...]) -> Iterator[sql.Query]:
    """Everything that computing or judging ``unit`` reads: its query, its controls and its domain."""
    known = schema(units)
    texts = [unit.query or "", *(control.query for control in unit.controls), unit.domain or ""]
    return (sql.compile_query(unit.name, text, known) for text in texts if text)


def supports(units: tuple[InfoUnit, ...]) -> tuple[Support, ...]:
    """All edges of ``E_info``, sorted: of queries, controls, domains of derived units, and declared premises.

    Raises QueryError where a query is refused.
    """
    edges: dict[tuple[str, str], set[str]] = {}
    known = schema(units)
    for unit in units:
        if unit.status == "derived" and unit.columns:
            for query in reads(unit, units):
                for premise, columns in query.reads.items():
                    if premise == unit.name:
                        raise QueryError(unit.name, "reads itself")
                    edges.setdefault((unit.name, premise), set()).update(columns)
        for rule in unit.permits.values():
            edges.setdefault((unit.name, rule), set()).update(known.get(rule, ()))
        for named in (*unit.premises, *((unit.decision.admissible,) if unit.decision else ())):
            premise, _, column = named.partition(".")
            edges.setdefault((unit.name, premise), set()).update({column} if column else ())
    return tuple(
        Support(unit=unit, premise=premise, columns=tuple(sorted(columns)))
        for (unit, premise), columns in sorted(edges.items())
    )


def compile_graph(graph: SupportGraph) -> SupportGraph:
    """The graph with ``E_info`` read off its queries, every query checked, and no cycle. Raises GraphError."""
    for unit in graph.units:
        for error in _refused(unit, graph):
            raise error
    accepting.reads(graph, schema(graph.units))
    compiled = graph.model_copy(update={"supports": supports(graph.units)})
    circle = cycle(compiled)
    if circle:
        raise QueryError(circle[0], f"units depend on each other: {' -> '.join((*circle, circle[0]))}")
    return compiled


def refusals(graph: SupportGraph) -> tuple[GraphError, ...]:
    """All that :func:`compile_graph` would refuse one after the other: for whoever corrects several things at once."""
    found = [error for unit in graph.units for error in _refused(unit, graph)]
    if not found:
        try:
            compile_graph(graph)
        except GraphError as error:
            found.append(error)
    return tuple({str(error): error for error in found}.values())


def cycle(graph: SupportGraph) -> tuple[str, ...]:
    """Units that depend on each other in a circle; empty where there are none."""
    try:
        return tuple(edge[0] for edge in nx.find_cycle(graph.premises()))
    except nx.NetworkXNoCycle:
        return ()


def _refused(unit: InfoUnit, graph: SupportGraph) -> Iterator[GraphError]:
    """What is wrong with what a unit names, and with its queries; of one that does not compile the first thing."""
    known = schema(graph.units)
    keys = {other.name: other.key for other in graph.units}
    rules = frozenset(other.name for other in graph.units if other.rule)
    choices = frozenset(option for other in graph.units for column in other.columns for option in column.type.options)
    for named in (
        unit.rounding,
        unit.superseded_by,
        *unit.permits.values(),
        *(name.split(".")[0] for name in unit.premises),
    ):
        if named is not None and named not in graph.by_name:
            yield GraphError(f"unit {unit.name} names {named}, which does not exist")
    said = [(f"control {control.name}", control.query) for control in unit.controls]
    for what, text in (("query", unit.query), ("domain", unit.domain), *said):
        if text is None:
            continue
        try:
            query = sql.compile_query(unit.name, text, known)
        except QueryError as error:
            yield error
            continue
        if unit.status == "derived":
            yield from refused(query, known, keys, rules, unit.permits, choices)
            continue
        for premise in query.reads:
            if graph.unit(premise).status == "derived":
                yield GraphError(f"the {what} of the provided unit {unit.name} reads the derived unit {premise}")


def depths(graph: SupportGraph) -> dict[str, int]:
    """How many derivations lie behind each derived unit: 1 for those that rest on premises alone."""
    info = graph.premises()
    found: dict[str, int] = {}
    for name in nx.topological_sort(info):
        if graph.unit(name).status == "derived":
            found[name] = 1 + max((found.get(premise, 0) for premise in info.predecessors(name)), default=0)
    return found


def columns_read(graph: SupportGraph) -> dict[str, set[str]]:
    """By unit, the columns that some query, control, domain, acceptance or declared premise reads."""
    found = accepting.reads(graph, schema(graph.units))
    for edge in graph.supports:
        found.setdefault(edge.premise, set()).update(edge.columns)
    return found


def needed(graph: SupportGraph, *, accepted: bool = True) -> frozenset[str]:
    """Names of the provided and external units that the stated results are computed from.

    With ``accepted`` also those by which handed tables are judged.
    """
    info = graph.premises()
    wanted = {item.unit for deliverable in graph.deliverables for item in deliverable.states}
    wanted |= accepting.reads(graph, schema(graph.units)).keys() if accepted else set()
    for name in tuple(wanted):
        wanted |= nx.ancestors(info, name)
    return frozenset(name for name in wanted if graph.unit(name).status in ("provided", "external"))


def compared(graph: SupportGraph) -> frozenset[str]:
    """``unit.column`` of provided numbers that a query compares for equality, directly or through derived units."""
    known = schema(graph.units)
    info = graph.premises()
    found: set[str] = set()
    for unit in graph.relations("derived"):
        for text in (unit.query, unit.domain):
            for premise, column in sql.equalities(unit.name, text, known) if text else ():
                if premise not in graph.by_name:
                    continue  # a common table expression
                found.add(f"{premise}.{column}")
                if graph.unit(premise).status == "derived" and graph.unit(premise).column(column).type.numeric:
                    for source in nx.ancestors(info, premise):
                        found |= {f"{source}.{part.name}" for part in graph.unit(source).columns}
    return frozenset(found)
