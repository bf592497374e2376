"""What rests on what, by ``E_info`` and ``E_loc``: which stated unit cannot do without which carrier."""

from __future__ import annotations

from collections.abc import Iterable

from workgym.check.leak import only_in, withheld
from workgym.errors import GraphError
from workgym.graph import Relation, SupportGraph, Values, evaluating, needed, provided
from workgym.graph.whatif import imagine
from workgym.package import TaskPackage
from workgym.package.pages import unreachable
from workgym.records import Cell


def needs(package: TaskPackage) -> dict[str, dict[str, bool]]:
    """By carrier and ``deliverable: unit``: whether the unit comes out differently, or not at all, without the cells
    that stand in that carrier alone. A cell that stands in a second one is not missed."""
    hidden = package.hidden
    graph = hidden.graph
    dead = unreachable(package.pages)
    reached = (anchor for anchor in hidden.anchors if anchor.place.path not in dead)
    only = only_in(reached, needed(graph) | stated(graph))
    carriers = [carrier.path for carrier in graph.carriers if carrier.kind in ("reference", "external")]
    found: dict[str, dict[str, bool]] = {path: {} for path in carriers}
    rests = {
        unit: _rests(graph, hidden.values, unit, [only.get(path, []) for path in carriers]) for unit in stated(graph)
    }
    for deliverable in graph.deliverables:
        for item in deliverable.states:
            for path, needs_it in zip(carriers, rests[item.unit], strict=True):
                found[path][f"{deliverable.path}: {item.unit}"] = needs_it
    return found


def stated(graph: SupportGraph) -> frozenset[str]:
    """Units that some deliverable has to state."""
    return frozenset(item.unit for deliverable in graph.deliverables for item in deliverable.states)


def _rests(graph: SupportGraph, values: Values, unit: str, missing: Iterable[list[Cell]]) -> list[bool]:
    """For each list of cells whether a unit rests on one of them."""
    cells = list(missing)
    if graph.unit(unit).status != "derived":
        return [any(cell.unit == unit for cell in some) for some in cells]
    part = _below(graph, unit)
    names = {one.name for one in part.units}
    given = {name: rows for name, rows in provided(graph, values).items() if name in names}
    worlds = [withheld(given, [cell for cell in some if cell.unit in names]) for some in cells]
    differing: set[int] = set()

    def differs(world: int, new: Relation) -> bool:
        if new.unit.name == unit and new.by_key != values[unit].by_key:
            differing.add(world)
        return world in differing

    with evaluating(part) as evaluator:
        differing |= set(imagine(evaluator, given, worlds, differs))
    return [world in differing for world in range(len(worlds))]


def _below(graph: SupportGraph, unit: str) -> SupportGraph:
    """The part of a graph that a unit rests on; the whole one where that part does not stand alone."""
    premises: dict[str, set[str]] = {}
    for edge in graph.supports:
        premises.setdefault(edge.unit, set()).add(edge.premise)
    names, waiting = {unit}, [unit]
    while waiting:
        new = premises.get(waiting.pop(), set()) - names
        names |= new
        waiting += new
    units = tuple(one for one in graph.units if one.name in names)
    supports = tuple(edge for edge in graph.supports if edge.unit in names)
    part = SupportGraph(units=units, carriers=graph.carriers, supports=supports)
    try:
        with evaluating(part):
            return part
    except GraphError:
        return graph
