"""Workbooks of our own expert written again in another way, with openpyxl; cells are named as readers name them."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any

import openpyxl
from openpyxl.workbook.workbook import Workbook

from workgym.quality.settled import settled
from workgym.records import Scalar

WORKINGS = "Workings"
"""Name of the sheet whose numbers the formulas add up."""


def changed(content: bytes, change: Callable[[Workbook], None]) -> bytes:
    """The workbook after a change."""
    book = openpyxl.load_workbook(io.BytesIO(content))
    change(book)
    made = io.BytesIO()
    book.save(made)
    return settled(made.getvalue())


def with_cells(content: bytes, cells: Mapping[str, Scalar]) -> bytes:
    """Other contents in some cells."""

    def change(book: Workbook) -> None:
        for at, value in cells.items():
            cell(book, at).value = value

    return changed(content, change)


def cell(book: Workbook, at: str) -> Any:
    """The cell at a place like ``Demand!B7``."""
    sheet, _, name = at.rpartition("!")
    return book[sheet][name]


def formatted(content: bytes, places: Iterable[str], number_format: str) -> bytes:
    """Another number format in some cells."""

    def change(book: Workbook) -> None:
        for at in places:
            cell(book, at).number_format = number_format

    return changed(content, change)


def computed(content: bytes, numbers: Mapping[str, Decimal]) -> bytes:
    """A formula in place of each number: the sum of two that stand on a sheet of their own. None has a cached value."""

    def change(book: Workbook) -> None:
        workings = book.create_sheet(WORKINGS)
        workings.append(["Part one", "Part two"])
        for row, (at, number) in enumerate(numbers.items(), 2):
            part = (number / 3).quantize(Decimal("0.01"))
            workings.append([float(part), float(number - part)])
            cell(book, at).value = f"={WORKINGS}!A{row}+{WORKINGS}!B{row}"

    return changed(content, change)


def mirrored(content: bytes) -> bytes:
    """Every sheet with its columns in reverse order."""

    def change(book: Workbook) -> None:
        for sheet in book.worksheets:
            width = sheet.max_column
            for row in sheet.iter_rows(min_row=1, max_row=sheet.max_row, max_col=width):
                kept = [(one.value, one.number_format) for one in row]
                for one, (value, form) in zip(row, reversed(kept), strict=True):
                    one.value, one.number_format = value, form

    return changed(content, change)


def upended(content: bytes) -> bytes:
    """Every sheet from its last row up, the head in its place."""

    def change(book: Workbook) -> None:
        for sheet in book.worksheets:
            rows = [[(one.value, one.number_format) for one in row] for row in sheet.iter_rows(min_row=2)]
            for row, kept in zip(sheet.iter_rows(min_row=2), rows[::-1], strict=True):
                for one, (value, form) in zip(row, kept, strict=True):
                    one.value, one.number_format = value, form

    return changed(content, change)


def noted(content: bytes, lines: Iterable[str]) -> bytes:
    """A further sheet with some lines of text."""

    def change(book: Workbook) -> None:
        sheet = book.create_sheet("Notes")
        for line in lines:
            sheet.append([line])

    return changed(content, change)


def titled(content: bytes, line: str) -> bytes:
    """A line of text and an empty one above what each sheet holds."""

    def change(book: Workbook) -> None:
        for sheet in book.worksheets:
            sheet.insert_rows(1, 2)
            sheet["A1"] = line

    return changed(content, change)


def renamed(content: bytes, names: Mapping[str, str]) -> bytes:
    """Sheets under other names."""

    def change(book: Workbook) -> None:
        for old, new in names.items():
            book[old].title = new

    return changed(content, change)


def has_formulas(content: bytes) -> bool:
    """Whether any cell is a formula: rows and columns of such a workbook are not moved about."""
    book = openpyxl.load_workbook(io.BytesIO(content))
    return any(one.data_type == "f" for sheet in book.worksheets for row in sheet.iter_rows() for one in row)
