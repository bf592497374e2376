"""Mail messages, scanned with positions (RFC 5322, 2045 to 2047, 2231): for reading and for editing.

The bytes are looked at as Latin-1 text, so that a position in the text is one in the file.
"""

from __future__ import annotations

import binascii
import codecs
import contextlib
import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from workgym.documents.limits import LIMITS, check
from workgym.errors import Unreadable

_HEADER = re.compile(r"([!-9;-~]++)[ \t]*+:[ \t]*+((?:[^\r\n]*+(?:\r\n|\n)[ \t](?=[^\r\n]))*[^\r\n]*+)(\r\n|\n|\Z)")
"""Possessive, so that a header can be read in one way only: tried in every way, forty folds would never end."""
_FOLD = re.compile(r"(?:\r\n|\n)(?=[ \t])")
_WORD = re.compile(r"=\?([^?\s*]+)(?:\*[^?]*)?\?([BbQq])\?([^?\s]*)\?=")
_BETWEEN = re.compile(r"(\?=)[ \t]+(=\?)")
_PARAMETER = re.compile(r";\s*([^=\s;]+)\s*=\s*(\"(?:\\.|[^\"\\])*\"|[^;\s]*)")
_PIECE = re.compile(r"([^*]+)(?:\*(\d{1,3}))?(\*)?")
_ODD = {"utf_7", "idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape"}
"""Codecs of Python that are no charset of mail, and fail in ways of their own."""


class Header(NamedTuple):
    """One header field."""

    name: str
    """Name as written."""
    start: int
    """First character of its value."""
    end: int
    """One past the last character of its value, before the line end."""
    text: str
    """The value unfolded and decoded."""


class Part(NamedTuple):
    """A message or a part of one."""

    headers: tuple[Header, ...]
    """Its headers, in order."""
    start: int
    """First character of its body."""
    end: int
    """One past its body."""
    kind: str
    """Media type in lower case, ``text/plain`` by default."""
    charset: str
    """Charset parameter, or ``utf-8``."""
    encoding: str
    """Transfer encoding in lower case, ``7bit`` by default."""
    filename: str
    """Name of an attachment, or empty."""
    attached: bool
    """Whether it is an attachment rather than text of the message."""
    parts: tuple[Part, ...]
    """The parts of a multipart."""


def decoded_header(raw: str) -> str:
    """A header's value with folds and encoded words undone; blanks at its end are kept, so that places stay."""
    text = _FOLD.sub("", raw)
    if not text.isascii():
        with contextlib.suppress(UnicodeDecodeError):
            text = text.encode("latin-1").decode("utf-8")
    if "=?" not in text:
        return text
    return _WORD.sub(_word, _BETWEEN.sub(r"\1\2", text))


def _word(match: re.Match[str]) -> str:
    charset, form, payload = match.groups()
    try:
        if form in "bB":
            data = binascii.a2b_base64(payload + "=" * (-len(payload) % 4))
        else:
            data = binascii.a2b_qp(payload.replace("_", " "), header=False)
        return data.decode(_known(charset))
    except (ValueError, LookupError):
        return match[0]


def _value(headers: tuple[Header, ...], name: str) -> str:
    return next((header.text for header in headers if header.name.lower() == name), "")


def _parameters(text: str) -> dict[str, str]:
    """The parameters of a header, those in several pieces joined and those in a charset of their own decoded."""
    pieces: dict[str, dict[int, tuple[str, bool]]] = {}
    for match in _PARAMETER.finditer(text):
        value = match[2]
        if value.startswith('"'):
            value = re.sub(r"\\(.)", r"\1", value[1:-1])
        split = _PIECE.fullmatch(match[1].lower())
        if split is not None:
            pieces.setdefault(split[1], {})[int(split[2] or 0)] = (value, bool(split[3]))
    return {name: _joined([found[number] for number in sorted(found)]) for name, found in pieces.items()}


def _joined(pieces: list[tuple[str, bool]]) -> str:
    first, encoded = pieces[0]
    if not encoded:
        return "".join(value for value, _ in pieces)
    charset, _, rest = first.partition("'")
    bare = [(rest.partition("'")[2], True), *pieces[1:]]
    data = b"".join(unquote_to_bytes(value) if coded else value.encode("utf-8", "replace") for value, coded in bare)
    try:
        return data.decode(_known(charset or "utf-8"), "replace")
    except (LookupError, ValueError):
        return data.decode("latin-1")


class _Count:
    """The parts and headers of a message that were seen so far, however deep they lie."""

    def __init__(self, path: str) -> None:
        self.path, self.parts, self.headers = path, 0, 0

    def part(self, depth: int) -> None:
        check(self.path, depth, LIMITS.depth, "nested parts")
        self.parts += 1
        check(self.path, self.parts, LIMITS.parts, "parts")

    def header(self) -> None:
        self.headers += 1
        check(self.path, self.headers, LIMITS.headers, "headers")


def _headers(count: _Count, body: str, at: int, end: int) -> tuple[list[Header], int]:
    found: list[Header] = []
    while at < end:
        if body.startswith("\r\n", at):
            return found, at + 2
        if body.startswith("\n", at):
            return found, at + 1
        match = _HEADER.match(body, at, end)
        if match is None:
            return found, at
        count.header()
        found.append(Header(match[1], match.start(2), match.end(2), decoded_header(match[2])))
        at = match.end()
    return found, at


def scan(path: str, content: bytes) -> Part:
    """The message as a tree of parts. Raises :class:`Unreadable` where it is no message."""
    check(path, len(content), LIMITS.file_bytes, "bytes")
    body = content.decode("latin-1")
    if not content.strip():
        raise Unreadable(path, "truncated", "it is empty")
    if "\x00" in body[:4096]:
        raise Unreadable(path, "corrupt", "it is not a mail message")
    root = _part(_Count(path), body, 0, len(body), 0)
    if not root.headers:
        raise Unreadable(path, "corrupt", "it does not begin with headers")
    return root


def _part(count: _Count, body: str, start: int, end: int, depth: int) -> Part:
    count.part(depth)
    found, at = _headers(count, body, start, end)
    headers = tuple(found)
    content_type = _value(headers, "content-type")
    kind = content_type.partition(";")[0].strip().lower() or "text/plain"
    parameters = _parameters(content_type)
    disposition = _value(headers, "content-disposition")
    filename = _parameters(disposition).get("filename") or parameters.get("name", "")
    attached = disposition.lower().startswith("attachment") or bool(filename)
    attached = attached or not kind.startswith(("text/", "multipart/"))
    parts: tuple[Part, ...] = ()
    boundary = parameters.get("boundary")
    if kind.startswith("multipart/") and boundary:
        parts = tuple(
            _part(count, body, first, last, depth + 1) for first, last in _pieces(count.path, body, at, end, boundary)
        )
    encoding = _value(headers, "content-transfer-encoding").strip().lower() or "7bit"
    return Part(headers, at, end, kind, parameters.get("charset", "utf-8"), encoding, filename, attached, parts)


def _pieces(path: str, body: str, start: int, end: int, boundary: str) -> Iterator[tuple[int, int]]:
    marks = re.compile(rf"(?:(?<=\n)|\A)--{re.escape(boundary)}(--)?[ \t]*(?:\r\n|\n|\Z)")
    begun: int | None = None
    closed = False
    for number, match in enumerate(marks.finditer(body, start, end)):
        check(path, number, LIMITS.parts, "parts")
        if begun is not None:
            last = match.start()
            last -= 2 if body.startswith("\r\n", last - 2) else 1
            yield begun, max(begun, last)
        if match[1]:
            closed = True
            break
        begun = match.end()
    if not closed:
        raise Unreadable(path, "truncated", "a part of the message never ends")


def leaves(part: Part) -> Iterator[Part]:
    """The parts that are no multiparts, in order."""
    if part.parts:
        for inner in part.parts:
            yield from leaves(inner)
    elif not part.kind.startswith("multipart/"):
        yield part


def body_part(root: Part) -> Part | None:
    """The part that a mail program shows: the first plain text, else the first HTML."""
    shown = [part for part in leaves(root) if not part.attached]
    for kind in ("text/plain", "text/html"):
        for part in shown:
            if part.kind == kind:
                return part
    return None


def codec(part: Part) -> str:
    """The Python codec of a part's text; Latin-1 where the charset is unknown."""
    try:
        name = _known(part.charset)
    except (LookupError, ValueError):
        return "latin-1"
    return "utf-8" if name == "ascii" else name


def _known(charset: str) -> str:
    """The name of a charset in Python. Raises LookupError or ValueError where there is none of that name."""
    found = codecs.lookup(charset)
    "a".encode(found.name)
    if found.name.replace("-", "_") in _ODD:
        raise LookupError(charset)
    return found.name


def part_text(content: bytes, part: Part) -> str:
    """The decoded text of a part, lines ended by LF."""
    data = content[part.start : part.end]
    if part.encoding == "quoted-printable":
        data = binascii.a2b_qp(data)
    elif part.encoding == "base64":
        try:
            data = binascii.a2b_base64(data)
        except binascii.Error:
            data = b""
    return data.decode(codec(part), "replace").replace("\r\n", "\n")
