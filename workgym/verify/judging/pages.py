"""Pictures of the pages of a deliverable, for judges that take images.

PDFs are drawn by PDFium and pictures decoded by Pillow, both in a limited child. Word, Excel and PowerPoint files are
printed to PDF by LibreOffice in a sandbox (``guest/print.py``) where it is installed; where it is not, or for formats
without pages, the text alone is shown, and the judge and the verdict are told so.
"""

from __future__ import annotations

import base64
import io
import json
import os
import select
import time
from typing import Any, NamedTuple

from PIL import Image, ImageDraw, ImageFont

from workgym.documents.image.read import decoded
from workgym.documents.pdf.pdfium import opened, pictured
from workgym.errors import ChildFailed, SandboxError, Unreadable
from workgym.model import ImageBlock
from workgym.records import by_ending
from workgym.sandbox import bubblewrap
from workgym.sandbox.child import run

MOST = 12
"""Pages of one file that are shown."""
_PIXELS = 1400
"""Longer side of a page: text of 8 points can be read, and twelve pages are some 2 MB."""
_TASK = "workgym.verify.judging.pages:draw_json"
_PRINTED = ("docx", "xlsx", "pptx")
_PROGRAM = "/usr/lib/libreoffice/program/soffice.bin"
_PYTHON = "/usr/bin/python3"
_SECONDS, _MEMORY_MIB, _LARGEST = 120.0, 1536, 64 << 20


class Pages(NamedTuple):
    """What is shown beside the text."""

    pictures: tuple[ImageBlock, ...]
    """Pages in order; empty where there are none."""
    note: str
    """How many there are, or why none, as a part of a sentence."""


def pages(path: str, content: bytes) -> Pages:
    """Pictures of a file's pages. Raises :class:`Unreadable` where it has pages and they cannot be drawn."""
    form = by_ending(path)
    name = "" if form is None else form.name
    if name in _PRINTED:
        missing = office_missing()
        if missing:
            return Pages((), f"text only: {missing}")
        content, path = _printed(path, content), f"{path}.pdf"
    elif name not in ("pdf", "png", "jpg"):
        return Pages((), "text only: such a file has no pages")
    try:
        answer = run(_TASK, {"path": path, "content": base64.b64encode(content).decode()}, preload=("pypdfium2",))
    except ChildFailed as error:
        reason = "corrupt" if error.kind in ("crash", "error") else "over-limit"
        raise Unreadable(path, reason, f"drawing its pages ended the process: {error.kind}") from error
    if "reason" in answer:
        raise Unreadable(path, answer["reason"], answer["detail"])
    drawn = tuple(ImageBlock(media_type="image/png", data=str(data)) for data in answer["pictures"])
    count = int(answer["count"])
    return Pages(drawn, f"pictures of {'all' if len(drawn) == count else f'the first {len(drawn)} of'} {count} pages")


def draw_json(payload: dict[str, Any]) -> dict[str, Any]:
    """What the child runs: a PDF or a picture to PNGs in base64, or a refusal."""
    path, content = payload["path"], base64.b64decode(payload["content"])
    try:
        if path.lower().endswith(".pdf"):
            drawn, count = _pdf(path, content)
        else:
            drawn, count = [decoded(path, content)], 1
    except Unreadable as error:
        return {"reason": error.reason, "detail": error.detail}
    return {"pictures": [_png(picture) for picture in drawn], "count": count}


def _pdf(path: str, content: bytes) -> tuple[list[Image.Image], int]:
    import pypdfium2

    try:
        with opened(content) as pdf:
            count = len(pdf)
            drawn = []
            for index in range(min(count, MOST)):
                width, height = pdf.get_page_size(index)
                drawn.append(pictured(pdf, index, min(4.0, _PIXELS / max(width, height, 1.0))))
            return drawn, count
    except (pypdfium2.PdfiumError, ValueError, OverflowError) as error:
        raise Unreadable(path, "corrupt", f"its pages cannot be drawn ({type(error).__name__})") from error


def _png(picture: Image.Image) -> str:
    picture.thumbnail((_PIXELS, _PIXELS))
    out = io.BytesIO()
    picture.save(out, "PNG")
    return base64.b64encode(out.getvalue()).decode()


def text_page(text: str) -> ImageBlock:
    """A page with a text on it, for the exam of judges that take images: lines beyond its end are left out."""
    page = Image.new("RGB", (1000, _PIXELS), "white")
    ImageDraw.Draw(page).multiline_text((30, 30), text, fill="black", font=ImageFont.load_default(size=16))
    return ImageBlock(media_type="image/png", data=_png(page))


def office_missing() -> str:
    """Why office files cannot be printed here; empty where they can."""
    if not os.path.isfile(_PROGRAM):
        return "LibreOffice is not installed"
    try:
        bubblewrap.probe()
    except SandboxError as error:
        return f"LibreOffice has no sandbox here ({error.message})"
    return ""


def _printed(path: str, content: bytes) -> bytes:
    """An office file as PDF. What counts is that a PDF came out, not what the program says of itself."""
    from importlib.resources import files

    script = files("workgym.verify").joinpath("guest/print.py").read_text(encoding="utf-8")
    program = bubblewrap.Program([_PYTHON, "-c", script, str(_MEMORY_MIB)], ["/etc/libreoffice"])
    ending = path.rpartition(".")[2].lower()
    try:
        line = json.dumps({"ending": ending, "content": base64.b64encode(content).decode()}).encode() + b"\n"
        answer = _asked(program, line)
    except (TimeoutError, OSError, EOFError, ValueError) as error:
        detail = f"printing it took LibreOffice too much ({type(error).__name__})"
        raise Unreadable(path, "over-limit", detail) from error
    finally:
        program.stop()
    printed = base64.b64decode(answer.get("pdf") or "")
    if not printed.startswith(b"%PDF-"):
        raise Unreadable(path, "corrupt", f"LibreOffice made no PDF of it ({str(answer.get('failed'))[:120]})")
    return printed


def _asked(program: bubblewrap.Program, line: bytes) -> dict[str, Any]:
    end = time.monotonic() + _SECONDS
    left = memoryview(line)
    while left:
        if not select.select([], [program.sink], [], max(0.0, end - time.monotonic()))[1]:
            raise TimeoutError
        left = left[os.write(program.sink, left[:65536]) :]
    parts: list[bytes] = []
    while not parts or not parts[-1].endswith(b"\n"):
        if not select.select([program.source], [], [], max(0.0, end - time.monotonic()))[0]:
            raise TimeoutError
        part = os.read(program.source, 1 << 20)
        if not part or sum(map(len, parts)) > _LARGEST:
            raise EOFError
        parts.append(part)
    answer = json.loads(b"".join(parts))
    if not isinstance(answer, dict):
        raise ValueError("no answer")
    return answer
