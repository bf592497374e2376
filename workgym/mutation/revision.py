"""Revisions: typed edits bound to units, and the contract that a repair keeps.

Repair, defect injection and a user's change in mid-task are one mechanism; they differ in ``purpose``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from workgym.package import TaskPackage
from workgym.records import Cell, Record, Scalar


class SetCell(Record):
    """Give a cell a value, in the graph and wherever it is printed; restores one that was withheld."""

    kind: Literal["set"] = "set"
    """Names this edit in JSON."""
    cell: Cell
    """Which cell; its row must be there."""
    value: Scalar
    """The new value, in its JSON form."""


class Withhold(Record):
    """Take a cell out of the graph and out of every file; its row and its places stay."""

    kind: Literal["withhold"] = "withhold"
    """Names this edit in JSON."""
    cell: Cell
    """Which cell."""


class DropRow(Record):
    """Take a row out of the graph and out of every file, of a unit that is nothing but its keys."""

    kind: Literal["drop"] = "drop"
    """Names this edit in JSON."""
    cell: Cell
    """The row, by any of its cells."""


class Contradict(Record):
    """Print another value in one file only: the graph and the other files keep theirs."""

    kind: Literal["contradict"] = "contradict"
    """Names this edit in JSON."""
    cell: Cell
    """Which cell."""
    value: Scalar
    """What that file says."""
    path: str
    """Which file."""


Edit = Annotated[SetCell | Withhold | DropRow | Contradict, Field(discriminator="kind")]
"""One typed edit."""


class Revision(Record):
    """Edits that are made together or not at all."""

    purpose: Literal["repair", "inject", "user"]
    """Why: only an injection may withhold or contradict."""
    why: str
    """One sentence for the history."""
    edits: tuple[Edit, ...]
    """The edits, in order."""
    findings: tuple[str, ...] = ()
    """The findings that a repair answers, as lines."""


def violations(before: TaskPackage, after: TaskPackage) -> Iterator[str]:
    """What a repair may not change, and did: each as one line.

    Number and types of files, ``D``, edges among derived units, names, keys, columns and queries of
    derived units, and what the deliverables must state.
    """
    changed = sorted(set(before.shown) ^ set(after.shown))
    if changed:
        yield f"the files are no longer the same: {', '.join(changed)}"
    old, new = before.hidden, after.hidden
    if old.plan.dependencies != new.plan.dependencies:
        yield "the construction dependencies changed"
    if _derived_edges(before) != _derived_edges(after):
        yield "the edges among derived units changed"
    for unit in old.graph.units:
        if unit.status == "derived" and new.graph.by_name.get(unit.name) != unit:
            yield f"the derived unit {unit.name} changed"
    added = {unit.name for unit in new.graph.units if unit.status == "derived"} - set(old.graph.by_name)
    if added:
        yield f"derived units were added: {', '.join(sorted(added))}"
    if old.graph.deliverables != new.graph.deliverables:
        yield "what the deliverables must state changed"


def _derived_edges(package: TaskPackage) -> set[tuple[str, str]]:
    graph = package.hidden.graph
    derived = {unit.name for unit in graph.units if unit.status == "derived"}
    return {(edge.premise, edge.unit) for edge in graph.supports if edge.premise in derived and edge.unit in derived}
