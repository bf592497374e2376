"""A table whose rows are the solver's choice, read from a deliverable: typed rows, their places, and what is wrong.

It is found by its headings, in any order of columns and in any format; what a cell says is typed as people write it,
in any locale, and nothing of it is executed. Lines of one cell are no rows of it, nor is
a total: what begins with that and cannot be typed.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from workgym.graph import Column, Handed
from workgym.records import Value
from workgym.verify.stated.asked import KeyReader
from workgym.verify.stated.matching import cell_dates, cell_readings, cell_time, normal
from workgym.verify.stated.sheets import CELLS, Sheet, Spot, is_total, label_grade, label_scale
from workgym.verify.truth import Truth

ROWS = 2_000
"""Rows of one table that are judged; a larger one is refused."""
_LONGEST = 120
_DIGITS = 18


class Wrong(NamedTuple):
    """Something in a table that cannot be taken."""

    place: str | None
    """Where it stands; None where it is not there."""
    found: str | None
    """What it says."""
    says: str
    """One sentence for a person."""


@dataclass(frozen=True)
class Read:
    """A table as it was handed in."""

    table: Handed
    """What was looked for."""
    rows: tuple[tuple[Value, ...], ...] = ()
    """Typed rows, in the order of the table's columns."""
    places: tuple[str, ...] = ()
    """Where each row's key stands."""
    wrong: tuple[Wrong, ...] = ()
    """What cannot be taken."""


def read(sheets: tuple[Sheet, ...], table: Handed, truth: Truth) -> Read:
    """The table in a deliverable's sheets: the one with the nearest headings, on the named sheet if there is one."""
    found = sorted(
        (grade, number, row, at)
        for number, sheet in enumerate(sheets)
        if table.sheet is None or not sheet.name or normal(sheet.name) == normal(table.sheet)
        for grade, row, at in _heads(sheet, table)
    )
    if not found:
        said = ", ".join(column.title for column in table.columns)
        on = f" on the sheet {table.sheet}" if table.sheet else ""
        return Read(table, wrong=(Wrong(None, None, f"there is no table with the headings {said}{on}"),))
    _, number, top, at = found[0]
    body = [row for row in sheets[number].rows if row > top and _is_row(sheets[number].rows[row], at)]
    if len(body) > ROWS or sum(len(sheet.cells) for sheet in sheets) >= CELLS:
        return Read(table, wrong=(Wrong(None, None, f"it is over the limit of {ROWS:,} rows ({len(body):,} seen)"),))
    return _typed(sheets[number], table, truth, top, at, body)


def _heads(sheet: Sheet, table: Handed) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Rows with every heading: how far they are from those asked for, the row, and the place of each column."""
    for row, cells in sheet.rows.items():
        at: list[int] = []
        total = 0
        for column in table.columns:
            graded = sorted(
                (grade, place)
                for place, spot in cells.items()
                if place not in at
                and spot.value is None
                and (grade := label_grade(spot.text, column.title)) is not None
            )
            if not graded:
                break
            total += graded[0][0]
            at.append(graded[0][1])
        if len(at) == len(table.columns):
            yield total, row, tuple(at)


def _is_row(cells: dict[int, Spot], at: tuple[int, ...]) -> bool:
    """Whether a line may be a row: more than one of its cells is filled, or the one that there is."""
    return sum(place in cells for place in at) >= min(2, len(at))


def _typed(sheet: Sheet, table: Handed, truth: Truth, top: int, at: tuple[int, ...], body: list[int]) -> Read:
    readers = [_Reader(table, column, truth, label_scale(sheet.cells[top, place].text)) for column, place in zip(
        table.columns, at, strict=True)]  # fmt: skip
    rows: list[tuple[Value, ...]] = []
    places: list[str] = []
    wrong: list[Wrong] = []
    keyed = [number for number, column in enumerate(table.columns) if column.name in table.key]
    seen: dict[tuple[Value, ...], str] = {}
    for line in body:
        cells = sheet.rows[line]
        head = next(cells[place] for place in (*(at[number] for number in keyed), *at) if place in cells)
        typed = [reader.value(cells.get(place)) for reader, place in zip(readers, at, strict=True)]
        values = [value for value in typed if not isinstance(value, Wrong)]
        if len(values) < len(typed):
            if not is_total(head.text):
                slips = [value for value in typed if isinstance(value, Wrong)]
                wrong += [slip if slip.place else slip._replace(place=head.at) for slip in slips]
            continue
        key = tuple(values[number] for number in keyed)
        if key in seen:
            wrong.append(Wrong(head.at, ", ".join(map(str, key)), f"this row is there twice, first at {seen[key]}"))
        else:
            seen[key] = head.at
            rows.append(tuple(values))
            places.append(head.at)
    if not rows and not wrong:
        wrong.append(Wrong(None, None, "the table has no rows"))
    return Read(table, tuple(rows), tuple(places), tuple(wrong))


class _Reader:
    """Types the cells of one column."""

    def __init__(self, table: Handed, column: Column, truth: Truth, scale: Decimal) -> None:
        self.column = column
        self.scale = scale
        self.of = table.of.get(column.name)
        self.known: KeyReader | None = None
        if self.of is not None:
            unit, _, name = self.of.partition(".")
            domain = tuple(dict.fromkeys(row[0] for row in truth.rows(unit).columns([name])))
            self.known = KeyReader(column, domain)

    def value(self, spot: Spot | None) -> Value | Wrong:
        """What a cell says, or why that is not clear."""
        title = self.column.title
        if spot is None or not spot.text.strip():
            return Wrong(None, None, f"{title} is empty")
        if self.known is not None:
            found: tuple[Value, ...] = self.known.cell(spot.text, spot.value)
        else:
            found = tuple(dict.fromkeys(self._candidates(spot)))
        if len(found) == 1:
            return found[0]
        if found:
            return Wrong(spot.at, spot.text[:_LONGEST], f"{title} can be read as {' or '.join(map(str, found))}")
        what = f"is none of {self.of}" if self.of is not None else f"is no {self.column.type}"
        return Wrong(spot.at, spot.text[:_LONGEST], f"{title} {what}")

    def _candidates(self, spot: Spot) -> Iterator[Value]:
        kind = self.column.type
        if len(spot.text) > _LONGEST:
            return
        if kind.kind == "text":
            yield " ".join(spot.text.split())
        elif kind.kind == "choice":
            yield from (option for option in kind.options if normal(option) == normal(spot.text))
        elif kind.kind == "date":
            yield from cell_dates(spot.text, spot.value)
        elif kind.kind == "time":
            moment: datetime.time | None = cell_time(spot.text, spot.value)
            yield from () if moment is None else (moment,)
        else:
            yield from self._numbers(spot)

    def _numbers(self, spot: Spot) -> Iterator[Value]:
        kind = self.column.type
        for reading in cell_readings(spot.text, spot.value, kind)[:1]:
            number = reading.value * self.scale
            if abs(number) >= Decimal(10) ** (_DIGITS - kind.scale):
                return
            if kind.kind == "integer":
                yield from (int(number),) if number == number.to_integral_value() else ()
            else:
                yield number.quantize(Decimal(1).scaleb(-kind.scale))
