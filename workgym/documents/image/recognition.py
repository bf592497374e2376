"""Text in pictures: RapidOCR (Apache-2.0) on ONNX Runtime (MIT), in a limited child; both come with ``workgym[ocr]``.

Readers leave pages that are pictures in ``Document.pictures``. What is recognised there becomes lines as those of a
page, ``p1l14`` with edges, and the page moves to ``Document.recognised``: its text may have wrong signs and blanks.
The models lie in RapidOCR's wheel and read Latin letters, digits, Chinese and Japanese; nothing is downloaded.
"""

from __future__ import annotations

import base64
import importlib.util
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, cast

from workgym.documents.limits import LIMITS, check
from workgym.documents.model import Document
from workgym.documents.pdf.lines import Word, fragments
from workgym.errors import ChildFailed, MissingExtra, Unreadable
from workgym.sandbox.child import JobLimits, run

_TASK = "workgym.documents.image.ocr:recognise_json"
_MEMORY_MIB = 2560


def available() -> bool:
    """Whether the extra is installed."""
    return all(importlib.util.find_spec(name) is not None for name in ("rapidocr", "onnxruntime"))


Words = Mapping[str, Mapping[str, list[list[Any]]]]
"""By path of a file and by page: left, right, base, height and text of each stretch that was recognised there."""


def recognised(document: Document, content: bytes) -> Document:
    """A document, and the files that it holds, with the text of its pictures.

    Raises :class:`MissingExtra` where a page is a picture and the extra is not installed, and :class:`Unreadable`
    where a picture is over a limit.
    """
    return with_words(document, words(document, content))


def words(document: Document, content: bytes) -> Words:
    """What is recognised in the pictures of a document and of the files that it holds. Raises as above."""
    shown = [inner for inner in document.whole() if inner.pictures]
    if shown and not available():
        raise MissingExtra("RapidOCR, which reads text in pictures,", "ocr")
    return {inner.path: _words(document.path, content, inner.path, inner.pictures) for inner in shown}


def shows_pictures(document: Document) -> bool:
    """Whether a page of it, or of a file that it holds, is a picture that was not looked at."""
    return any(inner.pictures for inner in document.whole())


def with_words(document: Document, found: Words) -> Document:
    """A document with what was recognised in it; pages of which nothing is known stay pictures."""
    inner = tuple(with_words(member, found) for member in document.members)
    pages = {page: stretches for page, stretches in found.get(document.path, {}).items() if page in document.pictures}
    lines = {page: fragments((Word(*word) for word in pages[page]), int(page[1:])) for page in pages}
    seen = [fragment for page in sorted(lines, key=lambda page: int(page[1:])) for fragment in lines[page]]
    return document.model_copy(
        update={
            "fragments": (*seen, *document.fragments),
            "members": inner,
            "pictures": tuple(page for page in document.pictures if page not in lines),
            "recognised": (*document.recognised, *lines),
        }
    )


@lru_cache(maxsize=64)
def _words(holder: str, content: bytes, path: str, pages: tuple[str, ...]) -> dict[str, list[list[Any]]]:
    """The words on pages of the file at ``path``, in the file ``holder``; the child finds it there, not the host."""
    check(path, len(pages), LIMITS.pictures, "pages that are pictures")
    limits = JobLimits(memory_mib=_MEMORY_MIB, cpu_seconds=60 + 40 * len(pages), wall_seconds=120.0 + 80 * len(pages))
    payload = {"holder": holder, "content": base64.b64encode(content).decode(), "path": path, "pages": list(pages)}
    try:
        answer = run(_TASK, payload, preload=("rapidocr", "onnxruntime"), limits=limits)
    except ChildFailed as error:
        reason = "corrupt" if error.kind in ("crash", "error") else "over-limit"
        raise Unreadable(path, reason, f"recognising it ended its process: {error.kind}, {error.detail}") from error
    if "reason" in answer:
        raise Unreadable(path, answer["reason"], answer["detail"])
    return cast("dict[str, list[list[Any]]]", answer["pages"])
