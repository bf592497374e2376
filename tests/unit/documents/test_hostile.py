"""Files that mean harm, or that came to harm: each is refused in one clear line, or read within the limits."""

from __future__ import annotations

import io
import random
import struct
import zipfile
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reportlab.pdfgen import canvas

from workgym.documents import Document, edit, read, read_all
from workgym.documents.limits import LIMITS
from workgym.documents.patches import TextEdit
from workgym.errors import DocumentError, Unreadable
from workgym.testing.carriers import sample

SHEET = "xl/worksheets/sheet1.xml"


def with_parts(content: bytes, parts: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            if info.filename not in parts:
                new.writestr(info, old.read(info))
        for name, part in parts.items():
            new.writestr(name, part)
    return target.getvalue()


def with_part(content: bytes, name: str, part: bytes) -> bytes:
    return with_parts(content, {name: part})


def part(content: bytes, name: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return archive.read(name)


def refusal(path: str, content: bytes) -> str:
    with pytest.raises(Unreadable) as caught:
        read(path, content)
    assert "\n" not in str(caught.value)
    return caught.value.reason


def test_a_bomb_is_seen_before_it_is_unpacked(xlsx: bytes) -> None:
    assert refusal("a.xlsx", with_part(xlsx, SHEET, b" " * 40_000_000)) == "bomb"
    many = {f"xl/media/{number}.bin": bytes(range(256)) * 160_000 for number in range(4)}
    assert refusal("a.xlsx", with_parts(xlsx, many)) == "bomb"


def test_a_part_that_lies_about_its_size(xlsx: bytes) -> None:
    bomb = bytearray(with_part(xlsx, SHEET, b" " * 3_000_000))
    at = bomb.rfind(b"PK\x01\x02")
    assert bomb[at + 46 : at + 46 + len(SHEET)] == SHEET.encode()
    bomb[at + 24 : at + 28] = struct.pack("<I", 100)
    assert refusal("a.xlsx", bytes(bomb)) == "corrupt"


def test_a_zip_in_a_zip_is_left_alone(xlsx: bytes) -> None:
    nested = xlsx
    for _ in range(5):
        nested = with_part(xlsx, "xl/embeddings/inner.xlsx", nested)
    assert len(read("a.xlsx", nested).fragments) == len(read("a.xlsx", xlsx).fragments)


@pytest.mark.parametrize(
    "head",
    [
        b'<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>',
        b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
        b'<!DOCTYPE a SYSTEM "http://attacker.example/x.dtd">',
    ],
)
def test_entities_are_refused(xlsx: bytes, head: bytes) -> None:
    xml = part(xlsx, SHEET)
    declaration, _, rest = xml.partition(b"?>")
    assert refusal("a.xlsx", with_part(xlsx, SHEET, declaration + b"?>" + head + rest)) == "corrupt"
    hidden = (declaration + b"?>" + head + rest).decode().replace("UTF-8", "UTF-16").encode("utf-16")
    assert refusal("a.xlsx", with_part(xlsx, SHEET, hidden)) == "corrupt"


def test_passwords(pdf: bytes) -> None:
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500) + "EncryptedPackage".encode("utf-16-le") + bytes(500)
    assert refusal("a.xlsx", ole) == "encrypted"
    assert refusal("a.docx", ole) == "encrypted"
    assert refusal("a.xlsx", ole[:300]) == "corrupt"
    target = io.BytesIO()
    page = canvas.Canvas(target, encrypt="secret")
    page.drawString(100, 700, "hello")
    page.save()
    assert refusal("a.pdf", target.getvalue()) == "encrypted"


def test_truncated_files(xlsx: bytes, docx_file: bytes, pdf: bytes, eml: bytes, ics: bytes) -> None:
    assert refusal("a.xlsx", xlsx[:-200]) == "truncated"
    assert refusal("a.docx", docx_file[: len(docx_file) // 2]) == "truncated"
    assert refusal("a.pdf", pdf[:600]) == "truncated"
    assert refusal("a.eml", eml[:-40]) == "truncated"
    assert refusal("a.ics", ics[:-30]) == "truncated"
    assert refusal("a.json", b"") == "truncated"


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("a.xlsx", b"not a zip"),
        ("a.docx", b"PK\x03\x04 nothing"),
        ("a.pdf", b"GIF89a"),
        ("a.csv", b"a\x00b"),
        ("a.json", b"{'a': 1}"),
        ("a.json", b"[NaN]"),
        ("a.eml", b"\x00\x01\x02"),
        ("a.eml", b"no headers here"),
        ("a.ics", b"SUMMARY:x"),
        ("a.ics", b"BEGIN:VCALENDAR\nx"),
        ("a.csv", b'a,"b\n1,2'),
        ("a.txt", b"\xff\xfea"),
    ],
)
def test_garbage_is_called_so(path: str, content: bytes) -> None:
    assert refusal(path, content) in ("corrupt", "truncated")


def test_the_wrong_office_format(xlsx: bytes, docx_file: bytes) -> None:
    assert refusal("a.docx", xlsx) == "corrupt"
    assert refusal("a.xlsx", docx_file) == "corrupt"


@pytest.mark.parametrize("gone", ["[Content_Types].xml", "_rels/.rels"])
@pytest.mark.parametrize("form", ["docx", "xlsx", "pptx"])
def test_what_no_office_program_opens_is_not_read(form: Literal["docx", "xlsx", "pptx"], gone: str) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(sample(form).content)) as whole, zipfile.ZipFile(made, "w") as other:
        for name in whole.namelist():
            if name != gone:
                other.writestr(name, whole.read(name))
    assert refusal(f"a.{form}", made.getvalue()) == "corrupt"


def test_a_million_rows_are_claimed_only(xlsx: bytes) -> None:
    sheet = part(xlsx, SHEET).replace(b'<dimension ref="A1:H7"/>', b'<dimension ref="A1:XFD1048576"/>')
    assert b"XFD1048576" in sheet
    assert len(read("a.xlsx", with_part(xlsx, SHEET, sheet)).fragments) == len(read("a.xlsx", xlsx).fragments)
    far = sheet.replace(b"</sheetData>", b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>')
    assert read("a.xlsx", with_part(xlsx, SHEET, far)).text_at("Cost overview!XFD1048576") == "1"


def test_too_many_cells(xlsx: bytes) -> None:
    row = b"<row>" + b"<c><v>1</v></c>" * 100 + b"</row>"
    sheet = part(xlsx, SHEET)
    head, _, tail = sheet.partition(b"<sheetData>")
    tail = tail.partition(b"</sheetData>")[2]
    full = head + b"<sheetData>" + row * (LIMITS.cells // 100 + 1) + b"</sheetData>" + tail
    assert refusal("a.xlsx", with_part(xlsx, SHEET, full)) in ("over-limit", "bomb")


def test_a_huge_string_table_is_refused_by_its_size(xlsx: bytes) -> None:
    noise = random.Random(1).randbytes(LIMITS.part_bytes // 2 + 1000).hex().encode()
    assert refusal("a.xlsx", with_part(xlsx, "xl/sharedStrings.xml", noise)) in ("over-limit", "bomb")


@pytest.mark.parametrize("depth", [5_000, 200_000])
def test_deep_nesting(docx_file: bytes, depth: int) -> None:
    assert refusal("a.json", b"[" * depth + b"]" * depth) == "over-limit"
    assert refusal("a.json", b'{"a":' * 400 + b"1" + b"}" * 400) == "over-limit"
    xml = part(docx_file, "word/document.xml")
    deep = xml.replace(b"<w:body>", b"<w:body>" + b"<w:sdt>" * depth + b"</w:sdt>" * depth)
    assert read("a.docx", with_part(docx_file, "word/document.xml", deep)).text_at("p1") == "Procurement policy"
    opened = b"".join(b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d\n' % (n, n) for n in range(300))
    closed = b"".join(b"\n--b%d--\n" % n for n in reversed(range(300)))
    assert refusal("a.eml", opened + b"\nx" + closed) == "over-limit"


def test_damaged_xml_inside_a_sound_container(xlsx: bytes) -> None:
    broken = part(xlsx, SHEET)
    assert refusal("a.xlsx", with_part(xlsx, SHEET, broken[:-30])) == "corrupt"
    assert refusal("a.xlsx", with_part(xlsx, SHEET, broken.replace(b't="s"><v>0', b't="s"><v>999'))) == "corrupt"
    assert refusal("a.xlsx", with_part(xlsx, SHEET, broken.replace(b"<v>2.05", b"<v>NaN"))) == "corrupt"


@given(data=st.data())
def test_parts_with_random_damage(data: st.DataObject, xlsx: bytes, docx_file: bytes) -> None:
    name, content = data.draw(st.sampled_from([("a.xlsx", xlsx), ("a.docx", docx_file)]))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = [info.filename for info in archive.infolist() if info.filename.endswith((".xml", ".rels"))]
    victim = data.draw(st.sampled_from(names))
    damaged = bytearray(part(content, victim))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(damaged) - 1))
        damaged[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    made = with_part(content, victim, bytes(damaged))
    try:
        document = read(name, made)
        if document.fragments:
            fragment = document.fragments[0]
            edit(name, made, [TextEdit(at=fragment.at, expected=fragment.text, replacement="x")])
    except DocumentError:
        pass


def test_one_bad_file_does_not_take_the_others_with_it(xlsx: bytes, csv: bytes, pdf: bytes) -> None:
    files = {"a.xlsx": xlsx, "b.csv": csv, "c.pdf": pdf, "d.json": b"[1,", "e.bin": b"x"}
    found = read_all(files)
    assert list(found) == list(files)
    for name in ("a.xlsx", "b.csv", "c.pdf"):
        assert found[name] == read(name, files[name])
    refused = [error.reason for error in found.values() if isinstance(error, Unreadable)]
    assert refused == ["corrupt", "unknown-format"]
    assert read_all({}) == {}


def test_a_file_that_exhausts_its_child_is_the_cause_itself(csv: bytes) -> None:
    bomb = io.BytesIO()
    page = canvas.Canvas(bomb, pageCompression=1, invariant=1)
    page._code.append("BT /F1 12 Tf " + "(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) Tj " * 600_000 + "ET")
    page.showPage()
    page.save()
    found = read_all({"a.csv": csv, "b.pdf": bomb.getvalue()})
    assert isinstance(found["a.csv"], Document)
    assert isinstance(found["b.pdf"], Unreadable)
    assert found["b.pdf"].reason == "over-limit"
