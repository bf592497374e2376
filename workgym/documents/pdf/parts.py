"""What a PDF says outside the text of its pages: annotations, form fields, embedded files, metadata."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pypdfium2.raw as pdfium

from workgym.documents.limits import LIMITS, check
from workgym.documents.model import Fragment

_PROPERTIES = ("Title", "Author", "Subject", "Keywords")
_LONGEST = 1 << 20
"""Bytes of one text."""
_SHOWN = frozenset({pdfium.FPDF_ANNOT_FREETEXT, pdfium.FPDF_ANNOT_STAMP})
"""Annotations whose text stands on the page for all to see."""
_SILENT = frozenset({pdfium.FPDF_ANNOT_LINK, pdfium.FPDF_ANNOT_WIDGET, pdfium.FPDF_ANNOT_POPUP})
_BUTTONS = frozenset({pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON})


class Parts:
    """Reads them off an opened PDF, page by page and then as a whole."""

    def __init__(self, path: str, pdf: Any) -> None:
        self.path, self.pdf = path, pdf
        self._form: Any = None
        if pdf.get_formtype() in (pdfium.FORMTYPE_ACRO_FORM, pdfium.FORMTYPE_XFA_FOREGROUND):
            pdf.init_forms()
            self._form = pdf.formenv
        self._seen: dict[str, int] = {}

    def annotations(self, page: Any, number: int) -> Iterator[Fragment]:
        """Remarks, links and form fields of an open page, whose number counts from 1."""
        count = pdfium.FPDFPage_GetAnnotCount(page.raw)
        check(self.path, count, LIMITS.lines, "annotations")
        counts = dict.fromkeys(("comment", "note", "link"), 0)
        for index in range(count):
            annotation = pdfium.FPDFPage_GetAnnot(page.raw, index)
            if not annotation:
                continue
            try:
                made = self._annotation(annotation, number, counts)
            finally:
                pdfium.FPDFPage_CloseAnnot(annotation)
            if made is not None:
                yield made

    def _annotation(self, annotation: Any, number: int, counts: dict[str, int]) -> Fragment | None:
        kind = pdfium.FPDFAnnot_GetSubtype(annotation)
        if kind == pdfium.FPDF_ANNOT_WIDGET:
            return self._field(annotation)
        if kind == pdfium.FPDF_ANNOT_LINK:
            text, name, author = _target(self.pdf, annotation), "link", ""
        elif kind in _SILENT:
            return None
        else:
            name = "note" if kind in _SHOWN else "comment"
            text, author = _entry(annotation, b"Contents"), _entry(annotation, b"T")
        if not text.strip():
            return None
        counts[name] += 1
        at = f"p{number}.{name}{counts[name]}"
        return Fragment(at=at, text=text, label=author or None, hidden=name != "note")

    def _field(self, annotation: Any) -> Fragment | None:
        if self._form is None:
            return None
        handle = self._form.raw
        name = _text(partial(pdfium.FPDFAnnot_GetFormFieldName, handle, annotation))
        text = _text(partial(pdfium.FPDFAnnot_GetFormFieldValue, handle, annotation))
        if pdfium.FPDFAnnot_GetFormFieldType(handle, annotation) in _BUTTONS:
            if not pdfium.FPDFAnnot_IsChecked(handle, annotation):
                return None
            text = text or "yes"
        if not text.strip():
            return None
        again = self._seen[name] = self._seen.get(name, 0) + 1
        return Fragment(at=f"field.{name}" + (f".{again}" if again > 1 else ""), text=text, label=name or None)

    def document(self) -> Iterator[Fragment]:
        """Names of embedded files, and metadata."""
        count = pdfium.FPDFDoc_GetAttachmentCount(self.pdf.raw)
        check(self.path, count, LIMITS.members, "embedded files")
        for index in range(count):
            file = pdfium.FPDFDoc_GetAttachment(self.pdf.raw, index)
            name = _text(partial(pdfium.FPDFAttachment_GetName, file))
            if name:
                yield Fragment(at=f"attachment{index + 1}", text=name, label="attachment", hidden=True)
        for key in _PROPERTIES:
            text = _text(partial(pdfium.FPDF_GetMetaText, self.pdf.raw, key.encode()))
            if text:
                yield Fragment(at=f"property.{key}", text=text, label=key, hidden=True)


def _text(call: Callable[[Any, int], int]) -> str:
    """A text that PDFium gives as UTF-16 with its end, by asking for its length first."""
    size = int(call(None, 0))
    if not 2 < size <= _LONGEST:
        return ""
    buffer = ctypes.create_string_buffer(size + 2)
    call(ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), size)
    return buffer.raw[: size - 2].decode("utf-16-le", "replace").replace("\r\n", "\n").replace("\r", "\n").strip("\0")


def _entry(annotation: Any, key: bytes) -> str:
    return _text(partial(pdfium.FPDFAnnot_GetStringValue, annotation, key))


def _target(pdf: Any, annotation: Any) -> str:
    """Where a link leads to, if that is an address."""
    link = pdfium.FPDFAnnot_GetLink(annotation)
    action = pdfium.FPDFLink_GetAction(link) if link else None
    if not action:
        return ""
    size = int(pdfium.FPDFAction_GetURIPath(pdf.raw, action, None, 0))
    if not 1 < size <= _LONGEST:
        return ""
    buffer = ctypes.create_string_buffer(size)
    pdfium.FPDFAction_GetURIPath(pdf.raw, action, buffer, size)
    return buffer.value.decode("utf-8", "replace")
