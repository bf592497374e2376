"""Workbooks, read from their OOXML parts (ECMA-376 part 1, SpreadsheetML); no writer's library is involved.

Cells by row; then, hidden, what a person has to look for: comments, defined names, properties. Hidden as well are cells
that show nothing: in columns and rows without a width or height, and, where no table style or conditional format may
change it, in the colour of their own fill or of less than 4 points.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from workgym.documents import ink, numfmt
from workgym.documents.archive import Archive, Element
from workgym.documents.cells import column_letters, split_reference
from workgym.documents.limits import LIMITS, check
from workgym.documents.model import Document, Fragment
from workgym.documents.readers.formulas import shifted
from workgym.documents.readers.properties import properties
from workgym.errors import Unreadable
from workgym.records import Scalar

NS = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_REL = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")


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


def string_text(node: Element) -> str:
    """The text of a shared or inline string: its runs, without phonetic hints."""
    if len(node) == 1 and node[0].tag == f"{NS}t":
        text = node[0].text or ""
    else:
        parts = []
        for child in node:
            if child.tag == f"{NS}t":
                parts.append(child.text or "")
            elif child.tag == f"{NS}r":
                parts += [leaf.text or "" for leaf in child if leaf.tag == f"{NS}t"]
        text = "".join(parts)
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text


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
        self._unseen = [] if styles is None else _unseen_styles(styles)
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


def _unseen_styles(root: Element) -> list[bool]:
    """Of each cell style, whether its font is a speck or has the colour of its fill."""
    written = root.iterfind(f"{NS}fonts/{NS}font")
    fonts = [(_colour(node.find(f"{NS}color"), ink.BLACK), _points(node)) for node in written]
    fills = [_paper(node) for node in root.iterfind(f"{NS}fills/{NS}fill")]
    found = []
    for node in root.iterfind(f"{NS}cellXfs/{NS}xf"):
        font, fill = int(node.get("fontId", "0")), int(node.get("fillId", "0"))
        colour, points = fonts[font] if font < len(fonts) else (ink.BLACK, 11.0)
        paper = fills[fill] if fill < len(fills) else ink.WHITE
        found.append(points < ink.SMALLEST or ink.unseen(colour, paper))
    return found


def _colour(node: Element | None, automatic: str) -> str | None:
    """The colour that is written, ``automatic`` where none is; None where a theme or palette mixes it."""
    if node is None or node.get("auto") in ("1", "true"):
        return automatic
    if node.get("tint", "0") in ("0", "0.0"):
        for kind, names in (("theme", _THEME), ("indexed", _INDEXED)):
            if node.get(kind, "") in names:
                return names[node.get(kind, "")]
    return ink.colour(node.get("rgb"))


_THEME = {"0": ink.WHITE, "1": ink.BLACK}
_INDEXED = {"0": ink.BLACK, "1": ink.WHITE, "8": ink.BLACK, "9": ink.WHITE, "64": ink.BLACK, "65": ink.WHITE}


def _points(font: Element) -> float:
    size = font.find(f"{NS}sz")
    return 11.0 if size is None else float(size.get("val", "11"))


def _paper(fill: Element) -> str | None:
    """What lies behind the text of a cell; None where it is a pattern or a gradient."""
    pattern = fill.find(f"{NS}patternFill")
    kind = None if pattern is None else pattern.get("patternType", "none")
    if pattern is None or kind not in ("none", "solid"):
        return None
    return ink.WHITE if kind == "none" else _colour(pattern.find(f"{NS}fgColor"), ink.BLACK)


@lru_cache(maxsize=16384)
def _shown(raw: str, code: str, from_1904: bool) -> tuple[str, Scalar]:
    """Displayed text and typed value of a number under a format. Raises ValueError."""
    number = numfmt.tidy(raw)
    text = numfmt.display(number, code, from_1904=from_1904)
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
        for entry in sheet_entries(archive, book.part, book.root):
            fragments += _sheet(book, entry, uncached)
            fragments += _comments(archive, entry)
        for node in book.root.iter(f"{NS}definedName"):
            name = node.get("name", "")
            fragments.append(Fragment(at=f"name.{name}", text=node.text or "", label=name, hidden=True))
        fragments += properties(archive)
    except (ValueError, IndexError, KeyError, OverflowError) as error:
        raise Unreadable(path, "corrupt", f"its sheets contradict its strings or styles ({error})") from error
    return Document(path=path, format="xlsx", fragments=tuple(fragments), uncached=tuple(uncached))


def _hidden_columns(root: Element) -> list[tuple[int, int]]:
    found = []
    for node in root.iter(f"{NS}col"):
        if node.get("hidden") in ("1", "true") or float(node.get("width", "9")) < ink.NARROWEST:
            found.append((int(node.get("min", "0")), int(node.get("max", "0"))))
    return found


def _sheet(book: Workbook, entry: SheetEntry, uncached: list[str]) -> Iterator[Fragment]:
    root = book.archive.xml(entry.part)
    data = root.find(f"{NS}sheetData")
    columns = _hidden_columns(root)
    plain = root.find(f"{NS}tableParts") is None and root.find(f"{NS}conditionalFormatting") is None
    shared: dict[str, tuple[str, int, int]] = {}
    row_number = 0
    for row in data if data is not None else ():
        row_number = int(row.get("r") or row_number + 1)
        row_hidden = entry.hidden or row.get("hidden") in ("1", "true") or float(row.get("ht", "15")) < 1
        column = 0
        for cell in row:
            if cell.tag != f"{NS}c":
                continue
            reference = cell.get("r")
            place = split_reference(reference) if reference else (row_number, column + 1)
            if place is None or place[0] != row_number:
                raise ValueError(f"cell {reference} in row {row_number}")
            column = place[1]
            kind, raw, formula = cell.get("t", "n"), None, None
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
                text, value = book.content(kind, raw, cell.get("s"))
            elif kind != "str":
                uncached.append(at)
            if not text and formula is None:
                continue
            hidden = row_hidden or any(first <= column <= last for first, last in columns)
            hidden = hidden or (plain and book.unseen(cell.get("s")))
            yield Fragment(
                at=at,
                text=text,
                value=value,
                formula=formula,
                table=entry.name,
                row=row_number,
                column=column,
                hidden=hidden,
            )
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


def _comments(archive: Archive, entry: SheetEntry) -> Iterator[Fragment]:
    for kind, part in archive.relations(entry.part).values():
        if kind == "comments" and part in archive:
            for node in archive.xml(part).iter(f"{NS}comment"):
                body = node.find(f"{NS}text")
                reference = node.get("ref", "")
                if body is not None:
                    yield Fragment(
                        at=f"{entry.name}!{reference}.comment", text=string_text(body), label=reference, hidden=True
                    )
