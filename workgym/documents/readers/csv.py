"""Delimited text: ``r3c2``, one grid named ``csv``; empty fields are counted and left out."""

from __future__ import annotations

from workgym.documents.csv import scan, sniff
from workgym.documents.model import Document, Fragment
from workgym.documents.text import decode


def read(path: str, content: bytes) -> Document:
    """Read it with the delimiter that fits. Raises :class:`Unreadable`."""
    body = decode(path, content).body
    fragments = [
        Fragment(at=f"r{row}c{column}", text=field.text, table="csv", row=row, column=column)
        for row, record in enumerate(scan(path, body, sniff(body)), 1)
        for column, field in enumerate(record.fields, 1)
        if field.text
    ]
    return Document(path=path, format="csv", fragments=tuple(fragments))
