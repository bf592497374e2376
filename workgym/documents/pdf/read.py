"""PDF files, read by PDFium: ``p1l14`` is a visual line of a page's text layer, from its top.

Characters on one baseline make a line, whatever order the file draws them in. Parts of a line that stand wide apart
are joined by two spaces, and ``edges`` keeps where each stands, so that the columns of a table can be told apart.

Beside the lines: ``p1.hidden1`` text that nobody sees (invisible, or white on white), ``p1.comment1`` and ``p1.link1``
annotations, ``p1.note1`` text that was put on the page as a remark, ``field.Name`` form fields, ``attachment1`` names
of embedded files, ``property.Title`` metadata. A page that shows pictures and has no text layer stands in
``Document.pictures``: see :mod:`workgym.documents.image.recognition`. Embedded files are named and not read; XFA forms
and the text inside drawings of annotations are not.
"""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

import pypdfium2
import pypdfium2.raw as pdfium
from PIL import Image

from workgym.documents.limits import LIMITS, check
from workgym.documents.model import Document, Fragment
from workgym.documents.pdf.lines import Word, fragments, lines
from workgym.documents.pdf.parts import Parts
from workgym.documents.pdf.pdfium import opened, pictured, wants_password
from workgym.errors import Unreadable

_LINE_END_HYPHEN = 0x02  # PDFium's sign for a hyphen that ends a line
_SCALE = 0.5  # pixels for a point, for looking at what lies under white text
_LARGEST = 4000.0
"""Points of a page's longer side beyond which white text is taken as it is."""


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
        page = _page(path, pdf, number - 1)
        characters += page.characters
        check(path, characters, LIMITS.page_characters, "characters")
        found += fragments(page.seen, number)
        for at, line in enumerate(lines(page.unseen), 1):
            found.append(Fragment(at=f"p{number}.hidden{at}", text=line.text, hidden=True))
        if page.is_picture:
            pictures.append(f"p{number}")
        found += parts.annotations(number)
        check(path, len(found), LIMITS.lines, "lines")
    found += parts.document()
    check(path, len(found), LIMITS.lines, "lines")
    return Document(path=path, format="pdf", fragments=tuple(found), pictures=tuple(pictures))


def _page(path: str, pdf: Any, index: int) -> _Page:
    """The words of a page with their boxes, and its characters; only a word's first and last one are measured."""
    page = pdf[index]
    layer = page.get_textpage()
    try:
        count = pdfium.FPDFText_CountChars(layer.raw)
        check(path, count, LIMITS.page_characters, "characters")
        words = _words(layer.raw, count)
        modes = [_mode(layer.raw, first) for first, _ in words]
        # Text recognition lays invisible text over the picture of a page: it is what people see there.
        covered = (not words or "invisible" in modes) and _pictures(page)
        white = [word for (_, word), mode in zip(words, modes, strict=True) if mode == "white"]
        lost = _lost(pdf, index, page, white) if white else set[int]()
        seen, unseen = list[Word](), list[Word]()
        for (_, word), mode in zip(words, modes, strict=True):
            hidden = (mode == "invisible" and not covered) or (mode == "white" and id(word) in lost)
            (unseen if hidden else seen).append(word)
        return _Page(seen, unseen, count, bool(covered) and not words)
    finally:
        layer.close()
        page.close()


def _words(handle: Any, count: int) -> list[tuple[int, Word]]:
    code_of = pdfium.FPDFText_GetUnicode
    words: list[tuple[int, Word]] = []
    start = 0
    letters: list[int] = []
    for i in range(count + 1):
        code = code_of(handle, i) if i < count else 32
        if code > 32 and code not in (0xA0, 0xFFFE, 0x2029):
            if not letters:
                start = i
            letters.append(code)
        elif code in (0xA0,) and letters:
            letters.append(code)
        elif code == _LINE_END_HYPHEN:
            first = start if letters else i
            words.append((first, _measured(handle, first, i, [*letters, ord("-")])))
            letters = []
        elif letters:
            words.append((start, _measured(handle, start, i - 1, letters)))
            letters = []
    return words


def _measured(handle: Any, first: int, last: int, codes: list[int]) -> Word:
    box = pdfium.FS_RECTF()
    pdfium.FPDFText_GetLooseCharBox(handle, first, box)
    left, height = box.left, abs(box.top - box.bottom)
    if last != first:
        pdfium.FPDFText_GetLooseCharBox(handle, last, box)
    x, y = ctypes.c_double(), ctypes.c_double()
    pdfium.FPDFText_GetCharOrigin(handle, first, x, y)
    text = "".join(map(chr, codes)) if max(codes) < 0xD800 else _utf16(codes)
    return Word(left, box.right, y.value, height, text)


def _utf16(codes: list[int]) -> str:
    """PDFium gives characters beyond the basic plane as surrogate pairs."""
    kept = (code if code <= 0x10FFFF else 0xFFFD for code in codes)
    units = b"".join(code.to_bytes(2, "little") if code < 0x10000 else chr(code).encode("utf-16-le") for code in kept)
    return units.decode("utf-16-le", "replace")


def _mode(handle: Any, index: int) -> str:
    """How a character is drawn: ``invisible``, ``white`` or ``seen``."""
    drawn = pdfium.FPDFText_GetTextObject(handle, index)
    if drawn and pdfium.FPDFTextObj_GetTextRenderMode(drawn) == pdfium.FPDF_TEXTRENDERMODE_INVISIBLE:
        return "invisible"
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    if pdfium.FPDFText_GetFillColor(handle, index, red, green, blue, alpha):
        if alpha.value == 0:
            return "invisible"
        if min(red.value, green.value, blue.value) >= 250:
            return "white"
    return "seen"


def _pictures(page: Any) -> bool:
    """Whether pictures take half of a page or more."""
    width, height = page.get_size()
    area = 0.0
    for drawn in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE], max_depth=4):
        left, low, right, high = drawn.get_bounds()
        area += max(0.0, min(right, width) - max(left, 0)) * max(0.0, min(high, height) - max(low, 0))
    return bool(area >= 0.5 * width * height > 0)


def _lost(pdf: Any, index: int, page: Any, white: list[Word]) -> set[int]:
    """Those of some white words that stand on white ground, by identity."""
    width, height = page.get_size()
    if max(width, height) > _LARGEST or min(width, height) < 1:
        return set()
    ground = pictured(pdf, index, _SCALE).convert("L")
    return {id(word) for word in white if _on_white(ground, word, height)}


def _on_white(ground: Image.Image, word: Word, height: float) -> bool:
    left, right = int(word.left * _SCALE) - 1, int(word.right * _SCALE) + 1
    top, low = int((height - word.base - word.height) * _SCALE), int((height - word.base) * _SCALE) + 1
    box = (max(left, 0), max(top, 0), min(right, ground.width), min(low, ground.height))
    if box[0] >= box[2] or box[1] >= box[3]:
        return True
    return min(ground.crop(box).tobytes()) >= 240
