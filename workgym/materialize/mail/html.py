"""The HTML alternative of a mail, made from the same text: the same lines, headings, bold words and real tables."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from workgym.materialize.mail.thread import Earlier, attribution
from workgym.materialize.marks import Marked, Span
from workgym.materialize.prose import Block, Inline, inline, is_table, table
from workgym.materialize.text import counted
from workgym.records import Anchor

_HEAD = (
    '<html><head><meta charset="utf-8"><style>body{font-family:Calibri,Arial,sans-serif;font-size:11pt}'
    "td,th{border:1px solid #999;padding:2px 6px;text-align:left}table{border-collapse:collapse}"
    "blockquote{border-left:2px solid #999;margin-left:0;padding-left:8px}</style></head><body>"
)
_LEVEL = re.compile(r"^(#{1,3})\s+")
_BLANKS = re.compile(r"\s+")


class _Page:
    """Grows a page and keeps the anchors; lines are counted as a reader of the page will count them."""

    def __init__(self, path: str) -> None:
        self.path, self.parts = path, list[str]()
        self.anchors: list[Anchor] = []
        self.count = 0

    def line(self, cells: list[Inline], tags: tuple[str, str], between: str = "") -> None:
        """One line of the page: a text, or the cells of a row."""
        kept = [_squeezed(cell) for cell in cells]
        self.parts.append(tags[0] + between.join(map(_marked_up, kept)) + tags[1])
        texts = [cell.text for cell in kept if cell.text.plain]
        if not texts:
            return
        self.count += 1
        whole = texts[0]
        for text in texts[1:]:
            whole = whole + Marked("  ") + text
        self.anchors += whole.anchors(self.path, f"html.l{self.count}")

    def text(self, body: Marked) -> None:
        """The lines of a mail or of one that it quotes."""
        lines, at = counted(body), 0
        while at < len(lines):
            end = _same(lines, at)
            if is_table(lines[at]):
                self.table(table(lines[at:end]))
            elif lines[at].text.strip():
                self.paragraph(lines[at:end])
            at = end

    def paragraph(self, lines: list[Marked]) -> None:
        """Lines that stand together."""
        self.parts.append("<div>")
        for line in lines:
            level = _LEVEL.match(line.text)
            bare = line.slice(level.end(), len(line.text)) if level else line
            if bare.text.endswith("\\"):
                bare = bare.slice(0, len(bare.text) - 1)
            tag = f"h{len(level[1])}" if level else "div"
            self.line([inline(bare.strip())], (f"<{tag}>", f"</{tag}>\n"))
        self.parts.append("</div>\n<br>\n")

    def table(self, block: Block) -> None:
        """A table, its first row as headings."""
        self.parts.append("<table>\n")
        for number, row in enumerate(block.rows):
            tag = "td" if number else "th"
            self.line(list(row), (f"<tr><{tag}>", f"</{tag}></tr>\n"), f"</{tag}><{tag}>")
        self.parts.append("</table>\n<br>\n")

    def quote(self, mails: tuple[Earlier, ...]) -> None:
        """Earlier mails, one within the other."""
        said = [mail for mail in mails if mail.body.text.strip()]
        for mail in said:
            self.line([Inline(attribution(mail))], ("<div>", "</div>\n"))
            self.parts.append("<blockquote>\n")
            self.text(mail.body)
        self.parts += ["</blockquote>\n"] * len(said)


def page(path: str, body: Marked, mails: tuple[Earlier, ...]) -> tuple[str, list[Anchor]]:
    """The page of a mail, and where its values stand on it, at ``html.l3``."""
    made = _Page(path)
    made.text(body)
    made.quote(mails)
    return f"{_HEAD}\n{''.join(made.parts)}</body></html>\n", made.anchors


def _same(lines: list[Marked], at: int) -> int:
    """One past the lines of the same kind: of a table, of a paragraph, or empty ones."""

    def kind(line: Marked) -> int:
        return 2 if is_table(line) else 1 if line.text.strip() else 0

    end = at + 1
    while end < len(lines) and kind(lines[end]) == kind(lines[at]):
        end += 1
    return end


def _squeezed(words: Inline) -> Inline:
    """With one space for each stretch of blanks, as a browser shows it; marks move along."""
    text = words.text.text
    if not any(len(match[0]) > 1 or match[0] != " " for match in _BLANKS.finditer(text)):
        return words
    places, made = list[int](), ""
    for char in text:
        places.append(len(made))
        made += "" if char.isspace() and made.endswith(" ") else " " if char.isspace() else char
    places.append(len(made))
    spans = tuple(Span(places[s.start], places[s.end], s.kind, s.cells) for s in words.text.spans)
    bold = tuple((places[start], places[end]) for start, end in words.bold)
    return Inline(Marked(made, spans), bold)


def _marked_up(words: Inline) -> str:
    return "".join(_runs(words))


def _runs(words: Inline) -> Iterator[str]:
    for text, bold in words.runs():
        escaped = html.escape(text, quote=False)
        yield f"<b>{escaped}</b>" if bold else escaped
