from __future__ import annotations

import base64
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workgym.documents import Document, Fragment, read
from workgym.errors import Unreadable


def at(document: Document, place: str) -> Fragment:
    return next(fragment for fragment in document.fragments if fragment.at == place)


def test_xlsx_values_formulas_and_what_is_hidden(xlsx: bytes) -> None:
    document = read("costs.xlsx", xlsx)
    overview = "Cost overview!"
    assert at(document, overview + "A1").text == "Landed cost by supplier"
    price = at(document, overview + "B4")
    assert (price.text, price.value, price.row, price.column, price.table) == ("2.05", "2.05", 4, 2, "Cost overview")
    assert (at(document, overview + "B5").text, at(document, overview + "B5").value) == ("1,234.50", "1234.5")
    assert at(document, overview + "B6").value == 2
    assert (at(document, overview + "C4").text, at(document, overview + "C4").value) == ("8.5%", "0.085")
    assert (at(document, overview + "D4").text, at(document, overview + "D4").value) == ("2026-03-03", "2026-03-03")
    assert (at(document, overview + "E4").text, at(document, overview + "E4").value) == ("07:45", "07:45:00")
    total = at(document, overview + "F4")
    assert (total.text, total.value, total.formula) == ("4.10", "4.1", "B4*2")
    assert at(document, overview + "H3").text == "half bold text"
    assert at(document, overview + "H4").value is True
    assert at(document, overview + "A5").hidden
    assert at(document, overview + "D4").hidden
    assert not at(document, overview + "A4").hidden
    assert at(document, "Secret!A1").hidden
    assert at(document, overview + "B4.comment").text == "see the mail of 2 March"
    assert at(document, "name.Rate").text == "Secret!$A$1"
    assert at(document, "property.title").text == "Costs of Q1"
    assert document.uncached == ()


def test_xlsx_formulas_without_a_cached_value_are_told(plain_xlsx: bytes) -> None:
    document = read("plain.xlsx", plain_xlsx)
    assert len(document.uncached) == 9
    assert document.uncached[0] == "Q!C1"
    assert at(document, "Q!C1").formula == "B1*2"
    assert at(document, "Q!C1").text == ""


def test_docx_paragraphs_tables_margins_and_comments(docx_file: bytes) -> None:
    document = read("policy.docx", docx_file)
    texts = {fragment.at: fragment.text for fragment in document.fragments}
    assert texts["p1"] == "Procurement policy"
    assert at(document, "p1").label == "Heading1"
    assert "p2" not in texts
    assert texts["p3"] == "The limit is 8.5 % of the order, at most USD 2,000."
    assert texts["p4"] == "Line one\nLine two\tand a tab"
    assert (texts["t1r1c1"], texts["t1r1c3"], texts["t1r3c2"]) == ("r1 c1\nr1 c2", "r1 c3", "r3 c2")
    assert "t1r1c2" not in texts
    assert (texts["h1"], texts["f1"]) == ("Halden Instruments", "internal")
    comment = at(document, "c1")
    assert (comment.text, comment.label, comment.hidden) == ("is this final?", "Ann", True)


def test_pdf_lines_and_their_parts(pdf: bytes) -> None:
    document = read("statement.pdf", pdf)
    lines = [fragment for fragment in document.fragments if not fragment.hidden]
    assert [line.at for line in lines] == [f"p1l{number}" for number in range(1, 16)]
    assert lines[0].text.startswith("Statement of account")
    assert lines[1].text.endswith("line of it.")
    assert lines[2].text == "Date  Text  Amount"
    assert lines[3].text == "2026-03-01  Payment 1  13.50"
    assert len(lines[3].edges) == 3
    assert lines[5].text == "2026-03-03  40.50"
    assert lines[5].edges[1][1] == lines[3].edges[2][1] or lines[5].edges[1][0] == lines[3].edges[2][0]
    assert at(document, "property.Title").text == "Statement"


def test_csv_with_its_own_delimiter_and_quotes(csv: bytes) -> None:
    document = read("ledger.csv", csv)
    texts = {fragment.at: fragment.text for fragment in document.fragments}
    assert texts == {
        "r1c1": "id",
        "r1c2": "name",
        "r1c3": "amount",
        "r2c1": "1",
        "r2c2": "Kestrel; Ltd",
        "r2c3": "1.234,50",
        "r3c1": "2",
        "r3c2": "Orbis",
        "r3c3": "7",
        "r4c1": "3",
        "r4c2": 'say "hi"',
    }


@pytest.mark.parametrize(
    ("body", "rows"),
    [
        ("a,b\n1,2\n", 2),
        ("a\tb\n1\t2", 2),
        ("a|b|c\n1|2|3\n", 2),
        ("one\ntwo\n", 2),
        ('a,b\n"x\ny",2\n', 2),
        ("a,b\r1,2\r", 2),
    ],
)
def test_csv_forms(body: str, rows: int) -> None:
    document = read("x.csv", body.encode())
    assert max(fragment.row or 0 for fragment in document.fragments) == rows


def test_text_and_markdown(md: bytes) -> None:
    document = read("note.md", md)
    assert at(document, "l3").text == "Freight is USD 2.05."
    assert (at(document, "l8").table, at(document, "l8").row) == ("l6", 2)
    assert (at(document, "l7").table, at(document, "l7").row) == ("l6", None)
    assert document.text_at("l2") is None
    assert read("a.txt", "grün\r\nx".encode("utf-16")).text_at("l1") == "grün"
    assert read("a.txt", "grün\r\nx".encode("cp1252")).text_at("l1") == "grün"


def test_json_pointers_and_grids(json_file: bytes) -> None:
    document = read("clock.json", json_file)
    assert at(document, "/month").label == "month"
    rate = at(document, "/punches/1/pay/rate")
    assert (rate.text, rate.value, rate.table, rate.row, rate.column) == ("19.5", "19.5", "/punches", 2, 3)
    assert at(document, "/people/E2/name").text == "Bö"
    assert (at(document, "/people/E2/name").table, at(document, "/people/E2/name").row) == ("/people", 2)
    assert at(document, "/closed").value is False
    assert at(document, "/a~1b/1").text == "2.5"
    assert read("x.json", b"[2.50]").text_at("/0") == "2.50"


def test_mail_headers_body_and_attachments(eml: bytes) -> None:
    document = read("mail.eml", eml)
    subject = "Frächt from May – a subject that is long enough to be folded by everybody who writes it"
    assert at(document, "Subject").text == subject
    assert at(document, "Content-Type").hidden
    assert (
        at(document, "l3").text
        == "freight is USD 2.05 per unit – from May on, and all the rest stays as it was before."
    )
    assert at(document, "attachment1").text == "quote é.pdf"


def test_mail_in_html_only_is_read_as_text() -> None:
    head, rows = "<head><style>p{}</style></head>", "<table><tr><td>a</td><td>1</td></tr></table>"
    html = f"<html>{head}<body><p>Dear&nbsp;Ann</p>{rows}</body></html>"
    encoded = base64.b64encode(html.encode()).decode()
    message = f"Subject: x\nContent-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: base64\n\n{encoded}\n"
    document = read("m.eml", message.encode())
    assert [fragment.text for fragment in document.fragments if fragment.at.startswith("l")] == ["Dear Ann", "a  1"]


def test_calendar(ics: bytes) -> None:
    document = read("holidays.ics", ics)
    assert at(document, "e2.SUMMARY").text == "Holiday 2, all day"
    assert at(document, "e2.DESCRIPTION").text.endswith("by whoever writes it down")
    start = at(document, "e3.DTSTART")
    assert (start.text, start.value, start.table, start.row) == ("20260503", "2026-05-03", "events", 3)
    assert at(document, "calendar.X-WR-CALNAME").text == "Holidays"


def test_unknown_formats_are_named() -> None:
    with pytest.raises(Unreadable, match=r"a\.pages: unknown-format"):
        read("a.pages", b"x")


@given(st.binary(max_size=200), st.sampled_from(["xlsx", "docx", "pdf", "csv", "md", "txt", "json", "eml", "ics"]))
def test_garbage_is_refused_in_one_way(content: bytes, suffix: str) -> None:
    try:
        read(f"x.{suffix}", content)
    except Unreadable as error:
        assert error.reason in Unreadable.REASONS


@given(data=st.data())
def test_damaged_files_are_refused_in_one_way(
    data: st.DataObject, xlsx: bytes, docx_file: bytes, pdf: bytes, eml: bytes, ics: bytes, json_file: bytes, csv: bytes
) -> None:
    files = {
        "a.xlsx": xlsx,
        "a.docx": docx_file,
        "a.pdf": pdf,
        "a.eml": eml,
        "a.ics": ics,
        "a.json": json_file,
        "a.csv": csv,
    }
    name = data.draw(st.sampled_from(sorted(files)))
    content = bytearray(files[name])
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    damaged = bytes(content[: data.draw(st.integers(0, len(content)))])
    try:
        read(name, damaged)
    except Unreadable as error:
        assert error.reason in Unreadable.REASONS


def test_twelve_small_carriers_are_read_in_a_blink(
    xlsx: bytes, docx_file: bytes, pdf: bytes, csv: bytes, md: bytes, eml: bytes, json_file: bytes, ics: bytes
) -> None:
    files = [
        ("a.xlsx", xlsx),
        ("b.xlsx", xlsx),
        ("a.docx", docx_file),
        ("b.docx", docx_file),
        ("a.pdf", pdf),
        ("a.csv", csv),
        ("b.csv", csv),
        ("a.md", md),
        ("a.eml", eml),
        ("b.eml", eml),
        ("a.json", json_file),
        ("a.ics", ics),
    ]

    def all_of_them(reader: Callable[[str, bytes], Document]) -> float:
        start = time.process_time()
        for name, content in files:
            reader(name, content)
        return time.process_time() - start

    all_of_them(read)
    assert min(all_of_them(read) for _ in range(5)) < 0.06
