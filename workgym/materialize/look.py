"""The look of a company's papers, drawn from a seed: fonts, colours, table style, letterhead, logo."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

TableStyle = Literal["filled", "lined", "banded", "grid"]
HeadLayout = Literal["left", "right", "centre", "band"]
PdfFamily = Literal["Helvetica", "Times", "Vera"]

_COLOURS = (
    ("1F3A5F", "E8EEF5"),
    ("0B5D4E", "E4F1EE"),
    ("7A1F2B", "F6E9EA"),
    ("4A3B76", "EEEAF6"),
    ("8A4B08", "F9EFE2"),
    ("005F86", "E1F0F6"),
    ("2F4F2F", "EAF1E6"),
    ("333D47", "ECEFF1"),
    ("9C2A00", "FBEAE3"),
    ("174A7C", "E6EFF8"),
    ("5B2245", "F4E8EF"),
    ("00696B", "E0F2F1"),
    ("6B5B00", "F5F1DC"),
    ("3D3D8F", "EAEAF7"),
    ("A0002F", "FCE7ED"),
    ("24523B", "E5F0EA"),
)
"""Accent and tint, chosen so that white text reads on the first and black on the second."""
_FONTS: tuple[tuple[str, str, PdfFamily], ...] = (
    ("Calibri", "Calibri", "Helvetica"),
    ("Arial", "Arial", "Helvetica"),
    ("Georgia", "Georgia", "Times"),
    ("Times New Roman", "Times New Roman", "Times"),
    ("Verdana", "Verdana", "Vera"),
    ("Cambria", "Calibri", "Times"),
    ("Trebuchet MS", "Calibri", "Vera"),
    ("Garamond", "Garamond", "Times"),
)
"""Font of headings and of text in office files, and the family in pdf."""
_DATES = ("yyyy-mm-dd", "dd.mm.yyyy", "d mmm yyyy", "dd-mmm-yyyy")
SHAPES = 8
"""How many shapes of logo there are."""


@dataclass(frozen=True)
class Look:
    """How one company's papers look. Colours are six hexadecimal digits."""

    seed: str
    accent: str
    tint: str
    heading_font: str
    body_font: str
    pdf_family: PdfFamily
    table: TableStyle
    head: HeadLayout
    shape: int
    upper: bool
    """Whether titles are in capitals."""
    date: str
    """Number format of dates in sheets; none of them can be read two ways."""
    gridlines: bool
    """Whether sheets show gridlines."""


@lru_cache(maxsize=512)
def look_of(seed: str) -> Look:
    """The look that belongs to ``seed``: the same everywhere."""
    draws = hashlib.sha256(b"look:" + seed.encode()).digest()
    accent, tint = _COLOURS[draws[0] % len(_COLOURS)]
    heading, body, family = _FONTS[draws[1] % len(_FONTS)]
    tables: tuple[TableStyle, ...] = ("filled", "lined", "banded", "grid")
    heads: tuple[HeadLayout, ...] = ("left", "right", "centre", "band")
    return Look(
        seed=seed,
        accent=accent,
        tint=tint,
        heading_font=heading,
        body_font=body,
        pdf_family=family,
        table=tables[draws[2] % len(tables)],
        head=heads[draws[3] % len(heads)],
        shape=draws[4] % SHAPES,
        upper=draws[5] % 4 == 0,
        date=_DATES[draws[6] % len(_DATES)],
        gridlines=draws[7] % 2 == 0,
    )


def initials(name: str) -> str:
    """Up to two letters for a logo."""
    words = [word for word in name.replace("-", " ").split() if word[:1].isalpha()]
    return "".join(word[0] for word in words[:2]).upper() or "W"
