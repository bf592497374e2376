"""A folder that one process at a time works in."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from workgym.errors import UsageError

LOCK = ".lock"


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Nobody else works in this folder meanwhile. Raises UsageError where another run does already.

    The kernel lifts the lock when the process ends, by whatever end.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = os.open(folder / LOCK, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            fix = "wait for it, or name another folder"
            raise UsageError(f"{folder}: another run is at work here", fix=fix) from None
        yield
    finally:
        os.close(file)
