"""Sheets that the office pack reads by itself show what openpyxl shows of them, and what is odd is left to openpyxl."""

from __future__ import annotations

import contextlib
import datetime
import importlib
import io
import re
import sys
import tempfile
import types
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import xlsxwriter
from hypothesis import given, settings
from hypothesis import strategies as st

from .test_office_workbooks import XML_TEXT, workbook

PACK = Path(__file__).parents[3] / "tools" / "office"
Change = Callable[[str], str]


class Guest:
    """As much of a guest as reading a sheet takes."""

    limits = types.MappingProxyType({"output_chars": 20_000})

    class ToolError(Exception):
        pass


@pytest.fixture(scope="module")
def pack() -> Iterator[Any]:
    package = types.ModuleType("pack_office")
    package.__path__ = [str(PACK)]
    sys.modules["pack_office"] = package
    yield importlib.import_module("pack_office.workbooks")
    for name in [name for name in sys.modules if name.partition(".")[0] == "pack_office"]:
        del sys.modules[name]


def both(pack: Any, content: bytes, **asked: str) -> tuple[str, str]:
    """What the pack reads by itself, and what it reads by openpyxl."""
    with tempfile.NamedTemporaryFile(suffix=".xlsx") as file:
        file.write(content)
        file.flush()

        def told(book: Any) -> str:
            try:
                return str(pack.grid(Guest, file.name, book, asked.get("sheet"), asked.get("range"), False))
            except Guest.ToolError as error:
                return str(error)

        with contextlib.closing(openpyxl.load_workbook(file.name, read_only=True, data_only=True)) as book:
            return told(pack.Book(file.name)), told(book)


def listed(rows: int = 2000, *, bare: bool = True) -> bytes:
    """Many rows; ``bare`` as openpyxl streams them, without a word on how far the sheet goes."""
    book = openpyxl.Workbook(write_only=bare)
    sheet = book.create_sheet("Ledger", 0)
    for row in range(rows):
        sheet.append([f"item {row}", row, None, row / 7, row % 2 == 0, datetime.date(2026, 3, 1 + row % 28)])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def mixed(**options: Any) -> bytes:
    """What Excel's own files have: shared and rich texts, dates, spans of time, errors, formulas with values."""
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, options)
    sheet = book.add_worksheet("All of it")
    formats = {code: book.add_format({"num_format": code}) for code in ("yyyy-mm-dd", "[h]:mm", "hh:mm", "0.0%")}
    bold = book.add_format({"bold": True})
    sheet.write_row(0, 0, ["  led ", "a\tb", "two\nlines", "Żółw & <Söhne>", "x005F_", "_x0041_"])
    sheet.write_rich_string(1, 0, "half ", bold, "bold", " text")
    timed = [(46082, "yyyy-mm-dd"), (46082.75, "yyyy-mm-dd"), (1.5, "[h]:mm"), (0.25, "hh:mm"), (0.5, "0.0%")]
    for column, (value, code) in enumerate(timed):
        sheet.write_number(2, column, value, formats[code])
    sheet.write_row(3, 0, [1e300, -1e-7, 12345678901234567, 3.0, -0.0, 2**53])
    sheet.write_boolean(4, 0, True)
    sheet.write_formula(4, 1, "=1/0", None, "#DIV/0!")
    sheet.write_formula(4, 2, '="a"&"b"', None, "ab")
    sheet.write_formula(4, 3, "=TRUE()", None, True)
    sheet.write_formula(4, 4, "=2+3", None, 5)
    sheet.write_blank(5, 3, None, bold)
    sheet.write_number(9, 9, -5, formats["yyyy-mm-dd"])
    sheet.write_number(40, 2, 7)
    book.add_worksheet("Empty")
    book.add_worksheet("Other").write_row(0, 0, ["x", 1])
    book.close()
    return out.getvalue()


def changed(content: bytes, part: str, change: Change) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(out, "w") as made:
        for name in source.namelist():
            data = source.read(name)
            made.writestr(name, change(data.decode()).encode() if name == part else data)
    return out.getvalue()


FIRST = "xl/worksheets/sheet1.xml"
_LAST = '<row r="41"'
_EMPTY = re.compile(r'(<row r="(?:1|9)">).*?</row>')
BOOKS = {
    "bare": listed(),
    "stated": listed(bare=False),
    "few": listed(3),
    "mixed": mixed(),
    "of 1904": mixed(date_1904=True),
    "formulas without values": workbook(),
    "further than it says": changed(listed(30, bare=False), FIRST, lambda text: text.replace("A1:F30", "A1:D20")),
    "less than it says": changed(listed(30, bare=False), FIRST, lambda text: text.replace("A1:F30", "A1:H90")),
    "rows left out": changed(listed(30), FIRST, lambda text: re.sub(r'<row r="(2|3|17|30)".*?</row>', "", text)),
    "an empty row": changed(listed(30), FIRST, lambda text: _EMPTY.sub(r"\1</row>", text)),
    "a row that closes itself": changed(mixed(), FIRST, lambda text: text.replace(_LAST, f'<row r="40"/>{_LAST}')),
}
ASKED = [{}, {"range": "B2:D12"}, {"range": "A15:F500"}, {"range": "C3"}, {"range": "A1:B2000"}]


@pytest.mark.parametrize("asked", ASKED, ids=str)
@pytest.mark.parametrize("name", BOOKS)
def test_it_reads_what_openpyxl_reads(pack: Any, name: str, asked: dict[str, str]) -> None:
    ours, theirs = both(pack, BOOKS[name], **asked)
    assert ours == theirs


@pytest.mark.parametrize("sheet", ["Other", "other "])
def test_sheets_are_found_by_name(pack: Any, sheet: str) -> None:
    ours, theirs = both(pack, mixed(), sheet=sheet)
    assert ours == theirs


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**16), 10**16),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(XML_TEXT, max_size=20),
    st.datetimes(datetime.datetime(1901, 1, 1), datetime.datetime(2100, 1, 1)),
    st.dates(datetime.date(1901, 1, 1), datetime.date(2100, 1, 1)),
    st.times(),
    st.timedeltas(datetime.timedelta(0), datetime.timedelta(500)),
)


@given(st.lists(st.lists(VALUES, max_size=6), min_size=1, max_size=12), st.booleans())
@settings(deadline=None, max_examples=60)
def test_any_values_read_as_openpyxl_reads_them(pack: Any, rows: list[list[Any]], bare: bool) -> None:
    book = openpyxl.Workbook(write_only=bare)
    sheet = book.create_sheet("A", 0)
    for row in [["head"], *rows]:
        sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    ours, theirs = both(pack, out.getvalue())
    assert ours == theirs


def prefixed(text: str) -> str:
    text = re.sub(r"<(/?)([a-zA-Z])", r"<\1x:\2", text.partition("?>")[2] or text)
    return text.replace("xmlns=", "xmlns:x=")


ODD: dict[str, tuple[bytes, str, Change]] = {
    "a prefix": (listed(20), FIRST, prefixed),
    "a comment": (listed(20), FIRST, lambda text: text.replace("<sheetData>", "<sheetData><!-- <row r='9'> -->")),
    "no place": (listed(20), FIRST, lambda text: re.sub(r'<c r="B\d+"', "<c", text)),
    "no row number": (listed(20, bare=False), FIRST, lambda text: re.sub(r'<row r="\d+"', "<row", text)),
    "another encoding": (
        changed(mixed(), FIRST, lambda text: text.replace("UTF-8", "us-ascii")),
        "xl/workbook.xml",
        lambda text: text.replace("UTF-8", "ascii"),
    ),
    "two of a name": (mixed(), "xl/workbook.xml", lambda text: text.replace('name="Other"', 'name="Empty"')),
}


@pytest.mark.parametrize("name", ODD)
def test_what_is_odd_is_left_to_openpyxl(pack: Any, name: str, tmp_path: Path) -> None:
    content, part, change = ODD[name]
    odd = changed(content, part, change)
    assert odd != content
    with pytest.raises(pack.Odd):
        both(pack, odd)
    (tmp_path / "a.xlsx").write_bytes(odd)
    guest = types.SimpleNamespace(
        ToolError=Guest.ToolError, limits=Guest.limits, path=lambda path: str(tmp_path / path), show=str
    )
    assert pack.read_workbook(guest, "a.xlsx").count("\n") >= 5
