"""Broken derivation: a premise that the work rests on is gone from the files."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from workgym.defects.kinds import Kind, needed_values, places, shuffled
from workgym.graph import needed
from workgym.mutation import DropRow, Revision, Reword, Withhold
from workgym.package import TaskPackage
from workgym.records import Cell

_PRINT = re.compile(r"\{\{-?\s*(\w+)\.(\w+)\b[^{}]*\}\}")


def withheld(package: TaskPackage, rng: random.Random) -> Iterator[Revision]:
    """One value of one row is taken out, say supplier C's freight."""
    standing = places(package)
    for cell in shuffled([cell for cell in needed_values(package) if cell.key and cell in standing], rng):
        yield Revision(purpose="inject", why=f"{cell} is withheld", edits=(Withhold(cell=cell),))


def rule_withheld(package: TaskPackage, rng: random.Random) -> Iterator[Revision]:
    """A rule, a rate or a limit that stands once for the whole task is taken out."""
    standing = places(package)
    for cell in shuffled([cell for cell in needed_values(package) if not cell.key and cell in standing], rng):
        yield Revision(purpose="inject", why=f"{cell} is withheld", edits=(Withhold(cell=cell),))


def row_dropped(package: TaskPackage, rng: random.Random) -> Iterator[Revision]:
    """A row of a list that others are completed by is taken out."""
    graph = package.hidden.graph
    lists = [graph.unit(name) for name in sorted(needed(graph)) if not graph.unit(name).value_columns]
    rows = [
        Cell(unit=unit.name, key=key, column=unit.columns[0].name)
        for unit in lists
        for key in package.hidden.values[unit.name].by_key
    ]
    for cell in shuffled(rows, rng):
        yield Revision(purpose="inject", why=f"{cell.unit} {', '.join(cell.key)} is gone", edits=(DropRow(cell=cell),))


def unsaid(package: TaskPackage, rng: random.Random) -> Iterator[Revision]:
    """A text no longer says the value that the graph still has: *the usual rate* for *8.5 %*."""
    stands: dict[str, set[str]] = {}
    for anchor in package.hidden.anchors:
        if anchor.cell is not None:
            stands.setdefault(f"{anchor.cell.unit}.{anchor.cell.column}", set()).add(anchor.kind)
    names = {f"{cell.unit}.{cell.column}" for cell in needed_values(package) if not cell.key}
    scalars = {name for name in names if stands.get(name) == {"value"}}  # a rule may be told in further words
    found: list[Revision] = []
    for spec in package.hidden.plan.artifacts:
        text = spec.template or ""
        for match in _PRINT.finditer(text):
            if f"{match[1]}.{match[2]}" in scalars and text.count(match[0]) == 1:
                edit = Reword(path=spec.path, old=match[0], new="the usual one")
                why = f"{spec.path} does not say {match[1]}.{match[2]} any more"
                found.append(Revision(purpose="inject", why=why, edits=(edit,)))
    yield from shuffled(found, rng)


KINDS = (
    Kind("a value is withheld", withheld),
    Kind("a rule is withheld", rule_withheld),
    Kind("a row is dropped", row_dropped),
    Kind("a value is not said", unsaid),
)
