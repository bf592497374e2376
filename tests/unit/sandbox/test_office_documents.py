"""Documents, presentations and PDF files made, edited, searched and shown by the tools of the office pack."""

from __future__ import annotations

import io
import shutil
import zipfile
from collections.abc import Iterator
from typing import Any

import docx
import openpyxl
import pptx
import pytest
from PIL import Image
from reportlab.lib import colors
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table, TableStyle

from workgym.records import ToolResult
from workgym.sandbox import Limits, Sandbox, create
from workgym.testing.sandbox_kit import PACKS, say

BLOCKS = [
    {"kind": "heading", "text": "Offer", "level": 0},
    {"kind": "heading", "text": "Terms"},
    {"kind": "paragraph", "text": "We **sell** boxes."},
    {"kind": "bullets", "items": ["fast", "sound"]},
    {"kind": "numbers", "items": ["first", "second"]},
    {"kind": "numbers", "items": ["again"]},
    {"kind": "table", "rows": [["Item", "EUR"], ["Box", 12.5], ["Bag", None]]},
]
TEXT = (
    "# Offer\n## Terms\nWe sell boxes.\n- fast\n- sound\n- first\n- second\n- again\n"
    "[table 1]\nItem\tEUR\nBox\t12.5\nBag\t\n[end of table 1]"
)
SLIDES: list[dict[str, Any]] = [
    {"title": "Deck", "subtitle": "of Ann"},
    {"title": "Points", "bullets": ["one", "  below", "two"], "notes": "say this"},
    {"title": "Prices", "table": [["Item", "EUR"], ["Box", 12.5]]},
    {
        "title": "Growth",
        "chart": {"kind": "column", "categories": ["a", "b"], "series": [{"name": "s", "values": [1, 2]}]},
    },
    {"title": "Look", "picture": "p.png"},
]


def statement() -> bytes:
    """A PDF file with text around a table without lines, in which every line is aligned by columns."""
    rows = [["Date", "Text", "Debit", "Credit"]]
    rows += [[f"2026-01-0{day}", f"Payment of invoice {day}", f"{day}0.50", ""] for day in range(1, 5)]
    rows += [["2026-01-05", "Transfer", "", "99.00"]]
    table = Table(rows, colWidths=[80, 200, 70, 70])
    table.setStyle(TableStyle([("ALIGN", (2, 0), (3, -1), "RIGHT"), ("TEXTCOLOR", (0, 0), (-1, -1), colors.black)]))
    out = io.BytesIO()
    body = getSampleStyleSheet()["BodyText"]
    words = Paragraph("This statement shows all payments of the month and is valid without a signature. " * 4, body)
    SimpleDocTemplate(out).build([words, table, words])
    return out.getvalue()


def split_runs() -> bytes:
    """A document whose text stands in several runs, with a form to fill in and a header."""
    made = docx.Document()
    paragraph = made.add_paragraph("Valid ")
    paragraph.add_run("until Ma").bold = True
    paragraph.add_run("rch 31")
    made.sections[0].header.paragraphs[0].text = "Draft of March 31"
    made.add_paragraph("a\tb")
    table = made.add_table(2, 2)
    table.cell(0, 0).text, table.cell(1, 0).text = "Name", "Date"
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    picture = io.BytesIO()
    Image.new("RGB", (30, 20), "red").save(picture, "PNG")
    book = openpyxl.Workbook()
    assert book.active is not None
    book.active["B7"] = "boxes of cardboard"
    held = io.BytesIO()
    book.save(held)
    files = {"p.png": picture.getvalue(), "s.pdf": statement(), "in/b.xlsx": held.getvalue(), "r.docx": split_runs()}
    with create("bubblewrap", Limits(output_chars=4000)) as made:
        made.open(files | {"in/bad.docx": b"x", "in/n.md": b"many BOXES\n"}, PACKS)
        assert not say(made, "create_document", path="o.docx", blocks=BLOCKS).is_error
        assert not say(made, "create_presentation", path="d.pptx", slides=SLIDES).is_error
        yield made


def done(result: ToolResult) -> str:
    assert not result.is_error, result.text
    return result.text


def words(sandbox: Sandbox, path: str) -> str:
    return done(say(sandbox, "read_document", path=path))


def test_documents_are_made(sandbox: Sandbox) -> None:
    assert words(sandbox, "o.docx") == TEXT
    first = sandbox.collect()["o.docx"]
    document = docx.Document(io.BytesIO(first))
    assert [run.bold for run in document.paragraphs[2].runs] == [None, True, None]
    numbers = document.element.xpath("//w:p[w:pPr/w:pStyle/@w:val='ListNumber']/w:pPr/w:numPr/w:numId/@w:val")
    assert numbers[0] == numbers[1] != numbers[2]
    there = say(sandbox, "create_document", path="o.docx", blocks=BLOCKS)
    assert there.is_error and "Set overwrite to true" in there.text and "add_to_document" in there.text
    done(say(sandbox, "create_document", path="o.docx", blocks=BLOCKS, overwrite=True))
    assert sandbox.collect()["o.docx"] == first
    wrong = say(sandbox, "create_document", path="x.docx", blocks=[{"kind": "bullets"}])
    assert wrong.is_error and '{"kind": "bullets", "items": ["one", "two"]}' in wrong.text


def test_documents_are_added_to(sandbox: Sandbox) -> None:
    done(say(sandbox, "create_document", path="a.docx", blocks=BLOCKS))
    added = [{"kind": "paragraph", "text": "New."}, {"kind": "table", "rows": [["x", "y"]], "header": False}]
    done(say(sandbox, "add_to_document", path="a.docx", after="Terms", blocks=added))
    done(say(sandbox, "add_to_document", path="a.docx", after="table 2", blocks=[{"kind": "heading", "text": "End"}]))
    text = words(sandbox, "a.docx")
    assert "## Terms\nNew.\n[table 1]\nx\ty\n[end of table 1]\nWe sell" in text and text.endswith("table 2]\n## End")
    for after, hint in (
        ("Trms", "The nearest is 'Terms'"),
        ("table 9", "has 2 table(s)"),
        ("s", "Give more of its text"),
    ):
        wrong = say(sandbox, "add_to_document", path="a.docx", after=after, blocks=added)
        assert wrong.is_error and hint in wrong.text


def test_texts_are_replaced_in_their_runs(sandbox: Sandbox) -> None:
    before = sandbox.collect()["r.docx"]
    twice = say(sandbox, "replace_text", path="r.docx", old="March 31", new="April 2")
    assert twice.is_error and "2 times ('Valid until March 31'; 'Draft of March 31')" in twice.text
    assert "Replaced 2" in done(
        say(sandbox, "replace_text", path="r.docx", old="March 31", new="May 5", replace_all=True)
    )
    after = sandbox.collect()["r.docx"]
    runs = docx.Document(io.BytesIO(after)).paragraphs[0].runs
    assert [(run.text, run.bold) for run in runs] == [("Valid ", None), ("until May 5", True), ("", None)]
    with zipfile.ZipFile(io.BytesIO(before)) as old, zipfile.ZipFile(io.BytesIO(after)) as new:
        changed = [name for name in old.namelist() if old.read(name) != new.read(name)]
    assert changed == ["word/document.xml", "word/header1.xml"]
    for wanted, hint in (
        ("Valid untill", "The nearest is 'Valid until May 5'"),
        ("ab", "No paragraph"),
        ("a\tb", "tabs"),
    ):
        wrong = say(sandbox, "replace_text", path="r.docx", old=wanted, new="x")
        assert wrong.is_error and hint in wrong.text, wrong.text
    assert "Use write_cells for it" in say(sandbox, "replace_text", path="in/b.xlsx", old="x", new="y").text


def test_tables_are_filled_in(sandbox: Sandbox) -> None:
    cells = [{"row": 1, "column": 2, "text": "Ann"}, {"row": 2, "column": 2, "text": "2026-03-01"}]
    done(say(sandbox, "fill_table", path="r.docx", cells=cells, rows=[["Place", "Bonn"]]))
    assert "[table 1]\nName\tAnn\nDate\t2026-03-01\nPlace\tBonn\n[end" in words(sandbox, "r.docx")
    done(say(sandbox, "fill_table", path="d.pptx", slide=3, rows=[["Bag", 3]]))
    assert "Box\t12.5\nBag\t3\n[end" in done(say(sandbox, "read_presentation", path="d.pptx"))
    for arguments, hint in (
        ({"path": "r.docx", "cells": [{"row": 9, "column": 1, "text": ""}]}, "has 3 rows and 2 columns"),
        ({"path": "r.docx", "table": 2, "rows": [["x"]]}, "has 1 table(s)"),
        ({"path": "d.pptx", "rows": [["x"]]}, "Say which slide"),
        ({"path": "r.docx"}, "Give cells, such as"),
    ):
        wrong = say(sandbox, "fill_table", **arguments)
        assert wrong.is_error and hint in wrong.text, wrong.text


def test_presentations_are_made_and_added_to(sandbox: Sandbox) -> None:
    done(say(sandbox, "create_presentation", path="e.pptx", slides=SLIDES))
    first = sandbox.collect()["e.pptx"]
    assert pptx.Presentation(io.BytesIO(first)).slide_width == 12_192_000
    done(say(sandbox, "create_presentation", path="e.pptx", slides=SLIDES, overwrite=True))
    assert sandbox.collect()["e.pptx"] == first
    answer = done(say(sandbox, "add_slides", path="e.pptx", slides=[{"title": "More", "bullets": ["x"]}], after=1))
    assert "2 to 2 of 6" in answer
    text = done(say(sandbox, "read_presentation", path="e.pptx"))
    assert text.startswith(
        "[slide 1 of 6]\n# Deck\n- of Ann\n[slide 2 of 6]\n# More\n- x\n[slide 3 of 6]\n# Points\n- one\n"
    )
    assert "  - below\n- two\n[notes] say this" in text and "[chart]\n\ta\tb\ns\t1\t2\n[end of chart]" in text
    done(say(sandbox, "replace_text", path="e.pptx", old="Points", new="Issues"))
    assert "# Issues" in done(say(sandbox, "read_presentation", path="e.pptx"))
    for slide, hint in (
        (SLIDES[1] | {"table": [["a"]]}, "Make two slides of it"),
        ({"title": "x", "chart": SLIDES[3]["chart"] | {"categories": ["a"]}}, "has 2 values for 1 categories"),
        ({"title": "x", "picture": "q.png"}, "Did you mean p.png"),
        ({"title": "x", "table": [["a"]] * 31}, "divide it over several slides"),
    ):
        wrong = say(sandbox, "add_slides", path="e.pptx", slides=[slide])
        assert wrong.is_error and hint in wrong.text, wrong.text
    assert "There is no slide 9" in say(sandbox, "add_slides", path="e.pptx", slides=SLIDES, after=9).text


def test_tables_of_pdf_files(sandbox: Sandbox) -> None:
    lines = done(say(sandbox, "pdf_tables", path="s.pdf")).split("\n")
    assert lines[:2] == ["[table 1 on page 1: 6 rows, 4 columns]", "Date\tText\tDebit\tCredit"]
    assert lines[2] == "2026-01-01\tPayment of invoice 1\t10.50" and lines[6:] == ["2026-01-05\tTransfer\t\t99.00"]
    assert "has 1 page(s)" in say(sandbox, "pdf_tables", path="s.pdf", pages="2").text


def test_search_says_where(sandbox: Sandbox) -> None:
    found = done(say(sandbox, "search_documents", query="boxes", path="in"))
    assert found.startswith(
        "2 find(s) in 2 of 3 file(s)\nin/b.xlsx Sheet!B7: boxes of cardboard\nin/n.md line 1: many BOXES"
    )
    assert "[not searched: in/bad.docx (is damaged" in found
    assert "o.docx line 3: We sell boxes." in done(say(sandbox, "search_documents", query="SELL", glob="*.docx"))
    assert "s.pdf page 1: 2026-01-05 Transfer 99.00" in done(
        say(sandbox, "search_documents", query="transf", path="s.pdf")
    )
    assert "not found in 1 file(s)" in done(say(sandbox, "search_documents", query="b.x", path="o.docx"))
    done(say(sandbox, "write_file", path="long.txt", content="needle\n" * 6000))
    long = done(say(sandbox, "search_documents", query="needle", path="long.txt"))
    assert "go on with offset=" in long and "stopped after 5000 finds" in long and len(long) <= 4000
    following = long.partition("go on with offset=")[2].partition("]")[0]
    assert f"long.txt line {following}: " in done(
        say(sandbox, "search_documents", query="needle", path="long.txt", offset=int(following))
    )
    for arguments, hint in (
        ({"query": "(", "regex": True}, "Leave regex out"),
        ({"query": "x", "glob": "*.zz"}, "such as"),
    ):
        wrong = say(sandbox, "search_documents", **arguments)
        assert wrong.is_error and hint in wrong.text


def test_pages_are_shown_as_pictures(sandbox: Sandbox) -> None:
    answer = done(say(sandbox, "render_page", path="s.pdf", to="out/s.png", width=300))
    assert answer.startswith("Wrote out/s.png: page 1 of 1, 300 by ")
    with Image.open(io.BytesIO(sandbox.collect()["out/s.png"])) as picture:
        assert picture.format == "PNG" and picture.width == 300
    for arguments, hint in (
        ({"path": "s.pdf", "to": "s.jpg"}, "such as s.png"),
        ({"path": "s.pdf", "to": "s.png", "page": 3}, "has 1 page(s)"),
        ({"path": "p.png", "to": "s.png"}, "is not .pdf or .xlsx"),
        ({"path": "s.pdf", "to": "../s.png"}, "outside the workspace"),
    ):
        wrong = say(sandbox, "render_page", **arguments)
        assert wrong.is_error and hint in wrong.text, wrong.text


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
def test_files_are_converted(sandbox: Sandbox) -> None:
    answer = done(say(sandbox, "convert_to_pdf", path="o.docx", to="out/o.pdf"))
    assert answer.startswith("Wrote out/o.pdf: 1 page(s), ")
    assert "We sell boxes." in done(say(sandbox, "read_pdf", path="out/o.pdf"))
    first = sandbox.collect()["out/o.pdf"]
    done(say(sandbox, "convert_to_pdf", path="o.docx", to="out/o.pdf", overwrite=True))
    assert sandbox.collect()["out/o.pdf"] == first
    assert "page 3 of 5, 400 by 225" in done(say(sandbox, "render_page", path="d.pptx", to="d.png", page=3, width=400))
    for arguments, hint in (
        ({"path": "o.docx", "to": "out/o.pdf"}, "Set overwrite to true"),
        ({"path": "s.pdf"}, "Use render_page"),
        ({"path": "o.docx", "to": "o.txt"}, "such as o.pdf"),
    ):
        wrong = say(sandbox, "convert_to_pdf", **arguments)
        assert wrong.is_error and hint in wrong.text, wrong.text
    assert not [path for path in sandbox.collect() if "lu" in path or ".tmp" in path]
