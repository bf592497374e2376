"""Presentations, edited in one place: nothing else changes."""

from __future__ import annotations

import datetime
import io
from typing import Any

import openpyxl
import pptx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from workgym.documents import TextEdit, differences, edit, read
from workgym.errors import EditRefused

from .decks import SLIDE, changed, found, fragment, made, packed, parts, set_text, without

WORDS = st.text(alphabet="abcXYZ 0123456789.,%&<>\"'äß–東/|=?-", min_size=1, max_size=60).map(str.strip).filter(bool)


@pytest.fixture(scope="module")
def deck() -> bytes:
    return made()


@settings(deadline=None, max_examples=20)
@given(data=st.data())
def test_an_edit_changes_exactly_its_place(deck: bytes, data: st.DataObject) -> None:
    places = [one for one in read("a.pptx", deck).fragments if one.at.startswith("s") and ".v" not in one.at]
    place = data.draw(st.sampled_from(places))
    number = place.value is not None
    start = 0 if number else data.draw(st.integers(0, len(place.text)))
    end = len(place.text) if number else data.draw(st.integers(start, len(place.text)))
    new = f"{data.draw(st.integers(0, 9999)):,}.25" if number else data.draw(WORDS)
    wanted = place.text[:start] + new + place.text[end:]
    at = place.at if (start, end) == (0, len(place.text)) else f"{place.at}[{start}:{end}]"
    made_edit = set_text(at, place.text[start:end], new)
    try:
        made = edit("a.pptx", deck, [made_edit])
    except EditRefused as error:
        assert "end of a paragraph" in str(error) or "workbook" in str(error) or "names a row" in str(error)
        return
    before, after = dict(found(deck)), dict(found(made))
    got = after.pop(place.at)
    assert got == wanted or (number and got.rstrip("%").replace(",", "")[:1].isdigit())
    before.pop(place.at)
    assert before == after
    files = changed(deck, made)
    assert len(files) <= (2 if place.table and "c" in place.table else 1)
    if not any(mark in place.text for mark in "\n\t"):
        back = edit("a.pptx", made, [set_text(place.at, got, place.text)])
        assert found(back) == found(deck)


def test_runs_keep_their_look(deck: bytes) -> None:
    made = edit("a.pptx", deck, [set_text("s1p5[13:18]", "8.5 %", "9 %")])
    frame = pptx.Presentation(io.BytesIO(made)).slides[0].placeholders[1].text_frame
    assert [(run.text, run.font.bold) for run in frame.paragraphs[0].runs][1] == ("9 %", True)
    assert changed(deck, made) == [SLIDE]
    emptied = edit("a.pptx", deck, [without("s1p5", "The limit is 8.5 % of the order", "clear")])
    assert "s1p5" not in found(emptied)
    assert found(edit("a.pptx", emptied, [set_text("s1p5", "", "again")]))["s1p5"] == "again"
    assert found(edit("a.pptx", deck, [set_text("s1p7", "", "was empty")]))["s1p7"] == "was empty"


def test_bullets_and_rows_come_and_go(deck: bytes) -> None:
    said = found(deck)
    more = edit("a.pptx", deck, [without("s1p6", said["s1p6"], "insert_row", ("a & b",))])
    assert [found(more).get(f"s1p{at}") for at in (5, 6, 7, 8)] == [said["s1p5"], said["s1p6"], "a & b", None]
    frame = pptx.Presentation(io.BytesIO(more)).slides[0].placeholders[1].text_frame
    assert [paragraph.level for paragraph in frame.paragraphs] == [0, 1, 1, 0]
    less = edit("a.pptx", deck, [without("s1p5", said["s1p5"]), without("s1p6", said["s1p6"])])
    assert (found(less).get("s1p5"), found(less)["s1p6"]) == (None, "inner left")
    alone = edit("a.pptx", deck, [without("s1p10", "at the bottom")])
    assert changed(deck, alone) == [SLIDE]
    assert "at the bottom" not in found(alone).values()
    pptx.Presentation(io.BytesIO(alone))
    twice = edit("a.pptx", deck, [without("s1p2", "left", "insert_row", ("same",))] * 2)
    assert [found(twice)[f"s1p{at}"] for at in (2, 3, 4)] == ["left", "same", "same"]
    rows = edit("a.pptx", deck, [without("s2t1r2c2", "r2 c2", "insert_row", ("new", 7, None))])
    assert [found(rows).get(f"s2t1r3c{at}") for at in (1, 2, 3)] == ["new", "7", None]
    assert found(rows)["s2t1r4c1"] == "r3 c1"
    gone = edit("a.pptx", deck, [without("s2t1r2c2", "r2 c2"), set_text("s2t1r4c1", "r4 c1", "x")])
    assert [found(gone)["s2t1r2c1"], found(gone)["s2t1r3c1"], "s2t1r4c1" in found(gone)] == ["r3 c1", "x", False]


def test_charts_and_their_workbooks_say_the_same(deck: bytes) -> None:
    edits = [
        set_text("s3c1r2c2", "1,234.50", "2,000.5"),
        set_text("s3c1r3c1", "2027", "FY27"),
        set_text("s3c1r1c3", "Share", "Part"),
        set_text("s3c1r4c3", "10.0%", "12 %"),
        set_text("s3c1", "By year", "Yearly"),
        without("s3c1r4c2", "3.00", "clear"),
    ]
    made = edit("a.pptx", deck, edits)
    said = found(made)
    assert [said[at] for at in ("s3c1r2c2", "s3c1r3c1", "s3c1r1c3", "s3c1r4c3", "s3c1")] == [
        "2,000.50",
        "FY27",
        "Part",
        "12.0%",
        "Yearly",
    ]
    assert "s3c1r4c2" not in said
    files = changed(deck, made)
    assert [name.rpartition(".")[2] for name in sorted(files)] == ["xml", "xlsx"]
    (book,) = (name for name in files if name.endswith("xlsx"))
    sheet = openpyxl.load_workbook(io.BytesIO(parts(made)[book])).active
    assert [[cell.value for cell in row] for row in sheet.iter_rows()] == [
        [None, "Units & more", "Part"],
        ["2026", 2000.5, 0.085],
        ["FY27", None, 0.09],
        ["2028", None, 0.12],
    ]
    chart = next(s.chart for s in pptx.Presentation(io.BytesIO(made)).slides[2].shapes if s.has_chart)
    assert list(chart.plots[0].categories) == ["2026", "FY27", "2028"]
    other = parts(deck)
    other[book] = parts(made)[book]
    with pytest.raises(EditRefused, match=r"the chart's workbook says otherwise in Sheet1!B2"):
        edit("a.pptx", packed(other), [set_text("s3c1r2c2", "1,234.50", "1")])
    other.pop(book)
    assert found(edit("a.pptx", packed(other), [set_text("s3c1r2c2", "1,234.50", "1")]))["s3c1r2c2"] == "1.00"


@pytest.mark.parametrize(
    ("edits", "said"),
    [
        ([set_text("s1p1", "other", "x")], "says 'Costs & risks', not 'other'"),
        ([set_text("s9p1", "", "x")], "no place s9p1"),
        ([set_text("s1.comment1", "", "x")], "no place"),
        ([without("s1p1", "Costs & risks")], "title of the slide; clear it"),
        ([without("s1p1", "Costs & risks", "insert_row", ("x",))], "no second paragraph"),
        ([without("s1p2", "left", "insert_row", ("x", "y"))], "one text, not 2"),
        ([without("s1p2", "left", "insert_row", ("x\ny",))], "line breaks cannot be added"),
        ([without("s2t1r2c1", "r2 c1", "insert_row", ("1", "2", "3", "4"))], "has 3 columns, not 4"),
        ([without("s2t1r1c1", "r1 c1\nr1 c2", "insert_row", ("1", "2"))], "joined to the one before"),
        ([without("s2t1r3c1", "r3 c1")], "shares a cell"),
        ([without("s3c1r2c2", "1,234.50")], "no rows are added to a chart"),
        ([without("s3c1", "By year")], "neither a paragraph of a slide"),
        ([set_text("s3c1r2c2", "1,234.50", "many")], "'many' is none"),
        ([without("s3c1r2c1", "2026", "clear")], "not cleared"),
        ([set_text("s1p5", "The limit is 8.5 % of the order", "a\tb")], "tabs"),
        ([set_text("s1p2", "left", "x"), set_text("s1p2", "left", "y")], "two edits"),
    ],
)
def test_what_is_refused(deck: bytes, edits: list[TextEdit], said: str) -> None:
    with pytest.raises(EditRefused, match=said):
        edit("a.pptx", deck, edits)


def test_all_rows_of_a_table_do_not_go(deck: bytes) -> None:
    (made,) = (edit("a.pptx", deck, [without("s2t1r2c1", "r2 c1"), without("s2t1r1c3", "r1 c3")]),)
    assert found(made)["s2t1r1c1"] == "r3 c1"


def test_differences_lead_from_one_deck_to_the_other(deck: bytes) -> None:
    edits = [
        set_text("s1p2", "left", "gauche"),
        without("s2t1r2c1", "r2 c1", "clear"),
        set_text("s3c1r2c2", "1,234.50", "7"),
    ]
    wanted = read("a.pptx", edit("a.pptx", deck, edits))
    there = differences(read("a.pptx", deck), wanted)
    assert read("a.pptx", edit("a.pptx", deck, there)) == wanted


def test_dates_of_charts() -> None:
    show: Any = pptx.Presentation()
    data: Any = CategoryChartData()
    data.categories = [datetime.date(2026, 3, 1), datetime.date(2026, 4, 1)]
    data.add_series("a", (1, 2))
    shapes = show.slides.add_slide(show.slide_layouts[6]).shapes
    shapes.add_chart(XL_CHART_TYPE.LINE, 0, 0, Inches(4), Inches(3), data)
    target = io.BytesIO()
    show.save(target)
    content = target.getvalue()
    document = read("a.pptx", content)
    assert fragment(document, "s1c1r2c1").value == "2026-03-01"
    assert found(edit("a.pptx", content, [set_text("s1c1r2c2", "1", "5")]))["s1c1r2c2"] == "5"
    with pytest.raises(EditRefused, match="a date of a chart"):
        edit("a.pptx", content, [set_text("s1c1r2c1", fragment(document, "s1c1r2c1").text, "2026-05-01")])
