"""Rows of a sheet removed: what stands below moves up, and every reference to the sheet follows.

Formulas and defined names of the whole workbook, merged cells, conditional formats, validations, filters and links
follow. Sheets with comments, tables, drawings or shared formulas are refused: their parts would have to change too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from workgym.documents.archive import Archive, Element
from workgym.documents.cells import split_reference
from workgym.documents.patches import Patch, apply
from workgym.documents.readers.xlsx import NS, Workbook, sheet_entries
from workgym.documents.xmlpos import Positions, encoded
from workgym.errors import EditRefused

_CELL = r"\$?[A-Za-z]{1,3}\$?[1-9]\d{0,6}"
_PIECE = re.compile(
    r'(?P<string>"(?:[^"]|"")*")'
    rf"|(?P<sheet>(?:'(?:[^']|'')+'|(?<![\w.'])[^\W\d][\w.]*)!)?(?<![\w.$])(?P<first>{_CELL})(?::(?P<last>{_CELL}))?(?![\w(.!])"
    r"|(?P<rows>(?<![\w.$:])\$?\d+:\$?\d+(?![\w.]))"
    r"|(?P<word>[^\W\d][\w.]*!?)"
)
_REF = re.compile(r"(\$?[A-Za-z]{1,3}\$?)([1-9]\d{0,6})")
_RANGES = {
    "mergeCell": "ref",
    "conditionalFormatting": "sqref",
    "dataValidation": "sqref",
    "hyperlink": "ref",
    "autoFilter": "ref",
    "dimension": "ref",
    "selection": "sqref",
    "ignoredError": "sqref",
    "protectedRange": "sqref",
}
_REFUSED = {"comments", "table", "drawing", "vmlDrawing", "pivotTable", "threadedComment"}


def without_rows(
    path: str, archive: Archive, book: Workbook, changed: Mapping[str, bytes], removed: Mapping[str, frozenset[int]]
) -> dict[str, bytes]:
    """The changed parts of the workbook with ``removed`` (by sheet) gone, on top of parts that have changed already."""
    parts = dict(changed)
    for entry in sheet_entries(archive, book.part, book.root):
        kinds = {kind for kind, _ in archive.relations(entry.part).values()}
        if entry.name in removed and kinds & _REFUSED:
            raise EditRefused(
                f"{path}: sheet {entry.name} has {', '.join(sorted(kinds & _REFUSED))}", fix="clear the cells instead"
            )
        content = parts.get(entry.part, archive.read(entry.part))
        patches = _sheet(path, Positions(path, entry.part, content), entry.name, removed)
        if patches:
            parts[entry.part] = apply(path, content, patches)
    positions = Positions(path, book.part, archive.read(book.part))
    names = []
    for node in positions.root.iter(f"{NS}definedName"):
        moved = _formula(path, node.text or "", "", removed)
        if moved != (node.text or ""):
            span = positions.span(node)
            names.append(Patch(span.inner, span.close, encoded(moved)))
    if names:
        parts[book.part] = apply(path, positions.content, names)
    return parts


def _sheet(path: str, positions: Positions, name: str, removed: Mapping[str, frozenset[int]]) -> list[Patch]:
    rows = removed.get(name, frozenset())
    patches: list[Patch] = []
    number = 0
    data = positions.root.find(f"{NS}sheetData")
    for row in data if data is not None else ():
        number = int(row.get("r") or number + 1)
        span = positions.span(row)
        if number in rows:
            patches.append(Patch(span.start, span.end, b""))
            continue
        if rows and _moved(number, rows) != number:
            patches.append(_attribute(positions, row, "r", str(_moved(number, rows))))
        for cell in row:
            patches += _cell(path, positions, cell, name, number, rows, removed)
    if rows:
        for node in positions.root.iter():
            attribute = _RANGES.get(node.tag.rpartition("}")[2])
            if attribute and node.get(attribute):
                patches += _ranges(positions, node, attribute, rows)
        for node in positions.root.iter(f"{NS}formula"):
            patches += _text(path, positions, node, name, removed)
        for tag in ("formula1", "formula2"):
            for node in positions.root.iter(f"{NS}{tag}"):
                patches += _text(path, positions, node, name, removed)
    return patches


def _cell(
    path: str,
    positions: Positions,
    cell: Element,
    name: str,
    number: int,
    rows: frozenset[int],
    removed: Mapping[str, frozenset[int]],
) -> list[Patch]:
    patches = []
    place = split_reference(cell.get("r", ""))
    if rows and place is not None and _moved(number, rows) != number:
        letters = cell.get("r", "").rstrip("0123456789")
        patches.append(_attribute(positions, cell, "r", f"{letters}{_moved(number, rows)}"))
    formula = cell.find(f"{NS}f")
    if formula is not None:
        if rows and formula.get("t") in ("shared", "array", "dataTable"):
            raise EditRefused(f"{path}: sheet {name} has shared formulas", fix="clear the cells instead")
        patches += _text(path, positions, formula, name, removed)
    return patches


def _text(
    path: str, positions: Positions, node: Element, name: str, removed: Mapping[str, frozenset[int]]
) -> list[Patch]:
    old = node.text or ""
    new = _formula(path, old, name, removed)
    span = positions.span(node)
    return [] if new == old else [Patch(span.inner, span.close, encoded(new))]


def _ranges(positions: Positions, node: Element, attribute: str, rows: frozenset[int]) -> list[Patch]:
    """A list of ranges with rows gone; an element that covers only such rows goes itself."""
    old = node.get(attribute, "")
    moved = [_range(*piece.partition(":")[::2], rows) for piece in old.split()]
    kept = " ".join(piece for piece in moved if piece is not None)
    span = positions.span(node)
    if not kept:
        return [Patch(span.start, span.end, b"")]
    return [] if kept == old else [_attribute(positions, node, attribute, kept)]


def _attribute(positions: Positions, node: Element, name: str, value: str) -> Patch:
    span, tag = positions.span(node), positions.start_tag(node)
    match = re.search(rf"\s{name}\s*=\s*(?:\"([^\"]*)\"|'([^']*)')".encode(), tag)
    if match is None:
        return Patch(span.start, span.start, b"")
    group = 1 if match[1] is not None else 2
    return Patch(span.start + match.start(group), span.start + match.end(group), value.encode())


def _moved(row: int, rows: frozenset[int]) -> int:
    return row - sum(1 for gone in rows if gone < row)


def _range(first: str, last: str, rows: frozenset[int]) -> str | None:
    """A cell or a range after the removal, or None where nothing of it is left."""
    start, end = _REF.fullmatch(first), _REF.fullmatch(last or first)
    if start is None or end is None:
        return f"{first}:{last}" if last else first
    top, bottom = int(start[2]), int(end[2])
    while top in rows and top <= bottom:
        top += 1
    while bottom in rows and bottom >= top:
        bottom -= 1
    if top > bottom:
        return None
    head = f"{start[1]}{_moved(top, rows)}"
    return f"{head}:{end[1]}{_moved(bottom, rows)}" if last else head


def _formula(path: str, formula: str, sheet: str, removed: Mapping[str, frozenset[int]]) -> str:
    """A formula that stands on ``sheet``, with its references to the shortened sheets moved."""

    def move(match: re.Match[str]) -> str:
        if match["rows"] is not None:
            raise EditRefused(
                f"{path}: the formula {formula[:60]!r} refers to whole rows", fix="clear the cells instead"
            )
        if match["first"] is None:
            return match[0]
        prefix = match["sheet"] or ""
        target = prefix[:-1].strip("'").replace("''", "'") if prefix else sheet
        rows = removed.get(target)
        if not rows:
            return match[0]
        moved = _range(match["first"], match["last"] or "", rows)
        return prefix + ("#REF!" if moved is None else moved)

    return _PIECE.sub(move, formula)
