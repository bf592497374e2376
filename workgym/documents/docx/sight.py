"""What a person can see in a Word document: the look of its letters on what lies behind them, styles included.

A run takes its look from itself, else from its own style, that of its paragraph, and the document's defaults. Colours
are compared where both are known: not over pictures, in headers and text boxes, on patterns, and not where a table's
style may colour cells.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from workgym.documents import visibility as ink
from workgym.documents.archive import Archive, Element

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_UNKNOWN = "?"
_STYLE = re.compile(rb"<(?:\w+:)?style\s[^<>]*(?<!/)>|</(?:\w+:)?style\s*>")
_TABLE = re.compile(rb"""\stype=["']table["']|:type=["']table["']""")
_NAME = re.compile(rb"""[\s:]styleId=["']([^"']*)["']""")
_BASE = re.compile(rb"""<(?:\w+:)?basedOn\s[^<>]*val=["']([^"']*)["']""")
_DEEPEST = 50
"""Styles based on one another."""


class Look(NamedTuple):
    """What a style or run says of its letters; None each where it says nothing."""

    vanish: bool | None = None
    """Whether they are hidden."""
    size: int | None = None
    """Their height in half points."""
    colour: str | None = None
    """Their colour as it is written."""
    ground: str | None = None
    """The colour behind them, ``?`` where it cannot be told."""

    def over(self, other: Look) -> Look:
        """What both say together, this one first."""
        return Look(
            other.vanish if self.vanish is None else self.vanish,
            other.size if self.size is None else self.size,
            other.colour if self.colour is None else self.colour,
            other.ground if self.ground is None else self.ground,
        )


class Styles:
    """The styles of a document, looked at when something has one."""

    def __init__(self, archive: Archive, part: str | None) -> None:
        """Read them from their part, if there is one. Raises :class:`workgym.errors.Unreadable`."""
        content, self._tables = (b"", dict[str, bytes]()) if part is None else _without_tables(archive.read(part))
        root = None if part is None else archive.parsed(part, content)
        usual = None if root is None else root.find(f"{W}docDefaults/{W}rPrDefault/{W}rPr")
        self._base = Look() if usual is None else _written(usual)
        nodes = () if root is None else root.iterfind(f"{W}style")
        self._nodes = {node.get(f"{W}styleId", ""): node for node in nodes}
        self._looks: dict[str, Look] = {}
        usual_paragraph = (name for name, node in self._nodes.items() if _is_default(node))
        self.usual = self.paragraph(next(usual_paragraph, ""))
        """The look of a paragraph that has no style."""

    def paragraph(self, name: str) -> Look:
        """The look of letters in a paragraph of a style; the document's defaults where it is not there."""
        return self.characters(name).over(self._base)

    def characters(self, name: str) -> Look:
        """What a style itself says, with what it is based on."""
        if name not in self._looks:
            look = Look()
            for node in self._chain(name):
                run = node.find(f"{W}rPr")
                own = Look() if run is None else _written(run)
                look = look.over(own).over(Look(ground=_ground(node.find(f"{W}pPr/{W}shd"))))
            self._looks[name] = look
        return self._looks[name]

    def colours_cells(self, name: str | None) -> bool:
        """Whether a table's style may colour its cells, by itself or by what it is based on."""
        for _ in range(_DEEPEST):
            written = self._tables.get(name or "")
            if written is None:
                return name in self._nodes
            if b"shd" in written:
                return True
            based = _BASE.search(written)
            name = based[1].decode("utf-8", "replace") if based is not None else ""
        return True

    def _chain(self, name: str) -> list[Element]:
        """A style and those that it is based on, the nearest first."""
        found: list[Element] = []
        while name in self._nodes and len(found) < _DEEPEST:
            found.append(self._nodes[name])
            name = value(self._nodes[name], "basedOn") or ""
        return found


class Sight(NamedTuple):
    """What can be seen somewhere in a document."""

    paper: str | None
    """Colour behind the text; None where it is not known."""
    styles: Styles
    """The document's styles."""
    look: Look
    """The look of letters that say nothing of it: of paragraphs without a style, and within one, its own."""

    def on(self, paper: str | None) -> Sight:
        """The same on another ground."""
        return self._replace(paper=paper)

    def in_cell(self, table: Element, line: Element, cell: Element) -> Sight:
        """The sight in a cell of a table."""
        properties, exceptions = _head(table, "tblPr"), _head(line, "tblPrEx")
        for shading in (cell.find(f"{W}tcPr/{W}shd"), None if properties is None else properties.find(f"{W}shd")):
            ground = _ground(shading)
            if ground is not None:
                return self.on(None if ground == _UNKNOWN else ground)
        styled = properties is not None and self.styles.colours_cells(value(properties, "tblStyle"))
        shaded = exceptions is not None and exceptions.find(f"{W}shd") is not None
        return self.on(None) if styled or shaded else self

    def in_paragraph(self, paragraph: Element) -> Sight:
        """The sight in a paragraph."""
        properties = paragraph.find(f"{W}pPr")
        style = None if properties is None else value(properties, "pStyle")
        look = self.look if style is None else self.styles.paragraph(style)
        own = None if properties is None else _ground(properties.find(f"{W}shd"))
        ground = look.ground if own is None else own
        paper = self.paper if ground is None or self.paper is None else None if ground == _UNKNOWN else ground
        return self._replace(paper=paper, look=look._replace(ground=None))

    def sees(self, run: Element) -> bool:
        """Whether the letters of a run are neither hidden nor too small, nor in the colour of what is behind them."""
        look, properties = self.look, run.find(f"{W}rPr")
        if properties is not None:
            style = value(properties, "rStyle")
            look = _written(properties).over(self.styles.characters(style or "")).over(look)
        if look.vanish or (look.size is not None and look.size < 2 * ink.SMALLEST):
            return False
        known = self.paper is not None and look.ground != _UNKNOWN
        return not (known and ink.unseen(ink.colour(look.colour), look.ground or self.paper))


def sight(archive: Archive, main: str, white: bool) -> Sight:
    """The sight on a page of the document whose main part is ``main``; ``white`` says that its paper is."""
    part = next((part for kind, part in archive.relations(main).values() if kind == "styles" and part in archive), None)
    styles = Styles(archive, part)
    return Sight(ink.WHITE if white else None, styles, styles.usual)


def _without_tables(content: bytes) -> tuple[bytes, dict[str, bytes]]:
    """The styles without those of tables, and these by their name: most of such a part, of which little is asked."""
    if b"<!" in content:
        return content, {}
    kept, tables, at, opened = [], dict[str, bytes](), 0, None
    for mark in _STYLE.finditer(content):
        name = _TABLE.search(mark[0]) and _NAME.search(mark[0])
        if opened is None and name:
            opened = mark.start(), mark.end(), name[1].decode("utf-8", "replace")
        elif opened is not None and mark[0].startswith(b"</"):
            tables[opened[2]] = content[opened[1] : mark.start()]
            kept.append(content[at : opened[0]])
            at, opened = mark.end(), None
    return b"".join([*kept, content[at:]]), tables


def value(parent: Element, name: str) -> str | None:
    """The ``w:val`` of a child."""
    node = parent.find(f"{W}{name}")
    return None if node is None else node.get(f"{W}val")


def _head(parent: Element, name: str) -> Element | None:
    """The properties of a table or row, before its rows or cells: these are not gone through for every cell."""
    for child in parent:
        if child.tag == f"{W}{name}":
            return child
        if child.tag in (f"{W}tr", f"{W}tc"):
            return None
    return None


def _written(properties: Element) -> Look:
    """What properties of a run say themselves."""
    vanish, size = properties.find(f"{W}vanish"), value(properties, "sz")
    marked = properties.find(f"{W}highlight") is not None
    return Look(
        None if vanish is None else vanish.get(f"{W}val", "1") not in ("0", "false", "off"),
        int(size) if size is not None and size.isdecimal() else None,
        value(properties, "color"),
        _UNKNOWN if marked else _ground(properties.find(f"{W}shd")),
    )


def _ground(shading: Element | None) -> str | None:
    """The colour of a shading; None where there is none."""
    if shading is None or shading.get(f"{W}val") == "nil":
        return None
    fill = shading.get(f"{W}fill", "auto")
    if shading.get(f"{W}val") != "clear" or (fill == "auto" and shading.get(f"{W}themeFill") is not None):
        return _UNKNOWN
    return None if fill == "auto" else ink.colour(fill) or _UNKNOWN


def _is_default(style: Element) -> bool:
    kind = style.get(f"{W}type", "paragraph")
    return kind == "paragraph" and style.get(f"{W}default") in ("1", "true", "on")
