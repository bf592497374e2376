"""Decks: what is written is found again, looks like its company, and is the same bytes everywhere."""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
from hypothesis import given, settings

from workgym.documents import grids, read
from workgym.materialize import Scope
from workgym.materialize.look.look import look_of
from workgym.materialize.marks import Marked
from workgym.materialize.pptx.deck import slides

from .decks import ROWS, Relations, Worlds, made, opened, texts, written


@settings(max_examples=12, deadline=None)
@given(rows=ROWS)
def test_every_anchor_resolves_and_nothing_is_lost(world: Worlds, relation: Relations, rows: list[list[Any]]) -> None:
    carrier = made(world, relation, rows)
    found = texts(read(carrier.path, carrier.content))
    for anchor in carrier.anchors:
        text, span = found[anchor.place.base], anchor.place.span
        assert (text if span is None else text[span[0] : span[1]]) == anchor.printed
    values = {(str(anchor.cell), anchor.place.at) for anchor in carrier.anchors if anchor.kind == "value"}
    assert {cell for cell, _ in values} >= {"one.name", "one.note", "one.price", "one.day", "one.rate", "one.at"}
    name, note, _ = rows[0]
    table = next(at.partition("r")[0] for at in found if "t1" in at)
    for line, (label, remark, price) in enumerate(rows, 2):
        assert found[f"{table}r{line}c1"] == label
        assert found[f"{table}r{line}c2"] == remark
        assert found[f"{table}r{line}c3"] == f"{price:,.2f}"
    chart = next(at.partition("r")[0] for at in found if "c1r2" in at)
    assert found[chart] == f"Prices of {name}"
    assert [found[f"{chart}r{line}c1"] for line in range(2, len(rows) + 2)] == [row[0] for row in rows]
    assert [found[f"{chart}r{line}c2"] for line in range(2, len(rows) + 2)] == [f"{row[2]:,.2f} USD" for row in rows]
    assert note in found.values()


def test_places_and_what_is_hidden(world: Worlds, relation: Relations) -> None:
    document = read("a.pptx", made(world, relation, [["Firm", "a note", "1234.50"], ["Other", "b", "0.10"]]).content)
    found = texts(document)
    assert [found[f"s1p{at}"] for at in range(1, 5)] == ["About Firm", "a note", "Firm", "4 July 2026"]
    assert found["s2p1"] == "1 Firm and 1,234.50"
    assert found["s2p2"].endswith("a state that goes on over two lines.")
    assert [found[f"s2p{at}"] for at in (3, 6, 7)] == ["Points", "4 July 2026", "second"]
    assert [found["s2n1"][:8], found["s2n2"][:4]] == ["Say Firm", "then"]
    assert found["s2f1"] == "Firm  |  Draft for Firm, 2 copies"
    assert (found["s4c1r1c2"], found["s4c1r1c3"], found["s4c1r2c3"]) == ("Price (FCA)", "Share", "8.25 %")
    assert found["s5p1"] == "Part of Firm"
    hidden = {fragment.at for fragment in document.fragments if fragment.hidden}
    assert {"s2n1", "s4n1", "s6p1", "s6p2"} <= hidden
    assert not hidden & {"s1p1", "s2p1", "s3t1r1c1", "s4c1r2c2", "s2f1"}
    chart = next(grid for grid in grids(document) if grid.name == "s4c1")
    assert [cell.text for cell in chart.rows[0]] == ["Firm", "1,234.50 USD", "8.25 %"]
    assert {fragment.value for fragment in document.fragments if fragment.at == "s4c1r2c2"} == {"1234.5"}


def test_other_programs_see_titles_tables_charts_and_notes(world: Worlds, relation: Relations) -> None:
    deck = opened(made(world, relation, [["Firm", "a note", "1234.50"], ["Other", "b", "-0.10"]]))
    shown = list(deck.slides)
    assert [slide.slide_layout.name for slide in shown] == [
        "Title",
        "Content",
        "Title only",
        "Content",
        "Section",
        "Content",
    ]
    assert shown[2].shapes.title.text == "Table"
    table = next(shape.table for shape in shown[2].shapes if shape.has_table)
    assert [[cell.text for cell in row.cells] for row in table.rows][1] == ["Firm", "a note", "1,234.50"]
    chart = next(shape.chart for shape in shown[3].shapes if shape.has_chart)
    assert [list(series.values) for series in chart.plots[0].series] == [[1234.5, -0.1], [0.0825, 0.0825]]
    assert list(chart.plots[0].categories) == ["Firm", "Other"]
    sheet = openpyxl.load_workbook(io.BytesIO(chart.part.chart_workbook.xlsx_part.blob)).active
    assert [[cell.value for cell in row] for row in sheet.iter_rows()] == [
        ["Name", "Price (FCA)", "Share"],
        ["Firm", 1234.5, 0.0825],
        ["Other", -0.1, 0.0825],
    ]
    assert shown[1].notes_slide.notes_text_frame.text.startswith("Say Firm.\nthen ")
    assert shown[5]._element.get("show") == "0"
    bold = [run.text for run in shown[1].placeholders[1].text_frame.paragraphs[2].runs if run.font.bold]
    assert bold == ["a note"]
    assert deck.core_properties.created.date().isoformat() == "2026-03-20"
    assert (deck.slide_width, deck.slide_height) == (12_192_000, 6_858_000)


_PROGRAM = """
import hashlib, importlib.util, sys
def load(name):
    spec = importlib.util.spec_from_file_location(name, sys.argv[1] + "/" + name + ".py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
world, decks = load("conftest"), load("decks")
rows = [["Firm", "a note", "12.50"], ["Čáp", "ž", "0.00"]]
print(hashlib.sha256(decks.made(world.world, world.relation, rows).content).hexdigest())
"""


def test_the_same_bytes_here_and_in_another_process(
    world: Worlds, relation: Relations, root: Path, tmp_path: Path
) -> None:
    rows = [["Firm", "a note", "12.50"], ["Čáp", "ž", "0.00"]]
    here = made(world, relation, rows)
    assert made(world, relation, rows) == here
    environment = {**os.environ, "PYTHONHASHSEED": "77", "PYTHONPATH": str(root), "TZ": "Etc/GMT+5"}
    command = [sys.executable, "-c", _PROGRAM, str(Path(__file__).parent)]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == hashlib.sha256(here.content).hexdigest()


def test_nothing_of_a_template_is_left(world: Worlds, relation: Relations) -> None:
    with zipfile.ZipFile(io.BytesIO(made(world, relation, [["Firm", "n", "1"], ["B", "n", "2"]]).content)) as archive:
        names = archive.namelist()
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        book = next(name for name in names if name.endswith(".xlsx"))
        with zipfile.ZipFile(io.BytesIO(archive.read(book))) as inner:
            assert b"2026-03-20T" in inner.read("docProps/core.xml")
        assert b"Steve Canny" not in archive.read("docProps/core.xml")
    assert not [name for name in names if "thumbnail" in name or "printerSettings" in name]
    assert sum(name.startswith("ppt/slideLayouts/slide") for name in names) == 4


def test_companies_do_not_look_alike(scope: Scope) -> None:
    names = ["Nordpak GmbH", "Copperhill Containers", "Orbis & Co", "Glenmark Plastics", "Alder Logistics"]
    masters = set()
    for name in names:
        content = written(scope, f"---\ncompany: {name}\ntitle: T\n---\n# A\n\ntext\n").content
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            masters.add(archive.read("ppt/slideMasters/slideMaster1.xml") + archive.read("ppt/theme/theme1.xml"))
    assert len(masters) == len(names)
    assert {look_of(name).head for name in names} == {"left", "right", "centre", "band"}


def test_a_value_at_the_start_of_a_line_is_no_markup(world: Worlds, relation: Relations) -> None:
    rows = [["Notes: firm", "# x", "1.00"], ["B", "n", "2.00"]]
    template = "# A\n\n{{ one.name }} says\n\nNotes: {{ one.note }}\n"
    found = texts(read("a.pptx", made(world, relation, rows, template).content))
    assert (found["s1p2"], found["s1n1"]) == ("Notes: firm says", "# x")


def test_numbers_of_charts_keep_their_form(scope: Scope) -> None:
    printed = ["1,234.50 USD", "USD -5", "8.5 %", "-0.25%", "1234", "$1,000", "12 pcs", "0.000", ""]
    rows = "".join(f"| r{at} | {text} |\n" for at, text in enumerate(printed))
    found = texts(read("a.pptx", written(scope, f"# A\n```chart line\n| n | v |\n|--|--|\n{rows}```\n").content))
    assert [found.get(f"s1c1r{at}c2", "") for at in range(2, 11)] == printed
    assert "s1c1" not in found


def test_slides_out_of_a_text() -> None:
    (first, second) = slides(Marked("# A\n- x\n\n---\n# B\n```chart\n|a|b|\n|-|-|\n|c|1|\n```\nNotes:\nsay\n"))
    assert [block.kind for block in first.blocks] == ["item"]
    assert (second.charts[0].kind, [note.text.plain for note in second.notes]) == ("column", ["say"])
