"""The workspace seen from the host: a folder that a stranger writes in.

Every step goes by descriptor and never follows a link, so that nothing the guest leaves there (links to
host files, pipes that block, sparse giants, 3,000 levels of folders) reaches further than its own entry.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from workgym.errors import SandboxError
from workgym.records import FileChange

MTIME = 1_767_225_600
"""Modification time of all files that the host writes: 2026-01-01T00:00:00Z."""
_MAX_FILES = 10_000
_MAX_DEPTH = 40
_RACY_NS = 100_000_000
"""A file touched this shortly before a look may change again within the clock's grain: it is read again next time."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY

_Stamp = tuple[int, int, int, int]


@dataclass(frozen=True)
class _Seen:
    """A file as it was at the last look."""

    stamp: _Stamp | None
    """Size, mtime, ctime, inode; None where it must be read again."""
    digest: str
    """sha256 of its content."""


class Workspace:
    """One folder: write files into it, take them out, say what changed."""

    def __init__(self, folder: Path, *, owner: int | None, file_bytes: int, total_bytes: int) -> None:
        """``owner`` is the user and group that the guest runs as, None for our own."""
        self.folder, self.owner = folder, owner
        self.file_bytes, self.total_bytes = file_bytes, total_bytes
        self._seen: dict[str, _Seen] = {}

    def fill(self, files: Mapping[str, bytes]) -> None:
        """Write the first files; they count as seen. Raises SandboxError for a path that leaves the workspace."""
        for path, content in files.items():
            self.put(path, content)
        self.changed()

    def put(self, path: str, content: bytes | None) -> None:
        """Write one file with the fixed time, or remove it; folders that are missing are made.

        Raises SandboxError where the path leaves the workspace or passes through something that is no folder.
        """
        *folders, name = _parts(path)
        try:
            with self._descend(folders, make=content is not None) as parent:
                try:
                    os.unlink(name, dir_fd=parent)
                except FileNotFoundError:
                    if content is None:
                        return
                if content is not None:
                    self._write(parent, name, content)
        except FileNotFoundError:
            if content is not None:
                raise
        except OSError as error:
            raise SandboxError(f"{path}: cannot be written in the workspace ({error.strerror})") from None

    def collect(self) -> dict[str, bytes]:
        """All regular files with one name, by path. Raises SandboxError beyond the limits of size, number or depth."""
        files: dict[str, bytes] = {}
        room = self.total_bytes
        for path, opened, found in self._walk(strict=True):
            if found.st_size > self.file_bytes:
                continue
            content = _read(opened, self.file_bytes)
            room -= len(content)
            if room < 0:
                raise SandboxError(f"the workspace holds more than {self.total_bytes >> 20} MiB")
            files[path] = content
        return dict(sorted(files.items()))

    def changed(self) -> tuple[FileChange, ...]:
        """What differs from the last look, by content, sorted by path; reads only files whose stamps moved."""
        now = time.time_ns()
        fresh: dict[str, _Seen] = {}
        sizes: dict[str, int] = {}
        for path, opened, found in self._walk(strict=False):
            if found.st_size > self.file_bytes:
                continue
            stamp = (found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)
            before = self._seen.get(path)
            sizes[path] = found.st_size
            if before is not None and before.stamp == stamp:
                fresh[path] = before
            else:
                settled = now - found.st_ctime_ns > _RACY_NS
                fresh[path] = _Seen(stamp if settled else None, _digest(opened, self.file_bytes))
        before_all, self._seen = self._seen, fresh
        changes = [
            FileChange(path=path, change="removed", digest=None, size=0) for path in before_all if path not in fresh
        ]
        for path, seen in fresh.items():
            if path not in before_all:
                changes.append(FileChange(path=path, change="added", digest=seen.digest, size=sizes[path]))
            elif before_all[path].digest != seen.digest:
                changes.append(FileChange(path=path, change="modified", digest=seen.digest, size=sizes[path]))
        return tuple(sorted(changes, key=lambda change: change.path))

    @contextlib.contextmanager
    def _descend(self, folders: list[str], *, make: bool) -> Iterator[int]:
        here = os.open(self.folder, _FOLDER)
        try:
            for name in folders:
                try:
                    below = os.open(name, _FOLDER, dir_fd=here)
                except FileNotFoundError:
                    if not make:
                        raise
                    os.mkdir(name, 0o755, dir_fd=here)
                    below = os.open(name, _FOLDER, dir_fd=here)
                    self._own(below)
                os.close(here)
                here = below
            yield here
        finally:
            os.close(here)

    def _write(self, parent: int, name: str, content: bytes) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with open(os.open(name, flags, 0o644, dir_fd=parent), "wb") as file:
            file.write(content)
            file.flush()
            self._own(file.fileno())
            os.utime(file.fileno(), (MTIME, MTIME))

    def _own(self, descriptor: int) -> None:
        if self.owner is not None:
            os.fchown(descriptor, self.owner, self.owner)

    def _walk(self, *, strict: bool) -> Iterator[tuple[str, int, os.stat_result]]:
        """Regular files with a single name, sorted by path: path, open descriptor, its status."""
        try:
            top = os.open(self.folder, _FOLDER)
        except PermissionError:  # the guest runs as our own user, and has closed its workspace to us
            os.chmod(self.folder, 0o700)
            top = os.open(self.folder, _FOLDER)
        try:
            yield from _Walk(strict).below(top, "", 0)
        finally:
            os.close(top)


class _Walk:
    def __init__(self, strict: bool) -> None:
        self.strict = strict
        """Whether to raise beyond the limits; else what lies beyond is not seen."""
        self.count = 0

    def below(self, folder: int, prefix: str, depth: int) -> Iterator[tuple[str, int, os.stat_result]]:
        if depth > _MAX_DEPTH:
            self._beyond(f"the workspace is more than {_MAX_DEPTH} folders deep")
            return
        for name in self._names(folder):
            path = prefix + name
            try:
                found = os.stat(name, dir_fd=folder, follow_symlinks=False)
                if stat.S_ISDIR(found.st_mode):
                    inner = os.open(name, _FOLDER, dir_fd=folder)
                elif stat.S_ISREG(found.st_mode) and found.st_nlink == 1:
                    inner = os.open(name, _FILE, dir_fd=folder)
                else:
                    continue
            except OSError:
                # Gone, replaced or closed to us since it was listed: it is not there to be taken.
                continue
            try:
                if stat.S_ISDIR(found.st_mode):
                    yield from self.below(inner, path + "/", depth + 1)
                    continue
                found = os.fstat(inner)
                if stat.S_ISREG(found.st_mode) and found.st_nlink == 1:
                    yield path, inner, found
            finally:
                os.close(inner)

    def _names(self, folder: int) -> list[str]:
        names = []
        with os.scandir(folder) as entries:
            for entry in entries:
                self.count += 1
                if self.count > _MAX_FILES:
                    self._beyond(f"the workspace holds more than {_MAX_FILES} entries")
                    break
                if _sayable(entry.name):
                    names.append(entry.name)
        return sorted(names)

    def _beyond(self, message: str) -> None:
        if self.strict:
            raise SandboxError(message)


def _sayable(name: str) -> bool:
    """Whether a name can stand in records and on other systems: UTF-8, no control characters, no backslash."""
    return name.isprintable() and "\\" not in name


def _parts(path: str) -> list[str]:
    pure = PurePosixPath(path)
    parts = list(pure.parts)
    if pure.is_absolute() or not parts or ".." in parts or "\0" in path:
        raise SandboxError(f"{path!r} is not a path inside the workspace")
    return parts


def _read(opened: int, limit: int) -> bytes:
    parts, left = [], limit + 1
    while left > 0 and (part := os.read(opened, min(left, 1 << 20))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _digest(opened: int, limit: int) -> str:
    digest, left = hashlib.sha256(), limit + 1
    while left > 0 and (part := os.read(opened, min(left, 1 << 20))):
        digest.update(part)
        left -= len(part)
    return digest.hexdigest()
