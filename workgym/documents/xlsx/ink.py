"""Whether text in a cell of some style can be seen: its colour on its fill, its size, its number format."""

from __future__ import annotations

from itertools import islice

from workgym.documents import visibility as ink
from workgym.documents.archive import Element

NS = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_COLUMNS = 16_384
"""Columns of a sheet, and as many elements that describe some as are looked at."""
_THEME = {"0": ink.WHITE, "1": ink.BLACK}
_INDEXED = {"0": ink.BLACK, "1": ink.WHITE, "8": ink.BLACK, "9": ink.WHITE, "64": ink.BLACK, "65": ink.WHITE}


def unseen_styles(root: Element) -> list[bool]:
    """Of each cell style, whether its font is a speck or has the colour of its fill."""
    written = root.iterfind(f"{NS}fonts/{NS}font")
    fonts = [(written_colour(node.find(f"{NS}color"), ink.BLACK), _points(node)) for node in written]
    grounds = papers(root)
    found = []
    for node, paper in zip(root.iterfind(f"{NS}cellXfs/{NS}xf"), grounds, strict=True):
        font = int(node.get("fontId", "0"))
        colour, points = fonts[font] if font < len(fonts) else (ink.BLACK, 11.0)
        found.append(points < ink.SMALLEST or ink.unseen(colour, paper))
    return found


def papers(root: Element) -> list[str | None]:
    """Of each cell style, the colour behind the text of a cell; None where it is not known."""
    fills = [_paper(node) for node in root.iterfind(f"{NS}fills/{NS}fill")]
    chosen = (int(node.get("fillId", "0")) for node in root.iterfind(f"{NS}cellXfs/{NS}xf"))
    return [fills[fill] if fill < len(fills) else ink.WHITE for fill in chosen]


def fill_colour(dress: Element) -> str | None:
    """The colour that a rule's format puts behind text (where a solid fill has its colour as ``bgColor``), or None."""
    pattern = dress.find(f"{NS}fill/{NS}patternFill")
    if pattern is None or pattern.get("patternType", "solid") != "solid":
        return None
    node = pattern.find(f"{NS}bgColor")
    return None if node is None else written_colour(node, ink.WHITE)


def hidden_columns(root: Element) -> frozenset[int]:
    """The columns of a sheet, from 1, that are hidden or have no width to speak of."""
    usual = root.find(f"{NS}sheetFormatPr")
    narrow = usual is not None and float(usual.get("defaultColWidth", "9")) < ink.NARROWEST
    flags = bytearray(b"\1" if narrow else b"\0") * (_COLUMNS + 1)
    for node in islice(root.iter(f"{NS}col"), _COLUMNS):
        gone = node.get("hidden") in ("1", "true") or float(node.get("width", "0" if narrow else "9")) < ink.NARROWEST
        first, last = max(1, int(node.get("min", "0"))), min(_COLUMNS, int(node.get("max", "0")))
        flags[first : last + 1] = (b"\1" if gone else b"\0") * max(0, last + 1 - first)
    return frozenset(number for number in range(1, _COLUMNS + 1) if flags[number]) if any(flags) else frozenset()


def written_colour(node: Element | None, automatic: str) -> str | None:
    """The colour that is written, ``automatic`` where none is; None where a theme or palette mixes it."""
    if node is None or node.get("auto") in ("1", "true"):
        return automatic
    if node.get("tint", "0") in ("0", "0.0"):
        for kind, names in (("theme", _THEME), ("indexed", _INDEXED)):
            if node.get(kind, "") in names:
                return names[node.get(kind, "")]
    return ink.colour(node.get("rgb"))


def _points(font: Element) -> float:
    size = font.find(f"{NS}sz")
    return 11.0 if size is None else float(size.get("val", "11"))


def _paper(fill: Element) -> str | None:
    """What lies behind the text of a cell; None where it is a pattern or a gradient."""
    pattern = fill.find(f"{NS}patternFill")
    kind = None if pattern is None else pattern.get("patternType", "none")
    if pattern is None or kind not in ("none", "solid"):
        return None
    return ink.WHITE if kind == "none" else written_colour(pattern.find(f"{NS}fgColor"), ink.BLACK)
