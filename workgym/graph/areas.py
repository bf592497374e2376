"""Where a file that was given may be changed: the areas of a deliverable that is filled in or extended in place.

An area is one line, by the format of the file:

=====================  ===============================================================================================
xlsx, sqlite           ``Form!C5``, ``Form!C5:D20``, ``Form!C:D`` (columns), ``Form!5:20`` (rows), ``Form!12:`` (row 12
                       and below), ``Form![Approved]`` (the cells below that heading), ``Form!+rows`` (rows below
                       the last one), ``Form!+columns`` (columns behind the last one), ``Form!*`` (all of it; a sheet
                       that is not there may be added)
csv, tsv               the same without a table: ``[Approved]``, ``+rows``; cells also as ``r5c3:r20c3``
tables of docx, html   the same behind the table: ``t1![Approved]``, ``t1!+rows``
text of docx, html     ``p12``, ``p12:p15``, ``[Findings]`` (what stands under that heading), ``+end``
md, txt, log, code     ``l12``, ``l12:l15``, ``+end``; in md also ``[Findings]``
json, yaml             ``/orders/3``, ``/orders/*/approved``, ``/log/-`` (new items of a list; the dash is RFC 6901's)
=====================  ===============================================================================================

The formats that are not named cannot be edited inputs: they are written anew by whoever changes them.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from workgym.records import FormatName, by_ending

LAST = 1 << 20
"""A row or column that no table reaches: an area that is open at its end goes up to it."""
_TABLES: frozenset[FormatName] = frozenset({"xlsx", "sqlite"})
_PLAIN: frozenset[FormatName] = frozenset({"csv", "tsv"})
_BLOCKS: frozenset[FormatName] = frozenset({"docx", "html"})
_LINES: frozenset[FormatName] = frozenset({"md", "txt", "log", "code"})
_TREES: frozenset[FormatName] = frozenset({"json", "yaml"})
_HEADED: frozenset[FormatName] = _BLOCKS | {"md"}
_A1 = re.compile(r"([A-Z]{1,3})([1-9]\d{0,6})(?::([A-Z]{1,3})([1-9]\d{0,6}))?")
_RC = re.compile(r"r([1-9]\d{0,6})c([1-9]\d{0,4})(?::r([1-9]\d{0,6})c([1-9]\d{0,4}))?")
_COLUMNS = re.compile(r"([A-Z]{1,3}):([A-Z]{1,3})")
_ROWS = re.compile(r"([1-9]\d{0,6}):([1-9]\d{0,6})?")
_HEADING = re.compile(r"\[\s*(\S.*?)\s*\]")
_PLACES = re.compile(r"([lpn])([1-9]\d{0,6})(?::\1([1-9]\d{0,6}))?")

AreaKind = Literal["cells", "column", "rows", "columns", "places", "section", "end", "pointer"]
"""A block of cells; what is below a heading; new rows; new columns; paragraphs or lines; what is under a heading of a
text; what is added at the end; a part of a tree."""


class Area(NamedTuple):
    """One area, taken apart."""

    kind: AreaKind
    """What it is."""
    table: str = ""
    """Its sheet or table; empty where the file has one only, and for text."""
    heading: str = ""
    """For a column or a section its heading."""
    first: tuple[int, int] = (1, 1)
    """For cells the first row and column, from 1; for places the first number."""
    last: tuple[int, int] = (LAST, LAST)
    """The last ones, included."""
    letter: str = ""
    """For places what they begin with: ``p`` paragraphs, ``l`` lines, ``n`` notes."""
    pointer: tuple[str, ...] = ()
    """For a part of a tree the steps down to it; ``*`` is any one, ``-`` an item that is not there yet."""


def area(path: str, written: str) -> Area:
    """The area that a line names in a file of that name. Raises ValueError, which says how areas are written."""
    form = by_ending(path)
    name = None if form is None else form.name
    if name in _TREES:
        return _pointer(written)
    if name in _TABLES:
        table, mark, where = written.rpartition("!")
        if not mark or not table:
            what = "table" if name == "sqlite" else "sheet"
            raise ValueError(f"{written!r} names no {what}; write NAME!{where or '*'}")
        return _cells(where, table.strip("'"))
    if name in _PLAIN:
        return _cells(written, "")
    if name in _BLOCKS and re.match(r"t[1-9]\d*!", written):
        table, _, where = written.partition("!")
        return _cells(where, table)
    if name in _BLOCKS | _LINES:
        return _text(written, headed=name in _HEADED)
    known = ", ".join(sorted(_TABLES | _PLAIN | _BLOCKS | _LINES | _TREES))
    raise ValueError(f"{path} cannot be edited in place by a solver; only {known} files can")


def _cells(where: str, table: str) -> Area:
    if where == "*":
        return Area("cells", table)
    if where in ("+rows", "+columns"):
        return Area("rows" if where == "+rows" else "columns", table)
    if match := _HEADING.fullmatch(where):
        return Area("column", table, heading=match[1])
    if match := _A1.fullmatch(where):
        top, left = int(match[2]), _number(match[1])
        return _block(table, where, top, left, int(match[4] or top), _number(match[3]) if match[3] else left)
    if match := _RC.fullmatch(where):
        top, left = int(match[1]), int(match[2])
        return _block(table, where, top, left, int(match[3] or top), int(match[4] or left))
    if match := _COLUMNS.fullmatch(where):
        return _block(table, where, 1, _number(match[1]), LAST, _number(match[2]))
    if match := _ROWS.fullmatch(where):
        return _block(table, where, int(match[1]), 1, int(match[2] or LAST), LAST)
    raise ValueError(f"{where!r} is no area of a table; write C5:D20, C:D, 5:20, [Heading], +rows, +columns or *")


def _block(table: str, written: str, top: int, left: int, bottom: int, right: int) -> Area:
    if top > bottom or left > right:
        raise ValueError(f"{written!r} ends before it begins")
    return Area("cells", table, first=(top, left), last=(bottom, right))


def _text(written: str, *, headed: bool) -> Area:
    if written == "+end":
        return Area("end")
    if headed and (match := _HEADING.fullmatch(written)):
        return Area("section", heading=match[1])
    if match := _PLACES.fullmatch(written):
        first, last = int(match[2]), int(match[3] or match[2])
        if first > last:
            raise ValueError(f"{written!r} ends before it begins")
        return Area("places", first=(first, 1), last=(last, 1), letter=match[1])
    sections = ", [Heading]" if headed else ""
    raise ValueError(f"{written!r} is no area of a text; write p12, p12:p15 (l12 for lines){sections} or +end")


def _pointer(written: str) -> Area:
    if not re.fullmatch(r"(?:/[^/]*)+", written):
        raise ValueError(f"{written!r} is no part of a tree; write /orders/3, /orders/*/approved or /log/-")
    return Area("pointer", pointer=tuple(written[1:].split("/")))


def _number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number
