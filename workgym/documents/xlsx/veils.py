"""Conditional formats that hide what a cell holds, as far as that can be told without a spreadsheet.

Told are rules that always hold (a formula that is ``TRUE``, cells that are not blank) and comparisons of a number with
constants, where no other rule and no table lies on the same cells. A rule hides by a number format that shows nothing,
or by letters in the colour of the ground. All others are passed over.
"""

from __future__ import annotations

from typing import NamedTuple

from workgym.documents import visibility as ink
from workgym.documents.archive import Archive, Element
from workgym.documents.xlsx import numfmt
from workgym.documents.xlsx.areas import Area, Areas, area, painted_areas
from workgym.documents.xlsx.ink import NS, fill_colour, written_colour

_ALWAYS = frozenset(("TRUE", "TRUE()", "1", "1=1"))
_MOST = 200
"""Ranges of a sheet that are compared with one another."""
_LONGEST_CODE = 255


class Dress(NamedTuple):
    """What a rule's format says."""

    colour: str | None
    ground: str | None
    silent: bool
    """Whether its number format shows nothing."""

    def hides(self, paper: str | None) -> bool:
        """Whether nothing of a cell with that ground can be seen."""
        return self.silent or ink.unseen(self.colour, self.ground or paper)


class _Rule(NamedTuple):
    operator: str
    """Empty for one that always holds."""
    low: float
    high: float
    dress: Dress

    def holds(self, kind: str, raw: str) -> bool:
        if not self.operator:
            return True
        if kind != "n":
            return False
        number = float(raw)
        inside = min(self.low, self.high) <= number <= max(self.low, self.high)
        return {
            "equal": number == self.low,
            "notEqual": number != self.low,
            "greaterThan": number > self.low,
            "greaterThanOrEqual": number >= self.low,
            "lessThan": number < self.low,
            "lessThanOrEqual": number <= self.low,
            "between": inside,
            "notBetween": not inside,
        }.get(self.operator, False)


def dresses(styles: Element) -> list[Dress]:
    """The formats that rules may give, in their order."""
    found = []
    for node in styles.iterfind(f"{NS}dxfs/{NS}dxf"):
        colour, code = node.find(f"{NS}font/{NS}color"), node.find(f"{NS}numFmt")
        written = "" if code is None else code.get("formatCode", "")
        silent = 0 < len(written) <= _LONGEST_CODE and all(numfmt.silent(written))
        found.append(Dress(None if colour is None else written_colour(colour, ink.BLACK), fill_colour(node), silent))
    return found


class Veils:
    """The rules of a sheet that may hide a cell for sure."""

    def __init__(self, archive: Archive, part: str, root: Element, looks: list[Dress]) -> None:
        """Raises :class:`workgym.errors.Unreadable` where there are too many."""
        self._rules: dict[Area, _Rule] = {}
        covered = painted_areas(archive, part, root)
        for node in root.iter(f"{NS}conditionalFormatting") if len(covered) <= _MOST else ():
            rules = node.findall(f"{NS}cfRule")
            rule = _rule(rules[0], looks) if len(rules) == 1 else None
            for written in node.get("sqref", "").split() if rule is not None else ():
                own = area(written)
                if own is not None and rule is not None and sum(_touch(own, other) for other in covered) == 1:
                    self._rules[own] = rule
        self._areas = Areas(archive.path, self._rules, "ranges of formats")

    def hide(self, place: tuple[int, int], kind: str, raw: str, paper: str | None) -> bool:
        """Whether a rule hides the cell, which has that content and ground."""
        found = self._areas.over(*place) if self._rules else None
        return found is not None and self._rules[found].holds(kind, raw) and self._rules[found].dress.hides(paper)


def _rule(node: Element, looks: list[Dress]) -> _Rule | None:
    """The rule, or None where it cannot be told when it holds, or what it does."""
    number = int(node.get("dxfId", "-1"))
    if not 0 <= number < len(looks):
        return None
    formulas = [(one.text or "").strip().upper() for one in node.findall(f"{NS}formula")]
    kind = node.get("type", "")
    if kind == "notContainsBlanks" or (kind == "expression" and formulas and formulas[0] in _ALWAYS):
        return _Rule("", 0, 0, looks[number])
    if kind == "cellIs" and formulas:
        try:
            bounds = [float(formula) for formula in formulas]
        except ValueError:
            return None
        return _Rule(node.get("operator", ""), bounds[0], bounds[-1], looks[number])
    return None


def _touch(one: Area, other: Area) -> bool:
    rows = one.top <= other.bottom and other.top <= one.bottom
    return rows and one.left <= other.right and other.left <= one.right
