"""What the style of a web page hides: inline declarations, and rules with simple selectors (``p.note``, ``#x``)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from workgym.documents import visibility as ink

_SAID = re.compile(r"content\s*:\s*(?:\"([^\"]*)\"|'([^']*)')")
_SIMPLE = re.compile(r"\*|(?:[A-Za-z][A-Za-z0-9]*)?(?:[.#][\w-]+)*")
_PART = re.compile(r"[.#]?[\w-]+")
_SIZE = re.compile(r"([\d.]+)(px|pt|em|rem|%)?")
_RGB = re.compile(r"rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})\s*\)")
_NAMED = {"white": ink.WHITE, "black": ink.BLACK, "snow": "FFFAFA", "ivory": "FFFFF0", "ghostwhite": "F8F8FF"}
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
    """``RRGGBB`` of a colour, or None where it is not one that can be told."""
    value = (written or "").strip().lower()
    match = _RGB.fullmatch(value)
    if match is not None:
        return "".join(f"{min(255, int(part)):02X}" for part in match.groups())
    if value.startswith("#") and len(value) == 4:
        value = "#" + "".join(2 * char for char in value[1:])
    return _NAMED.get(value) or (ink.colour(value[1:]) if value.startswith("#") else None)


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
    )


def _number(written: str) -> float:
    try:
        return float(written)
    except ValueError:
        return 16.0


def paper(style: Mapping[str, str], behind: str | None) -> str | None:
    """The colour behind what has these declarations, where it is known."""
    if "background" in style or "background-color" in style:
        return colour(style.get("background-color") or style.get("background"))
    return behind


class Sheets:
    """The style sheets of a page, as they come."""

    def __init__(self) -> None:
        self.coloured = False
        """Whether one of them sets grounds, so that colours behind text are not known."""
        self._hiding: set[frozenset[str]] = set()

    def add(self, css: str) -> None:
        """Follow a sheet: rules outside ``@`` blocks whose selectors are simple."""
        self.coloured = self.coloured or "background" in css or "@import" in css
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
