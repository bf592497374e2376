"""Dates and addresses of mails, read from what a template prints."""

from __future__ import annotations

import datetime
import re
from email.headerregistry import Address

from workgym.materialize.marks import Marked, Span
from workgym.materialize.scope import Fault

_WHEN = re.compile(r"^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)(?:\s*([+-]\d\d):?(\d\d)|\s*Z)?$")
_ADDRESS = re.compile(r"^\s*(?:\"?(?P<name>[^\"<]*?)\"?\s*<(?P<angle>[^<>\s]+)>|(?P<bare>[^<>\s]+))\s*$")
_BETWEEN = re.compile(r"[;,](?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)")
_WORDS = re.compile(r"\w")


def moment(written: str) -> datetime.datetime:
    """The moment of ``2026-03-02 09:14 +0100``. Raises Fault."""
    match = _WHEN.match(written.strip())
    if match is None:
        raise Fault(f"Date: {written!r} is not of the form 2026-03-02 09:14 +0100")
    zone: datetime.tzinfo = datetime.UTC
    if match[3]:
        hours, minutes = int(match[3]), int(match[4])
        zone = datetime.timezone(datetime.timedelta(hours=hours, minutes=minutes if hours >= 0 else -minutes))
    return datetime.datetime.fromisoformat(f"{match[1]}T{match[2]}").replace(tzinfo=zone)


def addresses(written: str) -> list[Address]:
    """The addresses of a header, with commas or semicolons between them; a name may have commas of its own.

    Raises Fault.
    """
    parts: list[str] = []
    name = ""
    for part in _BETWEEN.split(written):
        name = f"{name}, {part.strip()}" if name else part
        if "@" in part or not _WORDS.search(part):
            parts.append(name)
            name = ""
    return [address(part) for part in (*parts, *([name] if name else ()))]


def address(part: str) -> Address:
    """The address of ``Name <name@firm.example>``. Raises Fault."""
    match = _ADDRESS.match(part)
    spec = (match["angle"] or match["bare"]) if match else ""
    if match is None or spec.count("@") != 1:
        raise Fault(f"{part.strip()!r} is no address: write `Name <name@firm.example>`")
    return Address(display_name=(match["name"] or "").strip(), addr_spec=spec)


def domain(sender: Marked) -> str:
    """What stands behind the ``@`` of the sender."""
    return sender.plain.rpartition("@")[2].strip('<>" ')


def rewritten(value: Marked, written: str) -> Marked:
    """A date in another form: decor as a whole, and what the values in it print."""
    whole = Marked(written).decorated(0, len(written))
    spans = [Span(0, len(written), span.kind, span.cells) for span in value.spans if span.cells]
    return Marked(written, (*whole.spans, *spans))
