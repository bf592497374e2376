"""XML data: the text of one element or attribute changes; layout, comments, prefixes and quotes stay.

After edits of texts the file is read again and compared; a text that does not stay alone there is refused. Not edited:
comments, texts with a comment inside them, names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.sax.saxutils import escape

from workgym.documents.model import Document
from workgym.documents.patches import Patch, Target, apply, said
from workgym.documents.records import new_values
from workgym.documents.xml.read import read
from workgym.documents.xml.tree import BLANK, Attribute, Node, Piece, Tree, records
from workgym.errors import EditRefused

_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_CDATA = re.compile(rb"<!\[CDATA\[(?:(?!\]\]>).)*\]\]>", re.S)


@dataclass(frozen=True)
class _Spot:
    """What stands at a place."""

    node: Node
    part: Attribute | Piece | None
    text: str | None
    """What it says; None for an element that holds elements."""


def edit(path: str, content: bytes, targets: list[Target]) -> bytes:
    """Change texts and attributes (``clear`` empties them), remove the repeated element around them, or add another."""
    document, tree = read(path, content), Tree(path, content)
    parents = {id(child): node for node in tree.root.walk() for child in node.elements}
    spots = _spots(tree)
    patches: list[Patch] = []
    added: list[Patch] = []
    says: dict[str, str] = {}
    for target in targets:
        spot = spots.get(target.base)
        rows = target.edit.mode in ("remove_row", "insert_row")
        if spot is None or (spot.text is None and not rows):
            raise EditRefused(f"{path} has no text at {target.base!r}")
        old = target.check(path, target.edit.expected if spot.text is None else spot.text)
        if target.edit.mode == "remove_row":
            row = _row(path, spot.node, parents)
            patches.append(Patch(*_lines(tree.body, row.start, row.end), b""))
        elif target.edit.mode == "insert_row":
            row = _row(path, spot.node, parents)
            added.append(_addition(tree, document, target, parents[id(row)], row, spots))
        else:
            says[target.base] = target.new_text(old)
            patches.append(_exchange(tree, spot, says[target.base]))
    made = apply(path, tree.body, [*dict.fromkeys(patches), *added])
    result = tree.source.mark + made.decode().encode(tree.source.encoding, "xmlcharrefreplace")
    moved = any(target.edit.mode in ("remove_row", "insert_row") for target in targets)
    expected = {at: text for at, text in (_texts(document) | says).items() if text}
    if not moved and _texts(read(path, result)) != expected:
        raise EditRefused(f"{path}: the text would not be read again as it is meant (blanks at its ends, or nothing)")
    return result


def _texts(document: Document) -> dict[str, str]:
    return {fragment.at: fragment.text for fragment in document.fragments if fragment.at.startswith("/")}


def _spots(tree: Tree) -> dict[str, _Spot]:
    found: dict[str, _Spot] = {}
    for node in tree.root.walk():
        for attribute in node.attributes:
            found[f"{node.at}/@{attribute.name}"] = _Spot(node, attribute, attribute.text)
        if node.plain:
            found[node.at] = _Spot(node, None, node.text)
        else:
            found[node.at] = _Spot(node, None, None)
            for number, piece in enumerate(node.pieces, 1):
                found[f"{node.at}/text()[{number}]"] = _Spot(node, piece, node.shown(piece.text))
    return found


def _exchange(tree: Tree, spot: _Spot, new: str) -> Patch:
    """The bytes of a text, written anew."""
    if _ILLEGAL.search(new):
        raise EditRefused(f"{tree.path} {spot.node.at}: {new!r} holds a character that XML cannot hold")
    node, part = spot.node, spot.part
    if isinstance(part, Attribute):
        quote = tree.body[part.start - 1 : part.start].decode()
        marks = {"\t": "&#9;", "\n": "&#10;", "\r": "&#13;", '"': "&quot;"} | ({"'": "&apos;"} if quote == "'" else {})
        return Patch(part.start, part.end, escape(new, marks).encode())
    if node.close == node.end:
        tag = tree.body[node.start : node.end - 2].rstrip()
        name = node.name.encode()
        return Patch(node.start, node.end, tag + b">" + _written(new) + b"</" + name + b">" if new else b"/>")
    start, end = (part.start, part.end) if part is not None else (node.inner, node.close)
    if part is None and any(start <= remark.start < end for remark in tree.remarks):
        raise EditRefused(f"{tree.path} {node.at}: a comment stands in the text")
    raw = tree.body[start:end]
    if raw.strip() and node.shown(raw.decode()) != raw.decode():
        start, end = end - len(raw.lstrip()), start + len(raw.rstrip())
        raw = tree.body[start:end]
    if _CDATA.fullmatch(raw) and "]]>" not in new and "\r" not in new:
        return Patch(start, end, b"<![CDATA[" + new.encode() + b"]]>")
    return Patch(start, end, _written(new))


def _written(text: str) -> bytes:
    return escape(text, {"\r": "&#13;"}).encode()


def _rows(parent: Node) -> list[Node]:
    """The elements of a parent that are rows, or repeat."""
    several = [child for child in parent.elements if child.repeats]
    return several or [row for rows in records(parent).values() for row in rows]


def _row(path: str, node: Node, parents: dict[int, Node]) -> Node:
    """The nearest element around a place that is one of several alike."""
    while id(node) in parents:
        if node in _rows(parents[id(node)]):
            return node
        node = parents[id(node)]
    raise EditRefused(f"{path}: no element that repeats stands around the place")


def _lines(body: bytes, start: int, end: int) -> tuple[int, int]:
    """A stretch with its lines where it has them for itself."""
    before, after = len(body[:start].rstrip(b" \t")), end + len(body[end:]) - len(body[end:].lstrip(b" \t"))
    if body[before - 1 : before] in (b"\n", b"\r") and body[after : after + 1] in (b"\n", b"\r"):
        return before, after + (2 if body[after : after + 2] == b"\r\n" else 1)
    return start, end


def _addition(
    tree: Tree, document: Document, target: Target, parent: Node, row: Node, spots: dict[str, _Spot]
) -> Patch:
    """A copy of an element behind it: other texts, no comments, and none of the rows of tables within it."""
    inner = [child for node in row.walk() for rows in records(node).values() for child in rows]
    dropped = [(child.start, child.end) for child in inner]
    gone = {id(below) for child in inner for below in child.walk()}
    leaves = {
        at: at[len(row.at) :]
        for at, spot in spots.items()
        if row.start <= spot.node.start < row.end and spot.text is not None and id(spot.node) not in gone
        if not (isinstance(spot.part, Attribute) and spot.part.technical)
    }
    if spots[row.at].text == "" and len(leaves) > 1:
        leaves.pop(row.at)
    table = f"{parent.at}/{row.name}"
    known = {
        re.sub(r"^\[\d+\]", "", fragment.at[len(table) :]): fragment.column
        for fragment in document.fragments
        if fragment.table == table and fragment.column is not None
    }
    values = new_values(tree.path, target, row.at, leaves, known)
    changes = [_exchange(tree, spots[at], said(value)) for at, value in values.items()]
    remarks = [_remark(tree.body, remark.start) for remark in tree.remarks if row.start < remark.start < row.end]
    for start, end in _outermost([*dropped, *remarks]):
        first, last = _lines(tree.body, start, end)
        beside = (first, last) == (start, end) and (start, end) in remarks
        changes.append(Patch(len(tree.body[:first].rstrip(b" \t")) if beside else first, last, b""))
    moved = [Patch(start - row.start, end - row.start, new) for start, end, new in changes]
    copy = apply(tree.path, tree.body[row.start : row.end], moved)
    before = len(tree.body[: row.start].rstrip(BLANK.encode()))
    gap = tree.body[before : row.start]
    if (b"\n" in gap or b"\r" in gap) and tree.body[row.end : row.end + 1] != b"<":
        newline = b"\r\n" if b"\r\n" in gap else gap[:1] if gap[:1] in (b"\n", b"\r") else b"\n"
        copy = newline + gap[max(gap.rfind(b"\n"), gap.rfind(b"\r")) + 1 :] + copy
    return Patch(row.end, row.end, copy)


def _outermost(stretches: list[tuple[int, int]]) -> list[tuple[int, int]]:
    kept: list[tuple[int, int]] = []
    for start, end in sorted(stretches):
        if not kept or start >= kept[-1][1]:
            kept.append((start, end))
    return kept


def _remark(body: bytes, start: int) -> tuple[int, int]:
    closing = b"-->" if body.startswith(b"<!--", start) else b"?>"
    return start, body.index(closing, start) + len(closing)
