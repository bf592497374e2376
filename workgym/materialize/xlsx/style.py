"""Cell styles of a workbook in a company's look."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

from xlsxwriter.format import Format
from xlsxwriter.workbook import Workbook

from workgym.materialize.bound import Bound
from workgym.materialize.look.look import Look
from workgym.materialize.marks import Marked
from workgym.materialize.strip import Strip
from workgym.materialize.table import Content, number

_RULE = "#D0D5DB"


class Sort(NamedTuple):
    """What a cell of a body holds, as far as its style depends on it."""

    texts: bool = False
    """Whether it is neither a number nor empty."""
    dated: bool = False
    """Whether it is a date or time in whatever form."""
    long: bool = False
    """Whether it is a text that takes several lines."""


LONG = 42
"""Characters of a text from which it takes several lines."""
NUMBER, TEXT, DATED, LONG_TEXT = Sort(), Sort(True), Sort(True, True), Sort(True, False, True)
"""The sorts of most cells."""


class Styles:
    """The formats of one workbook; equal ones are made once."""

    def __init__(self, book: Workbook, look: Look) -> None:
        self.book, self.look = book, look
        self._bodies: dict[tuple[str, int, Sort, bool, bool, bool], Format] = {}
        self._made: dict[tuple[tuple[str, Any], ...], Format] = {}

    def _format(self, **wanted: Any) -> Format:
        key = tuple(sorted(wanted.items()))
        if key not in self._made:
            self._made[key] = self.book.add_format(wanted)
        return self._made[key]

    @property
    def _accent(self) -> str:
        return "#" + self.look.accent

    @cached_property
    def title(self) -> Format:
        """The first line of a sheet."""
        return self._format(bold=True, font_size=14, font_color=self._accent, font_name=self.look.heading_font)

    @cached_property
    def subtitle(self) -> Format:
        """The lines under it."""
        return self._format(font_color="#4A5560")

    @cached_property
    def caption(self) -> Format:
        """A line above a table."""
        return self._format(bold=True, font_color=self._accent, font_name=self.look.heading_font)

    @cached_property
    def note(self) -> Format:
        """Notes beside and below tables."""
        return self._format(italic=True, font_color="#5F6B76", font_size=9)

    @cached_property
    def label(self) -> Format:
        """The label of a pair."""
        return self._format(bold=True, font_color="#333D47")

    def head(self, code: str, right: bool, inner: bool) -> Format:
        """A heading in a number format; ``right`` above numbers, ``inner`` in a column that is not the first."""
        side = "right" if right else "left"
        shared: dict[str, Any] = {"bold": True, "align": side, "valign": "vcenter", "text_wrap": True}
        shared |= {"indent": 1} if inner and not right else {}
        shared |= {"num_format": code} if code != "General" else {}
        if self.look.table == "filled":
            return self._format(**shared, bg_color=self._accent, font_color="#FFFFFF")
        if self.look.table == "lined":
            return self._format(**shared, bottom=2, bottom_color=self._accent, font_color=self._accent)
        if self.look.table == "banded":
            return self._format(**shared, bg_color="#" + self.look.tint, font_color=self._accent, bottom=1)
        return self._format(**shared, border=1, border_color="#7F8890", bg_color="#E7E9EC")

    def group(self, wide: bool) -> Format:
        """A heading over several columns (``wide``), or over one in two rows."""
        shared: dict[str, Any] = {"bold": True, "valign": "vcenter", "text_wrap": True}
        shared |= {"align": "center"} if wide else {}
        if self.look.table == "filled":
            return self._format(**shared, bg_color=self._accent, font_color="#FFFFFF", bottom=1, bottom_color="#FFFFFF")
        if self.look.table == "lined":
            return self._format(**shared, bottom=1, bottom_color=self._accent, font_color=self._accent)
        if self.look.table == "banded":
            return self._format(**shared, bg_color="#" + self.look.tint, font_color=self._accent)
        return self._format(**shared, border=1, border_color="#7F8890", bg_color="#E7E9EC")

    def unit(self, right: bool, inner: bool) -> Format:
        """A unit under a heading."""
        wanted: dict[str, Any] = {"italic": True, "font_size": 9, "font_color": "#5F6B76"}
        wanted |= {"align": "right"} if right else {"indent": 1} if inner else {}
        if self.look.table == "grid":
            return self._format(**wanted, border=1, border_color="#B4BAC0")
        return self._format(**wanted, bottom=1, bottom_color=_RULE)

    def subtotal(self, code: str) -> Format:
        """A cell of a sum between the rows."""
        wanted: dict[str, Any] = {"bold": True, "bg_color": "#" + self.look.tint, "top": 1, "top_color": _RULE}
        return self._format(**wanted, **({"num_format": code} if code != "General" else {}))

    def shades(self, count: int) -> list[str]:
        """So many colours from the accent to a pale tone of it, for the slices of a pie."""
        return [self.pale(0.72 * at / max(1, count - 1)) for at in range(count)]

    def pale(self, share: float) -> str:
        """The accent with a share of white in it."""
        parts = [int(self.look.accent[at : at + 2], 16) for at in (0, 2, 4)]
        return "".join(f"{round(part + (255 - part) * share):02X}" for part in parts)

    def body(self, code: str, line: int, sort: Sort, inner: bool, pairs: bool, merged: bool = False) -> Format:
        """A cell of a table's body, in its ``line`` from 0; ``inner`` keeps texts off what is before them."""
        key = (code, line % 2, sort, inner, pairs, merged)
        made = self._bodies.get(key)
        if made is None:
            made = self._bodies[key] = self._body(*key)
        return made

    def _body(self, code: str, odd: int, sort: Sort, inner: bool, pairs: bool, merged: bool) -> Format:
        wanted: dict[str, Any] = {"num_format": code} if code != "General" else {}
        if sort.texts:
            wanted |= {"align": "left", "indent": int(inner)} if inner or sort.dated else {}
            wanted |= {"text_wrap": True, "valign": "top"} if sort.long else {}
        elif pairs:
            wanted |= {"align": "left", "indent": 1}
        if merged:
            wanted |= {"valign": "top"}
        if self.look.table == "filled":
            wanted |= {"bottom": 1, "bottom_color": _RULE}
        elif self.look.table == "grid":
            wanted |= {"border": 1, "border_color": "#B4BAC0"}
        elif self.look.table == "banded" and odd:
            wanted["bg_color"] = "#F6F7F9"
        return self._format(**wanted)

    def total(self, code: str) -> Format:
        """A cell of the totals row."""
        wanted: dict[str, Any] = {"bold": True, "top": 1, "bottom": 6}
        return self._format(**wanted, **({"num_format": code} if code != "General" else {}))

    def code(self, column: Sequence[Content]) -> str:
        """The number format that the values of a column need."""
        if isinstance(column, Strip):
            types, values = [column.type], column.values
            kinds = {column.type.kind} if any(value is not None for value in values) else set()
        else:
            bounds = [content for content in column if isinstance(content, Bound) and content.printed is None]
            types, values = [bound.type for bound in bounds], [bound.value for bound in bounds]
            kinds = {bound.type.kind for bound in bounds if bound.value is not None}
        if len(kinds) != 1:
            return "General"
        type_ = types[0]
        decimals = "." + "0" * type_.places if type_.places else ""
        if type_.kind == "percent":
            most = max(len(type_.show(value).partition(" ")[0].partition(".")[2]) for value in values)
            return "0." + "0" * most + "%" if most else "0%"
        by_kind = {"integer": "0", "date": self.look.date, "time": "hh:mm"}
        return by_kind.get(type_.kind, f"#,##0{decimals}" if type_.numeric else "General")


def sort_of(content: Content) -> Sort:
    """The sort of a cell that holds this."""
    if content is None or number(content) is not None:
        return NUMBER
    dated = isinstance(content, Bound) and isinstance(content.value, (datetime.date, datetime.time))
    text = content.shown if isinstance(content, Bound) else content.text if isinstance(content, Marked) else ""
    return Sort(True, dated, len(text) > LONG)
