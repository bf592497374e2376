"""Digests over normalised content: of what a solver sees or can find, file by file."""

from __future__ import annotations

import hashlib
import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterable, Mapping

from workgym.records import PageCard, digest

INDEX = "external/index.json"
"""Where the index of the offline site stands in the package."""


def public_digests(
    request: str, files: Mapping[str, bytes], external: Mapping[str, bytes], pages: Iterable[PageCard]
) -> dict[str, str]:
    """Normalised digests of everything that the solver sees or can find, by path in the package."""
    found = {"request.md": content_digest("request.md", request.encode())}
    found |= {f"files/{path}": content_digest(path, content) for path, content in sorted(files.items())}
    found |= {f"external/{path}": content_digest(path, content) for path, content in sorted(external.items())}
    if external:
        found[INDEX] = digest([card.model_dump(mode="json") for card in pages])
    return found


def content_digest(path: str, content: bytes) -> str:
    """sha256, in hexadecimal, of normalised content: of a zip's decompressed parts, since zip libraries differ."""
    if path.rpartition(".")[2].lower() in ("xlsx", "docx", "pptx", "zip"):
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                return _archive_digest(archive)
        except _DAMAGED:
            pass
    return hashlib.sha256(content).hexdigest()


_LARGEST_ARCHIVE = 256 * 2**20
"""Bytes of all parts together beyond which an archive is taken as the bytes that it is."""
_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(ValueError, OSError, EOFError, NotImplementedError, RuntimeError, OverflowError),
)


def _archive_digest(archive: zipfile.ZipFile) -> str:
    parts: dict[str, str] = {}
    read = 0
    for info in archive.infolist():
        if info.filename in parts:
            raise ValueError("two parts have one name")
        hasher = hashlib.sha256()
        with archive.open(info) as part:
            while block := part.read(1 << 16):
                read += len(block)
                if read > _LARGEST_ARCHIVE:
                    raise ValueError("the parts are too large")
                hasher.update(block)
        parts[info.filename] = hasher.hexdigest()
    return digest(parts)
