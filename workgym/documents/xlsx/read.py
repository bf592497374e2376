"""Workbooks, read from their OOXML parts (ECMA-376 part 1, SpreadsheetML); no writer's library is involved.

Cells by row, as displayed, with value, formula, number format and merged range; then, hidden, what a person has to look
for: what stands around the cells of a sheet (:mod:`.rest`), defined names, properties, and by a raw sweep the
text of every other part (:mod:`..ooxml.sweep`). Hidden as well are cells that show nothing: on hidden sheets, in hidden
columns and rows or ones without a width or height, behind merged cells, under a number format that shows nothing
(``;;;``), and, where no table style or conditional format may change it, in the colour of their own fill or of less
than 4 points. Parts of a text with a look of their own that cannot be seen are ``Demand!B7.vanished``. Conditional
formats that hide for sure are evaluated (:mod:`.veils`); what others or a table style may colour is not guessed. A
cell that stands twice is refused: programs take the one or the other.

Not reported: phonetic hints, strings that no cell uses any more, names of styles. Values that a pivot table keeps are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from workgym.documents.archive import Archive, Element, office_file
from workgym.documents.limits import LIMITS, check
from workgym.documents.model import Document, Fragment, Listed
from workgym.documents.ooxml.properties import properties
from workgym.documents.ooxml.sweep import sweep
from workgym.documents.visibility import WHITE
from workgym.documents.xlsx import numfmt
from workgym.documents.xlsx.a1 import column_letters, split_reference
from workgym.documents.xlsx.areas import merged, painted
from workgym.documents.xlsx.formulas import shifted
from workgym.documents.xlsx.ink import NS, hidden_columns, papers, unseen_styles
from workgym.documents.xlsx.rest import around, parts_around, string_text
from workgym.documents.xlsx.rich import Run, parted, runs
from workgym.documents.xlsx.veils import Veils, dresses
from workgym.errors import Unreadable
from workgym.records import Scalar

__all__ = ["NS", "SheetEntry", "Workbook", "read", "sheet_entries", "string_text", "workbook_part"]

_REL = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_BUILT_IN = re.compile(r"_xlnm\.(?:Print_Area|Print_Titles|_FilterDatabase)")
"""Names that an office gives by itself: they hold references only."""
_EMPTY_CELL = re.compile(rb'<(?:\w+:)?c\b(?=[^<>]*\sr=")[^<>]*(?:/>|></(?:\w+:)?c>)')
_EMPTY_ROW = re.compile(rb'<(?:\w+:)?row\b(?=[^<>]*\sr=")[^<>]*(?:/>|>\s*</(?:\w+:)?row>)')
_CELL = re.compile(rb"<(?:\w+:)?c[\s>]")
_C, _V, _F, _IS = f"{NS}c", f"{NS}v", f"{NS}f", f"{NS}is"
_ROWS, _COLUMNS = 9_999_999, 26 + 26**2 + 26**3
"""The last row and column that a reference can name."""
_LONGEST_CODE = 500
"""Characters of a number format; offices allow 255."""
_Made = tuple[Any, ...] | Fragment
_LONG = 1 << 22
"""Bytes of a sheet from which cells and rows that are only formatted are taken out before it is parsed."""


class SheetEntry(NamedTuple):
    """A worksheet as the workbook lists it."""

    name: str
    """Its name."""
    part: str
    """The part that holds its cells."""
    hidden: bool
    """Whether it is hidden, simply or thoroughly."""


def workbook_part(archive: Archive) -> str:
    """The name of the workbook part. Raises :class:`Unreadable` where the container holds no workbook."""
    for kind, target in archive.relations("").values():
        if kind == "officeDocument" and target in archive and target.startswith("xl/"):
            return target
    if "xl/workbook.xml" in archive:
        return "xl/workbook.xml"
    raise Unreadable(archive.path, "corrupt", "it holds no workbook")


def sheet_entries(archive: Archive, workbook: str, root: Element) -> list[SheetEntry]:
    """The worksheets in their order; chart sheets are left out. Raises :class:`Unreadable` for names that repeat."""
    targets = archive.relations(workbook)
    found = []
    for node in root.iter(f"{NS}sheet"):
        kind, part = targets.get(node.get(_REL, ""), ("", ""))
        if kind == "worksheet":
            found.append(SheetEntry(node.get("name", ""), part, node.get("state", "visible") != "visible"))
    if len({entry.name.casefold() for entry in found}) != len(found):
        raise Unreadable(archive.path, "corrupt", "two sheets have the same name")
    return found


class Workbook:
    """What cells refer to: shared strings, number formats, the date system."""

    def __init__(self, archive: Archive) -> None:
        self.archive = archive
        self.part = workbook_part(archive)
        self.root = archive.xml(self.part)
        if self.root.tag != f"{NS}workbook":
            raise Unreadable(archive.path, "corrupt", "its workbook part is not one")
        settings = self.root.find(f"{NS}workbookPr")
        self.from_1904 = settings is not None and settings.get("date1904") in ("1", "true")
        parts = dict(archive.relations(self.part).values())
        self.strings: list[str] = []
        self.rich: dict[str, tuple[Run, ...]] = {}
        if "sharedStrings" in parts:
            listed = list(archive.xml(parts["sharedStrings"]).iter(f"{NS}si"))
            self.strings = [string_text(node) for node in listed]
            self.rich = {str(at): found for at, node in enumerate(listed) if len(node) > 1 and (found := runs(node))}
            check(archive.path, sum(map(len, self.strings)), LIMITS.characters, "characters")
        styles = archive.xml(parts["styles"]) if "styles" in parts else None
        self.formats = [] if styles is None else self._formats(archive.path, styles)
        self._unseen = [] if styles is None else unseen_styles(styles)
        self._papers = [] if styles is None else papers(styles)
        self.dresses = [] if styles is None else dresses(styles)
        self._codes: dict[str | None, str] = {}
        self.cells = self.characters = 0

    @staticmethod
    def _formats(path: str, root: Element) -> list[str]:
        codes = dict(numfmt.BUILT_IN)
        for node in root.iter(f"{NS}numFmt"):
            codes[int(node.get("numFmtId", "0"))] = code = node.get("formatCode", "General")
            check(path, len(code), _LONGEST_CODE, "characters in one number format")
        cells = root.find(f"{NS}cellXfs")
        return [] if cells is None else [codes.get(int(node.get("numFmtId", "0")), "General") for node in cells]

    def format(self, style: str | None) -> str:
        code = self._codes.get(style)
        if code is None:
            index = int(style or 0)
            code = self._codes[style] = self.formats[index] if index < len(self.formats) else "General"
        return code

    def may_hide(self, style: str | None) -> bool:
        """Whether the number format shows nothing of some contents."""
        return any(numfmt.silent(self.format(style)))

    def blank(self, style: str | None, kind: str, raw: str) -> bool:
        """Whether the number format shows nothing of that content."""
        code = self.format(style)
        if kind in ("s", "str"):
            return numfmt.silent(code)[1]
        return kind == "n" and not numfmt.display(numfmt.tidy(raw), code, from_1904=self.from_1904)

    def unseen(self, style: str | None) -> bool:
        """Whether text of that style cannot be seen in its cell."""
        index = int(style or 0)
        return index < len(self._unseen) and self._unseen[index]

    def paper(self, style: str | None) -> str | None:
        """The colour behind the text of a cell of that style, or None where it is not known."""
        index = int(style or 0)
        return self._papers[index] if index < len(self._papers) else WHITE

    def content(self, kind: str, raw: str, style: str | None) -> tuple[str, Scalar]:
        """Displayed text and typed value of a cell's raw content."""
        if kind == "s":
            kind, raw = "str", self.strings[int(raw)]
        if kind == "str":
            return numfmt.text(raw, self.format(style)) or raw, None
        if kind == "b":
            return ("TRUE", True) if raw in ("1", "true") else ("FALSE", False)
        if kind == "e":
            return raw, None
        if kind == "d":
            return raw, raw
        return _shown(raw, self.format(style), self.from_1904)


@lru_cache(maxsize=16384)
def _shown(raw: str, code: str, from_1904: bool) -> tuple[str, Scalar]:
    """Displayed text and typed value of a number under a format. Raises ValueError."""
    number = numfmt.tidy(raw)
    text = numfmt.display(number, code, from_1904=from_1904) or numfmt.general(number)
    kind = numfmt.kind(code)
    if kind in ("date", "time", "datetime"):
        when = numfmt.moment(number, from_1904=from_1904)
        if when is not None and kind == "time" and number < 1:
            return text, when.time().isoformat()
        if when is not None:
            return text, when.date().isoformat() if number == int(number) else when.isoformat()
    if number == number.to_integral_value() and abs(number) < 10**15:
        return text, int(number)
    return text, f"{number:f}"


def read(path: str, content: bytes) -> Document:
    """Read a workbook. Raises :class:`Unreadable`."""
    archive = office_file(path, content)
    try:
        book = Workbook(archive)
        fragments: list[_Made] = []
        uncached: list[str] = []
        entries = sheet_entries(archive, book.part, book.root)
        check(path, len(entries), LIMITS.sheets, "sheets")
        names = frozenset(entry.name for entry in entries)
        known = {book.part, "docProps/core.xml", "docProps/app.xml", "docProps/custom.xml"}
        known |= {part for kind, part in archive.relations(book.part).values() if kind == "sharedStrings"}
        for entry in entries:
            root = _root(archive, entry.part)
            fragments += _sheet(book, entry, root, uncached)
            fragments += around(archive, entry.name, entry.part, root, names)
            known |= {entry.part, *parts_around(archive, entry.part)}
        for node in book.root.iter(f"{NS}definedName"):
            name = node.get("name", "")
            if not _BUILT_IN.fullmatch(name):
                said = " ".join(filter(None, (node.text, node.get("comment"), node.get("description"))))
                fragments.append(Fragment(at=f"name.{name}", text=said, label=name, hidden=True))
        check(path, len(fragments), LIMITS.cells, "cells, notes and names")
        fragments += properties(archive)
        fragments += sweep(archive, known, names)
    except (ValueError, IndexError, KeyError, ArithmeticError) as error:
        raise Unreadable(path, "corrupt", f"its sheets contradict its strings or styles ({error})") from error
    return Document(path=path, format="xlsx", fragments=Listed(fragments), uncached=tuple(uncached))


def _root(archive: Archive, part: str) -> Element:
    """The root of a sheet's part, without cells and rows that say nothing: a million rows may be formatted."""
    content = archive.read(part)
    if len(content) > _LONG and b"<!" not in content:
        content = _EMPTY_ROW.sub(b"", _EMPTY_CELL.sub(b"", content))
        check(archive.path, sum(1 for _ in _CELL.finditer(content)), LIMITS.cells, "cells")
    return archive.parsed(part, content)


def _sheet(book: Workbook, entry: SheetEntry, root: Element, uncached: list[str]) -> Iterator[_Made]:
    path, data, settings = book.archive.path, root.find(f"{NS}sheetData"), root.find(f"{NS}sheetFormatPr")
    no_height = settings is not None and settings.get("zeroHeight") in ("1", "true")
    columns, joined, coloured = hidden_columns(root), merged(path, root), painted(book.archive, entry.part, root)
    veils = Veils(book.archive, entry.part, root, book.dresses)
    shared: dict[str, tuple[str, int, int]] = {}
    styles: dict[str | None, tuple[str | None, bool, bool, str | None]] = {}
    places: set[tuple[int, int]] = set()
    row_number, most = 0, LIMITS.characters
    for row in data if data is not None else ():
        row_number = int(row.get("r") or row_number + 1)
        row_hidden = entry.hidden or row.get("hidden") in ("1", "true") or float(row.get("ht", "15")) < 1
        row_hidden = row_hidden or (no_height and row.get("hidden") is None and row.get("ht") is None)
        column = 0
        for cell in row:
            if cell.tag != _C:
                continue
            column, reference = column + 1, cell.get("r")
            here = f"{column_letters(column)}{row_number}"
            if reference and (reference != here or column > _COLUMNS or row_number > _ROWS):
                named = split_reference(reference)
                if named is None or named[0] != row_number:
                    raise ValueError(f"cell {reference} in row {row_number}")
                column = named[1]
                here = f"{column_letters(column)}{row_number}"
            place = row_number, column
            kind, raw, formula, style = cell.get("t", "n"), None, None, cell.get("s")
            inline = kind == "inlineStr"
            parts: tuple[Run, ...] = ()
            for child in cell:
                if child.tag == _V and not inline:
                    raw = child.text
                elif child.tag == _F:
                    formula = _formula(child, row_number, column, shared)
                    book.characters += len(formula)
                    check(path, len(formula), LIMITS.formula, "characters in one formula")
                elif child.tag == _IS and inline:
                    kind, raw, parts = "str", string_text(child), runs(child)
            if raw is None and formula is None:
                continue
            if place in places:
                raise ValueError(f"cell {here} stands twice")
            places.add(place)
            book.cells += 1
            at = f"{entry.name}!{here}"
            text, value = "", None
            if raw is not None:
                text, value = book.content(kind, raw, style)
            elif kind != "str":
                uncached.append(at)
            book.characters += len(text)
            if book.characters > most:
                check(path, book.characters, most, "characters in its cells")
            if not text and formula is None:
                continue
            if style not in styles:
                form = book.format(style)
                look = book.unseen(style), book.may_hide(style), book.paper(style)
                styles[style] = (None if form == "General" else form, *look)
            code, unseen, may_hide, paper = styles[style]
            around = joined.over(*place) if joined.all else None
            first = around is None or place == (around.top, around.left)
            hidden = row_hidden or column in columns or not first or (unseen and coloured.over(*place) is None)
            hidden = hidden or (may_hide and raw is not None and book.blank(style, kind, raw))
            hidden = hidden or (raw is not None and veils.hide(place, kind, raw, paper))
            parts = book.rich.get(raw or "", ()) if kind == "s" else parts
            if parts and coloured.over(*place) is None:
                seen, gone = parted(parts, paper)
                hidden = hidden or not seen.strip()
                if gone.strip() and not hidden:
                    text = seen
                    yield Fragment(at=f"{at}.vanished", text=gone, hidden=True)
            size = (1, 1)
            if around is not None and first:
                size = around.bottom - around.top + 1, around.right - around.left + 1
            yield at, text, entry.name, row_number, column, value, None, formula, code, size, hidden
        check(path, book.cells, LIMITS.cells, "cells")


def _formula(node: Element, row: int, column: int, shared: dict[str, tuple[str, int, int]]) -> str:
    """The formula of a cell; one that it shares is shifted to it from where it is written."""
    text = node.text or ""
    if node.get("t") == "shared":
        key = node.get("si", "")
        if text:
            shared[key] = (text, row, column)
        elif key in shared:
            written, from_row, from_column = shared[key]
            return shifted(written, row - from_row, column - from_column)
    return text
