"""How much room text takes on a slide: an estimate from the metrics of fonts alike, on the safe side.

Offices have the fonts of a look; machines that render slides often have not, and take DejaVu, which is as wide as Vera
and wider than all of them. So widths are Vera's, but for the two fonts that have twins everywhere, with a reserve.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import reportlab
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

from workgym.materialize.prose import Inline

_LIKE = {
    "Arial": ("Helvetica", "Helvetica-Bold"),
    "Times New Roman": ("Times-Roman", "Times-Bold"),
}
_WIDEST = ("Vera", "VeraBd")
_RESERVE, LEADING = 1.05, 1.22
_OTHER, _BROAD = 0.66, 1.0


@lru_cache(maxsize=2)
def _vera(name: str) -> dict[int, float]:
    """Widths by code point, in thousandths; the font comes with reportlab."""
    file = Path(reportlab.__file__).parent / "fonts" / f"{name}.ttf"
    return dict(TTFont(name, str(file)).face.charWidths)


@lru_cache(maxsize=4096)
def _unit(char: str, font: str) -> float:
    """Width of a character at size 1."""
    if ord(char) < 0x100:
        if font in _WIDEST:
            return _vera(font).get(ord(char), 1000 * _OTHER) / 1000
        return float(pdfmetrics.stringWidth(char, font, 1000)) / 1000
    return _BROAD if unicodedata.east_asian_width(char) in "WF" else _OTHER


class Meter:
    """Measures text in one font."""

    def __init__(self, font: str) -> None:
        self._regular, self._bold = _LIKE.get(font, _WIDEST)

    def width(self, text: str, size: float, bold: bool = False) -> float:
        """Width of a text on one line, in points."""
        font = self._bold if bold else self._regular
        return sum(_unit(char, font) for char in text) * size * _RESERVE

    def lines(self, inline: Inline, size: float, width: float, bold: bool = False) -> int:
        """How many lines a text takes in a column of ``width`` points."""
        total, strong = 0, bold or bool(inline.bold)
        for line in inline.text.plain.split("\n"):
            filled, count = 0.0, 1
            for word in _words(line):
                long = self.width(word, size, strong)
                bare = self.width(word.rstrip(), size, strong)
                if filled and filled + bare > width:
                    count, filled = count + 1, 0.0
                if bare > width:
                    more = math.ceil(bare / width) - 1
                    count, filled = count + more, bare - more * width
                else:
                    filled += long
            total += count
        return total

    def longest(self, inline: Inline, size: float, bold: bool = False) -> float:
        """The width of its longest word."""
        words = (word.rstrip() for line in inline.text.plain.split("\n") for word in _words(line))
        return max((self.width(word, size, bold or bool(inline.bold)) for word in words), default=0.0)


def _words(line: str) -> Iterator[str]:
    """Its words with the space after each; broad letters stand alone, as lines break between them."""
    word = ""
    for char in line:
        broad = unicodedata.east_asian_width(char) in "WF"
        if broad and word:
            yield word
            word = ""
        word += char
        if broad or char == " ":
            yield word
            word = ""
    if word:
        yield word
