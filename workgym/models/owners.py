"""Who made a mark in a ledger, and whether that process still lives.

Each process locks a file of its own beside the ledger (flock); the kernel unlocks it when the process ends, by whatever
end, so that neither a clock nor a process number, which is used again, has to be trusted.
"""

from __future__ import annotations

import fcntl
import os
import uuid
import weakref
from collections.abc import Callable
from pathlib import Path


class Owner:
    """This process as the owner of marks in one ledger."""

    def __init__(self, ledger: str) -> None:
        """``:memory:`` needs no file: its marks go with it."""
        self.name = f"{os.getpid()}-{uuid.uuid4().hex}"
        self._folder = None if ledger == ":memory:" else Path(f"{ledger}.owners")
        if self._folder is None:
            return
        self._folder.mkdir(exist_ok=True)
        path = self._folder / self.name
        file = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
        fcntl.flock(file, fcntl.LOCK_EX)
        self._finalizer = weakref.finalize(self, _release, file, path, os.getpid())
        # A forked child that lives on must not keep the lock of a parent that was killed.
        os.register_at_fork(after_in_child=_closer(weakref.ref(self), file))

    def lives(self, name: str) -> bool:
        """Whether the owner of that name still has its lock."""
        if self._folder is None or name == self.name:
            return True
        path = self._folder / name
        try:
            other = os.open(path, os.O_RDWR)
        except OSError:
            return False  # it ended in order, or somebody has cleared up after it
        try:
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
        finally:
            os.close(other)
        path.unlink(missing_ok=True)
        return False

    def release(self) -> None:
        """Unlock and remove the file. Calling it again does nothing."""
        if self._folder is not None:
            self._finalizer()


def _release(file: int, path: Path, made_by: int) -> None:
    if os.getpid() == made_by:
        path.unlink(missing_ok=True)
        os.close(file)


def _closer(owner: weakref.ref[Owner], file: int) -> Callable[[], None]:
    return lambda: os.close(file) if owner() is not None else None
