"""Fonts of pdf files: widths, and the check that every character has a glyph.

Helvetica and Times are the base fonts of every PDF viewer and cover Windows-1252. Bitstream Vera comes with
reportlab (its licence allows it) and is embedded; it adds Turkish, Croatian and most Czech letters.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from threading import Lock

import reportlab
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

from workgym.materialize.look import PdfFamily
from workgym.materialize.scope import Fault

_FACES: dict[PdfFamily, tuple[str, str]] = {
    "Helvetica": ("Helvetica", "Helvetica-Bold"),
    "Times": ("Times-Roman", "Times-Bold"),
    "Vera": ("Vera", "VeraBd"),
}
_FILES = {"Vera": "Vera.ttf", "VeraBd": "VeraBd.ttf"}
_LOCK = Lock()


@lru_cache(maxsize=1)
def _vera() -> frozenset[int]:
    """The code points of Vera, which is registered on first use."""
    with _LOCK:
        folder = Path(reportlab.__file__).parent / "fonts"
        faces = [TTFont(name, str(folder / file)) for name, file in _FILES.items()]
        for face in faces:
            pdfmetrics.registerFont(face)
    return frozenset(faces[0].face.charToGlyph) & frozenset(faces[1].face.charToGlyph)


@lru_cache(maxsize=4096)
def _unit(char: str, font: str) -> float:
    """Width of a character at size 1; no font is kerned."""
    return float(pdfmetrics.stringWidth(char, font, 1000)) / 1000


class Face:
    """A regular and a bold font."""

    def __init__(self, family: PdfFamily) -> None:
        if family == "Vera":
            _vera()
        self.family = family
        self.regular, self.bold = _FACES[family]
        self.scale = 0.92 if family == "Vera" else 1.05 if family == "Times" else 1.0
        """By how much its letters are set larger, so that all faces look alike in size."""

    def font(self, bold: bool) -> str:
        """The font's name in the file."""
        return self.bold if bold else self.regular

    def width(self, text: str, bold: bool, size: float) -> float:
        """Width in points at ``size``, the scale included."""
        name = self.font(bold)
        return sum(_unit(char, name) for char in text) * size * self.scale


def face_for(family: PdfFamily, text: str) -> Face:
    """The face of a family, or Vera where the text needs more. Raises Fault for a letter that neither has."""
    if family != "Vera":
        try:
            text.encode("cp1252")
            return Face(family)
        except UnicodeEncodeError:
            pass
    known = _vera()
    missing = sorted({char for char in text if ord(char) not in known and char != "\n"})
    if missing:
        shown = ", ".join(f"{char!r} (U+{ord(char):04X})" for char in missing[:5])
        raise Fault(f"no font has a glyph for {shown}: a pdf holds Western European letters")
    return Face("Vera")
