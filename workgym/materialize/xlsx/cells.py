"""Cells of a sheet: native values, texts and formulas, each with its anchors and the width that it needs."""

from __future__ import annotations

import datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from workgym.documents import read, recalculate
from workgym.documents.xlsx import numfmt
from workgym.documents.xlsx.a1 import column_letters, split_place
from workgym.errors import MaterializeError, Unreadable
from workgym.materialize.bound import Bound
from workgym.materialize.carrier import Job
from workgym.materialize.marks import Marked
from workgym.materialize.scope import Fault
from workgym.materialize.table import Content, exact, number
from workgym.materialize.tree import Tree
from workgym.materialize.xlsx.columns import EPOCH, LONGEST, displayed
from workgym.materialize.xlsx.notes import Notes


class Computed(NamedTuple):
    """A formula that a tree gives, and what it has to come to."""

    at: str
    """Its cell."""
    formula: str
    """The formula, with its ``=``."""
    value: Decimal | str
    """The value that it shows before anything is recalculated."""
    places: int
    """Decimal places to which the two have to agree."""


class Cells:
    """The cells of one sheet while they are written; rows and columns from 0."""

    def __init__(self, job: Job, tree: Tree, sheet: Worksheet, name: str) -> None:
        self.job, self.tree, self.sheet, self.name = job, tree, sheet, name
        self.notes = Notes(job.path, name)
        self.widths: dict[int, float] = {}
        self.computed: list[Computed] = []

    def anchor(self, row: int, column: int, printed: str, content: Bound | None = None) -> None:
        """Notes that a cell prints a value, or decor."""
        if content is None:
            self.notes.value(row, column, "decor", (), printed)
        else:
            self.notes.value(row, column, content.kind, content.cells, printed)

    def aside(self, at: str, text: str, *, numbers: bool = True) -> None:
        """Notes a text outside the cells, which belongs to no unit, where its reader will find it.

        Running text (``numbers``) needs no note unless it holds one.
        """
        if text and (not numbers or any(map(str.isdigit, text))):
            self.notes.aside(at, text)

    def text(self, row: int, column: int, text: Marked, style: Format) -> None:
        """A text, which may run over the columns to its right; nothing where it is empty."""
        if text:
            self._string(row, column, text, style)

    def _string(self, row: int, column: int, text: Marked, style: Format) -> None:
        plain = text.plain
        if len(plain) > LONGEST:
            raise Fault(f"a cell holds at most {LONGEST} characters")
        self.sheet.write_string(row, column, plain, style)
        self.notes.text(row, column, text)

    def widen(self, column: int, printed: str) -> None:
        """Makes room for a text."""
        longest = max(map(len, printed.split("\n"))) if "\n" in printed else len(printed)
        needed = min(longest * 1.1 + 2, 46)
        if needed > self.widths.setdefault(column, 8.5):
            self.widths[column] = needed

    def content(
        self,
        row: int,
        column: int,
        content: Content,
        style: Format,
        code: str,
        *,
        widen: bool = True,
        formula: str | None = None,
    ) -> None:
        """One cell: a native value where it is one, else its text; with ``formula`` its value is the cached one."""
        if formula is not None:
            printed: str | None = self._formula(row, column, content, style, code, formula)
        else:
            printed = self._native(row, column, content, style, code)
        if printed is None:
            text = self.tree.shown(content)
            printed = text.plain
            if text:
                self._string(row, column, text, style)
            else:
                self.sheet.write_blank(row, column, None, style)
        if widen:
            self.widen(column, printed)

    def _native(self, row: int, column: int, content: Content, style: Format, code: str) -> str | None:
        """Writes a number, date, time or truth; returns what the cell shows, or None where it is text or nothing."""
        figure = number(content)
        bound = content if isinstance(content, Bound) and content.printed is None else None
        if figure is not None:
            self.sheet.write_number(row, column, exact(figure), style)
            printed = numfmt.display(figure, code)
        elif bound is not None and isinstance(bound.value, (datetime.date, datetime.time)):
            self.sheet.write_datetime(row, column, bound.value, style)
            printed = displayed(bound.value, code)
        elif isinstance(content, bool):
            self.sheet.write_boolean(row, column, content, style)
            return str(content).upper()
        else:
            return None
        self.anchor(row, column, printed, bound)
        return printed

    def _formula(self, row: int, column: int, content: Content, style: Format, code: str, formula: str) -> str:
        """Writes a formula with its value; returns what the cell shows."""
        figure, places = number(content), 9
        cached: Decimal | str
        if isinstance(content, Bound) and content.printed is None and content.value is not None:
            places = content.type.scale if content.type.numeric else 9
            if figure is not None:
                cached = figure
            elif isinstance(content.value, datetime.date):
                cached, places = Decimal((content.value - EPOCH).days), 0
            elif isinstance(content.value, str):
                cached = content.value
            else:
                raise Fault(f"a formula gives a number, a date or a text, and {content.name} is none")
        elif figure is not None:
            cached = figure
        else:
            raise Fault("a formula needs a `value` that is one plain value: no form, and not absent")
        printed = cached if isinstance(cached, str) else numfmt.display(cached, code)
        value = cached if isinstance(cached, str) else exact(cached)
        self.sheet.write_formula(row, column, formula, style, value)
        self.computed.append(Computed(self.notes.at(row, column), formula, cached, places))
        self.anchor(row, column, printed, content if isinstance(content, Bound) else None)
        return printed


def verify(job: Job, content: bytes, computed: list[Computed]) -> None:
    """Recalculates a workbook: each formula has to give the value that it is written with, to the value's precision.

    Raises MaterializeError, naming the cell, its formula and both values.
    """
    try:
        document = read(job.path, recalculate(content, path=job.path, today=job.today))
    except Unreadable as error:
        raise MaterializeError(f"{job.path}: its formulas cannot be calculated: {error.detail}") from error
    found = {fragment.at: fragment for fragment in document.fragments}
    for one in computed:
        fragment = found.get(one.at)
        given = "" if fragment is None else fragment.text
        if fragment is not None and isinstance(one.value, Decimal) and _agree(fragment.value, one.value, one.places):
            continue
        if isinstance(one.value, str) and given == one.value:
            continue
        raise MaterializeError(
            f"{job.path}: {one.at}: {one.formula} gives {given or 'nothing'}, and the value is {one.value}",
            fix="a formula has to give the value of its unit: correct the one or the other",
        )


def _agree(given: object, value: Decimal, places: int) -> bool:
    """Whether a recalculated value rounds to the true one; a date comes as its ISO form."""
    if isinstance(given, str) and len(given) >= 10 and given[4:5] == "-":
        given = (datetime.date.fromisoformat(given[:10]) - EPOCH).days
    if given is None or isinstance(given, bool):
        return False
    figure = Decimal(str(given))
    return figure.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP) == value


def single_cell(target: str) -> tuple[str, str] | None:
    """Sheet and absolute reference of a place like ``Terms!B4``, or None where it is no cell."""
    place = split_place(target)
    return None if place is None else (place[0], f"${column_letters(place[2])}${place[1]}")
