"""Injection of defects: for each class of the taxonomy, several ways to plant one.

``INJECTIONS`` lists them by class. Each is a revision of typed edits, made by the mutator, so that graph, plan and
files stay one task: what is planted is what a careless builder would have written.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import NamedTuple

from workgym.defects import derivation, executability, inconsistency, leakage, request
from workgym.defects.kinds import Kind
from workgym.errors import MutationError, UsageError
from workgym.mutation import Revision, apply
from workgym.package import TaskPackage
from workgym.records import DefectClass

INJECTIONS: Mapping[DefectClass, tuple[Kind, ...]] = {
    "broken derivation": derivation.KINDS,
    "request under-specification": request.KINDS,
    "leakage or shortcut": leakage.KINDS,
    "self-inconsistency": inconsistency.SELF,
    "cross-file inconsistency": inconsistency.CROSS,
    "executability defect": executability.KINDS,
}
"""Ways to plant a defect, by the class that they plant."""
TRIES = 12
"""Revisions of one kind that are tried where the mutator refuses them, or nothing visible changes."""


class Planted(NamedTuple):
    """A task with one defect."""

    package: TaskPackage
    """The task."""
    defect: DefectClass
    """The class of its defect."""
    kind: Kind
    """How it was planted."""
    revision: Revision
    """What was done."""


def inject(
    package: TaskPackage, defect: DefectClass, seed: int = 0, *, kind: str | None = None, at: str | None = None
) -> TaskPackage:
    """The package with one planted defect: the way of that name, else one that checks can see, in turn by the seed.

    With ``at`` (``unit.column``) it is planted in a value of that column. Raises UsageError where there is no such
    class or way, or the task offers no place for it.
    """
    kinds = INJECTIONS.get(defect)
    if kinds is None:
        raise UsageError(f"there is no injector for {defect}", fix=f"use one of {', '.join(INJECTIONS)}")
    rng = random.Random(f"{package.id}/{defect}/{seed}")
    wanted = [one for one in kinds if (one.seen if kind is None else one.name == kind)]
    if not wanted:
        raise UsageError(f"no {kind!r} is planted for {defect}", fix=f"use one of {', '.join(k.name for k in kinds)}")
    first = seed % len(wanted)
    for one in (*wanted[first:], *wanted[:first]):
        planted = plant(package, defect, one, rng, at)
        if planted is not None:
            return planted.package
    where = f" at {at}" if at else ""
    raise UsageError(f"{package.id} offers no place for a defect of the class {defect}{where}")


def plant(
    package: TaskPackage, defect: DefectClass, kind: Kind, rng: random.Random, at: str | None = None
) -> Planted | None:
    """The package with a defect of one kind, at ``unit.column`` where it is given, or None where there is no place."""
    proposed = (one for one in kind.plant(package, rng) if at is None or at in _columns(one))
    for _, revision in zip(range(TRIES), proposed, strict=False):
        try:
            changed = apply(package, revision)
        except MutationError:
            continue
        if changed.card.digests != package.card.digests:
            return Planted(changed, defect, kind, revision)
    return None


def _columns(revision: Revision) -> set[str]:
    cells = [getattr(edit, "cell", None) for edit in revision.edits]
    return {f"{cell.unit}.{cell.column}" for cell in cells if cell is not None}


__all__ = ["INJECTIONS", "Kind", "Planted", "inject", "plant"]
