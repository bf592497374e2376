"""Files that are there in whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_whole(path: Path, content: str | bytes, *, durable: bool = False) -> None:
    """Write a file so that whoever looks, also after kill -9, finds the old one or the new one in full.

    ``durable`` also outlives a machine that stops: it is on the disk when this returns.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, torn = tempfile.mkstemp(prefix=f".{path.name[:100]}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        os.chmod(torn, 0o644)
        os.replace(torn, path)
    except BaseException:
        Path(torn).unlink(missing_ok=True)
        raise
