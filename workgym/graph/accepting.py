"""Acceptance queries, checked: that they are closed, and what they read of the units."""

from __future__ import annotations

from collections.abc import Iterator

from workgym.errors import QueryError
from workgym.graph import sql
from workgym.graph.acceptance import Handed
from workgym.graph.model import Deliverable, SupportGraph


def queries(deliverable: Deliverable, units: sql.Schema) -> Iterator[tuple[tuple[str, str], sql.Query]]:
    """Every query of a deliverable with where it stands: (``tables``, ``accepts`` or ``objectives``; name).

    Raises QueryError for a query outside the closed language, or a handed table with the name of a unit.
    """
    tables = {table.name: {c.name: c.type.sql for c in table.columns} for table in deliverable.handed}
    taken = {name.casefold() for name in units} & {name.casefold() for name in tables}
    if taken:
        raise QueryError(sorted(taken)[0], "names a unit and a handed table")
    known = {**units, **tables}
    for table in deliverable.handed:
        if table.covers is not None:
            yield ("tables", table.name), sql.compile_query(table.name, table.covers, units)
            sql.compile_query(table.name, uncovered(table), known)
        for column, named in table.of.items():
            unit, _, part = named.partition(".")
            yield (
                ("tables", table.name),
                sql.compile_query(f"{table.name}.{column}", f"select {part} from {unit}", units),
            )
    for rule in deliverable.accepts:
        query = sql.compile_query(rule.name, rule.query, known)
        if not tables.keys() & query.reads.keys():
            raise QueryError(rule.name, "reads no handed table", fix=f"read one of {', '.join(tables) or '(none)'}")
        yield ("accepts", rule.name), query
    for goal in deliverable.objectives:
        yield ("objectives", goal.name), sql.compile_query(goal.name, goal.query, known)
        yield ("objectives", goal.name), sql.compile_query(goal.name, goal.best, units)


def uncovered(table: Handed) -> str:
    """The query of what a table must cover and does not; empty where it need not cover anything."""
    if table.covers is None:
        return ""
    columns = ", ".join(sql.parse(table.name, table.covers).named_selects)
    return f"select * from ({table.covers}) as asked except select {columns} from {table.name}"


def reads(graph: SupportGraph, units: sql.Schema) -> dict[str, set[str]]:
    """By unit, the columns that acceptance reads."""
    found: dict[str, set[str]] = {}
    for deliverable in graph.deliverables:
        for _, query in queries(deliverable, units) if deliverable.handed else ():
            for name, columns in query.reads.items():
                if name in units:
                    found.setdefault(name, set()).update(columns)
    return found
