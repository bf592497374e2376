"""What LibreOffice itself makes of rows that go and come: a script for the system's Python, which has ``uno``.

Reads ``[{"content": base64, "steps": [[sheet, "insert" or "remove", row], ...]}, ...]`` and writes, for each, what the
workbook says afterwards: formulas, values, names, notes, print areas, rules, merged cells, charts, tables, anchors.
With ``"save": true`` it gives the workbook as LibreOffice writes it.
"""

import base64
import json
import os
import subprocess
import sys
import tempfile
import time

import uno
from com.sun.star.beans import PropertyValue
from com.sun.star.connection import NoConnectException
from com.sun.star.table import CellRangeAddress  # noqa: F401 - for the bridge

FILTER = "Calc MS Excel 2007 XML"


def option(name, value):
    made = PropertyValue()
    made.Name, made.Value = name, value
    return made


def dump(document):
    found = {"names": {}, "sheets": {}}
    for index in range(document.NamedRanges.Count):
        name = document.NamedRanges.getByIndex(index)
        found["names"][name.Name] = name.Content
    ranges = document.DatabaseRanges
    found["tables"] = sorted(
        [name, address(ranges.getByName(name).DataArea)] for name in ranges.ElementNames if "Anonymous" not in name
    )
    for sheet in document.Sheets:
        mine = found["sheets"][sheet.Name] = {"cells": {}}
        for kinds in (16, 7):
            for area in sheet.queryContentCells(kinds).RangeAddresses:
                block = sheet.getCellRangeByPosition(area.StartColumn, area.StartRow, area.EndColumn, area.EndRow)
                for down, (row, formulas) in enumerate(zip(block.getDataArray(), block.getFormulaArray(), strict=True)):
                    for right, value in enumerate(row):
                        place = f"{area.StartColumn + right},{area.StartRow + down}"
                        if kinds == 16 and not isinstance(value, (float, str)):
                            value = f"error {block.getCellByPosition(right, down).getError()}"
                        mine["cells"][place] = [formulas[right] if kinds == 16 else "", value]
        mine["notes"] = sorted([note.Position.Column, note.Position.Row, note.String] for note in sheet.Annotations)
        mine["print"] = [address(area) for area in sheet.getPrintAreas()]
        mine["titles"] = address(sheet.getTitleRows()) if sheet.getPrintTitleRows() else None
        rules = sheet.ConditionalFormats.getConditionalFormats()
        mine["rules"] = sorted([rule.Range.RangeAddressesAsString, *formulas_of(rule)] for rule in rules)
        mine["charts"] = [
            [sorted(address(area) for area in chart.Ranges)]
            for chart in (sheet.Charts.getByIndex(i) for i in range(sheet.Charts.Count))
        ]
        mine["merged"] = sorted(merged(sheet))
        mine["validations"] = sorted(validations(sheet))
        mine["anchors"] = sorted(anchors(sheet))
    return found


def address(area):
    return [area.Sheet, area.StartColumn, area.StartRow, area.EndColumn, area.EndRow]


def formulas_of(rule):
    for index in range(rule.Count):
        entry = rule.getByIndex(index)
        try:
            yield entry.Formula1
        except AttributeError:
            yield str(entry.Type)


def merged(sheet):
    for row in range(9):
        for column in (0, 5):
            if sheet.getCellByPosition(column, row).IsMerged:
                inner = sheet.createCursorByRange(sheet.getCellByPosition(column, row))
                inner.collapseToMergedArea()
                yield address(inner.RangeAddress)


def validations(sheet):
    for formats in sheet.UniqueCellFormatRanges:
        rule = formats.Validation
        if rule.Type.value != "ANY":
            yield [formats.RangeAddressesAsString, rule.Type.value, rule.getFormula1(), rule.getFormula2()]


def anchors(sheet):
    page = sheet.DrawPage
    for index in range(page.Count):
        shape = page.getByIndex(index)
        if hasattr(shape.Anchor, "CellAddress"):
            yield [shape.Anchor.CellAddress.Column, shape.Anchor.CellAddress.Row]


def main():
    with tempfile.TemporaryDirectory() as folder:
        pipe = f"rows{os.getpid()}"
        command = ["soffice", "--headless", "--norestore", "--nologo", f"--accept=pipe,name={pipe};urp;"]
        office = subprocess.Popen(
            [*command, f"-env:UserInstallation=file://{folder}/profile"], stderr=subprocess.DEVNULL
        )
        local = uno.getComponentContext()
        resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
        for _ in range(600):
            try:
                context = resolver.resolve(f"uno:pipe,name={pipe};urp;StarOffice.ComponentContext")
                break
            except NoConnectException:
                time.sleep(0.1)
        desktop = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
        answers = []
        for case in json.load(sys.stdin):
            path = os.path.join(folder, "book.xlsx")
            with open(path, "wb") as out:
                out.write(base64.b64decode(case["content"]))
            options = (option("Hidden", True), option("FilterName", FILTER))
            document = desktop.loadComponentFromURL(f"file://{path}", "_blank", 0, options)
            for name, what, row in case.get("steps", ()):
                rows = document.Sheets.getByName(name).Rows
                rows.insertByIndex(row - 1, 1) if what == "insert" else rows.removeByIndex(row - 1, 1)
            document.calculateAll()
            if case.get("save"):
                document.storeToURL(f"file://{path}", (option("FilterName", FILTER),))
                with open(path, "rb") as made:
                    answers.append(base64.b64encode(made.read()).decode())
            else:
                answers.append(dump(document))
            document.close(True)
        print(json.dumps(answers))
        desktop.terminate()
        office.wait(30)


main()
