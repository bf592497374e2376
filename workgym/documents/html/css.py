"""What the style of a web page hides: inline declarations, and rules with simple selectors (``p.note``, ``#x``)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from workgym.documents import visibility as ink

_SAID = re.compile(r"content\s*:\s*(?:\"([^\"]*)\"|'([^']*)')")
_GROUND = re.compile(r"background(?:-color|-image)?\s*:\s*([^;}]*)")
_SIMPLE = re.compile(r"\*|(?:[A-Za-z][A-Za-z0-9]*)?(?:[.#][\w-]+)*")
_PART = re.compile(r"[.#]?[\w-]+")
_LENGTH = re.compile(r"(-?[\d.]+)(px|pt|em|rem|%)?")
_FAR = -500
"""Units (points, pixels) to the left of the page or above it at which nothing is looked for."""
_CLIPPED = re.compile(r"rect\(\s*(?:0(?:px)?[\s,]*){4}\)|inset\(\s*(?:[5-9]\d|100)%\s*\)")
_NOTHING = re.compile(r"(?:scale|scalex|scaley|scale3d)\(\s*0[\s,0]*\)")
_SIZE = re.compile(r"([\d.]+)(px|pt|em|rem|%)?")
_RGB = re.compile(r"rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})\s*(?:[,/]\s*([\d.]+%?)\s*)?\)")
_HEX = re.compile(r"#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})")
_NAMED = {"white": ink.WHITE, "black": ink.BLACK, "snow": "FFFAFA", "ivory": "FFFFF0", "ghostwhite": "F8F8FF"}
_NAMED |= {"whitesmoke": "F5F5F5", "floralwhite": "FFFAF0", "mintcream": "F5FFFA", "azure": "F0FFFF"}
_POINTS = {"px": 0.75, "pt": 1.0, "em": 10.0, "rem": 10.0, "%": 0.1}
_RULES = 500
"""Hiding rules that are followed; a sheet with more is a framework's, whose rules hide no text of the page."""


def declarations(written: str) -> dict[str, str]:
    """Properties and their values, both in small letters."""
    found = {}
    for part in written.split(";"):
        name, colon, value = part.partition(":")
        if colon:
            found[name.strip().lower()] = value.partition("!")[0].strip().lower()
    return found


def colour(written: str | None) -> str | None:
    """``RRGGBB`` of a colour that covers what is behind it, or None where it is not one that can be told."""
    value = (written or "").strip().lower()
    match = _RGB.fullmatch(value)
    if match is not None:
        return "".join(f"{min(255, int(part)):02X}" for part in match.group(1, 2, 3))
    digits = _digits(value)
    return digits[:6].upper() if digits else _NAMED.get(value)


def transparent(written: str | None) -> bool:
    """Whether nothing of a colour can be seen."""
    value = (written or "").strip().lower()
    match, digits = _RGB.fullmatch(value), _digits(value)
    faint = match is not None and match[4] is not None and _number(match[4].rstrip("%")) == 0
    return value == "transparent" or faint or digits[6:] == "00"


def _digits(value: str) -> str:
    """Six or eight digits of a colour in hexadecimal, or nothing."""
    match = _HEX.fullmatch(value)
    if match is None:
        return ""
    return match[1] if len(match[1]) > 4 else "".join(2 * char for char in match[1])


def hides(style: Mapping[str, str]) -> bool:
    """Whether declarations alone, whatever the colours, hide what they are for."""
    if not style:
        return False
    size = _SIZE.fullmatch(style.get("font-size", ""))
    return (
        style.get("display") == "none"
        or style.get("visibility") in ("hidden", "collapse")
        or re.fullmatch(r"0*\.?0+%?", style.get("opacity", "1")) is not None
        or (size is not None and _number(size[1]) * _POINTS.get(size[2] or "px", 1.0) < ink.SMALLEST)
        or (transparent(style.get("color")) and not any(name.endswith("background-clip") for name in style))
        or _is_elsewhere(style)
    )


def _is_elsewhere(style: Mapping[str, str]) -> bool:
    """Whether what has these declarations is moved off the page, or cut down to nothing."""
    placed = style.get("position") in ("absolute", "fixed", "relative")
    moved = [style.get(name, "") for name in ("left", "top", "margin-left", "margin-top") if placed or "-" in name]
    no_room = style.get("overflow", "visible") != "visible" and any(
        (extent := _length(style.get(name, ""))) is not None and extent <= 1
        for name in ("height", "width", "max-height", "max-width")
    )
    return (
        no_room
        or any((length := _length(written)) is not None and length <= _FAR for written in moved)
        or (_length(style.get("text-indent", "")) or 0) <= _FAR
        or _CLIPPED.fullmatch(style.get("clip-path", "")) is not None
        or (placed and _CLIPPED.fullmatch(style.get("clip", "")) is not None)
        or _NOTHING.search(style.get("transform", "")) is not None
    )


def _length(written: str) -> float | None:
    """A length in pixels or points; None for none, and for a share of something unless it is nothing of it."""
    match = _LENGTH.fullmatch(written)
    if match is None:
        return None
    number = _number(match[1])
    return number * _POINTS.get(match[2] or "px", 1.0) if match[2] != "%" or number <= 0 else None


def _number(written: str) -> float:
    try:
        return float(written)
    except ValueError:
        return 16.0


def paper(style: Mapping[str, str], behind: str | None) -> str | None:
    """The colour behind what has these declarations, where it is known."""
    if "background" in style or "background-color" in style:
        written = style.get("background-color") or style.get("background")
        return behind if transparent(written) or written == "none" else colour(written)
    return behind


def _is_paper(written: str) -> bool:
    """Whether a background leaves the page white."""
    value = written.partition("!")[0].strip().lower()
    return value in ("none", "inherit", "initial") or transparent(value) or ink.unseen(ink.WHITE, colour(value))


class Sheets:
    """The style sheets of a page, as they come."""

    def __init__(self) -> None:
        self.coloured = False
        """Whether one of them sets grounds, so that colours behind text are not known."""
        self._hiding: set[frozenset[str]] = set()

    def add(self, css: str) -> None:
        """Follow a sheet: rules outside ``@`` blocks whose selectors are simple."""
        grounds = (match[1] for match in _GROUND.finditer(css))
        self.coloured = self.coloured or "@import" in css or not all(map(_is_paper, grounds))
        depth = 0
        for piece in _apart(css)[0].split("}"):
            opened = piece.count("{")
            depth += opened
            if depth == 1 and opened == 1:
                selectors, _, body = piece.partition("{")
                self._rule(selectors, declarations(body))
            depth = max(0, depth - 1)

    def _rule(self, selectors: str, style: Mapping[str, str]) -> None:
        gone, shown = hides(style), style.get("display", "none") != "none" or style.get("visibility") == "visible"
        for selector in selectors.rpartition(";")[2].split(",") if gone or shown else ():
            simple = _SIMPLE.fullmatch(selector.strip())
            parts = frozenset(_PART.findall(selector.strip())) if simple is not None else frozenset()
            if gone and parts and len(self._hiding) < _RULES:
                self._hiding.add(parts)
            elif shown:
                self._hiding.discard(parts)

    def hide(self, name: str, attributes: Mapping[str, str]) -> bool:
        """Whether an element is hidden by a rule."""
        if not self._hiding:
            return False
        own = {name, *("." + part for part in attributes.get("class", "").split()), "#" + attributes.get("id", "")}
        return any(rule <= own for rule in self._hiding)


def _apart(css: str) -> tuple[str, list[str]]:
    """A sheet without its comments, and what they say."""
    kept, comments, at = [], list[str](), 0
    while (start := css.find("/*", at)) >= 0:
        end = css.find("*/", start + 2)
        end = len(css) if end < 0 else end
        kept.append(css[at:start])
        comments.append(css[start + 2 : end].strip())
        at = end + 2
    return "".join([*kept, css[at:]]), comments


def said(css: str) -> Iterator[str]:
    """What a sheet holds for readers: its comments, and the texts that it prints."""
    rules, comments = _apart(css)
    yield from comments
    for match in _SAID.finditer(rules):
        yield (match[1] or match[2] or "").strip()
