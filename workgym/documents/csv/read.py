"""Delimited text: ``r3c2``, one grid named ``csv`` or ``tsv``; empty fields are counted and left out."""

from __future__ import annotations

from workgym.documents.csv.dialect import scan, sniff
from workgym.documents.decoding import decode
from workgym.documents.model import Document, piece
from workgym.records import FormatName


def read(path: str, content: bytes) -> Document:
    """Read it with the delimiter that fits. Raises :class:`Unreadable`."""
    body = decode(path, content).body
    return _read(path, body, sniff(body), "csv")


def read_tsv(path: str, content: bytes) -> Document:
    """Read it with tabs between its fields. Raises :class:`Unreadable`."""
    return _read(path, decode(path, content).body, "\t", "tsv")


def _read(path: str, body: str, delimiter: str, form: FormatName) -> Document:
    fragments = [
        piece(f"r{row}c{column}", field.text, form, row, column)
        for row, record in enumerate(scan(path, body, delimiter), 1)
        for column, field in enumerate(record.fields, 1)
        if field.text
    ]
    return Document(path=path, format=form, fragments=tuple(fragments))
