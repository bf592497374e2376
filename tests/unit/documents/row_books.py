"""Workbooks with all that refers to rows, by two libraries, for tests of rows that go and come."""

from __future__ import annotations

import datetime
import io

import openpyxl
import xlsxwriter
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.formatting.rule import CellIsRule, FormulaRule
from openpyxl.styles import PatternFill
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.formula import ArrayFormula
from openpyxl.worksheet.table import Table, TableStyleInfo

CREATED = datetime.datetime(2026, 1, 1)
ROWS = [("Kestrel", 4, 2.5), ("Orbis", 7, 1.25), ("Tarn", 1, 9.75), ("Umber", 3, 4.0), ("Vale", 8, 0.5)]


def by_openpyxl() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Data"
    sheet["A1"] = "Orders"
    sheet.merge_cells("A1:D1")
    sheet.append([])
    sheet.append(["Supplier", "Units", "Price", "Total"])
    for row, values in enumerate(ROWS, 4):
        sheet.append([*values, f"=B{row}*C{row}"])
    sheet["A10"], sheet["D10"] = "Sum", "=SUM(D4:D8)"
    sheet["E11"] = "=SUM(D$4:$D8)/COUNT(D:D)+LOG10(100)+SUM($4:$5)*0"
    sheet["D12"] = '=IF(A4="D4",1,D10)&" D10"'
    sheet["F4"] = ArrayFormula("F4:F4", "=SUM(B4:B8*C4:C8)")
    sheet["G9"] = "=D8-D4"
    sheet["A9"] = datetime.date(2026, 3, 1)
    sheet.merge_cells("F5:G6")
    sheet["B5"].comment = Comment("see the mail", "Ann")
    sheet["C8"].comment = Comment("last price", "Ann")
    sheet.conditional_formatting.add("B4:B8", CellIsRule(operator="greaterThan", formula=["$B$10"]))
    sheet.conditional_formatting.add("A4:D8", FormulaRule(formula=["$B4>5"], fill=PatternFill(bgColor="FFFF00")))
    rule = DataValidation(type="whole", operator="between", formula1="0", formula2="$B$8")
    rule.add("B4:B8")
    sheet.add_data_validation(rule)
    sheet.auto_filter.ref = "A3:D8"
    sheet.print_area = "A1:D10"
    sheet.print_title_rows = "1:3"
    sheet.freeze_panes = "A4"
    other = book.create_sheet("It's other")
    other["A1"] = "=SUM(Data!B4:B8)+Data!$B$6"
    other["A2"] = "='It''s other'!A1+Units"
    other["A3"] = '=VLOOKUP("Tarn",Data!A4:D8,4,FALSE)'
    other["A4"] = '=INDEX(Data!D4:D8,MATCH(8,Data!B4:B8,0))+SUMIFS(Data!D4:D8,Data!B4:B8,">3")'
    other["A5"] = 5
    other["A6"] = "=A5*Data!B9"
    other.sheet_state = "hidden"
    chart = BarChart()
    chart.add_data(Reference(sheet, min_col=2, min_row=3, max_row=8), titles_from_data=True)
    chart.set_categories(Reference(sheet, min_col=1, min_row=4, max_row=8))
    sheet.add_chart(chart, "I6")
    book.defined_names["Units"] = DefinedName("Units", attr_text="Data!$B$8")
    book.defined_names["Whole"] = DefinedName("Whole", attr_text="Data!$A$4:$D$8")
    return _saved(book)


def with_table() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Data"
    for row in (["Name", "Net"], ["a", 1], ["b", 2], ["c", 3]):
        sheet.append(row)
    sheet.add_table(Table(displayName="Sales", ref="A1:B4", tableStyleInfo=TableStyleInfo(name="TableStyleLight1")))
    sheet["D1"] = "=SUM(Sales[Net])"
    sheet["D8"] = "=B4*2"
    return _saved(book)


def by_xlsxwriter() -> bytes:
    target = io.BytesIO()
    book = xlsxwriter.Workbook(target, {"in_memory": True})
    book.set_properties({"created": CREATED})
    sheet, other = book.add_worksheet("Data"), book.add_worksheet("Notes & more")
    bold, money = book.add_format({"bold": True}), book.add_format({"num_format": "#,##0.00"})
    sheet.merge_range("A1:D1", "Orders", bold)
    sheet.add_table(
        "A3:D9",
        {
            "name": "Orders",
            "total_row": True,
            "columns": [
                {"header": "Supplier", "total_string": "Sum"},
                {"header": "Units", "total_function": "sum"},
                {"header": "Price"},
                {
                    "header": "Total",
                    "formula": "=Orders[@[Units]]*Orders[@[Price]]",
                    "total_function": "sum",
                    "format": money,
                },
            ],
            "data": [list(row) for row in ROWS],
        },
    )
    sheet.write_comment("B5", "see the mail", {"author": "Ann", "visible": True})
    sheet.write_comment("C12", "below", {"author": "Ann"})
    sheet.conditional_format("B4:B8", {"type": "data_bar"})
    sheet.conditional_format("B4:B8", {"type": "cell", "criteria": ">", "value": "$B$12", "format": bold})
    sheet.conditional_format("A4:D8", {"type": "formula", "criteria": "=$B4>5", "format": bold})
    sheet.data_validation("A4:A8", {"validate": "list", "source": "='Notes & more'!$A$1:$A$5"})
    sheet.write("B12", 4)
    sheet.write_formula("C12", "=SUM(B4:B8)*B12")
    sheet.write_formula("C13", "=SUM('Notes & more'!A1:A5)")
    sheet.write_array_formula("F12:F14", "{=B4:B6*2}")
    sheet.write_url("A14", "internal:'Data'!B12", string="go")
    for row in range(5):
        other.write(row, 0, ROWS[row][0])
        other.write_formula(row, 1, f"=Data!B{row + 4}*2")
    other.write_formula("C1", "=SUM(B1:B5)+Rate")
    other.write_formula("C2", "=SUM(Data!B:B)+ROWS(Data!4:8)")
    book.define_name("Rate", "=Data!$B$12")
    sheet.print_area("A1:D14")
    sheet.repeat_rows(0, 2)
    sheet.set_h_pagebreaks([8])
    chart = book.add_chart({"type": "column"})
    chart.add_series({"values": "=Data!$B$4:$B$8", "categories": "=Data!$A$4:$A$8", "name": "=Data!$B$3"})
    sheet.insert_chart("H5", chart)
    sheet.add_sparkline("G4", {"range": "Data!B4:C4"})
    mine = book.add_chart({"type": "line"})
    mine.add_series({"values": "='Notes & more'!$B$1:$B$5"})
    other.insert_chart("E3", mine)
    book.close()
    return target.getvalue()


def _saved(book: openpyxl.Workbook) -> bytes:
    book.properties.created = book.properties.modified = CREATED
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()
