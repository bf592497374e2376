"""Pictures as files: metadata, sizes before decoding, and what is damaged."""

from __future__ import annotations

import io
import struct
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, PngImagePlugin

from workgym.documents import read, read_all
from workgym.documents.image.read import decoded
from workgym.errors import Unreadable


def png(mode: str = "RGB", size: tuple[int, int] = (40, 20), **texts: str) -> bytes:
    info = PngImagePlugin.PngInfo()
    for name, text in texts.items():
        info.add_itxt(name, text)
    target = io.BytesIO()
    Image.new(mode, size).save(target, "PNG", pnginfo=info)
    return target.getvalue()


def jpg() -> bytes:
    image = Image.effect_noise((64, 48), 40).convert("RGB")
    exif = Image.Exif()
    exif[0x010E], exif[0x013B], exif[0x9286] = (
        "Invoice 4711 — paid",
        "Ann Berg",
        b"UNICODE\0" + "für 12 €".encode("utf-16"),
    )
    target = io.BytesIO()
    image.save(target, "JPEG", exif=exif, comment=b"from the scanner")
    return target.getvalue()


def test_texts_of_a_png_are_hidden() -> None:
    document = read("scan.png", png(Title="Frächt 2026", Comment="see 東京"))
    assert document.pictures == ("p1",)
    assert {f.at: (f.text, f.hidden) for f in document.fragments} == {
        "property.Title": ("Frächt 2026", True),
        "property.Comment": ("see 東京", True),
    }


@pytest.mark.parametrize("name", ["photo.jpg", "photo.JPEG"])
def test_texts_of_a_jpeg_are_hidden(name: str) -> None:
    found = {f.label: f.text for f in read(name, jpg()).fragments}
    assert found["comment"] == "from the scanner"
    assert found["Artist"] == "Ann Berg"
    assert "paid" in found["ImageDescription"]
    assert found["UserComment"] == "für 12 €"


def test_a_clear_ground_is_white() -> None:
    target = io.BytesIO()
    Image.new("RGBA", (3, 3), (0, 0, 0, 0)).save(target, "PNG")
    assert decoded("a.png", target.getvalue()).getpixel((1, 1)) == (255, 255, 255)
    assert decoded("a.png", png("L")).mode == "RGB"


def bomb(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    body = zlib.compress(b"\0" * 10_000)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


@pytest.mark.parametrize("size", [(65_000, 65_000), (2**31 - 1, 2**31 - 1), (40_000_001, 1)])
def test_too_many_pixels_are_refused_before_decoding(size: tuple[int, int]) -> None:
    with pytest.raises(Unreadable, match="over-limit: more than 40,000,000 pixels"):
        read("a.png", bomb(*size))


def test_a_jpeg_of_too_many_pixels() -> None:
    content = bytearray(jpg())
    at = content.index(b"\xff\xc0")
    content[at + 5 : at + 9] = b"\xff\xff\xff\xff"
    with pytest.raises(Unreadable, match="over-limit"):
        read("a.jpg", bytes(content))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "truncated"),
        (b"GIF89a", "corrupt"),
        (png()[:20], "truncated"),
        (jpg()[:12], "truncated"),
        (jpg()[:-400], "truncated"),
        (bomb(0, 7), "corrupt"),
        (bomb(3000, 3000), "truncated"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 60, "corrupt"),
    ],
)
def test_what_is_no_picture(content: bytes, reason: str) -> None:
    with pytest.raises(Unreadable) as caught:
        read("a.png", content)
    assert caught.value.reason == reason


def test_a_bomb_of_text() -> None:
    data = b"Title\0\0" + zlib.compress(b"x" * 80_000_000)
    part = struct.pack(">I", len(data)) + b"zTXt" + data + struct.pack(">I", zlib.crc32(b"zTXt" + data))
    whole = png()
    with pytest.raises(Unreadable):
        read("a.png", whole[:33] + part + whole[33:])


def test_in_a_child() -> None:
    found = read_all({"a.png": png(Title="x"), "b.jpg": b"\xff\xd8\xff"})
    assert not isinstance(found["a.png"], Unreadable) and found["a.png"].pictures == ("p1",)
    assert isinstance(found["b.jpg"], Unreadable)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from([png(Title="a", Comment="b"), jpg(), png("P"), png("I;16")]), st.data())
def test_damaged_pictures_are_read_or_refused(good: bytes, data: st.DataObject) -> None:
    spoiled = bytearray(good)
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(spoiled) - 1))
        spoiled[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=5))
    if data.draw(st.booleans()):
        del spoiled[data.draw(st.integers(1, len(spoiled))) :]
    try:
        read("a.png", bytes(spoiled))
    except Unreadable as error:
        assert error.reason in Unreadable.REASONS
