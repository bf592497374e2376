"""The look of a company's papers, drawn from a seed: fonts, colours, table style, letterhead, logo."""

from __future__ import annotations

import colorsys
import hashlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

TableStyle = Literal["filled", "lined", "banded", "grid"]
HeadLayout = Literal["left", "right", "centre", "band"]
PdfFamily = Literal["Helvetica", "Times", "Vera"]

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


def _colours(hue: int, saturation: int, lightness: int) -> tuple[str, str]:
    """An accent on which white text reads (contrast 5.8 and more, WCAG 2), and a tint of it under black text."""
    level, accent = 0.20 + 0.02 * (lightness % 6), (1.0, 1.0, 1.0)
    while 0.2126 * accent[0] ** 2.2 + 0.7152 * accent[1] ** 2.2 + 0.0722 * accent[2] ** 2.2 > 0.13:
        accent = colorsys.hls_to_rgb(hue / 256, level, 0.30 + 0.1 * (saturation % 6))
        level *= 0.95
    tint = [1 - (1 - part) * 0.11 for part in accent]
    deep, pale = ("".join(f"{round(part * 255):02X}" for part in colour) for colour in (accent, tint))
    return deep, pale


@lru_cache(maxsize=512)
def look_of(seed: str) -> Look:
    """The look that belongs to ``seed``: the same everywhere."""
    draws = hashlib.sha256(b"look:" + seed.encode()).digest()
    accent, tint = _colours(draws[0], draws[8], draws[9])
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
