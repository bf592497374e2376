"""Leakage or shortcut: what the solver has to work out stands in something that it can read."""

from __future__ import annotations

import random
from collections.abc import Iterator
from decimal import Decimal

from workgym.defects.kinds import REQUEST, Kind, Spot, printed, quoted, shuffled, spots, title_of, turns
from workgym.graph import InfoUnit
from workgym.mutation import Revision, Reword
from workgym.package import TaskPackage
from workgym.records import Cell
from workgym.records.surface import significant

_TELLING = (
    "{title} of {who}: {value}.",
    "For {who} the {title} comes to {value}.",
    "By a first count the {title} for {who} is {value}.",
)
_TOTAL = ("The {title} is {value}.", "A first run gave {value} as {title}.", "{title}: {value}.")
_VERDICT = ("The {title} is {value}.", "We agreed on {value} as {title}.")


def value_told(package: TaskPackage, rng: random.Random) -> Iterator[Revision]:
    """A result of one row beside its key, in a note, a mail or a paper."""
    yield from _told(package, rng, list(_results(package, keyed=True)), spots(package), _TELLING)


def value_in_request(package: TaskPackage, rng: random.Random) -> Iterator[Revision]:
    """A result in the request."""
    cells = [*_results(package, keyed=True), *_results(package, keyed=False)]
    yield from _told(package, rng, cells, spots(package, request=True), _TELLING)


def total_told(package: TaskPackage, rng: random.Random) -> Iterator[Revision]:
    """A shortcut: the total, or the line of a summary, that the details would have to be worked out for."""
    cells = list(_results(package, keyed=False)) or list(_summaries(package))
    yield from _told(package, rng, cells, spots(package), _TOTAL)


def verdict_told(package: TaskPackage, rng: random.Random) -> Iterator[Revision]:
    """The choice that the solver has to make, in words."""
    cells = [
        Cell(unit=unit.name, key=(), column=column.name)
        for unit in _stated(package)
        if not unit.key
        for column in unit.columns
        if column.type.kind in ("text", "choice")
    ]
    yield from _told(package, rng, cells, (*spots(package), *spots(package, request=True)), _VERDICT)


def rows_told(package: TaskPackage, rng: random.Random) -> Iterator[Revision]:
    """Which rows the solver has to select, one after the other in a sentence."""
    lists = [unit for unit in _stated(package) if _selects(package, unit)]
    for spot, unit in turns(shuffled(spots(package), rng), shuffled(lists, rng)):
        keys = list(dict.fromkeys(key[0] for key in package.hidden.values[unit.name].by_key))
        listed = ", ".join(map(quoted, keys))
        yield _said(
            spot, f"{unit.name.replace('_', ' ').capitalize()}, {unit.content}: {listed}.", f"the rows of {unit.name}"
        )


def _told(
    package: TaskPackage, rng: random.Random, cells: list[Cell], where: tuple[Spot, ...], wordings: tuple[str, ...]
) -> Iterator[Revision]:
    for spot, cell in turns(shuffled(where, rng), shuffled(cells, rng)):
        unit = package.hidden.graph.unit(cell.unit)
        value = package.hidden.values[cell.unit].value(cell.key, cell.column)
        names = {
            "title": title_of(package, cell),
            "who": ", ".join(map(quoted, cell.key)) or unit.entity,
            "value": quoted(printed(unit.column(cell.column).type, value)),
        }
        wording = rng.choice(wordings if cell.key or wordings is not _TELLING else _TOTAL)
        yield _said(spot, wording.format(**names), str(cell))


def _said(spot: Spot, sentence: str, what: str) -> Revision:
    edit = Reword(path=spot.path, old=spot.text, new=f"{spot.text} {sentence}")
    where = "the request" if spot.path == REQUEST else spot.path
    return Revision(purpose="inject", why=f"{where} gives away {what}", edits=(edit,))


def _stated(package: TaskPackage) -> list[InfoUnit]:
    graph = package.hidden.graph
    names = [item.unit for deliverable in graph.deliverables for item in deliverable.states]
    return [graph.unit(name) for name in dict.fromkeys(names) if graph.unit(name).status == "derived"]


def _results(package: TaskPackage, *, keyed: bool) -> Iterator[Cell]:
    """Numbers that have to be worked out: no provided number is the same."""
    given = {
        Decimal(str(value))
        for unit in package.hidden.graph.relations("provided", "external")
        for row in package.hidden.values[unit.name].rows
        for column, value in zip(unit.columns, row, strict=True)
        if column.type.numeric and value is not None
    }
    for unit in _stated(package):
        if bool(unit.key) == keyed:
            for cell, value in package.hidden.values[unit.name].cells():
                numeric = unit.column(cell.column).type.numeric and cell.column not in unit.key and value is not None
                if numeric and Decimal(str(value)) not in given and significant(Decimal(str(value))) >= 3:
                    yield cell


def _summaries(package: TaskPackage) -> Iterator[Cell]:
    """Results of units whose rows are lines with fixed names."""
    for cell in _results(package, keyed=True):
        unit = package.hidden.graph.unit(cell.unit)
        if all(unit.column(part).type.options for part in unit.key):
            yield cell


def _selects(package: TaskPackage, unit: InfoUnit) -> bool:
    """Whether a unit is a choice among rows that are given: some have its key, and some of them are not in it."""
    relation = package.hidden.values[unit.name]
    if len(unit.key) != 1 or unit.column(unit.key[0]).type.kind != "text" or len(relation.rows) < 2:
        return False
    own = {key[0] for key in relation.by_key}
    given: set[str] = set()
    for other in package.hidden.graph.relations("provided", "external"):
        position = next((at for at, column in enumerate(other.columns) if column.name == unit.key[0]), None)
        if position is not None:
            given |= {str(row[position]) for row in package.hidden.values[other.name].rows}
    return own < given


KINDS = (
    Kind("a result beside its key", value_told),
    Kind("a result in the request", value_in_request),
    Kind("a total", total_told),
    Kind("the choice in words", verdict_told),
    Kind("the rows to select", rows_told),
)
