"""A workspace behind archives: what is taken of a stranger's archive, and where reading it ends."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator

import pytest

from workgym.errors import SandboxError, WorkspaceOverLimit
from workgym.sandbox.archived import Archived
from workgym.sandbox.collect import MTIME

Entry = tuple[str, bytes, bytes | str]
"""Name, kind, and content or what it links to."""


def packed(*entries: Entry) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, kind, held in entries:
            entry = tarfile.TarInfo(name)
            entry.type = kind
            if isinstance(held, str):
                entry.linkname, held = held, b""
            entry.size = len(held)
            archive.addfile(entry, io.BytesIO(held))
    return out.getvalue()


class Daemon:
    """Gives the archives that it is told, one at each look, the last of them for ever; keeps what it is given."""

    def __init__(self, *archives: bytes) -> None:
        self.archives, self.given, self.sent = list(archives), list[tarfile.TarInfo](), 0

    def take(self) -> Iterator[bytes]:
        archive = self.archives.pop(0) if len(self.archives) > 1 else self.archives[0]
        for start in range(0, len(archive), 4096):
            self.sent += 1
            yield archive[start : start + 4096]

    def give(self, archive: bytes) -> None:
        with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
            self.given += opened.getmembers()

    def erase(self, path: str) -> None:
        raise AssertionError(path)


def workspace(*archives: bytes, total: int = 1 << 20) -> Archived:
    return Archived(Daemon(*archives), owner=64_000, file_bytes=1000, total_bytes=total)


TOP: Entry = ("work", tarfile.DIRTYPE, b"")


def test_plain_files_with_one_name_are_taken() -> None:
    box = workspace(
        packed(
            TOP,
            ("work/a/b.txt", tarfile.REGTYPE, b"b"),
            ("work/../../etc/passwd", tarfile.SYMTYPE, "/etc/shadow"),
            ("work/link", tarfile.SYMTYPE, "/etc/shadow"),
            ("work/pipe", tarfile.FIFOTYPE, b""),
            ("work/disk", tarfile.BLKTYPE, b""),
            ("work/one", tarfile.REGTYPE, b"twice"),
            ("work/two", tarfile.LNKTYPE, "work/one"),
            ("work/large", tarfile.REGTYPE, bytes(1001)),
            ("work/odd\\name", tarfile.REGTYPE, b"x"),
            ("work/line\nbreak", tarfile.REGTYPE, b"x"),
        )
    )
    assert box.collect() == {"a/b.txt": b"b"}


def test_beyond_the_bounds_is_an_error_for_who_collects_and_unseen_by_who_looks() -> None:
    files = [(f"work/{n}", tarfile.REGTYPE, bytes([n] * 900)) for n in range(9)]
    box = workspace(packed(TOP, *files), total=4000)
    with pytest.raises(WorkspaceOverLimit, match="0 MiB"):
        box.collect()
    assert [change.path for change in box.changed()] == ["0", "1", "2", "3"]
    deep = workspace(packed(TOP, ("work/" + "d/" * 41 + "x", tarfile.REGTYPE, b"x")))
    with pytest.raises(WorkspaceOverLimit, match="more than 40 folders deep"):
        deep.collect()
    many = workspace(packed(TOP, *((f"work/{n}", tarfile.DIRTYPE, b"") for n in range(10_001))))
    with pytest.raises(WorkspaceOverLimit, match="more than 10000 entries"):
        many.collect()


def test_an_endless_archive_is_not_read_to_its_end() -> None:
    daemon = Daemon(packed(TOP, ("work/large", tarfile.REGTYPE, bytes(60 << 20)), ("work/a", tarfile.REGTYPE, b"a")))
    box = Archived(daemon, owner=0, file_bytes=1000, total_bytes=10_000)
    with pytest.raises(WorkspaceOverLimit, match="holds more than"):
        box.collect()
    assert daemon.sent < 11_000  # blocks of 4 KiB
    assert box.digests() == {}


def test_an_archive_that_breaks_off_is_asked_for_again() -> None:
    whole = packed(TOP, ("work/a", tarfile.REGTYPE, b"a" * 700), ("work/b", tarfile.REGTYPE, b"b" * 700))
    assert workspace(whole[:1800], whole).collect().keys() == {"a", "b"}
    with pytest.raises(SandboxError, match="it changes all the time"):
        workspace(whole[:1800]).collect()


def test_what_the_host_writes_has_its_owner_and_the_fixed_time() -> None:
    daemon = Daemon(b"")
    box = Archived(daemon, owner=64_000, file_bytes=1000, total_bytes=1000)
    box.fill({"in/deep/a.txt": b"a", "b.txt": b"b"})
    assert [entry.name for entry in daemon.given if entry.isdir()] == ["work", "work/in", "work/in/deep"]
    assert {(entry.uid, entry.gid, entry.mtime) for entry in daemon.given} == {(64_000, 64_000, MTIME)}
    for path in ("../x", "/x", ""):
        with pytest.raises(SandboxError, match="not a path inside the workspace"):
            box.put(path, b"")
