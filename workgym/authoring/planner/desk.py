"""How much of an office a planned task has: counted on graph and plan, and asked for where somebody wants it."""

from __future__ import annotations

from collections.abc import Iterator

from workgym.authoring.planner.records import Problem
from workgym.graph import SupportGraph, depths
from workgym.plan import ConstructionPlan
from workgym.records import Record


class Desk(Record):
    """What a task must have at least, and at most."""

    derivations: int = 2
    """Derived units behind one another."""
    rules: int = 2
    """Rule units."""
    versions: int = 1
    """Documented conflicts of a unit with a version that was replaced."""
    traps: int = 1
    """Known mistakes that change the result."""
    rubric: int = 8
    """Rubric items, over all deliverables."""
    files: int = 8
    """Files."""
    most_files: int = 40
    """Files at most."""
    formats: int = 4
    """Different formats of files."""
    folders: int = 2
    """Folders within one another in which the deepest file lies."""
    noise: int = 2
    """Files that hold no needed value."""


OFFICE_DESK = Desk()
"""The office desk of public task sets: 8 to 40 files in 4 to 6 formats, folders 2 to 4 deep, a draft beside a final, a
documented conflict with a rule; and work of some depth."""


def graph_problems(desk: Desk, graph: SupportGraph) -> Iterator[Problem]:
    """What a compiled graph lacks of a desk."""
    replaced = {frozenset((unit.name, unit.superseded_by)) for unit in graph.units if unit.superseded_by}
    yield from _short(
        "graph",
        (max(depths(graph).values(), default=0), desk.derivations, "derived units behind one another"),
        (sum(unit.rule for unit in graph.units), desk.rules, "rule units"),
        (sum(frozenset(item.between) in replaced for item in graph.conflicts), desk.versions, "replaced versions"),
        (len(graph.traps), desk.traps, "traps"),
        (sum(len(spec.rubric) for spec in graph.deliverables), desk.rubric, "rubric items"),
    )


def plan_problems(desk: Desk, plan: ConstructionPlan) -> Iterator[Problem]:
    """What a plan lacks of a desk."""
    files = [spec for spec in plan.artifacts if spec.page is None]
    paths = [spec.path for spec in files]
    yield from _short(
        "artifacts",
        (len(paths), desk.files, "files"),
        (len({spec.format.name for spec in files}), desk.formats, "formats of files"),
        (max((path.count("/") for path in paths), default=0), desk.folders, "folders within one another"),
        (sum(spec.role == "distractor" for spec in files), desk.noise, "files that hold no needed value"),
    )
    if len(paths) > desk.most_files:
        yield _problem("artifacts", f"there are {len(paths)} files, and at most {desk.most_files} are wanted")


def _short(place: str, *counted: tuple[int, int, str]) -> Iterator[Problem]:
    for found, wanted, what in counted:
        if found < wanted:
            yield _problem(place, f"there are {found} {what}, and at least {wanted} are wanted")


def _problem(place: str, message: str) -> Problem:
    return Problem(code="desk", place=place, message=message)
