"""Workbooks: cells of a sheet's XML change, rows go and come; all that nobody named keeps its bytes.

A text becomes an inline string. A value that begins with ``=`` is a formula; it gets no cached value, and those of
other formulas are not touched: recalculate the workbook afterwards. With ``remove_row`` and ``insert_row`` every
reference to the sheet follows, see ``rows`` and ``followers``. A set formula speaks of the file as given, like all
places; one in an added row speaks of the file as it becomes. An added row takes the look of the row it comes behind,
and joins a table (not a range) whose last row that is.
"""

from __future__ import annotations

from typing import NamedTuple

from workgym.documents.archive import Archive, Element
from workgym.documents.ooxml.repack import repacked, without_part
from workgym.documents.patches import Patch, Target, apply
from workgym.documents.xlsx.a1 import column_letters, split_place, split_reference
from workgym.documents.xlsx.cells import Content, NewRow, cell_xml, row_like, text_of, wanted
from workgym.documents.xlsx.extent import grown
from workgym.documents.xlsx.formulas import shifted
from workgym.documents.xlsx.read import NS, Workbook, sheet_entries
from workgym.documents.xlsx.rows import with_rows
from workgym.documents.xlsx.shifts import RowShift
from workgym.documents.xlsx.tables import renamed_columns
from workgym.documents.xmlpos import Positions, encoded
from workgym.errors import EditRefused

Box = tuple[int, int, int, int]
"""Top, left, bottom and right of a range."""


class _Sheet(NamedTuple):
    """A sheet that is edited."""

    name: str
    part: str
    positions: Positions
    rows: dict[int, Element]
    cells: dict[tuple[int, int], Element]
    arrays: dict[str, Box]
    """Ranges that one formula fills, as written."""
    merged: dict[str, Box]


class _Gathered:
    """What the edits of a workbook come to."""

    def __init__(self) -> None:
        self.sheets: dict[str, _Sheet] = {}
        self.set: dict[str, dict[tuple[int, int], Content | None]] = {}
        self.texts: dict[str, dict[tuple[int, int], str]] = {}
        self.removed: dict[str, set[int]] = {}
        self.added: dict[str, dict[int, list[NewRow]]] = {}


def edit(path: str, content: bytes, targets: list[Target]) -> bytes:
    """Change cells, empty them (their style stays), fill empty ones, remove and add rows."""
    archive = Archive(path, content)
    book = Workbook(archive)
    parts = {entry.name: entry.part for entry in sheet_entries(archive, book.part, book.root)}
    found = _Gathered()
    for target in targets:
        _gather(path, archive, book, parts, target, found)
    changed: dict[str, bytes | None] = {}
    lost: list[tuple[str, str]] = []
    gained = False
    for name, cells in found.set.items():
        sheet = found.sheets[name]
        patches = _patches(path, sheet, cells)
        if patches:
            changed[sheet.part] = apply(path, archive.read(sheet.part), patches)
        lost += [
            (name, f"{column_letters(place[1])}{place[0]}")
            for place in cells
            if place in sheet.cells and sheet.cells[place].find(f"{NS}f") is not None
        ]
        gained = gained or any(made is not None and made.inner.startswith(b"<f>") for made in cells.values())
        changed.update(renamed_columns(path, archive, book, sheet.part, found.texts.get(name, {})))
    shifts = {
        name: RowShift(
            frozenset(found.removed.get(name, ())),
            {row: len(rows) for row, rows in found.added.get(name, {}).items()},
        )
        for name in {**found.removed, **found.added}
    }
    if shifts:
        changed = with_rows(path, archive, book, changed, shifts, found.added)
    if shifts or lost or gained:
        changed.update(_without_chain(path, archive, book, lost, bool(shifts) or gained))
    return repacked(archive, changed)


def _gather(
    path: str, archive: Archive, book: Workbook, parts: dict[str, str], target: Target, found: _Gathered
) -> None:
    place = split_place(target.base)
    if place is None or place[0] not in parts:
        raise EditRefused(f"{path} has no cell {target.base}")
    name, row, column = place
    if name not in found.sheets:
        found.sheets[name] = _load(path, archive, name, parts[name])
    sheet = found.sheets[name]
    cell = sheet.cells.get((row, column))
    target.check(path, "" if cell is None else text_of(book, cell))
    if target.edit.mode == "remove_row":
        found.removed.setdefault(name, set()).add(row)
    elif target.edit.mode == "insert_row":
        made = row_like(path, book, target, sheet.rows.get(row))
        found.added.setdefault(name, {}).setdefault(row, []).append(made)
    else:
        cells = found.set.setdefault(name, {})
        if (row, column) in cells:
            raise EditRefused(f"{path}: two edits change {target.base}")
        content = wanted(path, book, target, cell)
        _check_place(path, target, sheet, (row, column), content)
        cells[row, column] = content
        found.texts.setdefault(name, {})[row, column] = target.new_text("" if cell is None else text_of(book, cell))


def _load(path: str, archive: Archive, name: str, part: str) -> _Sheet:
    positions = Positions(path, part, archive.read(part))
    rows: dict[int, Element] = {}
    cells: dict[tuple[int, int], Element] = {}
    arrays: dict[str, Box] = {}
    data = positions.root.find(f"{NS}sheetData")
    number = 0
    for row in data if data is not None else ():
        number = int(row.get("r") or number + 1)
        rows[number] = row
        column = 0
        for cell in row:
            if cell.tag != f"{NS}c":
                continue
            place = split_reference(cell.get("r", "")) or (number, column + 1)
            column = place[1]
            cells[place] = cell
            formula = cell.find(f"{NS}f")
            if formula is not None and formula.get("t") in ("array", "dataTable"):
                arrays |= _box(formula.get("ref", ""))
    merged: dict[str, Box] = {}
    for node in positions.root.iterfind(f"{NS}mergeCells/{NS}mergeCell"):
        merged |= _box(node.get("ref", ""))
    return _Sheet(name, part, positions, rows, cells, arrays, merged)


def _box(written: str) -> dict[str, Box]:
    first, _, last = written.partition(":")
    start, end = split_reference(first), split_reference(last or first)
    return {} if start is None or end is None or start == end else {written: (*start, *end)}


def _within(place: tuple[int, int], boxes: dict[str, Box]) -> str | None:
    for written, (top, left, bottom, right) in boxes.items():
        if top <= place[0] <= bottom and left <= place[1] <= right:
            return written
    return None


def _check_place(path: str, target: Target, sheet: _Sheet, place: tuple[int, int], content: Content | None) -> None:
    filled = _within(place, sheet.arrays)
    if filled is not None:
        raise EditRefused(f"{path} {target.base}: one formula fills {filled} as a whole")
    covered = _within(place, sheet.merged)
    if covered is not None and content is not None and place != sheet.merged[covered][:2]:
        raise EditRefused(f"{path} {target.base} is covered by the merged cells {covered}", fix="set the first of them")


def _patches(path: str, sheet: _Sheet, cells: dict[tuple[int, int], Content | None]) -> list[Patch]:
    patches = []
    missing: dict[int, list[tuple[int, bytes]]] = {}
    for (row, column), made in cells.items():
        cell = sheet.cells.get((row, column))
        reference = f"{column_letters(column)}{row}"
        if cell is not None:
            span = sheet.positions.span(cell)
            patches.append(Patch(span.start, span.end, _rewritten(sheet.positions, cell, reference, made)))
        elif made is not None:
            missing.setdefault(row, []).append((column, cell_xml(b"", reference, b"", made)))
    patches += _unshared(sheet, cells)
    fresh: dict[int, bytes] = {}
    for row, new in sorted(missing.items()):
        if row in sheet.rows:
            patches += _into_row(path, sheet, row, sorted(new))
        else:
            fresh[row] = f'<row r="{row}">'.encode() + b"".join(made for _, made in sorted(new)) + b"</row>"
    filled = [place for place, made in cells.items() if made is not None]
    return [*patches, *_extent(sheet, filled), *(_rows_between(path, sheet, fresh) if fresh else [])]


def _extent(sheet: _Sheet, places: list[tuple[int, int]]) -> list[Patch]:
    """The sheet's extent, where it does not cover all places yet."""
    node = sheet.positions.root.find(f"{NS}dimension")
    if node is None or grown(node.get("ref", ""), places) == node.get("ref"):
        return []
    span, tag = sheet.positions.span(node), sheet.positions.start_tag(node)
    old, new = node.get("ref", "").encode(), grown(node.get("ref", ""), places).encode()
    return [Patch(span.start, span.start + len(tag), tag.replace(old, new, 1))]


def _unshared(sheet: _Sheet, cells: dict[tuple[int, int], Content | None]) -> list[Patch]:
    """Formulas of their own for the cells that share one which is overwritten."""
    written = {}
    for place in cells:
        formula = sheet.cells[place].find(f"{NS}f") if place in sheet.cells else None
        if formula is not None and formula.get("t") == "shared" and formula.text:
            written[formula.get("si", "")] = (place, formula.text)
    patches = []
    for place, cell in sheet.cells.items() if written else ():
        formula = cell.find(f"{NS}f")
        if place in cells or formula is None or formula.get("t") != "shared" or formula.get("si", "") not in written:
            continue
        (row, column), text = written[formula.get("si", "")]
        own = encoded(shifted(text, place[0] - row, place[1] - column))
        span, name = sheet.positions.span(formula), sheet.positions.tag(formula)
        patches.append(Patch(span.start, span.end, b"<" + name + b">" + own + b"</" + name + b">"))
    return patches


_DROPPED = {"r", "t", "s", "cm", "vm"}


def _rewritten(positions: Positions, cell: Element, reference: str, made: Content | None) -> bytes:
    style = cell.get("s")
    kept = b"" if style is None else f' s="{int(style)}"'.encode()
    for name, value in cell.attrib.items():
        if name not in _DROPPED and "}" not in name:
            kept += f' {name}="'.encode() + encoded(value).replace(b'"', b"&quot;") + b'"'
    return cell_xml(positions.prefix(cell), reference, kept, made)


def _into_row(path: str, sheet: _Sheet, row: int, cells: list[tuple[int, bytes]]) -> list[Patch]:
    """Cells that a row does not have yet, in their places."""
    positions, node = sheet.positions, sheet.rows[row]
    if positions.prefix(node):
        raise EditRefused(f"{path}: cells cannot be added to a sheet whose XML has prefixes")
    span = positions.span(node)
    if span.close == span.end:
        tag = positions.start_tag(node).rstrip(b"/>").rstrip()
        return [Patch(span.start, span.end, tag + b">" + b"".join(made for _, made in cells) + b"</row>")]
    patches: dict[int, bytes] = {}
    present = sorted((place[1], cell) for place, cell in sheet.cells.items() if place[0] == row)
    for column, made in cells:
        at = next((positions.span(cell).start for other, cell in present if other > column), span.close)
        patches[at] = patches.get(at, b"") + made
    return [Patch(at, at, made) for at, made in patches.items()]


def _rows_between(path: str, sheet: _Sheet, rows: dict[int, bytes]) -> list[Patch]:
    """Rows that the sheet does not have yet, in their places."""
    positions = sheet.positions
    data = positions.root.find(f"{NS}sheetData")
    if data is None or positions.prefix(data):
        raise EditRefused(f"{path}: cells cannot be added to a sheet whose XML has prefixes")
    span = positions.span(data)
    if span.close == span.end:
        return [Patch(span.start, span.end, b"<sheetData>" + b"".join(rows.values()) + b"</sheetData>")]
    present = sorted(sheet.rows.items())
    patches: dict[int, bytes] = {}
    for number, made in rows.items():
        at = next((positions.span(node).start for other, node in present if other > number), span.close)
        patches[at] = patches.get(at, b"") + made
    return [Patch(at, at, made) for at, made in patches.items()]


def _without_chain(
    path: str, archive: Archive, book: Workbook, formulas: list[tuple[str, str]], whole: bool
) -> dict[str, bytes | None]:
    """The calculation chain without cells that no longer have a formula; a sheet's id there is inherited from before.

    Where rows move or a formula is new, the whole chain goes: it is a cache, and a spreadsheet makes it anew.
    """
    part = next((name for kind, name in archive.relations(book.part).values() if kind == "calcChain"), None)
    if part is None or part not in archive:
        return {}
    if whole:
        return without_part(path, archive, book.part, part)
    positions = Positions(path, part, archive.read(part))
    identifiers = {node.get("name", ""): node.get("sheetId", "") for node in book.root.iter(f"{NS}sheet")}
    gone = {(identifiers[name], reference) for name, reference in formulas}
    patches, sheet, carried = [], "", ""
    for node in positions.root:
        sheet = node.get("i", sheet)
        span = positions.span(node)
        if (sheet, node.get("r", "")) in gone:
            patches.append(Patch(span.start, span.end, b""))
            carried = sheet
        elif carried and node.get("i") is None:
            tag = positions.tag(node)
            patches.append(Patch(span.start, span.start + 1 + len(tag), b"<" + tag + f' i="{carried}"'.encode()))
            carried = ""
        else:
            carried = ""
    if sum(1 for patch in patches if not patch.new) == len(positions.root):
        return without_part(path, archive, book.part, part)
    return {part: apply(path, archive.read(part), patches)}
