"""Presentations: characters change inside their runs; rows and bullets go or come; other parts keep their bytes.

A change of a chart's data changes the chart and the workbook inside the file that it was drawn from.
"""

from __future__ import annotations

import re
from functools import partial

from workgym.documents.archive import Archive, Element
from workgym.documents.ooxml import runs
from workgym.documents.ooxml.chartdata import chart_changed
from workgym.documents.ooxml.repack import repacked
from workgym.documents.patches import Patch, Target, apply
from workgym.documents.pptx.parts import cell_like, empty_paragraph, paragraph_like, run_in
from workgym.documents.pptx.read import Piece, pieces
from workgym.documents.pptx.sight import shown
from workgym.documents.pptx.slides import A, Deck, paragraphs, texts
from workgym.documents.xmlpos import Positions, encoded
from workgym.errors import EditRefused

_SLIDE = re.compile(r"s(\d+)[pnftcd].*")
_P, _T, _TC, _TR, _FIELD = (f"{A}{name}" for name in ("p", "t", "tc", "tr", "fld"))


class _Open:
    """A presentation that is edited: its parts with positions, each parsed once, and the places of its slides."""

    def __init__(self, path: str, content: bytes) -> None:
        self.path, self.archive = path, Archive(path, content)
        self.parts: dict[str, Positions] = {}
        self.deck = Deck(self.archive, lambda name: self.part(name).root)
        self.slides = {slide.number: slide for slide in shown(self.deck)}
        self._places: dict[int, dict[str, Piece]] = {}
        self._parents: dict[str, dict[int, Element]] = {}

    def part(self, name: str) -> Positions:
        if name not in self.parts:
            self.parts[name] = Positions(self.path, name, self.archive.read(name))
        return self.parts[name]

    def find(self, target: Target) -> Piece:
        match = _SLIDE.fullmatch(target.base)
        number = int(match[1]) if match is not None else 0
        if number in self.slides and number not in self._places:
            self._places[number] = {piece.at: piece for piece in pieces(self.deck, self.slides[number])}
        piece = self._places.get(number, {}).get(target.base)
        if piece is None:
            raise EditRefused(f"{self.path} has no place {target.base} that can be edited")
        if target.base.partition("d")[2]:
            raise EditRefused(f"{self.path} {target.base}: the text of a diagram is drawn twice, and is not edited")
        return piece

    def parent(self, part: str, element: Element) -> Element:
        if part not in self._parents:
            self._parents[part] = {id(child): node for node in self.part(part).root.iter() for child in node}
        return self._parents[part][id(element)]


def edit(path: str, content: bytes, targets: list[Target]) -> bytes:
    """Change paragraphs, cells, notes, footers and charts; remove or add paragraphs and rows of tables."""
    try:
        opened = _Open(path, content)
        return _edited(opened, targets)
    except (ValueError, ArithmeticError, RecursionError) as error:
        raise EditRefused(f"{path}: its structure is damaged ({error})") from error


def _edited(opened: _Open, targets: list[Target]) -> bytes:
    path = opened.path
    patches: dict[str, list[Patch]] = {}
    going: dict[str, dict[int, Element]] = {}
    charted: list[tuple[Piece, Target]] = []
    for target in targets:
        piece = opened.find(target)
        old = piece.text
        target.check(path, old if old.strip() or target.edit.expected else "")
        mine = patches.setdefault(piece.part, [])
        if piece.data is not None:
            charted.append((piece, target))
        elif target.edit.mode == "remove_row":
            owner = _owner(path, piece, target)
            going.setdefault(piece.part, {})[id(owner)] = owner
        elif target.edit.mode == "insert_row":
            mine.append(_inserted(path, piece, target, opened.part(piece.part)))
        else:
            mine += _changed(path, piece, target, opened.part(piece.part))
    for part, owners in going.items():
        patches[part] += _removed(opened, part, list(owners.values()))
    changed: dict[str, bytes | None] = dict(chart_changed(opened.archive, charted, opened.part, patches))
    for part, mine in patches.items():
        if mine:
            once = [*dict.fromkeys(patch for patch in mine if patch.start < patch.end)]  # two edits may remove one row
            added = [patch for patch in mine if patch.start == patch.end]  # two rows behind one place are two
            changed[part] = apply(path, opened.part(part).content, [*once, *added])
    return repacked(opened.archive, changed)


def _leaves(element: Element) -> list[runs.Leaf]:
    """The printing leaves of a paragraph, or of all paragraphs of a cell or a text on a chart."""
    if element.tag == _P:
        return list(texts(element))
    leaves: list[runs.Leaf] = []
    for index, paragraph in enumerate(_paragraphs(element)):
        if index:
            leaves.append((None, "\n"))
        leaves += texts(paragraph)
    return leaves


def _paragraphs(element: Element) -> list[Element]:
    if element.tag == _P:
        return [element]
    return paragraphs(element.find(f"{A}txBody") if element.tag == _TC else element)


def _changed(path: str, piece: Piece, target: Target, positions: Positions) -> list[Patch]:
    first = next(iter(_paragraphs(piece.element)), None)
    if first is None:
        raise EditRefused(f"{path} {target.base} has no paragraph")
    fields = {id(leaf) for field in piece.element.iter(_FIELD) for leaf in field}

    def written(leaf: Element, text: str, positions: Positions) -> Patch:
        if id(leaf) in fields:
            raise EditRefused(f"{path} {target.base}: a field there fills itself in")
        span, name = positions.span(leaf), positions.tag(leaf)
        return Patch(span.start, span.end, b"<" + name + b">" + encoded(text) + b"</" + name + b">")

    def added(_: Target, text: str) -> Patch:
        return run_in(first, text, positions)

    return runs.changed(path, target, _leaves(piece.element), positions, runs.Kind((_T,), written, added))


def _owner(path: str, piece: Piece, target: Target) -> Element:
    if piece.owner is None:
        raise EditRefused(f"{path} {target.base} is neither a paragraph of a slide nor a row of a table")
    if piece.label in ("title", "ctrTitle"):
        raise EditRefused(f"{path} {target.base} is the title of the slide", fix="clear it")
    _check_merges(path, piece.owner, target)
    return piece.owner


def _check_merges(path: str, owner: Element, target: Target) -> None:
    for cell in owner.iter(_TC) if owner.tag == _TR else ():
        if cell.get("vMerge") or cell.get("rowSpan", "1") != "1":
            raise EditRefused(f"{path} {target.base}: the row shares a cell with another row")


def _removed(opened: _Open, part: str, owners: list[Element]) -> list[Patch]:
    """Without these paragraphs and rows; the last paragraph of a text is emptied, as a shape has one at least."""
    positions = opened.part(part)
    patches, gone = [], {id(owner) for owner in owners}
    for owner in owners:
        span, new = positions.span(owner), b""
        siblings = opened.parent(part, owner).findall(owner.tag)
        if all(id(other) in gone for other in siblings):
            if owner.tag == _TR:
                raise EditRefused(f"{opened.path}: a table keeps one row at least")
            if owner is siblings[-1]:
                new = empty_paragraph(owner, positions)
        patches.append(Patch(span.start, span.end, new))
    return patches


def _inserted(path: str, piece: Piece, target: Target, positions: Positions) -> Patch:
    owner, cells = piece.owner, target.edit.cells
    if owner is None:
        raise EditRefused(f"{path} {target.base} is neither a paragraph of a slide nor a row of a table")
    if piece.label in ("title", "ctrTitle"):
        raise EditRefused(f"{path} {target.base} is the title of the slide: it takes no second paragraph")
    shown = ["" if cell is None else str(cell) for cell in cells]
    if any(mark in text for text in shown for mark in "\t\n\r"):
        raise EditRefused(f"{path} {target.base}: tabs and line breaks cannot be added to a paragraph")
    end = positions.span(owner).end
    if owner.tag == _P:
        if len(shown) != 1:
            raise EditRefused(f"{path} {target.base}: a paragraph takes one text, not {len(shown)}")
        return Patch(end, end, paragraph_like(owner, shown[0], positions))
    _check_merges(path, owner, target)
    columns = owner.findall(_TC)
    if len(shown) > len(columns):
        raise EditRefused(f"{path} {target.base}: the table has {len(columns)} columns, not {len(shown)}")
    if any(text and cell.get("hMerge") for text, cell in zip(shown, columns, strict=False)):
        raise EditRefused(f"{path} {target.base}: a cell of the row is joined to the one before it")
    shown += [""] * (len(columns) - len(shown))
    name = positions.tag(owner)
    made = b"".join(map(partial(cell_like, positions=positions), columns, shown))
    return Patch(end, end, positions.start_tag(owner) + made + b"</" + name + b">")
