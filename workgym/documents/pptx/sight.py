"""What a person can see on a slide: letters in the colour of what lies behind them, letters too small, covered shapes.

Colours and sizes come from the run, else from the list styles of its body, of the layout's and master's placeholder,
the master's text styles, the shape's own style, and the theme. What is not known for sure can be read: mixed colours
(``lumMod``), gradients, patterns, pictures, tables with a style, links, shapes in groups that have no fill
of their own, and what covers what on slides that move (``timing``).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from workgym.documents import visibility as ink
from workgym.documents.archive import Element
from workgym.documents.pptx.slides import UNSEEN, A, Box, Deck, P, Slide, general, placeholder_mark

_CLEAR = "clear"
_UNKNOWN = "?"
"""A colour that is there and cannot be told."""
_FILLS = tuple(f"{A}{name}" for name in ("solidFill", "noFill", "gradFill", "blipFill", "pattFill", "grpFill"))
_NAMED = {"white": ink.WHITE, "black": ink.BLACK}
_USUAL = {"bg1": "lt1", "tx1": "dk1", "bg2": "lt2", "tx2": "dk2"}
_MOST = 500
"""Shapes of a slide that are compared with one another."""
_FIRST_GROUND = ("1", "1001")
"""The first fills of a theme for shapes and grounds: the colour that is named, flat."""


def shown(deck: Deck) -> Iterator[Slide]:
    """The slides of a deck; runs that nobody can see are marked (``UNSEEN``)."""
    for slide in deck.slides():
        _Sheet(deck, slide).mark()
        yield slide


class _Look(NamedTuple):
    colour: str
    size: int
    """In hundredths of a point; 0 where it is not known."""


class _Sheet:
    """One slide with what it takes from its layout, master and theme."""

    def __init__(self, deck: Deck, slide: Slide) -> None:
        self.deck, self.slide = deck, slide
        self.chain = [(slide.part, slide.root)]
        for kind in ("slideLayout", "slideMaster"):
            for part in deck.related(self.chain[-1][0], kind)[:1]:
                self.chain.append((part, deck.load(part)))
        self.master = self.chain[2][1] if len(self.chain) == 3 else None
        self.palette = self._palette()
        self.models = [_models(root) for _, root in self.chain[1:]]
        self.stack = [one for part, root in reversed(self.chain) for one in self._layer(part, root)]
        self.ground = next(filter(None, (self._background(root) for _, root in self.chain)), ink.WHITE)

    def mark(self) -> None:
        """Mark the runs that cannot be seen."""
        first = len(self.stack) - len(self.deck.stacked(*self.chain[0]))
        moves = self.slide.root.find(f"{P}timing") is not None
        for at in range(first, len(self.stack)):
            box, element = self.stack[at]
            covered = not moves and box is not None and len(self.stack) <= _MOST and self._covered(at, box)
            for shape in element.iter(f"{P}sp"):
                own = shape is element
                self._mark_body(shape, at if own else None, covered)
            for cell in element.iter(f"{A}tc"):
                self._mark_cell(cell, covered)

    def _layer(self, part: str, root: Element) -> list[tuple[Box | None, Element]]:
        """The shapes of a slide, or those of its layout or master that stand there by themselves."""
        found = self.deck.stacked(part, root)
        return found if root is self.slide.root else [one for one in found if placeholder_mark(one[1]) is None]

    def _mark_body(self, shape: Element, at: int | None, covered: bool) -> None:
        body = shape.find(f"{P}txBody")
        paper: str | None = None
        usual: dict[str, _Look] = {}
        for paragraph in body.iterfind(f"{A}p") if body is not None else ():
            properties = paragraph.find(f"{A}pPr")
            level = "0" if properties is None else properties.get("lvl", "0")
            for run in _runs(paragraph):
                if level not in usual:
                    usual[level] = self._usual(shape, body, int(level) + 1)
                look = self._look(run, usual[level])
                if paper is None and look.colour not in (_CLEAR, _UNKNOWN):
                    paper = self._paper(shape, at)
                if covered or _unseen(look, paper or _UNKNOWN):
                    run.set(UNSEEN, "1")

    def _mark_cell(self, cell: Element, covered: bool) -> None:
        properties = cell.find(f"{A}tcPr")
        paper = _UNKNOWN if properties is None else self._fill(properties) or _UNKNOWN
        for run in (run for paragraph in cell.iter(f"{A}p") for run in _runs(paragraph)):
            own = run.find(f"{A}rPr")
            colour = _UNKNOWN if own is None else self._fill(own) or _UNKNOWN
            if covered or _unseen(_Look(colour, 0), paper):
                run.set(UNSEEN, "1")

    def _look(self, run: Element, usual: _Look) -> _Look:
        """The colour and size of a run's letters; ``usual`` are those of its paragraph."""
        own = run.find(f"{A}rPr")
        if own is None:
            return usual
        if own.find(f"{A}hlinkClick") is not None:
            return _Look(_UNKNOWN, 0)
        return _Look(self._fill(own) or usual.colour, int(own.get("sz", usual.size)))

    def _usual(self, shape: Element, body: Element | None, level: int) -> _Look:
        """The colour and size of letters at a level of a shape's text that say nothing of it themselves."""
        mark = placeholder_mark(shape)
        near = None if body is None else body.find(f"{A}lstStyle")
        far = [model.find(f"{P}txBody/{A}lstStyle") for model in self._model(mark)]
        far += [self._master_style(mark), self.deck.root.find(f"{P}defaultTextStyle")]
        reference = shape.find(f"{P}style/{A}fontRef") if mark is None else None
        colours, sizes = list[str | None](), list[int]()
        for style in (near, *far):
            node = None if style is None else style.find(f"{A}lvl{level}pPr/{A}defRPr")
            if node is not None:
                colours.append(self._fill(node))
                sizes.append(int(node.get("sz", "0")))
            if style is near and reference is not None:
                colours.append(self._colour(reference))
        return _Look(next(filter(None, colours), self._scheme("tx1")), next(filter(None, sizes), 0))

    def _master_style(self, mark: Element | None) -> Element | None:
        if self.master is None:
            return None
        kind = "other" if mark is None else general(mark.get("type", "obj"))
        name = {"title": "titleStyle", "body": "bodyStyle"}.get(kind, "otherStyle")
        return self.master.find(f"{P}txStyles/{P}{name}")

    def _model(self, mark: Element | None) -> list[Element]:
        """The placeholders of layout and master that a shape fills."""
        if mark is None:
            return []
        keys = (f"#{mark.get('idx', '0')}", general(mark.get("type", "obj")))
        found = ([models[key] for key in keys if key in models][:1] for models in self.models)
        return [model for one in found for model in one]

    def _paper(self, shape: Element, at: int | None) -> str:
        """The colour behind the letters of a shape; ``at`` is its place in the stack, None within a group."""
        for one in (shape, *self._model(placeholder_mark(shape))):
            properties = one.find(f"{P}spPr")
            fill = None if properties is None else self._fill(properties)
            if fill is not None and fill != _CLEAR:
                return fill
            if fill == _CLEAR:
                break
            reference = one.find(f"{P}style/{A}fillRef")
            if reference is not None and reference.get("idx", "0") != "0":
                return (self._colour(reference) or _UNKNOWN) if reference.get("idx") in _FIRST_GROUND else _UNKNOWN
        if at is None or len(self.stack) > _MOST or self.stack[at][0] is None:
            return _UNKNOWN
        box = self.stack[at][0]
        assert box is not None
        for under, element in reversed(self.stack[:at]):
            if under is None or (under.touches(box) and _paints(element)):
                return self._over(under, box, element)
        return self.ground

    def _over(self, under: Box | None, box: Box, element: Element) -> str:
        """The colour of a shape that lies under the whole of a box."""
        properties = element.find(f"{P}spPr")
        if under is None or properties is None or not under.holds(box) or not _straight(properties):
            return _UNKNOWN
        fill = self._fill(properties)
        return _UNKNOWN if fill in (None, _CLEAR) else fill or _UNKNOWN

    def _covered(self, at: int, box: Box) -> bool:
        """Whether a flat shape lies over the whole of a box."""
        for over, element in self.stack[at + 1 :]:
            properties = element.find(f"{P}spPr") if element.tag == f"{P}sp" else None
            if over is None or properties is None or not over.holds(box) or not _straight(properties):
                continue
            if self._fill(properties) not in (None, _CLEAR, _UNKNOWN) and not _off(element):
                return True
        return False

    def _background(self, root: Element) -> str | None:
        node = root.find(f"{P}cSld/{P}bg")
        if node is None:
            return None
        properties, reference = node.find(f"{P}bgPr"), node.find(f"{P}bgRef")
        if properties is not None:
            return self._fill(properties) or _UNKNOWN
        flat = reference is not None and reference.get("idx") in _FIRST_GROUND
        return (self._colour(reference) or _UNKNOWN) if reference is not None and flat else _UNKNOWN

    def _fill(self, properties: Element) -> str | None:
        """The colour of a fill, ``clear`` for none at all, ``?`` for others; None where nothing is said."""
        for child in properties:
            if child.tag in _FILLS:
                if child.tag == f"{A}solidFill":
                    return self._colour(child) or _UNKNOWN
                return _CLEAR if child.tag == f"{A}noFill" else _UNKNOWN
        return None

    def _colour(self, holder: Element) -> str | None:
        """The colour that stands in an element; None where there is none."""
        for child in holder:
            kind = child.tag.rpartition("}")[2]
            if len(child):
                clear = child.find(f"{A}alpha")
                return _CLEAR if clear is not None and clear.get("val") in ("0", "0%") else _UNKNOWN
            written = child.get("lastClr") if kind == "sysClr" else child.get("val", "")
            if kind == "schemeClr":
                return self._scheme(written or "")
            if kind in ("srgbClr", "sysClr", "prstClr"):
                return ink.colour(written) or _NAMED.get(written or "", _UNKNOWN)
            return _UNKNOWN
        return None

    def _scheme(self, name: str) -> str:
        return self.palette.get(name, _UNKNOWN)

    def _palette(self) -> dict[str, str]:
        """The theme's colours by the names that slides use."""
        if self.master is None:
            return {}
        found: dict[str, str] = {}
        for part in self.deck.related(self.chain[2][0], "theme")[:1]:
            scheme = self.deck.load(part).find(f"{A}themeElements/{A}clrScheme")
            for node in scheme if scheme is not None else ():
                for child in node:
                    written = child.get("lastClr") or child.get("val")
                    found[node.tag.rpartition("}")[2]] = ink.colour(written) or _UNKNOWN
        names = self.master.find(f"{P}clrMap")
        mapping = dict(_USUAL if names is None else names.attrib)
        for _, root in reversed(self.chain[:2]):
            other = root.find(f"{P}clrMapOvr/{A}overrideClrMapping")
            mapping |= {} if other is None else other.attrib
        return found | {name: found.get(of, _UNKNOWN) for name, of in mapping.items()}


def _models(root: Element) -> dict[str, Element]:
    """The placeholders of a layout or master, by number and by type."""
    found: dict[str, Element] = {}
    for shape in root.iter(f"{P}sp"):
        mark = placeholder_mark(shape)
        if mark is not None:
            found.setdefault(general(mark.get("type", "obj")), shape)
            if mark.get("idx"):
                found[f"#{mark.get('idx')}"] = shape
    return found


def _runs(paragraph: Element) -> Iterator[Element]:
    return (child for child in paragraph if child.tag in (f"{A}r", f"{A}fld"))


def _unseen(look: _Look, paper: str) -> bool:
    if look.colour == _CLEAR or 0 < look.size < 100 * ink.SMALLEST:
        return True
    return _UNKNOWN not in (look.colour, paper) and paper != _CLEAR and ink.unseen(look.colour, paper)


def _paints(element: Element) -> bool:
    """Whether a shape may put colour on what lies under it: not a box of text without a fill, nor a line."""
    if element.tag == f"{P}cxnSp" or _off(element):
        return False
    properties = element.find(f"{P}spPr")
    if element.tag != f"{P}sp" or properties is None:
        return True
    said = [child.tag for child in properties if child.tag in _FILLS]
    styled = element.find(f"{P}style/{A}fillRef")
    if said:
        return said[0] != f"{A}noFill"
    return (styled is not None and styled.get("idx", "0") != "0") or placeholder_mark(element) is not None


def _straight(properties: Element) -> bool:
    """Whether a shape is a rectangle that is not turned."""
    frame, form = properties.find(f"{A}xfrm"), properties.find(f"{A}prstGeom")
    return (frame is None or frame.get("rot", "0") == "0") and form is not None and form.get("prst") == "rect"


def _off(element: Element) -> bool:
    about = element[0].find(f"{P}cNvPr") if len(element) else None
    return about is not None and about.get("hidden") in ("1", "true")
