"""Presentations, written with python-pptx on a master of our own: text, tables, native charts, speaker notes.

python-pptx' template is not used: the package that it opens is :func:`workgym.materialize.pptx.base.base`. What is not
written: pictures, animations, transitions, diagrams.
"""

from __future__ import annotations

import copy
import io
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

import pptx
from pptx.oxml import parse_xml

from workgym.materialize.carrier import Job, Rendered, rendered
from workgym.materialize.marks import Marked
from workgym.materialize.normal import packed
from workgym.materialize.pptx import chart as slidechart
from workgym.materialize.pptx.base import LAYOUTS, base
from workgym.materialize.pptx.deck import Front, front_of, slides
from workgym.materialize.pptx.fit import MARGIN, PADDING, Box, Fitter, Page, Part, spread, style_of
from workgym.materialize.pptx.look import GREY, INK, A, cover_of, emu, frame_of
from workgym.materialize.prose import Align, Block, Inline
from workgym.materialize.scope import Fault
from workgym.records import Anchor

_FONT = '<a:latin typeface="+mn-lt"/>'
"""The theme's font of text: outside placeholders not every program takes it by itself."""
_ALIGN = {"left": "l", "right": "r", "center": "ctr"}
_COVER, _SUB, _LINES = (40, 34, 28, 24), (20, 18, 16, 14), (14, 12, 10)
_PLAIN_TABLE = "{2D5ABB26-0587-4C30-8999-92F81FD0307C}"
"""Office's name for a table without a style; ours is written into the cells."""


def write(job: Job, fields: Mapping[str, Marked], body: Marked) -> Rendered:
    """A deck. Raises Fault for unknown front matter, for text without a title and for what fits on no slide."""
    front = front_of(job, fields)
    frame = frame_of(front.look)
    fitter = Fitter(front.look, frame.title, frame.body)
    deck = _Deck(job, front, fitter)
    if front.title:
        deck.cover()
    for slide in slides(body):
        for page in fitter.pages(slide):
            deck.add(page)
    if not deck.number:
        raise Fault("a deck needs a slide: write `# Title`, or give a `title` in its front matter")
    return rendered(job, deck.saved(), deck.anchors)


class _Deck:
    """The presentation while it is written; slides are counted from 1."""

    def __init__(self, job: Job, front: Front, fitter: Fitter) -> None:
        self.job, self.front, self.look, self.fitter = job, front, front.look, fitter
        self.deck: Any = pptx.Presentation(io.BytesIO(base(front, job.today.isoformat())))
        self.layouts = dict(zip(LAYOUTS, self.deck.slide_layouts, strict=True))
        self.anchors: list[Anchor] = []
        self.number = 0
        self._paragraphs = self._tables = 0

    def saved(self) -> bytes:
        """The file: the same bytes for the same deck."""
        buffer = io.BytesIO()
        self.deck.save(buffer)
        with zipfile.ZipFile(buffer) as archive:
            return packed({name: archive.read(name) for name in archive.namelist()})

    def cover(self) -> None:
        """The title slide."""
        front, cover = self.front, cover_of(self.look)
        lines = [Inline(line) for line in (front.company, front.date) if line]
        slide = self._slide("Title")
        for place, texts, box, sizes, most in (
            (0, [Inline(front.title)], cover.title, _COVER, 3),
            (1, [Inline(front.subtitle)] if front.subtitle else [], cover.subtitle, _SUB, 2),
            (13, lines, cover.lines, _LINES, 1),
        ):
            shape = next(s for s in slide.placeholders if s.placeholder_format.idx == place)
            if not texts:
                shape._element.getparent().remove(shape._element)
                continue
            found = [self.fitter.title_size(text, sizes, box.width, most) for text in texts]
            if None in found:
                raise Fault(f"{texts[found.index(None)].text.plain!r} is too long for the title slide")
            size = min(size for size in found if size is not None)
            self._texts(shape._element.txBody, [(text, "", f' sz="{size * 100}"', "") for text in texts])

    def add(self, page: Page) -> None:
        """One slide."""
        bare = not page.parts and not page.charts
        text = bool(page.parts) and page.parts[0].blocks[0].kind != "table"
        slide = self._slide("Section" if bare else "Content" if text else "Title only")
        if page.hidden:
            slide._element.set("show", "0")
        size = f' sz="{page.title_size * 100}"' if not bare else ""
        self._texts(slide.shapes.title._element.txBody, [(page.title, "", size, "")])
        for at, part in enumerate(page.parts):
            if part.widths:
                self._table(slide, part)
            elif at == 0:
                shape = next(s for s in slide.placeholders if s.placeholder_format.idx == 1)
                shape.left, shape.top, shape.width, shape.height = _emus(part.box)
                self._texts(shape._element.txBody, list(self._blocks(part)))
            else:
                box = slide.shapes.add_textbox(*_emus(part.box))
                text_body = box._element.txBody
                text_body.replace(text_body.bodyPr, parse_xml(_body_properties()))
                self._texts(text_body, list(self._blocks(part)))
        for number, (chart, box_) in enumerate(page.charts, 1):
            slidechart.draw(slide.shapes, chart, _emus(box_), self.look, self.job.today)
            self._anchor(chart.title, f"c{number}")
            for row, cells in enumerate(chart.rows, 1):
                for column, cell in enumerate(cells, 1):
                    if (row, column) != (1, 1):
                        self._anchor(cell, f"c{number}r{row}c{column}")
        self._feet(slide, bare)
        if page.notes:
            self._notes(slide, page.notes)

    def _slide(self, layout: str) -> Any:
        self.number += 1
        self._paragraphs = self._tables = 0
        return self.deck.slides.add_slide(self.layouts[layout])

    def _anchor(self, inline: Inline, at: str) -> None:
        self.anchors += inline.text.anchors(self.job.path, f"s{self.number}{at}")

    def _texts(self, body: Any, texts: Sequence[tuple[Inline, str, str, str]], letter: str = "p") -> None:
        """Paragraphs in place of those of a text body: text, paragraph properties, run attributes and properties."""
        for old in list(body.iterchildren(f"{{{_SPACE}}}p")):
            body.remove(old)
        for at, (inline, properties, attributes, inner) in enumerate(texts, 1):
            body.append(parse_xml(_paragraph(inline, properties, attributes, inner)))
            if letter == "p":
                self._paragraphs += 1
            self._anchor(inline, f"{letter}{self._paragraphs if letter == 'p' else at}")

    def _blocks(self, part: Part) -> Iterable[tuple[Inline, str, str, str]]:
        starts: dict[int, int] = {}
        for block in part.blocks:
            style = style_of(block, part.size)
            if block.kind != "item":
                starts = {}
            elif block.number is None:
                starts = {level: start for level, start in starts.items() if level < block.level}
            else:
                starts = {level: start for level, start in starts.items() if level <= block.level}
                starts.setdefault(block.level, block.number)
            bold = ' b="1"' if style.bold else ""
            colour = {"heading": self.look.accent, "note": GREY}.get(block.kind, INK)
            yield (
                block.text,
                _properties(block, style.left, style.before, style.after, starts.get(block.level), self.look.accent),
                f' sz="{style.size * 100}"{bold}',
                f'<a:solidFill><a:srgbClr val="{colour}"/></a:solidFill>{_FONT}',
            )

    def _table(self, slide: Any, part: Part) -> None:
        self._tables += 1
        block = part.blocks[0]
        rows, columns = len(block.rows), len(block.aligns)
        shape = slide.shapes.add_table(rows, columns, *_emus(part.box))
        table = shape.table
        properties = table._tbl.tblPr
        properties.find(f"{{{_SPACE}}}tableStyleId").text = _PLAIN_TABLE
        properties.set("bandRow", "0")
        for at, width in enumerate(part.widths):
            table.columns[at].width = emu(width)
        for line, row in enumerate(block.rows):
            table.rows[line].height = emu(part.heights[line])
            for at, cell in enumerate(row):
                wide = spread(block, line, at)
                element = table.cell(line, at)._tc
                if wide != 1:
                    element.set(*(("gridSpan", str(wide)) if wide else ("hMerge", "1")))
                align = "center" if wide > 1 else block.aligns[at]
                self._cell(element, cell, align, part.size, (line, block.heads), line == rows - 1)
                self._anchor(cell, f"t{self._tables}r{line + 1}c{at + 1}")

    def _cell(self, element: Any, cell: Inline, align: Align, size: int, at: tuple[int, int], last: bool) -> None:
        """Fills a cell; ``at`` is its row, from 0, and how many rows are headings."""
        look, head = self.look, at[0] < at[1]
        colour = "FFFFFF" if head and look.table == "filled" else look.accent if head else INK
        fill = f'<a:solidFill><a:srgbClr val="{colour}"/></a:solidFill>'
        bold = ' b="1"' if head else ""
        for old in list(element):
            element.remove(old)
        text = _paragraph(cell, f'<a:pPr algn="{_ALIGN[align]}"/>', f' sz="{size * 100}"{bold}', fill + _FONT)
        element.append(parse_xml(f"<a:txBody {A}><a:bodyPr/><a:lstStyle/>{text.replace(f' {A}', '', 1)}</a:txBody>"))
        element.append(parse_xml(self._cell_properties(*at, last)))

    def _cell_properties(self, line: int, heads: int, last: bool) -> str:
        look, head = self.look, line < heads
        edges = dict.fromkeys("LRTB", "")
        shade = ""
        if look.table == "filled":
            shade = look.accent if head else ""
            edges["B"] = _edge(look.accent if last else "D5DADF", 0.75)
        elif look.table == "lined":
            edges["B"] = _edge(look.accent, 1.0) if line == heads - 1 or last else ""
            edges["T"] = _edge(look.accent, 1.0) if line == 0 else ""
        elif look.table == "banded":
            shade = look.tint if head else "F5F6F8" if (line - heads) % 2 else ""
            edges["B"] = _edge(look.accent, 0.75) if last else ""
        else:
            shade = look.tint if head else ""
            edges = dict.fromkeys("LRTB", _edge("A6ADB4", 0.5))
        lines = "".join(
            f"<a:ln{side}{edge}</a:ln{side}>" if edge else f'<a:ln{side} w="0"><a:noFill/></a:ln{side}>'
            for side, edge in edges.items()
        )
        fill = f'<a:solidFill><a:srgbClr val="{shade}"/></a:solidFill>' if shade else "<a:noFill/>"
        inner = f'marL="{emu(MARGIN)}" marR="{emu(MARGIN)}" marT="{emu(PADDING)}" marB="{emu(PADDING)}"'
        return f'<a:tcPr {A} {inner} anchor="ctr">{lines}{fill}</a:tcPr>'

    def _feet(self, slide: Any, bare: bool) -> None:
        """Footer and number, as an office puts them on its slides; slides that open a part have none."""
        if bare:
            return
        tree = slide.shapes._spTree
        for shape in slide.slide_layout.placeholders:
            kind = shape.element.find(f".//{{{_SLIDES}}}ph").get("type")
            if kind not in ("ftr", "sldNum") or (kind == "ftr" and not self.front.footer):
                continue
            made = copy.deepcopy(shape.element)
            made.find(f".//{{{_SLIDES}}}cNvPr").set("id", str(slide.shapes._next_shape_id))
            if kind == "ftr":
                self._texts(made.txBody, [(Inline(self.front.footer), "", "", "")], letter="f")
            else:
                made.find(f".//{{{_SPACE}}}t").text = str(self.number)
            tree.append(made)

    def _notes(self, slide: Any, notes: Sequence[Inline]) -> None:
        frame = slide.notes_slide.notes_text_frame
        self._texts(frame._txBody, [(note, "", "", "") for note in notes], letter="n")


_SPACE = "http://schemas.openxmlformats.org/drawingml/2006/main"
_SLIDES = "http://schemas.openxmlformats.org/presentationml/2006/main"


def _emus(box: Box) -> tuple[int, int, int, int]:
    return emu(box.x), emu(box.y), emu(box.width), emu(box.height)


def _body_properties() -> str:
    return f'<a:bodyPr {A} wrap="square" lIns="0" tIns="0" rIns="0" bIns="0"><a:normAutofit/></a:bodyPr>'


def _edge(colour: str, width: float) -> str:
    return f' w="{emu(width)}"><a:solidFill><a:srgbClr val="{colour}"/></a:solidFill>'


def _paragraph(inline: Inline, properties: str, attributes: str, inner: str) -> str:
    runs = []
    for text, strong in inline.runs():
        bold = ' b="1"' if strong and " b=" not in attributes else ""
        look = f'<a:rPr lang="en-GB"{attributes}{bold}>{inner}</a:rPr>'
        for at, line in enumerate(text.split("\n")):
            runs.append(f"<a:br>{look}</a:br>" if at else "")
            runs.append(f"<a:r>{look}<a:t>{escape(line)}</a:t></a:r>" if line else "")
    return f"<a:p {A}>{properties}{''.join(runs)}</a:p>"


def _properties(block: Block, left: float, before: float, after: float, start: int | None, accent: str) -> str:
    """Paragraph properties: spacing, and for an item its bullet or number."""
    space = f'<a:spcBef><a:spcPts val="{round(before * 100)}"/></a:spcBef>' if before else ""
    space += f'<a:spcAft><a:spcPts val="{round(after * 100)}"/></a:spcAft>'
    if block.kind != "item":
        return f'<a:pPr marL="0" indent="0">{space}<a:buNone/></a:pPr>'
    hanging = emu(-22.0 if block.level == 1 else -18.0)
    colour = f'<a:buClr><a:srgbClr val="{accent}"/></a:buClr>'
    if block.number is None:
        sign = "•–·"[block.level - 1]
        mark = f'<a:buFont typeface="Arial"/><a:buChar char="{sign}"/>'
    else:
        kind = ("arabicPeriod", "alphaLcPeriod", "romanLcPeriod")[block.level - 1]
        mark = f'<a:buFont typeface="+mj-lt"/><a:buAutoNum type="{kind}" startAt="{start}"/>'
    level = f' lvl="{block.level - 1}"' if block.level > 1 else ""
    return f'<a:pPr marL="{emu(left)}" indent="{hanging}"{level}>{space}{colour}{mark}</a:pPr>'
