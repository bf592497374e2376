"""Columns of a table whose values are all of one type, written without asking of each cell what it holds."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any

from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from workgym.documents.xlsx import numfmt
from workgym.materialize.marks import refuse_unprintable, standing
from workgym.materialize.scope import Fault
from workgym.materialize.strip import Strip
from workgym.materialize.table import exact
from workgym.materialize.xlsx.style import DATED, LONG, LONG_TEXT, NUMBER, TEXT, Sort
from workgym.records import Anchor, Value, anchored

LONGEST = 32_767
"""Characters that a cell holds."""
EPOCH = datetime.date(1899, 12, 30)
"""The day 0 of serial numbers, for the days from March 1900 on."""
_LEAP = 60
"""The serial number of 29 February 1900, which spreadsheets count and no calendar has."""
_Style = Callable[[int, Sort], Format]


class ColumnOf:
    """One column while it is written; rows of the body and of the sheet, from 0."""

    def __init__(self, path: str, sheet: Worksheet, strip: Strip, place: int, code: str, style: _Style) -> None:
        self.place = place
        self._path, self._sheet, self._strip, self._code, self._style = path, sheet, strip, code, style
        self._native = strip.type.numeric or strip.type.kind in ("date", "time")
        self._stored: Sequence[Any]
        self._write: Callable[..., object]
        self._styles: dict[tuple[int, Sort], Format] = {}
        if self._native:
            self._sort = NUMBER if strip.type.numeric else DATED
            self._stored = _numbers(strip.values) if strip.type.numeric else list(map(_serial, strip.values))
            self._write = sheet.write_number
        else:
            self._sort = TEXT
            self._stored = [value or None for value in strip.values]
            self._write = sheet.write_string
            texts = list(filter(None, self._stored))
            refuse_unprintable(texts)
            if max(map(len, texts), default=0) > LONGEST:
                raise Fault(f"a cell holds at most {LONGEST} characters")

    def put(self, at: int, row: int) -> None:
        """Writes the cell of one row of the body."""
        stored = self._stored[at]
        if stored is None:
            self._sheet.write_blank(row, self.place, None, self._styled(at, TEXT))
        elif self._sort is TEXT and len(stored) > LONG:
            self._write(row, self.place, stored, self._styled(at, LONG_TEXT))
        else:
            self._write(row, self.place, stored, self._styled(at, self._sort))

    def _styled(self, at: int, sort: Sort) -> Format:
        key = at % 2, sort
        made = self._styles.get(key)
        if made is None:
            made = self._styles[key] = self._style(at, sort)
        return made

    def shown(self, at: int) -> str:
        """What the cell of one row of the body shows."""
        value = self._strip.values[at]
        return str(value or "") if not self._native else "" if value is None else displayed(value, self._code)

    def widest(self) -> str:
        """What the cell shows that needs the most room."""
        known = [at for at, stored in enumerate(self._stored) if stored is not None]
        if self._sort is NUMBER and known and numfmt.is_plain(self._code):  # then the longest one lies the farthest out
            known = [min(known, key=self._stored.__getitem__), max(known, key=self._stored.__getitem__)]
        return max(map(self.shown, known), key=_room, default="")

    def anchors(self, at: int, where: str) -> list[Anchor]:
        """The anchors of a row of the body, whose cell is at ``where``."""
        cells = self._strip.cells(at)
        if not self._native or self._stored[at] is None:
            return standing(self._path, where, "value", cells, self.shown(at))
        return anchored(self._path, where, "value", cells, self.shown(at))


def _room(text: str) -> int:
    return max(map(len, text.split("\n")))


def _numbers(values: Sequence[Value]) -> list[float | None]:
    """The doubles of numbers. Raises Fault where one would lose digits."""
    return [
        None if value is None else exact(value) if isinstance(value, Decimal) else exact(Decimal(str(value)))
        for value in values
    ]


def _serial(value: Value) -> float | None:
    """A date or time of day as the number that a sheet keeps; None for none."""
    if isinstance(value, datetime.time):
        return (value.hour * 3600 + value.minute * 60 + value.second) / 86400
    if not isinstance(value, datetime.date):
        return None
    days = value.toordinal() - EPOCH.toordinal()
    return days if days > _LEAP else days - 1


def displayed(value: Value, code: str) -> str:
    """A number, date or time of day as a cell shows it under a number format."""
    if isinstance(value, (datetime.date, datetime.time)):
        return _dated(value, code)
    return numfmt.display(value if isinstance(value, Decimal) else Decimal(str(value)), code)


@lru_cache(maxsize=4096)
def _dated(value: datetime.date | datetime.time, code: str) -> str:
    """Kept, since the rows of a table have few different ones."""
    if isinstance(value, datetime.date):
        return numfmt.display(Decimal((value - EPOCH).days), code)
    return numfmt.display(Decimal(value.hour * 3600 + value.minute * 60 + value.second) / 86400, code)
