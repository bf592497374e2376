"""Mail messages: headers at their names (``Subject``, a second one ``Received.2``), ``l14`` lines of the text body.

The body is the first plain text; where there is only HTML, its text as a page shows it, and what it holds without
showing it (``display:none``, white on white) is ``hidden1``. HTML beside plain text is hidden
(``html.l3``), and so are the headers that a mail program does not show. Further parts of text stand at ``text2.l1``,
hidden where they are an alternative. Attachments, named or of any other type than text, are listed by name,
``attachment1``. What stands before the first part and behind the last one is not read.
"""

from __future__ import annotations

from collections.abc import Iterator

from workgym.documents.html.flow import flow
from workgym.documents.limits import LIMITS, check
from workgym.documents.mail.mime import Part, body_part, leaves, part_text, scan
from workgym.documents.model import Document, Fragment

_SHOWN = {"from", "to", "cc", "bcc", "subject", "date", "reply-to", "sender"}


def html_text(path: str, source: str) -> str:
    """The text of an HTML page, a line for each block that has any; of one that is cut off, what there is of it."""
    return "\n".join(flow(path, source).lines)


def body_text(path: str, content: bytes, part: Part) -> str:
    """The text of the part that is shown."""
    written = part_text(content, part)
    return html_text(path, written) if part.kind == "text/html" else written


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
        fragments += _unseen(path, content, body, "")
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
            fragments += _unseen(path, content, part, prefix)
        elif part is not body:
            texts += 1
            fragments += _lines(path, part_text(content, part), f"text{texts}.", id(part) in other)
    return Document(path=path, format="eml", fragments=tuple(fragments))


def _unseen(path: str, content: bytes, part: Part, prefix: str) -> Iterator[Fragment]:
    """Texts of a part of HTML that a mail program does not show: ``hidden1``, ``html.hidden1``."""
    if part.kind == "text/html":
        for number, said in enumerate(flow(path, part_text(content, part)).hidden, 1):
            yield Fragment(at=f"{prefix}hidden{number}", text=said, hidden=True)


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
