"""Files that hold files: archives, and mails with their attachments."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from workgym.documents.limits import LIMITS, check
from workgym.errors import EditRefused
from workgym.records import FormatName, by_ending

_HOLDERS: dict[FormatName, str] = {
    "zip": "workgym.documents.zip.members",
    "eml": "workgym.documents.mail.members",
    "mbox": "workgym.documents.mbox.members",
}
"""Module by format; each has ``members(path, content)``, the files by name in their order, and
``replaced(path, content, name, member)``, the holder with one of them exchanged and everything else as it was."""


def members(path: str, content: bytes) -> Mapping[str, bytes]:
    """The files that a file holds, by name. Raises :class:`workgym.errors.Unreadable`."""
    form = by_ending(path)
    if form is None or form.name not in _HOLDERS:
        return {}
    found: Mapping[str, bytes] = importlib.import_module(_HOLDERS[form.name]).members(path, content)
    check(path, len(found), LIMITS.members, "files in it")
    return found


def member(path: str, content: bytes, name: str) -> bytes:
    """One file out of another, however deep (``a.zip//b.csv``). Raises EditRefused where it is not there."""
    first, _, rest = name.partition("//")
    found = members(path, content)
    if first not in found:
        raise EditRefused(f"{path} holds no {first}")
    return member(f"{path}//{first}", found[first], rest) if rest else found[first]


def replaced(path: str, content: bytes, name: str, new: bytes) -> bytes:
    """The file with one that it holds exchanged, however deep. Raises EditRefused where it is not there."""
    first, _, rest = name.partition("//")
    if rest:
        new = replaced(f"{path}//{first}", member(path, content, first), rest, new)
    form = by_ending(path)
    if form is None or form.name not in _HOLDERS:
        raise EditRefused(f"{path} holds no files")
    made: bytes = importlib.import_module(_HOLDERS[form.name]).replaced(path, content, first, new)
    return made
