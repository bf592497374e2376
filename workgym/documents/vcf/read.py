"""Cards of contacts: properties unfolded and unescaped, ``c3.TEL``; the cards are one grid.

Read by code of our own (``vcf.card``). Not supported: quoted-printable values of vCard 2.1, which stay as they
are written; pictures are their base64 text. The value of a date is ISO text.
"""

from __future__ import annotations

import re

from workgym.documents.decoding import decode
from workgym.documents.limits import LIMITS, check
from workgym.documents.model import Document, Fragment
from workgym.documents.vcf.card import scan

_DULL = frozenset(("VERSION", "UID", "REV", "PRODID", "KIND", "CLIENTPIDMAP", "SOURCE"))
_DATES = frozenset(("BDAY", "ANNIVERSARY", "DEATHDATE"))
_DAY = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)")


def read(path: str, content: bytes) -> Document:
    """Read it. Raises :class:`Unreadable`."""
    columns: dict[str, int] = {}
    fragments: list[Fragment] = []
    for item in scan(path, decode(path, content).body).properties:
        check(path, len(fragments), LIMITS.cells, "properties")
        fragment = Fragment(at=item.at, text=item.text, label=item.name, hidden=item.name in _DULL)
        if not fragment.hidden:
            day = _DAY.fullmatch(item.raw) if item.name in _DATES else None
            column = columns.setdefault(item.at.partition(".")[2], len(columns) + 1)
            grid = {"table": "cards", "row": item.card, "column": column}
            fragment = fragment.model_copy(update={**grid, "value": "-".join(day.groups()) if day else None})
        if fragment.text:
            fragments.append(fragment)
    return Document(path=path, format="vcf", fragments=tuple(fragments))
