"""Sound little files, one of each format: what stands in for the expert's deliverable where a package carries none.

Whether a check that does not come out is our fault shows on a file that is known to be good. A package built by its
id has no deliverables of the expert; then one of these is read and judged in the same process instead.
"""

from __future__ import annotations

import io
import zipfile

_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_MAIN = "application/vnd.openxmlformats-officedocument"
_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_SENTENCE = "We recommend the first offer, at a total cost of USD 1,250."


def probe(path: str) -> bytes | None:
    """A sound file of the format that a path names; None where that is no format of ours."""
    ending = path.rpartition("/")[2].rpartition(".")[2].lower()
    if ending == "xlsx":
        return _workbook()
    if ending == "docx":
        return _document()
    if ending == "pdf":
        return _page()
    return _TEXTS.get(ending)


_TEXTS = {
    "csv": b"Item,Total cost (USD)\r\nFirst,1250.00\r\n",
    "md": f"# Recommendation\n\n{_SENTENCE}\n\n| Item | Total cost (USD) |\n|---|---|\n| First | 1,250 |\n".encode(),
    "txt": f"Recommendation\n\n{_SENTENCE}\n".encode(),
    "json": b'{"items": [{"item": "First", "total": 1250.00}]}\n',
    "eml": f"From: a@example.com\r\nTo: b@example.com\r\nSubject: Offers\r\n\r\n{_SENTENCE}\r\n".encode(),
    "ics": b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//probe//EN\r\nBEGIN:VEVENT\r\nUID:1\r\n"
    b"DTSTAMP:20260101T000000Z\r\nDTSTART:20260102T090000Z\r\nSUMMARY:First offer\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
}


def _container(main: str, kind: str, parts: dict[str, str], relations: str = "") -> bytes:
    """A zip container of XML parts whose main part is ``main``."""
    folder, _, name = main.rpartition("/")
    kinds = {f"/{main}": f"{_MAIN}.{kind}.main+xml"}
    kinds |= {f"/{part}": f"{_MAIN}.spreadsheetml.worksheet+xml" for part in parts if part != main}
    listed = "".join(f'<Override PartName="{part}" ContentType="{of}"/>' for part, of in kinds.items())
    whole = {
        "[Content_Types].xml": f'<Types xmlns="{_TYPES}"><Default Extension="rels" '
        f'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>{listed}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{_RELATIONS}">'
        f'<Relationship Id="r1" Type="{_OFFICE}/officeDocument" Target="{main}"/></Relationships>',
        f"{folder}/_rels/{name}.rels": f'<Relationships xmlns="{_RELATIONS}">{relations}</Relationships>',
    } | parts
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for part, text in whole.items():
            archive.writestr(zipfile.ZipInfo(part), f'<?xml version="1.0" encoding="UTF-8"?>{text}')
    return out.getvalue()


def _workbook() -> bytes:
    """A workbook with a formula, so that recalculation is tried as well."""
    rows = (
        '<row r="1"><c r="A1" t="inlineStr"><is><t>Item</t></is></c>'
        '<c r="B1" t="inlineStr"><is><t>Total cost (USD)</t></is></c></row>'
        '<row r="2"><c r="A2" t="inlineStr"><is><t>First</t></is></c><c r="B2"><v>1250</v></c></row>'
        '<row r="3"><c r="A3" t="inlineStr"><is><t>Total</t></is></c><c r="B3"><f>SUM(B2:B2)</f></c></row>'
    )
    parts = {
        "xl/workbook.xml": f'<workbook xmlns="{_SHEET}" xmlns:r="{_OFFICE}"><sheets>'
        '<sheet name="Totals" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{_SHEET}"><sheetData>{rows}</sheetData></worksheet>',
    }
    relation = f'<Relationship Id="r1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
    return _container("xl/workbook.xml", "spreadsheetml.sheet", parts, relation)


def _document() -> bytes:
    cells = "".join(f"<w:tc><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>" for text in ("First", "1,250"))
    body = f"<w:p><w:r><w:t>{_SENTENCE}</w:t></w:r></w:p><w:tbl><w:tr>{cells}</w:tr></w:tbl>"
    text = f'<w:document xmlns:w="{_WORD}"><w:body>{body}</w:body></w:document>'
    return _container("word/document.xml", "wordprocessingml.document", {"word/document.xml": text})


def _page() -> bytes:
    """One page of PDF 1.4 with the sentence on it."""
    drawn = f"BT /F1 12 Tf 72 720 Td ({_SENTENCE}) Tj ET"
    objects = (
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        "/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream",
    )
    made, places = "%PDF-1.4\n", []
    for number, text in enumerate(objects, 1):
        places.append(len(made))
        made += f"{number} 0 obj\n{text}\nendobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    count = len(objects) + 1
    ending = f"trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{len(made)}\n%%EOF\n"
    return f"{made}xref\n0 {count}\n0000000000 65535 f \n{table}{ending}".encode()
