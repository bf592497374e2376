"""The places of a Word document (ECMA-376 part 1, WordprocessingML), for its reader and its editor alike.

What a place says is what stands there when all tracked changes are accepted, as a sequence of *leaves*: text elements,
tabs and breaks, with their characters. The reader joins them; the editor changes characters inside them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from workgym.documents.archive import Archive, Element
from workgym.documents.docx.sight import Sight, W, sight
from workgym.documents.limits import LIMITS
from workgym.errors import Unreadable

R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_COMPATIBILITY = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
FALLBACK = f"{_COMPATIBILITY}Fallback"
P, TBL, TR, TC = (f"{W}{name}" for name in ("p", "tbl", "tr", "tc"))
BOX = f"{W}txbxContent"
_RUNS = (f"{W}r", f"{_MATH}r")
TEXTS = frozenset({f"{W}t", f"{_MATH}t"})
STRUCK = frozenset({f"{W}del", f"{W}moveFrom"})
SIGNS = {
    **{f"{W}{name}": "\t" for name in ("tab", "ptab")},
    **{f"{W}{name}": "\n" for name in ("br", "cr")},
    f"{W}noBreakHyphen": "-",
    f"{W}softHyphen": "",
}
APART = STRUCK | {P, BOX, FALLBACK, f"{W}pPr", f"{W}rPr", f"{W}sdtPr"}
"""What stands inside a paragraph without being said by it."""
_WRAPPERS = {
    *(f"{W}{name}" for name in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag")),
    *(f"{_COMPATIBILITY}{name}" for name in ("AlternateContent", "Choice")),
}

Leaf = tuple[Element | None, str]
"""An element that prints something, with its characters; a break or tab between two paragraphs has no element."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A place of a document."""

    at: str
    """Its name: ``p3``, ``t1r2c3``, ``h1``, ``n1``, ``c1``, ``x1``."""
    part: str
    """The part in which it stands."""
    element: Element
    """The paragraph, cell, note, comment or text box."""
    sight: Sight
    """What can be seen there."""
    row: int = 0
    """Row of a cell, from 1."""
    column: int = 0
    """Grid column of a cell, from 1."""
    merged: tuple[int, int] = (1, 1)
    """Rows and columns that a cell takes; (0, 0) for the rest of a cell that began in a row above."""
    line: Element | None = None
    """The table row of a cell."""
    table: Element | None = None
    """The table of a cell."""
    twin: Element | None = None
    """Of a text box, the copy of it that older programs read."""
    hidden: bool = False
    """Whether no page shows it: a note that nothing refers to, a first header of a section without one."""


@dataclass(slots=True)
class Word:
    """A document whose parts are parsed by ``load``, each once.

    Raises :class:`Unreadable` where the container holds no document, and ValueError for damaged numbers.
    """

    archive: Archive
    load: Callable[[str], Element]
    main: str = ""
    roots: dict[str, Element] = field(default_factory=dict)
    """The parts that were looked at."""

    def __post_init__(self) -> None:
        self.main = _main_part(self.archive)

    def root(self, part: str) -> Element:
        """The root of a part."""
        if part not in self.roots:
            self.roots[part] = self.load(part)
        return self.roots[part]

    def body(self) -> Element:
        """The body. Raises :class:`Unreadable` where there is none."""
        body = self.root(self.main).find(f"{W}body")
        if body is None:
            raise Unreadable(self.archive.path, "corrupt", "the document has no body")
        return body

    def spots(self) -> Iterator[Spot]:
        """All places, also those that say nothing: the body, headers and footers, notes, comments."""
        page = sight(self.archive, self.main, self.root(self.main).find(f"{W}background") is None)
        unknown = page.on(None)
        yield from self._body(page, unknown)
        count = {"h": 0, "f": 0}
        for letter, part, shown in self.margins():
            for node in within(self.root(part), P):
                count[letter] += 1
                yield Spot(f"{letter}{count[letter]}", part, node, unknown, hidden=not shown)
        targets = {kind: part for kind, part in self.archive.relations(self.main).values() if part in self.archive}
        number = 0
        for kind, tag in (("footnotes", "footnote"), ("endnotes", "endnote")):
            named = {node.get(f"{W}id") for node in self.root(self.main).iter(f"{W}{tag}Reference")}
            for node in inside(self.root(targets[kind]), f"{W}{tag}") if kind in targets else ():
                if node.get(f"{W}type", "normal") == "normal":
                    number += 1
                    yield Spot(f"n{number}", targets[kind], node, page, hidden=node.get(f"{W}id") not in named)
        if "comments" in targets:
            for number, node in enumerate(inside(self.root(targets["comments"]), f"{W}comment"), 1):
                yield Spot(f"c{number}", targets["comments"], node, unknown)

    def _body(self, page: Sight, unknown: Sight) -> Iterator[Spot]:
        paragraphs = tables = boxes = 0
        for block in blocks(self.body()):
            if block.tag == P:
                paragraphs += 1
                yield Spot(f"p{paragraphs}", self.main, block, page)
            else:
                tables += 1
                yield from self._table(block, f"t{tables}", page)
            if block.find(f".//{BOX}") is not None:
                twins = _twins(block)
                for box in within(block, BOX):
                    boxes += 1
                    yield Spot(f"x{boxes}", self.main, box, unknown, twin=twins.get(id(box)))

    def _table(self, table: Element, name: str, page: Sight) -> Iterator[Spot]:
        found = [*cells(table)]
        going_on, merged_above = set[tuple[int, int]](), set[tuple[int, int]]()
        for row, column, cell, _ in found:
            if _merge(cell) is not None:
                if _merge(cell) == "continue" and (row - 1, column) in merged_above:
                    going_on.add((row, column))
                merged_above.add((row, column))
        for row, column, cell, line in found:
            rows = 0 if (row, column) in going_on else 1
            while rows and (row + rows, column) in going_on:
                rows += 1
            merged = (rows, _span(cell)) if rows else (0, 0)
            sight = page.in_cell(table, line, cell)
            yield Spot(f"{name}r{row}c{column}", self.main, cell, sight, row, column, merged, line, table)

    def margins(self) -> list[tuple[str, str, bool]]:
        """Headers and footers in the order in which the sections name them: ``h`` or ``f``, the part, and whether a
        page shows it: those of first and of even pages are shown where the section or the document has such."""
        targets, shown = self.archive.relations(self.main), dict[tuple[str, str], bool]()
        for letter, tag in (("h", f"{W}headerReference"), ("f", f"{W}footerReference")):
            for section in self.root(self.main).iter(f"{W}sectPr"):
                for node in section.iterfind(tag):
                    part = targets.get(node.get(f"{R}id", ""), ("", ""))[1]
                    if part in self.archive:
                        seen = self._is_shown(node.get(f"{W}type", "default"), section)
                        shown[letter, part] = shown.get((letter, part), False) or seen
        return [(letter, part, seen) for (letter, part), seen in shown.items()]

    def _is_shown(self, kind: str, section: Element) -> bool:
        if kind == "first":
            return _on(section.find(f"{W}titlePg"))
        settings = [part for of, part in self.archive.relations(self.main).values() if of == "settings"]
        if kind == "even" and settings and settings[0] in self.archive:
            return _on(self.archive.xml(settings[0]).find(f"{W}evenAndOddHeaders"))
        return kind != "even"


def _on(mark: Element | None) -> bool:
    return mark is not None and mark.get(f"{W}val", "1") not in ("0", "false", "off")


def _main_part(archive: Archive) -> str:
    for kind, target in archive.relations("").values():
        if kind == "officeDocument" and target in archive and target.startswith("word/"):
            return target
    if "word/document.xml" in archive:
        return "word/document.xml"
    raise Unreadable(archive.path, "corrupt", "it holds no Word document")


def _twins(block: Element) -> dict[int, Element]:
    """The copies of text boxes that older programs read, by the box itself."""
    found: dict[int, Element] = {}
    stack = [*block]
    while stack:
        node = stack.pop()
        older = node.find(FALLBACK) if node.tag == f"{_COMPATIBILITY}AlternateContent" else None
        if older is None:
            stack += node
        else:
            found |= {id(box): copy for box, copy in zip(within(node, BOX), within(older, BOX), strict=False)}
    return found


def within(root: Element, tag: str) -> Iterator[Element]:
    """All elements of a tag below ``root``, in order, but those that only older programs read."""
    stack = [*reversed(root)]
    while stack:
        node = stack.pop()
        if node.tag == tag:
            yield node
        if node.tag != FALLBACK:
            stack += reversed(node)


def blocks(parent: Element, depth: int = 0) -> Iterator[Element]:
    """The paragraphs and tables directly in a body, a cell or a note; content controls are looked through."""
    for child in parent:
        if child.tag in (P, TBL):
            yield child
        elif child.tag in _WRAPPERS and depth < LIMITS.depth:
            yield from blocks(child, depth + 1)


def cells(table: Element) -> Iterator[tuple[int, int, Element, Element]]:
    """Row and grid column, from 1, cell and row element of each cell of a table."""
    for row_number, row in enumerate(inside(table, TR), 1):
        column = 1
        before = row.find(f"{W}trPr/{W}gridBefore")
        if before is not None:
            column += int(before.get(f"{W}val", "0"))
        for cell in inside(row, TC):
            yield row_number, column, cell, row
            column += _span(cell)


def _span(cell: Element) -> int:
    span = cell.find(f"{W}tcPr/{W}gridSpan")
    return 1 if span is None else max(1, int(span.get(f"{W}val", "1")))


def _merge(cell: Element) -> str | None:
    merge = cell.find(f"{W}tcPr/{W}vMerge")
    return None if merge is None else merge.get(f"{W}val", "continue")


def inside(parent: Element, tag: str, depth: int = 0) -> Iterator[Element]:
    """The children of a tag; content controls are looked through."""
    for child in parent:
        if child.tag == tag:
            yield child
        elif child.tag in _WRAPPERS and depth < LIMITS.depth:
            yield from inside(child, tag, depth + 1)


def leaves(element: Element, sight: Sight, depth: int = 0) -> Iterator[Leaf]:
    """What an element says: a line for each paragraph and for each row of a table inside it, tabs between its cells."""
    if element.tag == P:
        yield from _texts(element, sight.in_paragraph(element))
        return
    first = True
    for block in blocks(element):
        lines = [block] if block.tag == P else [*inside(block, TR)] if depth < LIMITS.depth else []
        for line in lines:
            if not first:
                yield None, "\n"
            first = False
            if line.tag == P:
                yield from leaves(line, sight)
                continue
            for number, cell in enumerate(inside(line, TC)):
                if number:
                    yield None, "\t"
                yield from leaves(cell, sight.on(None), depth + 1)


def _texts(parent: Element, sight: Sight, depth: int = 0) -> Iterator[Leaf]:
    """The leaves of a paragraph that can be seen."""
    for child in parent:
        tag = child.tag
        if tag in TEXTS:
            yield child, child.text or ""
        elif tag in SIGNS:
            yield child, SIGNS[tag]
        elif len(child) and tag not in APART and depth < LIMITS.depth:
            if tag in _RUNS and not sight.sees(child):
                continue
            yield from _texts(child, sight, depth + 1)
