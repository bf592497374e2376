"""Given workbooks that are filled in or extended: what is no damage, what is, and where it is seen."""

from __future__ import annotations

import io
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest
from openpyxl.comments import Comment
from openpyxl.workbook.defined_name import DefinedName

from workgym.documents import TextEdit, edit, read, recalculate
from workgym.graph import area
from workgym.verify.edited.compare import compare, unresolved
from workgym.verify.edited.damage import Compared

Book = openpyxl.Workbook
FORM = ("Form![Approved]",)
ROWS = ("Form!A3:E7",)


def saved(book: Book) -> bytes:
    made = io.BytesIO()
    book.save(made)
    return made.getvalue()


def blank_form() -> bytes:
    book = openpyxl.Workbook()
    form = book.worksheets[0]
    form.title = "Form"
    form.append(["Review of orders"])
    form.append(["Item", "Quantity", "Price", "Total", "Approved"])
    for at in range(5):
        form.append([f"Item {at}", at + 2, 1.5 + at, f"=B{at + 3}*C{at + 3}", None])
    form.append(["Total", "=SUM(B3:B7)", None, "=SUM(D3:D7)", "=SUM(E3:E7)"])
    form["A10"] = "Sign here"
    form["A1"].comment = Comment("Keep the order.", "Ada")
    sums = book.create_sheet("Sums")
    sums["A1"], sums["B1"] = "=Form!D8*2", "kept"
    secret = book.create_sheet("Codes")
    secret["A1"] = "internal"
    secret.sheet_state = "hidden"
    book.defined_names["Quantities"] = DefinedName("Quantities", attr_text="Form!$B$3:$B$7")
    return recalculate(saved(book))


BASE = blank_form()


def compared(areas: tuple[str, ...], after: bytes, before: bytes = BASE, name: str = "form.xlsx") -> Compared:
    wanted = [area(name, written) for written in areas]
    return compare(wanted, read(name, before), read(name, after), before, after)


def changed(change: Callable[[Book], None]) -> bytes:
    book = openpyxl.load_workbook(io.BytesIO(BASE))
    change(book)
    return saved(book)


def fill(book: Book) -> None:
    for row in range(3, 8):
        book["Form"][f"E{row}"] = row * 1.25


def fill_with_formulas(book: Book) -> None:
    for row in range(3, 8):
        book["Form"][f"E{row}"] = f"=D{row}"
        book["Form"][f"E{row}"].number_format = "0.00"


def look_only(book: Book) -> None:
    fill(book)
    book["Form"].column_dimensions["A"].width = 60
    book["Form"]["B3"].number_format = "#,##0.00"
    book["Form"]["A3"].comment = Comment("Checked.", "Bo")


def office(content: bytes, tmp_path: Path) -> bytes:
    (tmp_path / "in").mkdir()
    source = tmp_path / "in" / "form.xlsx"
    source.write_bytes(content)
    command = ["soffice", f"-env:UserInstallation=file://{tmp_path}/profile", "--headless", "--convert-to", "xlsx"]
    subprocess.run([*command, "--outdir", str(tmp_path), str(source)], check=True, capture_output=True, timeout=120)
    return (tmp_path / "form.xlsx").read_bytes()


@pytest.mark.parametrize("change", [lambda book: None, fill, fill_with_formulas, look_only])
def test_what_is_asked_for_is_no_damage(change: Callable[[Book], None]) -> None:
    assert compared(FORM, changed(change)).damage == ()
    assert compared(FORM, recalculate(changed(change))).damage == ()


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
def test_what_libreoffice_saves_is_no_damage(tmp_path: Path) -> None:
    assert compared(FORM, office(changed(fill), tmp_path)).damage == ()


def other_value(book: Book) -> None:
    book["Form"]["B4"] = 99


def typed_over(book: Book) -> None:
    book["Form"]["D8"] = 105


def total_of_the_column(book: Book) -> None:
    book["Form"]["E8"] = 12


def another_formula(book: Book) -> None:
    book["Form"]["B8"] = "=SUM(B3:B6)"


def beside_the_column(book: Book) -> None:
    book["Form"]["F4"] = "ok"


def below_the_column(book: Book) -> None:
    book["Form"]["E10"] = "ok"


def emptied(book: Book) -> None:
    book["Form"]["A10"] = None


def heading(book: Book) -> None:
    book["Form"]["E2"] = "Approved by me"


def as_text(book: Book) -> None:
    book["Form"]["B4"] = "3"


def elsewhere(book: Book) -> None:
    book["Sums"]["B1"] = "changed"


@pytest.mark.parametrize(
    ("change", "place", "expected", "found"),
    [
        (other_value, "Form!B4", "3", "99"),
        (typed_over, "Form!D8", "=SUM(D3:D7)", "105"),
        (total_of_the_column, "Form!E8", "=SUM(E3:E7)", "12"),
        (another_formula, "Form!B8", "=SUM(B3:B7)", "=SUM(B3:B6)"),
        (beside_the_column, "Form!F4", None, "ok"),
        (below_the_column, "Form!E10", None, "ok"),
        (emptied, "Form!A10", "Sign here", None),
        (heading, "Form!E2", "Approved", "Approved by me"),
        (as_text, "Form!B4", "3", "3"),
        (elsewhere, "Sums!B1", "kept", "changed"),
    ],
)
def test_a_change_beside_the_area_is_seen_at_its_place(
    change: Callable[[Book], None], place: str, expected: str | None, found: str | None
) -> None:
    (one,) = compared(FORM, changed(change)).damage
    assert (one.place, one.expected, one.found, one.beside) == (place, expected, found, False)


def shown_sheet(book: Book) -> None:
    book["Codes"].sheet_state = "visible"


def hidden_column(book: Book) -> None:
    book["Form"].column_dimensions["B"].hidden = True


def new_sheet(book: Book) -> None:
    book.create_sheet("Mine")["A1"] = 1


def no_sheet(book: Book) -> None:
    del book["Codes"]


def no_comment(book: Book) -> None:
    book["Form"]["A1"].comment = None


def no_name(book: Book) -> None:
    del book.defined_names["Quantities"]


@pytest.mark.parametrize(
    ("change", "place", "says", "beside"),
    [
        (shown_sheet, "Codes!A1", "it was hidden and is shown", False),
        (hidden_column, "Form!B2", "it was to be seen and is hidden, and so are 5 more", False),
        (new_sheet, "Mine", "there was no such sheet", False),
        (no_sheet, "Codes", "the sheet is gone, or has another name", False),
        (no_comment, "Form!A1.comment", "the remark is gone or changed", True),
        (no_name, "name.Quantities", "the name is gone or means something else", True),
    ],
)
def test_what_is_to_be_seen_and_what_stands_beside(
    change: Callable[[Book], None], place: str, says: str, beside: bool
) -> None:
    (one,) = compared(FORM, changed(change)).damage
    assert (one.place, one.message, one.beside) == (place, says, beside)


def test_a_new_sheet_may_be_asked_for() -> None:
    assert compared((*FORM, "Mine!*"), changed(new_sheet)).damage == ()


def inserted(below: int) -> bytes:
    """A row that our editor puts in: formulas of all sheets follow."""
    row = read("form.xlsx", BASE).text_at(f"Form!A{below}") or ""
    cells = ("Item new", "7", "2.5", "", "1")
    put = TextEdit(at=f"Form!A{below}", expected=row, replacement=None, mode="insert_row", cells=cells)
    return edit("form.xlsx", BASE, [put])


@pytest.mark.parametrize("below", [3, 5, 6, 7])
def test_rows_that_an_insertion_inside_the_area_pushes_down_are_no_damage(below: int) -> None:
    assert compared(ROWS, inserted(below)).damage == ()


def test_an_insertion_outside_the_area_is_damage() -> None:
    damage = compared(("Form!A6:E7",), inserted(3)).damage
    assert {one.place for one in damage} == {"Form!A4", "Form!B4", "Form!C4", "Form!E4"}
    assert {one.message for one in damage} == {"nothing stood there"}


def test_an_insertion_after_which_formulas_do_not_follow_is_damage() -> None:
    def insert(book: Book) -> None:
        book["Form"].insert_rows(6)  # openpyxl moves cells, and no formula
        book["Form"]["A6"] = "Item new"

    damage = {one.place: (one.expected, one.found) for one in compared(ROWS, changed(insert)).damage}
    assert damage["Form!B9"] == ("=SUM(B3:B8)", "=SUM(B3:B7)")
    assert damage["Sums!A1"] == ("=Form!D9*2", "=Form!D8*2")


def test_a_row_taken_out_is_damage() -> None:
    damage = compared(FORM, changed(lambda book: book["Form"].delete_rows(5))).damage
    gone = [one for one in damage if one.message == "its row was taken out"]
    assert [(one.place, one.expected) for one in gone][:3] == [
        ("Form!A5", "Item 2"),
        ("Form!B5", "4"),
        ("Form!C5", "3.5"),
    ]


def test_a_chart_that_gets_lost_is_missed() -> None:
    def draw(book: Book) -> None:
        chart = openpyxl.chart.BarChart()
        chart.add_data(openpyxl.chart.Reference(book["Form"], min_col=2, min_row=2, max_row=7), titles_from_data=True)
        book["Form"].add_chart(chart, "H2")

    before = changed(draw)
    book = openpyxl.load_workbook(io.BytesIO(before))
    fill(book)
    assert compared(FORM, saved(book), before).damage == ()
    book = openpyxl.load_workbook(io.BytesIO(before))
    fill(book)
    book["Form"]._charts.clear()  # as programs do that know no charts
    (one,) = compared(FORM, saved(book), before).damage
    assert (one.place, one.expected, one.found, one.beside) == ("charts", "1 charts", "0 charts", True)
    filled = [TextEdit(at=f"Form!E{row}", expected="", replacement=str(row), value=row) for row in range(3, 8)]
    assert compared(FORM, edit("form.xlsx", before, filled), before).damage == (), "our editor keeps it"


def test_places_outside_the_area_are_not_the_solvers() -> None:
    found = compared(FORM, changed(fill)).given
    assert {"Form!A3", "Form!D3", "Form!E2", "Form!E8", "Codes!A1"} <= found
    assert not {"Form!E3", "Form!E7"} & found


def test_areas_that_are_not_in_the_file_are_told() -> None:
    document = read("form.xlsx", BASE)
    written = ("Form![Approved]", "Form![Granted]", "Forms!A1", "New!*", "Form!+rows")
    wanted = {one: area("form.xlsx", one) for one in written}
    assert unresolved(wanted, document) == ("Form![Granted]", "Forms!A1")


def test_a_cell_far_down_is_one_damage_and_found_at_once() -> None:
    start = time.process_time()
    (one,) = compared(FORM, changed(lambda book: book["Form"].cell(1_048_576, 2, "x"))).damage
    assert (one.place, one.found) == ("Form!B1048576", "x") and time.process_time() - start < 5
