"""Digests that say whether two files say the same, whenever and by whatever zip library they were written.

Office writers put the hour into ``docProps/core.xml`` and into every zip entry, and PDF writers into their dates and
identifiers. Two runs of one program would never agree by bytes; by these digests they do.
"""

from __future__ import annotations

import hashlib
import io
import re
import struct
import zipfile
import zlib
from collections.abc import Mapping

from workgym.records import digest

_MOST = 64 * 2**20  # inflated bytes, all parts together: beyond it a zip counts as its bytes, so a bomb costs little
_ZIPPED = (".xlsx", ".docx", ".pptx", ".xlsm", ".ods", ".odt", ".zip")
_ENTRIES = 10_000
_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError),
    *(NotImplementedError, ValueError, OSError, OverflowError),
)
"""What zipfile says of an archive that is damaged, locked, or points to offsets that no file has."""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # what office programs write; others fail in many ways
# Every repetition has an end: without one, ``/ID[`` written a million times takes days.
_STAMPS = re.compile(rb"(<dcterms:(?:created|modified)\b[^>]{0,200}>)[^<]{0,100}(<)")
_PDF_STAMPS = re.compile(
    rb"/(?:CreationDate|ModDate)\s{0,9}\([^)]{0,100}\)|/ID\s{0,9}\[[^\]]{0,300}\]|<xmp:\w{1,20}Date>[^<]{0,100}<"
)


def normal_digest(path: str, content: bytes) -> str:
    """sha256, in hexadecimal, of what a file says. A file that is not what its name says counts by its bytes."""
    lower = path.lower()
    if lower.endswith(_ZIPPED):
        parts = _parts(content)
        if parts is not None:
            return digest({"zip": parts})
    if lower.endswith(".pdf"):
        content = _PDF_STAMPS.sub(b"", content)
    return hashlib.sha256(content).hexdigest()


def workspace_digest(contents: Mapping[str, str]) -> str:
    """The digest of a workspace from the digests of its files, by path."""
    return digest(dict(contents))


def _parts(content: bytes) -> dict[str, str] | None:
    parts: dict[str, str] = {}
    left = _MOST
    if content.count(b"PK\1\2") > _ENTRIES:
        return None
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for entry in archive.infolist():
                if entry.compress_type not in _METHODS:
                    return None
                with archive.open(entry) as part:
                    data = part.read(left + 1)
                left -= len(data)
                if left < 0 or entry.filename in parts:
                    return None
                if entry.filename == "docProps/core.xml":
                    data = _STAMPS.sub(rb"\1\2", data)
                parts[entry.filename] = hashlib.sha256(data).hexdigest()
    except _DAMAGED:
        return None
    return parts
