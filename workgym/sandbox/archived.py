"""A workspace that stands where only a container's daemon reaches: every look and every write is an archive.

The same files are taken as from a folder (``walk``), the same limits hold, and nothing that a stranger leaves there is
ever made on this machine: an archive is read in memory, entry by entry.
"""

from __future__ import annotations

import hashlib
import io
import tarfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import PurePosixPath
from typing import Any, Protocol

from workgym.errors import SandboxError, WorkspaceOverLimit
from workgym.records import FileChange
from workgym.sandbox.collect import MTIME, Seen, changes, parts_of
from workgym.sandbox.walk import Bounds, sayable

KEPT = "/kept/work"
"""Where the container that keeps a workspace has it; archives begin with the last name."""
_HEADER_BYTES = 4096
"""Room in an archive for each entry beside its content."""
_TRIES = 3
"""How often a workspace is read that a guest changes meanwhile: the daemon breaks an archive off then."""


class Daemon(Protocol):
    """What carries archives."""

    def take(self) -> Iterator[bytes]:
        """The workspace as a tar stream, its folder first. Raises SandboxError, TarError where it breaks off."""

    def give(self, archive: bytes) -> None:
        """Unpack a tar archive over the workspace, whose folder is in it. Raises SandboxError."""

    def erase(self, path: str) -> None:
        """Remove a file of the workspace, or for a point all that is in it. Raises SandboxError."""


class Archived:
    """What ``collect.Workspace`` is for a folder."""

    def __init__(self, daemon: Daemon, *, owner: int, file_bytes: int, total_bytes: int) -> None:
        """``owner`` is the user and group of all that is written."""
        self._daemon, self._owner = daemon, owner
        self._bounds = Bounds(file_bytes=file_bytes, total_bytes=total_bytes)
        self._mark: dict[str, Seen] = {}

    def fill(self, files: Mapping[str, bytes]) -> None:
        """Write the first files; they count as seen. Raises SandboxError for a path that leaves the workspace."""
        self._daemon.give(self._packed(files))
        self._mark = {path: _seen(content) for path, content in files.items()}

    def discard(self) -> None:
        """It ends with its container."""

    def put(self, path: str, content: bytes | None) -> None:
        """Write one file with the fixed time, or remove it; what stands in the way goes. Raises SandboxError."""
        parts_of(path)
        if content is not None:
            self._daemon.give(self._packed({path: content}))
        else:
            self._daemon.erase(path)

    def collect(self) -> dict[str, bytes]:
        """All regular files with one name, by path. Raises WorkspaceOverLimit, SandboxError."""
        return self._read(strict=True)

    def changed(self) -> tuple[FileChange, ...]:
        """What differs from the last time that this was asked, by content, sorted by path. Raises SandboxError."""
        before, self._mark = (
            self._mark,
            {path: _seen(content) for path, content in self._read(strict=False).items()},
        )
        return changes(before, self._mark)

    def digests(self) -> dict[str, str]:
        """sha256 of each file by its path. Raises SandboxError."""
        return {path: hashlib.sha256(content).hexdigest() for path, content in self._read(strict=False).items()}

    def restore(self, files: Mapping[str, bytes]) -> None:
        """Have it hold these files and no others. Raises SandboxError."""
        self._daemon.erase(".")
        self._daemon.give(self._packed(files))

    def _packed(self, files: Mapping[str, bytes]) -> bytes:
        folders = {above: None for path in files for above in reversed(PurePosixPath(*parts_of(path)).parents)}
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w") as archive:
            for folder in folders or (PurePosixPath("."),):
                archive.addfile(self._entry(folder, tarfile.DIRTYPE, 0o755))
            for path, content in files.items():
                entry = self._entry(PurePosixPath(path), tarfile.REGTYPE, 0o644)
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))
        return out.getvalue()

    def _entry(self, path: PurePosixPath, kind: bytes, mode: int) -> tarfile.TarInfo:
        entry = tarfile.TarInfo(str(PurePosixPath(KEPT).name / path))
        entry.type, entry.mode, entry.mtime, entry.uid, entry.gid = kind, mode, MTIME, self._owner, self._owner
        return entry

    def _read(self, *, strict: bool) -> dict[str, bytes]:
        """The files; beyond the bounds ``strict`` raises WorkspaceOverLimit, else what lies beyond is not seen."""
        most = 2 * self._bounds.total_bytes + _HEADER_BYTES * self._bounds.entries
        for _ in range(_TRIES):
            found: dict[str, bytes] = {}
            with closing(_Stream(self._daemon.take(), most)) as stream:
                try:
                    self._taken(stream, strict, found)
                except tarfile.TarError:
                    if not stream.over:
                        continue
                if stream.over and strict:
                    raise self._too_much()
                return dict(sorted(found.items()))
        raise SandboxError("the workspace cannot be read: it changes all the time")

    def _taken(self, stream: _Stream, strict: bool, found: dict[str, bytes]) -> None:
        bounds, room, entries = self._bounds, self._bounds.total_bytes, 0
        source: Any = stream
        with tarfile.open(fileobj=source, mode="r|") as archive:
            for entry in archive:
                parts = PurePosixPath(entry.name).parts[1:]
                entries += bool(parts)
                deep = len(parts) - (not entry.isdir()) > bounds.depth
                if strict and entries > bounds.entries:
                    raise WorkspaceOverLimit(f"the workspace holds more than {bounds.entries} entries")
                if strict and deep:
                    raise WorkspaceOverLimit(f"the workspace is more than {bounds.depth} folders deep")
                if entries > bounds.entries:
                    return
                if entry.islnk():  # a second name: neither is taken
                    found.pop("/".join(PurePosixPath(entry.linkname).parts[1:]), None)
                taken = entry.isreg() and entry.size <= bounds.file_bytes and all(map(sayable, parts))
                if deep or not taken:
                    continue
                room -= entry.size
                if room < 0:
                    if strict:
                        raise self._too_much()
                    return
                opened = archive.extractfile(entry)
                assert opened is not None, "it is regular"
                found["/".join(parts)] = opened.read()

    def _too_much(self) -> WorkspaceOverLimit:
        return WorkspaceOverLimit(f"the workspace holds more than {self._bounds.total_bytes >> 20} MiB")


class Volume:
    """A volume of a container's, by its daemon; the SDK's errors are OSErrors."""

    def __init__(self, keeper: Any, guest: Callable[[], Any], workspace: str) -> None:
        """``keeper`` is a container that holds it at ``KEPT``; ``guest`` gives the one that has it at ``workspace``."""
        self._keeper, self._guest, self._workspace = keeper, guest, workspace

    def take(self) -> Iterator[bytes]:
        try:
            blocks, _ = self._keeper.get_archive(KEPT)
        except OSError as error:
            raise SandboxError(f"the workspace cannot be read ({error})") from None
        try:
            yield from blocks
        except OSError as error:
            raise tarfile.ReadError(str(error)) from None

    def give(self, archive: bytes) -> None:
        try:
            self._keeper.put_archive(str(PurePosixPath(KEPT).parent), archive)
        except OSError as error:
            raise SandboxError(f"the workspace cannot be written ({error})") from None

    def erase(self, path: str) -> None:
        emptied = ["sh", "-c", "chmod -R u+rwX . ; find . -mindepth 1 -delete"]
        command = emptied if path == "." else ["rm", "-f", "--", path]
        if (guest := self._guest()) is None:
            raise SandboxError(f"{path}: cannot be removed: the guest has ended")
        try:
            guest.exec_run(command, workdir=self._workspace)
        except OSError as error:
            raise SandboxError(f"the workspace cannot be written ({error})") from None


class _Stream:
    """Blocks of bytes as a file to read from, up to a limit."""

    def __init__(self, blocks: Iterator[bytes], most: int) -> None:
        self._blocks, self._left, self._pending = blocks, most, bytearray()

    @property
    def over(self) -> bool:
        """Whether there was more than the limit."""
        return self._left < 0

    def read(self, size: int) -> bytes:
        while len(self._pending) < size and not self.over and (block := next(self._blocks, None)) is not None:
            self._left -= len(block)
            self._pending += block
        taken = bytes(self._pending[:size])
        del self._pending[:size]
        return taken

    def close(self) -> None:
        close: Any = getattr(self._blocks, "close", None)
        if close is not None:
            close()


def _seen(content: bytes) -> Seen:
    return Seen(None, hashlib.sha256(content).hexdigest(), len(content))
