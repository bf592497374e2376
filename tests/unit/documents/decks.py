"""A presentation with something of everything, made by python-pptx, and how tests look at one."""

from __future__ import annotations

import io
import zipfile
from functools import lru_cache
from typing import Any

import pptx
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Emu, Inches, Pt

from workgym.documents import Document, Fragment, TextEdit, read

SLIDE = "ppt/slides/slide1.xml"


@lru_cache(maxsize=1)
def made() -> bytes:
    """Text in all corners, a table with merged cells, two charts on a hidden slide, notes."""
    show: Any = pptx.Presentation()
    first = show.slides.add_slide(show.slide_layouts[1])
    shapes = first.shapes
    low = shapes.add_textbox(Inches(1), Inches(6.5), Inches(3), Inches(0.5))
    low.text_frame.text = "at the bottom"
    shapes.title.text = "Costs & risks"
    frame = first.placeholders[1].text_frame
    frame.text = "The limit is "
    for text, bold in (("8.5 %", True), (" of the order", False)):
        run = frame.paragraphs[0].add_run()
        run.text, run.font.bold, run.font.size = text, bold, Pt(20)
    second = frame.add_paragraph()
    second.text, second.level = "nested\vsecond line", 1
    frame.add_paragraph().text = ""
    right = shapes.add_textbox(Inches(6), Inches(0.1), Inches(2), Inches(0.4))
    right.text_frame.text = "right"
    left = shapes.add_textbox(Inches(1), Inches(0.15), Inches(2), Inches(0.4))
    left.text_frame.text = "left"
    group = shapes.add_group_shape()
    for at, text in ((2.0, "inner right"), (1.0, "inner left")):
        box = group.shapes.add_textbox(Inches(at), Inches(5.5), Inches(1), Inches(0.3))
        box.text_frame.text = text
    away = shapes.add_textbox(Inches(20), Inches(1), Inches(2), Inches(0.4))
    away.text_frame.text = "beside the slide"
    tiny = shapes.add_textbox(Inches(1), Inches(6.9), Inches(2), Inches(0.4))
    tiny.text_frame.text = "specks"
    tiny.text_frame.paragraphs[0].runs[0].font.size = Emu(12_700)
    first.notes_slide.notes_text_frame.text = "say hello\nand goodbye"

    page = show.slides.add_slide(show.slide_layouts[5])
    page.shapes.title.text = "Table"
    table = page.shapes.add_table(4, 3, Inches(1), Inches(2), Inches(6), Inches(1)).table
    for row in range(4):
        for column in range(3):
            table.cell(row, column).text = f"r{row + 1} c{column + 1}"
    table.cell(0, 0).merge(table.cell(0, 1))
    table.cell(2, 2).merge(table.cell(3, 2))

    charts = show.slides.add_slide(show.slide_layouts[6])
    data: Any = CategoryChartData(number_format="#,##0.00")
    data.categories = ["2026", "2027", "2028"]
    data.add_series("Units & more", (1234.5, None, 3))
    data.add_series("Share", (0.085, 0.09, 0.1), "0.0%")
    chart = charts.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, Inches(3), Inches(4), Inches(3), data).chart
    chart.has_title = True
    chart.chart_title.text_frame.text = "By year"
    chart.value_axis.has_title = True
    chart.value_axis.axis_title.text_frame.text = "pieces"
    points: Any = XyChartData()
    for name, pairs in (("a", [(1, 2), (3, 4)]), ("b", [(5, 6)])):
        series = points.add_series(name)
        for x, y in pairs:
            series.add_data_point(x, y)
    charts.shapes.add_chart(XL_CHART_TYPE.XY_SCATTER, Inches(5), Inches(3), Inches(4), Inches(3), points)
    charts._element.set("show", "0")
    target = io.BytesIO()
    show.save(target)
    return target.getvalue()


def parts(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


def packed(parts: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return target.getvalue()


def changed(before: bytes, after: bytes) -> list[str]:
    old, new = parts(before), parts(after)
    assert list(old) == list(new)
    return [name for name in old if old[name] != new[name]]


def texts(document: Document) -> dict[str, str]:
    return {fragment.at: fragment.text for fragment in document.fragments}


@lru_cache(maxsize=64)
def found(content: bytes) -> dict[str, str]:
    return texts(read("a.pptx", content))


def set_text(at: str, expected: str, replacement: str) -> TextEdit:
    return TextEdit(at=at, expected=expected, replacement=replacement)


def without(at: str, expected: str, mode: str = "remove_row", cells: tuple[object, ...] = ()) -> TextEdit:
    made = {"at": at, "expected": expected, "replacement": None, "mode": mode, "cells": cells}
    return TextEdit.model_validate(made)


def fragment(document: Document, at: str) -> Fragment:
    return next(one for one in document.fragments if one.at == at)
