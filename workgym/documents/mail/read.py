"""Mail messages: headers at their names (``Subject``, a second one ``Received.2``), ``l14`` lines of the text body.

The body is the plain text; where there is only HTML, its text. HTML beside plain text is hidden (``html.l3``), and so
are the headers that a mail program does not show. Attachments are listed by name, ``attachment1``.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser

from workgym.documents.limits import LIMITS, check
from workgym.documents.mail.mime import Part, body_part, leaves, part_text, scan
from workgym.documents.model import Document, Fragment

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


class _Plain(HTMLParser):
    """The text of an HTML body: a line for each block, cells of a row two spaces apart."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("style", "script", "head", "title"):
            self.silent += 1
        elif tag in _BLOCKS:
            self.parts.append("\n")
        elif tag in ("td", "th"):
            self.parts.append("\x00")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("style", "script", "head", "title"):
            self.silent = max(0, self.silent - 1)
        elif tag in _BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.parts.append(re.sub(r"\s+", " ", data))


def html_text(source: str) -> str:
    """The text of an HTML page, a line for each block that has any."""
    parser = _Plain()
    parser.feed(source)
    parser.close()
    found = []
    for line in "".join(parser.parts).split("\n"):
        text = "  ".join(piece.strip() for piece in line.split("\x00") if piece.strip())
        if text:
            found.append(text)
    return "\n".join(found)


def body_text(content: bytes, part: Part) -> str:
    """The text of the part that is shown."""
    text = part_text(content, part)
    return html_text(text) if part.kind == "text/html" else text


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
        fragments += _lines(path, body_text(content, body), "", False)
    attachments = 0
    for part in leaves(root):
        if part.attached:
            attachments += 1
            at = f"attachment{attachments}"
            fragments.append(Fragment(at=at, text=part.filename or part.kind, label="attachment"))
        elif part is not body and part.kind == "text/html":
            fragments += _lines(path, html_text(part_text(content, part)), "html.", True)
    return Document(path=path, format="eml", fragments=tuple(fragments))


def _lines(path: str, text: str, prefix: str, hidden: bool) -> list[Fragment]:
    found = text.split("\n")
    check(path, len(found), LIMITS.lines, "lines")
    return [
        Fragment(at=f"{prefix}l{number}", text=line, hidden=hidden)
        for number, line in enumerate(found, 1)
        if line.strip()
    ]
