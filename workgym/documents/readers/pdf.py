"""PDF text layers, read by PDFium: ``p1l14`` is a visual line of a page, from its top.

Characters on one baseline make a line, whatever order the file draws them in. Parts of a line that stand wide apart
are joined by two spaces, and ``edges`` keeps where each stands, so that the columns of a table can be told apart.
"""

from __future__ import annotations

import ctypes
import threading
from itertools import pairwise
from typing import Any, NamedTuple

import pypdfium2
import pypdfium2.raw as pdfium

from workgym.documents.limits import LIMITS, check
from workgym.documents.model import Document, Fragment
from workgym.errors import Unreadable

_PDFIUM = threading.Lock()  # PDFium keeps global state and allows one thread at a time
_WIDE = 0.8  # of the line's height: between a stretched word space (0.6) and the padding of a narrow cell (1.1)
_LINE_END_HYPHEN = 0x02  # PDFium's sign for a hyphen that ends a line
_PROPERTIES = ("Title", "Author", "Subject", "Keywords")


class _Word(NamedTuple):
    """Characters without a blank between them."""

    left: float
    right: float
    base: float
    height: float
    text: str


class _Line(NamedTuple):
    text: str
    edges: tuple[tuple[float, float], ...]


def read(path: str, content: bytes) -> Document:
    """Read the text layer. Raises :class:`Unreadable`."""
    check(path, len(content), LIMITS.file_bytes, "bytes")
    if b"%PDF-" not in content[:1024]:
        raise Unreadable(path, "corrupt" if content.strip() else "truncated", "it is not a PDF")
    with _PDFIUM:
        try:
            pdf = pypdfium2.PdfDocument(content)
        except pypdfium2.PdfiumError as error:
            if pdfium.FPDF_GetLastError() == pdfium.FPDF_ERR_PASSWORD or "password" in str(error).lower():
                raise Unreadable(path, "encrypted", "it is protected by a password") from error
            reason = "corrupt" if b"%%EOF" in content[-2048:] else "truncated"
            raise Unreadable(path, reason, f"PDFium cannot open it ({error})") from error
        try:
            check(path, len(pdf), LIMITS.pages, "pages")
            fragments: list[Fragment] = []
            characters = 0
            for number in range(1, len(pdf) + 1):
                words, count = _words(path, pdf, number - 1)
                characters += count
                check(path, characters, LIMITS.page_characters, "characters")
                for row, line in enumerate(_lines(words), 1):
                    fragments.append(
                        Fragment(at=f"p{number}l{row}", text=line.text, table=f"p{number}", row=row, edges=line.edges)
                    )
                check(path, len(fragments), LIMITS.lines, "lines")
            for key in _PROPERTIES:
                text = pdf.get_metadata_value(key)
                if text:
                    fragments.append(Fragment(at=f"property.{key}", text=text, label=key, hidden=True))
        except pypdfium2.PdfiumError as error:
            raise Unreadable(path, "corrupt", f"PDFium cannot read a page ({error})") from error
        finally:
            pdf.close()
    return Document(path=path, format="pdf", fragments=tuple(fragments))


def _words(path: str, pdf: Any, index: int) -> tuple[list[_Word], int]:
    """The words of a page with their boxes, and its characters; only a word's first and last one are measured."""
    page = pdf[index]
    layer = page.get_textpage()
    handle = layer.raw
    code_of = pdfium.FPDFText_GetUnicode
    words: list[_Word] = []
    start = 0
    letters: list[int] = []
    count = pdfium.FPDFText_CountChars(handle)
    check(path, count, LIMITS.page_characters, "characters")
    for i in range(count + 1):
        code = code_of(handle, i) if i < count else 32
        if code > 32 and code not in (0xA0, 0xFFFE, 0x2029):
            if not letters:
                start = i
            letters.append(code)
        elif code in (0xA0,) and letters:
            letters.append(code)
        elif code == _LINE_END_HYPHEN:
            words.append(_measured(handle, start if letters else i, i, [*letters, ord("-")]))
            letters = []
        elif letters:
            words.append(_measured(handle, start, i - 1, letters))
            letters = []
    layer.close()
    page.close()
    return words, count


def _measured(handle: Any, first: int, last: int, codes: list[int]) -> _Word:
    box = pdfium.FS_RECTF()
    pdfium.FPDFText_GetLooseCharBox(handle, first, box)
    left, height = box.left, abs(box.top - box.bottom)
    if last != first:
        pdfium.FPDFText_GetLooseCharBox(handle, last, box)
    x, y = ctypes.c_double(), ctypes.c_double()
    pdfium.FPDFText_GetCharOrigin(handle, first, x, y)
    text = "".join(map(chr, codes)) if max(codes) < 0xD800 else _utf16(codes)
    return _Word(left, box.right, y.value, height, text)


def _utf16(codes: list[int]) -> str:
    """PDFium gives characters beyond the basic plane as surrogate pairs."""
    units = b"".join(code.to_bytes(2, "little") if code < 0x10000 else chr(code).encode("utf-16-le") for code in codes)
    return units.decode("utf-16-le", "replace")


def _lines(words: list[_Word]) -> list[_Line]:
    """Visual lines from the top; words belong together whose baselines differ by less than a third of their height."""
    rows: list[list[_Word]] = []
    for word in sorted(words, key=lambda word: (-word.base, word.left)):
        if rows and rows[-1][0].base - word.base < 0.34 * max(min(rows[-1][0].height, word.height), 1.0):
            rows[-1].append(word)
        else:
            rows.append([word])
    return [_joined(sorted(row, key=lambda word: word.left)) for row in rows]


def _joined(row: list[_Word]) -> _Line:
    text, edges = row[0].text, [(row[0].left, row[0].right)]
    for before, word in pairwise(row):
        gap = word.left - before.right
        if gap > _WIDE * max(before.height, word.height):
            text += "  " + word.text
            edges.append((word.left, word.right))
        else:
            text += (" " if gap > -0.2 * word.height else "") + word.text
            edges[-1] = (edges[-1][0], word.right)
    return _Line(text, tuple((round(left, 1), round(right, 1)) for left, right in edges))
