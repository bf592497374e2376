"""Rows of workbooks that go and come: everything follows, as LibreOffice itself makes everything follow."""

from __future__ import annotations

import base64
import io
import json
import re
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workgym.documents import TextEdit, edit, read, recalculate
from workgym.documents.xlsx.shifts import RowShift, Shifts
from workgym.errors import EditRefused
from workgym.records import Scalar

from . import row_books
from .offices import need_office

BOOKS = {"openpyxl": row_books.by_openpyxl, "xlsxwriter": row_books.by_xlsxwriter, "table": row_books.with_table}
STEPS = [("insert", 1), ("insert", 5), ("insert", 8), ("remove", 6), ("remove", 8)]
FEW = [
    ("openpyxl", 1),
    ("openpyxl", 3),
    ("xlsxwriter", 2),
    ("LibreOffice's openpyxl", 4),
    ("LibreOffice's xlsxwriter", 0),
]


def said(content: bytes) -> dict[str, str]:
    return {one.at: one.text for one in read("a.xlsx", content).fragments}


def formulas(content: bytes) -> dict[str, str]:
    return {one.at: one.formula for one in read("a.xlsx", content).fragments if one.formula is not None}


def change(content: bytes, what: str, row: int, cells: tuple[Scalar, ...] = (None,), sheet: str = "Data") -> bytes:
    at, text = f"{sheet}!A{row}", said(content).get(f"{sheet}!A{row}", "")
    if what == "insert":
        return edit(
            "a.xlsx", content, [TextEdit(at=at, expected=text, replacement=None, mode="insert_row", cells=cells)]
        )
    return edit("a.xlsx", content, [TextEdit(at=at, expected=text, replacement=None, mode="remove_row")])


def part(content: bytes, ending: str) -> str:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return archive.read(next(name for name in archive.namelist() if name.endswith(ending))).decode()


# --- LibreOffice as the judge


def asked(cases: list[dict[str, Any]]) -> list[Any]:
    script = str(Path(__file__).with_name("office_rows.py"))
    given = json.dumps(cases).encode()
    done = subprocess.run(["/usr/bin/python3", script], input=given, capture_output=True, timeout=240, check=True)
    found: list[Any] = json.loads(done.stdout)
    return found


def coded(content: bytes) -> str:
    return base64.b64encode(content).decode()


def plain(found: Any) -> Any:
    """Without what LibreOffice does in its own way: how it writes broken references, which validations it moves."""
    for sheet in found["sheets"].values():
        del sheet["validations"]
        for place, (formula, value) in sheet["cells"].items():
            broken = "#REF!" in formula.upper()
            failed = broken or (isinstance(value, str) and value.startswith("error "))
            sheet["cells"][place] = ["broken" if broken else formula, "error" if failed else value]
    names = found["names"]
    found["names"] = {name: "broken" if "#REF!" in at.upper() else at for name, at in names.items()}
    return found


@pytest.mark.parametrize("few", [True, pytest.param(False, marks=pytest.mark.soak)])
def test_everything_follows_as_in_libreoffice(few: bool, request: pytest.FixtureRequest) -> None:
    need_office(request.config)
    books = {name: make() for name, make in BOOKS.items()}
    written = asked([{"content": coded(content), "save": True} for content in list(books.values())[:2]])
    books |= {f"LibreOffice's {name}": base64.b64decode(one) for name, one in zip(books, written, strict=False)}
    cases, labels = [], []
    for name, content in books.items():
        for step, (what, row) in enumerate(STEPS):
            if few and (name, step) not in FEW:
                continue
            made = change(content, what, row)
            labels.append((name, what, row))
            cases.append({"content": coded(content), "steps": [["Data", what, row + (what == "insert")]]})
            cases.append({"content": coded(made)})
    found = [plain(one) for one in asked(cases)]
    for label, theirs, ours in zip(labels, found[::2], found[1::2], strict=True):
        assert ours == theirs, label


# --- without LibreOffice


def test_formulas_of_every_kind_follow() -> None:
    before = row_books.by_openpyxl()
    after = formulas(change(before, "insert", 5, ("Nord", 2, 3.5, "=B6*C6")))
    assert after["Data!D6"] == "B6*C6"
    assert after["Data!D11"] == "SUM(D4:D9)"
    assert after["Data!E12"] == "SUM(D$4:$D9)/COUNT(D:D)+LOG10(100)+SUM($4:$5)*0"
    assert after["Data!D13"] == 'IF(A4="D4",1,D11)&" D10"'
    assert after["It's other!A1"] == "SUM(Data!B4:B9)+Data!$B$7"
    assert after["It's other!A6"] == "A5*Data!B10"
    gone = formulas(change(before, "remove", 6))
    assert gone["Data!D9"] == "SUM(D4:D7)"
    assert gone["It's other!A1"] == "SUM(Data!B4:B7)+#REF!"


def test_an_added_row_looks_like_the_one_above_and_holds_what_is_given() -> None:
    made = change(row_books.by_openpyxl(), "insert", 9, ("2026-04-01", 3, "x", None, True, "=B10+1"))
    document = read("a.xlsx", made)
    found = {one.at: (one.text, one.value) for one in document.fragments}
    assert found["Data!A10"] == ("2026-04-01", "2026-04-01")
    assert (found["Data!B10"][1], found["Data!C10"][0], found["Data!E10"][1]) == (3, "x", True)
    assert formulas(made)["Data!F10"] == "B10+1"
    assert "Data!D10" not in found
    assert said(recalculate(made))["Data!F10"] == "4"


def test_several_rows_come_and_go_at_once() -> None:
    book = row_books.by_openpyxl()
    edits = [
        TextEdit(at="Data!A5", expected="Orbis", replacement=None, mode="insert_row", cells=("one", 1, 1)),
        TextEdit(at="Data!A5", expected="Orbis", replacement=None, mode="insert_row", cells=("two", 2, 2)),
        TextEdit(at="Data!A7", expected="Umber", replacement=None, mode="remove_row"),
        TextEdit(at="Data!B8", expected="8", replacement="80"),
    ]
    found = said(edit("a.xlsx", book, edits))
    assert [found[f"Data!A{row}"] for row in range(4, 10)] == ["Kestrel", "Orbis", "one", "two", "Tarn", "Vale"]
    assert found["Data!B9"] == "80"
    assert formulas(edit("a.xlsx", book, edits))["Data!D11"] == "SUM(D4:D9)"


def test_what_hangs_on_the_sheet_follows() -> None:
    made = change(row_books.by_xlsxwriter(), "insert", 1)
    sheet = part(made, "sheet1.xml")
    assert 'sqref="B5:B9"' in sheet
    assert "<formula>$B5&gt;5</formula>" in sheet
    assert "<xm:f>Data!B5:C5</xm:f><xm:sqref>G5</xm:sqref>" in sheet
    assert '<brk id="9"' in sheet
    assert 'location="Data!B13"' in sheet.replace("&apos;", "")
    assert 'ref="A4:D10"' in part(made, "table1.xml")
    assert {"Data!$B$5:$B$9", "Data!$A$5:$A$9", "Data!$B$4"} <= set(
        re.findall(r"<c:f>(.*?)</c:f>", part(made, "chart1.xml"))
    )
    assert re.findall(r'ref="(\w+)"', part(made, "comments1.xml")) == ["B6", "C13"]
    assert re.findall(r"<x:Row>(\d+)<", part(made, "vmlDrawing1.vml")) == ["5", "12"]
    assert "<xdr:row>5</xdr:row>" in part(made, "drawing1.xml")
    assert "Data!$A$1:$D$15" in part(made, "workbook.xml")
    assert "calcChain" not in part(made, "[Content_Types].xml")
    with pytest.warns(UserWarning, match="Sparkline"):
        openpyxl.load_workbook(io.BytesIO(made))


def test_notes_leave_with_their_row() -> None:
    made = change(row_books.by_xlsxwriter(), "remove", 5)
    assert re.findall(r'ref="(\w+)"', part(made, "comments1.xml")) == ["C11"]
    assert re.findall(r"<x:Row>(\d+)<", part(made, "vmlDrawing1.vml")) == ["10"]


@pytest.mark.parametrize(
    ("make", "what", "row", "why"),
    [
        (row_books.by_xlsxwriter, "remove", 3, "header of table Orders"),
        (row_books.by_xlsxwriter, "remove", 9, "totals row of table Orders"),
        (row_books.by_xlsxwriter, "insert", 12, "one formula fills Data!F12:F14"),
        (row_books.by_xlsxwriter, "remove", 13, "one formula fills Data!F12:F14"),
        (row_books.by_xlsxwriter, "remove", 4, "a rule or sparkline"),
    ],
)
def test_what_cannot_follow_is_refused(make: Callable[[], bytes], what: str, row: int, why: str) -> None:
    with pytest.raises(EditRefused, match=re.escape(why)):
        change(make(), what, row)


MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
TYPES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def with_pivot() -> bytes:
    """A workbook to which a pivot table was added by hand; its source is ``Data!A3:D8``, its place ``Data!K5:L9``."""
    with zipfile.ZipFile(io.BytesIO(row_books.by_openpyxl())) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    link = '<Relationship Id="{}" Type="' + TYPES + '/{}" Target="{}"/></Relationships>'
    for rels, name, kind, target in (
        ("xl/_rels/workbook.xml.rels", "rIdP", "pivotCacheDefinition", "pivotCache/pivotCacheDefinition1.xml"),
        ("xl/worksheets/_rels/sheet1.xml.rels", "rIdT", "pivotTable", "../pivotTables/pivotTable1.xml"),
    ):
        parts[rels] = parts[rels].replace(b"</Relationships>", link.format(name, kind, target).encode())
    parts["xl/pivotCache/pivotCacheDefinition1.xml"] = (
        f'<pivotCacheDefinition xmlns="{MAIN}"><cacheSource type="worksheet">'
        '<worksheetSource ref="A3:D8" sheet="Data"/></cacheSource></pivotCacheDefinition>'
    ).encode()
    parts["xl/pivotTables/pivotTable1.xml"] = (
        f'<pivotTableDefinition xmlns="{MAIN}" name="P"><location ref="K5:L9"/></pivotTableDefinition>'
    ).encode()
    target_file = io.BytesIO()
    with zipfile.ZipFile(target_file, "w") as out:
        for name, content in parts.items():
            out.writestr(name, content)
    return target_file.getvalue()


def test_pivot_tables_move_and_are_not_torn() -> None:
    made = change(with_pivot(), "insert", 4)
    assert 'ref="K6:L10"' in part(made, "pivotTable1.xml")
    assert 'ref="A3:D9"' in part(made, "pivotCacheDefinition1.xml")
    with pytest.raises(EditRefused, match="the pivot table Data!K5:L9 cannot change but by its data"):
        change(with_pivot(), "insert", 6)
    with pytest.raises(EditRefused, match="takes its headers from A3:D8"):
        change(with_pivot(), "remove", 3)


def test_other_parts_keep_their_bytes() -> None:
    before = row_books.by_xlsxwriter()
    after = change(before, "insert", 5)
    with zipfile.ZipFile(io.BytesIO(before)) as old, zipfile.ZipFile(io.BytesIO(after)) as new:
        assert [name for name in old.namelist() if name != "xl/calcChain.xml"] == new.namelist()
        same = {name for name in new.namelist() if old.read(name) == new.read(name)}
    assert {"xl/styles.xml", "xl/sharedStrings.xml", "xl/theme/theme1.xml", "xl/charts/chart2.xml"} <= same
    assert change(before, "insert", 5) == after


def test_a_table_takes_in_the_row_behind_its_last() -> None:
    made = change(row_books.with_table(), "insert", 4, ("d", 10))
    assert 'ref="A1:B5"' in part(made, "table1.xml")
    assert said(recalculate(made))["Data!D1"] == "16"


def test_a_header_of_a_table_is_renamed_with_it() -> None:
    book = row_books.with_table()
    made = edit("a.xlsx", book, [TextEdit(at="Data!A1", expected="Name", replacement="Who & what")])
    assert 'name="Who &amp; what"' in part(made, "table1.xml")
    openpyxl.load_workbook(io.BytesIO(made))
    with pytest.raises(EditRefused, match="formulas name the column 'Net'"):
        edit("a.xlsx", book, [TextEdit(at="Data!B1", expected="Net", replacement="Gross")])
    with pytest.raises(EditRefused, match="a name of its own"):
        edit("a.xlsx", book, [TextEdit(at="Data!A1", expected="Name", replacement="net")])


def test_formulas_are_set() -> None:
    book = row_books.by_openpyxl()
    made = edit(
        "a.xlsx", book, [TextEdit(at="Data!H4", expected="", replacement="x", value='=xlookup("Tarn",A4:A8,B4:B8)')]
    )
    assert '_xlfn.XLOOKUP("Tarn",A4:A8,B4:B8)' in part(made, "sheet1.xml").replace("&quot;", '"')
    assert said(recalculate(made))["Data!H4"] == "1"
    for broken in ("=SUM((A1)", "=", '="open', "=A1)"):
        with pytest.raises(EditRefused, match="no whole formula"):
            edit("a.xlsx", book, [TextEdit(at="Data!H4", expected="", replacement="x", value=broken)])
    with pytest.raises(EditRefused, match="covered by the merged cells A1:D1"):
        edit("a.xlsx", book, [TextEdit(at="Data!B1", expected="", replacement="x")])


def test_cells_that_share_a_formula_get_their_own_when_it_goes() -> None:
    book = row_books.by_openpyxl()
    with zipfile.ZipFile(io.BytesIO(book)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    name = "xl/worksheets/sheet1.xml"
    text = parts[name].decode().replace("<f>B4*C4</f>", '<f t="shared" ref="D4:D8" si="0">B4*C4</f>')
    for row in range(5, 9):
        text = text.replace(f"<f>B{row}*C{row}</f>", '<f t="shared" si="0"/>')
    parts[name] = text.encode()
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as out:
        for name, content in parts.items():
            out.writestr(name, content)
    shared = target.getvalue()
    assert formulas(shared) == formulas(book)
    made = edit("a.xlsx", shared, [TextEdit(at="Data!D4", expected="", replacement="9", value=9)])
    assert formulas(made) == {at: formula for at, formula in formulas(book).items() if at != "Data!D4"}
    for what, row in STEPS:
        assert formulas(change(shared, what, row)) == formulas(change(book, what, row))


SHIFTS = st.builds(
    RowShift,
    removed=st.frozensets(st.integers(1, 12), max_size=4),
    added=st.dictionaries(st.integers(1, 12), st.integers(1, 3), max_size=3),
).filter(lambda shift: bool(shift.removed or shift.added))


@given(SHIFTS, st.integers(1, 14), st.integers(1, 14))
def test_a_range_keeps_its_rows_and_no_others(shift: RowShift, one: int, other: int) -> None:
    top, bottom = sorted((one, other))
    order: list[int | None] = []
    for row in range(1, 20):
        order += ([] if row in shift.removed else [row]) + [None] * shift.added.get(row, 0)
    kept = [place for place, row in enumerate(order, 1) if row is not None and top <= row <= bottom]
    assert shift.rows(top, bottom) == ((kept[0], kept[-1]) if kept else None)


@given(SHIFTS, st.text(alphabet="A1B2$:!'\"[]()+,. Data#{}é", max_size=24))
def test_any_text_of_a_formula_is_survived(shift: RowShift, formula: str) -> None:
    moves = Shifts("a.xlsx", ["Data", "B"], {"Data": shift})
    try:
        moved = moves.formula(formula, "Data")
    except EditRefused:
        return
    if not any(char.isdigit() for char in formula):
        assert moved == formula
    assert moves.formula(formula, "B") == formula or "Data" in formula or "data" in formula
