"""Pictures, opened by Pillow: what stands in their metadata; what they show is recognised elsewhere.

``property.Title`` are the text chunks of a PNG, EXIF texts and comments of a JPEG, all hidden. The picture itself is
the page ``p1`` of ``Document.pictures``, see :mod:`workgym.documents.image.recognition`. Sizes are looked at before
anything is decoded. Not supported: other frames of animated pictures, and texts in colour profiles.
"""

from __future__ import annotations

import io
import struct
import threading
import warnings
import zlib
from collections.abc import Iterator

from PIL import ExifTags, Image

from workgym.documents.limits import LIMITS, check
from workgym.documents.model import Document, Fragment
from workgym.errors import Unreadable
from workgym.records import FormatName

_PNG, _JPEG = b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff"
_SOF = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
"""Markers of a JPEG's frame, which says its size."""
_ALONE = frozenset({0x01, *range(0xD0, 0xD9)})
"""Markers without a length."""
_DAMAGE = (OSError, SyntaxError, ValueError, EOFError, OverflowError, struct.error, zlib.error, LookupError, TypeError)
_LONGEST = 100_000
_QUIET = threading.Lock()
"""What is done about warnings is one for the process."""


def read_png(path: str, content: bytes) -> Document:
    """Read a PNG. Raises :class:`Unreadable`."""
    return _read(path, content, "png")


def read_jpg(path: str, content: bytes) -> Document:
    """Read a JPEG. Raises :class:`Unreadable`."""
    return _read(path, content, "jpg")


def decoded(path: str, content: bytes) -> Image.Image:
    """A picture in colour, on white. Raises :class:`Unreadable`."""
    sized(path, content)
    try:
        with (
            _QUIET,
            warnings.catch_warnings(action="ignore"),
            Image.open(io.BytesIO(content), formats=("PNG", "JPEG")) as image,
        ):
            image.load()
            if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
                clear = image.convert("RGBA")
                ground = Image.new("RGBA", clear.size, (255, 255, 255, 255))
                return Image.alpha_composite(ground, clear).convert("RGB")
            return image.convert("RGB")
    except _DAMAGE as error:
        raise _damaged(path, error) from error


def sized(path: str, content: bytes) -> tuple[int, int]:
    """Width and height in pixels, before anything is decoded. Raises :class:`Unreadable`."""
    check(path, len(content), LIMITS.file_bytes, "bytes")
    if content.startswith(_PNG):
        if len(content) < 33:
            raise Unreadable(path, "truncated", "the picture ends in its header")
        width, height = struct.unpack(">II", content[16:24])
    elif content.startswith(_JPEG):
        width, height = _frame(path, content)
    else:
        reason = "corrupt" if content.strip() else "truncated"
        raise Unreadable(path, reason, "it is neither a PNG nor a JPEG")
    if width * height == 0:
        raise Unreadable(path, "corrupt", "the picture has no size")
    check(path, width * height, LIMITS.pixels, "pixels")
    return width, height


def _frame(path: str, content: bytes) -> tuple[int, int]:
    at = 2
    while at + 9 < len(content):
        if content[at] != 0xFF:
            at += 1
            continue
        marker = content[at + 1]
        if marker in _SOF:
            height, width = struct.unpack(">HH", content[at + 5 : at + 9])
            return width, height
        at += 1 if marker == 0xFF else 2 if marker in _ALONE else 2 + int.from_bytes(content[at + 2 : at + 4], "big")
    raise Unreadable(path, "truncated", "the picture ends before it says its size")


def _read(path: str, content: bytes, name: FormatName) -> Document:
    sized(path, content)
    try:
        with (
            _QUIET,
            warnings.catch_warnings(action="ignore"),
            Image.open(io.BytesIO(content), formats=("PNG", "JPEG")) as image,
        ):
            image.load()
            said = dict(_said(image))
    except _DAMAGE as error:
        raise _damaged(path, error) from error
    found = tuple(
        Fragment(at=f"property.{label}", text=text[:_LONGEST], label=label, hidden=True)
        for label, text in said.items()
        if text.strip()
    )
    check(path, len(found), LIMITS.lines, "properties")
    return Document(path=path, format=name, fragments=found, pictures=("p1",))


def _said(image: Image.Image) -> Iterator[tuple[str, str]]:
    """Names and texts of the metadata."""
    for name, value in image.info.items():
        if isinstance(value, str):
            yield str(name), value
        elif name in ("comment", "xmp") and isinstance(value, bytes):
            yield str(name), value.decode("utf-8", "replace")
    exif = image.getexif()
    for tags, names in ((exif, ExifTags.TAGS), (exif.get_ifd(0x8769), ExifTags.TAGS), (exif.get_ifd(0x8825), {})):
        for tag, value in dict(tags).items():
            text = value
            if isinstance(value, bytes) and tag in (0x9286, 0x9C9B, 0x9C9C, 0x9C9D, 0x9C9E, 0x9C9F):
                text = _comment(value) if tag == 0x9286 else value.decode("utf-16-le", "replace").strip("\0")
            if isinstance(text, str):
                yield str(names.get(tag, f"exif.{tag}")), text.strip("\0")


def _comment(value: bytes) -> str:
    """EXIF's user comment: eight bytes that name its letters, then the text."""
    letters = {b"ASCII\0\0\0": "ascii", b"UNICODE\0": "utf-16"}.get(value[:8], "utf-8")
    return value[8:].decode(letters, "replace").strip("\0 ")


def _damaged(path: str, error: Exception) -> Unreadable:
    said = str(error)
    short = "truncated" in said or "EOF" in said or isinstance(error, EOFError)
    return Unreadable(path, "truncated" if short else "corrupt", f"the picture cannot be decoded ({said[:120]})")
