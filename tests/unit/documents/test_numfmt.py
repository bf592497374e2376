from __future__ import annotations

import io
from decimal import Decimal

import openpyxl
import pytest
import xlsxwriter
from hypothesis import given
from hypothesis import strategies as st

from workgym.documents import read
from workgym.documents.xlsx.formulas import shifted
from workgym.documents.xlsx.numfmt import display, kind, silent, text, tidy


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        ("1234.5", "#,##0.00", "1,234.50"),
        ("-1234.5", "#,##0.00_);(#,##0.00)", "(1,234.50)"),
        ("0.085", "0.0%", "8.5%"),
        ("1234567", "#,##0,", "1,235"),
        ("0.5", "#.00", ".50"),
        ("12", "000", "012"),
        ("1.5", "[h]:mm", "36:00"),
        ("46083.5", "d mmm yyyy h:mm AM/PM", "2 Mar 2026 12:00 PM"),
        ("5", '0 "pcs"', "5 pcs"),
        ("2.675", "0.00", "2.68"),
        ("3.2", "[$€-407] #,##0.00", "€ 3.20"),
        ("0.0000001", "General", "1E-07"),
        ("123456789012", "General", "1.23457E+11"),
        ("0", '0;-0;"-"', "-"),
        ("12345.678", "0.00E+00", "1.23E+04"),
        ("46083", "dddd, d. mmmm yy", "Monday, 2. March 26"),
        ("0.5", "h:mm", "12:00"),
        ("-5", "0", "-5"),
        ("-5", "[Red]-0.0", "--5.0"),
        ("1", "yyyy-mm-dd", "1900-01-01"),
        ("61", "yyyy-mm-dd", "1900-03-01"),
        ("-1", "yyyy-mm-dd", "####"),
        ("0.1", "# ?/?", "0.1"),
        ("7", "@", "7"),
        ("1500", '[>=1000]0.0,"K";0.00', "1.5K"),
        ("5", '[>=1000]0.0,"K";0.00', "5.00"),
        ("2500000", '[>=1000000]0.0,,"M";[>=1000]0.0,"K";0', "2.5M"),
        ("2500", '[>=1000000]0.0,,"M";[>=1000]0.0,"K";0', "2.5K"),
        ("-7", '[>=1000000]0.0,,"M";[>=1000]0.0,"K";0', "-7"),
        ("-7", '[<0]"minus "0;0', "minus 7"),
        ("-7", "[>=0]0;(0)", "(7)"),
        ("-7", "0;@", "-7"),
        ("123456789", "000-00-0000", "123-45-6789"),
        ("12345", "000-00-0000", "000-01-2345"),
        ("4401234567", "(000) 000-0000", "(440) 123-4567"),
    ],
)
def test_displayed_text(value: str, code: str, shown: str) -> None:
    assert display(Decimal(value), code) == shown


@pytest.mark.parametrize(
    ("content", "code", "shown"),
    [
        ("due", "General", "due"),
        ("due", "0.00", "due"),
        ("due", "@", "due"),
        ("due", '"not "@', "not due"),
        ("due", '0;-0;0;"paid"', "paid"),
        ("due", '0;-0;0;""', ""),
        (" due ", "0_);(0);0_);_(@_)", " due "),
    ],
)
def test_what_a_format_makes_of_texts(content: str, code: str, shown: str) -> None:
    assert text(content, code) == shown


@pytest.mark.parametrize(
    ("code", "numbers", "texts"),
    [("0", False, False), ('""', True, False), (";;;", True, True), ('0;0;0;" "', False, True), ("0;;", True, False)],
)
def test_formats_that_show_nothing(code: str, numbers: bool, texts: bool) -> None:
    assert silent(code) == (numbers, texts)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("General", "number"),
        ("0.00", "number"),
        ("yyyy-mm-dd", "date"),
        ("hh:mm", "time"),
        ("m/d/yyyy h:mm", "datetime"),
        ("[h]:mm", "elapsed"),
        ("@", "text"),
        ('0 "days"', "number"),
        ("[Red]0", "number"),
        ("mm:ss", "time"),
    ],
)
def test_kinds(code: str, expected: str) -> None:
    assert kind(code) == expected


def test_a_number_keeps_fifteen_digits() -> None:
    assert tidy("0.30000000000000004") == Decimal("0.3")
    assert tidy("2.05") == Decimal("2.05")
    with pytest.raises(ValueError, match="not a number"):
        tidy("inf")


@pytest.mark.parametrize(
    ("formula", "rows", "columns", "moved"),
    [
        ("B1*2", 2, 0, "B3*2"),
        ("$B$1+B1", 1, 1, "$B$1+C2"),
        ("SUM(A1:A$3)", 1, 0, "SUM(A2:A$3)"),
        ('"A1"&A1', 1, 0, '"A1"&A2'),
        ("'A1 x'!B2", 1, 1, "'A1 x'!C3"),
        ("LOG10(A1)", 1, 0, "LOG10(A2)"),
        ("A1", -1, 0, "#REF!"),
        ("Q1_total+A1", 1, 0, "Q1_total+A2"),
    ],
)
def test_shared_formulas_are_moved(formula: str, rows: int, columns: int, moved: str) -> None:
    assert shifted(formula, rows, columns) == moved


VALUES = st.one_of(
    st.integers(-(10**12), 10**12),
    st.decimals(-(10**6), 10**6, places=3).map(float),
    st.booleans(),
    st.text(alphabet=st.characters(exclude_categories=("Cs", "Cc")), max_size=20).map(str.strip),
    st.text(alphabet=" \tab\n_x000D", max_size=8),
)


@given(rows=st.lists(st.lists(VALUES, min_size=1, max_size=4), min_size=1, max_size=4))
def test_what_xlsxwriter_wrote_is_read_as_openpyxl_reads_it(rows: list[list[object]]) -> None:
    target = io.BytesIO()
    book = xlsxwriter.Workbook(target, {"in_memory": True, "strings_to_numbers": False})
    sheet = book.add_worksheet("S")
    for number, row in enumerate(rows):
        for column, value in enumerate(row):
            if isinstance(value, str):
                sheet.write_string(number, column, value)
            elif isinstance(value, bool):
                sheet.write_boolean(number, column, value)
            elif isinstance(value, (int, float)):
                sheet.write_number(number, column, value)
    book.close()
    other = openpyxl.load_workbook(io.BytesIO(target.getvalue()))["S"]
    mine = {fragment.at: fragment for fragment in read("a.xlsx", target.getvalue()).fragments if fragment.table == "S"}
    for cells in other.iter_rows():
        for cell in cells:
            fragment = mine.pop(f"S!{cell.coordinate}", None)
            if cell.value in (None, ""):
                assert fragment is None
            elif isinstance(cell.value, str):
                assert fragment is not None
                assert fragment.text == cell.value
            else:
                assert fragment is not None
                typed = fragment.value
                assert (typed if isinstance(typed, bool) else float(str(typed))) == pytest.approx(cell.value, rel=1e-14)
    assert not mine
