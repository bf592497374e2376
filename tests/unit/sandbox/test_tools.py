"""The packs of the shelf, called in a guest."""

from __future__ import annotations

import datetime
import io
from collections.abc import Iterator
from pathlib import Path

import docx
import openpyxl
import pytest
from openpyxl.comments import Comment
from reportlab.pdfgen.canvas import Canvas

from workgym.records import ToolResult
from workgym.sandbox import Limits, Sandbox, create
from workgym.testing.sandbox_kit import PACKS, say


def workbook() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Demand"
    sheet.append(["Part", "Qty", "Price", "Date", "Total"])
    for number in range(1, 6):
        day = datetime.date(2026, 1, number)
        sheet.append([f"P-{number}", number * 10, 1.5 * number, day, f"=B{number + 1}*C{number + 1}"])
    sheet["A2"].comment = Comment("check this", "Ann")
    hidden = book.create_sheet("Old")
    hidden["B2"] = "x"
    hidden.sheet_state = "hidden"
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def document() -> bytes:
    made = docx.Document()
    made.add_heading("Agreement", 0)
    made.add_heading("Scope", 1)
    paragraph = made.add_paragraph("Overtime is paid at 1.5.")
    made.add_paragraph("one", style="List Bullet")
    table = made.add_table(2, 2)
    table.cell(0, 0).text, table.cell(0, 1).text = "a", "b"
    table.cell(1, 0).merge(table.cell(1, 1)).text = "merged"
    made.sections[0].header.paragraphs[0].text = "Page head"
    made.add_comment(paragraph.runs, text="really?", author="Bob", initials="B")
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def pages() -> bytes:
    out = io.BytesIO()
    canvas = Canvas(out)
    for number in range(1, 4):
        canvas.drawString(72, 700, f"Statement page {number}")
        canvas.showPage()
    canvas.save()
    return out.getvalue()


MAIL = (
    b"From: Ann <ann@example.com>\r\nTo: bob@firm.example\r\nSubject: =?utf-8?q?Korrektur_f=C3=BCr?=\r\n"
    b"Date: Mon, 5 Jan 2026 10:00:00 +0100\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n"
    b"--x\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<style>p{}</style><p>Hello <b>Bob</b></p>\r\n"
    b"--x\r\nContent-Type: text/csv\r\nContent-Disposition: attachment; filename=a.csv\r\n\r\nx,y\r\n1,2\r\n--x--\r\n"
)
CALENDAR = (
    b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTAMP:20260101T000000Z\r\n"
    b"DTSTART;VALUE=DATE:20260106\r\nSUMMARY:Epiphany\\, holiday\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with create("bubblewrap", Limits(output_chars=2000)) as made:
        files = {"d.xlsx": workbook(), "w.docx": document(), "s.pdf": pages(), "in/m.eml": MAIL, "c.ics": CALENDAR}
        files |= {"bad.xlsx": b"no zip", "l.csv": "a;ü\n".encode("cp1252"), "a.txt": b"one\ntwo\nthree\n"}
        made.open(files, PACKS)
        yield made


def test_workbooks(sandbox: Sandbox) -> None:
    outline = say(sandbox, "workbook_outline", path="d.xlsx").text
    assert "Demand: A1:E6 (6 rows, 5 columns)" in outline and "Old: B2:B2" in outline and "hidden" in outline
    assert "formulas: 5" in outline and "comment at A2: check this" in outline
    grid = say(sandbox, "read_workbook", path="d.xlsx").text
    assert grid.startswith("\tA\tB\tC\tD\tE\n1\tPart\tQty\tPrice\tDate\tTotal\n2\tP-1\t10\t1.5\t2026-01-01\t=B2*C2\n")
    assert "5 formula(s) in this range carry no stored value" in grid and "the others: Old" in grid
    assert (
        say(sandbox, "read_workbook", path="d.xlsx", sheet="demand", range="A2:B3").text
        == "\tA\tB\n2\tP-1\t10\n3\tP-2\t20"
    )
    for arguments, words in (
        ({"sheet": "nope"}, "The sheets are: Demand, Old"),
        ({"range": "Z1:Z4"}, "uses A1:E6"),
        ({"range": "?"}, "Write it as B2:F40"),
        ({"path": "bad.xlsx"}, "damaged"),
        ({"path": "s.pdf"}, "Use read_pdf"),
    ):
        result = say(sandbox, "read_workbook", **{"path": "d.xlsx", **arguments})
        assert result.is_error and words in result.text


def test_long_sheets_come_in_parts(sandbox: Sandbox) -> None:
    book = openpyxl.Workbook()
    assert book.active is not None
    for number in range(1, 1001):
        book.active.append([number, f"row {number}"])
    out = io.BytesIO()
    book.save(out)
    sandbox.put("long.xlsx", out.getvalue())
    rows, following = [], "A1:B1000"
    while following:
        text = say(sandbox, "read_workbook", path="long.xlsx", range=following).text
        rows += [line.split("\t")[1] for line in text.splitlines()[1:] if line[0].isdigit()]
        _, found, rest = text.partition("go on with range=")
        following = rest.rstrip("]") if found else ""
    assert rows == [str(number) for number in range(1, 1001)]
    sandbox.put("long.xlsx", None)


def test_documents(sandbox: Sandbox) -> None:
    assert say(sandbox, "read_document", path="w.docx").text == (
        "[header] Page head\n# Agreement\n## Scope\nOvertime is paid at 1.5.\n- one\n"
        "[table 1]\na\tb\nmerged\n[end of table 1]\n[comment by Bob] really?"
    )
    assert say(sandbox, "read_document", path="w.docx", offset=9).text.startswith("[end of table 1]")


def test_pdf(sandbox: Sandbox) -> None:
    assert "[page 2 of 3]\nStatement page 2" in say(sandbox, "read_pdf", path="s.pdf").text
    assert say(sandbox, "read_pdf", path="s.pdf", pages="3").text == "[page 3 of 3]\nStatement page 3"
    assert "has 3 page(s)" in say(sandbox, "read_pdf", path="s.pdf", pages="9").text


def test_mail_and_calendar(sandbox: Sandbox) -> None:
    mail = say(sandbox, "read_mail", path="in/m.eml").text
    assert "Subject: Korrektur für\n" in mail and "Hello Bob" in mail and "p{}" not in mail
    assert "[attachment a.csv, text/csv]\nx,y\n1,2" in mail
    calendar = say(sandbox, "read_calendar", path="c.ics").text
    assert calendar == "[event 1 of 1]\nSummary: Epiphany, holiday\nDtstart: 2026-01-06\nUid: 1"


def test_files(sandbox: Sandbox) -> None:
    assert say(sandbox, "read_file", path="l.csv").text == "a;ü\n[not UTF-8: read as Windows-1252]"
    assert (
        say(sandbox, "read_file", path="a.txt", offset=2, limit=1).text
        == "two\n[lines 2 to 2 of 3; go on with offset=3]"
    )
    assert say(sandbox, "read_file", path="a.txt", numbered=True).text == "1\tone\n2\ttwo\n3\tthree"
    assert say(sandbox, "read_file", path="a.txt", offset=9).is_error
    assert "Use read_document" in say(sandbox, "read_file", path="w.docx").text
    assert say(sandbox, "list_files", path="in").text == "in/m.eml"
    assert say(sandbox, "glob", pattern="**/*.eml").text == "in/m.eml"
    assert say(sandbox, "glob", pattern="../*").is_error
    assert say(sandbox, "grep", pattern="^T", path="a.txt", ignore_case=True).text == "a.txt:2: two\na.txt:3: three"
    found = say(sandbox, "grep", pattern="Epiphany").text
    assert found.startswith("c.ics:") and "not searched" in found and "w.docx" in found


def test_writing_and_editing(sandbox: Sandbox) -> None:
    assert (
        say(sandbox, "write_file", path="x/y.md", content="a\nb\na\n").text == "Wrote x/y.md (3 lines, 6 characters)."
    )
    assert say(sandbox, "write_file", path="x/y.md", content="a\nb\na").text.startswith("Replaced x/y.md (3 lines")
    twice = say(sandbox, "edit_file", path="x/y.md", old="a", new="c")
    assert twice.is_error and "2 times" in twice.text and "Nothing was changed" in twice.text
    assert say(sandbox, "edit_file", path="x/y.md", old="a", new="c", replace_all=True) == ToolResult(
        text="Edited x/y.md: 2 replacement(s)."
    )
    assert sandbox.collect()["x/y.md"] == b"c\nb\nc"
    assert say(sandbox, "write_file", path="x", content="").is_error
    assert say(sandbox, "edit_file", path="w.docx", old="a", new="b").is_error


def test_hostile_files(sandbox: Sandbox) -> None:
    say(sandbox, "bash", command="mkfifo pipe.txt; ln -s /etc/passwd out.txt; mkfifo p.xlsx")
    assert "no regular file" in say(sandbox, "read_file", path="pipe.txt").text
    assert "outside the workspace" in say(sandbox, "read_file", path="out.txt").text
    assert say(sandbox, "write_file", path="out.txt", content="x").is_error
    assert say(sandbox, "read_workbook", path="p.xlsx").is_error
    say(sandbox, "bash", command="rm pipe.txt out.txt p.xlsx")


def test_bad_pack_is_an_error_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "tools" / "broken"
    folder.mkdir(parents=True)
    tool = "{name: NAME, description: d, input_schema: {type: object, properties: {}}}"
    listed = "".join(f"  - {tool.replace('NAME', name)}\n" for name in ("raises", "missing"))
    (folder / "pack.yaml").write_text(f"name: broken\nversion: '1'\nside: guest\ndescription: d\ntools:\n{listed}")
    (folder / "pack.py").write_text("def raises(guest):\n    return 1 / 0\n")
    monkeypatch.setenv("WORKGYM_PATH", str(tmp_path))
    with create("bubblewrap") as made:
        made.open({}, ("broken", "files"))
        assert say(made, "raises").text == "raises failed: ZeroDivisionError: division by zero"
        assert "cannot be loaded" in say(made, "missing").text
        assert not say(made, "list_files").is_error


def test_modules_of_a_pack_import_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, word in (("one-word", "one"), ("two", "two")):
        folder = tmp_path / "tools" / name
        folder.mkdir(parents=True)
        tool = f"{{name: {word}, description: d, module: saying.py, input_schema: {{type: object, properties: {{}}}}}}"
        (folder / "pack.yaml").write_text(
            f"name: {name}\nversion: '1'\nside: guest\ndescription: d\ntools:\n  - {tool}\n"
        )
        (folder / "saying.py").write_text(f"from .words import WORD\n\ndef {word}(guest):\n    return WORD\n")
        (folder / "words.py").write_text(f"WORD = '{word}'\n")
    (folder / "pack.py").write_text("raise RuntimeError('nobody asked for this')\n")
    monkeypatch.setenv("WORKGYM_PATH", str(tmp_path))
    with create("bubblewrap") as made:
        made.open({}, ("one-word", "two"))
        assert (say(made, "one").text, say(made, "two").text) == ("one", "two")
