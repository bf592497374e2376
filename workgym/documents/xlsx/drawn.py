"""What lies over the cells of a sheet when rows move: pictures, charts, the notes' boxes and form controls."""

from __future__ import annotations

import re

from workgym.documents.ooxml.parts import PartEdit, local
from workgym.documents.patches import Patch, apply
from workgym.documents.xlsx.rowanchors import anchor_rows, rows_of_anchor
from workgym.documents.xlsx.shifts import RowShift, Shifts
from workgym.documents.xmlpos import encoded
from workgym.errors import EditRefused

_SHAPE = re.compile(rb"<v:shape[\s>].*?</v:shape>", re.DOTALL)
_NOTE_ROW = re.compile(rb"<x:Row>\s*(\d+)\s*</x:Row>")
_ANCHOR = re.compile(rb"(<x:Anchor>)([^<]*)(</x:Anchor>)")
_LINK = re.compile(rb"(<x:(?:FmlaLink|FmlaRange|FmlaGroup|FmlaTxbx|FmlaPict)>)([^<]*)(<)")


def move_drawing(part: PartEdit, sheet: str, moves: Shifts) -> None:
    """Anchors of a drawing and the cells that its shapes show.

    Raises :class:`EditRefused` where something lies in nothing but rows that go.
    """
    shift = moves.of(sheet)
    for anchor in part.root.iter():
        if anchor.get("textlink"):
            part.attribute(anchor, "textlink", moves.formula(anchor.get("textlink", ""), sheet))
        if shift is None or local(anchor) not in ("oneCellAnchor", "twoCellAnchor"):
            continue
        if anchor.get("editAs") == "absolute":
            continue
        corners = {local(node): node for node in anchor if local(node) in ("from", "to")}
        if "from" not in corners:
            continue
        top = rows_of_anchor(corners["from"])
        bottom = rows_of_anchor(corners["to"]) if "to" in corners else top
        if "to" in corners and shift.removed.issuperset(range(top, bottom + 1)):
            raise EditRefused(f"{part.path}: a drawing of sheet {sheet} lies in rows {top} to {bottom}, which go")
        anchor_rows(part, corners["from"], shift)
        if "to" in corners:
            steps = shift.row(top) - top if anchor.get("editAs") == "oneCell" else None
            anchor_rows(part, corners["to"], shift, steps)


def move_shapes(path: str, content: bytes, sheet: str, moves: Shifts) -> bytes:
    """The boxes of notes and the form controls of a legacy drawing (VML, which is not always well-formed XML)."""
    shift = moves.of(sheet)
    patches = []
    for shape in _SHAPE.finditer(content):
        start, end = shape.span()
        note = _NOTE_ROW.search(content, start, end)
        if note is not None and shift is not None:
            row = int(note[1]) + 1
            if row in shift.removed:
                patches.append(Patch(start, end, b""))
                continue
            patches.append(Patch(note.start(1), note.end(1), str(shift.row(row) - 1).encode()))
        anchor = _ANCHOR.search(content, start, end)
        if anchor is not None and shift is not None:
            patches.append(Patch(anchor.start(2), anchor.end(2), _anchor(anchor[2], note, shift)))
        for link in _LINK.finditer(content, start, end):
            moved = moves.formula(_plain(link[2]), sheet)
            if moved != _plain(link[2]):
                patches.append(Patch(link.start(2), link.end(2), encoded(moved)))
    return apply(path, content, patches)


def _anchor(written: bytes, note: re.Match[bytes] | None, shift: RowShift) -> bytes:
    """Columns and rows with offsets, from the left top to the right bottom; a note keeps its size."""
    numbers = [piece.strip() for piece in written.split(b",")]
    if len(numbers) != 8 or not all(piece.lstrip(b"-").isdigit() for piece in numbers):
        return written
    top, bottom = int(numbers[2]) + 1, int(numbers[6]) + 1
    leader = int(note[1]) + 1 if note is not None else top
    steps = shift.row(leader) - leader
    numbers[2] = str(max(0, top + steps - 1)).encode()
    numbers[6] = str(max(0, (bottom + steps if note is not None else shift.row(bottom)) - 1)).encode()
    return b", ".join(numbers) if numbers != [piece.strip() for piece in written.split(b",")] else written


def _plain(written: bytes) -> str:
    text = written.decode("utf-8", "replace")
    for entity, sign in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&amp;", "&")):
        text = text.replace(entity, sign)
    return text
