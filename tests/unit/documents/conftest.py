"""Real files, each made by the library that workgym's writers use."""

from __future__ import annotations

import datetime
import io
import json
from email.message import EmailMessage

import docx
import openpyxl
import pytest
import xlsxwriter
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table

SUBJECT = "Frächt from May – a subject that is long enough to be folded by everybody who writes it"
BODY = """\
Dear Ann,

freight is USD 2.05 per unit – from May on, and all the rest stays as it was before.
Bo
"""
CREATED = datetime.datetime(2026, 1, 1)


@pytest.fixture(scope="session")
def xlsx() -> bytes:
    target = io.BytesIO()
    book = xlsxwriter.Workbook(target, {"in_memory": True})
    book.set_properties({"title": "Costs of Q1", "created": CREATED})
    sheet, secret = book.add_worksheet("Cost overview"), book.add_worksheet("Secret")
    secret.hide()
    money = book.add_format({"num_format": "#,##0.00"})
    percent = book.add_format({"num_format": "0.0%"})
    date = book.add_format({"num_format": "yyyy-mm-dd"})
    time = book.add_format({"num_format": "hh:mm"})
    sheet.write("A1", "Landed cost by supplier")
    sheet.write_row("A3", ["Supplier", "Price", "Share", "Valid from", "Cut-off", "Total"])
    for row, (name, price) in enumerate([("Kestrel", 2.05), ("Orbis & Co", 1234.5), ("Tarn", 2)], 3):
        sheet.write(row, 0, name)
        sheet.write_number(row, 1, price, money)
        sheet.write_number(row, 2, 0.085, percent)
        sheet.write_datetime(row, 3, datetime.datetime(2026, 3, row), date)
        sheet.write_datetime(row, 4, datetime.time(7, 45), time)
        sheet.write_formula(row, 5, f"=B{row + 1}*2", money, price * 2)
    sheet.write("A7", "Prices are net of freight.")
    sheet.write_formula("B7", "=SUM(B4:B6)", money, 1238.55)
    sheet.write_comment("B4", "see the mail of 2 March")
    sheet.set_row(4, None, None, {"hidden": True})
    sheet.set_column("D:D", 12, None, {"hidden": True})
    sheet.write_rich_string("H3", "half ", book.add_format({"bold": True}), "bold", " text")
    sheet.write_boolean("H4", True)
    secret.write("A1", 42)
    book.define_name("Rate", "=Secret!$A$1")
    chart = book.add_chart({"type": "column"})
    chart.add_series({"values": "='Cost overview'!$B$4:$B$6"})
    secret.insert_chart("C3", chart)
    book.close()
    return target.getvalue()


@pytest.fixture(scope="session")
def plain_xlsx() -> bytes:
    """By openpyxl: no shared strings used by formulas, no cached values."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Q"
    for row in range(1, 6):
        sheet.cell(row, 1, f"item {row}")
        sheet.cell(row, 2, row * 10)
        sheet.cell(row, 3, f"=B{row}*2")
    sheet["B6"] = "=SUM(B1:B5)"
    sheet["A6"] = '=IF(B6>0,"",1)'
    other = book.create_sheet("Other")
    other["A1"] = "=SUM(Q!B2:B4)+Q!B5"
    other["A2"] = "=Q!B2"
    sheet.merge_cells("E3:F4")
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


@pytest.fixture(scope="session")
def docx_file() -> bytes:
    document = docx.Document()
    document.add_heading("Procurement policy", 1)
    document.add_paragraph("")
    mixed = document.add_paragraph("The limit is ")
    mixed.add_run("8.5 %").bold = True
    mixed.add_run(" of the order, at most USD 2,000.")
    table = document.add_table(rows=3, cols=3)
    for row in range(3):
        for column in range(3):
            table.cell(row, column).text = f"r{row + 1} c{column + 1}"
    table.cell(0, 0).merge(table.cell(0, 1))
    document.add_paragraph("Line one\nLine two\tand a tab")
    section = document.sections[0]
    section.header.paragraphs[0].text = "Halden Instruments"
    section.footer.paragraphs[0].text = "internal"
    document.add_comment(mixed.runs[0], text="is this final?", author="Ann")
    target = io.BytesIO()
    document.save(target)
    return target.getvalue()


@pytest.fixture(scope="session")
def pdf() -> bytes:
    target = io.BytesIO()
    style = getSampleStyleSheet()["Normal"]
    rows = [["Date", "Text", "Amount"]]
    rows += [[f"2026-03-{n:02d}", f"Payment {n}" if n % 3 else "", f"{n * 13.5:,.2f}"] for n in range(1, 13)]
    prose = "Statement of account for March 2026, in words that are enough to be wrapped over more than one line of it."
    SimpleDocTemplate(target, invariant=1, title="Statement").build([Paragraph(prose, style), Table(rows)])
    return target.getvalue()


@pytest.fixture(scope="session")
def eml() -> bytes:
    message = EmailMessage()
    message["From"] = "Bo Lindqvist <bo@kestrel.example>"
    message["To"] = "ann@halden.example"
    message["Subject"] = SUBJECT
    message["Date"] = "Mon, 02 Mar 2026 10:00:00 +0000"
    message.set_content(BODY)
    message.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="quote é.pdf")
    message.set_boundary("==fixed==")
    return message.as_bytes()


@pytest.fixture(scope="session")
def plain_eml() -> bytes:
    message = EmailMessage()
    message["From"] = "bo@kestrel.example"
    message["Subject"] = "Freight"
    message.set_content("Dear Ann,\n\nfreight is USD 2.05 per unit.\nBo\n")
    return message.as_bytes()


@pytest.fixture(scope="session")
def ics() -> bytes:
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//workgym//EN", "X-WR-CALNAME:Holidays"]
    for number in range(1, 4):
        lines += [
            "BEGIN:VEVENT",
            f"UID:{number}",
            f"DTSTART;VALUE=DATE:202605{number:02d}",
            f"SUMMARY:Holiday {number}\\, all day",
            "DESCRIPTION:A text that is long enough to have to be folded by whoever",
            "  writes it down",
            "END:VEVENT",
        ]
    lines.append("END:VCALENDAR")
    return "\r\n".join(lines).encode() + b"\r\n"


@pytest.fixture(scope="session")
def json_file() -> bytes:
    data = {
        "month": "2026-03",
        "punches": [{"id": n, "in": "07:45", "pay": {"rate": 19.5}} for n in range(1, 4)],
        "people": {"E1": {"name": "Ann"}, "E2": {"name": "Bö"}},
        "closed": False,
        "a/b": [1, 2.50],
    }
    return json.dumps(data, indent=2, ensure_ascii=False).encode()


@pytest.fixture(scope="session")
def csv() -> bytes:
    return b'id;name;amount\r\n1;"Kestrel; Ltd";1.234,50\r\n2;Orbis;7\r\n3;"say ""hi""";\r\n'


@pytest.fixture(scope="session")
def md() -> bytes:
    table = b"| item | price |\n|:-----|------:|\n| a | 1.50 |\n| b | 2 |\n"
    return b"# Note\n\nFreight is USD 2.05.\nIt starts in May.\n\n" + table + b"\n- done\n"
