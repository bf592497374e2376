"""Pictures of papers: scanned forms, photographed notes, charts, as PNG or JPEG.

A picture is one page of what a pdf would be, drawn by PDFium and written by Pillow; its values stand at the lines of
that page, ``p1l14``, where recognition of text finds them. Without letterhead, header, footer or scan it is cut to
what stands on it.
"""

from __future__ import annotations

import io
from collections.abc import Mapping

from PIL import Image, PngImagePlugin

from workgym.materialize.carrier import Job, Rendered, rendered
from workgym.materialize.marks import Marked
from workgym.materialize.page import scan
from workgym.materialize.page.pdf import Paper, composed, confirm, printed
from workgym.materialize.page.typeset import HEIGHT
from workgym.materialize.scope import Fault

_DPI, _QUALITY = 150, 88
_MARGIN = 36.0


def write_png(job: Job, fields: Mapping[str, Marked], body: Marked) -> Rendered:
    """A PNG. Raises Fault as for pdf, and where the text takes more than one page."""
    made, picture, dpi = _picture(job, fields, body)
    info = PngImagePlugin.PngInfo()
    if made.head.title:
        info.add_itxt("Title", made.head.title.plain)
    buffer = io.BytesIO()
    picture.save(buffer, "PNG", dpi=(dpi, dpi), pnginfo=info)
    return rendered(job, buffer.getvalue(), made.anchors(job.path))


def write_jpg(job: Job, fields: Mapping[str, Marked], body: Marked) -> Rendered:
    """A JPEG. Raises Fault as for pdf, and where the text takes more than one page."""
    made, picture, dpi = _picture(job, fields, body)
    return rendered(job, scan.jpeg(picture, dpi, _QUALITY), made.anchors(job.path))


def _picture(job: Job, fields: Mapping[str, Marked], body: Marked) -> tuple[Paper, Image.Image, int]:
    wanted = scan.scan_of(fields)
    whole = wanted is not None or any(fields.get(name) for name in ("letterhead", "header", "footer"))
    made = composed(job, fields, body, framed=whole)
    if len(made.pages) > 1:
        raise Fault(f"a picture is one page, and this takes {len(made.pages)}: make it a pdf with `scan: true`")
    confirm(job, made, printed(job, made))
    dpi = _DPI if wanted is None else wanted.dpi
    picture = scan.drawn(printed(job, made, askew=True), dpi)[0]
    if wanted is not None:
        picture = scan.aged(picture, wanted, job.stamp("scan", "0"))
    if not whole:
        picture = _cut(made, picture, dpi)
    return made, picture, dpi


def _cut(made: Paper, picture: Image.Image, dpi: int) -> Image.Image:
    """The part of a page on which something stands, with a margin."""
    tops = [line.y + line.pieces[0].size for line in made.pages[0].lines]
    top = max(0.0, HEIGHT - max(tops, default=HEIGHT) - _MARGIN)
    low = min(HEIGHT, HEIGHT - made.end + _MARGIN)
    return picture.crop((0, round(top * dpi / 72), picture.width, round(max(low, top + 40) * dpi / 72)))
