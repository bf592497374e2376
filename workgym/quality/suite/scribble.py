"""Deliverables as somebody writes them who has not done the work: rows and lines in the format that a path names."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Sequence
from typing import NamedTuple

import docx
import openpyxl
import pptx

from workgym.quality.settled import settled
from workgym.records import by_ending

Row = Sequence[str | float]


class Table(NamedTuple):
    """A table of a deliverable."""

    sheet: str | None
    """Name of its sheet; None for any."""
    rows: Sequence[Row]
    """Its rows, the head first."""


def scribbled(path: str, tables: Sequence[Table] = (), lines: Sequence[str] = ()) -> bytes | None:
    """A sound file of the path's format that holds some tables and lines, or nothing.

    None for formats that are not scribbled: pictures, databases, mailboxes, pdf.
    """
    form = by_ending(path)
    name = None if form is None else form.name
    if name == "xlsx":
        return _book(tables, lines)
    if name == "docx":
        return _paper(tables, lines)
    if name == "pptx":
        return _slides(tables, lines)
    if name in ("csv", "tsv"):
        return _separated(tables, lines, "\t" if name == "tsv" else ",")
    if name in ("md", "txt", "log", "code"):
        return "\n".join([*lines, *(_piped(row) for table in tables for row in table.rows), ""]).encode()
    if name == "html":
        body = [f"<p>{html.escape(line)}</p>" for line in lines]
        for table in tables:
            rows = "".join(
                "<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) + "</tr>" for row in table.rows
            )
            body.append(f"<table>{rows}</table>")
        return f"<!DOCTYPE html><title>Deliverable</title>{''.join(body)}".encode()
    return None


def _piped(row: Row) -> str:
    return f"| {' | '.join(map(str, row))} |"


def _book(tables: Sequence[Table], lines: Sequence[str]) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for table in tables:
        there = table.sheet is not None and table.sheet in book.sheetnames
        sheet = book[table.sheet] if there else book.create_sheet(table.sheet)
        for row in table.rows:
            sheet.append([*row])
    if lines or not book.worksheets:
        sheet = book.create_sheet("Notes" if tables else None)
        for line in lines:
            sheet.append([line])
    made = io.BytesIO()
    book.save(made)
    return settled(made.getvalue())


def _paper(tables: Sequence[Table], lines: Sequence[str]) -> bytes:
    document = docx.Document()
    for line in lines:
        document.add_paragraph(line)
    for table in tables:
        if not table.rows:
            continue
        made = document.add_table(rows=0, cols=max(map(len, table.rows)))
        for row in table.rows:
            for cell, value in zip(made.add_row().cells, row, strict=False):
                cell.text = str(value)
    saved = io.BytesIO()
    document.save(saved)
    return settled(saved.getvalue())


def _slides(tables: Sequence[Table], lines: Sequence[str]) -> bytes:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    said = [*lines, *(_piped(row) for table in tables for row in table.rows)]
    slide.placeholders[1].text = "\n".join(said)
    saved = io.BytesIO()
    deck.save(saved)
    return settled(saved.getvalue())


def _separated(tables: Sequence[Table], lines: Sequence[str], sign: str) -> bytes:
    made = io.StringIO()
    writer = csv.writer(made, delimiter=sign, lineterminator="\n")
    for table in tables:
        writer.writerows(table.rows)
    writer.writerows([line] for line in ([] if tables else lines))
    return made.getvalue().encode()
