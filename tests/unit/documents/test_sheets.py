"""Workbooks as offices leave them: what is hidden, what stands outside cells, what no rule opens."""

from __future__ import annotations

import datetime
import io
import time
import zipfile
from collections.abc import Callable, Mapping

import openpyxl
import pytest
import xlsxwriter
from hypothesis import given, settings
from hypothesis import strategies as st

from workgym.documents import Document, Fragment, grids, read
from workgym.errors import Unreadable

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
SHEET = "xl/worksheets/sheet1.xml"
Fill = Callable[[xlsxwriter.Workbook], None]


def book(fill: Fill, **options: object) -> bytes:
    """A workbook by XlsxWriter."""
    target = io.BytesIO()
    made = xlsxwriter.Workbook(target, {"in_memory": True, **options})
    fill(made)
    made.close()
    return target.getvalue()


def changed(content: bytes, parts: Mapping[str, bytes | Callable[[bytes], bytes]]) -> bytes:
    """The container with parts replaced, changed or added."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            change = parts.get(info.filename, old.read(info))
            new.writestr(info.filename, change(old.read(info)) if callable(change) else change)
        for name, content in parts.items():
            if name not in old.namelist() and isinstance(content, bytes):
                new.writestr(name, content)
    return target.getvalue()


def hidden(document: Document) -> dict[str, str]:
    return {fragment.at: fragment.text for fragment in document.fragments if fragment.hidden}


def one(document: Document, at: str) -> Fragment:
    return next(fragment for fragment in document.fragments if fragment.at == at)


def small(made: xlsxwriter.Workbook) -> None:
    made.add_worksheet("S").write_row("A1", ["Item", 7, "x"])


def test_formats_merges_and_what_cannot_be_seen() -> None:
    def fill(made: xlsxwriter.Workbook) -> None:
        sheet, far = made.add_worksheet("S"), made.add_worksheet("Far")
        far.very_hidden()
        far.write("A1", "under the carpet")
        sheet.write_number("A1", 1234.5, made.add_format({"num_format": "#,##0.00"}))
        sheet.write_number("B1", 42, made.add_format({"num_format": ";;;"}))
        sheet.write_string("C1", "psst", made.add_format({"num_format": ";;;"}))
        sheet.write_string("D1", "seen", made.add_format({"num_format": ";;"}))
        sheet.write_number("E1", 0, made.add_format({"num_format": "0;-0;"}))
        sheet.write_number("F1", 5, made.add_format({"num_format": "0;-0;"}))
        sheet.merge_range("A3:B5", "both")
        sheet.write_formula("A7", "=1/0", None, "#DIV/0!")

    document = read("a.xlsx", book(fill))
    assert one(document, "S!A1").format == "#,##0.00"
    assert one(document, "S!A3").merged == (3, 2)
    assert (one(document, "S!A7").text, one(document, "S!A7").formula) == ("#DIV/0!", "1/0")
    assert set(hidden(document)) == {"S!B1", "S!C1", "S!E1", "Far!A1"}
    assert one(document, "S!B1").text == "42"


def test_what_lies_behind_merged_cells_is_hidden() -> None:
    merge = b'</sheetData><mergeCells count="1"><mergeCell ref="A1:B9"/></mergeCells>'
    document = read("a.xlsx", changed(book(small), {SHEET: lambda xml: xml.replace(b"</sheetData>", merge)}))
    assert hidden(document) == {"S!B1": "7"}
    assert one(document, "S!A1").merged == (9, 2)


def test_many_tall_merges_are_too_many() -> None:
    rows = b"".join(b'<row r="%d"><c r="A%d"><v>1</v></c></row>' % (row, row) for row in range(1, 4001))
    tall = b"".join(b'<mergeCell ref="C%d:D9000"/>' % row for row in range(1, 4001))
    sheet = b'<worksheet xmlns="%s"><sheetData>%s</sheetData><mergeCells>%s</mergeCells></worksheet>'
    with pytest.raises(Unreadable, match="merged cells over several rows"):
        read("a.xlsx", changed(book(small), {SHEET: sheet % (MAIN.encode(), rows, tall)}))


def test_columns_that_a_sheet_hides_unless_they_say_otherwise() -> None:
    narrow = b'<sheetFormatPr defaultColWidth="0" defaultRowHeight="15"/><cols><col min="2" max="2" width="9"/></cols>'
    content = changed(book(small), {SHEET: lambda xml: xml.replace(b'<sheetFormatPr defaultRowHeight="15"/>', narrow)})
    assert set(hidden(read("a.xlsx", content))) == {"S!A1", "S!C1"}


def test_white_cells_are_hidden_but_where_a_rule_may_colour_them() -> None:
    def fill(made: xlsxwriter.Workbook) -> None:
        sheet, white = made.add_worksheet("S"), made.add_format({"font_color": "#FFFFFF"})
        for row in range(4):
            sheet.write_row(row, 0, ["a", 1], white)
        sheet.conditional_format("A2:B2", {"type": "no_blanks", "format": made.add_format({"bg_color": "#1F3864"})})
        sheet.add_table("A3:B4", {"columns": [{"header": "a"}, {"header": "b"}]})

    assert set(hidden(read("a.xlsx", book(fill)))) & {f"S!{c}{r}" for c in "AB" for r in range(1, 5)} == {
        "S!A1",
        "S!B1",
    }


def test_files_that_two_programs_read_differently() -> None:
    twice = changed(book(small), {SHEET: lambda xml: xml.replace(b'<c r="B1"', b'<c r="B1"><v>8</v></c><c r="B1"')})
    with pytest.raises(Unreadable, match="cell B1 stands twice"):
        read("a.xlsx", twice)
    both = b'<c r="B1" t="inlineStr"><is><t>text</t></is><v>8</v></c>'
    content = changed(book(small), {SHEET: lambda xml: xml.replace(b'<c r="B1"><v>7</v></c>', both)})
    assert one(read("a.xlsx", content), "S!B1").text == "text"

    def two(made: xlsxwriter.Workbook) -> None:
        made.add_worksheet("S")
        made.add_worksheet("T")

    with pytest.raises(Unreadable, match="two sheets have the same name"):
        read("a.xlsx", changed(book(two), {"xl/workbook.xml": lambda xml: xml.replace(b'name="T"', b'name="s"')}))


def test_texts_are_read_as_their_format_shows_them() -> None:
    def fill(made: xlsxwriter.Workbook) -> None:
        sheet = made.add_worksheet("S")
        sheet.write_string("A1", "due", made.add_format({"num_format": '0;0;0;"paid"'}))
        sheet.write_string("B1", "psst", made.add_format({"num_format": '0;0;0;""'}))
        sheet.write_number("C1", 42, made.add_format({"num_format": '""'}))

    document = read("a.xlsx", book(fill))
    assert one(document, "S!A1").text == "paid"
    assert set(hidden(document)) == {"S!B1", "S!C1"}


def test_rows_that_a_sheet_hides_unless_they_say_otherwise() -> None:
    zero = changed(book(small), {SHEET: lambda xml: xml.replace(b"<sheetFormatPr ", b'<sheetFormatPr zeroHeight="1" ')})
    assert set(hidden(read("a.xlsx", zero))) == {"S!A1", "S!B1", "S!C1"}


def test_what_stands_around_cells() -> None:
    def fill(made: xlsxwriter.Workbook) -> None:
        sheet = made.add_worksheet("S")
        sheet.write_column("A1", ["a", 1, 2, 3])
        sheet.data_validation("B1:B3", {"validate": "list", "source": ["DAP", "FCA"], "input_message": "the terms"})
        sheet.data_validation("C1", {"validate": "list", "source": "=$A$1:$A$4"})
        marked = made.add_format({"bold": True})
        sheet.conditional_format("A2:A4", {"type": "cell", "criteria": ">", "value": 2, "format": marked})
        sheet.conditional_format("A2:A4", {"type": "cell", "criteria": ">", "value": "$A$1", "format": marked})
        sheet.conditional_format("A2:A4", {"type": "formula", "criteria": '=$A2="late"', "format": marked})
        sheet.set_header('&L&"Arial,Bold"&12Draft && secret&RPage &P of &N')
        sheet.set_footer("&L&8&R&P")
        sheet.insert_textbox("D2", "limit is 4711", {"description": "a box"})
        sheet.write_url("A6", "https://firm.example/offer?id=17", string="offer", tip="from Ann")
        chart = made.add_chart({"type": "line"})
        chart.add_series({"values": "=S!$A$2:$A$4", "name": "by hand"})
        chart.set_title({"name": "Units, up 12 %"})
        sheet.insert_chart("F1", chart)
        made.define_name("Limit", "=0.085")

    found = hidden(read("a.xlsx", book(fill)))
    assert found["S!B1:B3.validation"] == "DAP,FCA the terms"
    assert "S!C1.validation" not in found
    assert found["S!A2:A4.conditional"] == "greaterThan 2"
    assert found["S!A2:A4.conditional2"] == '$A2="late"'
    assert found["S.header"] == "Draft & secret Page of"
    assert "S.footer" not in found
    assert {"limit is 4711", "a box"} <= {text for at, text in found.items() if at.startswith("S.drawing")}
    assert {text for at, text in found.items() if at.startswith("S.chart1")} == {"Units, up 12 %", "by hand"}
    assert [text for at, text in found.items() if at.startswith("S.sheet")] == ["from Ann"]
    assert any("offer?id=17" in text for text in found.values())
    assert found["name.Limit"] == "0.085"


def test_the_sweep_finds_text_in_any_part() -> None:
    base = book(small)
    custom = b'<note xmlns="urn:mine" to="Bo, 12 March"><p>pay 4711 <b>now</b> please</p></note>'
    pivot = f'<pivotCacheDefinition xmlns="{MAIN}"><sharedItems><s v="Kestrel"/><n v="98.7"/></sharedItems>'
    thread = (
        b'<ThreadedComments xmlns="x"><threadedComment ref="B1" id="{1}"><text>who said 7?</text></threadedComment>'
    )
    rels = b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    rels += b'<Relationship Id="r1" Type="x/threadedComment" Target="../threads/t1.xml"/></Relationships>'
    content = changed(
        base,
        {
            "customXml/item1.xml": custom,
            "xl/pivotCache/pivotCacheDefinition1.xml": pivot.encode() + b"</pivotCacheDefinition>",
            "xl/threads/t1.xml": thread + b"</ThreadedComments>",
            "xl/worksheets/_rels/sheet1.xml.rels": rels,
            "xl/notes.txt": b"the code is 1234\nand more",
            "xl/broken.xml": b"<a>half of <b>it",
            "xl/media/image1.png": b"\x89PNG text that is none",
            SHEET: lambda xml: xml.replace(b"</worksheet>", b"<!-- left by Ann: 99 --></worksheet>"),
        },
    )
    found = hidden(read("a.xlsx", content))
    texts = set(found.values())
    assert {"Bo, 12 March", "pay 4711", "now", "please", "Kestrel", "98.7", "half of it"} <= texts
    assert {"the code is 1234", "and more", "left by Ann: 99"} <= texts
    assert found["S!B1.thread1"] == "who said 7?"
    assert not any("PNG" in text for text in texts)
    assert {at for at in found if at.startswith("customXml")} == {f"customXml/item1.xml#{n}" for n in range(1, 5)}


def test_a_plain_workbook_has_nothing_hidden() -> None:
    def fill(made: xlsxwriter.Workbook) -> None:
        small(made)
        chart = made.add_chart({"type": "column"})
        chart.add_series({"values": "=S!$B$1", "name": "=S!$A$1"})
        made.get_worksheet_by_name("S").insert_chart("F1", chart)
        made.get_worksheet_by_name("S").repeat_rows(0)
        made.get_worksheet_by_name("S").autofilter("A1:C1")

    assert hidden(read("a.xlsx", book(fill))) == {}
    target = io.BytesIO()
    other = openpyxl.Workbook()
    other.active.append(["a", 1])
    other.save(target)
    assert {at for at in hidden(read("a.xlsx", target.getvalue())) if not at.startswith("property.")} == set()


def test_dates_of_1904_and_the_strict_form() -> None:
    def fill(made: xlsxwriter.Workbook) -> None:
        form = made.add_format({"num_format": "yyyy-mm-dd"})
        made.add_worksheet("S").write_datetime("A1", datetime.datetime(2026, 3, 2), form)

    assert one(read("a.xlsx", book(fill, date_1904=True)), "S!A1").value == "2026-03-02"
    strict = {
        MAIN.encode(): b"http://purl.oclc.org/ooxml/spreadsheetml/main",
        b"http://schemas.openxmlformats.org/officeDocument/2006/relationships": b"http://purl.oclc.org/ooxml/"
        b"officeDocument/relationships",
    }

    def strictly(xml: bytes) -> bytes:
        for usual, other in strict.items():
            xml = xml.replace(usual, other)
        return xml

    names = ("xl/workbook.xml", SHEET, "xl/sharedStrings.xml", "xl/styles.xml", "xl/_rels/workbook.xml.rels")
    document = read("a.xlsx", changed(book(small), dict.fromkeys(names, strictly)))
    assert [fragment.text for fragment in document.fragments if not fragment.hidden] == ["Item", "7", "x"]


@pytest.mark.parametrize("row", ['<row r="{0}" ht="20" customHeight="1"/>', '<row r="{0}"><c r="A{0}" s="0"/></row>'])
def test_a_million_rows_that_are_only_formatted(row: str) -> None:
    rows = "".join(row.format(at) for at in range(1, 250_000))
    last = '<row r="1048576"><c r="C1048576"><v>7</v></c></row>'
    xml = f'<worksheet xmlns="{MAIN}"><sheetData>{rows}{last}</sheetData></worksheet>'.encode()
    content = changed(book(small), {SHEET: xml})
    start = time.process_time()
    assert read("a.xlsx", content).text_at("S!C1048576") == "7"
    assert time.process_time() - start < 5


def test_more_tags_than_memory_has_room_for() -> None:
    xml = f'<worksheet xmlns="{MAIN}"><sheetData/>'.encode() + b"<a/>" * 4_100_000 + b"</worksheet>"
    with pytest.raises(Unreadable) as caught:
        read("a.xlsx", changed(book(small), {SHEET: xml}))
    assert caught.value.reason in ("bomb", "over-limit")


def test_a_merged_cell_that_claims_the_whole_sheet() -> None:
    merges = "".join(f'<mergeCell ref="A{at}:XFD1048576"/>' for at in range(1, 2000))
    xml = f"<mergeCells>{merges}</mergeCells></worksheet>".encode()
    content = changed(book(small), {SHEET: lambda old: old.replace(b"</worksheet>", xml)})
    assert grids(read("a.xlsx", content))


CELLS = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), max_size=30).filter(
        lambda text: not text.startswith("=") and "_x" not in text
    ),
    st.integers(-(10**9), 10**9),
    st.decimals(-(10**6), 10**6, places=2).map(float),
    st.booleans(),
)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(CELLS, min_size=1, max_size=5), min_size=1, max_size=8))
def test_what_other_libraries_write_is_read_back(rows: list[list[object]]) -> None:
    target = io.BytesIO()
    other = openpyxl.Workbook()
    other.active.title = "S"
    for row in rows:
        other.active.append(row)
    other.save(target)
    mine = book(lambda made: [made.add_worksheet("S").write_row(0, 0, [])] and _rows(made, rows))
    for content in (target.getvalue(), mine):
        found = {(f.row, f.column): f for f in read("a.xlsx", content).fragments if f.table == "S"}
        for line, row in enumerate(rows, 1):
            for at, value in enumerate(row, 1):
                fragment = found.get((line, at))
                if value == "":
                    assert fragment is None
                elif isinstance(value, str):
                    assert fragment is not None and fragment.text == value and fragment.value is None
                elif isinstance(value, bool):
                    assert fragment is not None and fragment.value is value
                else:
                    assert fragment is not None and float(str(fragment.value)) == value


def _rows(made: xlsxwriter.Workbook, rows: list[list[object]]) -> None:
    sheet = made.get_worksheet_by_name("S")
    for line, row in enumerate(rows):
        for at, value in enumerate(row):
            write = sheet.write_string if isinstance(value, str) else sheet.write
            write(line, at, value)


@settings(max_examples=40, deadline=None)
@given(
    st.binary(min_size=1, max_size=60),
    st.integers(0, 10**6),
    st.sampled_from(["xl/x.xml", "customXml/i.xml", "xl/n.txt"]),
)
def test_a_damaged_part_that_no_rule_reads(noise: bytes, at: int, name: str) -> None:
    good = b'<a xmlns="urn:x" b="said 12"><c>text</c><!-- note --></a>'
    place = at % (len(good) + 1)
    content = changed(book(small), {name: good[:place] + noise + good[place:]})
    try:
        document = read("a.xlsx", content)
    except Unreadable:
        return
    assert document.text_at("S!B1") == "7"
