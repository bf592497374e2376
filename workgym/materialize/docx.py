"""Word documents, written as OOXML parts: real headings, lists and tables, a header with the company's letterhead.

The parts are written by us: python-docx' template carries 800 kB of styles and takes 16 ms to open and save, and so
it is left to readers, as an independent second eye.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from xml.sax.saxutils import escape

from workgym.materialize import ooxml
from workgym.materialize.carrier import Job, Rendered, rendered
from workgym.materialize.columns import chunks, fitted
from workgym.materialize.letterhead import Letterhead, letterhead
from workgym.materialize.logo import picture
from workgym.materialize.look import Look
from workgym.materialize.marks import Marked
from workgym.materialize.normal import packed
from workgym.materialize.prose import Align, Block, Inline, parse
from workgym.records import Anchor

_JC = {"left": "left", "right": "right", "center": "center"}


def write(job: Job, fields: Mapping[str, Marked], body: Marked) -> Rendered:
    """A document. Raises MaterializeError for unknown front matter, ValueError for a crooked table."""
    paper = letterhead(job, fields)
    document = _Body(job.path, paper.look)
    for block in parse(body):
        document.add(block)
    header, header_anchors = _header(job, paper)
    footer, footer_anchors = _footer(job, paper)
    picture_of = [("image", "media/logo.png")] if paper.company else []
    parts = {
        "[Content_Types].xml": ooxml.content_types(),
        "_rels/.rels": ooxml.relations(
            [
                ("officeDocument", "word/document.xml"),
                ("core-properties", "docProps/core.xml"),
                ("extended-properties", "docProps/app.xml"),
            ]
        ),
        "word/document.xml": document.xml(),
        "word/_rels/document.xml.rels": ooxml.relations(
            [
                ("styles", "styles.xml"),
                ("numbering", "numbering.xml"),
                ("settings", "settings.xml"),
                ("header", "header1.xml"),
                ("footer", "footer1.xml"),
            ]
        ),
        "word/styles.xml": ooxml.styles(paper.look, paper.lang),
        "word/numbering.xml": ooxml.numbering(document.starts),
        "word/settings.xml": ooxml.settings(),
        "word/header1.xml": header,
        "word/footer1.xml": footer,
        "docProps/core.xml": ooxml.core(paper.title.plain, paper.company.plain, job.today.isoformat()),
        "docProps/app.xml": ooxml.app(),
    }
    if picture_of:
        parts["word/_rels/header1.xml.rels"] = ooxml.relations(picture_of)
        parts["word/media/logo.png"] = picture(paper.look, white=paper.look.head == "band")
    return rendered(job, packed(parts), [*header_anchors, *document.anchors, *footer_anchors])


def _run(text: str, properties: str = "") -> str:
    """Runs of a text; a line break for each newline."""
    props = f"<w:rPr>{properties}</w:rPr>" if properties else ""
    lines = text.split("\n")
    parts = [f'<w:t xml:space="preserve">{escape(line)}</w:t>' if line else "" for line in lines]
    return f"<w:r>{props}{'<w:br/>'.join(parts)}</w:r>"


def _runs(inline: Inline, properties: str = "", bold: bool = False) -> str:
    return "".join(_run(text, ("<w:b/>" if strong or bold else "") + properties) for text, strong in inline.runs())


def _paragraph(properties: str, runs: str) -> str:
    return f"<w:p>{f'<w:pPr>{properties}</w:pPr>' if properties else ''}{runs}</w:p>"


class _Body:
    """The body while it is written; paragraphs and tables are counted from 1."""

    def __init__(self, path: str, look: Look) -> None:
        self.path, self.look = path, look
        self.anchors: list[Anchor] = []
        self.starts: list[int] = []
        self._parts: list[str] = []
        self._paragraphs = self._tables = 0
        self._in_list = self._break = False

    def xml(self) -> bytes:
        """``word/document.xml``."""
        section = (
            '<w:sectPr><w:headerReference w:type="default" r:id="rId4"/>'
            '<w:footerReference w:type="default" r:id="rId5"/>'
            '<w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1300" w:right="1275" w:bottom="1300" w:left="1275" '
            'w:header="680" w:footer="560" w:gutter="0"/></w:sectPr>'
        )
        body = "".join(self._parts)
        return f"{ooxml.HEAD}<w:document {ooxml.W} {ooxml.R}><w:body>{body}{section}</w:body></w:document>".encode()

    def add(self, block: Block) -> None:
        """One block."""
        if block.kind == "page":
            self._break = True
            return
        if block.kind == "table":
            self._table(block)
        elif block.kind == "rule":
            line = f'<w:pBdr><w:bottom w:val="single" w:sz="6" w:space="1" w:color="{self.look.accent}"/></w:pBdr>'
            self._add(line + '<w:spacing w:before="0" w:after="160" w:line="120"/>', Inline(Marked("")))
        elif block.kind == "heading":
            self._add(f'<w:pStyle w:val="Heading{block.level}"/>', block.text)
        elif block.kind == "item":
            self._item(block)
        else:
            self._add("", block.text)
        self._in_list = block.kind == "item"

    def _add(self, properties: str, inline: Inline) -> None:
        self._paragraphs += 1
        style, rest = ("", properties) if not properties.startswith("<w:pStyle") else _cut(properties)
        page = "<w:pageBreakBefore/>" if self._break else ""
        self._break = False
        self._parts.append(_paragraph(style + page + rest, _runs(inline)))
        self.anchors += inline.text.anchors(self.path, f"p{self._paragraphs}")

    def _item(self, block: Block) -> None:
        if block.number is None:
            style, number = "ListBullet", 1
        else:
            if block.level == 1 and (block.number == 1 or not self._in_list or not self.starts):
                self.starts.append(block.number)
            if not self.starts:
                self.starts.append(1)
            style, number = "ListNumber", len(self.starts) + 1
        place = f'<w:numPr><w:ilvl w:val="{block.level - 1}"/><w:numId w:val="{number}"/></w:numPr>'
        self._add(f'<w:pStyle w:val="{style}"/>{place}', block.text)

    def _table(self, block: Block) -> None:
        self._tables += 1
        widths = _widths(block)
        grid = "".join(f'<w:gridCol w:w="{width}"/>' for width in widths)
        look, rows = self.look, []
        for line, row in enumerate(block.rows):
            cells = []
            for at, cell in enumerate(row):
                cells.append(_cell(cell, widths[at], block.aligns[at], look, line))
                self.anchors += cell.text.anchors(self.path, f"t{self._tables}r{line + 1}c{at + 1}")
            header = "<w:tblHeader/>" if line == 0 else ""
            rows.append(f"<w:tr><w:trPr><w:cantSplit/>{header}</w:trPr>{''.join(cells)}</w:tr>")
        edges = _borders(look)
        properties = f'<w:tblW w:w="{sum(widths)}" w:type="dxa"/>{edges}<w:tblLayout w:type="fixed"/>'
        self._parts.append(
            f"<w:tbl><w:tblPr>{properties}</w:tblPr><w:tblGrid>{grid}</w:tblGrid>{''.join(rows)}</w:tbl>"
        )
        self._add('<w:spacing w:before="0" w:after="0" w:line="200" w:lineRule="exact"/>', Inline(Marked("")))


def _cut(properties: str) -> tuple[str, str]:
    end = properties.index("/>") + 2
    return properties[:end], properties[end:]


def _widths(block: Block) -> list[int]:
    """Column widths in twentieths of a point, by what the columns hold; narrow tables stay narrow."""
    columns = range(len(block.aligns))
    longest = [max(len(row[at].text.text) for row in block.rows) for at in columns]
    wanted = [max(length, 5) * 124.0 + 330 for length in longest]
    total = sum(wanted)
    if total <= ooxml.TEXT_WIDTH:
        goal = ooxml.TEXT_WIDTH if total > 0.55 * ooxml.TEXT_WIDTH else max(total, 0.5 * ooxml.TEXT_WIDTH)
        return [int(width * goal / total) for width in wanted]
    words = [max((len(chunk) for row in block.rows for chunk in chunks(row[at].text)), default=0) for at in columns]
    least = [min(word * 130.0 + 330, width) for word, width in zip(words, wanted, strict=True)]
    return [int(width) for width in fitted(wanted, least, ooxml.TEXT_WIDTH)]


def _borders(look: Look) -> str:
    def edge(name: str, colour: str, size: int = 4) -> str:
        return f'<w:{name} w:val="single" w:sz="{size}" w:space="0" w:color="{colour}"/>'

    if look.table == "grid":
        names = ("top", "left", "bottom", "right", "insideH", "insideV")
        return f"<w:tblBorders>{''.join(edge(name, 'A6ADB4') for name in names)}</w:tblBorders>"
    if look.table == "lined":
        return f"<w:tblBorders>{edge('top', look.accent, 8)}{edge('bottom', look.accent, 8)}</w:tblBorders>"
    inner = edge("insideH", "D5DADF") if look.table == "filled" else ""
    return f"<w:tblBorders>{edge('bottom', look.accent)}{inner}</w:tblBorders>"


def _cell(cell: Inline, width: int, align: Align, look: Look, line: int) -> str:
    head = line == 0
    shade, colour, edge = "", "", ""
    if head and look.table == "filled":
        shade, colour = look.accent, '<w:color w:val="FFFFFF"/>'
    elif head and look.table in ("banded", "grid"):
        shade, colour = look.tint, f'<w:color w:val="{look.accent}"/>'
    elif head:
        colour = f'<w:color w:val="{look.accent}"/>'
        edge = f'<w:tcBorders><w:bottom w:val="single" w:sz="6" w:space="0" w:color="{look.accent}"/></w:tcBorders>'
    elif look.table == "banded" and line % 2 == 0:
        shade = "F5F6F8"
    fill = f'<w:shd w:val="clear" w:color="auto" w:fill="{shade}"/>' if shade else ""
    properties = f'<w:tcW w:w="{width}" w:type="dxa"/>{edge}{fill}<w:vAlign w:val="{"bottom" if head else "top"}"/>'
    text = _paragraph(f'<w:pStyle w:val="TableText"/><w:jc w:val="{_JC[align]}"/>', _runs(cell, colour, bold=head))
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{text}</w:tc>"


def _lines(job: Job, kind: str, lines: list[tuple[str, str, Marked, str]]) -> tuple[str, list[Anchor]]:
    """Paragraphs of a header or footer: properties, what stands before the text, the text, its run properties."""
    parts: list[str] = []
    anchors: list[Anchor] = []
    for at, (properties, before, text, run) in enumerate(lines, 1):
        parts.append(_paragraph(f'<w:pStyle w:val="{kind}"/>{properties}', before + _runs(Inline(text), run)))
        anchors += text.anchors(job.path, f"{'h' if kind == 'Header' else 'f'}{at}")
    return "".join(parts), anchors


def _header(job: Job, paper: Letterhead) -> tuple[bytes, list[Anchor]]:
    look, lines = paper.look, list[tuple[str, str, Marked, str]]()
    if paper.company:
        band = look.head == "band"
        side = {"left": "left", "right": "right", "centre": "center", "band": "left"}[look.head]
        fill = f'<w:shd w:val="clear" w:color="auto" w:fill="{look.accent}"/>' if band else ""
        colour = "FFFFFF" if band else look.accent
        name = f'{ooxml.fonts(look.heading_font)}<w:b/><w:color w:val="{colour}"/><w:sz w:val="30"/>'
        lines.append((f'{fill}<w:jc w:val="{side}"/>', _logo() + _run("\u2002", name), paper.company, name))
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


def _footer(job: Job, paper: Letterhead) -> tuple[bytes, list[Anchor]]:
    """The footer's text, and on the same line the page number as a field."""
    number = '<w:r><w:fldChar w:fldCharType="{}"/></w:r>'
    field = (
        number.format("begin")
        + '<w:r><w:instrText xml:space="preserve"> PAGE </w:instrText></w:r>'
        + number.format("separate")
        + _run("1")
        + number.format("end")
    )
    text = _paragraph(
        '<w:pStyle w:val="Footer"/>', _runs(Inline(paper.footer)) + "<w:r><w:tab/></w:r>" + _run("Page ") + field
    )
    line = paper.footer + Marked("\tPage 1")
    size = len(line.text)
    anchors = line.decorated(size - 1, size).anchors(job.path, "f1")
    return f"{ooxml.HEAD}<w:ftr {ooxml.W} {ooxml.R}>{text}</w:ftr>".encode(), [*anchors]
