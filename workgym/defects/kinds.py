"""What an injector is, and where in a task there is room for a defect."""

from __future__ import annotations

import datetime
import json
import random
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any, NamedTuple

from workgym.graph import columns_read, needed
from workgym.mutation import Revision
from workgym.package import TaskPackage
from workgym.plan import ArtifactSpec
from workgym.records import Anchor, Cell, ColumnType, Scalar, Value

REQUEST = "request.md"
Plant = Callable[[TaskPackage, random.Random], Iterator[Revision]]
"""Revisions that each plant one defect, likely ones first; none where the task offers no place for it."""


class Kind(NamedTuple):
    """One way to spoil a task."""

    name: str
    """What is done, in a few words."""
    plant: Plant
    """How it is done."""
    seen: bool = True
    """Whether the checks can see it."""
    why: str = ""
    """Where they cannot, why not."""


class Spot(NamedTuple):
    """A sentence of a carrier behind which another one can stand."""

    path: str
    """The carrier."""
    text: str
    """Its last line, as the template has it, standing there exactly once."""


_TAG = re.compile(r"\{%-?\s*(end)?(for|if|state|decor)\b([^%]*)%\}")
_SENTENCE = re.compile(r"[^|#>{].{20,}[.!?]")


def spots(package: TaskPackage, *, request: bool = False) -> tuple[Spot, ...]:
    """Where a sentence can be added: to the request, or to the files that are written in words."""
    plan = package.hidden.plan
    specs = (plan.request,) if request else plan.artifacts
    return tuple(Spot(REQUEST if request else spec.path, text) for spec in specs for text in _ends(spec))


def _ends(spec: ArtifactSpec) -> Iterator[str]:
    whole = [spec.template] if spec.template is not None else list(_strings(spec.content))
    for text in whole:
        for line in _plain_lines(text) if spec.template is not None else [text]:
            if _SENTENCE.fullmatch(line.strip()) and "%" not in line and sum(line in other for other in whole) == 1:
                yield line


def _plain_lines(template: str) -> Iterator[str]:
    """Lines outside front matter, tables and repetitions."""
    lines = template.split("\n")
    start = lines.index("---", 1) + 1 if lines[:1] == ["---"] and "---" in lines[1:] else 0
    depth = 0
    for line in lines[start:]:
        if depth == 0 and template.count(line) == 1:
            yield line.rstrip()
        for end, tag, rest in _TAG.findall(line):
            if tag == "for" and (end or " if " not in rest):  # a loop that picks one is no repetition
                depth += -1 if end and depth else 0 if end else 1


def _strings(tree: Any) -> Iterator[str]:
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, dict):
        for value in tree.values():
            yield from _strings(value)
    elif isinstance(tree, (list, tuple)):
        for value in tree:
            yield from _strings(value)


def needed_values(package: TaskPackage) -> list[Cell]:
    """Cells that the stated results rest on and that have a value, keys left out."""
    graph = package.hidden.graph
    read = columns_read(graph)
    return [
        cell
        for name in sorted(needed(graph))
        for cell, value in package.hidden.values[name].cells()
        if value is not None and cell.column in read.get(name, ()) and cell.column not in graph.unit(name).key
    ]


def places(package: TaskPackage) -> dict[Cell, list[Anchor]]:
    """Where each value stands."""
    found: dict[Cell, list[Anchor]] = {}
    for anchor in package.hidden.anchors:
        if anchor.cell is not None and anchor.kind == "value":
            found.setdefault(anchor.cell, []).append(anchor)
    return found


def value_of(package: TaskPackage, cell: Cell) -> Value:
    """The value of a cell."""
    return package.hidden.values[cell.unit].value(cell.key, cell.column)


def type_of(package: TaskPackage, cell: Cell) -> ColumnType:
    """The type of a cell."""
    return package.hidden.graph.unit(cell.unit).column(cell.column).type


def other(kind: ColumnType, value: Value, rng: random.Random) -> Scalar:
    """Another value that could stand there, in its JSON form; None where there is none."""
    if kind.options:
        others = [option for option in kind.options if option != value]
        return rng.choice(others) if others else None
    if isinstance(value, datetime.date):
        return (value + datetime.timedelta(days=rng.choice((1, 7)))).isoformat()
    if isinstance(value, datetime.time):
        return value.replace(minute=(value.minute + 15) % 60).isoformat()
    if not kind.numeric:
        return None
    number = Decimal(str(value))
    moved = (number * rng.choice((Decimal("1.1"), Decimal("0.9")))).quantize(kind.step) + kind.step
    return kind.dump(kind.load(moved if moved != number else number + 3 * kind.step))


def printed(kind: ColumnType, value: Value) -> str:
    """A value as a person would write it: ``USD 1,234.50``, ``8.5 %``, ``120 pcs``."""
    shown = kind.show(value)
    if kind.kind == "money":
        return f"{kind.unit} {shown}"
    return f"{shown} {kind.unit}" if kind.kind == "quantity" else shown


def quoted(text: str) -> str:
    """A text as a template prints scenery: declared, and of no unit."""
    return f"{{{{ {json.dumps(text, ensure_ascii=False)} | decor }}}}"


def title_of(package: TaskPackage, cell: Cell) -> str:
    """What a value is called: the label that the deliverable gives it, else that of its column."""
    graph = package.hidden.graph
    for deliverable in graph.deliverables:
        for stated in deliverable.states:
            if stated.unit == cell.unit and cell.column in stated.labels:
                return stated.labels[cell.column]
    return graph.unit(cell.unit).column(cell.column).title


def shuffled(items: Iterator[Any] | list[Any] | tuple[Any, ...], rng: random.Random) -> list[Any]:
    """The same in another order."""
    found = list(items)
    rng.shuffle(found)
    return found


def turns(first: list[Any], second: list[Any], most: int = 40) -> Iterator[tuple[Any, Any]]:
    """Pairs of two shuffled lists, each item with another partner every time; at most ``most``."""
    if first and second:
        for at in range(min(most, len(first) * len(second))):
            yield first[at % len(first)], second[(at + at // len(first)) % len(second)]
