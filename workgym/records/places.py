"""Places and anchors: where in a file a value came to stand.

``at`` is one line that a person can follow and a reader can resolve, by format:

=========  =================================================================================
xlsx       ``Demand!B7``
csv        ``r3c2`` (line and field, from 1; the header is row 1)
docx       ``p12`` paragraph, ``t1r3c2`` table cell, ``h1``/``f1`` header or footer paragraph
pdf        ``p1l14`` page and line, in reading order from 1
md, txt    ``l14`` line
json       ``/punches/3/in`` JSON pointer
eml        ``Subject`` header, ``l14`` line of the text body
ics        ``e3.SUMMARY`` event, in order, and property
=========  =================================================================================

A value that is only a part of that text carries a span: ``p12[4:10]`` is its characters 4 to 9.
"""

from __future__ import annotations

import re
from typing import Literal

from workgym.records.base import Record
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
        match = _SPAN.match(self.at)
        return match[1] if match else self.at

    @property
    def span(self) -> tuple[int, int] | None:
        """The characters of the text that the value takes, or None for all of it."""
        match = _SPAN.match(self.at)
        return (int(match[2]), int(match[3])) if match else None


class Anchor(Record):
    """A value, or a text that depends on one, and the place where the renderer put it."""

    kind: Literal["value", "state", "decor"]
    """``value`` prints the cell, ``state`` is text that depends on it, ``decor`` is a declared number of no unit."""
    cell: Cell | None
    """What stands there; None for decor."""
    place: Place
    """Where it stands."""
    printed: str
    """The text as it is printed there."""
