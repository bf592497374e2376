"""The contract of a revision: what it may not change, each violation as one line.

Number and types of files, ``D``, all edges of ``E_info``, names, keys, columns and queries of derived units, and what
the deliverables must state (WorkFactory, execution-based repair); besides, whatever else makes the task the task.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from workgym.documents import members, read
from workgym.errors import DocumentError, Unreadable
from workgym.graph import InfoUnit, SupportGraph
from workgym.package import TaskPackage
from workgym.records import by_ending

GROWTH = 256 * 2**10
"""Bytes by which a repair may let a file grow: it adds facts, not material."""


def violations(before: TaskPackage, after: TaskPackage) -> Iterator[str]:
    """What a revision may not change, and did."""
    if sorted(before.files) != sorted(after.files):
        changed = sorted(set(before.files) ^ set(after.files))
        yield f"the files are no longer the same: {', '.join(changed)}"
    yield from _held(before, after)
    old, new = before.hidden, after.hidden
    if old.plan.dependencies != new.plan.dependencies:
        yield "the construction dependencies changed"
    if old.graph.supports != new.graph.supports:
        edges = _derived_edges(before) != _derived_edges(after)
        yield f"the edges {'among derived units' if edges else 'from premises to derived units'} changed"
    yield from _units(old.graph, new.graph)
    if old.graph.deliverables != new.graph.deliverables:
        yield "what the deliverables must state changed"
    if old.graph.conflicts != new.graph.conflicts or old.graph.traps != new.graph.traps:
        yield "the documented conflicts or the known mistakes changed"
    yield from _frame(before, after)


def _units(old: SupportGraph, new: SupportGraph) -> Iterator[str]:
    for unit in old.units:
        if new.by_name.get(unit.name) != unit:
            what = "the derived unit" if unit.status == "derived" else "the unit"
            yield f"{what} {unit.name} changed"
    added = [unit for unit in new.units if unit.name not in old.by_name]
    derived = sorted(unit.name for unit in added if unit.status == "derived")
    if derived:
        yield f"derived units were added: {', '.join(derived)}"
    for unit in added:
        if unit.status != "derived" and not _fact(unit):
            yield f"the unit {unit.name} was added, and is more than a fact"


def _fact(unit: InfoUnit) -> bool:
    """A unit that says something, on which nothing rests."""
    return unit.status == "provided" and unit.role == "distractor" and not unit.premises and unit.decision is None


def _frame(before: TaskPackage, after: TaskPackage) -> Iterator[str]:
    """What is neither a value nor a word: carriers, artifacts, the card, the expert, where it came from."""
    old, new = before.hidden, after.hidden
    if old.graph.carriers != new.graph.carriers:
        yield "the carriers changed"
    frames = [[(s.path, s.row, s.title, s.role, s.template is None) for s in p.artifacts] for p in (old.plan, new.plan)]
    if frames[0] != frames[1]:
        yield "the artifacts of the plan changed by more than their words"
    if old.plan.context != new.plan.context or old.plan.look != new.plan.look:
        yield "the facts of the world behind the files changed"
    left = {"digests", "toolchain"}
    if before.card.model_dump(exclude=left) != after.card.model_dump(exclude=left):
        yield "the task's card changed"
    if old.expert != new.expert or old.origin != new.origin:
        yield "the expert script or the origin changed"


def _held(before: TaskPackage, after: TaskPackage) -> Iterator[str]:
    """Files within files are files, too."""
    for path, content in _changed(before, after):
        form = by_ending(path)
        if form is None or not form.holds_files:
            continue
        try:
            old = set(members(path, before.files[path]))
        except DocumentError:
            continue  # it was damaged, and nobody can say what it held
        try:
            new = set(members(path, content))
        except DocumentError:
            continue  # the checks of the file say that it cannot be read
        if old != new:
            yield f"{path} no longer holds the same files: {', '.join(sorted(old ^ new))}"


def excesses(before: TaskPackage, after: TaskPackage) -> Iterator[str]:
    """What a repair alone may not do: change nothing, add more than a fact takes, hide text in pictures."""
    if before.card.digests == after.card.digests:
        yield "nothing that a solver sees would change"
    for path, content in _changed(before, after):
        old = _pictures(path, before.files[path])
        if old is None:
            continue  # it was damaged, and is written again
        was, size = len(before.files[path]), len(content)
        if size > 2 * was + GROWTH:
            yield f"{path} grew from {was:,} to {size:,} bytes"
        if (_pictures(path, content) or 0) > old:
            yield f"{path} shows as a picture what was text"
    if len(after.request) > 2 * len(before.request) + GROWTH // 16:
        yield f"the request grew from {len(before.request):,} to {len(after.request):,} characters"


def _pictures(path: str, content: bytes) -> int | None:
    """How many pages of a file are pictures; None where it cannot be read."""
    try:
        return len(read(path, content).pictures)
    except Unreadable:
        return None


def _changed(before: TaskPackage, after: TaskPackage) -> Iterator[tuple[str, bytes]]:
    old: Mapping[str, bytes] = before.files
    for path, content in sorted(after.files.items()):
        if path in old and old[path] != content:
            yield path, content


def _derived_edges(package: TaskPackage) -> set[tuple[str, str]]:
    graph = package.hidden.graph
    derived = {unit.name for unit in graph.units if unit.status == "derived"}
    return {(edge.premise, edge.unit) for edge in graph.supports if edge.premise in derived and edge.unit in derived}
