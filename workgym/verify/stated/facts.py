"""One unit in one deliverable: where its facts are looked for, by form, and what came out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from workgym.documents import Document
from workgym.graph import Deliverable, Stated
from workgym.package import TaskPackage
from workgym.verify.stated import choices, prose, tables
from workgym.verify.stated.asked import Asked, asked
from workgym.verify.stated.lines import Line, lines
from workgym.verify.stated.matching import normal
from workgym.verify.stated.sheets import Sheet, sheets
from workgym.verify.stated.sights import Extra, Fact, Sight
from workgym.verify.stated.sources import sources, unnamed
from workgym.verify.truth import Truth


@dataclass(frozen=True)
class Outcome:
    """How one unit stands in one deliverable."""

    asked: Asked
    """What was looked for."""
    sights: dict[Fact, Sight]
    """By fact; what is not there was not found."""
    extras: tuple[Extra, ...]
    """Rows beyond those asked for."""
    typed_in: tuple[str, ...]
    """Places of computed cells that hold no formula, where formulas are asked for."""
    elsewhere: tuple[str, ...] = ()
    """Places of facts that stand on another sheet than the one asked for."""
    uncited: tuple[str, ...] = ()
    """Files that are not named as sources, where they are asked for."""

    @property
    def right(self) -> int:
        """How many facts are right."""
        return sum(sight.state == "right" for sight in self.sights.values())

    @property
    def whole(self) -> bool:
        """Whether nothing beyond the facts is wrong."""
        return not (self.extras or self.typed_in or self.elsewhere or self.uncited)


class Pages:
    """A document, taken apart once for all units that it has to state; ``given`` are places of what stood there."""

    def __init__(self, document: Document, given: frozenset[str] = frozenset()) -> None:
        self.document = document
        self.given = given
        self.sheets: tuple[Sheet, ...] = sheets(document, given)
        self._lines: tuple[Line, ...] | None = None

    @property
    def lines(self) -> tuple[Line, ...]:
        """Its sentences and rows."""
        if self._lines is None:
            self._lines = lines(self.document, self.sheets, self.given)
        return self._lines


def judge(pages: Pages, deliverable: Deliverable, stated: Stated, truth: Truth, package: TaskPackage) -> Outcome:
    """Look for every fact of one stated unit in a deliverable that was read."""
    unit = package.hidden.graph.unit(stated.unit)
    wanted = asked(unit, stated, truth)
    found = tables.find(pages.sheets, wanted)
    sights = found.sights
    if stated.form == "prose" or not pages.sheets:
        sights = _prose(pages, wanted, sights, truth, package)
    strict = deliverable.exact_rows and bool(wanted.parts) and (stated.form == "table" or not wanted.columns)
    computed = deliverable.live_formulas and stated.form == "table"
    typed_in = tuple(
        sight.place or ""
        for (_, column), sight in sorted(sights.items(), key=lambda item: (item[0][0], item[0][1] or ""))
        if computed and sight.state == "right" and not sight.formula and column and unit.column(column).type.numeric
    )
    return Outcome(
        wanted,
        sights,
        tuple(found.extras) if strict else (),
        typed_in,
        tuple(_elsewhere(pages.document, stated, sights)),
        _uncited(pages.document, stated, sights, package),
    )


def _elsewhere(document: Document, stated: Stated, sights: dict[Fact, Sight]) -> Iterator[str]:
    """Places of right facts that do not stand on the sheet that the request names, or one whose name has that name."""
    if document.kind.grids == "sheets" and stated.sheet is not None and stated.form == "table":
        wanted = f" {_spaced(stated.sheet)} "
        for place in (sight.place or "" for sight in sights.values() if sight.state == "right"):
            if wanted not in f" {_spaced(place.rpartition('!')[0])} ":
                yield place


def _spaced(name: str) -> str:
    return re.sub(r"[\W_]+", " ", normal(name)).strip()


def _uncited(document: Document, stated: Stated, sights: dict[Fact, Sight], package: TaskPackage) -> tuple[str, ...]:
    wanted = [group for unit in stated.cites for group in sources(package, unit)]
    places = [sight.place for sight in sights.values() if sight.state == "right"]
    return tuple(dict.fromkeys(unnamed(document, wanted, places))) if wanted else ()


def _prose(
    pages: Pages, wanted: Asked, tabled: dict[Fact, Sight], truth: Truth, package: TaskPackage
) -> dict[Fact, Sight]:
    said: dict[Fact, Sight] = {}
    if not wanted.columns:
        said = prose.rows(pages.lines, wanted)
    for column in wanted.columns:
        if column.type.numeric:
            said |= prose.find(pages.lines, wanted, column.name)
        elif wanted.parts:
            said |= prose.texts(pages.lines, wanted, column.name)
        else:
            right = wanted.rows[0].values[column.name].accepted
            known = choices.options(package.hidden.graph, truth.rounded, column, right)
            said[0, column.name] = choices.stated(pages.lines, wanted.label(column.name), column, known, right)
    return {fact: _both(tabled.get(fact), said.get(fact)) for fact in {*tabled, *said}}


def _both(tabled: Sight | None, said: Sight | None) -> Sight:
    """A table and a text about one fact: one has to be right, and what stands under the very label may not differ."""
    sights = [sight for sight in (said, tabled) if sight is not None]
    right = [sight for sight in sights if sight.state == "right"]
    wrong = [sight for sight in sights if sight.state == "wrong"]
    if right and wrong and wrong[0].sure:
        return wrong[0]._replace(message=f"it contradicts {right[0].place}, which says {right[0].found}")
    return (right or wrong or sights)[0]
