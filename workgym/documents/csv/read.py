"""Delimited text: ``r3c2``, one grid named ``csv`` or ``tsv``; empty fields are counted and left out."""

from __future__ import annotations

from workgym.documents.csv.dialect import sniff
from workgym.documents.csv.table import Table, fields
from workgym.documents.decoding import decode
from workgym.documents.model import Document
from workgym.records import FormatName


def read(path: str, content: bytes) -> Document:
    """Read it with the delimiter that fits. Raises :class:`Unreadable`."""
    body = decode(path, content).body
    return _read(path, body, sniff(body), "csv")


def read_tsv(path: str, content: bytes) -> Document:
    """Read it with tabs between its fields. Raises :class:`Unreadable`."""
    return _read(path, decode(path, content).body, "\t", "tsv")


def _read(path: str, body: str, delimiter: str, form: FormatName) -> Document:
    return Document(path=path, format=form, fragments=Table(form, fields(path, body, delimiter)))
