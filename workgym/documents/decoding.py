"""Bytes of text files: decoded once, and encoded again the same way after an edit."""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from workgym.documents.limits import LIMITS, check
from workgym.errors import EditRefused, Unreadable

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_CONTROL_BYTES = bytes(code for code in range(0x20) if _CONTROL.match(chr(code)))
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$")


class Text(NamedTuple):
    """Decoded text, and how to encode it again."""

    body: str
    """The characters, without a byte order mark; line ends as they are."""
    encoding: str
    """The codec."""
    mark: bytes
    """The byte order mark, or nothing."""

    def encode(self, body: str) -> bytes:
        """The bytes of a changed body. Raises :class:`EditRefused` where the encoding lacks a character."""
        try:
            return self.mark + body.encode(self.encoding)
        except UnicodeEncodeError as error:
            raise EditRefused(
                f"{error.object[error.start]!r} cannot be written in the file's encoding {self.encoding}"
            ) from error


def decode(path: str, content: bytes) -> Text:
    """UTF-8, or what the byte order mark says, or Windows-1252. Raises :class:`Unreadable` where it is not text."""
    text = unlooked(path, content)
    # Counting bytes out is five times as fast as a search; below 0x20 they are characters of their own in UTF-8.
    plain = text.encoding == "utf-8" and len(content.translate(None, _CONTROL_BYTES)) == len(content)
    if not plain and _CONTROL.search(text.body):
        raise Unreadable(path, "corrupt", "it holds control characters: it is not text")
    check(path, len(text.body), LIMITS.characters, "characters")
    return text


def unlooked(path: str, content: bytes) -> Text:
    """The same without a look at what it decodes to, for a parser that refuses control characters itself."""
    check(path, len(content), LIMITS.file_bytes, "bytes")
    for mark, encoding in _BOMS:
        if content.startswith(mark):
            try:
                return Text(content[len(mark) :].decode(encoding), encoding, mark)
            except UnicodeDecodeError as error:
                raise Unreadable(path, "corrupt", f"it is not valid {encoding}") from error
    try:
        return Text(content.decode("utf-8"), "utf-8", b"")
    except UnicodeDecodeError:
        pass
    try:
        return Text(content.decode("cp1252"), "cp1252", b"")
    except UnicodeDecodeError as error:
        raise Unreadable(path, "corrupt", "it is not text in any usual encoding") from error


def lines(body: str) -> list[str]:
    """The lines, each with its end; CR, LF and CRLF end a line, and nothing else does."""
    return _LINE.findall(body)


def bare(line: str) -> str:
    """A line without its end."""
    return line.rstrip("\r\n")
