"""PDF documents: our own layout on reportlab's canvas, so that every visual line, and so every anchor, is known.

What is set in other than the standard fonts, or has a chart, is read back by PDFium, line by line: a glyph that is
missing, or a line that does not say what it should, is an error here. With ``scan`` in the front matter the pages are
pictures of themselves, see :mod:`workgym.materialize.page.scan`; the text layer, where there is one, is invisible then.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from reportlab.pdfgen.canvas import Canvas

from workgym.documents.pdf.read import read
from workgym.errors import MaterializeError
from workgym.materialize.carrier import Job, Rendered, rendered
from workgym.materialize.look import ornament
from workgym.materialize.look.fonts import Face, face_for
from workgym.materialize.look.letterhead import Letterhead, declared, letterhead
from workgym.materialize.marks import Marked
from workgym.materialize.page import chart, paper, scan
from workgym.materialize.page.flow import Flow
from workgym.materialize.page.typeset import HEIGHT, WIDTH, Page, draw
from workgym.materialize.prose import endnotes, parse
from workgym.records import Anchor

FIELDS = ("scan", "stamp", "signature", "chart")
"""Front matter that pdf files and pictures know beside the letterhead."""


@dataclass(frozen=True)
class Paper:
    """A document that is set, before it is put into a file."""

    head: Letterhead
    """What its front matter says."""
    face: Face
    """Its fonts."""
    pages: list[Page]
    """Its pages."""
    end: float
    """How far down the text goes on the last page, in points from the foot."""
    framed: bool
    """Whether its pages have header, footer and number."""

    def anchors(self, path: str) -> Iterator[Anchor]:
        """Where its values stand, by page and line."""
        for number, page in enumerate(self.pages, 1):
            for at, line in enumerate(page.reading(), 1):
                yield from line.anchors(path, f"p{number}l{at}")


def write(job: Job, fields: Mapping[str, Marked], body: Marked) -> Rendered:
    """A document. Raises Fault for unknown front matter or a letter without a glyph."""
    made = composed(job, fields, body)
    wanted = scan.scan_of(fields)
    content = printed(job, made)
    if fields.get("chart") or not made.face.standard:
        confirm(job, made, content)
    if wanted is not None:
        content = _scanned(job, made, wanted)
    return rendered(job, content, made.anchors(job.path))


def composed(job: Job, fields: Mapping[str, Marked], body: Marked, *, framed: bool = True) -> Paper:
    """The pages of a document. Raises Fault."""
    head = letterhead(job, fields, *FIELDS)
    empty = Marked("")
    blocks = endnotes(parse(body))
    name, stamp = declared(fields.get("signature", empty)), declared(fields.get("stamp", empty))
    spec = scan.options(fields["chart"], "chart", chart.KEYS) if fields.get("chart") else None
    everything = [body, head.company, head.header, head.footer, *head.lines, Marked("•"), name, stamp]
    if spec is not None:
        everything += chart.words(job, spec)
    face = face_for(head.look.pdf_family, "".join(text.plain for text in everything))
    flow = Flow(face, head.look, paper.first_top(head))
    for at, block in enumerate(blocks):
        if spec is not None and block.kind != "heading":
            chart.place(flow, job, spec)
            spec = None
        flow.add(block, blocks[at + 1] if at + 1 < len(blocks) else None)
    if spec is not None:
        chart.place(flow, job, spec)
    ornament.signed(flow, name, stamp, job.stamp("stamp"))
    if framed:
        for number, page in enumerate(flow.pages, 1):
            paper.frame(page, head, face, number, len(flow.pages))
    return Paper(head, face, flow.pages, flow.y, framed)


def _canvas(made: Paper) -> tuple[io.BytesIO, Canvas]:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(WIDTH, HEIGHT), invariant=1, pageCompression=1)
    canvas.setTitle(made.head.title.plain)
    canvas.setAuthor(made.head.company.plain)
    canvas.setCreator("")
    return buffer, canvas


def _dated(job: Job, content: bytes) -> bytes:
    return content.replace(b"D:20000101000000", f"D:{job.today:%Y%m%d}000000".encode())


def printed(job: Job, made: Paper, *, askew: bool = False) -> bytes:
    """A paper as a pdf with text; ``askew`` with tilted stamps, for pictures."""
    buffer, canvas = _canvas(made)
    for page in made.pages:
        draw(canvas, page, made.face, askew)
    canvas.save()
    return _dated(job, buffer.getvalue())


def _scanned(job: Job, made: Paper, wanted: scan.Scan) -> bytes:
    seeds = [job.stamp("scan", str(number)) for number in range(len(made.pages))]
    pages = scan.drawn(printed(job, made, askew=True), wanted.dpi)
    pictures = [scan.aged(page, wanted, seed) for page, seed in zip(pages, seeds, strict=True)]
    buffer, canvas = _canvas(made)
    scan.bound(canvas, pictures, made.pages, made.face, wanted, seeds)
    canvas.save()
    return _dated(job, buffer.getvalue())


def confirm(job: Job, made: Paper, content: bytes) -> None:
    """Reads a pdf back. Raises MaterializeError where a line does not say what it should."""
    found = {fragment.at: fragment.text for fragment in read(job.path, content).fragments}
    for number, page in enumerate(made.pages, 1):
        for at, line in enumerate(page.reading(), 1):
            wanted, text = _squeezed(line.plain), _squeezed(found.get(f"p{number}l{at}", ""))
            if wanted != text:
                raise MaterializeError(
                    f"{job.path}: page {number}, line {at} reads {text!r} and should read {wanted!r}",
                    fix="leave out what cannot be set there",
                )


def _squeezed(text: str) -> str:
    return "".join(text.split())
