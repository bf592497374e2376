"""Mail: one header or one line of the text body changes; transfer encoding, charset and line ends stay."""

from __future__ import annotations

import base64
import binascii
import re
from itertools import groupby

from workgym.documents.mail import html as mailhtml
from workgym.documents.mail.mime import Header, Part, body_part, codec, leaves, part_text, scan
from workgym.documents.mail.read import html_text
from workgym.documents.patches import Patch, Target, apply
from workgym.errors import EditRefused

_LINE = re.compile(r"l(\d+)")
_LITERAL = frozenset((9, 32, *range(33, 61), *range(62, 127)))
_PHYSICAL = re.compile(rb"[^\n]*\n|[^\n]+$")


def edit(path: str, content: bytes, targets: list[Target]) -> bytes:
    """Change headers and lines; ``clear`` of a whole header and ``remove_row`` of anything remove its line.

    Where the body stands in HTML too, that follows; an edit of the HTML itself (``html.l3``) has to say the same.
    """
    root = scan(path, content)
    newline = b"\r\n" if b"\r\n" in content[: root.start] else b"\n"
    patches, lines, pages = [], list[Target](), list[Target]()
    for target in targets:
        if _LINE.fullmatch(target.base):
            lines.append(target)
        elif target.base.startswith("html.l"):
            pages.append(target)
        else:
            patches.append(_header_patch(path, content, root.headers, target, newline))
    if lines or pages:
        part = body_part(root)
        if part is None or (pages and not lines):
            raise EditRefused(f"{path} has no text body" if part is None else f"{path}: its HTML follows its text body")
        changes = _changes(path, content, part, lines)
        patches += _body_patches(path, content, part, changes, newline)
        beside = [leaf for leaf in leaves(root) if leaf.kind == "text/html" and not leaf.attached]
        if part.kind == "text/html":
            raise EditRefused(f"{path}: its body stands in HTML alone, which is not edited")
        if beside:
            patches.append(_page_patch(path, content, part, beside, (changes, pages), newline))
    return apply(path, content, dict.fromkeys(patches))


def _changes(path: str, content: bytes, part: Part, targets: list[Target]) -> dict[int, tuple[str, str | None, Target]]:
    """By the number of each line that changes: what it says, what it shall say (None: it goes), and the edit."""
    shown = part_text(content, part).split("\n")
    changes: dict[int, tuple[str, str | None, Target]] = {}
    for target in targets:
        number = int(target.base[1:])
        old = target.check(path, shown[number - 1] if 1 <= number <= len(shown) else None)
        if number in changes:
            raise EditRefused(f"{path}: two edits change line {number}")
        new = None if target.edit.mode == "remove_row" else target.new_text(old)
        if new is not None and ("\n" in new or "\r" in new):
            raise EditRefused(f"{path} {target.base}: a line cannot become several")
        changes[number] = (old, new, target)
    return changes


def _page_patch(
    path: str,
    content: bytes,
    part: Part,
    beside: list[Part],
    wanted: tuple[dict[int, tuple[str, str | None, Target]], list[Target]],
    newline: bytes,
) -> Patch:
    """The HTML beside the text, changed alike. Raises :class:`EditRefused` where that cannot be done exactly."""
    changes, pages = wanted
    if len(beside) > 1:
        raise EditRefused(f"{path}: its body stands in several parts of HTML")
    source = part_text(content, beside[0])
    rows = mailhtml.shown(path, source)
    lines, keys = part_text(content, part).split("\n"), ["".join(char.text for char in row) for row in rows]
    patches, after = [], dict[int, str]()
    for number, (old, new, target) in changes.items():
        at = mailhtml.counterpart(path, lines, number, keys)
        if at is None:
            if new is not None and mailhtml.key(new).strip("-="):  # rulers of tables and underlines are not in it
                raise EditRefused(f"{path} l{number}: its body stands in HTML too, where there is no such line")
            continue
        if new is None or not mailhtml.key(new):
            patches += mailhtml.removal(source, rows[at])
        else:
            parts = mailhtml.parts(old, new, target.change(old)) if new != old else []
            patches += [mailhtml.patch(path, number, source, rows[at], old, change) for change in parts]
        after[at] = mailhtml.key(new or "")
    for target in pages:
        at = int(target.base.removeprefix("html.l")) - 1 if target.base.removeprefix("html.l").isdecimal() else -1
        said = "" if target.edit.mode == "remove_row" else _asked(path, source, target, at)
        if after.get(at) != mailhtml.key(said):
            raise EditRefused(f"{path} {target.edit.at}: the HTML says what the text body says; edit that alike")
    made = apply(path, source, dict.fromkeys(patches))
    expected = [after.get(at, said) for at, said in enumerate(keys)]
    if ["".join(char.text for char in row) for row in mailhtml.shown(path, made)] != [
        said for said in expected if said
    ]:
        raise EditRefused(f"{path}: its body stands in HTML too, and the change cannot be made there alike")
    return _encoded_part(content, beside[0], made, newline)


def _asked(path: str, source: str, target: Target, at: int) -> str:
    rows = html_text(path, source).split("\n")
    return target.new_text(target.check(path, rows[at] if 0 <= at < len(rows) else None))


def _encoded_part(content: bytes, part: Part, text: str, newline: bytes) -> Patch:
    """A part of HTML as a whole, in the encoding that it has."""
    data = text.encode(codec(part) if part.encoding != "7bit" else "ascii", "xmlcharrefreplace")
    old = content[part.start : part.end]
    if part.encoding == "base64":
        return Patch(part.start, part.end, _base64(data.replace(b"\n", newline), old, newline))
    if part.encoding == "quoted-printable":
        data = b"\n".join(_quoted(line, b"\n") for line in data.split(b"\n"))
    return Patch(part.start, part.end, data.replace(b"\n", newline))


def _base64(data: bytes, old: bytes, newline: bytes) -> bytes:
    wrapped = [base64.b64encode(data[start : start + 57]) for start in range(0, len(data), 57)]
    return newline.join(wrapped) + (newline if old.endswith(b"\n") else b"")


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


def _body_patches(
    path: str, content: bytes, part: Part, changes: dict[int, tuple[str, str | None, Target]], newline: bytes
) -> list[Patch]:
    coding, old = codec(part), content[part.start : part.end]
    if part.encoding == "base64":
        shown = part_text(content, part).split("\n")
        kept = [changes[number][1] if number in changes else line for number, line in enumerate(shown, 1)]
        ends = "\r\n" if b"\r\n" in binascii.a2b_base64(old) else "\n"
        try:
            data = ends.join(line for line in kept if line is not None).encode(coding)
        except UnicodeEncodeError as error:
            lacks = error.object[error.start]
            raise EditRefused(f"{path}: the message's charset {part.charset} lacks {lacks!r}") from error
        return [Patch(part.start, part.end, _base64(data, old, newline))]
    spans = _logical(content, part)
    return [
        _line_patch(path, content, part, spans[number - 1], number, new, coding)
        for number, (_, new, _) in changes.items()
    ]


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
