"""Fonts of pdf files and pictures: widths, and which font has the glyph of a character.

Helvetica and Times are the base fonts of every PDF viewer and cover Windows-1252. Bitstream Vera comes with
reportlab (its licence allows it) and is embedded; it adds Turkish, Croatian and most Czech letters. What neither has
comes from open fonts of the system (:mod:`workgym.materialize.look.fontfiles`): DejaVu for the other Latin letters,
Greek and Cyrillic, Droid Sans Fallback for Chinese and Japanese, Nanum for Korean. A text whose letters need DejaVu is
set in it as a whole; signs and ideographs among other letters take another font for themselves alone.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from reportlab.pdfbase import pdfmetrics

from workgym.errors import MaterializeError
from workgym.materialize.look.fontfiles import PACKAGES, known, package_of
from workgym.materialize.look.look import PdfFamily
from workgym.materialize.scope import Fault

_STANDARD: dict[str, tuple[str, str]] = {
    "Helvetica": ("Helvetica", "Helvetica-Bold"),
    "Times": ("Times-Roman", "Times-Bold"),
}
_OPEN = {"Vera": ("Vera", "VeraBd"), "DejaVuSans": ("DejaVuSans", "DejaVuSans-Bold")}
_OPEN["DejaVuSerif"] = ("DejaVuSerif", "DejaVuSerif-Bold")
_SPARE = (
    ("DejaVuSans", "DejaVuSans-Bold"),
    ("DroidSansFallbackFull", "DroidSansFallbackFull"),
    ("NanumGothic", "NanumGothicBold"),
)
_SCALES = {"Helvetica": 1.0, "Times": 1.05, "Vera": 0.92, "DejaVuSans": 0.92, "DejaVuSerif": 0.94}
"""By how much the letters of a family are set larger, so that all families look alike in size."""
_LETTERS = 0x2000
"""Below it lie the alphabets; signs, punctuation and ideographs above are set each in a font that has them."""
_UNSHAPED = frozenset({"R", "AL", "AN", "NSM"})
"""Bidirectional classes that need more than one glyph after the other."""


class Run(NamedTuple):
    """A stretch of text in one font."""

    text: str
    font: str
    """Its name in the file."""
    thickened: bool
    """Whether it is bold without a bold font: its outlines are drawn, too."""


@lru_cache(maxsize=16384)
def _unit(char: str, font: str) -> float:
    """Width of a character at size 1; no font is kerned."""
    return float(pdfmetrics.stringWidth(char, font, 1000)) / 1000


class Face:
    """A regular and a bold font, and the fonts of the characters that they lack."""

    def __init__(self, family: str, spare: dict[str, tuple[str, str]] | None = None) -> None:
        self.family = family
        self.regular, self.bold = _STANDARD.get(family) or _OPEN[family]
        self.scale = _SCALES[family]
        """By how much its letters are set larger, so that all faces look alike in size."""
        self._spare = spare or {}

    @property
    def standard(self) -> bool:
        """Whether every viewer has all of its glyphs."""
        return self.family in _STANDARD and not self._spare

    def runs(self, text: str, bold: bool) -> Iterator[Run]:
        """``text`` in stretches of one font each."""
        name = self.bold if bold else self.regular
        if not self._spare:
            yield Run(text, name, False)
            return
        run = own = Run("", name, False)
        for char in text:
            pair = self._spare.get(char)
            wanted = own if pair is None else Run("", pair[bold], bold and pair[0] == pair[1])
            if run[1:] != wanted[1:] and run.text:
                yield run
                run = wanted
            run = wanted._replace(text=run.text + char)
        if run.text:
            yield run

    def width(self, text: str, bold: bool, size: float) -> float:
        """Width in points at ``size``, the scale included."""
        return sum([_unit(char, run.font) for run in self.runs(text, bold) for char in run.text]) * size * self.scale


def face_for(family: PdfFamily, text: str) -> Face:
    """The face of a family, or the nearest one that has every letter of ``text``.

    Raises Fault for a character that no font has or that takes more than setting glyphs in a row, and
    MaterializeError, which names the Debian package, where the font that has it is not installed.
    """
    if family != "Vera":
        try:
            text.encode("cp1252")
            return Face(family)
        except UnicodeEncodeError:
            pass
    chars = set(text) - {"\n"}
    if all(ord(char) in known("Vera") & known("VeraBd") for char in chars):
        return Face("Vera")
    return _wider(family, chars)


def _wider(family: PdfFamily, chars: set[str]) -> Face:
    wild = sorted(char for char in chars if unicodedata.bidirectional(char) in _UNSHAPED)
    if wild:
        raise Fault(f"{_named(wild)} cannot be set: no scripts from right to left, and composed letters (NFC) only")
    serif = "DejaVuSerif" if family == "Times" else "DejaVuSans"
    names = tuple(dict.fromkeys((family, "Vera", serif, "DejaVuSans")))
    lacking = {name: {char for char in chars if not _has(name, char)} for name in names}
    name = next((name for name in names if all(ord(char) >= _LETTERS for char in lacking[name])), names[-1])
    return Face(name, _spares(lacking[name]))


def _has(family: str, char: str) -> bool:
    if family in _STANDARD:
        try:
            return bool(char.encode("cp1252"))
        except UnicodeEncodeError:
            return False
    return all(ord(char) in known(font) for font in _OPEN[family])


def _spares(lacking: set[str]) -> dict[str, tuple[str, str]]:
    """For each character the regular and the bold font that have it."""
    found: dict[str, tuple[str, str]] = {}
    absent: dict[str, str] = {}
    for char in sorted(lacking):
        for pair in _SPARE:
            package = package_of(pair[0], char)
            if package is not None:
                absent.setdefault(package, char)
                break
            if all(ord(char) in known(font) for font in pair):
                found[char] = pair
                break
    if absent:
        package, char = next(iter(absent.items()))
        raise MaterializeError(
            f"{_named([char])} needs a font that is not installed",
            fix=f"install the Debian package {package} ({PACKAGES[package]}) with `apt-get install {package}`",
        )
    missing = sorted(lacking - found.keys())
    if missing:
        raise Fault(f"no font has a glyph for {_named(missing)}")
    return found


def _named(chars: list[str]) -> str:
    return ", ".join(f"{char!r} (U+{ord(char):04X})" for char in chars[:5])
