"""Mail: one header or one line of the text body changes; transfer encoding, charset and line ends stay."""

from __future__ import annotations

import base64
import binascii
import re
from itertools import groupby

from workgym.documents.mime import Header, Part, body_part, codec, leaves, part_text, scan
from workgym.documents.patches import Patch, Target, apply
from workgym.errors import EditRefused

_LINE = re.compile(r"l(\d+)")
_LITERAL = frozenset((9, 32, *range(33, 61), *range(62, 127)))
_PHYSICAL = re.compile(rb"[^\n]*\n|[^\n]+$")


def edit(path: str, content: bytes, targets: list[Target]) -> bytes:
    """Change headers and lines; ``clear`` of a whole header and ``remove_row`` of anything remove its line."""
    root = scan(path, content)
    newline = b"\r\n" if b"\r\n" in content[: root.start] else b"\n"
    patches, lines = [], []
    for target in targets:
        if _LINE.fullmatch(target.base):
            lines.append(target)
        else:
            patches.append(_header_patch(path, content, root.headers, target, newline))
    if lines:
        part = body_part(root)
        if part is None:
            raise EditRefused(f"{path} has no text body")
        rich = any(leaf.kind == "text/html" and not leaf.attached for leaf in leaves(root))
        if rich:
            raise EditRefused(f"{path}: its body stands in HTML too, and both would have to change alike")
        patches += _body_patches(path, content, part, lines, newline)
    return apply(path, content, dict.fromkeys(patches))


def _header_patch(path: str, content: bytes, headers: tuple[Header, ...], target: Target, newline: bytes) -> Patch:
    seen: dict[str, int] = {}
    for header in headers:
        low = header.name.lower()
        seen[low] = seen.get(low, 0) + 1
        at = header.name if seen[low] == 1 else f"{header.name}.{seen[low]}"
        if at == target.base:
            break
    else:
        raise EditRefused(f"{path} has no place {target.base}")
    old = target.check(path, header.text)
    if target.whole or target.edit.mode == "remove_row":
        start = content.rindex(header.name.encode(), 0, header.start)
        return Patch(start, content.index(b"\n", header.end) + 1, b"")
    new = target.new_text(old)
    if "\n" in new or "\r" in new:
        raise EditRefused(f"{path} {target.base}: a header holds one line")
    raw = content[header.start : header.end]
    if not raw.isascii():
        return Patch(header.start, header.end, new.encode())
    return Patch(header.start, header.end, _encoded(new, len(header.name) + 2, newline))


def _encoded(text: str, used: int, newline: bytes) -> bytes:
    """A header value in ASCII, folded at blanks; a stretch of words that needs it in encoded words of RFC 2047."""
    words: list[str] = []
    for odd, stretch in groupby(text.split(" "), key=lambda word: not word.isascii() or "=?" in word):
        if odd:
            joined = " ".join(stretch)
            pieces = [joined[start : start + 10].encode() for start in range(0, len(joined), 10)]
            words += [f"=?utf-8?b?{base64.b64encode(piece).decode()}?=" for piece in pieces]
        else:
            words += stretch
    lines, current = [], words[0]
    for word in words[1:]:
        if used + len(current) + 1 + len(word) > 76:
            lines.append(current)
            current, used = word, 1
        else:
            current = f"{current} {word}"
    lines.append(current)
    return (newline + b" ").join(line.encode() for line in lines)


def _body_patches(path: str, content: bytes, part: Part, targets: list[Target], newline: bytes) -> list[Patch]:
    shown = part_text(content, part).split("\n")
    changes: dict[int, str | None] = {}
    for target in targets:
        number = int(target.base[1:])
        old = target.check(path, shown[number - 1] if 1 <= number <= len(shown) else None)
        if number in changes:
            raise EditRefused(f"{path}: two edits change line {number}")
        new = None if target.edit.mode == "remove_row" else target.new_text(old)
        if new is not None and ("\n" in new or "\r" in new):
            raise EditRefused(f"{path} {target.base}: a line cannot become several")
        changes[number] = new
    coding = codec(part)
    if part.encoding == "base64":
        kept = [changes.get(number, line) for number, line in enumerate(shown, 1)]
        ends = "\r\n" if b"\r\n" in binascii.a2b_base64(content[part.start : part.end]) else "\n"
        data = ends.join(line for line in kept if line is not None).encode(coding)
        wrapped = [base64.b64encode(data[start : start + 57]) for start in range(0, len(data), 57)]
        tail = newline if content[part.start : part.end].endswith(b"\n") else b""
        return [Patch(part.start, part.end, newline.join(wrapped) + tail)]
    spans = _logical(content, part)
    return [_line_patch(path, content, part, spans[number - 1], number, new, coding) for number, new in changes.items()]


def _logical(content: bytes, part: Part) -> list[tuple[int, int]]:
    """The bytes of each line of the body, its end included; in quoted-printable soft breaks join physical lines."""
    spans, start, at = [], part.start, part.start
    for match in _PHYSICAL.finditer(content, part.start, part.end):
        at = match.end()
        if part.encoding == "quoted-printable" and match[0].rstrip(b"\r\n").rstrip(b" \t").endswith(b"="):
            continue
        spans.append((start, at))
        start = at
    spans.append((start, at))
    return spans


def _line_patch(
    path: str, content: bytes, part: Part, span: tuple[int, int], number: int, new: str | None, coding: str
) -> Patch:
    start, end = span
    if new is None:
        return Patch(start, end, b"")
    raw = content[start:end]
    end -= len(raw) - len(raw.rstrip(b"\r\n"))
    try:
        data = new.encode(coding)
    except UnicodeEncodeError as error:
        raise EditRefused(
            f"{path} l{number}: the message's charset {part.charset} lacks {error.object[error.start]!r}"
        ) from error
    if part.encoding == "quoted-printable":
        data = _quoted(data, b"\r\n" if raw.endswith(b"\r\n") else b"\n")
    elif part.encoding == "7bit" and not data.isascii():
        raise EditRefused(f"{path} l{number}: the message is sent as 7-bit text, and the new line is not")
    return Patch(start, end, data)


def _quoted(data: bytes, newline: bytes) -> bytes:
    """One line in quoted-printable, cut at 76 characters."""
    tokens = [bytes([byte]) if byte in _LITERAL else b"=%02X" % byte for byte in data]
    if tokens and data[-1:] in (b" ", b"\t"):
        tokens[-1] = b"=%02X" % data[-1]
    lines, current = [], b""
    for token in tokens:
        if len(current) + len(token) > 75:
            lines.append(current + b"=")
            current = b""
        current += token
    return newline.join([*lines, current])
