"""One fingerprint for all tasks that are the same work: the support graph without its names, values and order.

Two graphs have one fingerprint where units match with the same status, column types and query shapes, and with the
same edges among them and to the deliverables. How many files hold the premises, how many rows there are, what things
are called and which currency they are in does not count; distractors do not either. So tasks that one template makes
from many seeds are one work, and a corpus can say how much distinct work its tasks are.

Source: B. Weisfeiler, A. Leman (1968), colour refinement. The refinement is our own, since what networkx computes for
directed graphs changed between its releases, and fingerprints are compared across machines. Like all colour
refinement it may take two different graphs for one where both are highly regular.
"""

from __future__ import annotations

from collections.abc import Iterator

import networkx as nx

from workgym.graph.model import Deliverable, InfoUnit, SupportGraph
from workgym.graph.shape import shape
from workgym.records import Column, by_ending, digest


def fingerprint(graph: SupportGraph) -> str | None:
    """32 hexadecimal digits; None for a graph without a derived relation, which says nothing of the work.

    Raises QueryError where a query is outside the closed language.
    """
    if not graph.relations("derived"):
        return None
    structure = _structure(graph)
    colours = {name: digest(what) for name, what in structure.nodes(data="what")}
    kinds = len(set(colours.values()))
    while True:
        colours = {name: digest([colour, *_around(structure, name, colours)]) for name, colour in colours.items()}
        refined = len(set(colours.values()))
        if refined == kinds:
            return digest(sorted(colours.values()))[:32]
        kinds = refined


def _around(structure: nx.MultiDiGraph, name: str, colours: dict[str, str]) -> Iterator[list[list[str]]]:
    yield sorted([kind, colours[other]] for other, _, kind in structure.in_edges(name, data="kind"))
    yield sorted([kind, colours[other]] for _, other, kind in structure.out_edges(name, data="kind"))


def _structure(graph: SupportGraph) -> nx.MultiDiGraph:
    """Units and deliverables, each with what it is like, and every edge among them with its kind."""
    structure = nx.MultiDiGraph()
    edges = [(edge.premise, edge.unit, "premise") for edge in graph.supports]
    for number, deliverable in enumerate(graph.deliverables):
        name = f"/{number}"
        structure.add_node(name, what=_deliverable(deliverable))
        edges += [(stated.unit, name, f"stated as {stated.form}") for stated in deliverable.states]
        edges += [(of.partition(".")[0], name, "offered") for table in deliverable.handed for of in table.of.values()]
        edges += [(rests.partition(".")[0], name, "judged") for item in deliverable.rubric for rests in item.rests_on]
    for conflict in graph.conflicts:
        edges += [(*conflict.between, "wins over"), *((conflict.rule, unit, "settles") for unit in conflict.between)]
    touched = {end for edge in edges for end in edge[:2]}
    units = [unit for unit in graph.units if unit.role == "needed" or unit.name in touched]
    structure.add_nodes_from((unit.name, {"what": _unit(unit)}) for unit in units)
    structure.add_edges_from((start, end, {"kind": kind}) for start, end, kind in edges if start in structure)
    return structure


def _unit(unit: InfoUnit) -> list[object]:
    queries = [text for text in (unit.query, unit.domain) if text]
    return [
        unit.status,
        "rule" if unit.rule else "decision" if unit.decision else "",
        _types(unit.columns),
        len(unit.key),
        [shape(unit.name, text) for text in queries],
        sorted(shape(control.name, control.query) for control in unit.controls),
    ]


def _deliverable(deliverable: Deliverable) -> list[object]:
    found = by_ending(deliverable.path)
    goals = [(goal.query, goal.best) for goal in deliverable.objectives]
    return [
        "" if found is None else found.name,
        bool(deliverable.edits),
        sorted([_types(table.columns), len(table.key)] for table in deliverable.handed),
        sorted(shape(rule.name, rule.query) for rule in deliverable.accepts),
        sorted([shape("goal", text) for text in goal] for goal in goals),
    ]


def _types(columns: tuple[Column, ...]) -> list[str]:
    return sorted(column.type.kind for column in columns)
