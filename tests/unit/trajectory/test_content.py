"""Files that say the same have one digest; files that differ in anything else do not."""

from __future__ import annotations

import io
import struct
import time
import zipfile

import pytest

from workgym.package import content_digest
from workgym.trajectory import normal_digest, workspace_digest


def zipped(parts: dict[str, bytes], *, year: int = 2026, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in parts.items():
            archive.writestr(zipfile.ZipInfo(name, (year, 1, 1, 0, 0, 0)), data, compress_type=method)
    return buffer.getvalue()


def core(stamp: str, author: str = "x") -> bytes:
    return f'<p><dc:creator>{author}</dc:creator><dcterms:modified xsi:type="a">{stamp}</dcterms:modified></p>'.encode()


def test_hours_and_zip_libraries_do_not_count() -> None:
    one = zipped({"a.xml": b"<a/>", "docProps/core.xml": core("2026-01-01")})
    two = zipped({"docProps/core.xml": core("2031-05-05"), "a.xml": b"<a/>"}, year=2031, method=zipfile.ZIP_STORED)
    assert one != two and normal_digest("b.xlsx", one) == normal_digest("b.xlsx", two)
    pdf = b"%PDF /CreationDate (D:2026) /ID [<aa> <bb>] text"
    assert normal_digest("a.pdf", pdf) == normal_digest("a.pdf", pdf.replace(b"2026", b"2031").replace(b"aa", b"cc"))


def test_all_else_counts() -> None:
    one = zipped({"a.xml": b"<a/>", "docProps/core.xml": core("2026-01-01")})
    for other in (
        {"a.xml": b"<b/>", "docProps/core.xml": core("2026-01-01")},
        {"a.xml": b"<a/>", "docProps/core.xml": core("2026-01-01", author="y")},
        {"a.xml": b"<a/>"},
    ):
        assert normal_digest("b.xlsx", one) != normal_digest("b.xlsx", zipped(other))
    assert normal_digest("b.txt", b"a") != normal_digest("b.txt", b"b")
    assert (
        workspace_digest({"a": "1", "b": "2"}) == workspace_digest({"b": "2", "a": "1"}) != workspace_digest({"a": "1"})
    )


def test_a_file_that_is_no_zip_and_a_bomb_count_by_their_bytes() -> None:
    for odd in (b"", b"PK", zipped({"a": b"x" * 3000})[:-40], zipped({"a": b"0" * (65 * 2**20)})):
        assert normal_digest("a.xlsx", odd) == normal_digest("a.txt", odd)


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_what_no_office_program_writes_counts_by_its_bytes(method: int) -> None:
    odd = bytearray(zipped({"a": b"x" * 3000}, method=method))
    odd[35] = 0xFF  # properties that the decoder refuses
    many = zipped({str(number): b"" for number in range(10_001)})
    for content in (bytes(odd), many):
        assert normal_digest("a.xlsx", content) == normal_digest("a.txt", content)


def beyond_all_offsets() -> bytes:
    """A zip64 archive whose directory points further than any file reaches."""
    content = bytearray(zipped({"a": b"x"}))
    entry, end = content.index(b"PK\1\2"), content.index(b"PK\5\6")
    extra = struct.pack("<HHQ", 1, 8, 2**63 + 5)
    struct.pack_into("<H", content, entry + 30, len(extra))
    struct.pack_into("<I", content, entry + 42, 0xFFFFFFFF)
    struct.pack_into("<I", content, end + 12, end - entry + len(extra))
    return bytes(content[:end] + extra + content[end:])


def test_offsets_that_no_file_has() -> None:
    odd = beyond_all_offsets()
    assert zipfile.ZipFile(io.BytesIO(odd)).infolist()[0].header_offset == 2**63 + 5
    assert normal_digest("a.xlsx", odd) == normal_digest("a.txt", odd)
    assert content_digest("a.xlsx", odd) == content_digest("a.txt", odd)


def test_a_heap_of_beginnings_takes_no_time() -> None:
    started = time.process_time()
    normal_digest("a.pdf", b"/ID[" * 100_000 + b"/CreationDate(" * 100_000)
    normal_digest("a.xlsx", zipped({"docProps/core.xml": b"<dcterms:created " * 100_000}))
    assert time.process_time() - started < 5
