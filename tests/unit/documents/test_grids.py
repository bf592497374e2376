from __future__ import annotations

from workgym.documents import context, contexts, grids, paragraphs, read, sentences


def test_a_sheet_with_a_title_a_note_and_a_table_beside_it(xlsx: bytes) -> None:
    document = read("a.xlsx", xlsx)
    table = grids(document)[0]
    assert table.titles == ("Landed cost by supplier",)
    assert [cell.text for cell in table.header] == ["Supplier", "Price", "Share", "Valid from", "Cut-off", "Total"]
    assert [row[0].text for row in table.rows] == ["Kestrel", "Orbis & Co", "Tarn", "Prices are net of freight."]
    assert table.column("price") == 2
    cell = table.cell(5, 2)
    assert cell is not None
    assert (cell.at, cell.text) == ("Cost overview!B5", "1,234.50")
    around = context(document, "Cost overview!B5")
    assert around.row[0] == "Orbis & Co"
    assert around.headings == ("Price",)
    assert around.titles == ("Landed cost by supplier", "Cost overview")


def test_columns_of_a_page_are_found_where_cells_are_empty(pdf: bytes) -> None:
    document = read("a.pdf", pdf)
    (table,) = grids(document)
    assert [cell.text for cell in table.header] == ["Date", "Text", "Amount"]
    third = table.rows[2]
    assert [(cell.column, cell.text, cell.at) for cell in third] == [
        (1, "2026-03-03", "p1l6[0:10]"), (3, "40.50", "p1l6[12:17]"),
    ]  # fmt: skip
    around = context(document, "p1l6", (12, 17))
    assert (around.row, around.headings) == (("2026-03-03",), ("Amount",))
    assert table.titles[0].startswith("Statement of account")


def test_markdown_csv_docx_and_json(md: bytes, csv: bytes, docx_file: bytes, json_file: bytes, ics: bytes) -> None:
    (table,) = grids(read("a.md", md))
    assert [[cell.text for cell in row] for row in (table.header, *table.rows)] == [
        ["item", "price"],
        ["a", "1.50"],
        ["b", "2"],
    ]
    assert table.rows[0][1].at == "l8[6:10]"
    (ledger,) = grids(read("a.csv", csv))
    assert [cell.text for cell in ledger.header] == ["id", "name", "amount"]
    assert len(ledger.rows) == 3
    (words,) = grids(read("a.docx", docx_file))
    assert [cell.text for cell in words.rows[-1]] == ["r3 c1", "r3 c2", "r3 c3"]
    punches, _people = grids(read("a.json", json_file))
    assert [cell.text for cell in punches.header] == ["id", "in", "rate"]
    assert context(read("a.json", json_file), "/people/E2/name").row == ("people", "E2")
    (events,) = grids(read("a.ics", ics))
    assert [cell.text for cell in events.header] == ["DTSTART", "SUMMARY", "DESCRIPTION"]


def test_two_tables_on_one_sheet() -> None:
    body = "a,b\nx,1\ny,2\n\nc,d\nz,3\nw,4\n"
    first, second = grids(read("a.csv", body.encode()))
    assert [cell.text for cell in first.header] == ["a", "b"]
    assert [cell.text for cell in second.header] == ["c", "d"]
    assert second.rows[0][1].at == "r6c2"


def test_headings_that_are_days_or_years() -> None:
    (roster,) = grids(read("a.csv", b"Employee,2026-03-02,2026-03-03\nAnn,F,S\nBo,S,F\n"))
    assert roster.heading(3) == ("2026-03-03",)
    (years,) = grids(read("a.csv", b"Item,2025,2026\nRent,1200,1250\n"))
    assert years.heading(2) == ("2025",)
    (none,) = grids(read("a.csv", b"Ann,2026-03-02\nBo,2026-03-03\n"))
    assert none.header == ()


def test_context_of_prose(md: bytes) -> None:
    document = read("a.md", md)
    assert context(document, "l3").lines == ("Freight is USD 2.05.", "# Note")
    assert context(document, "l99").texts == ()
    assert set(contexts(document)) == {fragment.at for fragment in document.fragments}


def test_paragraphs_and_sentences(md: bytes, eml: bytes, pdf: bytes, docx_file: bytes) -> None:
    assert [text for _, text in paragraphs(read("a.md", md))] == [
        "# Note",
        "Freight is USD 2.05. It starts in May.",
        "- done",
    ]
    found = [text for _, text in paragraphs(read("a.pdf", pdf))]
    assert len(found) == 1
    assert found[0].startswith("Statement of account")
    assert found[0].endswith("line of it.")
    assert [text for _, text in paragraphs(read("a.docx", docx_file))][1].startswith("The limit")
    assert sentences("Freight is approx. 2.05 USD. It rises, e.g. in May. Mr. B. Lind agrees! (See no. 4.)") == (
        "Freight is approx. 2.05 USD.", "It rises, e.g. in May.", "Mr. B. Lind agrees!", "(See no. 4.)",
    )  # fmt: skip
