"""Mailboxes: the line before each message, ``m3``, hidden as mail programs hide it; the messages are its members.

Read by code of our own (``mbox.envelopes``), since the standard library's mailbox wants a file on the disk.
"""

from __future__ import annotations

from workgym.documents.mbox.envelopes import scan
from workgym.documents.model import Document, Fragment


def read(path: str, content: bytes) -> Document:
    """Read it. Raises :class:`Unreadable`."""
    fragments = [
        Fragment(
            at=f"m{number}",
            text=content[message.line : message.start].decode("utf-8", "replace").rstrip("\r\n"),
            label="envelope",
            hidden=True,
        )
        for number, message in enumerate(scan(path, content), 1)
    ]
    return Document(path=path, format="mbox", fragments=tuple(fragments))
