"""What a PDF unpacks to, counted before PDFium takes memory for it: the content streams, found without its structure.

Streams of pictures are left out, and so are the rare ways of packing other than deflate. What a drawing that draws
itself comes to is not counted here: the child's limits end it.
"""

from __future__ import annotations

import re
import zlib

from workgym.documents.limits import LIMITS, check

_STREAM = re.compile(rb"stream\r?\n")
_TEXTS = re.compile(rb"\((?:[^()\\]|\\.)*+\)|<([0-9A-Fa-f\s]*+)>", re.S)
_HEAD = 4096
"""Bytes before a stream in which its dictionary is looked for."""
_SHOWING = (b"Tj", b"TJ")


def count(path: str, content: bytes) -> None:
    """Raises :class:`workgym.errors.Unreadable` (``over-limit``) where streams unpack to too much."""
    total = 0
    for mark in _STREAM.finditer(content):
        if content.endswith(b"end", 0, mark.start()):
            continue
        head = content[max(0, mark.start() - _HEAD) : mark.start()].rpartition(b"obj")[2]
        if b"/Image" in head:
            continue
        end = content.find(b"endstream", mark.end())
        unpacked = content[mark.end() : end if end > 0 else len(content)]
        for _ in range(min(head.count(b"/FlateDecode") + head.count(b"/Fl "), LIMITS.depth)):
            unpacked = _unpacked(unpacked, LIMITS.stream_bytes + 1)
        check(path, len(unpacked), LIMITS.stream_bytes, "bytes in one of its streams")
        total += len(unpacked)
        check(path, total, LIMITS.unpacked_bytes, "bytes in its streams")
        if any(word in unpacked for word in _SHOWING):
            check(path, _characters(unpacked), LIMITS.stream_characters, "characters in one of its streams")


def _unpacked(packed: bytes, most: int) -> bytes:
    """What is deflated there, as far as it is sound, and no more than ``most`` bytes of it."""
    try:
        return zlib.decompressobj().decompress(packed, most)
    except zlib.error:
        return b""


def _characters(unpacked: bytes) -> int:
    """The characters that a content stream shows, at most: bytes in brackets, and two digits each."""
    return sum(len(found[0]) - 2 if found[1] is None else len(found[1]) // 2 for found in _TEXTS.finditer(unpacked))
