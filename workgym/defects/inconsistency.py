"""Inconsistency: one file, or two, say two things of which one alone can hold."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping

from workgym.defects.kinds import (
    REQUEST,
    Kind,
    Spot,
    needed_values,
    other,
    places,
    printed,
    quoted,
    shuffled,
    spots,
    turns,
    type_of,
    value_of,
)
from workgym.mutation import Contradict, Revision, Reword
from workgym.package import TaskPackage
from workgym.records import Anchor, Cell

_ROW = ("{title} of {who}: {value}.", "Note that the {title} of {who} is {value}.")
_ONE = ("The {content} is {value}.", "For the record, {content}: {value}.")


def contradict(package: TaskPackage, rng: random.Random) -> Iterator[Revision]:
    """A value that stands in two files says something else in one of them."""
    standing = places(package)
    for cell in shuffled([cell for cell in needed_values(package) if cell in standing], rng):
        paths = sorted({anchor.place.path for anchor in standing[cell]})
        value = other(type_of(package, cell), value_of(package, cell), rng)
        if len(paths) > 1 and value:
            path = rng.choice([path for path in paths if path != REQUEST])
            edit = Contradict(cell=cell, value=value, path=path)
            yield Revision(purpose="inject", why=f"{path} contradicts {cell}", edits=(edit,))


def remark_elsewhere(package: TaskPackage, rng: random.Random) -> Iterator[Revision]:
    """A second file mentions another value in passing, marked as part of the scenery."""
    yield from _remarks(package, rng, spots(package), same=False, declared=True)


def remark_in_request(package: TaskPackage, rng: random.Random) -> Iterator[Revision]:
    """The request mentions another value than the files have."""
    yield from _remarks(package, rng, spots(package, request=True), same=False, declared=True)


def second_value(package: TaskPackage, rng: random.Random) -> Iterator[Revision]:
    """The file that states a value mentions another one, typed in."""
    yield from _remarks(package, rng, spots(package), same=True, declared=False)


def second_value_declared(package: TaskPackage, rng: random.Random) -> Iterator[Revision]:
    """The file that states a value mentions another one, marked as part of the scenery."""
    yield from _remarks(package, rng, spots(package), same=True, declared=True)


def other_name(package: TaskPackage, rng: random.Random) -> Iterator[Revision]:
    """A paper about one row names another one at one place."""
    found = []
    for spec in package.hidden.plan.artifacts:
        for name in spec.row:
            unit = package.hidden.graph.unit(name)
            keys = [key[0] for key in package.hidden.values[name].by_key if key != spec.row[name]]
            pattern = re.compile(rf"\{{\{{ *{name}\.{unit.key[0]} *\}}\}}")
            lines = [line for line in (spec.template or "").split("\n") if pattern.search(line)]
            for line in lines:
                if (spec.template or "").count(line) == 1 and len(lines) > 1 and keys:
                    edit = Reword(path=spec.path, old=line, new=pattern.sub(rng.choice(keys), line, count=1))
                    why = f"{spec.path} names another {unit.entity} at one place"
                    found.append(Revision(purpose="inject", why=why, edits=(edit,)))
    yield from shuffled(found, rng)


def _remarks(
    package: TaskPackage, rng: random.Random, where: tuple[Spot, ...], *, same: bool, declared: bool
) -> Iterator[Revision]:
    standing: Mapping[Cell, list[Anchor]] = places(package)
    numbers = [cell for cell in needed_values(package) if cell in standing and type_of(package, cell).numeric]
    pairs = {
        (spot, cell)
        for cell in numbers
        for spot in where
        if (spot.path in {anchor.place.file for anchor in standing[cell]}) == same
    }
    cells = shuffled([cell for cell in numbers if any(one == cell for _, one in pairs)], rng)
    for cell, spot in turns(cells, shuffled([spot for spot in where if any(one == spot for one, _ in pairs)], rng)):
        wrong = other(type_of(package, cell), value_of(package, cell), rng)
        if (spot, cell) in pairs and wrong is not None:
            sentence = _sentence(package, cell, type_of(package, cell).load(wrong), rng, declared=declared)
            edit = Reword(path=spot.path, old=spot.text, new=f"{spot.text} {sentence}")
            yield Revision(purpose="inject", why=f"{spot.path} says another {cell}", edits=(edit,))


def _sentence(package: TaskPackage, cell: Cell, value: object, rng: random.Random, *, declared: bool) -> str:
    unit = package.hidden.graph.unit(cell.unit)
    shown = printed(unit.column(cell.column).type, value)  # type: ignore[arg-type]
    title = unit.column(cell.column).title
    names = {
        "title": title,
        "content": unit.content if len(unit.value_columns) == 1 else f"{title} ({unit.content})",
        "who": ", ".join(map(quoted, cell.key)),
        "value": quoted(shown) if declared else shown,
    }
    return rng.choice(_ROW if cell.key else _ONE).format(**names)


SELF = (
    Kind("a second value, typed in", second_value),
    Kind("a second value, as scenery", second_value_declared),
    Kind("another name at one place", other_name),
)
CROSS = (
    Kind("another value in one of two files", contradict),
    Kind("another value in a further file", remark_elsewhere),
    Kind("another value in the request", remark_in_request),
)
