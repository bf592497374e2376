"""Mailboxes as files that hold files: ``1.eml``, ``2.eml``, ... in their order.

When a message is exchanged, the others and all ``From`` lines keep their bytes.
"""

from __future__ import annotations

from workgym.documents.mbox.envelopes import plain, quoted, scan
from workgym.errors import EditRefused


def members(path: str, content: bytes) -> dict[str, bytes]:
    """The messages. Raises :class:`Unreadable`."""
    return {
        f"{number}.eml": plain(content[message.start : message.end])
        for number, message in enumerate(scan(path, content), 1)
    }


def replaced(path: str, content: bytes, name: str, member: bytes) -> bytes:
    """The mailbox with one message exchanged. Raises :class:`EditRefused` where it is not there."""
    messages = {f"{number}.eml": message for number, message in enumerate(scan(path, content), 1)}
    if name not in messages:
        raise EditRefused(f"{path} holds no {name}")
    message = messages[name]
    new = quoted(member)
    if not new.endswith(b"\n"):
        new += b"\r\n" if content[message.line : message.start].endswith(b"\r\n") else b"\n"
    made = content[: message.start] + new + content[message.end :]
    before, after = members(path, content), members(path, made)
    same = list(after) == list(before) and after[name].rstrip(b"\r\n") == member.rstrip(b"\r\n")
    if not same or any(after[other] != before[other] for other in before if other != name):
        raise EditRefused(f"{path}: {name} does not fit between the other messages")
    return made
