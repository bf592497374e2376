"""A chart's data, changed in the chart and in the workbook that it was drawn from, so that both say the same."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from workgym.documents.archive import Archive
from workgym.documents.model import Fragment
from workgym.documents.ooxml.charts import C, Point
from workgym.documents.patches import Patch, Target, TextEdit, targets
from workgym.documents.pptx.read import Piece
from workgym.documents.xlsx.edit import edit as workbook_edit
from workgym.documents.xlsx.read import read as workbook_read
from workgym.documents.xmlpos import Positions, encoded
from workgym.errors import EditRefused, Unreadable
from workgym.records.surface import parse_number


def chart_changed(
    archive: Archive,
    wanted: list[tuple[Piece, Target]],
    part: Callable[[str], Positions],
    patches: dict[str, list[Patch]],
) -> dict[str, bytes]:
    """Adds the patches of the charts to ``patches``; returns the workbooks that change with them, by part."""
    edits: dict[str, dict[str, TextEdit]] = {}
    for piece, target in wanted:
        made = _content(archive.path, piece, target)
        patches[piece.part] += _patches(part(piece.part), piece, made)
        books = [name for kind, name in archive.relations(piece.part).values() if kind == "package" and name in archive]
        for point in piece.data.points if books and piece.data is not None else ():
            if point.cell is None:
                raise EditRefused(f"{archive.path} {target.base}: it is not clear where the chart's workbook holds it")
            edit = _in_workbook(archive, books[0], point, made, target)
            edits.setdefault(books[0], {})[point.cell] = edit
    changed = {}
    for book, cells in edits.items():
        try:
            changed[book] = workbook_edit(f"{archive.path} ({book})", archive.read(book), targets(cells.values()))
        except Unreadable as error:
            raise EditRefused(f"{archive.path}: the workbook of a chart cannot be read ({error.detail})") from error
    return changed


def _content(path: str, piece: Piece, target: Target) -> str | Decimal | None:
    """What the place shall hold: a text, a number, or None for nothing."""
    number = piece.data is not None and piece.data.points[0].value is not None
    if target.edit.mode not in ("set", "clear"):
        raise EditRefused(
            f"{path} {target.base}: no rows are added to a chart or removed from it", fix="clear a number"
        )
    if target.whole:
        if not number:
            raise EditRefused(f"{path} {target.base} names a row or a series of a chart and is not cleared")
        return None
    text = target.new_text(piece.text)
    if not number:
        if not text.strip():
            raise EditRefused(f"{path} {target.base} names a row or a series of a chart and is not cleared")
        return text
    if piece.data is not None and piece.data.points[0].day is not None:
        raise EditRefused(f"{path} {target.base}: a date of a chart is not edited", fix="change its workbook")
    value = target.edit.value
    found = parse_number(text if value is None or isinstance(value, bool) else str(value))
    if found is None:
        raise EditRefused(f"{path} {target.base} holds a number, and {text!r} is none", fix="give its value")
    return found


def _patches(positions: Positions, piece: Piece, made: str | Decimal | None) -> list[Patch]:
    points = piece.data.points if piece.data is not None else ()
    if made is None:
        owners = {id(leaf): node for node in positions.root.iter(f"{C}pt") for leaf in node}
        spans = [positions.span(owners[id(point.leaf)]) for point in points]
        return [Patch(span.start, span.end, b"") for span in spans]
    text = encoded(made if isinstance(made, str) else f"{made:f}")
    found = []
    for point in points:
        span, name = positions.span(point.leaf), positions.tag(point.leaf)
        found.append(Patch(span.start, span.end, b"<" + name + b">" + text + b"</" + name + b">"))
    return found


def _in_workbook(archive: Archive, book: str, point: Point, made: str | Decimal | None, target: Target) -> TextEdit:
    held = _held(archive, book, point.cell or "")
    if held is None or not _same(held, point):
        raise EditRefused(f"{archive.path} {target.base}: the chart's workbook says otherwise in {point.cell}")
    at = point.cell or ""
    if made is None:
        return TextEdit(at=at, expected=held.text, replacement=None, mode="clear")
    if isinstance(made, str):
        return TextEdit(at=at, expected=held.text, replacement=made)
    return TextEdit(at=at, expected=held.text, replacement=f"{made:f}", value=f"{made:f}")


def _held(archive: Archive, book: str, cell: str) -> Fragment | None:
    try:
        document = workbook_read(f"{archive.path} ({book})", archive.read(book))
    except Unreadable as error:
        raise EditRefused(f"{archive.path}: the workbook of a chart cannot be read ({error.detail})") from error
    return next((fragment for fragment in document.fragments if fragment.at == cell), None)


def _same(held: Fragment, point: Point) -> bool:
    if point.value is None:
        return held.text == point.text
    if point.day is not None:
        return held.value == point.day
    return held.value is not None and not isinstance(held.value, bool) and Decimal(str(held.value)) == point.value
