"""PDFium for readers and for pictures of pages: one thread at a time, and with its own fonts only.

PDFium keeps global state. What a file does not embed it would take from the fonts of the machine; without them pages
look, and measure, the same everywhere: the base fonts have substitutes inside PDFium.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium
from PIL import Image

_LOCK = threading.Lock()


class _NoFonts(pypdfium2.PdfSysfontBase):  # type: ignore[misc] # pypdfium2 has no types
    """Knows no font of the system."""

    def EnumFonts(self, _: Any, mapper: Any) -> None:
        """No fonts."""

    def MapFont(self, *_: Any) -> None:
        """No font."""

    def GetFont(self, *_: Any) -> None:
        """No font."""


@lru_cache(maxsize=1)
def _closed() -> None:
    logging.getLogger("pypdfium2").setLevel(logging.ERROR)
    if pypdfium2.PdfSysfontBase.SINGLETON is None:
        _NoFonts().setup()


@contextmanager
def opened(content: bytes) -> Iterator[Any]:
    """A PDF as pypdfium2 opens it, closed afterwards; no other thread uses PDFium meanwhile.

    Raises ``pypdfium2.PdfiumError``.
    """
    with _LOCK:
        _closed()
        pdf = pypdfium2.PdfDocument(content)
        try:
            yield pdf
        finally:
            pdf.close()


def wants_password(error: Exception) -> bool:
    """Whether that is why a file did not open."""
    return bool(pdfium.FPDF_GetLastError() == pdfium.FPDF_ERR_PASSWORD) or "password" in str(error).lower()


def pictured(pdf: Any, index: int, scale: float) -> Image.Image:
    """A page of an opened PDF in colour, ``scale`` pixels for a point. Raises ``pypdfium2.PdfiumError``."""
    page = pdf[index]
    try:
        return drawn(page, scale)
    finally:
        page.close()


def drawn(page: Any, scale: float) -> Image.Image:
    """An open page in colour, ``scale`` pixels for a point. Raises ``pypdfium2.PdfiumError``."""
    # In this order and with a byte left over pixels are taken as they are: the same picture in two thirds of the time.
    bitmap = page.render(scale=scale, may_draw_forms=False, prefer_bgrx=True, rev_byteorder=True)
    picture: Image.Image = bitmap.to_pil().convert("RGB")
    bitmap.close()
    return picture
