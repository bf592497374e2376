"""The workspace seen from the host: a folder that a stranger writes in.

Reading it is ``walk``'s. Writing goes by descriptor, too, and never through a link.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import functools
import hashlib
import os
import secrets
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TypeVar

from workgym.errors import SandboxError
from workgym.records import FileChange
from workgym.sandbox import walk
from workgym.sandbox.trees import FOLDER, enter, remove

MTIME = 1_767_225_600
"""Modification time of all files that the host writes, and of their folders: 2026-01-01T00:00:00Z."""
_RACY_NS = 100_000_000
"""A file touched this shortly before a look may change again within the clock's grain: it is read again next time."""
_TRIES = 100
"""How often the host puts aside what stands in its way: a guest that runs may put it back each time."""
_IN_THE_WAY = (errno.EEXIST, errno.ENOTDIR, errno.ELOOP)
_PAGE = os.sysconf("SC_PAGE_SIZE")
_libc = ctypes.CDLL(None)
_EXCHANGE = 2
"""``RENAME_EXCHANGE``."""
_T = TypeVar("_T")
_Stamp = tuple[int, int, int, int]


@dataclass(frozen=True)
class Seen:
    """A file as it was at the last look."""

    stamp: _Stamp | None
    """Size, mtime, ctime, inode; None where it must be read again."""
    digest: str
    """sha256 of its content."""
    size: int
    """Bytes."""


class Workspace:
    """One folder: write files into it, take them out, say what changed."""

    def __init__(
        self,
        folder: Path | int,
        *,
        owner: int | None,
        file_bytes: int,
        total_bytes: int,
        enlarge: Callable[[int], None] | None = None,
    ) -> None:
        """``folder`` is a path, or a descriptor of a file system of the guest's own, ours from now on.

        ``owner`` is the user and group that the guest runs as, None for our own. ``enlarge`` makes room for so many
        bytes where the guest has filled it up: no guest can keep the host from writing.
        """
        self.folder, self.owner, self._enlarge = folder, owner, enlarge
        self._bounds = walk.Bounds(file_bytes=file_bytes, total_bytes=total_bytes)
        self._seen: dict[str, Seen] = {}
        self._mark: dict[str, Seen] = {}

    def fill(self, files: Mapping[str, bytes]) -> None:
        """Write the first files; they count as seen. Raises SandboxError for a path that leaves the workspace."""
        for path, content in files.items():
            self.put(path, content)
        with self._writing(), self._descend([], make=False) as top:
            os.utime(top, (MTIME, MTIME))
        self.changed()

    def discard(self) -> None:
        """Remove it with all that is in it."""
        if isinstance(self.folder, Path):
            remove(self.folder)
        elif self.folder >= 0:
            os.close(self.folder)
            self.folder = -1

    def put(self, path: str, content: bytes | None) -> None:
        """Write one file with the fixed time, or remove it; its folders get that time too, so that listings repeat.

        Missing folders are made, and what stands in the way goes: a folder in a file's place, a file or a link in a
        folder's. Raises SandboxError where the path leaves the workspace, or the host cannot write.
        """
        parts = parts_of(path)
        try:
            for _ in range(_TRIES):
                try:
                    return self._put(parts, content)
                except FileNotFoundError:  # a running guest took a folder away after it was entered
                    if content is None:
                        return
                except OSError as error:
                    if content is None or error.errno != errno.ENOSPC or self._enlarge is None:
                        raise
                    self._enlarge(len(content) + (len(parts) + 1) * _PAGE)
            self._put(parts, content)
        except OSError as error:
            if content is None and error.errno in walk.NO_FOLDER:
                return
            raise SandboxError(f"{path}: cannot be written in the workspace ({error.strerror})") from None

    def _put(self, parts: list[str], content: bytes | None) -> None:
        *folders, name = parts
        with self._writing(), self._descend(folders, make=content is not None) as parent:
            if content is not None:
                _replace(parent, name, lambda at: self._write(parent, at, content))
            else:
                with contextlib.suppress(FileNotFoundError, IsADirectoryError):
                    os.unlink(name, dir_fd=parent)
            os.utime(parent, (MTIME, MTIME))

    @walk.reading()
    def collect(self) -> dict[str, bytes]:
        """All regular files with one name, by path.

        Raises WorkspaceOverLimit beyond the limits of size, number or depth, and SandboxError where the host fails.
        """
        with self._descend([], make=False) as top:
            return walk.collected(top, self._bounds)

    @walk.reading()
    def changed(self) -> tuple[FileChange, ...]:
        """What differs from the last time that this was asked, by content, sorted by path.

        Raises SandboxError where the host fails.
        """
        before, self._mark = self._mark, self._look()
        return changes(before, self._mark)

    @walk.reading()
    def digests(self) -> dict[str, str]:
        """sha256 of each file by its path. Raises SandboxError where the host fails."""
        return {path: seen.digest for path, seen in self._look().items()}

    @walk.reading()
    def restore(self, files: Mapping[str, bytes]) -> None:
        """Have it hold these files and no others; what has the right content already is not written again.

        Raises SandboxError where the host fails.
        """
        right = {path for path, found in self.digests().items() if path in files and _sha256(files[path]) == found}
        folders = {str(above) for path in files for above in PurePosixPath(path).parents}
        with self._writing(), self._descend([], make=False) as top:
            _prune(top, "", right, folders)
        for path, content in files.items():
            if path not in right:
                self.put(path, content)

    def _look(self) -> dict[str, Seen]:
        """All files by path; reads only those whose stamps moved since the last look.

        What lies beyond the limits is not seen, so that a look has an end, whatever the guest puts there.
        """
        now = time.time_ns()
        fresh: dict[str, Seen] = {}
        with self._descend([], make=False) as top:
            for path, opened, found in walk.files(top, self._bounds, strict=False):
                stamp = (found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)
                before = self._seen.get(path)
                if before is not None and before.stamp == stamp:
                    fresh[path] = before
                else:
                    settled = now - found.st_ctime_ns > _RACY_NS
                    fresh[path] = Seen(stamp if settled else None, _digest(opened, found), found.st_size)
        self._seen = fresh
        return fresh

    @contextlib.contextmanager
    def _descend(self, folders: list[str], *, make: bool) -> Iterator[int]:
        here = enter(self.folder) if isinstance(self.folder, Path) else enter(".", self.folder)
        try:
            for name in folders:
                try:
                    below = enter(name, here)
                except OSError as error:
                    if not make or error.errno not in walk.NO_FOLDER:
                        raise
                    below = _replace(here, name, functools.partial(_made, here))
                    self._own(below)
                    os.utime(below, (MTIME, MTIME))
                    os.utime(here, (MTIME, MTIME))
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

    def _writing(self) -> contextlib.AbstractContextManager[None]:
        """The file system of a guest's own takes new files from nobody but its user."""
        own = self.owner is not None and not isinstance(self.folder, Path)
        return _acting(self.owner) if own and self.owner is not None else contextlib.nullcontext()

    def _own(self, descriptor: int) -> None:
        if self.owner is not None and isinstance(self.folder, Path):
            os.fchown(descriptor, self.owner, self.owner)


def changes(before: Mapping[str, Seen], after: Mapping[str, Seen]) -> tuple[FileChange, ...]:
    """What differs between two looks, by content, sorted by path."""
    found = [FileChange(path=path, change="removed", digest=None, size=0) for path in before.keys() - after.keys()]
    for path, seen in after.items():
        if path not in before:
            found.append(FileChange(path=path, change="added", digest=seen.digest, size=seen.size))
        elif before[path].digest != seen.digest:
            found.append(FileChange(path=path, change="modified", digest=seen.digest, size=seen.size))
    return tuple(sorted(found, key=lambda change: change.path))


@contextlib.contextmanager
def _acting(user: int) -> Iterator[None]:
    """In this thread, and for files only, be that user and group: of root's rights over files none is left meanwhile.

    Source: setfsuid(2), capabilities(7).
    """
    _libc.setfsgid(user)
    _libc.setfsuid(user)
    try:
        yield
    finally:
        _libc.setfsuid(os.geteuid())
        _libc.setfsgid(os.getegid())


def _made(parent: int, name: str) -> int:
    os.mkdir(name, 0o755, dir_fd=parent)
    return os.open(name, FOLDER, dir_fd=parent)


def _replace(parent: int, name: str, make: Callable[[str], _T]) -> _T:
    """What ``make`` makes at a name where nothing may stand; what stands there goes first.

    A guest that puts it back at once has no moment for it where the new and the old change places.
    """
    for again in range(_TRIES):
        try:
            return make(name)
        except OSError as error:
            if error.errno not in _IN_THE_WAY:
                raise
        if again:
            aside = _aside()
            try:
                made = make(aside)
                swapped = _swapped(parent, aside, name)
            finally:
                _clear(parent, aside)  # what stood in the way, or what was made in vain
            if swapped:
                return made
            if isinstance(made, int):
                os.close(made)
        _clear(parent, name)
    return make(name)


def _swapped(parent: int, one: str, other: str) -> bool:
    """Whether two names have changed places, in one step; where a system cannot do that they never have.

    Source: renameat2(2).
    """
    rename = getattr(_libc, "renameat2", None)
    return rename is not None and rename(parent, os.fsencode(one), parent, os.fsencode(other), _EXCHANGE) == 0


def _aside() -> str:
    return f".{secrets.token_hex(8)}"


def _prune(folder: int, prefix: str, right: set[str], folders: set[str]) -> None:
    """Remove all but the files ``right`` and the ``folders``, and set their times; by descriptor, following nothing."""
    for name in os.listdir(folder):
        path = prefix + name
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if path in folders and stat.S_ISDIR(found.st_mode):
            below = enter(name, folder)
            try:
                _prune(below, f"{path}/", right, folders)
            finally:
                os.close(below)
        elif path not in right:
            _clear(folder, name)
        if path in right:
            os.utime(name, (MTIME, MTIME), dir_fd=folder, follow_symlinks=False)
    os.utime(folder, (MTIME, MTIME))


def _clear(parent: int, name: str) -> None:
    try:
        os.unlink(name, dir_fd=parent)
    except FileNotFoundError:
        return
    except (IsADirectoryError, PermissionError):  # the second is what macOS says of a folder
        # Aside first, in one step: the guest may fill it as fast as it is emptied.
        aside = _aside()
        with contextlib.suppress(OSError):
            os.rename(name, aside, src_dir_fd=parent, dst_dir_fd=parent)
            remove(aside, parent)


def parts_of(path: str) -> list[str]:
    """The parts of a path inside the workspace. Raises SandboxError for one that leaves it."""
    pure = PurePosixPath(path)
    parts = list(pure.parts)
    if pure.is_absolute() or not parts or ".." in parts or "\0" in path:
        raise SandboxError(f"{path!r} is not a path inside the workspace")
    return parts


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _digest(opened: int, found: os.stat_result) -> str:
    digest = hashlib.sha256()
    for block in walk.blocks(opened, found):
        digest.update(block)
    return digest.hexdigest()
