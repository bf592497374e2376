"""Tables as people leave them: merged cells, units, blank rows and columns, headings again; and what stays apart."""

from __future__ import annotations

import io
from collections.abc import Callable

import xlsxwriter
from xlsxwriter.worksheet import Worksheet

from workgym.documents import Document, context, contexts, grids, read


def sheet(fill: Callable[[Worksheet], None]) -> Document:
    target = io.BytesIO()
    book = xlsxwriter.Workbook(target, {"in_memory": True})
    fill(book.add_worksheet("S"))
    book.close()
    return read("a.xlsx", target.getvalue())


def csv(*lines: str) -> Document:
    return read("a.csv", "\n".join(lines).encode() + b"\n")


def texts(document: Document) -> list[list[list[str]]]:
    return [[[cell.text for cell in row] for row in grid.rows] for grid in grids(document)]


def test_merged_headings_and_keys_count_where_they_reach() -> None:
    def fill(cells: Worksheet) -> None:
        cells.merge_range("A1:D1", "All contracts")
        cells.merge_range("A2:A3", "Supplier")
        cells.merge_range("B2:C2", "Contract")
        cells.merge_range("D2:D3", "Units")
        cells.write_row("B3", ["Start", "End"])
        cells.merge_range("A4:A5", "Kestrel")
        cells.write_row("B4", ["2026-03-01", "2026-04-01", 12])
        cells.write_row("B5", ["2026-05-01", "2026-06-01", 15])
        cells.write_row("A6", ["Orbis", "2026-05-01", "2026-06-01", 19])

    document = sheet(fill)
    (grid,) = grids(document)
    assert grid.titles == ("All contracts",)
    assert [grid.heading(column) for column in (1, 2, 3, 4)] == [
        ("Supplier",), ("Contract", "Start"), ("Contract", "End"), ("Units",),
    ]  # fmt: skip
    assert [row[0].text for row in grid.rows] == ["Kestrel", "Kestrel", "Orbis"]
    around = context(document, "S!D5")
    assert (around.row[0], around.headings) == ("Kestrel", ("Units",))
    assert context(document, "S!A4").row == ("2026-03-01", "2026-04-01", "12")


def test_units_under_the_headings() -> None:
    (grid,) = grids(csv("Item,Weight,Price", ",kg,EUR", "Foil,12.5,0.93", "Pallet,30,14.80"))
    assert [cell.text for cell in grid.units] == ["kg", "EUR"]
    assert grid.heading(2) == ("Weight", "kg")
    assert len(grid.rows) == 2
    (other,) = grids(csv("Item,Weight,Price", "Foil,heavy,EUR", "Pallet,30,14.80"))
    assert other.units == ()
    (texts_only,) = grids(csv("Item,Colour,Terms", ",red,FCA", "Foil,blue,DAP"))
    assert texts_only.units == ()


def test_rows_go_on_behind_a_blank_line() -> None:
    document = csv("Item,Units,Price", "Foil,12,0.93", "Pallet,30,14.80", ",,", "Label,7,0.05", "Total,49,")
    assert texts(document) == [
        [["Foil", "12", "0.93"], ["Pallet", "30", "14.80"], ["Label", "7", "0.05"], ["Total", "49"]]
    ]


def test_another_table_behind_a_blank_line_stays_one() -> None:
    table = ("Item,Units,Price", "Foil,12,0.93", "Pallet,30,14.80", "")
    assert len(grids(csv(*table, "Prepared by,Ines Roth", "Checked by,Paul Ek"))) == 2
    assert len(grids(csv(*table, "Rate,8.5 %", "Share,9 %"))) == 2
    assert len(grids(csv(*table, "Region,Share,Rank", "North,40 %,1"))) == 2
    assert len(grids(csv(*table, "", "Label,7,0.05"))) == 2
    assert len(grids(csv(*table, "Valid,2026-03-01,2026-04-01"))) == 2


def test_headings_that_are_repeated() -> None:
    document = csv("Item,Units", "Foil,12", "Pallet,30", "item ,UNITS", "Label,7", "", "Item,Units", "Box,4")
    assert texts(document) == [[["Foil", "12"], ["Pallet", "30"], ["Label", "7"], ["Box", "4"]]]
    assert set(contexts(document)) == {fragment.at for fragment in document.fragments}


def test_a_blank_column_in_a_table_and_one_between_tables() -> None:
    def one(cells: Worksheet) -> None:
        cells.write_row("A1", ["Item", "Terms", None, "Units", "Price"])
        for row in range(1, 5):
            cells.write_row(row, 0, [f"i{row}", "FCA", None, row * 10, row / 4])

    def two(cells: Worksheet) -> None:
        cells.write_row("A1", ["Year", "Units", None, "Supplier", "Price"])
        for row in range(1, 5):
            cells.write_row(row, 0, [2025 + row, row * 10, None, f"s{row}", row / 4])

    (grid,) = grids(sheet(one))
    assert [cell.text for cell in grid.rows[2]] == ["i3", "FCA", "30", "0.75"]
    assert grid.heading(4) == ("Units",)
    assert [grid.header[0].text for grid in grids(sheet(two))] == ["Year", "Supplier"]


def test_notes_beside_a_table_with_blank_rows() -> None:
    def fill(cells: Worksheet) -> None:
        cells.write_row("A1", ["Item", "Units"])
        cells.write_row("A2", ["a", 1, None, "as of March"])
        cells.write_row("A3", ["b", 2])
        cells.write_row("A5", ["c", 3])

    (grid,) = grids(sheet(fill))
    assert [row[0].text for row in grid.rows] == ["a", "b", "c"]
    assert grid.notes == ("as of March",)
