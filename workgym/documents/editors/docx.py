"""Word documents: characters change inside their runs, so that formatting stays; other parts keep their bytes."""

from __future__ import annotations

import re
from typing import NamedTuple

from workgym.documents.archive import Archive, Element
from workgym.documents.editors.container import repacked
from workgym.documents.patches import Patch, Target, apply
from workgym.documents.readers.docx import W, blocks, cell_text, cells, main_part, margin_parts, texts
from workgym.documents.xmlpos import Positions, encoded
from workgym.errors import EditRefused

_AT = re.compile(r"(?P<letter>[phfnc])(?P<number>\d+)|t(?P<table>\d+)r(?P<row>\d+)c(?P<column>\d+)")
_P, _T, _TBL = f"{W}p", f"{W}t", f"{W}tbl"
_SPACE = re.compile(rb"\s+xml:space=(\"[^\"]*\"|'[^']*')")


class _Place(NamedTuple):
    """Where a target is: its part, the element (paragraph, cell, note), and what ``remove_row`` takes away."""

    part: str
    element: Element
    row: Element | None


class _Body:
    """The parts of a document that are looked at, each parsed once."""

    def __init__(self, path: str, content: bytes) -> None:
        self.path = path
        self.archive = Archive(path, content)
        self.main = main_part(self.archive)
        self.parts: dict[str, Positions] = {}

    def part(self, name: str) -> Positions:
        if name not in self.parts:
            self.parts[name] = Positions(self.path, name, self.archive.read(name))
        return self.parts[name]

    def find(self, target: Target) -> _Place:
        match = _AT.fullmatch(target.base)
        if match is not None:
            found = self._cell(match) if match["table"] else self._paragraph(match["letter"], int(match["number"]))
            if found is not None:
                return found
        raise EditRefused(f"{self.path} has no place {target.base} that can be edited")

    def _cell(self, match: re.Match[str]) -> _Place | None:
        body = self.part(self.main).root.find(f"{W}body")
        tables = [block for block in blocks(body) if block.tag == _TBL] if body is not None else []
        number, row, column = int(match["table"]), int(match["row"]), int(match["column"])
        if not 1 <= number <= len(tables):
            return None
        for row_number, column_number, cell in cells(tables[number - 1]):
            if (row_number, column_number) == (row, column):
                owner = next(node for node in tables[number - 1].iter(f"{W}tr") if cell in list(node.iter(f"{W}tc")))
                return _Place(self.main, cell, owner)
        return None

    def _paragraph(self, letter: str, number: int) -> _Place | None:
        root = self.part(self.main).root
        if letter == "p":
            body = root.find(f"{W}body")
            found = [block for block in blocks(body) if block.tag == _P] if body is not None else []
            return _Place(self.main, found[number - 1], found[number - 1]) if 1 <= number <= len(found) else None
        if letter in "hf":
            names = [name for kind, name in margin_parts(self.archive, self.main, root) if kind == letter]
            pairs = [(name, node) for name in names for node in self.part(name).root.iter(_P)]
        else:
            pairs = self._notes(letter)
        return _Place(*pairs[number - 1], None) if 1 <= number <= len(pairs) else None

    def _notes(self, letter: str) -> list[tuple[str, Element]]:
        targets = dict(self.archive.relations(self.main).values())
        kinds = (("comments", "comment"),) if letter == "c" else (("footnotes", "footnote"), ("endnotes", "endnote"))
        pairs = []
        for kind, tag in kinds:
            if kind in targets:
                for node in self.part(targets[kind]).root.iter(f"{W}{tag}"):
                    if letter == "c" or (node.get(f"{W}type", "normal") == "normal" and cell_text(node).strip()):
                        pairs.append((targets[kind], node))
        return pairs


def edit(path: str, content: bytes, targets: list[Target]) -> bytes:
    """Change paragraphs, cells, headers, footers, notes and comments; or remove paragraphs and table rows."""
    document = _Body(path, content)
    patches: dict[str, list[Patch]] = {}
    for target in targets:
        place = document.find(target)
        positions = document.part(place.part)
        leaves = _leaves(place.element)
        if place.element.find(f"{W}tbl") is not None:
            raise EditRefused(f"{path} {target.base}: a table stands in it")
        old = "".join(text for _, text in leaves)
        target.check(path, old if old.strip() or target.edit.expected else "")
        mine = patches.setdefault(place.part, [])
        if target.edit.mode == "remove_row":
            mine.append(_removal(path, target, place, positions))
        else:
            mine += _changed(path, target, old, leaves, place.element, positions)
    changed = {}
    for name, mine in patches.items():
        changed[name] = apply(path, document.part(name).content, dict.fromkeys(mine))
    return repacked(document.archive, changed)


def _leaves(element: Element) -> list[tuple[Element | None, str]]:
    """The printing leaves of a paragraph or of the paragraphs of a cell; a line break between two has no element."""
    if element.tag == _P:
        return list(texts(element))
    leaves: list[tuple[Element | None, str]] = []
    for index, block in enumerate(node for node in blocks(element) if node.tag == _P):
        if index:
            leaves.append((None, "\n"))
        leaves += texts(block)
    return leaves


def _removal(path: str, target: Target, place: _Place, positions: Positions) -> Patch:
    if place.row is None:
        raise EditRefused(f"{path} {target.base} stands in no table row and is no paragraph of the body")
    if place.row.find(f".//{W}sectPr") is not None:
        raise EditRefused(f"{path} {target.base}: the paragraph ends a section")
    if place.row.find(f".//{W}vMerge") is not None:
        raise EditRefused(f"{path} {target.base}: the row shares a cell with another row")
    span = positions.span(place.row)
    return Patch(span.start, span.end, b"")


def _changed(
    path: str,
    target: Target,
    old: str,
    leaves: list[tuple[Element | None, str]],
    element: Element,
    positions: Positions,
) -> list[Patch]:
    start, end, new = target.change(old)
    if any(mark in new for mark in "\t\n\r"):
        raise EditRefused(f"{path} {target.base}: tabs and line breaks cannot be added to a paragraph")
    if not new and start == end:
        return []
    patches: list[Patch] = []
    receiver = _receiver(leaves, start, end) if new else None
    at = 0
    for leaf, text in leaves:
        after = at + len(text)
        if leaf is receiver is not None or max(start, at) < min(end, after) or (target.whole and text):
            if leaf is not None and leaf.tag == _T:
                kept = text[: max(0, start - at)] + (new if leaf is receiver else "") + text[max(0, end - at) :]
                patches.append(_leaf_patch(leaf, kept, positions))
            elif leaf is not None:
                span = positions.span(leaf)
                patches.append(Patch(span.start, span.end, b""))
            elif not target.whole:
                raise EditRefused(f"{path} {target.base}: the edit goes over the end of a paragraph")
        at = after
    if new and receiver is None:
        patches.append(_inserted(path, target, new, element, positions))
    return patches


def _receiver(leaves: list[tuple[Element | None, str]], start: int, end: int) -> Element | None:
    """The text leaf that takes the new characters: the first that loses some, else the first that touches the place."""
    touching, at = None, 0
    for leaf, text in leaves:
        after = at + len(text)
        if leaf is not None and leaf.tag == _T:
            if max(start, at) < min(end, after):
                return leaf
            if touching is None and at <= start <= after:
                touching = leaf
        at = after
    return touching


def _leaf_patch(leaf: Element, text: str, positions: Positions) -> Patch:
    """A text leaf with other characters; blanks at its ends are marked as meant."""
    span = positions.span(leaf)
    name = positions.tag(leaf)
    tag = _SPACE.sub(b"", positions.start_tag(leaf)).rstrip(b"/>").rstrip()
    if text != text.strip():
        tag += b' xml:space="preserve"'
    return Patch(span.start, span.end, tag + b">" + encoded(text) + b"</" + name + b">")


def _inserted(path: str, target: Target, text: str, element: Element, positions: Positions) -> Patch:
    """A run in a paragraph that has none."""
    paragraph = element if element.tag == _P else next((node for node in blocks(element) if node.tag == _P), None)
    if paragraph is None:
        raise EditRefused(f"{path} {target.base} has no paragraph")
    span, name, prefix = positions.span(paragraph), positions.tag(paragraph), positions.prefix(paragraph)
    p = prefix.decode()
    run = f'<{p}r><{p}t xml:space="preserve">'.encode() + encoded(text) + f"</{p}t></{p}r>".encode()
    if span.close == span.end:
        tag = positions.start_tag(paragraph).rstrip(b"/>").rstrip()
        return Patch(span.start, span.end, tag + b">" + run + b"</" + name + b">")
    return Patch(span.close, span.close, run)
