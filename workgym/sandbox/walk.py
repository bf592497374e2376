"""The regular files of a folder that a stranger filled: one walk for the live workspace and for one that was kept.

Every step goes by descriptor and never follows a link, so that nothing the stranger leaves there (links to files of
the host, pipes that block, devices, sparse giants, 3,000 levels of folders) reaches further than its own entry. What
has a second name is left out: the other one may lie anywhere, and whoever writes there would write here.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager

from workgym.errors import SandboxError, WorkspaceOverLimit
from workgym.records import Record
from workgym.sandbox.trees import FOLDER

NO_FOLDER = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
"""What opening a folder says where there is none."""
_NOT_TO_BE_TAKEN = (*NO_FOLDER, errno.EACCES, errno.EPERM, errno.ENXIO, errno.ENODEV, errno.EAGAIN)
"""What opening says of an entry that is gone, was replaced, or was closed to us by the guest since it was listed."""
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_BLOCK = 1 << 20


class Bounds(Record):
    """What a workspace may hold; counted, so that the same files are always judged alike."""

    file_bytes: int = 64 << 20
    """Size of the largest file that is taken; larger ones are left out."""
    total_bytes: int = 256 << 20
    """Size of all files that are taken."""
    entries: int = 10_000
    """Entries of all kinds, in all folders."""
    depth: int = 40
    """Levels of folders."""


Found = tuple[str, int, os.stat_result]
"""A file: its path from the folder, an open descriptor that is closed at the next step, its status."""


def files(folder: int, bounds: Bounds, *, strict: bool) -> Iterator[Found]:
    """Regular files with a single name below an open folder, sorted in each folder.

    Beyond the bounds ``strict`` raises WorkspaceOverLimit; else what lies beyond is not seen. A name that cannot stand
    in records is left out with all below it.
    """
    return _Walk(bounds, strict).below(folder, "", 0)


def collected(folder: int, bounds: Bounds) -> dict[str, bytes]:
    """The content of those files, by path in order.

    Raises WorkspaceOverLimit beyond the bounds, and SandboxError where the host fails.
    """
    with reading():
        return dict(
            sorted((path, content(opened, found)) for path, opened, found in files(folder, bounds, strict=True))
        )


def content(opened: int, found: os.stat_result) -> bytes:
    """The bytes of a file, no more of them than its size was when it was counted."""
    return b"".join(blocks(opened, found))


def blocks(opened: int, found: os.stat_result) -> Iterator[bytes]:
    """The same, in pieces."""
    left = found.st_size
    while left > 0 and (part := os.read(opened, min(left, _BLOCK))):
        left -= len(part)
        yield part


@contextmanager
def reading() -> Iterator[None]:
    """Turn the host's own errors into SandboxError."""
    try:
        yield
    except OSError as error:
        raise SandboxError(f"the workspace cannot be read ({error.strerror})") from error


class _Walk:
    def __init__(self, bounds: Bounds, strict: bool) -> None:
        self.bounds, self.strict = bounds, strict
        self.entries, self.room, self.over = 0, bounds.total_bytes, False

    def below(self, folder: int, prefix: str, depth: int) -> Iterator[Found]:
        if depth > self.bounds.depth:
            self.beyond(f"is more than {self.bounds.depth} folders deep")
            return
        for name in self.names(folder):
            path = prefix + name
            try:
                listed = os.stat(name, dir_fd=folder, follow_symlinks=False)
                if stat.S_ISDIR(listed.st_mode):
                    inner = os.open(name, FOLDER, dir_fd=folder)
                elif _single(listed):
                    inner = os.open(name, _FILE, dir_fd=folder)
                else:
                    continue
            except OSError as error:
                if error.errno not in _NOT_TO_BE_TAKEN:
                    raise  # too many open files, say: a file that is there must not seem gone
                continue
            try:
                if stat.S_ISDIR(listed.st_mode):
                    yield from self.below(inner, path + "/", depth + 1)
                elif self.fits(found := os.fstat(inner)):
                    yield path, inner, found
            finally:
                os.close(inner)

    def fits(self, found: os.stat_result) -> bool:
        if self.over or not _single(found) or found.st_size > self.bounds.file_bytes:
            return False
        self.room -= found.st_size
        if self.room < 0:
            self.over = True
            self.beyond(f"holds more than {self.bounds.total_bytes >> 20} MiB")
        return not self.over

    def names(self, folder: int) -> list[str]:
        found = []
        with os.scandir(folder) as entries:
            for entry in entries:
                self.entries += 1
                if self.entries > self.bounds.entries:
                    self.beyond(f"holds more than {self.bounds.entries} entries")
                    break
                if sayable(entry.name):
                    found.append(entry.name)
        return sorted(found)

    def beyond(self, what: str) -> None:
        if self.strict:
            raise WorkspaceOverLimit(f"the workspace {what}")


def _single(found: os.stat_result) -> bool:
    return stat.S_ISREG(found.st_mode) and found.st_nlink == 1


def sayable(name: str) -> bool:
    """Whether a name can stand in records and on other systems: UTF-8, no control characters, no backslash."""
    return name.isprintable() and "\\" not in name
