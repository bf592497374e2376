from __future__ import annotations

import io
import zipfile

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workgym.documents import Document, TextEdit, differences, edit, read, recalculate
from workgym.errors import EditRefused

WORDS = st.text(alphabet="abcXYZ 0123456789.,%&<>\"'äß–;:\\/|=?-", min_size=1, max_size=90).map(str.strip).filter(bool)


def set_text(at: str, expected: str, replacement: str, value: object = None) -> TextEdit:
    return TextEdit.model_validate({"at": at, "expected": expected, "replacement": replacement, "value": value})


def clear(at: str, expected: str) -> TextEdit:
    return TextEdit(at=at, expected=expected, replacement=None, mode="clear")


def remove_row(at: str, expected: str) -> TextEdit:
    return TextEdit(at=at, expected=expected, replacement=None, mode="remove_row")


def texts(document: Document) -> dict[str, str]:
    return {fragment.at: fragment.text for fragment in document.fragments}


def parts(content: bytes) -> dict[str, tuple[bytes, tuple[int, ...]]]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {info.filename: (archive.read(info), info.date_time) for info in archive.infolist()}


def changed_parts(before: bytes, after: bytes) -> list[str]:
    old, new = parts(before), parts(after)
    assert list(old) == list(new)
    return [name for name in old if old[name] != new[name]]


def check_only_there(name: str, content: bytes, made: bytes, at: str, wanted: str | None) -> None:
    before, after = texts(read(name, content)), texts(read(name, made))
    assert after.get(at) == wanted
    before.pop(at, None)
    after.pop(at, None)
    assert before == after


@given(data=st.data())
def test_an_edit_changes_exactly_its_place(
    data: st.DataObject,
    xlsx: bytes,
    plain_xlsx: bytes,
    docx_file: bytes,
    csv: bytes,
    md: bytes,
    json_file: bytes,
    eml: bytes,
    plain_eml: bytes,
    ics: bytes,
) -> None:
    files = {
        "a.xlsx": xlsx,
        "b.xlsx": plain_xlsx,
        "a.docx": docx_file,
        "a.csv": csv,
        "a.md": md,
        "a.txt": md,
        "a.json": json_file,
        "a.eml": eml,
        "b.eml": plain_eml,
        "a.ics": ics,
    }
    name = data.draw(st.sampled_from(sorted(files)))
    content = files[name]
    places = [
        fragment
        for fragment in read(name, content).fragments
        if fragment.value is None
        and fragment.formula is None
        and not fragment.hidden
        and fragment.label != "attachment"
    ]
    fragment = data.draw(st.sampled_from(places))
    start = data.draw(st.integers(0, len(fragment.text)))
    end = data.draw(st.integers(start, len(fragment.text)))
    new = data.draw(WORDS)
    part = fragment.text[start:end]
    whole = data.draw(st.booleans()) or any(mark in part for mark in "\n\t")
    if whole:
        start, end = 0, len(fragment.text)
    wanted = fragment.text[:start] + new + fragment.text[end:]
    edited = set_text(fragment.at if whole else f"{fragment.at}[{start}:{end}]", fragment.text[start:end], new)
    try:
        made = edit(name, content, [edited])
    except EditRefused as error:
        refused = "7-bit" in str(error) or "end of a paragraph" in str(error) or "charset" in str(error)
        assert refused, error
        return
    if fragment.at in ("From", "To", "Subject", "Date"):
        wanted = wanted.lstrip()
    if name == "a.md" and (fragment.table is not None or "|" in new or "-" in new):
        assert read(name, made).text_at(fragment.at) == wanted
        return
    check_only_there(name, content, made, fragment.at, wanted)
    if name.endswith(("xlsx", "docx")):
        assert len(changed_parts(content, made)) <= 1
    assert edit(name, content, [edited]) == made
    back = set_text(fragment.at, wanted, fragment.text)
    if not any(mark in fragment.text for mark in "\n\t"):
        check_only_there(name, content, edit(name, made, [back]), fragment.at, fragment.text)


@pytest.mark.parametrize(
    ("at", "expected", "new", "value", "text"),
    [
        ("Cost overview!B4", "2.05", "2.17", "2.17", "2.17"),
        ("Cost overview!B4", "2.05", "1,250.5", None, "1,250.50"),
        ("Cost overview!C4", "8.5%", "9 %", None, "9.0%"),
        ("Cost overview!D4", "2026-03-03", "2026-04-01", None, "2026-04-01"),
        ("Cost overview!D4", "2026-03-03", "x", "2026-04-01", "2026-04-01"),
        ("Cost overview!E4", "07:45", "08:30", None, "08:30"),
        ("Cost overview!F4", "4.10", "5.00", 5, "5.00"),
        ("Cost overview!A4", "Kestrel", "007", None, "007"),
        ("Cost overview!A4", "Kestrel", "7", 7, "7"),
        ("Cost overview!H4", "TRUE", "FALSE", False, "FALSE"),
        ("Cost overview!B12", "", "12.5", None, "12.5"),
        ("Cost overview!C2", "", "a & b", None, "a & b"),
        ("Cost overview!G4", "", "between", None, "between"),
    ],
)
def test_cells(xlsx: bytes, at: str, expected: str, new: str, value: object, text: str) -> None:
    made = edit("a.xlsx", xlsx, [set_text(at, expected, new, value)])
    check_only_there("a.xlsx", xlsx, made, at, text)
    assert changed_parts(xlsx, made) == ["xl/worksheets/sheet1.xml"]
    fragment = next(fragment for fragment in read("a.xlsx", made).fragments if fragment.at == at)
    assert fragment.formula is None


def test_an_emptied_cell_can_be_filled_again(xlsx: bytes) -> None:
    at = "Cost overview!B4"
    emptied = edit("a.xlsx", xlsx, [clear(at, "2.05")])
    check_only_there("a.xlsx", xlsx, emptied, at, None)
    assert edit("a.xlsx", emptied, [set_text(at, "", "2.05")]) == xlsx or read(
        "a.xlsx", edit("a.xlsx", emptied, [set_text(at, "", "2.05")])
    ) == read("a.xlsx", xlsx)


def test_a_number_stays_a_number(xlsx: bytes) -> None:
    with pytest.raises(EditRefused, match="holds a number"):
        edit("a.xlsx", xlsx, [set_text("Cost overview!B4", "2.05", "two")])


def test_several_edits_refer_to_the_file_as_given(xlsx: bytes) -> None:
    edits = [
        set_text("Cost overview!A5", "Orbis & Co", "Orbis"),
        set_text("Cost overview!B4", "2.05", "3"),
        set_text("Secret!A1", "42", "43"),
    ]
    made = texts(read("a.xlsx", edit("a.xlsx", xlsx, edits)))
    assert (made["Cost overview!A5"], made["Cost overview!B4"], made["Secret!A1"]) == ("Orbis", "3.00", "43")


def test_a_removed_row_moves_what_is_below_and_formulas_follow(plain_xlsx: bytes) -> None:
    made = edit("b.xlsx", plain_xlsx, [remove_row("Q!A2", "item 2")])
    document = read("b.xlsx", made)
    found = texts(document)
    formulas = {fragment.at: fragment.formula for fragment in document.fragments if fragment.formula}
    assert [found[f"Q!A{row}"] for row in range(1, 5)] == ["item 1", "item 3", "item 4", "item 5"]
    assert formulas["Q!C2"] == "B2*2"
    assert formulas["Q!B5"] == "SUM(B1:B4)"
    assert formulas["Other!A1"] == "SUM(Q!B2:B3)+Q!B4"
    assert formulas["Other!A2"] == "#REF!"
    assert texts(read("b.xlsx", recalculate(made)))["Q!B5"] == "130"


def test_rows_with_notes_and_charts_are_removed_too(xlsx: bytes) -> None:
    made = edit("a.xlsx", xlsx, [remove_row("Cost overview!A4", "Kestrel")])
    assert sorted(changed_parts(xlsx, made)) == [
        "xl/charts/chart1.xml",
        "xl/comments1.xml",
        "xl/drawings/vmlDrawing1.vml",
        "xl/worksheets/sheet1.xml",
    ]
    found = texts(read("a.xlsx", made))
    assert (found["Cost overview!A4"], found["Cost overview!A6"]) == ("Orbis & Co", "Prices are net of freight.")
    assert "Cost overview!B4.comment" not in found


def test_docx_keeps_the_formatting_of_runs(docx_file: bytes) -> None:
    made = edit("a.docx", docx_file, [set_text("p3[13:18]", "8.5 %", "9 %")])
    check_only_there("a.docx", docx_file, made, "p3", "The limit is 9 % of the order, at most USD 2,000.")
    assert changed_parts(docx_file, made) == ["word/document.xml"]
    xml = parts(made)["word/document.xml"][0].decode()
    assert "<w:b/></w:rPr><w:t>9 %</w:t>" in xml


def test_docx_cells_margins_and_rows(docx_file: bytes) -> None:
    edits = [
        set_text("t1r3c2", "r3 c2", "new"),
        set_text("h1", "Halden Instruments", "Orbis"),
        clear("t1r2c1", "r2 c1"),
    ]
    made = edit("a.docx", docx_file, edits)
    found = texts(read("a.docx", made))
    assert (found["t1r3c2"], found["h1"], "t1r2c1" in found) == ("new", "Orbis", False)
    assert texts(read("a.docx", edit("a.docx", made, [set_text("t1r2c1", "", "back")])))["t1r2c1"] == "back"
    shorter = texts(read("a.docx", edit("a.docx", docx_file, [remove_row("t1r2c1", "r2 c1")])))
    assert (shorter["t1r2c1"], "t1r3c1" in shorter) == ("r3 c1", False)
    without = texts(
        read("a.docx", edit("a.docx", docx_file, [remove_row("p3", texts(read("a.docx", docx_file))["p3"])]))
    )
    assert without["p3"].startswith("Line one")
    filled = texts(read("a.docx", edit("a.docx", docx_file, [set_text("p2", "", "was empty")])))
    assert filled["p2"] == "was empty"


def test_rows_of_text_formats(csv: bytes, md: bytes, json_file: bytes, ics: bytes, plain_eml: bytes) -> None:
    assert edit("a.csv", csv, [remove_row("r3c2", "Orbis")]) == csv.replace(b"2;Orbis;7\r\n", b"")
    assert edit("a.md", md, [remove_row("l8", "| a | 1.50 |")]) == md.replace(b"| a | 1.50 |\n", b"")
    for pointer, kept in (("/punches/0/in", [2, 3]), ("/punches/1/id", [1, 3]), ("/punches/2/pay/rate", [1, 2])):
        found = read(
            "a.json", edit("a.json", json_file, [remove_row(pointer, texts(read("a.json", json_file))[pointer])])
        )
        assert [fragment.value for fragment in found.fragments if fragment.label == "id"] == kept
    people = read("a.json", edit("a.json", json_file, [remove_row("/people/E1/name", "Ann")]))
    assert people.text_at("/people/E1/name") is None
    events = texts(read("a.ics", edit("a.ics", ics, [remove_row("e2.SUMMARY", "Holiday 2, all day")])))
    assert (events["e2.SUMMARY"], "e3.SUMMARY" in events) == ("Holiday 3, all day", False)
    assert edit("a.eml", plain_eml, [remove_row("l3", "freight is USD 2.05 per unit.")]) == plain_eml.replace(
        b"freight is USD 2.05 per unit.\n", b""
    )


def test_clearing_in_text_formats(csv: bytes, json_file: bytes, ics: bytes, plain_eml: bytes) -> None:
    assert edit("a.csv", csv, [clear("r2c3", "1.234,50")]) == csv.replace(b"1.234,50", b"")
    assert edit("a.json", json_file, [clear("/punches/0/in", "07:45")]) == json_file.replace(b'"07:45"', b"null", 1)
    assert edit("a.ics", ics, [clear("e1.SUMMARY", "Holiday 1, all day")]) == ics.replace(
        b"SUMMARY:Holiday 1\\, all day\r\n", b""
    )
    assert edit("a.eml", plain_eml, [clear("l3[11:19]", "USD 2.05")]) == plain_eml.replace(b"USD 2.05", b"")


def test_json_keeps_its_layout_and_types(json_file: bytes) -> None:
    assert edit("a.json", json_file, [set_text("/punches/1/pay/rate", "19.5", "20.50")]) == (
        b"19.5".join(json_file.split(b"19.5")[:2])
        + b"20.50"
        + json_file.split(b"19.5")[2]
        + b"19.5"
        + json_file.split(b"19.5")[3]
    )
    assert edit("a.json", json_file, [set_text("/closed", "false", "true")]) == json_file.replace(b"false", b"true")
    assert b'"month": "2027"' in edit("a.json", json_file, [set_text("/month", "2026-03", "2027")])


def test_csv_keeps_delimiter_quotes_and_line_ends(csv: bytes) -> None:
    assert edit("a.csv", csv, [set_text("r2c2", "Kestrel; Ltd", "Kestrel")]) == csv.replace(b"Kestrel; Ltd", b"Kestrel")
    assert edit("a.csv", csv, [set_text("r3c2", "Orbis", "a;b")]) == csv.replace(b"Orbis", b'"a;b"')


def test_what_is_refused(xlsx: bytes, pdf: bytes, csv: bytes, plain_eml: bytes) -> None:
    with pytest.raises(EditRefused, match="render it again from its source"):
        edit("a.pdf", pdf, [set_text("p1l1", "x", "y")])
    with pytest.raises(EditRefused, match=r"a\.csv r3c2 says 'Orbis', not 'Other'"):
        edit("a.csv", csv, [set_text("r3c2", "Other", "x")])
    with pytest.raises(EditRefused, match="no place r9c9"):
        edit("a.csv", csv, [set_text("r9c9", "", "x")])
    with pytest.raises(EditRefused, match="no cell"):
        edit("a.xlsx", xlsx, [set_text("Nowhere!A1", "", "x")])
    with pytest.raises(EditRefused, match="two edits"):
        edit("a.csv", csv, [set_text("r3c2", "Orbis", "x"), set_text("r3c2", "Orbis", "y")])
    with pytest.raises(EditRefused, match="7-bit"):
        edit("a.eml", plain_eml, [set_text("l1", "Dear Ann,", "Dear Änn,")])
    with pytest.raises(EditRefused, match="mode 'set'"):
        edit("a.csv", csv, [TextEdit(at="r3c2", expected="Orbis", replacement="x", mode="clear")])


def test_no_edits_are_the_same_bytes(pdf: bytes, xlsx: bytes) -> None:
    assert edit("a.xlsx", xlsx, []) == xlsx


def test_differences_lead_from_one_file_to_the_other(xlsx: bytes, csv: bytes, docx_file: bytes) -> None:
    changes = {
        "a.xlsx": (
            xlsx,
            [
                set_text("Cost overview!B4", "2.05", "2.17", "2.17"),
                clear("Cost overview!A5", "Orbis & Co"),
                set_text("Cost overview!G9", "", "new"),
            ],
        ),
        "a.csv": (csv, [set_text("r3c2", "Orbis", "Tarn"), clear("r2c3", "1.234,50"), set_text("r4c3", "", "9")]),
        "a.docx": (docx_file, [set_text("t1r3c2", "r3 c2", "x"), clear("t1r2c1", "r2 c1"), set_text("p2", "", "y")]),
    }
    for name, (content, edits) in changes.items():
        wanted = read(name, edit(name, content, edits))
        there = differences(read(name, content), wanted)
        assert len(there) == 3
        assert read(name, edit(name, content, there)) == wanted
        back = differences(wanted, read(name, content))
        assert texts(read(name, edit(name, edit(name, content, edits), back))) == texts(read(name, content))


def one_cell(value: object, code: str) -> bytes:
    made = openpyxl.Workbook()
    made.active["A1"] = value
    made.active["A1"].number_format = code
    target = io.BytesIO()
    made.save(target)
    return target.getvalue()


@pytest.mark.parametrize(
    ("day", "text"),
    [
        ("1900-01-15", "1900-01-15"),
        ("1900-02-28", "1900-02-28"),
        ("1900-03-01", "1900-03-01"),
        ("2026-03-02", "2026-03-02"),
        ("1899-12-31", "as it is"),
    ],
)
def test_a_date_reads_back_as_it_was_given(day: str, text: str) -> None:
    edits = [set_text("Sheet!A1", "2009-07-06", "as it is", day)]
    found = read("a.xlsx", edit("a.xlsx", one_cell(40000, "yyyy-mm-dd"), edits))
    assert found.text_at("Sheet!A1") == text


@pytest.mark.parametrize(
    ("value", "code", "old", "new"), [(1500, "0.0,", "1.5", "2.5"), ("due", '"not "@', "not due", "not paid")]
)
def test_what_a_format_would_show_otherwise_is_refused(value: object, code: str, old: str, new: str) -> None:
    content = one_cell(value, code)
    assert read("a.xlsx", content).text_at("Sheet!A1") == old
    with pytest.raises(EditRefused, match="its number format"):
        edit("a.xlsx", content, [set_text("Sheet!A1", old, new)])


def test_what_is_noted_at_the_end_of_a_container_stays() -> None:
    target = io.BytesIO(one_cell(5, "0"))
    with zipfile.ZipFile(target, "a") as archive:
        archive.comment = b"lot 47"
    made = edit("a.xlsx", target.getvalue(), [set_text("Sheet!A1", "5", "6")])
    check_only_there("a.xlsx", target.getvalue(), made, "Sheet!A1", "6")
    assert read("a.xlsx", made).text_at("container#1") == "lot 47"
