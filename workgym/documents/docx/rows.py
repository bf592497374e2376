"""Paragraphs and table rows of a Word document that come and go."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise

from workgym.documents.archive import Element
from workgym.documents.docx.sight import W
from workgym.documents.docx.word import TEXTS, TR, P, Spot, cells, inside, leaves
from workgym.documents.patches import Patch, Target, said
from workgym.documents.xmlpos import Positions, encoded
from workgym.errors import EditRefused

_TRACKED = frozenset(
    f"{W}{name}"
    for name in "ins del moveFrom moveTo rPrChange pPrChange tcPrChange trPrChange cellIns cellDel cellMerge".split()
)
_OF_PARAGRAPH = _TRACKED | {f"{W}sectPr", f"{W}pageBreakBefore"}
_OF_ROW = _TRACKED | {f"{W}tblHeader", f"{W}cnfStyle"}
_HANGING = ("footnoteReference", "endnoteReference")
_PAIRS = (("commentRangeStart", "commentRangeEnd"), ("bookmarkStart", "bookmarkEnd"))


def removal(path: str, target: Target, spot: Spot, positions: Positions) -> Patch:
    """Takes the table row or the paragraph away. Raises :class:`EditRefused` where something else hangs on it."""
    gone = spot.line if spot.line is not None else spot.element
    if spot.line is None and not spot.at.startswith("p"):
        raise EditRefused(f"{path} {target.base} stands in no table row and is no paragraph of the body")
    if gone.find(f".//{W}sectPr") is not None:
        raise EditRefused(f"{path} {target.base}: the paragraph ends a section")
    if spot.line is not None and gone.find(f".//{W}vMerge") is not None:
        raise EditRefused(f"{path} {target.base}: the row shares a cell with another row")
    if any(gone.find(f".//{W}{name}") is not None for name in _HANGING):
        raise EditRefused(f"{path} {target.base}: a note hangs on it, and would be left over")
    for first, last in _PAIRS:
        if {_id(node) for node in gone.iter(f"{W}{first}")} != {_id(node) for node in gone.iter(f"{W}{last}")}:
            raise EditRefused(f"{path} {target.base}: a comment or bookmark goes over its end")
    if _depth(gone) != 0:
        raise EditRefused(f"{path} {target.base}: a field goes over its end")
    span = positions.span(gone)
    return Patch(span.start, span.end, b"")


def insertion(path: str, target: Target, spot: Spot, positions: Positions) -> Patch:
    """Puts a paragraph of the same style behind a paragraph, or a row of the same shape behind a table row.

    Raises :class:`EditRefused` where the place is neither, where rows share cells, and for cells that do not fit.
    """
    for cell in target.edit.cells:
        if any(mark in said(cell) for mark in "\t\n\r"):
            raise EditRefused(f"{path} {target.base}: tabs and line breaks cannot be added to a paragraph")
    if spot.line is not None and spot.table is not None:
        return _row(path, target, spot, spot.line, spot.table, positions)
    if not spot.at.startswith("p"):
        raise EditRefused(
            f"{path} {target.base}: only behind a paragraph of the body or a table row is something added"
        )
    if len(target.edit.cells) != 1:
        raise EditRefused(f"{path} {target.base}: a new paragraph has one text, not {len(target.edit.cells)}")
    if spot.element.find(f"{W}pPr/{W}sectPr") is not None:
        raise EditRefused(f"{path} {target.base}: the paragraph ends a section")
    span = positions.span(spot.element)
    return Patch(span.end, span.end, _paragraph(spot.element, spot, said(target.edit.cells[0]), positions))


def _row(path: str, target: Target, spot: Spot, line: Element, table: Element, positions: Positions) -> Patch:
    model = line
    if line.find(f"{W}trPr/{W}tblHeader") is not None:
        model = next((after for before, after in pairwise(inside(table, TR)) if before is line), line)
    if any(row.find(f".//{W}vMerge") is not None for row in (line, model)):
        raise EditRefused(f"{path} {target.base}: the row shares a cell with another row")
    new = list(target.edit.cells)
    p = positions.prefix(model)
    made = []
    for _, column, cell, _ in (found for found in cells(table) if found[3] is model):
        text = said(new[column - 1]) if column <= len(new) else ""
        if column <= len(new):
            new[column - 1] = None
        paragraph = next(inside(cell, P), None)
        inner = b"<" + p + b"p/>" if paragraph is None else _paragraph(paragraph, spot, text, positions)
        if paragraph is None and text:
            raise EditRefused(f"{path} {target.base}: column {column} of the row has no paragraph to copy")
        made.append(b"<" + p + b"tc>" + _child(cell, "tcPr", _TRACKED, positions) + inner + b"</" + p + b"tc>")
    if any(said(cell) for cell in new):
        raise EditRefused(f"{path} {target.base}: the row has no cell of its own for {next(filter(None, new))!r}")
    head = b"<" + p + b"tr>" + _child(model, "trPr", _OF_ROW, positions)
    end = positions.span(line).end
    return Patch(end, end, head + b"".join(made) + b"</" + p + b"tr>")


def _paragraph(model: Element, spot: Spot, text: str, positions: Positions) -> bytes:
    """A paragraph with the properties of another one, and a run with those of its first run that is seen."""
    p = positions.prefix(model)
    run = b""
    if text:
        shown = {id(leaf) for leaf, _ in leaves(model, spot.sight)}
        first = next((r for r in model.iter(f"{W}r") if any(id(t) in shown and t.tag in TEXTS for t in r)), None)
        style = b"" if first is None else _child(first, "rPr", _TRACKED, positions)
        leaf = b"<" + p + b't xml:space="preserve">' + encoded(text) + b"</" + p + b"t>"
        run = b"<" + p + b"r>" + style + leaf + b"</" + p + b"r>"
    return b"<" + p + b"p>" + _child(model, "pPr", _OF_PARAGRAPH, positions) + run + b"</" + p + b"p>"


def _child(parent: Element, name: str, dropped: Collection[str], positions: Positions) -> bytes:
    """The bytes of a child and of all in it but what is dropped; nothing where there is no such child."""
    child = parent.find(f"{W}{name}")
    return b"" if child is None else _kept(child, dropped, positions)


def _kept(element: Element, dropped: Collection[str], positions: Positions) -> bytes:
    span, parts = positions.span(element), []
    at = span.start
    for child in element:
        own = positions.span(child)
        parts += [positions.content[at : own.start], b"" if child.tag in dropped else _kept(child, dropped, positions)]
        at = own.end
    return b"".join(parts) + positions.content[at : span.end]


def _id(node: Element) -> str | None:
    return node.get(f"{W}id")


def _depth(element: Element) -> int:
    kinds = [node.get(f"{W}fldCharType") for node in element.iter(f"{W}fldChar")]
    return kinds.count("begin") - kinds.count("end")
