"""Damage: bytes of a file spoiled, as happens to files on their way."""

from __future__ import annotations

import struct
from typing import Literal

How = Literal["truncated", "emptied", "mistyped", "locked"]
"""``truncated`` keeps the first half of its bytes, ``emptied`` none; ``mistyped`` is a picture under the file's name;
``locked`` asks for a password that nobody has (containers only: xlsx, docx, pptx, zip)."""

_DOT = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63f8ffff3f0005fe02fe"
    "0def46b80000000049454e44ae426082"
)
"""A picture of one white dot."""
_LOCAL, _CENTRAL = b"PK\x03\x04", b"PK\x01\x02"


def damaged(path: str, content: bytes, how: How) -> bytes:
    """The content as damage leaves it; unchanged where the format knows no such damage, or it has it already."""
    if how == "truncated":
        return content[: len(content) // 2]
    if how == "emptied":
        return b""
    if how == "mistyped":
        return content if path.lower().endswith((".png", ".jpg", ".jpeg")) else _DOT
    return _locked(content) if content.startswith(_LOCAL) else content


def _locked(content: bytes) -> bytes:
    """A zip whose parts all say that they are encrypted."""
    made = bytearray(content)
    for mark, offset in ((_LOCAL, 6), (_CENTRAL, 8)):
        at = content.find(mark)
        while at >= 0:
            (flags,) = struct.unpack_from("<H", made, at + offset)
            struct.pack_into("<H", made, at + offset, flags | 1)
            at = content.find(mark, at + 4)
    return bytes(made)
