"""Injection of defects: for each class of the taxonomy, revisions that plant one.

``INJECTIONS`` names the classes that have an injector. An injector gives ``None`` where the task offers
no place for its defect.
"""

from __future__ import annotations

import datetime
import random
from collections.abc import Callable, Mapping
from decimal import Decimal

from workgym.errors import UsageError
from workgym.graph import columns_read, needed
from workgym.mutation import Contradict, Revision, Withhold, apply
from workgym.package import TaskPackage
from workgym.records import Anchor, Cell, ColumnType, DefectClass, Scalar, Value

Injector = Callable[[TaskPackage, random.Random], Revision | None]


def inject(package: TaskPackage, defect: DefectClass, seed: int = 0) -> TaskPackage:
    """The package with one planted defect. Raises UsageError where the task offers no place for it."""
    injector = INJECTIONS.get(defect)
    if injector is None:
        raise UsageError(f"there is no injector for {defect}", fix=f"use one of {', '.join(INJECTIONS)}")
    revision = injector(package, random.Random(f"{package.id}/{defect}/{seed}"))
    if revision is None:
        raise UsageError(f"{package.id} offers no place for a defect of the class {defect}")
    return apply(package, revision)


def drop_premise(package: TaskPackage, rng: random.Random) -> Revision | None:
    """Broken derivation: one needed value is taken out, say supplier C's freight."""
    places = _places(package)
    cells = [cell for cell in _needed_values(package) if cell.key and cell in places]
    if not cells:
        return None
    cell = rng.choice(cells)
    return Revision(purpose="inject", why=f"{cell} is withheld", edits=(Withhold(cell=cell),))


def contradict(package: TaskPackage, rng: random.Random) -> Revision | None:
    """Cross-file inconsistency: a value that stands in two files says something else in one of them."""
    wanted = set(_needed_values(package))
    options = []
    for cell, anchors in _places(package).items():
        paths = sorted({anchor.place.path for anchor in anchors})
        kind = package.hidden.graph.unit(cell.unit).column(cell.column).type
        if (
            len(paths) > 1
            and cell in wanted
            and _other(kind, package.hidden.values[cell.unit].value(cell.key, cell.column), rng)
        ):
            options.append((cell, paths, kind))
    if not options:
        return None
    cell, paths, kind = rng.choice(options)
    value = package.hidden.values[cell.unit].value(cell.key, cell.column)
    path = rng.choice([path for path in paths if path != "request.md"])
    edit = Contradict(cell=cell, value=_other(kind, value, rng), path=path)
    return Revision(purpose="inject", why=f"{path} contradicts {cell}", edits=(edit,))


def _needed_values(package: TaskPackage) -> list[Cell]:
    graph = package.hidden.graph
    read = columns_read(graph)
    return [
        cell
        for name in sorted(needed(graph))
        for cell, value in package.hidden.values[name].cells()
        if value is not None and cell.column in read.get(name, ()) and cell.column not in graph.unit(name).key
    ]


def _places(package: TaskPackage) -> dict[Cell, list[Anchor]]:
    found: dict[Cell, list[Anchor]] = {}
    for anchor in package.hidden.anchors:
        if anchor.cell is not None and anchor.kind == "value":
            found.setdefault(anchor.cell, []).append(anchor)
    return found


def _other(kind: ColumnType, value: Value, rng: random.Random) -> Scalar:
    """Another value that could stand there, in its JSON form; None where there is none."""
    if kind.options:
        return rng.choice([option for option in kind.options if option != value])
    if isinstance(value, datetime.date):
        return (value + datetime.timedelta(days=rng.choice((1, 7)))).isoformat()
    if isinstance(value, datetime.time):
        return value.replace(minute=(value.minute + 15) % 60).isoformat()
    if not kind.numeric:
        return None
    number = Decimal(str(value))
    return kind.dump(kind.load((number * rng.choice((Decimal("1.1"), Decimal("0.9")))).quantize(kind.step) + kind.step))


INJECTIONS: Mapping[DefectClass, Injector] = {
    "broken derivation": drop_premise,
    "cross-file inconsistency": contradict,
}
"""Injectors by the class that they plant."""
