"""The body of a word-processing document: paragraphs, lists, tables and sections, in their order."""

from __future__ import annotations

from dataclasses import replace

from workgym.materialize.docx import ooxml
from workgym.materialize.docx.table import table
from workgym.materialize.docx.text import Margin, field, paragraph
from workgym.materialize.look.look import Look
from workgym.materialize.marks import Marked
from workgym.materialize.prose import Block, Inline

_CAPTION = "Table: "


class Body:
    """The body while it is written; paragraphs and tables are counted from 1."""

    def __init__(self, margin: Margin, look: Look) -> None:
        self.margin, self.look = margin, look
        self.starts: list[tuple[int, int]] = []
        """Of each numbered list, its level from 0 and its first number."""
        self.deep = self.captions = False
        """Whether a list has a third level; whether a table has a caption."""
        self.footers: list[bool] = []
        """For each footer, in the order in which the sections need them, whether its pages are in landscape."""
        self._parts: list[str] = []
        self._paragraphs = self._tables = self._begun = 0
        self._lists: list[int] = []
        self._outer = 0
        self._break = self._landscape = False

    def xml(self) -> bytes:
        """``word/document.xml``."""
        body = f"{''.join(self._parts)}{self._section()}"
        return f"{ooxml.HEAD}<w:document {ooxml.W} {ooxml.R}><w:body>{body}</w:body></w:document>".encode()

    def add(self, block: Block, following: Block | None) -> None:
        """One block. Raises Fault for a comment in a footnote."""
        if block.kind != "item":
            self._lists = []
        if block.kind == "page":
            self._turn(block.label)
        elif block.kind == "note":
            self.margin.note(block)
        elif block.kind == "table":
            self._table(block)
        elif block.kind == "rule":
            line = f'<w:pBdr><w:bottom w:val="single" w:sz="6" w:space="1" w:color="{self.look.accent}"/></w:pBdr>'
            self._add("", line + '<w:spacing w:before="0" w:after="160" w:line="120"/>', Inline(Marked("")))
        elif block.kind == "heading":
            self._add(f'<w:pStyle w:val="Heading{block.level}"/>', "", block.text)
        elif block.kind == "item":
            self._item(block)
        elif following is not None and following.kind == "table" and block.text.text.text.startswith(_CAPTION):
            self._caption(block.text)
        else:
            self._add("", "", block.text)

    def _turn(self, label: str) -> None:
        """A new page; where it is turned the other way than the one before, a new section."""
        landscape = label == "landscape" or (label == "page" and self._landscape)
        if landscape == self._landscape:
            self._break = True
            return
        if self._begun < len(self._parts):
            last, section = self._parts[-1], self._section()
            if last.startswith("<w:p><w:pPr>"):
                self._parts[-1] = last.replace("</w:pPr>", f"{section}</w:pPr>", 1)
            else:
                self._parts[-1] = last.replace("<w:p>", f"<w:p><w:pPr>{section}</w:pPr>", 1)
            self._begun = len(self._parts)
        self._landscape, self._break = landscape, False

    def _section(self) -> str:
        if self._landscape not in self.footers:
            self.footers.append(self._landscape)
        footer = 5 + self.footers.index(self._landscape)
        size = 'w:w="16838" w:h="11906" w:orient="landscape"' if self._landscape else 'w:w="11906" w:h="16838"'
        return (
            '<w:sectPr><w:headerReference w:type="default" r:id="rId4"/>'
            f'<w:footerReference w:type="default" r:id="rId{footer}"/>'
            f'<w:pgSz {size}/><w:pgMar w:top="1300" w:right="1275" w:bottom="1300" w:left="1275" '
            'w:header="680" w:footer="560" w:gutter="0"/></w:sectPr>'
        )

    def _add(self, style: str, properties: str, inline: Inline, before: str = "", shift: int = 0) -> None:
        self._paragraphs += 1
        page = "<w:pageBreakBefore/>" if self._break else ""
        self._break = False
        mark = self.margin.mark(inline)
        runs = before + self.margin.text(inline, f"p{self._paragraphs}", shift=shift)
        self._parts.append(paragraph(style + page + properties + mark, runs))

    def _caption(self, inline: Inline) -> None:
        """A caption with its number as a field: ``Table 1: Freight by lane``."""
        self.captions = True
        number, size = str(self._tables + 1), len(_CAPTION)
        self.margin.anchors += (
            Marked(f"Table {number}: ")
            .decorated(6, 6 + len(number))
            .anchors(self.margin.path, f"p{self._paragraphs + 1}")
        )
        rest = replace(
            inline,
            text=inline.text.slice(size, len(inline.text.text)),
            bold=tuple((max(0, start - size), end - size) for start, end in inline.bold if end > size),
            notes=tuple(replace(note, at=note.at - size) for note in inline.notes),
            changes=tuple(
                replace(one, start=max(0, one.start - size), end=max(0, one.end - size)) for one in inline.changes
            ),
        )
        label = _run("Table ") + field("SEQ Table \\* ARABIC", number) + _run(": ")
        self._add('<w:pStyle w:val="Caption"/>', "", rest, label, len(f"Table {number}: "))

    def _item(self, block: Block) -> None:
        level = block.level
        self.deep = self.deep or level == 3
        same = self._lists[level - 1] if len(self._lists) >= level else 0
        around = self._lists[level - 2] if 1 < level <= len(self._lists) + 1 else 0
        first = not self._lists
        self._lists = [*self._lists[: level - 1], *[1] * (level - 1 - len(self._lists))]
        if block.number is None:
            number = 1
        elif level == 1:
            if block.number == 1 or first or not self._outer:
                self._outer = self._start(0, block.number)
            number = self._outer
        elif around > 1:
            number = around
        else:
            number = same if same > 1 and block.number != 1 else self._start(level - 1, block.number)
        self._lists.append(number)
        style = "ListBullet" if block.number is None else "ListNumber"
        place = f'<w:numPr><w:ilvl w:val="{level - 1}"/><w:numId w:val="{number}"/></w:numPr>'
        self._add(f'<w:pStyle w:val="{style}"/>', place, block.text)

    def _start(self, depth: int, number: int) -> int:
        self.starts.append((depth, number))
        return len(self.starts) + 1

    def _table(self, block: Block) -> None:
        self._tables += 1
        room = ooxml.TEXT_LENGTH if self._landscape else ooxml.TEXT_WIDTH
        self._parts.append(table(block, self._tables, self.look, self.margin, room))
        self._add("", '<w:spacing w:before="0" w:after="0" w:line="200" w:lineRule="exact"/>', Inline(Marked("")))


def _run(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'
