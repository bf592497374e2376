"""What a sheet says outside its cells: comments, choices, conditions, page headers, charts, drawings.

Each is a hidden fragment with a form of its own: ``Demand!B7.comment``, ``Demand!B7.thread1`` (a reply in a threaded
comment), ``Demand!C4:C9.validation``, ``Demand!B4:B9.conditional`` (a second one there ends in 2), ``Demand.header``,
``Demand.chart1.2`` (the second text of the first chart), ``Demand.drawing.1`` (a text box). References alone say
nothing: the cells that they name do. The copies that a chart keeps of cells of its own workbook are left out, since
an office refreshes them on opening.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from workgym.documents.archive import Archive, Element
from workgym.documents.model import Fragment
from workgym.documents.ooxml.sweep import drawn, numbered, remarks, spoken
from workgym.documents.xlsx.references import tokens

NS = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_PAGE = re.compile(r'&(?:"[^"]*"|K(?:[0-9A-Fa-f]{6}|\d\d[+-]?\d+)|\d{1,3}|(?P<keep>&)|[A-Za-z])')
"""Codes in page headers: a font, a colour, a size; ``&&`` is an ampersand; page numbers, dates and sections."""
_STRING = re.compile(r'"((?:[^"]|"")*)"')
_RULES = frozenset("cellIs containsText notContainsText beginsWith endsWith timePeriod top10 aboveAverage".split())


def says(formula: str) -> bool:
    """Whether a formula holds a number or a text of its own, besides references and functions."""
    return any(token.kind == "other" and any(map(str.isalnum, token.text)) for token in tokens(formula))


def page_text(code: str) -> str:
    """What a page header or footer says without its codes; its three sections are joined by spaces."""
    return " ".join(_PAGE.sub(lambda match: match["keep"] or " ", code).split())


def around(archive: Archive, name: str, part: str, root: Element, sheets: frozenset[str]) -> Iterator[Fragment]:
    """All of it for the sheet ``name``, whose part has the root ``root``; ``sheets`` are the workbook's sheets."""
    yield from _validations(name, root)
    yield from _conditions(name, root)
    yield from _page(name, root)
    charts = 0
    for kind, target in archive.relations(part).values():
        if target not in archive:
            continue
        if kind == "comments":
            yield from _comments(archive, name, target)
        elif kind == "threadedComment":
            yield from _threads(archive, name, target)
        elif kind == "drawing":
            yield from numbered(f"{name}.drawing", drawn(archive.xml(target), sheets))
            for inner, chart in archive.relations(target).values():
                if inner == "chart" and chart in archive:
                    charts += 1
                    yield from numbered(f"{name}.chart{charts}", drawn(archive.xml(chart), sheets))
    yield from numbered(f"{name}.sheet", remarks(root))


def parts_around(archive: Archive, part: str) -> Iterator[str]:
    """The parts that :func:`around` reads for a sheet's part."""
    for kind, target in archive.relations(part).values():
        if kind in ("comments", "threadedComment", "drawing"):
            yield target
        if kind == "drawing" and target in archive:
            yield from (chart for inner, chart in archive.relations(target).values() if inner == "chart")


def string_text(node: Element) -> str:
    """The text of a shared or inline string: its runs, without phonetic hints."""
    if len(node) == 1 and node[0].tag == f"{NS}t":
        text = node[0].text or ""
    else:
        parts = []
        for child in node:
            if child.tag == f"{NS}t":
                parts.append(child.text or "")
            elif child.tag == f"{NS}r":
                parts += [leaf.text or "" for leaf in child if leaf.tag == f"{NS}t"]
        text = "".join(parts)
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text


_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")


def _comments(archive: Archive, name: str, part: str) -> Iterator[Fragment]:
    for node in archive.xml(part).iter(f"{NS}comment"):
        body, reference = node.find(f"{NS}text"), node.get("ref", "")
        if body is not None:
            yield Fragment(at=f"{name}!{reference}.comment", text=string_text(body), label=reference, hidden=True)


def _threads(archive: Archive, name: str, part: str) -> Iterator[Fragment]:
    counted: dict[str, int] = {}
    for node in archive.xml(part):
        reference = node.get("ref", "")
        text = " ".join(" ".join(leaf.itertext()) for leaf in node if leaf.tag.endswith("}text")).strip()
        if text:
            counted[reference] = counted.get(reference, 0) + 1
            at = f"{name}!{reference}.thread{counted[reference]}"
            yield Fragment(at=at, text=text, label=reference, hidden=True)


def _validations(name: str, root: Element) -> Iterator[Fragment]:
    """Lists of choices, limits and the prompts of cells that may hold only certain values."""
    places = _Places(name, "validation")
    for node in root.iter(f"{NS}dataValidation"):
        parts = [node.get(key, "") for key in ("promptTitle", "prompt", "errorTitle", "error")]
        for tag in ("formula1", "formula2"):
            formula = node.findtext(f"{NS}{tag}") or ""
            listed = _STRING.fullmatch(formula)
            if says(formula):
                parts.insert(0, listed[1].replace('""', '"') if listed else formula)
        yield from places.fragment(node.get("sqref", ""), parts)


def _conditions(name: str, root: Element) -> Iterator[Fragment]:
    """Conditions that colour cells, where they hold a number or a text of their own."""
    places = _Places(name, "conditional")
    for node in root.iter(f"{NS}conditionalFormatting"):
        for rule in node.iter(f"{NS}cfRule"):
            formulas = [formula.text or "" for formula in rule.iter(f"{NS}formula")]
            if any(map(says, formulas)):
                operator = rule.get("operator", "") if rule.get("type") in _RULES else ""
                yield from places.fragment(node.get("sqref", ""), [operator, *formulas])


class _Places:
    """Places of things that belong to a range, numbered where a range has several."""

    def __init__(self, name: str, ending: str) -> None:
        self.name, self.ending, self.counted = name, ending, dict[str, int]()

    def fragment(self, area: str, parts: list[str]) -> Iterator[Fragment]:
        """A fragment of the parts that are not empty; none where all are."""
        text = " ".join(part for part in parts if part)
        if text:
            number = self.counted[area] = self.counted.get(area, 0) + 1
            at = f"{self.name}!{area}.{self.ending}{number if number > 1 else ''}"
            yield Fragment(at=at, text=spoken(text), label=area, hidden=True)


def _page(name: str, root: Element) -> Iterator[Fragment]:
    for holder in root.iter(f"{NS}headerFooter"):
        for node in holder:
            kind = node.tag.rpartition("}")[2].replace("odd", "")
            text = page_text(node.text or "")
            if any(map(str.isalnum, text)):
                yield Fragment(at=f"{name}.{kind[:1].lower()}{kind[1:]}", text=text, hidden=True)
        return
