"""PDF files, read by PDFium: ``p1l14`` is a visual line of a page's text layer, from its top.

Characters on one baseline make a line, whatever order the file draws them in. Parts of a line that stand wide apart
are joined by two spaces, and ``edges`` keeps where each stands, so that the columns of a table can be told apart.

Beside the lines: ``p1.hidden1`` text that nobody sees: invisible, off the page, under something else, in the colour of
its ground, in a layer that is off (nothing is drawn where it stands, when the page is drawn), or of less than 4 points.
Letters beyond Latin, Greek and Cyrillic are taken to be seen, since a font that a file does not embed may be missing
here. ``p1.comment1`` and ``p1.link1`` are annotations, ``p1.note1`` text that was put on the page as a remark,
``field.Name`` form fields, ``attachment1`` names of embedded files, ``property.Title`` metadata. A page that shows
pictures and has no text layer stands in ``Document.pictures``: see :mod:`workgym.documents.image.recognition`. Embedded
files are named and not read; XFA forms and the text inside drawings of annotations are not.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

import pypdfium2
import pypdfium2.raw as pdfium
from PIL import Image

from workgym.documents import visibility as ink
from workgym.documents.limits import LIMITS, check
from workgym.documents.model import Document, Fragment
from workgym.documents.pdf import streams
from workgym.documents.pdf.layer import Drawn, Layer
from workgym.documents.pdf.lines import Word, fragments, lines
from workgym.documents.pdf.parts import Parts
from workgym.documents.pdf.pdfium import drawn, opened, wants_password
from workgym.errors import Unreadable

_SCALE = 0.5  # pixels for a point, for looking at what is drawn where a word stands
_LARGEST = 4000.0
"""Points of a page's longer side beyond which words are taken to be seen."""
_MOST = 20_000
"""Drawings on a page beyond which words are taken to be seen: nothing stops PDFium in the midst of a page."""
_CONTRAST = 8
"""Of 255 in one channel, between the brightest and the darkest pixel of a word: F2F2F2 on white is no text."""
_INK, _PAPER = 0, 255
_MARKS = bytes(_INK if grey <= 240 else _PAPER if grey >= 240 + _CONTRAST else 1 for grey in range(256))
"""What can be told apart at a glance; the rest is neither."""
_UNIT, _FINER = 100.0, 1000
_ALPHABETS = 0x0530
"""The first letter that substitutes of fonts may lack."""


class _Page(NamedTuple):
    seen: list[Word]
    unseen: list[Word]
    characters: int
    is_picture: bool


def read(path: str, content: bytes) -> Document:
    """Read the text layer and what else says something. Raises :class:`Unreadable`."""
    check(path, len(content), LIMITS.file_bytes, "bytes")
    if b"%PDF-" not in content[:1024]:
        raise Unreadable(path, "corrupt" if content.strip() else "truncated", "it is not a PDF")
    streams.count(path, content)
    try:
        with opened(content) as pdf:
            return _document(path, pdf)
    except pypdfium2.PdfiumError as error:
        if wants_password(error):
            raise Unreadable(path, "encrypted", "it is protected by a password") from error
        reason = "corrupt" if b"%%EOF" in content[-2048:] else "truncated"
        raise Unreadable(path, reason, f"PDFium cannot open it ({error})") from error
    except (ValueError, OverflowError, ctypes.ArgumentError) as error:
        raise Unreadable(path, "corrupt", f"it holds what no PDF may hold ({type(error).__name__})") from error


def _document(path: str, pdf: Any) -> Document:
    check(path, len(pdf), LIMITS.pages, "pages")
    found: list[Fragment] = []
    pictures: list[str] = []
    characters = 0
    parts = Parts(path, pdf)
    for number in range(1, len(pdf) + 1):
        sheet = pdf[number - 1]
        try:
            page = _page(path, sheet)
            characters += page.characters
            check(path, characters, LIMITS.page_characters, "characters")
            found += fragments(page.seen, number)
            for at, line in enumerate(lines(page.unseen), 1):
                found.append(Fragment(at=f"p{number}.hidden{at}", text=line.text, hidden=True))
            if page.is_picture:
                pictures.append(f"p{number}")
            found += parts.annotations(sheet, number)
        finally:
            sheet.close()
        check(path, len(found), LIMITS.lines, "lines")
    found += parts.document()
    check(path, len(found), LIMITS.lines, "lines")
    return Document(path=path, format="pdf", fragments=tuple(found), pictures=tuple(pictures))


def _page(path: str, page: Any) -> _Page:
    """The words of an open page, and how many characters it has."""
    layer = page.get_textpage()
    try:
        text = Layer(layer.raw)
        check(path, text.count, LIMITS.page_characters, "characters")
        words = text.words()
        invisible = text.invisible(words)
        # Text recognition lays invisible text over the picture of a page: it is what people see there.
        covered = (not words or bool(invisible)) and _pictures(page)
        lost = _lost(page, words)
        seen, unseen = list[Word](), list[Word]()
        absent = invisible if not covered else set[int | None]()
        for first, word, size, source, *_ in words:
            (unseen if size < ink.SMALLEST or first in lost or source in absent else seen).append(word)
        return _Page(seen, unseen, text.count, bool(covered) and not words)
    finally:
        layer.close()


def _pictures(page: Any) -> bool:
    """Whether pictures take half of a page or more."""
    width, height = page.get_size()
    area = 0.0
    for picture in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE], max_depth=4):
        left, low, right, high = picture.get_bounds()
        area += max(0.0, min(right, width) - max(left, 0)) * max(0.0, min(high, height) - max(low, 0))
    return bool(area >= 0.5 * width * height > 0)


def _lost(page: Any, words: list[Drawn]) -> set[int]:
    """The first characters of those words where the drawn page shows nothing."""
    width, height = page.get_size()
    if not words or max(width, height) > _LARGEST or min(width, height) < 1:
        return set()
    if pdfium.FPDFPage_CountObjects(page.raw) > _MOST:
        return set()
    ground = _Ground(page, drawn(page, _SCALE))
    return {one.first for one in ground.blank(words) if max(map(ord, one.word.text)) < _ALPHABETS}


class _Ground:
    """A page as it is drawn, asked about places in the page's own space, whatever its rotation and crop."""

    def __init__(self, page: Any, picture: Image.Image) -> None:
        self.picture, self.grey = picture, picture.convert("L")
        self._width, self._height = self.grey.size
        self._pixels = self.grey.tobytes()
        self._marked = self._pixels.translate(_MARKS)
        origin, right, up = (_device(page, picture, x, y) for x, y in ((0, 0), (_UNIT, 0), (0, _UNIT)))
        self._origin = origin
        self._across = (right[0] - origin[0]) / _UNIT, (right[1] - origin[1]) / _UNIT
        self._up = (up[0] - origin[0]) / _UNIT, (up[1] - origin[1]) / _UNIT

    def blank(self, words: list[Drawn]) -> Iterator[Drawn]:
        """Those words where the page has one colour, and those outside of it."""
        (x0, y0), (ax, ay), (bx, by) = self._origin, self._across, self._up
        width, height, pixels, marked = self._width, self._height, self._pixels, self._marked
        for word in words:
            _, _, _, _, x1, low, x2, high = word
            left, top = int(x0 + x1 * ax + low * bx), int(y0 + x1 * ay + low * by)
            right, foot = int(x0 + x2 * ax + high * bx), int(y0 + x2 * ay + high * by)
            left, right = (left, right) if left < right else (right, left)
            top, foot = (top, foot) if top < foot else (foot, top)
            left, right = left if left > 0 else 0, right + 1 if right < width else width
            top, foot = top if top > 0 else 0, foot + 1 if foot < height else height
            if left >= right or top >= foot:
                yield word
                continue
            # Most words are seen as ink on white in the row of pixels through their middle, and that is found fastest.
            start = (top + foot) // 2 * width
            middle = marked[start + left : start + right]
            if _INK in middle and _PAPER in middle:
                continue
            middle = pixels[start + left : start + right]
            if max(middle) - min(middle) < _CONTRAST and self._is_even((left, top, right, foot)):
                yield word

    def _is_even(self, box: tuple[int, int, int, int]) -> bool:
        dark, bright = cast("tuple[int, int]", self.grey.crop(box).getextrema())
        if bright - dark >= _CONTRAST:
            return False
        bands = cast("tuple[tuple[int, int], ...]", self.picture.crop(box).getextrema())
        return all(bright - dark < _CONTRAST for dark, bright in bands)


def _device(page: Any, picture: Image.Image, x: float, y: float) -> tuple[float, float]:
    """A point of the page's own space in pixels of its picture; PDFium gives whole ones, of a finer picture here."""
    across, down = ctypes.c_int(), ctypes.c_int()
    size = picture.width * _FINER, picture.height * _FINER
    pdfium.FPDF_PageToDevice(page.raw, 0, 0, *size, 0, x, y, across, down)
    return across.value / _FINER, down.value / _FINER
