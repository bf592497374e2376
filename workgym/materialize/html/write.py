"""Web pages: one file of valid HTML5 with its style inside, as a company's intranet or a notice on its site has them.

No scripts, no links to elsewhere, no picture but the logo, which is drawn (SVG). Written by hand, without a library;
read by our own reader after the HTML standard.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from html import escape

from workgym.materialize.carrier import Job, Rendered, rendered
from workgym.materialize.html.style import sheet
from workgym.materialize.look.letterhead import declared, letterhead
from workgym.materialize.look.logo import shapes
from workgym.materialize.look.look import Look
from workgym.materialize.marks import Marked
from workgym.materialize.prose import Block, Inline, Reference, parse
from workgym.records import Anchor

_BLANKS = re.compile(r" *\n *| {2,}")
_CAPTION = "Table: "
_CLASS = {"left": "", "right": ' class="r"', "center": ' class="c"'}


def write(job: Job, fields: Mapping[str, Marked], body: Marked) -> Rendered:
    """A page. Raises Fault for unknown front matter, ValueError for a crooked table or footnote."""
    paper, blocks = letterhead(job, fields, "published"), parse(body)
    page = _Page(job)
    headings = [block.text for block in blocks if block.kind == "heading"]
    page.put("title", _title(job, fields, headings), "<title>", "</title>")
    if fields.get("published"):
        page.put("m1", Inline(_day(fields["published"])), '<meta name="date" content="', '">')
    head = page.taken()
    shown = [("name", paper.company), *(("line", line) for line in paper.lines)] if paper.company else []
    if "header" in fields or (paper.header and not headings):
        shown.append(("running" if shown else "name", paper.header))
    if shown:
        page.header(paper.look, shown, bool(paper.company))
    page.raw("<main>")
    for at, block in enumerate(blocks):
        page.add(block, blocks[at + 1] if at + 1 < len(blocks) else None)
    page.end()
    if paper.footer:
        page.raw("<footer>")
        page.put("f1", Inline(paper.footer), "<p>", "</p>")
        page.raw("</footer>")
    lines = (
        "<!DOCTYPE html>",
        f'<html lang="{escape(paper.lang)}">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        *head,
        f"<style>\n{sheet(paper.look)}\n</style>",
        "</head>",
        "<body>",
        *page.taken(),
        "</body>",
        "</html>",
    )
    return rendered(job, "".join(line + "\n" for line in lines).encode(), page.anchors)


def _title(job: Job, fields: Mapping[str, Marked], headings: list[Inline]) -> Inline:
    """The title that the front matter gives, else the first heading, else what people call the page or its file."""
    if fields.get("title"):
        return Inline(fields["title"])
    if headings and headings[0].text:
        words = headings[0].labelled().text
        return Inline(Marked(words.text.replace("\n", " "), words.spans))
    name = job.title or job.path.rpartition("/")[2].partition(".")[0]
    return Inline(Marked(name).decorated(0, len(name)))


def _day(written: Marked) -> Marked:
    """The date that a page gives itself, which is a value or decor. Raises ValueError for what is no ISO date."""
    try:
        datetime.date.fromisoformat(written.plain)
    except ValueError:
        raise ValueError(f"front matter: published: {written.plain!r} is no date; write YYYY-MM-DD") from None
    return declared(written)


class _Page:
    """A page while it is written; blocks, tables and notes are counted from 1."""

    def __init__(self, job: Job) -> None:
        self.path = job.path
        self.anchors: list[Anchor] = []
        self._lines: list[str] = []
        self._blocks = self._tables = self._notes = 0
        self._lists: list[tuple[str, int]] = []
        self._caption: Inline | None = None

    def taken(self) -> list[str]:
        """What was written since the last time."""
        lines, self._lines = self._lines, []
        return lines

    def raw(self, markup: str) -> None:
        """A line of markup."""
        self._lines.append(markup)

    def put(self, at: str, inline: Inline, before: str, after: str) -> None:
        """A text between tags, at a place of its own."""
        text, links = _spaced(inline)
        self.anchors += text.text.anchors(self.path, at)
        self.raw(before + "".join(_markup(text, links)).replace("\n", "<br>") + after)

    def header(self, look: Look, shown: list[tuple[str, Marked]], marked: bool) -> None:
        """The page's header; with the logo where there is a letterhead."""
        self.raw("<header>")
        if marked:
            self.raw(_logo(look))
        self.raw("<div>")
        for number, (kind, text) in enumerate([one for one in shown if one[1]], 1):
            self.put(f"h{number}", Inline(text), f'<p class="{kind}">', "</p>")
        self.raw("</div>\n</header>")

    def add(self, block: Block, following: Block | None) -> None:
        """One block; a paragraph that begins with ``Table:`` is the caption of the table that follows it."""
        if block.kind == "item":
            self._add_item(block)
            return
        self._unlist(0)
        if block.kind == "note":
            self._note(block)
        elif block.kind == "table":
            self._table(block)
        elif following is not None and following.kind == "table" and block.text.text.text.startswith(_CAPTION):
            self._caption = _captioned(block.text, self._tables + 1)
        elif block.kind in ("rule", "page"):
            self.raw("<hr>" if block.kind == "rule" else '<hr class="page">')
        else:
            tag = f"h{block.level}" if block.kind == "heading" else "p"
            self._put(block.text, f"<{tag}>", f"</{tag}>")

    def end(self) -> None:
        """The end of the text."""
        self._unlist(0)
        self.raw("</ol>\n</section>\n</main>" if self._notes else "</main>")

    def _put(self, inline: Inline, before: str, after: str) -> None:
        self._blocks += 1
        self.put(f"p{self._blocks}", inline, before, after)

    def _add_item(self, block: Block) -> None:
        tag = "ul" if block.number is None else "ol"
        level = min(block.level, len(self._lists) + 1)
        self._unlist(level)
        if len(self._lists) == level and self._lists[-1][0] != tag:
            self._unlist(level - 1)
        number = block.number or 0
        if len(self._lists) < level:
            self.raw(f"<{tag}>" if number in (0, 1) else f'<{tag} start="{number}">')
            self._lists.append((tag, number))
            value = ""
        else:
            self.raw("</li>")
            value = f' value="{number}"' if number != self._lists[-1][1] + 1 and tag == "ol" else ""
            self._lists[-1] = (tag, number)
        text = block.text.text.plain.strip(" \n") or block.text.notes
        self._put(block.text, f"<li{value}>" if text else f"<li{value}><p>", "" if text else "</p>")

    def _unlist(self, level: int) -> None:
        """End the lists below a level."""
        while len(self._lists) > level:
            self.raw(f"</li>\n</{self._lists.pop()[0]}>")

    def _table(self, block: Block) -> None:
        self._tables += 1
        self.raw('<div class="table">\n<table>')
        if self._caption is not None:
            self._put(self._caption, "<caption>", "</caption>")
            self._caption = None
        for line, row in enumerate(block.rows):
            group = {0: "<thead>\n", block.heads: "<tbody>\n"}.get(line, "")
            self.raw(f"{group}<tr>")
            for column, cell in enumerate(row):
                if (line, column) not in block.merged:
                    self._cell(block, line, column, cell)
            self.raw("</tr>\n</thead>" if line == block.heads - 1 else "</tr>")
        self.raw("</tbody>\n</table>\n</div>" if len(block.rows) > block.heads else "</table>\n</div>")

    def _cell(self, block: Block, line: int, column: int, cell: Inline) -> None:
        width = 1
        while (line, column + width) in block.merged:
            width += 1
        tag = "th" if line < block.heads else "td"
        place = f"t{self._tables}r{line + 1}c{column + 1}"
        start = f"<{tag}{_CLASS[block.aligns[column]]}>" if width == 1 else f'<{tag} class="c" colspan="{width}">'
        self.put(place, cell, start, f"</{tag}>")

    def _note(self, block: Block) -> None:
        self._notes += 1
        if self._notes == 1:
            self.raw('<section class="notes" role="doc-endnotes">\n<ol>')
        self.put(f"n{self._notes}", block.text, f'<li id="n{self._notes}">', "</li>")


def _spaced(inline: Inline) -> tuple[Inline, list[tuple[int, int, Reference]]]:
    """A text as a page can show it: single blanks, none at the ends of lines; and where the marks of its notes stand.

    The bold stretches and the marks are those of the new text.
    """
    labelled, links, grown = inline.labelled(), list[tuple[int, int, Reference]](), 0
    for note in inline.notes:
        size = len(str(note.number)) + 2
        links.append((note.at + grown, note.at + grown + size, note))
        grown += size
    text = labelled.text
    first, last = len(text.text) - len(text.text.lstrip(" \n")), len(text.text.rstrip(" \n"))
    gone = [(0, first)]
    for match in _BLANKS.finditer(text.text, first, last):
        kept = max(match.start(), text.text.find("\n", *match.span()))
        gone += [(match.start(), kept), (kept + 1, match.end())]
    gone.append((max(first, last), len(text.text)))
    parts, at = Marked(""), 0
    for start, end in gone:
        if start > at:
            parts = parts + text.slice(at, start)
        at = max(at, end)

    def moved(place: int) -> int:
        return place - sum(min(place, end) - start for start, end in gone if start < place)

    bold = tuple((moved(start), moved(end)) for start, end in labelled.bold)
    return Inline(parts, bold), [(moved(start), moved(end), note) for start, end, note in links]


def _captioned(inline: Inline, number: int) -> Inline:
    """A caption with its number: ``Table 1: Freight by lane``."""
    before, size = f"Table {number}: ", len(_CAPTION)

    def moved(at: int) -> int:
        return max(at, size) - size + len(before)

    rest = inline.text.slice(size, len(inline.text.text))
    text = Marked(before).decorated(6, len(before) - 2) + rest
    notes = tuple(replace(note, at=moved(note.at)) for note in inline.notes)
    return Inline(text, tuple((moved(start), moved(end)) for start, end in inline.bold if end > size), notes)


def _markup(inline: Inline, links: list[tuple[int, int, Reference]]) -> Iterator[str]:
    """A text as markup."""
    marked = replace(inline, notes=tuple(replace(note, at=start) for start, _, note in links))
    skip = 0
    for part in marked.stretches():
        if isinstance(part, Reference):
            skip = len(str(part.number)) + 2
            link = f'<a href="#n{part.number}" id="r{part.number}" role="doc-noteref">[{part.number}]</a>'
            yield f"<sup>{link}</sup>"
            continue
        text, strong = part[0][skip:], part[1]
        skip = 0
        if text:
            yield f"<strong>{escape(text, quote=False)}</strong>" if strong else escape(text, quote=False)


def _logo(look: Look) -> str:
    """The company's logo, drawn."""
    parts = []
    for shape in shapes(look, white=look.head == "band"):
        points = [(f"{100 * x:g}", f"{100 * (1 - y):g}") for x, y in shape.points]
        if shape.radius is None:
            listed = " ".join(",".join(point) for point in points)
            parts.append(f'<polygon points="{listed}" fill="#{shape.colour}"/>')
        else:
            x, y = points[0]
            parts.append(f'<circle cx="{x}" cy="{y}" r="{100 * shape.radius:g}" fill="#{shape.colour}"/>')
    return f'<svg viewBox="0 0 100 100" width="46" height="46" aria-hidden="true">{"".join(parts)}</svg>'
