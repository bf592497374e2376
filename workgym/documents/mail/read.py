"""Mail messages: headers at their names (``Subject``, a second one ``Received.2``), ``l14`` lines of the text body.

The body is the first plain text; where there is only HTML, its text. HTML beside plain text is hidden
(``html.l3``), and so are the headers that a mail program does not show. Further parts of text stand at ``text2.l1``,
hidden where they are an alternative. Attachments, named or of any other type than text, are listed by name,
``attachment1``. What stands before the first part and behind the last one is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from workgym.documents.html.markup import tokens, unescaped
from workgym.documents.limits import LIMITS, check
from workgym.documents.mail.mime import Part, body_part, leaves, part_text, scan
from workgym.documents.model import Document, Fragment
from workgym.errors import Unreadable

_SILENT = frozenset(("style", "script", "head", "title"))
_SHOWN = {"from", "to", "cc", "bcc", "subject", "date", "reply-to", "sender"}
_BLOCKS = {
    "p",
    "div",
    "br",
    "tr",
    "li",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "table",
    "ul",
    "ol",
    "blockquote",
    "hr",
    "pre",
}


def _spoken(path: str, source: str) -> Iterator[str]:
    """The text of an HTML body in pieces: a line for each block, ``\\x00`` before the cells of a row."""
    silent = 0
    for token in tokens(path, source):
        if token.name in _SILENT:
            silent = max(0, silent + {"start": 1, "end": -1}.get(token.kind, 0))
        elif token.kind in ("start", "end") and token.name in _BLOCKS:
            yield "\n"
        elif token.kind == "start" and token.name in ("td", "th"):
            yield "\x00"
        elif not silent and (token.kind == "text" or (token.name == "textarea" and token.kind == "raw")):
            yield re.sub(r"\s+", " ", unescaped(source[token.start : token.end]))


def html_text(path: str, source: str) -> str:
    """The text of an HTML page, a line for each block that has any; of one that is cut off, what there is of it."""
    parts: list[str] = []
    try:
        parts.extend(_spoken(path, source))
    except Unreadable as error:
        if error.reason != "truncated":
            raise
    found = []
    for line in "".join(parts).split("\n"):
        text = "  ".join(piece.strip() for piece in line.split("\x00") if piece.strip())
        if text:
            found.append(text)
    return "\n".join(found)


def body_text(path: str, content: bytes, part: Part) -> str:
    """The text of the part that is shown."""
    text = part_text(content, part)
    return html_text(path, text) if part.kind == "text/html" else text


def read(path: str, content: bytes) -> Document:
    """Read a message. Raises :class:`Unreadable`."""
    root = scan(path, content)
    fragments: list[Fragment] = []
    seen: dict[str, int] = {}
    for header in root.headers:
        name = header.name
        seen[name.lower()] = seen.get(name.lower(), 0) + 1
        at = name if seen[name.lower()] == 1 else f"{name}.{seen[name.lower()]}"
        fragments.append(Fragment(at=at, text=header.text, label=name, hidden=name.lower() not in _SHOWN))
    body = body_part(root)
    if body is not None:
        fragments += _lines(path, body_text(path, content, body), "", False)
    attachments, pages, texts = 0, 0, 1
    other = {id(part) for part in _alternatives(root)}
    for part in leaves(root):
        if part.attached:
            attachments += 1
            at = f"attachment{attachments}"
            fragments.append(Fragment(at=at, text=part.filename or part.kind, label="attachment"))
        elif part is not body and part.kind == "text/html":
            pages += 1
            prefix = "html." if pages == 1 else f"html{pages}."
            fragments += _lines(path, html_text(path, part_text(content, part)), prefix, True)
        elif part is not body:
            texts += 1
            fragments += _lines(path, part_text(content, part), f"text{texts}.", id(part) in other)
    return Document(path=path, format="eml", fragments=tuple(fragments))


def _alternatives(part: Part) -> Iterator[Part]:
    """The parts of which a mail program shows one and not the others."""
    for inner in part.parts:
        yield from leaves(inner) if part.kind == "multipart/alternative" else _alternatives(inner)


def _lines(path: str, text: str, prefix: str, hidden: bool) -> list[Fragment]:
    found = text.split("\n")
    check(path, len(found), LIMITS.lines, "lines")
    return [
        Fragment(at=f"{prefix}l{number}", text=line, hidden=hidden)
        for number, line in enumerate(found, 1)
        if line.strip()
    ]
