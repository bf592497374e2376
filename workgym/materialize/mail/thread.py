"""Mails that answer others: what they quote, and ids by which the mails of a thread know each other.

In a template, an earlier mail stands behind the new text: a line ``<!-- earlier -->``, its From and Date, an empty line
and what it said; behind it the one before, and so on. An id depends on the thread's name, the sender and the date alone
(RFC 5322, 3.6.4), so that a mail in one file and an answer to it in another agree on it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.utils import format_datetime

from workgym.materialize.mail.addresses import address, domain, moment, rewritten
from workgym.materialize.marks import Marked
from workgym.materialize.scope import Fault
from workgym.materialize.text import flat

_EARLIER = re.compile(r"^<!--\s*earlier\s*-->\s*$")
_FIELD = re.compile(r"^(From|Date):\s+")
_ANSWER = re.compile(r"^(?:(?:re|fwd?|aw|wg|sv|antw)\s*:\s*)+", re.IGNORECASE)


@dataclass(frozen=True)
class Earlier:
    """A mail that another one answers."""

    sender: Marked
    """Who wrote it."""
    date: Marked
    """When, as the template prints it."""
    body: Marked
    """What it said; empty where it is answered without being quoted."""


def name_of(fields: Mapping[str, Marked]) -> str:
    """The name of a mail's thread: what it says itself, or its subject without ``Re:``."""
    named = fields.get("thread") or fields["Subject"]
    return _ANSWER.sub("", named.plain.strip())


def ident(thread: str, sender: Marked, date: Marked) -> str:
    """The id of a mail of a thread. Raises Fault where its sender or date is none."""
    when = moment(date.plain).isoformat()
    parts = (thread, address(sender.plain).addr_spec, when)
    return f"<{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:32]}@{domain(sender)}>"


def split(body: Marked) -> tuple[Marked, tuple[Earlier, ...]]:
    """A mail's own text, and the mails that it answers, the latest first. Raises Fault."""
    lines = list(body.lines())
    cuts = [at for at, line in enumerate(lines) if _EARLIER.match(line.text)]
    if not cuts:
        return body, ()
    parts = [lines[start + 1 : end] for start, end in zip(cuts, [*cuts[1:], len(lines)], strict=True)]
    return _joined(lines[: cuts[0]]), tuple(map(_earlier, parts))


def _earlier(lines: list[Marked]) -> Earlier:
    fields: dict[str, Marked] = {}
    at = 0
    for line in lines:
        match = _FIELD.match(line.text)
        if match is None:
            break
        fields[match[1]] = line.slice(match.end(), len(line.text)).strip()
        at += 1
    if set(fields) != {"From", "Date"} or (at < len(lines) and lines[at].text.strip()):
        raise Fault("an earlier mail begins with From: and Date:, and an empty line")
    return Earlier(fields["From"], fields["Date"], _joined(lines[at:]))


def _joined(lines: list[Marked]) -> Marked:
    text = Marked("")
    for number, line in enumerate(lines):
        text = text + (Marked("\n") if number else Marked("")) + line
    return text


def attribution(mail: Earlier) -> Marked:
    """``On Mon, 2 Mar 2026 at 09:14, Ann <ann@firm.example> wrote:``"""
    when = moment(mail.date.plain)
    day, month = format_datetime(when)[:4], format_datetime(when)[8:11]
    date = rewritten(mail.date, f"{day} {when.day} {month} {when.year} at {when:%H:%M}")
    return Marked("On ") + date + Marked(", ") + mail.sender + Marked(" wrote:")


def quotes(mails: tuple[Earlier, ...]) -> list[Marked]:
    """The lines that quote earlier mails, those before them one level deeper."""
    if not mails:
        return []
    first, rest = mails[0], quotes(mails[1:])
    if not first.body.text.strip():
        return rest
    said = flat(first.body)
    return [attribution(first), *map(_quoted, [*said, *([Marked(""), *rest] if rest else [])])]


def _quoted(line: Marked) -> Marked:
    return Marked(">") + line if line.text.startswith(">") or not line.text else Marked("> ") + line


def chain(thread: str, mails: tuple[Earlier, ...]) -> Iterator[str]:
    """The ids of earlier mails, the oldest first."""
    for mail in reversed(mails):
        yield ident(thread, mail.sender, mail.date)
