"""Workbooks, read from their OOXML parts (ECMA-376 part 1, SpreadsheetML); no writer's library is involved.

Cells by row, as displayed, with value, formula, number format and merged range; then, hidden, what a person has to look
for: what stands around the cells of a sheet (:mod:`.sheetrest`), defined names, properties, and by a raw sweep the
text of every other part (:mod:`.sweep`). Hidden as well are cells that show nothing: on hidden sheets, in hidden
columns and rows or ones without a width or height, under a number format that shows nothing (``;;;``), and, where no
table style or conditional format may change it, in the colour of their own fill or of less than 4 points.

Not reported: phonetic hints, strings that no cell uses any more, names of styles. Values that a pivot table keeps are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from workgym.documents.archive import Archive, Element, parse
from workgym.documents.limits import LIMITS, check
from workgym.documents.model import Document, Fragment
from workgym.documents.ooxml.properties import properties
from workgym.documents.ooxml.sweep import sweep
from workgym.documents.xlsx import numfmt
from workgym.documents.xlsx.a1 import column_letters, split_reference
from workgym.documents.xlsx.formulas import shifted
from workgym.documents.xlsx.ink import NS, hidden_columns, unseen_styles
from workgym.documents.xlsx.rest import around, parts_around, string_text
from workgym.errors import Unreadable
from workgym.records import Scalar

__all__ = ["NS", "SheetEntry", "Workbook", "read", "sheet_entries", "string_text", "workbook_part"]

_REL = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_BUILT_IN = re.compile(r"_xlnm\.(?:Print_Area|Print_Titles|_FilterDatabase)")
"""Names that an office gives by itself: they hold references only."""
_EMPTY_CELL = re.compile(rb'<(?:\w+:)?c\b(?=[^<>]*\sr=")[^<>]*(?:/>|></(?:\w+:)?c>)')
_EMPTY_ROW = re.compile(rb'<(?:\w+:)?row\b(?=[^<>]*\sr=")[^<>]*(?:/>|>\s*</(?:\w+:)?row>)')
_CELL = re.compile(rb"<(?:\w+:)?c[\s>]")
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
    """The worksheets in their order; chart sheets are left out."""
    targets = archive.relations(workbook)
    found = []
    for node in root.iter(f"{NS}sheet"):
        kind, part = targets.get(node.get(_REL, ""), ("", ""))
        if kind == "worksheet":
            found.append(SheetEntry(node.get("name", ""), part, node.get("state", "visible") != "visible"))
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
        if "sharedStrings" in parts:
            self.strings = [string_text(node) for node in archive.xml(parts["sharedStrings"]).iter(f"{NS}si")]
            check(archive.path, sum(map(len, self.strings)), LIMITS.characters, "characters")
        styles = archive.xml(parts["styles"]) if "styles" in parts else None
        self.formats = [] if styles is None else self._formats(styles)
        self._unseen = [] if styles is None else unseen_styles(styles)
        self.cells = 0

    @staticmethod
    def _formats(root: Element) -> list[str]:
        codes = dict(numfmt.BUILT_IN)
        for node in root.iter(f"{NS}numFmt"):
            codes[int(node.get("numFmtId", "0"))] = node.get("formatCode", "General")
        cells = root.find(f"{NS}cellXfs")
        return [] if cells is None else [codes.get(int(node.get("numFmtId", "0")), "General") for node in cells]

    def format(self, style: str | None) -> str:
        index = int(style or 0)
        return self.formats[index] if index < len(self.formats) else "General"

    def may_hide(self, style: str | None) -> bool:
        """Whether the number format shows nothing of some contents."""
        return _blank(self.format(style)) != ""

    def blank(self, style: str | None, kind: str, raw: str) -> bool:
        """Whether the number format shows nothing of that content."""
        code = self.format(style)
        if kind in ("s", "str"):
            return _blank(code) == "text"
        return kind == "n" and not numfmt.display(numfmt.tidy(raw), code, from_1904=self.from_1904)

    def unseen(self, style: str | None) -> bool:
        """Whether text of that style cannot be seen in its cell."""
        index = int(style or 0)
        return index < len(self._unseen) and self._unseen[index]

    def content(self, kind: str, raw: str, style: str | None) -> tuple[str, Scalar]:
        """Displayed text and typed value of a cell's raw content."""
        if kind == "s":
            return self.strings[int(raw)], None
        if kind == "b":
            return ("TRUE", True) if raw in ("1", "true") else ("FALSE", False)
        if kind in ("str", "e"):
            return raw, None
        if kind == "d":
            return raw, raw
        return _shown(raw, self.format(style), self.from_1904)


def _blank(code: str) -> str:
    """Whether a format may show nothing: ``text`` where it hides texts too, ``number``, or empty for no."""
    sections = code.split(";")
    if all(section.strip() for section in sections):
        return ""
    return "text" if len(sections) == 4 and not sections[3].strip() else "number"


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
    archive = Archive(path, content)
    try:
        book = Workbook(archive)
        fragments: list[Fragment] = []
        uncached: list[str] = []
        entries = sheet_entries(archive, book.part, book.root)
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
        fragments += properties(archive)
        fragments += sweep(archive, known, names)
    except (ValueError, IndexError, KeyError, OverflowError) as error:
        raise Unreadable(path, "corrupt", f"its sheets contradict its strings or styles ({error})") from error
    return Document(path=path, format="xlsx", fragments=tuple(fragments), uncached=tuple(uncached))


def _root(archive: Archive, part: str) -> Element:
    """The root of a sheet's part, without cells and rows that say nothing: a million rows may be formatted."""
    content = archive.read(part)
    if len(content) > _LONG and b"<!" not in content:
        content = _EMPTY_ROW.sub(b"", _EMPTY_CELL.sub(b"", content))
        check(archive.path, sum(1 for _ in _CELL.finditer(content)), LIMITS.cells, "cells")
    return parse(archive.path, part, content)


def _merged(path: str, root: Element) -> dict[tuple[int, int], tuple[int, int]]:
    """Rows and columns that merged cells take, by their first cell."""
    found = {}
    for node in root.iter(f"{NS}mergeCell"):
        first, _, last = node.get("ref", "").partition(":")
        start, end = split_reference(first), split_reference(last or first)
        if start is not None and end is not None:
            found[start] = (max(1, end[0] - start[0] + 1), max(1, end[1] - start[1] + 1))
    check(path, len(found), LIMITS.cells, "merged cells")
    return found


def _sheet(book: Workbook, entry: SheetEntry, root: Element, uncached: list[str]) -> Iterator[Fragment]:
    data, settings = root.find(f"{NS}sheetData"), root.find(f"{NS}sheetFormatPr")
    no_height = settings is not None and settings.get("zeroHeight") in ("1", "true")
    columns, merged = hidden_columns(root), _merged(book.archive.path, root)
    plain = root.find(f"{NS}tableParts") is None and root.find(f"{NS}conditionalFormatting") is None
    shared: dict[str, tuple[str, int, int]] = {}
    styles: dict[str | None, tuple[str | None, bool, bool]] = {}
    row_number = 0
    for row in data if data is not None else ():
        row_number = int(row.get("r") or row_number + 1)
        row_hidden = entry.hidden or row.get("hidden") in ("1", "true") or float(row.get("ht", "15")) < 1
        row_hidden = row_hidden or (no_height and row.get("hidden") is None and row.get("ht") is None)
        column = 0
        for cell in row:
            if cell.tag != f"{NS}c":
                continue
            reference = cell.get("r")
            place = split_reference(reference) if reference else (row_number, column + 1)
            if place is None or place[0] != row_number:
                raise ValueError(f"cell {reference} in row {row_number}")
            column = place[1]
            kind, raw, formula, style = cell.get("t", "n"), None, None, cell.get("s")
            for child in cell:
                if child.tag == f"{NS}v":
                    raw = child.text
                elif child.tag == f"{NS}f":
                    formula = _formula(child, row_number, column, shared)
                elif child.tag == f"{NS}is":
                    kind, raw = "str", string_text(child)
            if raw is None and formula is None:
                continue
            book.cells += 1
            at = f"{entry.name}!{column_letters(column)}{row_number}"
            text, value = "", None
            if raw is not None:
                text, value = book.content(kind, raw, style)
            elif kind != "str":
                uncached.append(at)
            if not text and formula is None:
                continue
            if style not in styles:
                form = book.format(style)
                styles[style] = (
                    None if form == "General" else form,
                    plain and book.unseen(style),
                    book.may_hide(style),
                )
            code, unseen, may_hide = styles[style]
            hidden = row_hidden or unseen or column in columns
            hidden = hidden or (may_hide and raw is not None and book.blank(style, kind, raw))
            fragment = Fragment(
                at=at,
                text=text,
                value=value,
                formula=formula,
                table=entry.name,
                row=row_number,
                column=column,
                format=code,
                hidden=hidden,
            )
            size = merged.get((row_number, column)) if merged else None
            yield fragment if size is None else fragment.model_copy(update={"merged": size})
        check(book.archive.path, book.cells, LIMITS.cells, "cells")


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
