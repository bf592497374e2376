"""The text layer of a page as PDFium finds it: words, where each is drawn, and whether it is drawn at all."""

from __future__ import annotations

import ctypes
import re
from array import array
from collections import deque
from collections.abc import Callable, Iterable
from itertools import groupby, repeat
from operator import itemgetter
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from workgym.documents.pdf.lines import Word

_BEYOND = 0xFFFD
"""What stands for a code that no character has."""
_WORD = re.compile("[^\x00-\x20\xa0\ufffe\u2029][^\x00-\x20\ufffe\u2029]*\x02?|\x02")
"""Letters with the hard blanks between and behind them; U+0002 is PDFium's sign for a hyphen that ends a line."""
_HIGH = re.compile("[\ud800-\U0010ffff]")


_FIRST, _SOURCE = itemgetter(0), itemgetter(3)
_SIDES = 4
"""Of a box: left, top, right and bottom, numbers of four bytes."""


def _plain(function: Any, answer: Any) -> Callable[..., Any]:
    """A function of PDFium that takes a page's text, a number and addresses, as numbers: a third of the time."""
    return ctypes.PYFUNCTYPE(answer, ctypes.c_void_p, ctypes.c_int, *[ctypes.c_void_p] * (len(function.argtypes) - 2))(
        ctypes.cast(function, ctypes.c_void_p).value or 0
    )


_box = _plain(pdfium.FPDFText_GetLooseCharBox, ctypes.c_int)
_origin = _plain(pdfium.FPDFText_GetCharOrigin, ctypes.c_int)
_source = _plain(pdfium.FPDFText_GetTextObject, ctypes.c_void_p)


class Drawn(NamedTuple):
    """A word and where it is drawn."""

    first: int
    """Number of its first character on the page."""
    word: Word
    size: float
    """The longer side of its first character's box: some more than the size of its letters."""
    source: int | None
    """What draws its first character, or None where nothing does."""
    left: float
    """Its box, in points of the page's own space."""
    low: float
    right: float
    top: float


_word: Callable[[type[Word], tuple[Any, ...]], Word] = tuple.__new__  # half the time of a call with each field
_drawn: Callable[[type[Drawn], tuple[Any, ...]], Drawn] = tuple.__new__


class Layer:
    """The text layer of one page. PDFium answers for one character at a time: it is asked as little as possible."""

    def __init__(self, handle: Any) -> None:
        self._handle = handle
        self._address = ctypes.cast(handle, ctypes.c_void_p).value
        self._colour = [ctypes.c_uint() for _ in "rgba"]
        self.count = int(pdfium.FPDFText_CountChars(handle))

    def words(self) -> list[Drawn]:
        """Its words in the order in which the file draws them; only the first and last character of one is measured."""
        text = self._text()
        found = list(_WORD.finditer(text))
        firsts = [match.start() for match in found]
        head, foot = self._boxes(firsts), self._boxes([match.end() - 1 for match in found])
        sources = list(map(_source, repeat(self._address), firsts))
        bases = self._bases(firsts, sources)
        texts: Iterable[str] = [match[0] for match in found]
        if not text.isascii() or "\x02" in text:
            texts = map(_said, texts)
        made: list[Drawn] = []
        for first, said, source, base, left, top, right, low, begin, over, end, under in zip(
            firsts, texts, sources, bases, *head, *foot, strict=True
        ):
            height, size = abs(top - low), right - left
            if size < height:
                size = height
            word = _word(Word, (left, end, base, height, said))
            if top != over or low != under:
                low, top = min(low, top, over, under), max(low, top, over, under)
            elif low > top:
                low, top = top, low
            if begin < left:
                left = begin
            if right < end:
                right = end
            made.append(_drawn(Drawn, (first, word, size, source, left, low, right, top)))
        return made

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

    def _boxes(self, indices: list[int]) -> list[array[float]]:
        """Left, top, right and bottom of characters, each for all of them."""
        sides = array("f", bytes(_SIDES * 4 * len(indices)))
        start, _ = sides.buffer_info()
        places = range(start, start + _SIDES * 4 * len(indices), _SIDES * 4)
        deque(map(_box, repeat(self._address), indices, places), maxlen=0)
        return [sides[side::_SIDES] for side in range(_SIDES)]

    def _bases(self, indices: list[int], sources: list[int | None]) -> list[float]:
        """The height of characters over the foot of the page; where the first and the last one that something draws
        in a row stand on one, all do."""
        across, up = ctypes.c_double(), ctypes.c_double()
        left, low = ctypes.addressof(across), ctypes.addressof(up)

        def base(index: int) -> float:
            _origin(self._address, index, left, low)
            return up.value

        found: list[float] = []
        for source, run in groupby(range(len(indices)), key=sources.__getitem__):
            places = [indices[at] for at in run]
            first, last = base(places[0]), base(places[-1])
            even = source is not None and first == last
            found += [first] * len(places) if even else map(base, places)
        return found

    def invisible(self, words: list[Drawn]) -> set[int | None]:
        """Of what draws words, that which is not drawn at all."""
        known = dict(zip(map(_SOURCE, words), map(_FIRST, words), strict=True))
        return {source for source, first in known.items() if source is not None and self._asked(first)}

    def _asked(self, index: int) -> bool:
        drawn = pdfium.FPDFText_GetTextObject(self._handle, index)
        if pdfium.FPDFTextObj_GetTextRenderMode(drawn) == pdfium.FPDF_TEXTRENDERMODE_INVISIBLE:
            return True
        known = pdfium.FPDFText_GetFillColor(self._handle, index, *self._colour)
        return bool(known) and self._colour[3].value == 0


def _said(text: str) -> str:
    """A word as it is read: with a hyphen at a line's end, and the characters beyond the basic plane."""
    if text.isascii():
        return text.replace("\x02", "-")
    text = text.replace("\x02", "-")
    return _joined(text) if _HIGH.search(text) else text


def _joined(text: str) -> str:
    """PDFium gives characters beyond the basic plane as surrogate pairs."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
