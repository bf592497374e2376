"""Header and footer of a word-processing document: the letterhead, the lines of every page, the page number."""

from __future__ import annotations

from collections.abc import Iterator

from workgym.materialize.carrier import Job
from workgym.materialize.docx import ooxml
from workgym.materialize.docx.text import field, paragraph, run
from workgym.materialize.look.letterhead import Letterhead
from workgym.materialize.marks import Marked
from workgym.records import Anchor


def _lines(job: Job, kind: str, lines: list[tuple[str, str, Marked, str]]) -> tuple[str, list[Anchor]]:
    """Paragraphs of a header or footer: properties, what stands before the text, the text, its run properties."""
    parts: list[str] = []
    anchors: list[Anchor] = []
    for at, (properties, before, text, style) in enumerate(lines, 1):
        runs = before + (run(text.plain, style) if text else "")
        parts.append(paragraph(f'<w:pStyle w:val="{kind}"/>{properties}', runs))
        anchors += text.anchors(job.path, f"{'h' if kind == 'Header' else 'f'}{at}")
    return "".join(parts), anchors


def header(job: Job, paper: Letterhead) -> tuple[bytes, list[Anchor]]:
    """The company's name with its logo, address and contact, and the header line."""
    look, lines = paper.look, list[tuple[str, str, Marked, str]]()
    if paper.company:
        band = look.head == "band"
        side = {"left": "left", "right": "right", "centre": "center", "band": "left"}[look.head]
        fill = f'<w:shd w:val="clear" w:color="auto" w:fill="{look.accent}"/>' if band else ""
        colour = "FFFFFF" if band else look.accent
        name = f'{ooxml.fonts(look.heading_font)}<w:b/><w:color w:val="{colour}"/><w:sz w:val="30"/>'
        lines.append((f'{fill}<w:jc w:val="{side}"/>', _logo() + run("\u2002", name), paper.company, name))
        rule = f'<w:pBdr><w:bottom w:val="single" w:sz="8" w:space="4" w:color="{look.accent}"/></w:pBdr>'
        for number, line in enumerate(paper.lines, 1):
            bottom = number == len(paper.lines)
            last = rule if bottom and not band else ""
            small = f'<w:color w:val="{"FFFFFF" if band else "5A6570"}"/><w:sz w:val="17"/>'
            after = '<w:spacing w:after="360"/>' if bottom else ""
            lines.append((f'{last}{fill}{after}<w:jc w:val="{side}"/>', "", line, small))
    if paper.header:
        lines.append(('<w:jc w:val="right"/>', "", paper.header, '<w:color w:val="6B7680"/>'))
    body, anchors = _lines(job, "Header", lines or [("", "", Marked(""), "")])
    if paper.company:
        shift = "\u2002"
        anchors = [*_shifted(job, paper.company, len(shift)), *(a for a in anchors if a.place.base != "h1")]
    return f"{ooxml.HEAD}<w:hdr {ooxml.W} {ooxml.R} {ooxml.DRAWING}>{body}</w:hdr>".encode(), anchors


def _shifted(job: Job, text: Marked, by: int) -> Iterator[Anchor]:
    """The anchors of the first header line, whose text follows ``by`` other characters."""
    return (Marked(" " * by) + text).anchors(job.path, "h1")


def _logo() -> str:
    size = 330000
    blip = '<a:blip r:embed="rId1"/><a:stretch><a:fillRect/></a:stretch>'
    frame = f'<a:xfrm><a:off x="0" y="0"/><a:ext cx="{size}" cy="{size}"/></a:xfrm>'
    shape = f'{frame}<a:prstGeom prst="rect"><a:avLst/></a:prstGeom>'
    return (
        f'<w:r><w:drawing><wp:inline distT="0" distB="0" distL="0" distR="0"><wp:extent cx="{size}" cy="{size}"/>'
        '<wp:docPr id="1" name="Logo" descr="Logo"/><a:graphic>'
        '<a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic>'
        '<pic:nvPicPr><pic:cNvPr id="1" name="logo.png"/><pic:cNvPicPr/></pic:nvPicPr>'
        f"<pic:blipFill>{blip}</pic:blipFill><pic:spPr>{shape}</pic:spPr></pic:pic></a:graphicData></a:graphic>"
        "</wp:inline></w:drawing></w:r>"
    )


def footer(job: Job, paper: Letterhead, number: int, landscape: bool) -> tuple[bytes, list[Anchor]]:
    """The footer's text, and on the same line the page number as a field; ``f<number>`` is its place."""
    wide = f'<w:tab w:val="clear" w:pos="{ooxml.TEXT_WIDTH}"/><w:tab w:val="right" w:pos="{ooxml.TEXT_LENGTH}"/>'
    style = f'<w:pStyle w:val="Footer"/>{f"<w:tabs>{wide}</w:tabs>" if landscape else ""}'
    said = run(paper.footer.plain) if paper.footer else ""
    text = paragraph(style, f"{said}<w:r><w:tab/></w:r>{run('Page ')}{field('PAGE', '1')}")
    line = paper.footer + Marked("\tPage 1")
    size = len(line.text)
    anchors = line.decorated(size - 1, size).anchors(job.path, f"f{number}")
    return f"{ooxml.HEAD}<w:ftr {ooxml.W} {ooxml.R}>{text}</w:ftr>".encode(), [*anchors]
