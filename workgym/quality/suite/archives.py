"""The parts of archives among a package's files, with a limit: a file may claim to unpack to anything."""

from __future__ import annotations

import io
import zipfile

MOST = 64 << 20
"""Bytes of all parts together from which on an archive is not unpacked."""
_DAMAGED = (zipfile.BadZipFile, ValueError, OSError, EOFError, NotImplementedError, RuntimeError)


def parts(content: bytes) -> list[tuple[zipfile.ZipInfo, bytes]]:
    """Every part of a zip, in its order; empty for what is none, is damaged, or unpacks to too much."""
    if not content.startswith(b"PK"):
        return []
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            infos = archive.infolist()
            if sum(info.file_size for info in infos) > MOST:
                return []
            return [(info, archive.read(info)) for info in infos]
    except _DAMAGED:
        return []


def turned(content: bytes, first: tuple[str, ...]) -> bytes:
    """An archive with its parts from last to first, but for those whose place is fixed; other files as they are."""
    known = parts(content)
    if not known:
        return content
    staying = [one for one in known if one[0].filename in first]
    others = [one for one in reversed(known) if one[0].filename not in first]
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for info, part in (*staying, *others):
            archive.writestr(info, part, info.compress_type)
    return made.getvalue()
