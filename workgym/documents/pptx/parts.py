"""New pieces of a slide's XML that look like those that stand beside them."""

from __future__ import annotations

from workgym.documents.archive import Element
from workgym.documents.patches import Patch
from workgym.documents.pptx.slides import A
from workgym.documents.xmlpos import Positions, encoded


def _raw(element: Element | None, positions: Positions) -> bytes:
    if element is None:
        return b""
    span = positions.span(element)
    return positions.content[span.start : span.end]


def _run_properties(paragraph: Element, positions: Positions) -> bytes:
    """The look of its first run; where it has none, that of its end."""
    for run in paragraph.iter(f"{A}r"):
        return _raw(run.find(f"{A}rPr"), positions)
    end = paragraph.find(f"{A}endParaRPr")
    return _raw(end, positions).replace(b"endParaRPr", b"rPr")


def _run(paragraph: Element, text: str, positions: Positions) -> bytes:
    p = positions.prefix(paragraph)
    look = _run_properties(paragraph, positions)
    return b"<" + p + b"r>" + look + b"<" + p + b"t>" + encoded(text) + b"</" + p + b"t></" + p + b"r>"


def run_in(paragraph: Element, text: str, positions: Positions) -> Patch:
    """A run at the end of a paragraph that has none."""
    span, run = positions.span(paragraph), _run(paragraph, text, positions)
    end = paragraph.find(f"{A}endParaRPr")
    if end is not None:
        return Patch(positions.span(end).start, positions.span(end).start, run)
    if span.close == span.end:
        name = positions.tag(paragraph)
        tag = positions.start_tag(paragraph).rstrip(b"/>").rstrip()
        return Patch(span.start, span.end, tag + b">" + run + b"</" + name + b">")
    return Patch(span.close, span.close, run)


def paragraph_like(paragraph: Element, text: str, positions: Positions) -> bytes:
    """A paragraph with the bullet, level and look of another one."""
    name = positions.tag(paragraph)
    inner = _raw(paragraph.find(f"{A}pPr"), positions)
    inner += _run(paragraph, text, positions) if text else b""
    return b"<" + name + b">" + inner + _raw(paragraph.find(f"{A}endParaRPr"), positions) + b"</" + name + b">"


def empty_paragraph(paragraph: Element, positions: Positions) -> bytes:
    """A paragraph that says nothing, in the look of another one."""
    return paragraph_like(paragraph, "", positions)


def cell_like(cell: Element, text: str, positions: Positions) -> bytes:
    """A table cell with the look of another one."""
    name, body = positions.tag(cell), cell.find(f"{A}txBody")
    inner = b""
    if body is not None:
        inner += positions.start_tag(body)
        inner += _raw(body.find(f"{A}bodyPr"), positions) + _raw(body.find(f"{A}lstStyle"), positions)
        paragraph = body.find(f"{A}p")
        if paragraph is not None:
            inner += paragraph_like(paragraph, text, positions)
        inner += b"</" + positions.tag(body) + b">"
    inner += _raw(cell.find(f"{A}tcPr"), positions)
    start = positions.start_tag(cell)
    if start.endswith(b"/>"):
        start = start[:-2] + b">"
    return start + inner + b"</" + name + b">"
