"""Mailboxes (mbox, the form called mboxrd), scanned with positions: one message after the other behind ``From`` lines.

A line of a message that begins with ``From``, whatever number of ``>`` stands before it, is written with one ``>``
more. What begins with ``From`` and has no time and year, or does not follow an empty line, is taken for text.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import NamedTuple

from workgym.documents.limits import LIMITS, check
from workgym.errors import Unreadable

_ENVELOPE = re.compile(
    rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\r\n]{0,200}\d\d:\d\d[^\r\n]{0,40}\d{4}[^\r\n]*(?:\r\n|\n|\Z)"
)
_QUOTED = re.compile(rb"^>(>*From )", re.M)
_FROM = re.compile(rb"^(>*From )", re.M)


class Message(NamedTuple):
    """One message of a mailbox."""

    line: int
    """First byte of its ``From`` line."""
    start: int
    """First byte of the message, behind that line."""
    end: int
    """One past its last byte; the empty line behind it is no part of it."""


def scan(path: str, content: bytes) -> tuple[Message, ...]:
    """The messages. Raises :class:`Unreadable` where it is no mailbox."""
    check(path, len(content), LIMITS.file_bytes, "bytes")
    if not content.strip():
        raise Unreadable(path, "truncated", "it is empty")
    found = list(islice(_ENVELOPE.finditer(content), LIMITS.members + 1))
    if not found or found[0].start():
        raise Unreadable(path, "corrupt", "it does not begin with a line of the form `From address date`")
    check(path, len(found), LIMITS.members, "messages")
    messages = []
    for match, after in zip(found, [*(match.start() for match in found[1:]), len(content)], strict=True):
        end = after
        for blank in (b"\r\n", b"\n"):
            if end - len(blank) >= match.end() and content[match.end() : end].endswith((b"\n" + blank,)):
                end -= len(blank)
                break
        messages.append(Message(match.start(), match.end(), end))
    return tuple(messages)


def plain(written: bytes) -> bytes:
    """A message as it is, from what a mailbox holds."""
    return _QUOTED.sub(rb"\1", written)


def quoted(message: bytes) -> bytes:
    """A message as a mailbox holds it."""
    return _FROM.sub(rb">\1", message)
