"""Tables of a workbook (ListObjects): their extent when rows move, and their column names when a header changes."""

from __future__ import annotations

import re
from collections.abc import Mapping

from workgym.documents.archive import Archive, Element
from workgym.documents.ooxml.parts import PartEdit, local
from workgym.documents.xlsx.a1 import split_reference
from workgym.documents.xlsx.read import NS, Workbook, sheet_entries
from workgym.documents.xlsx.references import tokens
from workgym.documents.xlsx.shifts import RowShift, Shifts
from workgym.errors import EditRefused


def move_table(part: PartEdit, sheet: str, moves: Shifts, shift: RowShift | None) -> None:
    """A table with its rows moved; ``shift`` is what happens to its sheet.

    Rows that come behind its last row join it where it has no totals. Raises :class:`EditRefused` where its header, its
    totals or all of its rows would go.
    """
    table = part.root
    name = table.get("displayName") or table.get("name") or part.name
    if shift is not None:
        _extent(part, table, name, sheet, shift)
    for node in table.iter():
        if local(node) in ("calculatedColumnFormula", "totalsRowFormula") and node.text:
            moved = moves.formula(node.text, sheet)
            if moved != node.text and _relative(node.text):
                raise EditRefused(f"{part.path}: a column of table {name} has the formula {node.text[:60]!r}")
            part.text(node, moved)


def renamed_columns(
    path: str, archive: Archive, book: Workbook, sheet_part: str, texts: Mapping[tuple[int, int], str]
) -> dict[str, bytes | None]:
    """Tables whose headers get other ``texts`` (by place). Raises :class:`EditRefused` where a formula names one."""
    changed: dict[str, bytes | None] = {}
    for kind, name in archive.relations(sheet_part).values():
        if kind != "table" or name not in archive:
            continue
        part = PartEdit(path, name, archive.read(name))
        top, left, _, right = _box(part.root)
        if part.root.get("headerRowCount") == "0":
            continue
        columns = list(part.root.iter(f"{NS}tableColumn"))
        for (row, column), text in texts.items():
            if row != top or not left <= column <= right or column - left >= len(columns):
                continue
            node = columns[column - left]
            old, new = node.get("name", ""), text.replace("\n", "_x000a_")
            others = {other.get("name", "").casefold() for other in columns if other is not node}
            if not text or text.casefold() in others:
                raise EditRefused(f"{path}: a column of table {part.root.get('displayName')} needs a name of its own")
            if old != new and old.casefold() in _named(archive, book):
                raise EditRefused(f"{path}: formulas name the column {old!r} of table {part.root.get('displayName')}")
            part.attribute(node, "name", new)
        made = part.made()
        if made is not None:
            changed[name] = made
    return changed


def _extent(part: PartEdit, table: Element, name: str, sheet: str, shift: RowShift) -> None:
    top, _, bottom, _ = _box(table)
    header = table.get("headerRowCount", "1") != "0"
    totals = table.get("totalsRowCount", "0") not in ("", "0")
    rows = range(top + header, bottom + 1 - totals)
    if header and top in shift.removed:
        raise EditRefused(f"{part.path}: row {top} of sheet {sheet} is the header of table {name}")
    if totals and bottom in shift.removed:
        raise EditRefused(f"{part.path}: row {bottom} of sheet {sheet} is the totals row of table {name}")
    if rows and shift.removed.issuperset(rows) and not any(row in shift.added for row in (top, *rows)):
        raise EditRefused(f"{part.path}: table {name} of sheet {sheet} would have no rows left")
    for node in table.iter():
        written = node.get("ref")
        if local(node) not in ("table", "autoFilter", "sortState", "sortCondition") or not written:
            continue
        moved = shift.range(written, joined=not totals and local(node) in ("table", "autoFilter"))
        if moved is None:
            part.drop(node)
            continue
        part.attribute(node, "ref", moved)


def _relative(formula: str) -> bool:
    corners = [
        corner
        for token in tokens(formula)
        if token.reference is not None
        for corner in (token.reference.first, token.reference.last)
    ]
    return any(corner is not None and corner.row is not None and not corner.row_fixed for corner in corners)


def _box(table: Element) -> tuple[int, int, int, int]:
    first, _, last = table.get("ref", "").partition(":")
    start, end = split_reference(first), split_reference(last or first)
    return (0, 0, 0, 0) if start is None or end is None else (*start, *end)


def _named(archive: Archive, book: Workbook) -> set[str]:
    """Column names that structured references of the workbook mention, folded."""
    written = [node.text or "" for node in book.root.iter(f"{NS}definedName")]
    for entry in sheet_entries(archive, book.part, book.root):
        for node in archive.xml(entry.part).iter():
            if local(node) in ("f", "formula", "formula1", "formula2") and node.text and "[" in node.text:
                written.append(node.text)
        for kind, name in archive.relations(entry.part).values():
            if kind == "table" and name in archive:
                written += [node.text or "" for node in archive.xml(name).iter() if "Formula" in local(node)]
    found: set[str] = set()
    for formula in written:
        for token in tokens(formula):
            if token.kind == "structured":
                found.update(piece.strip("[]@ ").casefold() for piece in re.split(r"[\[\],:]", token.text))
    return found
