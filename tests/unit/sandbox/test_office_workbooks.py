"""Workbooks written by the tools of the office pack: only what was asked changes, and errors say what to do."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from typing import Any

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openpyxl.chart import BarChart, Reference
from openpyxl.formatting.rule import CellIsRule
from openpyxl.worksheet.table import Table

from workgym.records import ToolResult
from workgym.sandbox import Sandbox, create
from workgym.testing.sandbox_kit import PACKS, say

XML_TEXT = st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff")


def workbook() -> bytes:
    """A sheet with a chart, merged cells and formulas, one with a table, a hidden one."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Data"
    sheet.append(["Part", "Qty", "Price", "Total"])
    for number in range(1, 6):
        sheet.append([f"P-{number}", number, 1.5, f"=B{number + 1}*C{number + 1}"])
    sheet["C6"].number_format = "0.00"
    sheet.merge_cells("A10:C10")
    chart = BarChart()
    chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=6))
    sheet.add_chart(chart, "F2")
    sheet.conditional_formatting.add("B2:B6", CellIsRule("greaterThan", ["3"]))
    total = book.create_sheet("Total")
    total["A1"] = "=SUM(Data!D2:D6)"
    listed = book.create_sheet("List")
    for row in (["Name", "Age"], ["Ann", 31], ["Bob", 42]):
        listed.append(row)
    listed.add_table(Table(displayName="People", ref="A1:B3"))
    book.create_sheet("Old").sheet_state = "hidden"
    out = io.BytesIO()
    book.save(out)
    return with_calculation_chain(out.getvalue())


def with_calculation_chain(content: bytes) -> bytes:
    """The workbook as Excel leaves it: with a list of its formulas, and the first of them shared."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(out, "w") as made:
        for name in source.namelist():
            text = source.read(name).decode() if name.endswith((".xml", ".rels")) else None
            if name == "[Content_Types].xml":
                part = 'PartName="/xl/calcChain.xml" ContentType="application/vnd.openxmlformats-officedocument.'
                text = str(text).replace("</Types>", f'<Override {part}spreadsheetml.calcChain+xml"/></Types>')
            if name == "xl/_rels/workbook.xml.rels":
                kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/calcChain"
                entry = f'<Relationship Id="rId99" Type="{kind}" Target="calcChain.xml"/></Relationships>'
                text = str(text).replace("</Relationships>", entry)
            if name == "xl/worksheets/sheet1.xml":
                text = str(text).replace("<f>B2*C2</f>", '<f t="shared" ref="D2:D6" si="0">B2*C2</f>')
                for row in range(3, 7):
                    text = text.replace(f"<f>B{row}*C{row}</f>", '<f t="shared" si="0"/>')
            made.writestr(name, source.read(name) if text is None else text)
        spreadsheet = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
        made.writestr("xl/calcChain.xml", f'<calcChain xmlns="{spreadsheet}"><c r="D2" i="1"/></calcChain>')
    return out.getvalue()


@pytest.fixture(scope="module")
def guest() -> Iterator[Sandbox]:
    with create("bubblewrap") as made:
        made.open({"notes.docx": b"x"}, PACKS)
        yield made


@pytest.fixture
def sandbox(guest: Sandbox) -> Sandbox:
    guest.put("a.xlsx", workbook())
    return guest


def content(sandbox: Sandbox, path: str = "a.xlsx") -> bytes:
    return sandbox.collect()[path]


def values(data: bytes, sheet: str) -> dict[str, Any]:
    page = openpyxl.load_workbook(io.BytesIO(data), data_only=True)[sheet]
    return {cell.coordinate: cell.value for row in page.iter_rows() for cell in row if cell.value is not None}


def parts(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def done(result: ToolResult) -> str:
    assert not result.is_error, result.text
    return result.text


def test_cells_are_written_and_all_formulas_calculated(sandbox: Sandbox) -> None:
    before = content(sandbox)
    wanted = {"B2": 10, "E1": "Due", "E2": "2026-03-31", "E3": '=IFS(B2>5,"many",TRUE,"few")', "A3": None, "E4": "'=x"}
    answer = done(say(sandbox, "write_cells", path="a.xlsx", cells=wanted | {"E5": True, "E6": "007"}))
    assert answer == "Wrote 8 cell(s) to the sheet 'Data' of a.xlsx.\nData!E3 = many"
    after = content(sandbox)
    data = values(after, "Data")
    assert (
        data["D2"] == 15 and data["D6"] == 7.5 and data["E3"] == "many" and data["E4"] == "=x" and data["E6"] == "007"
    )
    assert data["E2"].isoformat() == "2026-03-31T00:00:00" and "A3" not in data and data["E5"] is True
    assert values(after, "Total") == {"A1": 36}
    old, new = parts(before), parts(after)
    changed = {name for name in old if old[name] != new.get(name)}
    assert changed == {
        *("[Content_Types].xml", "xl/_rels/workbook.xml.rels", "xl/styles.xml"),
        *("xl/worksheets/sheet1.xml", "xl/worksheets/sheet2.xml", "xl/calcChain.xml"),
    }
    assert "xl/calcChain.xml" not in new and b"calcChain" not in new["[Content_Types].xml"]
    assert b'fullCalcOnLoad="1"' in new["xl/workbook.xml"]


def test_a_shared_formula_outlives_the_cell_that_held_its_text(sandbox: Sandbox) -> None:
    done(say(sandbox, "write_cells", path="a.xlsx", cells={"D2": 1}))
    page = openpyxl.load_workbook(io.BytesIO(content(sandbox)))["Data"]
    assert [page[f"D{row}"].value for row in range(2, 7)] == [1, *(f"=B{row}*C{row}" for row in range(3, 7))]


def test_blocks_formats_and_bold(sandbox: Sandbox) -> None:
    done(say(sandbox, "write_cells", path="a.xlsx", start="F20", rows=[["x", 0.5]], number_format="0.0%", bold=True))
    page = openpyxl.load_workbook(io.BytesIO(content(sandbox)))["Data"]
    assert page["G20"].number_format == "0.0%" and page["F20"].font.b and page["C6"].number_format == "0.00"
    assert "looks like a number: A9 (12.5)" in done(say(sandbox, "write_cells", path="a.xlsx", cells={"A9": "12.5"}))


def test_what_depends_on_the_day_is_left_to_who_opens_the_file(sandbox: Sandbox) -> None:
    answer = done(say(sandbox, "write_cells", path="a.xlsx", cells={"E2": "=TODAY()-A2"}))
    assert "E2 depends on the day or on chance" in answer and "D2" not in values(content(sandbox), "Data")
    assert "=B2*C2" in say(sandbox, "read_workbook", path="a.xlsx").text


def test_rows_are_added_in_the_style_of_the_last(sandbox: Sandbox) -> None:
    answer = done(say(sandbox, "add_rows", path="a.xlsx", below=6, rows=[["P-6", 2, 3, "=B{row}*C{row}"]]))
    assert "7 to 7" in answer and "Data!D7 = 6" in answer and "Charts and totals that end above" in answer
    assert "Conditional formats" in answer
    page = openpyxl.load_workbook(io.BytesIO(content(sandbox)))["Data"]
    assert page["C7"].number_format == "0.00"
    assert "The table People is now A1:B4" in done(
        say(sandbox, "add_rows", path="a.xlsx", sheet="List", rows=[["Cy", 5]])
    )
    taken = say(sandbox, "add_rows", path="a.xlsx", below=2, rows=[["x"]])
    assert taken.is_error and "Row 3 is not empty" in taken.text and "leave below out" in taken.text


def test_sheets_are_added(sandbox: Sandbox) -> None:
    done(say(sandbox, "add_sheet", path="a.xlsx", name="Summary", rows=[["Sum"], ["=Total!A1*2"]]))
    after = content(sandbox)
    assert values(after, "Summary") == {"A1": "Sum", "A2": 45}
    assert openpyxl.load_workbook(io.BytesIO(after)).sheetnames == ["Data", "Total", "List", "Old", "Summary"]
    again = say(sandbox, "add_sheet", path="a.xlsx", name="summary")
    assert again.is_error and "The sheets are: Data, Total, List, Old, Summary" in again.text
    assert say(sandbox, "add_sheet", path="a.xlsx", name="a/b").is_error


def test_new_workbooks_are_the_same_every_time(sandbox: Sandbox) -> None:
    sheets = [
        {"name": "A", "rows": [["Item", "EUR"], ["Box", 1234.5], ["Twice", "=B2*2"]], "formats": {"B": "#,##0.00"}}
    ]
    assert "A!B3 = 2469" in done(say(sandbox, "create_workbook", path="out/n.xlsx", sheets=sheets))
    first = content(sandbox, "out/n.xlsx")
    page = openpyxl.load_workbook(io.BytesIO(first))["A"]
    assert page["B2"].number_format == "#,##0.00" and page["A1"].font.b and page.freeze_panes == "A2"
    there = say(sandbox, "create_workbook", path="out/n.xlsx", sheets=sheets)
    assert there.is_error and "Set overwrite to true" in there.text and "add_rows" in there.text
    done(say(sandbox, "create_workbook", path="out/n.xlsx", sheets=sheets, overwrite=True))
    assert content(sandbox, "out/n.xlsx") == first
    wrong = say(sandbox, "create_workbook", path="out/n.xls", sheets=sheets)
    assert wrong.is_error and "with the path out/n.xlsx" in wrong.text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"cells": {"B10": 1}}, "lies in the merged cells A10:C10, which show only A10: write there"),
        ({"cells": {"B9": "=SUMM(A1)"}}, "did you mean SUM?"),
        ({"cells": {"B9": "=Dta!A1"}}, "The sheets are: Data, Total, List, Old"),
        ({"cells": {"B9": "=SUM(A1;A2)"}}, "write a comma"),
        ({"cells": {"B9": "=SUM(A1"}}, "bracket that is not closed"),
        ({"cells": {"B9": "=UNIQUE(A1:A3)"}}, "Compute it, and write the values"),
        ({"cells": {"9B": 1}}, "Write it as B2"),
        ({"cells": {"B9": "2026-13-01"}}, "no day. Put ' before it"),
        ({"cells": {"XFE1": 1}}, "XFD1048576"),
        ({"sheet": "List", "cells": {"A1": "x"}}, "header of the table People"),
        ({"sheet": "Nope", "cells": {"A1": 1}}, "Use add_sheet"),
        ({"start": "A1"}, 'such as {"B2": 5'),
        ({"path": "notes.docx", "cells": {"A1": 1}}, "Use add_to_document for it"),
        ({"path": "b.xlsx", "cells": {"A1": 1}}, "Did you mean a.xlsx"),
        ({"cells": {"B9": {"x": 1}}}, "B9: a cell holds a text, a number, true, false or null"),
        ({"cells": {"B9": 1}, "sheet": 3}, "sheet must be a string"),
    ],
)
def test_errors_teach_and_change_nothing(sandbox: Sandbox, arguments: dict[str, Any], words: str) -> None:
    before = content(sandbox)
    result = say(sandbox, "write_cells", **{"path": "a.xlsx", **arguments})
    assert result.is_error and words in result.text, result.text
    assert content(sandbox) == before


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(
        st.tuples(st.sampled_from("ABEGZ"), st.integers(1, 60).filter(lambda row: row != 10)),
        st.one_of(st.booleans(), st.integers(-(10**9), 10**9), st.floats(-1e9, 1e9), st.text(XML_TEXT, min_size=1)),
        min_size=1,
        max_size=40,
    )
)
def test_exactly_the_cells_named_change(sandbox: Sandbox, wanted: dict[tuple[str, int], Any]) -> None:
    original = workbook()
    sandbox.put("a.xlsx", original)
    cells = {f"{column}{row}": value for (column, row), value in wanted.items()}
    written = {at: f"'{value}" if isinstance(value, str) else value for at, value in cells.items()}
    done(say(sandbox, "write_cells", path="a.xlsx", cells=written))
    before, after = (openpyxl.load_workbook(io.BytesIO(data))["Data"] for data in (original, content(sandbox)))
    found = {cell.coordinate: cell.value for row in after.iter_rows() for cell in row if cell.value is not None}
    kept = {cell.coordinate: cell.value for row in before.iter_rows() for cell in row if cell.value is not None}
    assert found == kept | cells


def test_long_outlines_come_in_parts(sandbox: Sandbox) -> None:
    outline = done(say(sandbox, "workbook_outline", path="a.xlsx"))
    assert "  charts: 1" in outline and "merged cells: A10:C10" in outline and "table People: A1:B3" in outline
    assert say(sandbox, "workbook_outline", path="a.xlsx", offset=2).text == outline.partition("\n")[2]
