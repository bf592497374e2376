"""Sound little files, one of each format: what stands in for the expert's deliverable where a package carries none.

Whether a check that does not come out is our fault shows on a file that is known to be good. A package built by its
id has no deliverables of the expert; then one of these is read and judged in the same process instead.
"""

from __future__ import annotations

import io
import sqlite3
import zipfile

from PIL import Image, ImageDraw, ImageFont, PngImagePlugin

from workgym.records import by_ending

_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_MAIN = "application/vnd.openxmlformats-officedocument"
_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_SHOW = "http://schemas.openxmlformats.org/presentationml/2006/main"
_SENTENCE = "We recommend the first offer, at a total cost of USD 1,250."


def probe(path: str) -> bytes | None:
    """A sound file of the format that a path names; None where that is no format of ours."""
    form = by_ending(path)
    name = None if form is None else form.name
    if name == "xlsx":
        return _workbook()
    if name == "docx":
        return _document()
    if name == "pptx":
        return _slide()
    if name == "pdf":
        return _page()
    if name in ("png", "jpg"):
        return _picture("PNG" if name == "png" else "JPEG")
    if name == "sqlite":
        return _database()
    if name == "zip":
        return _archive()
    return None if name is None else _TEXTS.get(name)


_TEXTS = {
    "csv": b"Item,Total cost (USD)\r\nFirst,1250.00\r\n",
    "tsv": b"Item\tTotal cost (USD)\r\nFirst\t1250.00\r\n",
    "md": f"# Recommendation\n\n{_SENTENCE}\n\n| Item | Total cost (USD) |\n|---|---|\n| First | 1,250 |\n".encode(),
    "html": f"<!DOCTYPE html><title>Offers</title><h1>Recommendation</h1><p>{_SENTENCE}</p>"
    "<table><tr><th>Item<th>Total cost (USD)<tr><td>First<td>1,250</table>".encode(),
    "txt": f"Recommendation\n\n{_SENTENCE}\n".encode(),
    "log": f"2026-01-01T09:00:00Z INFO {_SENTENCE}\n".encode(),
    "code": f"# {_SENTENCE}\ntotal = 1250\n".encode(),
    "json": b'{"items": [{"item": "First", "total": 1250.00}]}\n',
    "yaml": b"items:\n  - item: First\n    total: 1250.00\n",
    "xml": b"<items><item><name>First</name><total>1250.00</total></item></items>\n",
    "eml": f"From: a@example.com\r\nTo: b@example.com\r\nSubject: Offers\r\n\r\n{_SENTENCE}\r\n".encode(),
    "mbox": b"From a@example.com Thu Jan  1 09:00:00 2026\nFrom: a@example.com\nSubject: Offers\n\n"
    + f"{_SENTENCE}\n\n".encode(),
    "vcf": b"BEGIN:VCARD\r\nVERSION:4.0\r\nFN:First Offer\r\nORG:First\r\nTEL:+1 555 1250\r\nEND:VCARD\r\n",
    "ics": b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//probe//EN\r\nBEGIN:VEVENT\r\nUID:1\r\n"
    b"DTSTAMP:20260101T000000Z\r\nDTSTART:20260102T090000Z\r\nSUMMARY:First offer\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
}


def _container(main: str, kind: str, parts: dict[str, str], relations: str = "") -> bytes:
    """A zip container of XML parts whose main part is ``main``."""
    folder, _, name = main.rpartition("/")
    kinds = {f"/{main}": f"{_MAIN}.{kind}.main+xml"}
    more = "presentationml.slide" if folder == "ppt" else "spreadsheetml.worksheet"
    kinds |= {f"/{part}": f"{_MAIN}.{more}+xml" for part in parts if part != main}
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


def _archive() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(zipfile.ZipInfo("First offer.txt"), _TEXTS["txt"])
    return out.getvalue()


def _database() -> bytes:
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("create table offers (item text, total numeric)")
        connection.execute("insert into offers values ('First', 1250)")
        connection.commit()
        return connection.serialize()
    finally:
        connection.close()


def _slide() -> bytes:
    drawn = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    spaces = f'xmlns:p="{_SHOW}" xmlns:r="{_OFFICE}" {drawn}'
    body = f"<p:txBody><a:bodyPr/><a:p><a:r><a:t>{_SENTENCE}</a:t></a:r></a:p></p:txBody>"
    text = f"<p:sp><p:nvSpPr/><p:spPr/>{body}</p:sp>"
    parts = {
        "ppt/presentation.xml": f'<p:presentation {spaces}><p:sldIdLst><p:sldId id="256" r:id="r1"/></p:sldIdLst>'
        "</p:presentation>",
        "ppt/slides/slide1.xml": f"<p:sld {spaces}><p:cSld><p:spTree>{text}</p:spTree></p:cSld></p:sld>",
    }
    relation = f'<Relationship Id="r1" Type="{_OFFICE}/slide" Target="slides/slide1.xml"/>'
    return _container("ppt/presentation.xml", "presentationml.presentation", parts, relation)


def _picture(form: str) -> bytes:
    """The sentence drawn, and noted in the metadata."""
    image = Image.new("RGB", (1000, 160), "white")
    ImageDraw.Draw(image).text((40, 60), _SENTENCE, fill="black", font=ImageFont.load_default(28))
    noted = PngImagePlugin.PngInfo()
    noted.add_text("Title", _SENTENCE)
    out = io.BytesIO()
    image.save(out, form, dpi=(150, 150), **({"pnginfo": noted} if form == "PNG" else {"comment": _SENTENCE}))
    return out.getvalue()


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
