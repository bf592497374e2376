from __future__ import annotations

import io
import zipfile
from datetime import date

import openpyxl
import pytest

from workgym.documents import Document, formula_errors, read, read_all, recalculate
from workgym.errors import Unreadable


def book(*formulas: str) -> bytes:
    made = openpyxl.Workbook()
    sheet = made.active
    sheet.title = "S"
    sheet["B1"] = 3
    for row, formula in enumerate(formulas, 1):
        sheet.cell(row, 1, formula)
    target = io.BytesIO()
    made.save(target)
    return target.getvalue()


def test_every_formula_gets_its_value_and_nothing_else_changes(plain_xlsx: bytes) -> None:
    made = recalculate(plain_xlsx)
    document = read("a.xlsx", made)
    assert document.uncached == ()
    found = {fragment.at: fragment.text for fragment in document.fragments}
    assert (found["Q!C2"], found["Q!B6"], found["Q!A6"], found["Other!A1"]) == ("40", "150", "", "140")
    with zipfile.ZipFile(io.BytesIO(plain_xlsx)) as old, zipfile.ZipFile(io.BytesIO(made)) as new:
        assert old.namelist() == new.namelist()
        changed = [name for name in old.namelist() if old.read(name) != new.read(name)]
    assert changed == ["xl/worksheets/sheet1.xml", "xl/worksheets/sheet2.xml"]
    assert recalculate(plain_xlsx) == made
    assert recalculate(made) == made


def test_charts_comments_and_stale_values(xlsx: bytes) -> None:
    made = recalculate(xlsx)
    before, after = read("a.xlsx", xlsx), read("a.xlsx", made)
    assert [(one.at, one.text) for one in before.fragments] == [(one.at, one.text) for one in after.fragments]


def test_a_workbook_without_formulas_keeps_its_bytes() -> None:
    assert recalculate(book()) == book() or read("a.xlsx", recalculate(book())) == read("a.xlsx", book())


def test_errors_stay_and_are_told() -> None:
    document = read("a.xlsx", recalculate(book("=1/0", "=B1+1", "=SUM(Gone!A1)", "=NoSuchName")))
    assert formula_errors(document) == (("S!A1", "#DIV/0!"), ("S!A3", "#REF!"), ("S!A4", "#NAME?"))


@pytest.mark.parametrize(
    ("formulas", "reason", "detail"),
    [
        (("=B1", "=FOOBAR(B1)"), "unknown-function", "S!A2 calls FOOBAR"),
        (("=SUM(((",), "corrupt", "the formula in S!A1 cannot be understood"),
        (("=A2", "=A1"), "corrupt", "in a circle"),
    ],
)
def test_what_cannot_be_calculated(formulas: tuple[str, ...], reason: str, detail: str) -> None:
    with pytest.raises(Unreadable, match=detail) as caught:
        recalculate(book(*formulas), path="out.xlsx")
    assert (caught.value.reason, caught.value.path) == (reason, "out.xlsx")
    refused = read_all({"out.xlsx": book(*formulas)}, recalculated=True)["out.xlsx"]
    assert isinstance(refused, Unreadable)
    assert refused.reason == reason


def test_in_the_child_too(plain_xlsx: bytes) -> None:
    document = read_all({"a.xlsx": plain_xlsx, "b.csv": b"a,b\n"}, recalculated=True)["a.xlsx"]
    assert isinstance(document, Document)
    assert document == read("a.xlsx", recalculate(plain_xlsx))


def test_dates_do_not_come_from_the_clock() -> None:
    made = read("a.xlsx", recalculate(book("=YEAR(TODAY())"), today=date(2031, 5, 1)))
    assert made.text_at("S!A1") == "2031"


def test_workbooks_in_an_archive_are_recalculated() -> None:
    made = openpyxl.Workbook()
    made.active["A1"], made.active["B1"], made.active["C1"] = 20, 22, "=A1+B1"
    target = io.BytesIO()
    made.save(target)
    archived = io.BytesIO()
    with zipfile.ZipFile(archived, "w") as archive:
        archive.writestr("in/book.xlsx", target.getvalue())
    content = archived.getvalue()
    (plain,), (again,) = (
        result.members
        for result in (read("a.zip", content), read_all({"a.zip": content}, recalculated=True)["a.zip"])
        if isinstance(result, Document)
    )
    assert (plain.text_at("Sheet!C1"), plain.uncached) == ("", ("Sheet!C1",))
    assert (again.text_at("Sheet!C1"), again.uncached) == ("42", ())
