"""The text layer of a page as PDFium finds it: words, where each is drawn, and whether it is drawn at all."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from itertools import repeat
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from workgym.documents.pdf.lines import Word

_BEYOND = 0xFFFD
"""What stands for a code that no character has."""
_WORD = re.compile("[^\x00-\x20\xa0\ufffe\u2029][^\x00-\x20\ufffe\u2029]*\x02?|\x02")
"""Letters with the hard blanks between and behind them; U+0002 is PDFium's sign for a hyphen that ends a line."""
_HIGH = re.compile("[\ud800-\U0010ffff]")


class Drawn(NamedTuple):
    """A word and where it is drawn."""

    first: int
    """Number of its first character on the page."""
    word: Word
    box: tuple[float, float, float, float]
    """Left, bottom, right and top, in points of the page's own space."""
    size: float
    """The longer side of its first character's box: some more than the size of its letters."""


class Layer:
    """The text layer of one page. PDFium answers for one character at a time: it is asked as little as possible."""

    def __init__(self, handle: Any) -> None:
        self._handle = handle
        self.count = int(pdfium.FPDFText_CountChars(handle))
        self._box = pdfium.FS_RECTF()
        self._x, self._y = ctypes.c_double(), ctypes.c_double()
        self._invisible: dict[int | None, bool] = {None: False}

    def words(self) -> Iterator[Drawn]:
        """Its words in the order in which the file draws them; only the first and last character of one is measured."""
        for match in _WORD.finditer(self._text()):
            text = match[0].replace("\x02", "-")
            yield self._measured(match.start(), match.end() - 1, _joined(text) if _HIGH.search(text) else text)

    def _text(self) -> str:
        """A sign for each of its characters, all at once where none is left out of that and none takes two."""
        units = ctypes.create_string_buffer(2 * self.count + 2)
        pointer = ctypes.cast(units, ctypes.POINTER(ctypes.c_ushort))
        if self.count > 0 and pdfium.FPDFText_GetText(self._handle, 0, self.count, pointer) == self.count + 1:
            text = units.raw[:-2].decode("utf-16-le", "surrogatepass")
            if not _HIGH.search(text):
                return text
        codes = map(pdfium.FPDFText_GetUnicode, repeat(self._handle), range(self.count))
        return "".join([chr(code if code <= 0x10FFFF else _BEYOND) for code in codes])

    def _measured(self, first: int, last: int, text: str) -> Drawn:
        box = self._box
        pdfium.FPDFText_GetCharOrigin(self._handle, first, self._x, self._y)
        pdfium.FPDFText_GetLooseCharBox(self._handle, first, box)
        left, right, top, low = box.left, box.right, box.top, box.bottom
        height = abs(top - low)
        size = max(height, right - left)
        if last == first:
            around = (left, min(low, top), right, max(top, low))
            return Drawn(first, Word(left, right, self._y.value, height, text), around, size)
        pdfium.FPDFText_GetLooseCharBox(self._handle, last, box)
        begin, end, head, foot = box.left, box.right, box.top, box.bottom
        around = min(left, begin), min(low, top, head, foot), max(right, end), max(low, top, head, foot)
        return Drawn(first, Word(left, end, self._y.value, height, text), around, size)

    def is_invisible(self, index: int) -> bool:
        """Whether a character is not drawn at all: what draws it, draws others in the same way."""
        drawn = pdfium.FPDFText_GetTextObject(self._handle, index)
        address = ctypes.c_void_p.from_buffer(drawn).value
        found = self._invisible.get(address)
        if found is None:
            found = self._invisible[address] = self._asked(drawn, index)
        return found

    def _asked(self, drawn: Any, index: int) -> bool:
        if pdfium.FPDFTextObj_GetTextRenderMode(drawn) == pdfium.FPDF_TEXTRENDERMODE_INVISIBLE:
            return True
        red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
        known = pdfium.FPDFText_GetFillColor(self._handle, index, red, green, blue, alpha)
        return bool(known) and alpha.value == 0


def _joined(text: str) -> str:
    """PDFium gives characters beyond the basic plane as surrogate pairs."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
