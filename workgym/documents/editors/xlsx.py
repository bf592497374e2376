"""Workbooks: one cell of a sheet's XML changes; styles, strings, charts, comments and other parts keep their bytes.

A text becomes an inline string. A formula that is overwritten leaves the calculation chain. Cached values of other
formulas are not touched: recalculate the workbook afterwards.
"""

from __future__ import annotations

import datetime
import re
from decimal import Decimal
from typing import NamedTuple

from workgym.documents import numfmt
from workgym.documents.archive import Archive, Element
from workgym.documents.cells import column_letters, split_place, split_reference
from workgym.documents.editors.container import repacked, without_part
from workgym.documents.editors.rows import without_rows
from workgym.documents.patches import Patch, Target, apply
from workgym.documents.readers.xlsx import NS, Workbook, sheet_entries, string_text
from workgym.documents.xmlpos import Positions, encoded
from workgym.errors import EditRefused
from workgym.records.surface import parse_date, parse_number, parse_time

_DECIMAL = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_DROPPED = {"r", "t", "s", "cm", "vm"}
_EPOCH = datetime.date(1899, 12, 30)


class _Sheet(NamedTuple):
    """A sheet that is edited."""

    part: str
    positions: Positions
    rows: dict[int, Element]
    cells: dict[tuple[int, int], Element]


class _Content(NamedTuple):
    """What a cell shall hold: the type attribute and the XML inside."""

    kind: str
    inner: bytes


def edit(path: str, content: bytes, targets: list[Target]) -> bytes:
    """Change cells, empty them (their style stays), fill empty ones, or remove rows."""
    archive = Archive(path, content)
    book = Workbook(archive)
    parts = {entry.name: entry.part for entry in sheet_entries(archive, book.part, book.root)}
    sheets: dict[str, _Sheet] = {}
    patches: dict[str, list[Patch]] = {}
    removed: dict[str, set[int]] = {}
    formulas: list[tuple[str, str]] = []
    missing: dict[tuple[str, int], list[tuple[int, bytes]]] = {}
    for target in targets:
        name, row, column = _place(path, target, parts)
        if name not in sheets:
            sheets[name] = _load(path, archive, parts[name])
        sheet = sheets[name]
        cell = sheet.cells.get((row, column))
        target.check(path, "" if cell is None else _text(book, cell))
        mine = patches.setdefault(sheet.part, [])
        if target.edit.mode == "remove_row":
            removed.setdefault(name, set()).add(row)
            continue
        made = _content(path, book, target, cell)
        reference = f"{column_letters(column)}{row}"
        if cell is None:
            if made is not None:
                missing.setdefault((name, row), []).append((column, _cell(b"", reference, b"", made)))
            continue
        if cell.find(f"{NS}f") is not None:
            _check_formula(path, target, cell)
            formulas.append((name, reference))
        span = sheet.positions.span(cell)
        mine.append(Patch(span.start, span.end, _rewritten(sheet.positions, cell, reference, made)))
    for (name, row), cells in sorted(missing.items()):
        sheet = sheets[name]
        patches[sheet.part] += _inserted(sheet, row, sorted(cells))
    changed = {part: apply(path, archive.read(part), dict.fromkeys(mine)) for part, mine in patches.items() if mine}
    if removed:
        changed = without_rows(path, archive, book, changed, {name: frozenset(rows) for name, rows in removed.items()})
    chain = _without_chain(path, archive, book, formulas, bool(removed)) if formulas or removed else {}
    return repacked(archive, {**changed, **chain})


def _place(path: str, target: Target, parts: dict[str, str]) -> tuple[str, int, int]:
    place = split_place(target.base)
    if place is None or place[0] not in parts:
        raise EditRefused(f"{path} has no cell {target.base}")
    return place


def _load(path: str, archive: Archive, part: str) -> _Sheet:
    positions = Positions(path, part, archive.read(part))
    rows: dict[int, Element] = {}
    cells: dict[tuple[int, int], Element] = {}
    data = positions.root.find(f"{NS}sheetData")
    number = 0
    for row in data if data is not None else ():
        number = int(row.get("r") or number + 1)
        rows[number] = row
        column = 0
        for cell in row:
            if cell.tag == f"{NS}c":
                place = split_reference(cell.get("r", "")) or (number, column + 1)
                column = place[1]
                cells[place] = cell
    return _Sheet(part, positions, rows, cells)


def _raw(cell: Element) -> tuple[str, str | None]:
    inline = cell.find(f"{NS}is")
    if inline is not None:
        return "str", string_text(inline)
    node = cell.find(f"{NS}v")
    return cell.get("t", "n"), None if node is None else node.text


def _text(book: Workbook, cell: Element) -> str:
    kind, raw = _raw(cell)
    return "" if raw is None else book.content(kind, raw, cell.get("s"))[0]


def _check_formula(path: str, target: Target, cell: Element) -> None:
    formula = cell.find(f"{NS}f")
    if formula is not None and formula.get("ref") and formula.get("t") in ("shared", "array", "dataTable"):
        first, _, last = formula.get("ref", "").partition(":")
        if last and last != first:
            raise EditRefused(f"{path} {target.base}: other cells share its formula")


def _content(path: str, book: Workbook, target: Target, cell: Element | None) -> _Content | None:
    """The new content, or None for an empty cell. Its type follows the given value, else the cell as it is."""
    if target.whole:
        return None
    old = "" if cell is None else _text(book, cell)
    text, value = target.new_text(old), target.edit.value
    code = book.format(cell.get("s") if cell is not None else None)
    if isinstance(value, bool):
        return _Content("b", b"<v>%d</v>" % value)
    if isinstance(value, (int, float)):
        return _Content("", f"<v>{value!r}</v>".encode())
    if isinstance(value, str):
        number = _serial(value, book.from_1904) or (value if _DECIMAL.fullmatch(value) else None)
        if number is not None:
            return _Content("", f"<v>{number}</v>".encode())
    elif _numeric(cell, code, text):
        found = _number_of(text, code, book.from_1904)
        if found is None:
            raise EditRefused(f"{path} {target.base} holds a number, and {text!r} is none", fix="give its value")
        return _Content("", f"<v>{found}</v>".encode())
    if not text:
        return None
    return _Content("inlineStr", b'<is><t xml:space="preserve">' + encoded(text) + b"</t></is>")


def _numeric(cell: Element | None, code: str, text: str) -> bool:
    """Whether a number is written where no value is given: the cell holds one, or it is empty and seems to want one."""
    if cell is not None:
        kind, raw = _raw(cell)
        if raw is not None:
            return kind == "n"
    if code != "General":
        return numfmt.kind(code) != "text" and _number_of(text, code, False) is not None
    return _DECIMAL.fullmatch(text) is not None and not (
        text.lstrip("-").startswith("0") and len(text) > 1 and "." not in text
    )


def _number_of(text: str, code: str, from_1904: bool) -> str | None:
    """The number to be stored for a displayed text under a format."""
    kind = numfmt.kind(code)
    if kind in ("date", "datetime"):
        day = parse_date(text)
        return None if day is None else _serial(day.isoformat(), from_1904)
    if kind == "time":
        time = parse_time(text)
        return None if time is None else _serial(time.isoformat(), from_1904)
    number = parse_number(text)
    return None if number is None else f"{number:f}"


def _serial(value: str, from_1904: bool) -> str | None:
    """The serial number of an ISO date, time or moment, or None where ``value`` is none."""
    if not (len(value) >= 8 and (value[4:5] == "-" or value[2:3] == ":")):
        return None
    try:
        if value[2] == ":":
            days, clock = Decimal(0), datetime.time.fromisoformat(value)
        else:
            moment = datetime.datetime.fromisoformat(value)
            days = Decimal((moment.date() - _EPOCH).days - (1462 if from_1904 else 0))
            clock = moment.time()
    except ValueError:
        return None
    seconds = clock.hour * 3600 + clock.minute * 60 + clock.second
    return f"{days + (Decimal(seconds) / 86400).quantize(Decimal('1e-15')).normalize():f}"


def _cell(prefix: bytes, reference: str, attributes: bytes, made: _Content | None) -> bytes:
    name = prefix + b"c"
    head = b"<" + name + b' r="' + reference.encode() + b'"' + attributes
    if made is None:
        return head + b"/>"
    kind = f' t="{made.kind}"'.encode() if made.kind else b""
    inner = re.sub(rb"<(/?)(?=[a-z])", rb"<\1" + prefix, made.inner) if prefix else made.inner
    return head + kind + b">" + inner + b"</" + name + b">"


def _rewritten(positions: Positions, cell: Element, reference: str, made: _Content | None) -> bytes:
    style = cell.get("s")
    kept = b"" if style is None else f' s="{int(style)}"'.encode()
    for name, value in cell.attrib.items():
        if name not in _DROPPED and "}" not in name:
            kept += f' {name}="'.encode() + encoded(value).replace(b'"', b"&quot;") + b'"'
    return _cell(positions.prefix(cell), reference, kept, made)


def _inserted(sheet: _Sheet, row: int, cells: list[tuple[int, bytes]]) -> list[Patch]:
    """Cells that the sheet does not have yet, in their places; with their row where that is missing too."""
    positions = sheet.positions
    data = positions.root.find(f"{NS}sheetData")
    if data is None or positions.prefix(data):
        raise EditRefused("cells cannot be added to a sheet whose XML has prefixes")
    if row in sheet.rows:
        node = sheet.rows[row]
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
    made_row = f'<row r="{row}">'.encode() + b"".join(made for _, made in cells) + b"</row>"
    span = positions.span(data)
    if span.close == span.end:
        return [Patch(span.start, span.end, b"<sheetData>" + made_row + b"</sheetData>")]
    at = next((positions.span(node).start for number, node in sorted(sheet.rows.items()) if number > row), span.close)
    return [Patch(at, at, made_row)]


def _without_chain(
    path: str, archive: Archive, book: Workbook, formulas: list[tuple[str, str]], rows: bool
) -> dict[str, bytes | None]:
    """The calculation chain without cells that no longer have a formula; a sheet's id there is inherited from before.

    Where rows are removed, the whole chain goes: it is a cache, and a spreadsheet makes it anew.
    """
    part = next((name for kind, name in archive.relations(book.part).values() if kind == "calcChain"), None)
    if part is None or part not in archive:
        return {}
    if rows:
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
