"""What LibreOffice sees in an office file: a script for the system's Python, which has ``uno``; tests start it.

It starts one LibreOffice, as ``workgym/documents/recalculation/guest/office.py`` does, and answers requests, a JSON
object a line: ``{"path": file, "pdf": file to write or null}`` with ``{"xlsx": ...}``, ``{"docx": ...}``,
``{"pptx": ...}`` or ``{"failed": reason}``. Nobody is asked anything: no interaction handler; nothing is repaired,
and macros do not run.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterator
from typing import Any

import uno  # noqa: F401 - the bridge that the next line is imported through
from com.sun.star.uno import Exception as UnoException

_FORMULA = 3  # com.sun.star.table.CellContentType: EMPTY, VALUE, TEXT, FORMULA
_TYPES = ("EMPTY", "VALUE", "TEXT", "FORMULA")
_FILTERS = {"xlsx": "calc_pdf_Export", "docx": "writer_pdf_Export", "pptx": "impress_pdf_Export"}
_OPTIONS = {"Hidden": True, "ReadOnly": True, "RepairPackage": False, "MacroExecutionMode": 0, "UpdateDocMode": 0}
_FURNITURE = ("HeaderText", "HeaderTextFirst", "HeaderTextLeft", "FooterText", "FooterTextFirst", "FooterTextLeft")


def workbook(document: Any) -> dict[str, Any]:
    """Sheets with cells ``[row, column, shown, value or null, formula or null, error]``, comments, charts, rules."""
    document.calculateAll()
    return {"sheets": [sheet_of(sheet) for sheet in document.Sheets], "names": list(document.NamedRanges.ElementNames)}


def sheet_of(sheet: Any) -> dict[str, Any]:
    """One sheet."""
    found = []
    cursor = sheet.createCursor()
    cursor.gotoEndOfUsedArea(False)
    for row in range(cursor.RangeAddress.EndRow + 1):
        for column in range(cursor.RangeAddress.EndColumn + 1):
            cell = sheet.getCellByPosition(column, row)
            kind = _TYPES.index(cell.Type.value)
            if kind:
                text = kind == 2 or (kind == _FORMULA and cell.FormulaResultType2 == 4)
                formula = cell.Formula if kind == _FORMULA else None
                found.append([row + 1, column + 1, cell.String, None if text else cell.Value, formula, cell.getError()])
    return {
        "name": sheet.Name,
        "visible": bool(sheet.IsVisible),
        "cells": found,
        "comments": [[note.Position.Row + 1, note.Position.Column + 1, note.String] for note in sheet.Annotations],
        "charts": sheet.Charts.Count,
        "conditions": len(sheet.ConditionalFormats.ConditionalFormats),
    }


def text_document(document: Any) -> dict[str, Any]:
    """Paragraphs and tables (``[name of the cell, text]``) in order, notes, headers and footers, boxes, changes."""
    paragraphs, tables = flow(document.Text)
    styles = document.StyleFamilies.getByName("PageStyles")
    used = [styles.getByIndex(index) for index in range(styles.Count) if styles.getByIndex(index).isInUse()]
    furniture = []
    for style in used:
        for name in _FURNITURE:
            shown = style.HeaderIsOn if name.startswith("Header") else style.FooterIsOn
            text = getattr(style, name) if shown else None
            furniture += [] if text is None else flow(text)[0]
    shapes = [shape for shape in document.DrawPage if hasattr(shape, "Text") and shape.Text is not None]
    return {
        "paragraphs": paragraphs,
        "tables": tables,
        "notes": [line for note in (*document.Footnotes, *document.Endnotes) for line in flow(note)[0]],
        "furniture": furniture,
        "boxes": [line for shape in shapes for line in flow(shape.Text)[0]],
        "changes": sum(1 for _ in every(document.Redlines.createEnumeration())),
    }


def every(enumeration: Any) -> Iterator[Any]:
    """What an enumeration goes over."""
    while enumeration.hasMoreElements():
        yield enumeration.nextElement()


def flow(text: Any) -> tuple[list[str], list[list[list[str]]]]:
    """Paragraphs and tables of a text; what a tracked change struck is left out, as are marks of notes."""
    paragraphs: list[str] = []
    tables: list[list[list[str]]] = []
    struck: set[str] = set()
    for part in every(text.createEnumeration()):
        if part.supportsService("com.sun.star.text.TextTable"):
            cells = [(name, part.getCellByName(name)) for name in part.CellNames]
            tables.append([[name, "\n".join(flow(cell.Text)[0])] for name, cell in cells])
        else:
            paragraphs.append("".join(portions(part, struck)))
    return paragraphs, tables


def portions(paragraph: Any, struck: set[str]) -> Iterator[str]:
    """The pieces of a paragraph that are said; ``struck`` holds the deletions that are open."""
    for portion in every(paragraph.createEnumeration()):
        kind = getattr(portion, "TextPortionType", "Text")
        if kind == "Redline" and portion.RedlineType == "Delete":
            struck.symmetric_difference_update({portion.RedlineIdentifier})
        elif not struck and kind in ("Text", "TextField"):
            yield portion.String


def presentation(document: Any) -> list[dict[str, Any]]:
    """By slide: texts, tables by row, charts ``[title, rows]``, notes."""
    return [slide(page) for page in document.DrawPages]


def slide(page: Any) -> dict[str, Any]:
    """One slide."""
    made: dict[str, Any] = {"texts": [], "tables": [], "charts": [], "visible": bool(page.Visible)}
    for shape in shapes_of(page):
        kind = shape.ShapeType.rpartition(".")[2]
        if kind == "TableShape":
            rows, columns = range(shape.Model.Rows.Count), range(shape.Model.Columns.Count)
            made["tables"].append([[shape.Model.getCellByPosition(c, r).String for c in columns] for r in rows])
        elif kind in ("OLE2Shape", "ChartShape"):
            made["charts"].append(chart(shape.Model))
        elif getattr(shape, "String", "") and kind != "SlideNumberShape":
            made["texts"] += shape.String.split("\n")
    made["notes"] = [
        line
        for shape in page.NotesPage
        if shape.ShapeType.endswith(".NotesShape")
        for line in shape.String.split("\n")
        if line
    ]
    return made


def shapes_of(page: Any) -> Iterator[Any]:
    """All shapes, those in groups too."""
    for shape in page:
        if shape.ShapeType.endswith(".GroupShape"):
            yield from shapes_of(shape)
        else:
            yield shape


def chart(model: Any) -> list[Any]:
    """Its title, what stands along the axis, the series' names, and the numbers by row."""
    title = model.Title.String if model.HasMainTitle else ""
    return [title, list(model.Data.RowDescriptions), list(model.Data.ColumnDescriptions), model.Data.Data]


_VIEWS = {"xlsx": workbook, "docx": text_document, "pptx": presentation}


def seen(worker: Any, context: Any, desktop: Any, path: str, pdf: str | None) -> dict[str, Any]:
    """The view of one file; it is written as ``pdf`` as well where that is wanted."""
    kind = path.rpartition(".")[2]
    options = _OPTIONS | {"URL": f"file://{path}"}
    comments = []
    if kind == "docx":
        document, comments = without_comments(worker, context, options)
    else:
        document = desktop.loadComponentFromURL(options["URL"], "_blank", 0, arguments(worker, options))
    if document is None:
        return {"failed": "it does not load"}
    try:
        found = _VIEWS[kind](document)
        if kind == "docx":
            found["comments"] = comments
        if pdf:
            document.storeToURL(f"file://{pdf}", arguments(worker, {"FilterName": _FILTERS[kind]}))
        return {kind: found}
    finally:
        document.close(True)


def arguments(worker: Any, values: dict[str, Any]) -> tuple[Any, ...]:
    """Properties of a call."""
    return tuple(map(worker.option, values, values.values()))


def without_comments(worker: Any, context: Any, options: dict[str, Any]) -> tuple[Any, list[list[str]]]:
    """A text document in a hidden window, and its comments ``[author, text]``, which are taken out before it has one.

    A comment has a window of its own beside the text, whose layout Debian's -nogui packages lack: LibreOffice aborts.
    """
    document = context.ServiceManager.createInstanceWithContext("com.sun.star.text.TextDocument", context)
    document.load(arguments(worker, options | {"FilterName": "MS Word 2007 XML"}))
    fields = list(every(document.TextFields.createEnumeration()))
    comments = [field for field in fields if field.supportsService("com.sun.star.text.textfield.Annotation")]
    told = [[comment.Author, comment.Content] for comment in comments]
    for comment in comments:
        comment.Anchor.Text.removeTextContent(comment)
    creator = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.TaskCreator", context)
    frame = creator.createInstanceWithArguments(arguments(worker, {"HiddenForConversion": True}))
    controller = document.createViewController("Default", arguments(worker, {"Hidden": True}), frame)
    controller.attachModel(document)
    document.connectController(controller)
    frame.setComponent(controller.ComponentWindow, controller)
    document.setCurrentController(controller)
    return document, told


def main() -> None:
    """Answer requests until there are no more; arguments: the script that starts an office, its profile's folder."""
    described = importlib.util.spec_from_file_location("office", sys.argv[1])
    assert described is not None and described.loader is not None
    worker: Any = importlib.util.module_from_spec(described)
    described.loader.exec_module(worker)
    context, desktop = worker.started(sys.argv[2], 2048)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = seen(worker, context, desktop, request["path"], request["pdf"])
        except UnoException as error:
            answer = {"failed": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
