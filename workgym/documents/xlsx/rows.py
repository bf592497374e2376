"""Rows of a sheet that go and come: in the sheet's own part, what stands below moves and every reference follows.

Cells, shared and array formulas, merged cells, conditional formats, validations, filters, links, page breaks,
sparklines and embedded controls follow; other parts do in ``followers``. The view of the sheet (selection, frozen rows)
stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workgym.documents.archive import Archive, Element
from workgym.documents.limits import LIMITS
from workgym.documents.ooxml.parts import PartEdit, local
from workgym.documents.xlsx.a1 import column_letters, split_reference
from workgym.documents.xlsx.cells import NewRow
from workgym.documents.xlsx.extent import grown
from workgym.documents.xlsx.followers import follow
from workgym.documents.xlsx.formulas import shifted
from workgym.documents.xlsx.read import NS, Workbook, sheet_entries
from workgym.documents.xlsx.references import LAST_ROW
from workgym.documents.xlsx.rowanchors import anchor_rows
from workgym.documents.xlsx.shifts import RowShift, Shifts
from workgym.documents.xmlpos import encoded
from workgym.errors import EditRefused

_RANGES = {
    "mergeCell": "ref",
    "conditionalFormatting": "sqref",
    "dataValidation": "sqref",
    "hyperlink": "ref",
    "autoFilter": "ref",
    "sortState": "ref",
    "sortCondition": "ref",
    "ignoredError": "sqref",
    "protectedRange": "sqref",
    "inputCells": "r",
    "cellWatch": "r",
}
_RULES = {"conditionalFormatting", "dataValidation"}
"""What a row takes over from the one above it, as it takes its styles."""
_FORMULAS = {"formula", "formula1", "formula2", "f"}
_LISTS_OF_VIEWS = {"sheetViews", "customSheetViews"}

Added = Mapping[int, Sequence[NewRow]]


def with_rows(
    path: str,
    archive: Archive,
    book: Workbook,
    changed: Mapping[str, bytes | None],
    shifts: Mapping[str, RowShift],
    added: Mapping[str, Added],
) -> dict[str, bytes | None]:
    """All parts that differ once the rows have moved, on top of parts that have ``changed`` already."""
    names = [node.get("name", "") for node in book.root.iter(f"{NS}sheet")]
    moves = Shifts(path, names, shifts)
    parts = dict(changed)
    for entry in sheet_entries(archive, book.part, book.root):
        part = PartEdit(path, entry.part, parts.get(entry.part) or archive.read(entry.part))
        _cells(part, entry.name, moves)
        if entry.name in shifts:
            _add(part, shifts[entry.name], added.get(entry.name, {}))
        _around(part, entry.name, moves)
        made = part.made()
        if made is not None:
            parts[entry.part] = made
    parts.update(follow(path, archive, book, parts, moves))
    return parts


def _cells(part: PartEdit, sheet: str, moves: Shifts) -> None:
    """Rows and cells with their new numbers, formulas with theirs; rows that go are dropped."""
    shift = moves.of(sheet)
    shared: dict[str, list[tuple[Element, int, int]]] = {}
    number = 0
    data = part.root.find(f"{NS}sheetData")
    for row in data if data is not None else ():
        number = int(row.get("r") or number + 1)
        if shift is not None and number in shift.removed:
            part.drop(row)
        new = number if shift is None else shift.row(number)
        if new > LAST_ROW:
            raise EditRefused(f"{part.path}: the last row of sheet {sheet} holds something and cannot move down")
        part.attribute(row, "r", str(new))
        column = 0
        for cell in row:
            place = split_reference(cell.get("r", "")) or (number, column + 1)
            column = place[1]
            part.attribute(cell, "r", f"{column_letters(column)}{new}")
            formula = cell.find(f"{NS}f")
            if formula is None:
                continue
            if formula.get("t") == "shared":
                shared.setdefault(formula.get("si", ""), []).append((formula, number, column))
            elif formula.get("t") in ("array", "dataTable"):
                _array(part, formula, sheet, moves, f"{column_letters(column)}{number}")
            else:
                part.text(formula, moves.formula(formula.text or "", sheet))
    for members in shared.values():
        _shared(part, members, sheet, moves)


def _array(part: PartEdit, formula: Element, sheet: str, moves: Shifts, cell: str) -> None:
    shift = moves.of(sheet)
    ref = formula.get("ref", "") or cell
    if shift is not None:
        top, bottom = _rows_of(ref)
        if shift.inside(top, bottom):
            raise EditRefused(f"{part.path}: one formula fills {sheet}!{ref} as a whole", fix="change it outside")
        if formula.get("t") == "dataTable" and bottom >= shift.first:
            raise EditRefused(f"{part.path}: {sheet}!{ref} is a data table, which cannot move")
        part.attribute(formula, "ref", shift.range(ref) or ref)
    part.text(formula, moves.formula(formula.text or "", sheet))


def _shared(part: PartEdit, members: list[tuple[Element, int, int]], sheet: str, moves: Shifts) -> None:
    """A formula that cells share: each gets its own where the change does not leave all of them alone."""
    shift = moves.of(sheet)
    written = next(((node.text, row, column) for node, row, column in members if node.text), None)
    if written is None:
        raise EditRefused(f"{part.path}: cells of sheet {sheet} share a formula that stands nowhere")
    text, from_row, from_column = written
    own = [(node, row, shifted(text, row - from_row, column - from_column)) for node, row, column in members]
    moved = [(node, moves.formula(formula, sheet)) for node, _, formula in own]
    stays = shift is None or all(row not in shift.removed and shift.row(row) == row for _, row, _ in own)
    if stays and all(new == old for (_, _, old), (_, new) in zip(own, moved, strict=True)):
        return
    for node, new in moved:
        name = part.positions.tag(node)
        kept = b' ca="1"' if node.get("ca") in ("1", "true") else b""
        part.replace(node, b"<" + name + kept + b">" + encoded(new) + b"</" + name + b">")


def _add(part: PartEdit, shift: RowShift, added: Added) -> None:
    """The new rows, each behind its own, and the extent of the sheet with them."""
    data = part.root.find(f"{NS}sheetData")
    if not added:
        return
    if data is None or part.positions.prefix(data):
        raise EditRefused(f"{part.path}: rows cannot be added to a sheet whose XML has prefixes")
    places: list[tuple[int, int]] = []
    number = 0
    for node in data:
        number = int(node.get("r") or number + 1)
        places.append((number, part.positions.span(node).start))
    last, top, columns = 0, LAST_ROW, 0
    tail = b""
    for behind, rows in sorted(added.items()):
        first = shift.row(behind) + (behind not in shift.removed)
        made = b"".join(row.xml(first + index) for index, row in enumerate(rows))
        at = next((start for other, start in places if other > behind), None)
        if at is None:
            tail += made
        else:
            part.insert(at, made)
        last, top = max(last, first + len(rows) - 1), min(top, first)
        columns = max([columns, *(row.cells[-1][0] for row in rows if row.cells)])
    if last > LAST_ROW:
        raise EditRefused(f"{part.path}: a sheet has no row {last}")
    if tail:
        part.append(data, tail)
    extent = part.root.find(f"{NS}dimension")
    if extent is not None and columns:
        moved = shift.range(extent.get("ref", "")) or "A1"
        part.attribute(extent, "ref", grown(moved, [(last, columns), (top, columns)]))
    elif extent is not None:
        part.attribute(extent, "ref", shift.range(extent.get("ref", "")) or "A1")


def _around(part: PartEdit, sheet: str, moves: Shifts) -> None:
    """All of the sheet's part but its cells and views."""
    for child in part.root:
        if local(child) not in {"sheetData", *_LISTS_OF_VIEWS}:
            _element(part, child, sheet, moves, "", 0)


def _element(part: PartEdit, node: Element, sheet: str, moves: Shifts, ranges: str, depth: int) -> None:
    """One element and all in it; ``ranges`` are the cells of the rule around it."""
    if depth > LIMITS.depth:
        raise EditRefused(f"{part.path}: part {part.name} is nested more than {LIMITS.depth} deep")
    name, shift = local(node), moves.of(sheet)
    attribute = _RANGES.get(name)
    if name != "sparkline":
        ranges = node.get("sqref", "") or next((c.text or "" for c in node if local(c) == "sqref"), "") or ranges
    if attribute and shift is not None and node.get(attribute):
        kept = shift.ranges(node.get(attribute, ""), joined=name in _RULES)
        if kept:
            part.attribute(node, attribute, kept)
        else:
            part.drop(node)
            return
    if name == "dimension" and shift is not None and not shift.added:
        part.attribute(node, "ref", shift.range(node.get("ref", "")) or "A1")
    elif name == "hyperlink" and node.get("location"):
        part.attribute(node, "location", moves.formula(node.get("location", ""), sheet))
    elif name in _FORMULAS and len(node) == 0 and node.text:
        part.text(node, moves.relative(node.text, sheet, ranges))
    elif name == "cfvo" and node.get("val"):
        part.attribute(node, "val", moves.relative(node.get("val", ""), sheet, ranges))
    elif name == "sqref" and shift is not None:
        kept = shift.ranges(node.text or "", joined=bool(ranges))
        if not kept:
            raise EditRefused(f"{part.path}: a rule or sparkline of sheet {sheet} covers nothing but removed rows")
        part.text(node, kept)
    elif name == "rowBreaks" and shift is not None:
        _breaks(part, node, shift)
        return
    elif name in ("from", "to") and shift is not None:
        anchor_rows(part, node, shift)
    for child in node:
        _element(part, child, sheet, moves, ranges, depth + 1)


def _breaks(part: PartEdit, node: Element, shift: RowShift) -> None:
    seen: set[int] = set()
    for child in node:
        row = int(child.get("id", "0"))
        new = shift.row(row) - (row in shift.removed)
        if new < 1 or new in seen:
            part.drop(child)
        else:
            part.attribute(child, "id", str(new))
        seen.add(new)
    kept = str(len([new for new in seen if new > 0]))
    if node.get("manualBreakCount") == node.get("count"):
        part.attribute(node, "manualBreakCount", kept)


def _rows_of(ref: str) -> tuple[int, int]:
    first, _, last = ref.partition(":")
    top, bottom = split_reference(first), split_reference(last or first)
    return (0, 0) if top is None or bottom is None else (top[0], bottom[0])
