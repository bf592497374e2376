"""The parts of a presentation (ECMA-376 part 1, PresentationML): slides in order, and on each what stands where.

Shapes come as people read them: the title first, then from the top to the bottom and from left to right; those whose
upper edges lie within a tenth of an inch stand beside each other. A group is read as a whole, at its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from workgym.documents import visibility as ink
from workgym.documents.archive import Archive, Element
from workgym.documents.limits import LIMITS, check
from workgym.errors import Unreadable

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_D = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_SHAPES = {f"{P}{name}" for name in ("sp", "graphicFrame", "grpSp", "pic", "cxnSp")}
_TITLES, FOOTERS = ("title", "ctrTitle"), ("dt", "ftr", "sldNum", "hdr")
_BESIDE = 91_440
"""Upper edges within so many EMU (a tenth of an inch) are one row."""
_WIDE, _HIGH = 12_192_000, 6_858_000

UNSEEN = "unseen"
"""An attribute that no file has: :mod:`.sight` sets it on runs that nobody can see."""
_BY_ITSELF = ("slidenum", "datetime")

Kind = Literal["text", "table", "chart", "diagram", "picture"]


class Box(NamedTuple):
    """A rectangle on the slide, in EMU."""

    x: int
    y: int
    width: int
    height: int

    def holds(self, other: Box) -> bool:
        """Whether another one lies within it."""
        across = self.x <= other.x and other.x + other.width <= self.x + self.width
        return across and self.y <= other.y and other.y + other.height <= self.y + self.height

    def touches(self, other: Box) -> bool:
        """Whether both have some of the slide in common."""
        across = self.x < other.x + other.width and other.x < self.x + self.width
        return across and self.y < other.y + other.height and other.y < self.y + self.height


class Shape(NamedTuple):
    """One shape, groups being taken apart."""

    element: Element
    kind: Kind
    place: str | None
    """The type of the placeholder that it fills, or None."""
    hidden: bool
    """Whether it is switched off, or lies outside the slide."""
    note: str
    """What somebody wrote about it for people who cannot see it."""


class Slide(NamedTuple):
    """One slide of the show."""

    number: int
    """From 1, hidden slides counted."""
    part: str
    root: Element
    hidden: bool


class Deck:
    """A presentation whose parts are looked at."""

    def __init__(self, archive: Archive, load: Callable[[str], Element] | None = None) -> None:
        """Open it; ``load`` parses a part. Raises :class:`Unreadable` where the container holds no presentation."""
        self.archive = archive
        self.opened: set[str] = set()
        self._load = load or archive.xml
        self.part = self._main()
        self.root = self.load(self.part)
        size = self.root.find(f"{P}sldSz")
        self.width = _number(size, "cx", _WIDE)
        self.height = _number(size, "cy", _HIGH)
        self._boxes: dict[str, dict[str, Box]] = {}

    def load(self, part: str) -> Element:
        """The root element of a part, which is then one of those that were ``opened``."""
        self.opened.add(part)
        return self._load(part)

    def _main(self) -> str:
        for kind, target in self.archive.relations("").values():
            if kind == "officeDocument" and target in self.archive and target.startswith("ppt/"):
                return target
        if "ppt/presentation.xml" in self.archive:
            return "ppt/presentation.xml"
        raise Unreadable(self.archive.path, "corrupt", "it holds no presentation")

    def slides(self) -> Iterator[Slide]:
        """The slides in the order of the show. Raises Unreadable where one is missing."""
        targets = self.archive.relations(self.part)
        listed = self.root.findall(f"{P}sldIdLst/{P}sldId")
        check(self.archive.path, len(listed), LIMITS.pages, "slides")
        for number, node in enumerate(listed, 1):
            _, part = targets.get(node.get(f"{_R}id", ""), ("", ""))
            root = self.load(part)
            yield Slide(number, part, root, root.get("show", "1") in ("0", "false"))

    def related(self, part: str, kind: str) -> list[str]:
        """The parts of one kind that a part names, in their order."""
        return [name for of, name in self.archive.relations(part).values() if of == kind and name in self.archive]

    def shapes(self, part: str, root: Element) -> list[Shape]:
        """The shapes of a slide, of its notes or of a master, in reading order."""
        tree = root.find(f"{P}cSld/{P}spTree")
        if tree is None:
            return []
        found = list(self._ordered(tree, self._inherited(part), 0, False))
        check(self.archive.path, len(found), LIMITS.cells, "shapes")
        return [s for s in found if s.place in _TITLES] + [s for s in found if s.place not in _TITLES]

    def stacked(self, part: str, root: Element) -> list[tuple[Box | None, Element]]:
        """The shapes directly on a slide, the lowest first, each with its rectangle where that is known."""
        tree = root.find(f"{P}cSld/{P}spTree")
        known = self._inherited(part)
        return [(_box(one) or _inherit(one, known), one) for one in (_children(tree) if tree is not None else ())]

    def chart(self, slide: str, shape: Shape) -> str | None:
        """The part of a chart, or None where it is missing."""
        node = shape.element.find(f".//{C}chart")
        name = "" if node is None else node.get(f"{_R}id", "")
        part = self.archive.relations(slide).get(name, ("", ""))[1]
        return part if part in self.archive else None

    def diagram(self, slide: str, shape: Shape) -> str | None:
        """The part with the texts of a diagram, or None where it is missing."""
        node = shape.element.find(f".//{_D}relIds")
        name = "" if node is None else node.get(f"{_R}dm", "")
        part = self.archive.relations(slide).get(name, ("", ""))[1]
        return part if part in self.archive else None

    def _inherited(self, part: str) -> dict[str, Box]:
        """Where placeholders stand that say nothing of it themselves: by ``idx`` of the layout, then by type."""
        boxes: dict[str, Box] = {}
        for kind in ("notesMaster", "slideLayout"):
            for layout in self.related(part, kind)[:1]:
                for master in self.related(layout, "slideMaster")[:1]:
                    boxes |= self._placeholders(master)
                boxes |= self._placeholders(layout)
        return boxes

    def _placeholders(self, part: str) -> dict[str, Box]:
        if part not in self._boxes:
            found = {}
            for shape in self.load(part).iter(f"{P}sp"):
                mark, box = shape.find(f"{P}nvSpPr/{P}nvPr/{P}ph"), _box(shape)
                if mark is not None and box is not None:
                    found[general(mark.get("type", "obj"))] = box
                    found[f"#{mark.get('idx', '0')}"] = box
            self._boxes[part] = found
        return self._boxes[part]

    def _ordered(self, tree: Element, known: dict[str, Box], depth: int, hidden: bool) -> Iterator[Shape]:
        placed = []
        for element in _children(tree):
            box = _box(element) or _inherit(element, known) or Box(0, 0, 0, 0)
            placed.append((box, element))
        for box, element in _rows(placed):
            about = element[0].find(f"{P}cNvPr") if len(element) else None
            off = about is not None and about.get("hidden") in ("1", "true")
            off = hidden or off or (depth == 0 and self._outside(box))
            if element.tag == f"{P}grpSp":
                if depth < LIMITS.depth:
                    yield from self._ordered(element, known, depth + 1, off)
                continue
            note = "" if about is None else about.get("descr", "").strip()
            yield Shape(element, _kind(element), _placeholder(element), off, note)

    def _outside(self, box: Box) -> bool:
        across = box.x >= self.width or (box.width > 0 and box.x + box.width <= 0)
        return across or box.y >= self.height or (box.height > 0 and box.y + box.height <= 0)


def _children(tree: Element) -> Iterator[Element]:
    """The shapes directly in a tree; of alternatives the first."""
    for child in tree:
        if child.tag in _SHAPES:
            yield child
        elif child.tag == f"{_MC}AlternateContent":
            chosen = child.find(f"{_MC}Choice")
            yield from (node for node in (chosen if chosen is not None else ()) if node.tag in _SHAPES)


def _rows(placed: list[tuple[Box, Element]]) -> Iterator[tuple[Box, Element]]:
    row: list[tuple[Box, Element]] = []
    for one in sorted(placed, key=lambda one: one[0].y):
        if row and one[0].y - row[0][0].y > _BESIDE:
            yield from sorted(row, key=lambda other: other[0].x)
            row = []
        row.append(one)
    yield from sorted(row, key=lambda other: other[0].x)


def _number(node: Element | None, name: str, default: int = 0) -> int:
    raw = None if node is None else node.get(name)
    return default if raw is None else int(raw)


def _box(element: Element) -> Box | None:
    for way in (f"{P}spPr/{A}xfrm", f"{P}xfrm", f"{P}grpSpPr/{A}xfrm"):
        frame = element.find(way)
        if frame is not None:
            offset, extent = frame.find(f"{A}off"), frame.find(f"{A}ext")
            if offset is not None:
                return Box(_number(offset, "x"), _number(offset, "y"), _number(extent, "cx"), _number(extent, "cy"))
    return None


def general(kind: str) -> str:
    """The kind of placeholder that one of some kind takes its place and look from."""
    return {"ctrTitle": "title", "obj": "body", "subTitle": "body"}.get(kind, kind)


def placeholder_mark(element: Element) -> Element | None:
    """What says that a shape is a placeholder, and of which kind; None where it is none."""
    return element[0].find(f"{P}nvPr/{P}ph") if len(element) else None


def _placeholder(element: Element) -> str | None:
    mark = placeholder_mark(element)
    return None if mark is None else mark.get("type", "obj")


def _inherit(element: Element, known: dict[str, Box]) -> Box | None:
    mark = placeholder_mark(element)
    if mark is None:
        return None
    return known.get(f"#{mark.get('idx', '0')}") or known.get(general(mark.get("type", "obj")))


def _kind(element: Element) -> Kind:
    if element.tag == f"{P}sp":
        return "text"
    data = element.find(f"{A}graphic/{A}graphicData") if element.tag == f"{P}graphicFrame" else None
    for child in data if data is not None else ():
        if child.tag == f"{A}tbl":
            return "table"
        if child.tag == f"{C}chart":
            return "chart"
        if child.tag == f"{_D}relIds":
            return "diagram"
    return "picture"


def paragraphs(body: Element | None) -> list[Element]:
    """The paragraphs of a text body."""
    return [] if body is None else body.findall(f"{A}p")


def body_of(shape: Shape) -> Element | None:
    """The text body of a shape, or None."""
    return shape.element.find(f"{P}txBody")


def cells(table: Element) -> Iterator[tuple[int, int, Element, Element]]:
    """Row and column from 1, cell and row element, of each cell of a table; covered ones count and are empty."""
    for row_number, row in enumerate(table.findall(f"{A}tr"), 1):
        for column, cell in enumerate(row.findall(f"{A}tc"), 1):
            yield row_number, column, cell, row


def texts(paragraph: Element, depth: int = 0) -> Iterator[tuple[Element, str]]:
    """The leaves of a paragraph that print something that somebody wrote, each with its text, in order.

    The number of the slide and the date of the day, which fill themselves in, are left out, and so are letters too
    small to see.
    """
    for child in paragraph:
        if child.tag == f"{A}br":
            yield child, "\n"
        elif child.tag in (f"{A}r", f"{A}fld") and not child.get("type", "").startswith(_BY_ITSELF):
            leaf = child.find(f"{A}t")
            if leaf is not None and not speck(child):
                yield leaf, leaf.text or ""
        elif child.tag == f"{_MC}AlternateContent" and depth < LIMITS.depth:
            other = child.find(f"{_MC}Fallback")
            if other is not None:
                yield from texts(other, depth + 1)


def speck(run: Element) -> bool:
    """Whether the letters of a run are too small to see, or marked as unseen."""
    if run.get(UNSEEN):
        return True
    size = run.find(f"{A}rPr")
    written = None if size is None else size.get("sz")
    return written is not None and written.isdecimal() and int(written) < 100 * ink.SMALLEST  # hundredths of a point


def body_text(body: Element | None) -> str:
    """What a text body says: a line for each paragraph."""
    return "\n".join("".join(text for _, text in texts(paragraph)) for paragraph in paragraphs(body))
