"""A web page as places: its blocks of text, its tables as grids, its title, and what it holds without showing it.

What browsers do with sloppy pages is done here (HTML standard, 13.2.6, without moving nodes about): ``p``, ``li``,
``td`` and the like end where another one begins, ends without a beginning are passed over, ``b`` and ``i`` may be
crossed. Blocks are counted alike, whatever their element: a run of text between two block-level tags is one; an empty
``p``, heading or list item is counted, too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from workgym.documents import visibility as ink
from workgym.documents.html import css as webcss
from workgym.documents.html.grid import Table
from workgym.documents.html.lines import Block, Element, shown
from workgym.documents.html.markup import SPACE, Token, comment_text, tokens, unescaped
from workgym.documents.limits import LIMITS, check
from workgym.documents.model import Fragment
from workgym.errors import Unreadable

_VOID = frozenset(
    "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr".split()
)
_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
COUNTED = _HEADINGS | frozenset("p li dt dd pre listing blockquote".split())
"""Elements that are places also when they are empty."""
_CLOSES_P = COUNTED | frozenset(
    "address article aside center details dialog dir div dl fieldset figcaption figure footer form header hgroup hr "
    "main menu nav ol search section summary table ul xmp plaintext".split()
)
_PARTS = frozenset("caption colgroup thead tbody tfoot tr td th".split())
_BLOCKS = _CLOSES_P | _PARTS | frozenset("html body legend option optgroup svg text".split())
_BOUNDS = frozenset("table td th caption html".split())
"""Elements that an end tag inside does not end."""
_ENDED_BY = {part: frozenset(("table",)) for part in _PARTS} | {
    "table": frozenset(),
    "li": _BOUNDS | {"ul", "ol", "menu"},
}
_AROUND_P = _BOUNDS | {"object", "template", "button"}
_AROUND_ITEM = _BLOCKS - COUNTED - {"address", "div"} | {"blockquote", "pre"}
_APART = frozenset("main article section aside nav dialog td th".split())
"""Elements whose headers and footers are not the page's."""
_UNSEEN = frozenset("template noscript object video audio canvas datalist math-annotation".split())
_ASIDE = ("alt", "title", "aria-label", "aria-description", "placeholder", "value", "summary", "content", "label")
_DULL = frozenset("viewport generator theme-color robots color-scheme format-detection referrer".split())
_TYPES = frozenset("checkbox radio submit button reset image".split())
_VALUED = frozenset("input data param".split())
_STYLED = {"h1": "heading 1", "h2": "heading 2", "h3": "heading 3", "h4": "heading 4", "h5": "heading 5"}
_STYLED |= {"h6": "heading 6", "li": "list item", "caption": "caption"}
_OPEN = 300
_BLANKS = re.compile(r"[\t\n\f\r ]*")


class Page:
    """A page that was read. Raises :class:`Unreadable` where it is over the limits or cut off."""

    def __init__(self, path: str, source: str, *, whole: bool = True) -> None:
        """Not ``whole``, a page that is cut off is what there is of it."""
        self.path, self.source = path, source
        self.blocks: list[Block] = []
        self.tables: list[Table] = []
        self.title: Block | None = None
        self.asides: list[Fragment] = []
        self._counts: Counter[str] = Counter()
        self._sheets = webcss.Sheets()
        self._root = Element("", 0, 0, None, paper=ink.WHITE)
        self._stack = [self._root]
        self._open: Counter[str] = Counter()
        self._grids: list[Table] = []
        self._run: Block | None = None
        self._pieces = 0
        try:
            for token in tokens(path, source):
                self._take(token)
        except Unreadable as error:
            if whole or error.reason != "truncated":
                raise
        while len(self._stack) > 1:
            self._pop(len(source), len(source))
        for block in self.blocks:
            block.trim()
        for table in self.tables:
            table.spread()

    def _take(self, token: Token) -> None:
        if token.kind == "text":
            self._text(token.start, token.end)
        elif token.kind == "start":
            self._start(token)
        elif token.kind == "end":
            self._end(token)
        elif token.kind == "comment":
            self._aside("c", comment_text(self.source, token), None)
        else:
            self._raw(token)

    @property
    def _top(self) -> Element:
        return self._stack[-1]

    # text

    def _text(self, start: int, end: int) -> None:
        element = self._top
        block = element.cell or self._run
        blank = _BLANKS.match(self.source, start, end)
        if blank is not None and blank.end() == end and (block is None or element.hidden):
            return
        if block is None:
            block = self._run = self._block(element.container or element)
        if element.hidden and not block.hidden:
            block.aside.append(unescaped(" ".join(self.source[start:end].split())))
        else:
            most = 3 * LIMITS.cells
            self._pieces += block.add(self.source, start, end, element.kept, most - self._pieces)
            check(self.path, self._pieces, most, "lines and references to characters")

    def _block(self, element: Element, at: str | None = None) -> Block:
        """A new place, numbered by the kind of its zone unless ``at`` says what it is."""
        if at is None:
            self._counts[element.zone] += 1
            at = f"{element.zone}{self._counts[element.zone]}"
            check(self.path, self._counts[element.zone], LIMITS.lines, "paragraphs")
        check(self.path, len(self.blocks), LIMITS.cells, "paragraphs and cells")
        block = Block(at, element, label=element.label, hidden=element.hidden)
        self.blocks.append(block)
        return block

    def _line_ends(self) -> None:
        """What follows stands on another line."""
        self._run = None
        if self._top.cell is not None:
            self._top.cell.ends_line()

    # elements

    def _start(self, token: Token) -> None:
        name = token.name
        if name in _PARTS:
            if not self._grids or not self._open["table"]:
                return
            self._make_room(name, token.start)
        elif name in _CLOSES_P:
            self._close("p", token.start, _AROUND_P)
        if name in ("li", "dd", "dt"):
            for other in ("li",) if name == "li" else ("dd", "dt"):
                self._close(other, token.start, _AROUND_ITEM)
        elif (name in _HEADINGS and self._top.name in _HEADINGS) or name == self._top.name == "option":
            self._pop(token.start, token.start)
        if name in _BLOCKS:
            self._line_ends()
        if name in ("html", "body", "head") and self._open[name]:
            return
        self._shown(name, token.attributes)
        if name in _VOID or (self.source.endswith("/", 0, token.end - 1) and self._open["svg"]):
            self._void(token)
            return
        self._push(name, token.start, token.end, token.attributes)

    def _push(self, name: str, start: int, inner: int, attributes: Mapping[str, str]) -> None:
        parent = self._top
        element = Element(
            name, start, inner, parent, parent.hidden, parent.kept, parent.paper, parent.zone, parent.cell
        )
        element.first = len(self.blocks)
        element.hidden = element.hidden or name in _UNSEEN or self._sheets.hide(name, attributes)
        element.kept = element.kept or name in ("pre", "listing", "textarea")
        if self._sheets.coloured:
            element.paper = None
        if attributes or name == "dialog":
            self._styled(element, attributes)
        element.container = element if name in _BLOCKS else parent.container
        element.label = _STYLED.get(name, parent.label)
        element.apart = parent.apart or name in _APART
        element.notes = parent.notes or (bool(attributes) and attributes.get("role") == "doc-endnotes")
        if name in ("header", "footer") and not parent.apart:
            element.zone = name[0]
        elif name == "li" and element.notes:
            element.zone, element.label = "n", None
        if name == "table":
            self._grids.append(Table(len(self.tables) + 1, element))
            self.tables.append(self._grids[-1])
        elif name == "tr":
            self._grids[-1].add_row(self.path, element)
        elif name in ("td", "th"):
            element.cell = self._cell(element, attributes)
        elif name == "li" and element.notes:
            element.cell = self._block(element)
        self._stack.append(element)
        self._open[name] += 1
        check(self.path, len(self._stack), _OPEN, "elements one in another")

    def _styled(self, element: Element, attributes: Mapping[str, str]) -> None:
        """What the attributes of an element say about how it looks."""
        style = webcss.declarations(attributes["style"]) if "style" in attributes else {}
        element.paper = None if attributes.get("bgcolor") else webcss.paper(style, element.paper)
        element.hidden = (
            element.hidden
            or "hidden" in attributes
            or (element.name == "dialog" and "open" not in attributes)
            or webcss.hides(style)
            or ink.unseen(webcss.colour(style.get("color") or attributes.get("color")), element.paper)
        )
        if "white-space" in style:
            element.kept = style["white-space"] in ("pre", "pre-wrap")

    def _cell(self, element: Element, attributes: Mapping[str, str]) -> Block:
        table = self._grids[-1]
        column = table.add_cell(self.path, element, attributes.get("colspan", ""), attributes.get("rowspan", ""))
        block = self._block(element, f"{table.name}r{len(table.rows)}c{column}")
        block.table, block.row, block.column, block.label = table.name, len(table.rows), column, None
        table.rows[-1].cells[-1].block = block
        return block

    def _make_room(self, name: str, start: int) -> None:
        """End what a part of a table ends, and begin the row that a cell lies in."""
        keep = {"td": "tr", "th": "tr", "tr": "tbody thead tfoot"}.get(name, "").split()
        while self._top.name != "table" and self._top.name not in keep:
            self._pop(start, start)
        if name in ("thead", "tbody", "tfoot"):
            self._grids[-1].ends_group()
        if name in ("td", "th") and self._top.name != "tr":
            self._push("tr", start, start, {})

    def _close(self, name: str, start: int, bounds: frozenset[str]) -> None:
        """End an open element of this name, where none of ``bounds`` stands between."""
        if not self._open[name]:
            return
        for element in reversed(self._stack):
            if element.name == name:
                while self._top is not element:
                    self._pop(start, start)
                self._pop(start, start)
                return
            if element.name in bounds:
                return

    def _pop(self, close: int, end: int) -> None:
        element = self._stack.pop()
        self._open[element.name] -= 1
        element.close, element.end = close, end
        if element.name in _BLOCKS:
            self._run = None
            if element.cell is not None:
                element.cell.ends_line()
        if element.name in COUNTED and element.cell is None and element.first == len(self.blocks):
            self._block(element)
        if element.name == "table":
            self._grids.pop()
        element.last = len(self.blocks)

    def _end(self, token: Token) -> None:
        name = token.name
        if name == "p" and not self._open["p"]:
            self._line_ends()
            return
        if name == "br":
            self._void(token)
            return
        names = _HEADINGS if name in _HEADINGS else {name}
        if not any(self._open[one] for one in names) or name in ("html", "body"):
            return
        for at in range(len(self._stack) - 1, 0, -1):
            element = self._stack[at]
            if element.name in names:
                break
            if element.name in _ENDED_BY.get(name, _BOUNDS):
                return
        else:
            return
        if name not in _BLOCKS and any(other.name in _BLOCKS for other in self._stack[at + 1 :]):
            del self._stack[at]
            self._open[name] -= 1
            element.close, element.end, element.last = token.start, token.end, len(self.blocks)
            return
        while self._top is not element:
            self._pop(token.start, token.start)
        self._pop(token.start, token.end)

    def _void(self, token: Token) -> None:
        block = self._top.cell or self._run
        if token.name == "br" and block is not None and not (self._top.hidden and not block.hidden):
            block.breaks(token.start, token.end)

    # what is not text

    def _shown(self, name: str, attributes: Mapping[str, str]) -> None:
        """What attributes say to whoever looks for it."""
        if name == "link" and "stylesheet" in attributes.get("rel", "").lower():
            self._sheets.coloured = True
        key = attributes.get("name") or attributes.get("property") or ""
        if name == "meta":
            if key and key.lower() not in _DULL:
                self._aside("m", attributes.get("content", ""), f"meta.{key.lower()}")
            return
        for attribute, value in attributes.items():
            if attribute in _ASIDE or attribute.startswith("data-"):
                mute = name not in _VALUED or attributes.get("type", "").lower() in _TYPES
                if attribute == "value" and mute:
                    continue
                self._aside("a", value, f"{name}.{attribute}")

    def _raw(self, token: Token) -> None:
        written = self.source[token.start : token.end]
        if token.name == "title" and not self._open["svg"] and self.title is None:
            self.title = Block("title", self._top, label="title")
            self.title.add(self.source, token.start, token.end, kept=False, most=LIMITS.lines)
        elif token.name == "textarea":
            self._text(token.start, token.end)
        elif token.name == "style":
            self._sheets.add(written)
            for said in webcss.said(written):
                self._aside("y", said, "style")
        else:
            self._aside("x", written.strip(SPACE), token.name)

    def _aside(self, letter: str, text: str, label: str | None) -> None:
        if text.strip():
            self._counts[letter] += 1
            check(self.path, len(self.asides), LIMITS.lines, "comments, attributes and scripts")
            at = f"{letter}{self._counts[letter]}"
            self.asides.append(Fragment(at=at, text=shown(text.strip()), label=label, hidden=True))
