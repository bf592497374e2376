"""Zip archives: the names of the files in them, ``m3``, in the order of the archive; the comment is hidden.

Read by the standard library, by which they are written too. What the files say is read by their own readers.
"""

from __future__ import annotations

from workgym.documents.model import Document, Fragment
from workgym.documents.zip.members import members


def read(path: str, content: bytes) -> Document:
    """List it. Raises :class:`Unreadable`."""
    held = members(path, content)
    fragments = [Fragment(at=f"m{number}", text=name, label="file") for number, name in enumerate(held, 1)]
    comment = held.archive.comment.decode("utf-8", "replace")
    if comment:
        fragments.append(Fragment(at="property.comment", text=comment, label="comment", hidden=True))
    return Document(path=path, format="zip", fragments=tuple(fragments))
