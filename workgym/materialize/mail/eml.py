"""Mails (RFC 5322): text, an HTML alternative where it is asked for, attachments, threads; ids follow from the content.

Headers and encodings by the standard library; parts are put together here, so that a file that is carried keeps its
bytes and every boundary is fixed. Not supported: images within HTML, signatures, encryption, .msg.
"""

from __future__ import annotations

import base64
import email.utils
from collections.abc import Mapping
from email.message import EmailMessage
from email.policy import SMTP

from workgym.materialize.carrier import Job, Rendered, rendered
from workgym.materialize.mail.addresses import addresses, domain, moment, rewritten
from workgym.materialize.mail.html import page
from workgym.materialize.mail.thread import Earlier, chain, ident, name_of, quotes, split
from workgym.materialize.marks import Marked
from workgym.materialize.scope import Fault, near
from workgym.materialize.template import located
from workgym.materialize.text import encoded, flat, line_anchors
from workgym.materialize.within import Member, members
from workgym.records import Anchor

HEADERS = ("From", "To", "Cc", "Reply-To", "Subject", "Date")
OPTIONS = ("html", "thread")
_NEEDED = ("From", "To", "Subject", "Date")
_POLICY = SMTP.clone(max_line_length=998, cte_type="7bit")
_TYPES = {
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "txt": "text/plain",
    "md": "text/markdown",
    "html": "text/html",
    "htm": "text/html",
    "xml": "application/xml",
    "json": "application/json",
    "pdf": "application/pdf",
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "ics": "text/calendar",
    "vcf": "text/vcard",
    "zip": "application/zip",
    "sqlite": "application/vnd.sqlite3",
    "mbox": "application/mbox",
    "eml": "message/rfc822",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}


def write(job: Job, fields: Mapping[str, Marked], body: Marked, *, threaded: bool = False) -> Rendered:
    """A mail; its id is one of its thread where it is ``threaded``, answers others, or names its thread.

    Raises MaterializeError for a missing or unknown header.
    """
    with located(job.path, "front matter"):
        for name in fields:
            if name not in HEADERS + OPTIONS:
                raise Fault(f"unknown header {name!r}: {near(name, [*HEADERS, *OPTIONS])}")
        for name in _NEEDED:
            if not fields.get(name):
                raise Fault(f"a mail needs {name}")
        rich = fields.get("html", Marked("false")).plain.lower()
        if rich not in ("true", "false"):
            raise Fault("html: true or false is needed")
        own, earlier = split(body)
        message = EmailMessage(policy=_POLICY)
        anchors: list[Anchor] = []
        for name in HEADERS:
            if name in fields:
                anchors += _header(job, message, name, fields[name])
        anchors += _ids(job, message, fields, earlier, threaded or bool(fields.get("thread")))
    held = members(job, job.held, "attach", folders=False) if job.held else []
    with located(job.path):
        lines = flat(own)
        said = quotes(earlier)
        lines += [*([Marked("")] if lines and said else []), *said]
        anchors += line_anchors(job.path, lines)
        text = encoded(lines)
        if rich == "true":
            source, more = page(job.path, own, earlier)
            anchors += more
    for number, member in enumerate(held, 1):
        anchors += member.name.anchors(job.path, f"attachment{number}")
    for member in held:
        anchors += member.made.anchors
    if rich == "false" and not held:
        _set_text(message, text.decode(), "plain")
        return rendered(job, message.as_bytes(), anchors)
    part = _part(text.decode(), "plain")
    if rich == "true":
        part = _multipart(job, "alternative", [part, _part(source, "html")])
    if held:
        part = _multipart(job, "mixed", [part, *map(_attachment, held)])
    return rendered(job, message.as_bytes().removesuffix(b"\r\n") + b"MIME-Version: 1.0\r\n" + part, anchors)


def _set_text(message: EmailMessage, text: str, subtype: str) -> None:
    plain = text.isascii() and max(map(len, text.splitlines()), default=0) < 990
    message.set_content(text, subtype, cte="7bit" if plain else "quoted-printable")


def _part(text: str, subtype: str) -> bytes:
    """A part of text, its headers first."""
    part = EmailMessage(policy=_POLICY)
    _set_text(part, text, subtype)
    del part["MIME-Version"]
    return part.as_bytes()


def _multipart(job: Job, kind: str, parts: list[bytes]) -> bytes:
    """Parts behind each other; the boundary follows from the mail's path, and a line end before it belongs to it."""
    mark = f"=_{job.stamp('boundary', kind)}".encode()
    head = b'Content-Type: multipart/%s;\r\n boundary="%s"\r\n\r\n' % (kind.encode(), mark)
    return head + b"".join(b"--%s\r\n%s\r\n" % (mark, part) for part in parts) + b"--%s--\r\n" % mark


def _attachment(member: Member) -> bytes:
    """A file as a part: in base64, but a mail as it is, since the standard lets no other form be."""
    name, content = member.name.plain, member.made.content
    headers = EmailMessage(policy=_POLICY)
    headers.add_header("Content-Disposition", "attachment", filename=name)
    kind = _TYPES.get(name.rpartition(".")[2].lower(), "application/octet-stream")
    if kind == "message/rfc822":
        return b"Content-Type: message/rfc822\r\n" + headers.as_bytes() + content
    charset = '; charset="utf-8"' if kind.startswith("text/") else ""
    head = f"Content-Type: {kind}{charset}\r\nContent-Transfer-Encoding: base64\r\n".encode()
    lines = [base64.b64encode(content[start : start + 57]) for start in range(0, len(content), 57)]
    return head + headers.as_bytes() + b"\r\n".join(lines)


def _ids(
    job: Job, message: EmailMessage, fields: Mapping[str, Marked], earlier: tuple[Earlier, ...], threaded: bool
) -> list[Anchor]:
    """Sets the id, and which mails this one answers; returns the anchors of the latter, which are decor."""
    if not threaded and not earlier:
        stamp = job.stamp(*(fields[name].plain for name in _NEEDED))
        message["Message-ID"] = f"<{stamp}@{domain(fields['From'])}>"  # a mail edited keeps it
        return []
    thread = name_of(fields)
    message["Message-ID"] = ident(thread, fields["From"], fields["Date"])
    ids = list(chain(thread, earlier))
    found: list[Anchor] = []
    for name, text in (("In-Reply-To", "".join(ids[-1:])), ("References", " ".join(ids))):
        if text:
            message[name] = text
            found += Marked(text).decorated(0, len(text)).anchors(job.path, name)
    return found


def _header(job: Job, message: EmailMessage, name: str, value: Marked) -> list[Anchor]:
    """Sets one header; returns its anchors."""
    if name == "Date":
        written = email.utils.format_datetime(moment(value.plain))
        message["Date"] = written
        return [*rewritten(value, written).anchors(job.path, name)]
    if name == "Subject":
        message["Subject"] = value.plain
        return [*value.anchors(job.path, name)]
    message[name] = addresses(value.plain)
    shown = str(message[name])
    return [*value.anchors(job.path, name)] if shown == value.plain else _found(job, name, shown, value)


def _found(job: Job, name: str, shown: str, value: Marked) -> list[Anchor]:
    """Anchors in a header that the library wrote in its own form: each printed text where it stands now."""
    moved, start = [], 0
    for span in value.spans:
        printed = value.plain[span.start : span.end]
        at = shown.find(printed, start)
        if at < 0:
            raise Fault(f"{name}: {printed!r} does not stand in the header as it is written: {shown!r}")
        start = at
        moved.append(type(span)(at, at + len(printed), span.kind, span.cells))
    return [*Marked(shown, tuple(moved)).anchors(job.path, name)]
