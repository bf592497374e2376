"""Mails (RFC 5322): one text part, headers from the front matter, an id that depends on the content alone."""

from __future__ import annotations

import datetime
import email.utils
import re
from collections.abc import Mapping
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP

from workgym.materialize.carrier import Job, Rendered, rendered
from workgym.materialize.marks import Marked
from workgym.materialize.scope import Fault, near
from workgym.materialize.template import located
from workgym.materialize.text import encoded, flat, line_anchors
from workgym.records import Anchor

_HEADERS = ("From", "To", "Cc", "Reply-To", "Subject", "Date")
_NEEDED = ("From", "To", "Subject", "Date")
_WHEN = re.compile(r"^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)(?:\s*([+-]\d\d):?(\d\d)|\s*Z)?$")
_ADDRESS = re.compile(r"^\s*(?:\"?(?P<name>[^\"<]*?)\"?\s*<(?P<angle>[^<>\s]+)>|(?P<bare>[^<>\s]+))\s*$")


def write(job: Job, fields: Mapping[str, Marked], body: Marked) -> Rendered:
    """A mail. Raises MaterializeError for a missing or unknown header."""
    with located(job.path, "front matter"):
        for name in fields:
            if name not in _HEADERS:
                raise Fault(f"unknown header {name!r}: {near(name, list(_HEADERS))}")
        for name in _NEEDED:
            if not fields.get(name):
                raise Fault(f"a mail needs {name}")
        lines = flat(body)
        message = EmailMessage(policy=SMTP.clone(max_line_length=998, cte_type="7bit"))
        anchors: list[Anchor] = []
        for name in _HEADERS:
            if name in fields:
                anchors += _header(job, message, name, fields[name])
    text = encoded(lines)
    message["Message-ID"] = (
        f"<{job.stamp(*(fields[name].plain for name in _NEEDED))}@{_domain(fields['From'])}>"  # a mail edited keeps it
    )
    plain = text.isascii() and max(map(len, text.splitlines()), default=0) < 990
    message.set_content(text.decode(), cte="7bit" if plain else "quoted-printable")
    return rendered(job, message.as_bytes(), [*anchors, *line_anchors(job.path, lines)])


def _header(job: Job, message: EmailMessage, name: str, value: Marked) -> list[Anchor]:
    """Sets one header; returns its anchors."""
    if name == "Date":
        written = email.utils.format_datetime(_moment(value.plain))
        message["Date"] = written
        spans = tuple(span for span in value.spans if span.cells)
        whole = Marked(written).decorated(0, len(written))
        found = [*whole.anchors(job.path, name)]
        for span in spans:
            found += Marked(written, (type(span)(0, len(written), span.kind, span.cells),)).anchors(job.path, name)
        return found
    if name == "Subject":
        message["Subject"] = value.plain
        return [*value.anchors(job.path, name)]
    people = [_address(part) for part in re.split(r"[;,](?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)", value.plain)]
    message[name] = people
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


def _moment(written: str) -> datetime.datetime:
    match = _WHEN.match(written.strip())
    if match is None:
        raise Fault(f"Date: {written!r} is not of the form 2026-03-02 09:14 +0100")
    zone: datetime.tzinfo = datetime.UTC
    if match[3]:
        hours, minutes = int(match[3]), int(match[4])
        zone = datetime.timezone(datetime.timedelta(hours=hours, minutes=minutes if hours >= 0 else -minutes))
    return datetime.datetime.fromisoformat(f"{match[1]}T{match[2]}").replace(tzinfo=zone)


def _address(part: str) -> Address:
    match = _ADDRESS.match(part)
    spec = (match["angle"] or match["bare"]) if match else ""
    if match is None or spec.count("@") != 1:
        raise Fault(f"{part.strip()!r} is no address: write `Name <name@firm.example>`")
    return Address(display_name=(match["name"] or "").strip(), addr_spec=spec)


def _domain(sender: Marked) -> str:
    return sender.plain.rpartition("@")[2].strip('<>" ')
