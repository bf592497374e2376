"""Tables of a deliverable as plain coordinates, upright or turned, and what their headings say.

A sheet keeps all its cells together, title lines and several tables included: where a table starts is decided by its
headings, not by blank rows, which people leave where they like. Hidden rows, columns and sheets are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import NamedTuple

from workgym.documents import Document, Fragment, grids
from workgym.records import Scalar
from workgym.verify.stated.matching import currencies, normal

_ONE = Decimal(1)
_BRACKET = re.compile(r"\(([^()]*)\)|\[([^\[\]]*)\]")
_PUNCTUATION = re.compile(r"[^\w%]+")
_MONEY = r"(?:usd|eur|gbp|chf|[$€£])"
_THOUSANDS = re.compile(rf"\bthousands?\b|'000|\b000s?\b|\btsd\b|\bk ?{_MONEY}|{_MONEY} ?k\b|^k$", re.IGNORECASE)
_MILLIONS = re.compile(rf"\bmillions?\b|\bmio\b|\bm ?{_MONEY}|{_MONEY} ?m\b", re.IGNORECASE)
CELLS = 60_000
"""Cells of one deliverable that are looked at, in reading order."""
_SMALL = frozenset("the a an of in for per by and to at on".split())
_TOTAL = re.compile(
    r"\b(?:sub-?totals?|totals?|sums?|grand|overall|averages?|means?|avg|all|min|max|minimum|maximum|median|difference|"
    r"delta|check|count|saldo|summe|gesamt|lowest|highest|best|cheapest|dearest|recommended|winner|rank|spread|range)\b"
)


class Spot(NamedTuple):
    """A cell that says something."""

    text: str
    """What it shows."""
    value: Scalar
    """Its typed content, or None where the format has none."""
    at: str
    """Its place."""
    formula: bool
    """Whether a formula computes it."""
    given: bool = False
    """Whether it stood there before, in a file that is filled in or extended: it names rows, and states nothing."""


@dataclass(frozen=True)
class Sheet:
    """A table, or all tables of one sheet, by row and column."""

    name: str
    """Name of the sheet; empty where the format names none."""
    cells: dict[tuple[int, int], Spot]
    """Cells that are not empty."""
    lead: tuple[str, ...] = ()
    """Lines just above it that are not cells: the paragraph before a table of a document."""
    turned: bool = False
    """Whether rows and columns have changed places."""

    @cached_property
    def rows(self) -> dict[int, dict[int, Spot]]:
        """Cells by row, then column, both in order."""
        found: dict[int, dict[int, Spot]] = {}
        for (row, column), spot in sorted(self.cells.items(), key=lambda item: item[0]):
            found.setdefault(row, {})[column] = spot
        return found

    @cached_property
    def columns(self) -> dict[int, dict[int, Spot]]:
        """Cells by column, then row, both in order."""
        found: dict[int, dict[int, Spot]] = {}
        for (row, column), spot in sorted(self.cells.items(), key=lambda item: (item[0][1], item[0][0])):
            found.setdefault(column, {})[row] = spot
        return found

    @cached_property
    def head(self) -> str:
        """Its first row and first column of several cells, where headings stand."""
        none: dict[int, Spot] = {}
        first = [next((cells for cells in side.values() if len(cells) > 1), none) for side in (self.rows, self.columns)]
        return " | ".join(spot.text[:80] for cells in first for _, spot in zip(range(40), cells.values(), strict=False))

    @cached_property
    def turn(self) -> Sheet:
        """The same with rows as columns."""
        cells = {(column, row): spot for (row, column), spot in self.cells.items()}
        return Sheet(self.name, cells, self.lead, not self.turned)

    def over(self, row: int, column: int, depth: int = 4) -> Iterator[Spot]:
        """Cells above one, a row at a time: that over it or, as under a merged heading, the nearest to its left."""
        for number in range(row - 1, max(0, row - 1 - depth), -1):
            cells = self.rows.get(number, {})
            if len(cells) < 2:  # a title, not a heading
                continue
            left = [other for other in cells if other <= column]
            if left:
                yield cells[max(left)]

    def titles(self, row: int) -> Iterator[str]:
        """Lines above a row that stand alone in theirs, nearest first; then what leads to the table, and its name."""
        if not self.turned:
            for number in range(row - 1, max(0, row - 12), -1):
                cells = self.rows.get(number, {})
                if len(cells) == 1:
                    yield next(iter(cells.values())).text
        yield from self.lead
        if self.name:
            yield self.name


def sheets(document: Document, given: frozenset[str] = frozenset()) -> tuple[Sheet, ...]:
    """Every table of a document, upright, in order. ``given`` are places of what stood there before."""
    if document.kind.grids in ("cells", "sheets"):
        return tuple(_plain(document, given))
    found: dict[str, dict[tuple[int, int], Spot]] = {}
    for grid in grids(document):
        cells = found.setdefault(grid.name, {})
        for row in (grid.above, grid.header, *grid.rows):
            for cell in row:
                text = cell.text.strip(" *_`") if document.kind.grids == "markdown" else cell.text
                heading = row is grid.header and document.kind.grids == "records"
                value = None if heading else cell.fragment.value
                before = cell.fragment.at in given
                cells.setdefault((cell.row, cell.column), Spot(text, value, cell.at, False, before))
    return tuple(Sheet("", cells) for cells in found.values())


def _plain(document: Document, given: frozenset[str]) -> Iterator[Sheet]:
    found: dict[str, dict[tuple[int, int], Spot]] = {}
    leads: dict[str, tuple[str, ...]] = {}
    before: list[str] = []
    count = 0
    for fragment in document.fragments:
        if fragment.hidden:
            continue
        if fragment.table is None or fragment.row is None or fragment.column is None:
            before = [fragment.text, *before[:1]]
            continue
        if fragment.table not in found:
            leads[fragment.table] = tuple(before)
        found.setdefault(fragment.table, {})[fragment.row, fragment.column] = _spot(fragment, given)
        count += 1
        if count == CELLS:
            break
    named = document.kind.grids == "sheets"
    for name, cells in found.items():
        yield Sheet(name if named else "", cells, leads[name])


def _spot(fragment: Fragment, given: frozenset[str]) -> Spot:
    return Spot(fragment.text, fragment.value, fragment.at, fragment.formula is not None, fragment.at in given)


@lru_cache(maxsize=4096)
def words(text: str) -> tuple[str, ...]:
    """The words of a label, without units in brackets and small words; all of them where nothing else is left."""
    bare = _PUNCTUATION.sub(" ", _BRACKET.sub(" ", normal(text))).split()
    return tuple(word for word in bare if word not in _SMALL) or tuple(bare)


@lru_cache(maxsize=16384)
def label_grade(text: str, label: str) -> int | None:
    """How well a heading is a label: 0 the same, then by the number of words that differ; None where it is not.

    One has to contain the other, by words, and a shorter heading at least half of the label. Currencies in brackets
    may be left out but not be others.
    """
    if len(text) > 160:
        return None
    said, wanted = currencies(text), currencies(label)
    if said and wanted and not said & wanted:
        return None
    found, asked = words(text), words(label)
    if found == asked:
        return 0
    mine, theirs = set(found), set(asked)
    if not mine or not theirs:
        return None
    if theirs <= mine or (mine <= theirs and 2 * len(mine) >= len(theirs)):
        return 1 + len(mine ^ theirs)
    return None


def label_scale(text: str) -> Decimal:
    """What a heading multiplies by: 1000 for ``USD thousands``, a million for ``(USD m)``, else 1."""
    said = " ".join(part for match in _BRACKET.finditer(text) for part in match.groups() if part) or text
    if _MILLIONS.search(said):
        return _ONE.scaleb(6)
    return _ONE.scaleb(3) if _THOUSANDS.search(said) else _ONE


def is_total(text: str) -> bool:
    """Whether a cell in a key's column heads a row of totals, averages or the like."""
    return len(text) <= 160 and _TOTAL.search(normal(text)) is not None
