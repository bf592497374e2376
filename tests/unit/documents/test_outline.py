"""Sheets by name: those that a person sees, also where no cell is filled."""

from __future__ import annotations

import io

import openpyxl
from openpyxl.chart import BarChart, Reference

from workgym.documents.xlsx.outline import visible_sheets


def test_sheets_that_are_seen_and_whether_something_lies_on_them() -> None:
    made = openpyxl.Workbook()
    data = made.active
    data.title = "Data"
    for row in (["x", "y"], [1, 2], [3, 4]):
        data.append(row)
    chart = BarChart()
    chart.add_data(Reference(data, min_col=2, min_row=1, max_row=3), titles_from_data=True)
    made.create_sheet("Dashboard").add_chart(chart, "B2")
    made.create_sheet("Kept back").sheet_state = "hidden"
    made.create_sheet("Nothing")
    stream = io.BytesIO()
    made.save(stream)
    found = visible_sheets({"a.xlsx": stream.getvalue(), "torn.xlsx": stream.getvalue()[:900], "b.xlsx": b"PK"})
    assert found == {"a.xlsx": (("Data", False), ("Dashboard", True), ("Nothing", False))}
    assert visible_sheets({}) == {}
