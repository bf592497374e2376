"""The workspace seen from the host."""

from __future__ import annotations

import contextlib
import hashlib
import os
import resource
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workgym.errors import SandboxError, WorkspaceOverLimit
from workgym.sandbox import collect, walk
from workgym.sandbox.collect import MTIME, Workspace
from workgym.sandbox.trees import remove


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return make(tmp_path / "work")


def make(folder: Path) -> Workspace:
    folder.mkdir()
    return Workspace(folder, owner=None, file_bytes=1000, total_bytes=5000)


def test_fill_and_collect(workspace: Workspace) -> None:
    files = {"b/c.txt": b"1", "a.txt": b"2", "b.txt": b""}
    workspace.fill(files)
    assert workspace.collect() == files and list(workspace.collect()) == ["a.txt", "b.txt", "b/c.txt"]
    assert (workspace.folder / "b" / "c.txt").stat().st_mtime == MTIME
    assert workspace.changed() == ()


def test_only_plain_files_are_taken(workspace: Workspace, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("x")
    folder = workspace.folder
    (folder / "link").symlink_to(secret)
    (folder / "folder").symlink_to(tmp_path)
    os.link(secret, folder / "second name")
    os.mkfifo(folder / "pipe")
    with open(folder / "sparse", "wb") as file:
        file.truncate(50 << 30)
    (folder / "odd\nname").write_text("x")
    (folder / os.fsdecode(b"no utf-8 \xff")).write_text("x")
    (folder / "fine").write_text("x")
    assert workspace.collect() == {"fine": b"x"}
    assert [change.path for change in workspace.changed()] == ["fine"]


def test_limits(workspace: Workspace) -> None:
    for number in range(6):
        (workspace.folder / str(number)).write_bytes(bytes(900))
    with pytest.raises(WorkspaceOverLimit, match="more than"):
        workspace.collect()


def test_a_look_ends_whatever_lies_there(workspace: Workspace) -> None:
    """Sparse files cost a guest nothing: no more of them is read than a workspace may hold."""
    workspace.fill({"a": b"1"})
    read = 0
    for number in range(300):
        with open(workspace.folder / f"b{number:03d}", "wb") as file:
            file.truncate(1000)
    top = os.open(workspace.folder, os.O_RDONLY)
    for _, opened, found in walk.files(top, workspace._bounds, strict=False):
        read += len(walk.content(opened, found))
    os.close(top)
    assert read <= 5000
    assert len(workspace.changed()) == 4, "what lies beyond is not seen"
    with pytest.raises(WorkspaceOverLimit, match="holds more than 0 MiB"):
        workspace.collect()


def test_a_file_that_grows_is_read_as_far_as_it_was_counted(workspace: Workspace) -> None:
    workspace.fill({"a": b"1" * 10})
    top = os.open(workspace.folder, os.O_RDONLY)
    for _, opened, found in walk.files(top, workspace._bounds, strict=True):
        with open(workspace.folder / "a", "ab") as file:
            file.write(b"2" * 10_000)
        assert walk.content(opened, found) == b"1" * 10
    os.close(top)


def test_too_many_and_too_deep(workspace: Workspace) -> None:
    few = walk.Bounds(entries=3, depth=2)
    top = os.open(workspace.folder, os.O_RDONLY)
    try:
        (workspace.folder / "a" / "b").mkdir(parents=True)
        (workspace.folder / "a" / "b" / "c").write_bytes(b"1")
        assert walk.collected(top, few) == {"a/b/c": b"1"}
        (workspace.folder / "a" / "b" / "d").mkdir()
        with pytest.raises(WorkspaceOverLimit, match="more than 3 entries"):
            walk.collected(top, few)
        with pytest.raises(WorkspaceOverLimit, match="more than 2 folders deep"):
            walk.collected(top, walk.Bounds(depth=2))
        assert [path for path, *_ in walk.files(top, few, strict=False)] == ["a/b/c"]
    finally:
        os.close(top)


def test_changes_by_content(workspace: Workspace) -> None:
    workspace.fill({"a": b"1", "b": b"1"})
    time.sleep(0.15)
    workspace.changed()
    (workspace.folder / "a").write_bytes(b"2")
    os.utime(workspace.folder / "a", (MTIME, MTIME))
    os.utime(workspace.folder / "b")
    changes = workspace.changed()
    assert [(change.path, change.change, change.digest, change.size) for change in changes] == [
        ("a", "modified", hashlib.sha256(b"2").hexdigest(), 1)
    ]


def test_same_size_within_the_clocks_grain(workspace: Workspace) -> None:
    for turn in range(20):
        with open(workspace.folder / "a", "wb") as file:
            file.write(str(turn % 10).encode())
        assert [change.path for change in workspace.changed()] == ["a"]


def test_unchanged_files_are_not_read_again(workspace: Workspace) -> None:
    workspace.fill({"a": b"1"})
    time.sleep(0.15)
    workspace.changed()
    # A file that cannot be opened for reading has its stamps still; root reads all the same.
    assert workspace._seen["a"].stamp is not None
    assert workspace.changed() == ()


@pytest.mark.parametrize("path", ["../x", "/x", "", ".", "a/../../b", "x/../y", "nul\0"])
def test_paths_that_leave(workspace: Workspace, path: str) -> None:
    with pytest.raises(SandboxError):
        workspace.put(path, b"")


@pytest.mark.skipif(os.getuid() == 0, reason="root is never closed out")
def test_a_workspace_that_the_guest_closed_is_opened_again(workspace: Workspace) -> None:
    workspace.fill({"a": b"1"})
    workspace.folder.chmod(0)
    assert workspace.changed() == () and workspace.collect() == {"a": b"1"}


def test_put_passes_through_no_link(workspace: Workspace, tmp_path: Path) -> None:
    (workspace.folder / "out").symlink_to(tmp_path)
    workspace.put("out/x", None)
    workspace.put("out/x", b"inside")
    assert workspace.collect() == {"out/x": b"inside"} and not (tmp_path / "x").exists()
    (workspace.folder / "link").symlink_to(tmp_path)
    workspace.put("link", b"replaced")
    assert workspace.collect()["link"] == b"replaced" and tmp_path.is_dir()
    workspace.put("gone/long/ago", None)


def test_what_stands_in_the_hosts_way_goes(workspace: Workspace) -> None:
    (workspace.folder / "rent.txt" / "deep" / "er").mkdir(parents=True)
    (workspace.folder / "rent.txt" / "deep" / "file").write_text("x")
    (workspace.folder / "papers").write_text("x")
    workspace.put("rent.txt", None)
    assert (workspace.folder / "rent.txt").is_dir(), "a file that is to go was never there"
    workspace.put("papers/x", None)
    workspace.put("rent.txt", b"31")
    workspace.put("papers/2026/a.txt", b"1")
    assert workspace.collect() == {"papers/2026/a.txt": b"1", "rent.txt": b"31"}
    assert sorted(os.listdir(workspace.folder)) == ["papers", "rent.txt"], "and nothing is left of it"


def test_a_guest_that_puts_it_back_loses(workspace: Workspace) -> None:
    over = threading.Event()

    def stubborn() -> None:
        while not over.is_set():
            with contextlib.suppress(OSError):
                os.mkdir(workspace.folder / "rent.txt")

    guest = threading.Thread(target=stubborn)
    guest.start()
    try:
        for number in range(50):
            workspace.put("rent.txt", str(number).encode())
            assert workspace.collect()["rent.txt"] == str(number).encode()
            workspace.put("rent.txt", None)
    finally:
        over.set()
        guest.join()


def test_a_folder_taken_away_under_the_host_is_entered_again(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a guest does between the host's entering a folder and its writing there."""
    taken = 0
    replaced = collect._replace

    def take(parent: int, name: str, make: Any) -> Any:
        nonlocal taken
        if name == "b.txt" and taken < 5:
            os.rename(workspace.folder / "a", tmp_path / f"taken-{taken}")
            os.rmdir(tmp_path / f"taken-{taken}")
            taken += 1
        return replaced(parent, name, make)

    monkeypatch.setattr(collect, "_replace", take)
    workspace.put("a/b.txt", b"1")
    assert taken == 5 and workspace.collect() == {"a/b.txt": b"1"}


@pytest.mark.parametrize("kind", ["link", "second name", "pipe", "link to a folder", "nothing"])
def test_what_is_swapped_between_look_and_opening_is_not_taken(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    secret = tmp_path / "hidden" / "report"
    secret.parent.mkdir()
    secret.write_bytes(b"secret")
    workspace.fill({"a.txt": b"a", "report": b"own", "folder/within": b"own"})
    looked, name = os.stat, "folder" if kind == "link to a folder" else "report"

    def swapping(path: Any, **options: Any) -> os.stat_result:
        found = looked(path, **options)
        if path == name and options.get("dir_fd") is not None:
            target = workspace.folder / name
            remove(target)
            if kind in ("link", "link to a folder"):
                target.symlink_to(secret if kind == "link" else secret.parent)
            elif kind == "second name":
                os.link(secret, target)
            elif kind == "pipe":
                os.mkfifo(target)
        return found

    monkeypatch.setattr(os, "stat", swapping)
    assert workspace.collect() == {"a.txt": b"a"} | (
        {"report": b"own"} if name == "folder" else {"folder/within": b"own"}
    )


def test_folders_have_the_fixed_time_too(workspace: Workspace) -> None:
    def times() -> set[float]:
        return {path.stat().st_mtime for path in (workspace.folder, *workspace.folder.rglob("*"))}

    workspace.fill({"a/b/c.txt": b"1", "d.txt": b"2"})
    assert times() == {MTIME}
    workspace.put("a/e/f.txt", b"3")
    workspace.put("d.txt", None)
    assert times() == {MTIME}
    empty = make(workspace.folder / "empty")
    empty.fill({})
    assert empty.folder.stat().st_mtime == MTIME


def test_an_error_of_the_host_is_no_limit_and_hides_no_file(workspace: Workspace) -> None:
    workspace.fill({"a/b/c.txt": b"1"})
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = os.dup(0)
    os.close(free)
    for room in range(4):  # descriptors that can still be opened: too few, each time
        resource.setrlimit(resource.RLIMIT_NOFILE, (free + room, hard))
        try:
            for look in (workspace.collect, workspace.changed):
                with pytest.raises(SandboxError, match="Too many open files") as raised:
                    look()
                assert not isinstance(raised.value, WorkspaceOverLimit)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert workspace.changed() == ()


@settings(max_examples=50, deadline=None)
@given(path=st.text(st.sampled_from("./a\\\0\nb~"), max_size=12))
def test_any_path_stays_inside(path: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("outer")
    workspace = make(folder / "work")
    with contextlib.suppress(SandboxError):
        workspace.put(path, b"x")
    assert [entry.name for entry in folder.iterdir()] == ["work"]
