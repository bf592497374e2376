"""Mails as files that hold files: attachments, their transfer encoding undone, and forwarded messages.

An attachment is called by the last part of its file name; one without a name, or of the same name as another, gets one.
When one is exchanged, only its part is encoded anew, as it was before, and all other bytes stay.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping

from workgym.documents.mail.mime import Part, leaves, scan
from workgym.errors import EditRefused, Unreadable

_BASE64 = re.compile(rb"[A-Za-z0-9+/]*={0,2}")
_UNSAFE = re.compile(r"[\x00-\x1f\x7f]")
_ENDINGS = {
    "message/rfc822": ".eml",
    "text/plain": ".txt",
    "text/csv": ".csv",
    "text/html": ".html",
    "text/calendar": ".ics",
    "text/vcard": ".vcf",
    "application/json": ".json",
    "application/pdf": ".pdf",
    "application/zip": ".zip",
    "image/png": ".png",
    "image/jpeg": ".jpg",
}
"""How an attachment without a name is called, by its type: fixed, since the system's table differs by machine."""
_VERBATIM = ("7bit", "8bit", "binary")


class Attachments(Mapping[str, bytes]):
    """The attachments of a message by name; each is decoded when it is asked for."""

    def __init__(self, path: str, content: bytes) -> None:
        """Find them. Raises :class:`Unreadable` where it is no message."""
        self.path, self.content = path, content
        self.parts = dict(named(scan(path, content)))

    def __getitem__(self, name: str) -> bytes:
        part = self.parts[name]
        data = self.content[part.start : part.end]
        if part.encoding in _VERBATIM:
            return data
        if part.encoding == "quoted-printable":
            return binascii.a2b_qp(data)
        if part.encoding == "base64":
            bare = b"".join(data.split())
            if _BASE64.fullmatch(bare) and len(bare) % 4 == 0:
                return binascii.a2b_base64(bare)
        raise Unreadable(f"{self.path}//{name}", "corrupt", f"it is not encoded in {part.encoding or 'any way'}")

    def __iter__(self) -> Iterator[str]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)


def named(root: Part) -> Iterator[tuple[str, Part]]:
    """The attachments of a message, each with a name of its own, in order."""
    taken: set[str] = set()
    for number, part in enumerate((part for part in leaves(root) if part.attached), 1):
        last = _UNSAFE.sub("", re.split(r"[/\\]", part.filename)[-1]).strip()
        if last in ("", ".", ".."):
            last = f"attachment{number}{_ENDINGS.get(part.kind, '')}"
        if part.kind == "message/rfc822" and not last.lower().endswith(".eml"):
            last += ".eml"
        name, count = last, 1
        while name in taken:
            count += 1
            stem, dot, ending = last.rpartition(".")
            name = f"{stem or ending} ({count}){dot if stem else ''}{ending if stem else ''}"
        taken.add(name)
        yield name, part


def members(path: str, content: bytes) -> Attachments:
    """The attachments in their order. Raises :class:`Unreadable`."""
    return Attachments(path, content)


def replaced(path: str, content: bytes, name: str, member: bytes) -> bytes:
    """The message with one attachment exchanged. Raises :class:`EditRefused` where its encoding cannot hold it."""
    held = Attachments(path, content)
    if name not in held.parts:
        raise EditRefused(f"{path} holds no {name}")
    part = held.parts[name]
    old = content[part.start : part.end]
    newline = b"\r\n" if b"\r\n" in content[: part.start] else b"\n"
    if part.encoding == "base64":
        lines = [base64.b64encode(member[at : at + 57]) for at in range(0, len(member), 57)]
        new = newline.join(lines) + (newline if old.endswith(b"\n") else b"")
    elif part.encoding == "quoted-printable":
        new = newline.join(binascii.b2a_qp(member, istext=False).split(b"\n"))
    elif part.encoding in _VERBATIM:
        new = member
        if part.encoding == "7bit" and old.isascii() and not new.isascii():
            raise EditRefused(f"{path}: {name} is sent as 7-bit text, and the new content is not")
    else:
        raise EditRefused(f"{path}: {name} is encoded in {part.encoding}, which is not written")
    made = content[: part.start] + new + content[part.end :]
    again = Attachments(path, made)
    same = list(again) == list(held) and again[name] == member
    if not same or any(_raw(again, other) != _raw(held, other) for other in held if other != name):
        raise EditRefused(f"{path}: {name} does not read back as it was written")
    return made


def _raw(held: Attachments, name: str) -> bytes:
    part = held.parts[name]
    return held.content[part.start : part.end]
