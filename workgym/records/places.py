"""Places and anchors: where in a file a value came to stand.

``at`` is one line that a person can follow and a reader can resolve, by format:

=========  =================================================================================
xlsx       ``Demand!B7``; decor also ``Demand!B7.comment``, ``Demand!B4:B9.conditional`` or ``.validation``,
           ``Demand.header``, ``Demand.footer``, ``Demand.chart1.1`` (its title), ``name.Rate``
csv, tsv   ``r3c2`` (line and field, from 1; the header is row 1)
docx       ``p12`` paragraph, ``t1r3c2`` table cell, ``h1``/``f1`` header or footer paragraph, ``n1`` note,
           ``c1`` comment, ``x1`` text box; ``p12.del1`` text that a tracked change struck there (of any of these)
pptx       ``s3p2`` slide and paragraph (its title is ``s3p1``), ``s3t1r2c1`` table cell, ``s3n1`` speaker notes,
           ``s3f1`` footer, ``s3c1r2c3`` a chart's data (series in row 1, categories in column 1)
html       ``p12`` block of text (paragraphs, headings, list items alike), ``t1r3c2`` table cell, ``h1``/``f1`` block of
           the page's header or footer, ``n1`` note, ``title``
pdf        ``p1l14`` page and line, in reading order from 1
png, jpg   ``p1l14`` line as on a page, where recognition of text finds it
md, txt    ``l14`` line; so too log and code
json, yaml ``/punches/3/in`` JSON pointer
xml        ``/orders/order[2]/@id`` attribute, ``/orders/order[2]/amount`` text of an element (an index where it has
           siblings of its name), ``/note/text()[1]`` text beside elements
eml        ``Subject`` header, ``l14`` line of the text body, ``html.l3`` of its HTML, ``text2.l1`` of another part,
           ``attachment1`` a file's name
mbox, zip  ``m3`` the line before a message, the name of a file
sqlite     ``invoices!r3c2`` table, row and column (the columns' names are row 1)
ics, vcf   ``e3.SUMMARY`` event, ``c3.TEL`` card (``c3.TEL.2`` its second one), in order, and property
=========  =================================================================================

A value that is only a part of that text carries a span: ``p12[4:10]`` is its characters 4 to 9.
"""

from __future__ import annotations

import re
from typing import Literal

from workgym.records.base import Record, unchecked
from workgym.records.values import Cell

_SPAN = re.compile(r"^(.*)\[(\d+):(\d+)\]$", re.S)


class Place(Record):
    """A place in a carrier that is visible to the solver."""

    path: str
    """Path from the solver's root: ``planning/demand.xlsx``; ``request.md`` for the request. A file within another one
    (an archive's member, a mail's attachment) stands behind two slashes: ``march.zip//ledger.csv``."""
    at: str
    """Where in that file, see the module's table; with a span where the value is a part of the text."""

    def __str__(self) -> str:
        return f"{self.path} {self.at}"

    @property
    def file(self) -> str:
        """The carrier itself, where ``path`` names a file within one: ``march.zip`` of ``march.zip//ledger.csv``."""
        return self.path.partition("//")[0]

    @property
    def base(self) -> str:
        """``at`` without its span."""
        match = _SPAN.match(self.at) if self.at.endswith("]") else None
        return match[1] if match else self.at

    @property
    def span(self) -> tuple[int, int] | None:
        """The characters of the text that the value takes, or None for all of it."""
        match = _SPAN.match(self.at) if self.at.endswith("]") else None
        return (int(match[2]), int(match[3])) if match else None


AnchorKind = Literal["value", "state", "decor"]


class Anchor(Record):
    """A value, or a text that depends on one, and the place where the renderer put it."""

    kind: AnchorKind
    """``value`` prints the cell, ``state`` is text that depends on it, ``decor`` is a declared number of no unit."""
    cell: Cell | None
    """What stands there; None for decor."""
    place: Place
    """Where it stands."""
    printed: str
    """The text as it is printed there."""


_place, _anchor = unchecked(Place), unchecked(Anchor)


def anchored(path: str, at: str, kind: AnchorKind, cells: tuple[Cell, ...], printed: str) -> list[Anchor]:
    """What a writer notes of one place: an anchor for each cell that is printed there, or one without a cell."""
    place = _place({"path": path, "at": at})
    found = []
    for cell in cells or (None,):
        found.append(_anchor({"kind": kind, "cell": cell, "place": place, "printed": printed}))
    return found
