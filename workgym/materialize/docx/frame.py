"""Header and footer of a word-processing document: the letterhead, the lines of every page, the page number."""

from __future__ import annotations

from workgym.materialize.carrier import Job
from workgym.materialize.docx import drawing, ooxml
from workgym.materialize.docx.text import field, paragraph, run
from workgym.materialize.look.letterhead import Letterhead
from workgym.materialize.marks import Marked
from workgym.records import Anchor

_TOP = 34
"""Where a header begins, in points from the edge of the page."""
_NAME, _LINE = 20, 11
"""Height of the company's name, and of a line under it, in points."""
_LONG = 44
"""Letters of a company's name that stand on one line at its usual size."""
_BLANK = "\u2002"


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
    lines = _letterhead(paper) if paper.company else []
    if paper.header:
        apart = '<w:spacing w:after="200"/>' if lines else ""
        lines.append((f'{apart}<w:jc w:val="right"/>', "", paper.header, '<w:color w:val="6B7680"/>'))
    body, anchors = _lines(job, "Header", lines or [("", "", Marked(""), "")])
    if paper.company and paper.look.head == "centre":
        anchors = [*_shifted(job, paper.company), *(a for a in anchors if a.place.base != "h1")]
    return f"{ooxml.HEAD}<w:hdr {ooxml.W} {ooxml.R} {drawing.SPACES}>{body}</w:hdr>".encode(), anchors


def _letterhead(paper: Letterhead) -> list[tuple[str, str, Marked, str]]:
    """Name, address and contact, at the logo's side or, all centred, under it; then a rule, if not on a band."""
    look, centre, band = paper.look, paper.look.head == "centre", paper.look.head == "band"
    side = "center" if centre else "right" if look.head == "right" else "left"
    aside = f'<w:ind w:{side}="{(drawing.LOGO + 10) * 20}"/>' if not centre else ""
    place = f'{aside}<w:jc w:val="{side}"/>'
    said = [line for line in paper.lines if line]
    text = _NAME + _LINE * len(said)
    lower = 0 if said or centre else (drawing.LOGO - _NAME) // 2
    short = 0 if centre else max(0, drawing.LOGO - text - lower)
    font = f"{ooxml.fonts(look.heading_font)}<w:b/>"
    size = max(14, min(30, 30 * _LONG // len(paper.company.plain)))
    name = f'{font}<w:color w:val="{"FFFFFF" if band else look.accent}"/><w:sz w:val="{size}"/>'
    small = f'<w:color w:val="{"FFFFFF" if band else "5A6570"}"/><w:sz w:val="17"/>'
    if centre:
        before, spacing = drawing.logo() + run(_BLANK, name), ""
    else:
        ground = drawing.band(_TOP + lower + text + short + 14, look.accent) if band else ""
        before = ground + drawing.logo_at(side, _TOP)
        spacing = f'<w:spacing w:before="{lower * 20}" w:line="{_NAME * 20}" w:lineRule="exact"/>'
    lines = [(f"{spacing}{place}", before, paper.company, name)]
    lines += [(f'<w:spacing w:line="{_LINE * 20}" w:lineRule="exact"/>{place}', "", line, small) for line in said]
    rule = f'<w:pBdr><w:bottom w:val="single" w:sz="8" w:space="1" w:color="{look.accent}"/></w:pBdr>'
    gap = f'<w:spacing w:after="{700 if band else 360}" w:line="{(short + 6) * 20}" w:lineRule="exact"/>'
    return [*lines, (gap if band else rule + gap, "", Marked(""), "")]


def _shifted(job: Job, text: Marked) -> list[Anchor]:
    """The anchors of the first header line, whose text follows a blank."""
    return (Marked(_BLANK) + text).anchors(job.path, "h1")


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
