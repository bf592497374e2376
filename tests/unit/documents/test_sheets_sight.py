"""What cannot be seen in a cell: parts of its text, and what conditional formats hide for sure."""

from __future__ import annotations

import io

import xlsxwriter

from workgym.documents import read


def test_parts_of_a_text_that_cannot_be_seen() -> None:
    target = io.BytesIO()
    book = xlsxwriter.Workbook(target, {"in_memory": True})
    sheet = book.add_worksheet("S")
    white, bold, tiny = book.add_format({"color": "white"}), book.add_format({"bold": True}), {"font_size": 1}
    sheet.write_rich_string("A1", "Freight 2.05", white, " or 9.99")
    sheet.write_rich_string("A2", "bold ", bold, "is seen")
    sheet.write_rich_string("A3", white, "all ", white, "gone")
    sheet.write_rich_string("A4", "small ", book.add_format(tiny), "print")
    sheet.write_rich_string("A5", white, "white ", bold, "on dark", book.add_format({"bg_color": "#000060"}))
    sheet.write_rich_string("A6", white, "white ", bold, "under a condition")
    sheet.conditional_format("A6", {"type": "no_errors", "format": book.add_format({"bg_color": "black"})})
    book.close()
    said = {one.at: (one.text, one.hidden) for one in read("a.xlsx", target.getvalue()).fragments}
    assert {at: found for at, found in said.items() if at.startswith("S!A")} == {
        "S!A1": ("Freight 2.05", False),
        "S!A1.vanished": (" or 9.99", True),
        "S!A2": ("bold is seen", False),
        "S!A3": ("all gone", True),
        "S!A4": ("small ", False),
        "S!A4.vanished": ("print", True),
        "S!A5": ("white on dark", False),
        "S!A6": ("white under a condition", False),
    }


def test_conditional_formats_that_hide_for_sure() -> None:
    target = io.BytesIO()
    book = xlsxwriter.Workbook(target, {"in_memory": True})
    sheet = book.add_worksheet("S")
    white, nothing = book.add_format({"color": "white"}), book.add_format({"num_format": ";;;"})
    black = book.add_format({"color": "black", "bg_color": "black"})
    always = {"type": "formula", "criteria": "=TRUE"}
    for row in range(9):
        sheet.write_number(row, 0, row)
    sheet.conditional_format("A1", {**always, "format": white})
    sheet.conditional_format("A2", {**always, "format": nothing})
    sheet.conditional_format("A3", {**always, "format": black})
    sheet.conditional_format("A4:A5", {"type": "cell", "criteria": ">", "value": 3, "format": white})
    sheet.conditional_format("A6", {"type": "no_blanks", "format": white})
    sheet.conditional_format("A7", {"type": "formula", "criteria": "=$B$1>3", "format": white})
    sheet.conditional_format("A8:A9", {**always, "format": white})
    sheet.conditional_format("A9", {**always, "format": book.add_format({"bg_color": "black"})})
    book.close()
    found = {one.at: one.hidden for one in read("a.xlsx", target.getvalue()).fragments if one.table == "S"}
    assert [at for at, hidden in found.items() if hidden] == ["S!A1", "S!A2", "S!A3", "S!A5", "S!A6"]
