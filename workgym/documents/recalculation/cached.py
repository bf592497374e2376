"""The values that a workbook caches for its formulas: read as they are, and written in place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from workgym.documents.archive import Archive, Element
from workgym.documents.ooxml.parts import PartEdit
from workgym.documents.ooxml.repack import repacked
from workgym.documents.xlsx.a1 import column_letters, split_reference
from workgym.documents.xlsx.cells import raw
from workgym.documents.xlsx.read import NS, Workbook, sheet_entries
from workgym.documents.xmlpos import encoded


class CellError(str):
    """An error that a formula gives, like ``#DIV/0!``; a text that looks the same is none."""

    __slots__ = ()


CellValue = float | bool | str | CellError
"""What a formula gives: a number (dates are serial numbers), a truth value, a text or an error."""


def stored(path: str, content: bytes) -> dict[str, CellValue]:
    """The cached value of every formula that has one, by cell (``Demand!B7``)."""
    archive = Archive(path, content)
    book = Workbook(archive)
    found: dict[str, CellValue] = {}
    for name, root in _sheets(archive, book):
        for at, cell in cells_of(name, root):
            if cell.find(f"{NS}f") is not None:
                value = _value(book, cell)
                if value is not None:
                    found[at] = value
    return found


def written(path: str, content: bytes, values: Mapping[str, CellValue]) -> bytes:
    """The workbook with ``values`` cached for its formulas, and for the other cells that an array formula fills."""
    archive = Archive(path, content)
    book = Workbook(archive)
    changed: dict[str, bytes | None] = {}
    for entry in sheet_entries(archive, book.part, book.root):
        part = PartEdit(path, entry.part, archive.read(entry.part))
        for at, cell in cells_of(entry.name, part.root):
            if at in values:
                part.replace(cell, _rewritten(part, cell, values[at]))
        made = part.made()
        if made is not None:
            changed[entry.part] = made
    return repacked(archive, changed)


def _sheets(archive: Archive, book: Workbook) -> Iterator[tuple[str, Element]]:
    for entry in sheet_entries(archive, book.part, book.root):
        yield entry.name, archive.xml(entry.part)


def cells_of(sheet: str, root: Element) -> Iterator[tuple[str, Element]]:
    """Place and element of every cell of a sheet's part."""
    data = root.find(f"{NS}sheetData")
    number = 0
    for row in data if data is not None else ():
        number = int(row.get("r") or number + 1)
        column = 0
        for cell in row.iterfind(f"{NS}c"):
            place = split_reference(cell.get("r", "")) or (number, column + 1)
            column = place[1]
            yield f"{sheet}!{column_letters(column)}{place[0]}", cell


def _value(book: Workbook, cell: Element) -> CellValue | None:
    kind, content = raw(cell)
    text = content or ""
    if kind == "str":
        return text
    if not text:
        return None
    if kind == "s":
        return book.strings[int(text)]
    if kind == "b":
        return text in ("1", "true")
    return CellError(text) if kind == "e" else float(text)


def _rewritten(part: PartEdit, cell: Element, value: CellValue) -> bytes:
    positions = part.positions
    prefix = positions.prefix(cell)
    head = b"<" + prefix + b"c"
    for name, old in cell.attrib.items():
        if name != "t" and "}" not in name:
            head += f' {name}="'.encode() + encoded(old).replace(b'"', b"&quot;") + b'"'
    kind, text = _raw(value)
    formula = cell.find(f"{NS}f")
    span = None if formula is None else positions.span(formula)
    kept = b"" if span is None else positions.content[span.start : span.end]
    shown = b"<" + prefix + b"v>" + encoded(text) + b"</" + prefix + b"v>"
    return head + kind + b">" + kept + shown + b"</" + prefix + b"c>"


def _raw(value: CellValue) -> tuple[bytes, str]:
    if isinstance(value, bool):
        return b' t="b"', str(int(value))
    if isinstance(value, CellError):
        return b' t="e"', str(value)
    if isinstance(value, str):
        return b' t="str"', value
    return b"", str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
