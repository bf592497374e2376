"""What a person cannot see is not stated: white on white, specks, columns and rows without a width or height."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from docx import Document as Word
from docx.oxml import parse_xml
from docx.shared import Pt, RGBColor
from openpyxl.styles import Color, Font, PatternFill
from openpyxl.worksheet.table import Table, TableStyleInfo

from workgym.verify import grade

NAMESPACE = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def memo(work: Any, change: Callable[[Any], Any]) -> bytes:
    """The right memo with a change to every run of its sentences."""
    word = Word()
    for text in work.memo():
        if text.startswith("# "):
            word.add_heading(text[2:], 1)
        else:
            change(word.add_paragraph().add_run(text))
    out = io.BytesIO()
    word.save(out)
    return out.getvalue()


def white(run: Any) -> None:
    run.font.color.rgb = RGBColor(255, 255, 255)


def pale(run: Any) -> None:
    run.font.color.rgb = RGBColor(0xFA, 0xFA, 0xFA)


def speck(run: Any) -> None:
    run.font.size = Pt(1)


def shaded(run: Any) -> None:
    white(run)
    run._r.rPr.append(parse_xml(f'<w:shd {NAMESPACE} w:val="clear" w:fill="1F4E78"/>'))


def band(run: Any) -> None:
    white(run)
    run._r.getparent().get_or_add_pPr().append(parse_xml(f'<w:shd {NAMESPACE} w:val="clear" w:fill="1F4E78"/>'))


def ink_on_ink(run: Any) -> None:
    run.font.color.rgb = RGBColor(0x1F, 0x4E, 0x78)
    run._r.rPr.append(parse_xml(f'<w:shd {NAMESPACE} w:val="clear" w:fill="1F4E78"/>'))


def small(run: Any) -> None:
    run.font.size = Pt(8)
    run.font.color.rgb = RGBColor(0x59, 0x59, 0x59)


@pytest.mark.parametrize("change", [white, pale, speck, ink_on_ink])
def test_a_memo_that_cannot_be_seen_states_nothing(work: Any, change: Callable[[Any], Any]) -> None:
    verdict = grade(work.package, work.files(memo=memo(work, change)))
    assert [unit.right for unit in verdict.scores.units if unit.deliverable == "memo.docx"] == [0, 0]


@pytest.mark.parametrize("change", [shaded, band, small])
def test_a_memo_that_can_be_seen_passes(work: Any, change: Callable[[Any], Any]) -> None:
    assert grade(work.package, work.files(memo=memo(work, change))).reward == 1.0


def styled(**style: Any) -> Callable[[Any], None]:
    def change(book: Any) -> None:
        for row in book["Totals"]["A1:B4"]:
            for cell in row:
                for name, value in style.items():
                    setattr(cell, name, value)

    return change


def narrow(book: Any) -> None:
    book["Totals"].column_dimensions["B"].width = 0.1


def flat(book: Any) -> None:
    for row in range(2, 5):
        book["Totals"].row_dimensions[row].height = 0.5


def table_style(book: Any) -> None:
    """A heading that its table's style makes dark."""
    for cell in book["Totals"][1]:
        cell.font = Font(color="FFFFFF")
    style = TableStyleInfo("TableStyleMedium9")
    book["Totals"].add_table(Table(displayName="Totals", ref="A1:B4", tableStyleInfo=style))


DARK = PatternFill("solid", fgColor="1F4E78")
UNSEEN = (
    styled(font=Font(color="FFFFFFFF")),
    styled(font=Font(color=Color(theme=0))),
    styled(font=Font(color="00FFFFFF"), fill=PatternFill("solid", fgColor="FFFFFF")),
    styled(font=Font(color="1F4E78"), fill=DARK),
    styled(font=Font(size=1)),
    narrow,
    flat,
)
SEEN = (
    table_style,
    styled(font=Font(color="FFFFFFFF", bold=True), fill=DARK),
    styled(font=Font(color=Color(theme=0)), fill=PatternFill("solid", fgColor=Color(theme=4))),
    styled(font=Font(color="FFFFFF"), fill=PatternFill("lightUp", fgColor="1F4E78")),
    styled(font=Font(color="595959", size=8), fill=PatternFill("solid", fgColor="F2F2F2")),
)


@pytest.mark.parametrize("change", UNSEEN)
def test_cells_that_cannot_be_seen_state_nothing(work: Any, book: Any, change: Callable[[Any], Any]) -> None:
    verdict = grade(work.package, work.files(book=book(work.sheets(), change)))
    assert [unit.right for unit in verdict.scores.units if unit.unit == "total"] == [0, 3]


@pytest.mark.parametrize("change", SEEN)
def test_cells_that_can_be_seen_pass(work: Any, book: Any, change: Callable[[Any], Any]) -> None:
    assert grade(work.package, work.files(book=book(work.sheets(), change))).reward == 1.0
