"""The workspace seen from the host."""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workgym.errors import SandboxError
from workgym.sandbox.collect import MTIME, Workspace


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
    with pytest.raises(SandboxError, match="more than"):
        workspace.collect()


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
    (workspace.folder / "file").write_text("x")
    for path in ("out/x", "file/x"):
        with pytest.raises(SandboxError):
            workspace.put(path, b"")
    workspace.put("out", b"replaced")
    assert workspace.collect()["out"] == b"replaced" and not (tmp_path / "x").exists()
    workspace.put("gone/long/ago", None)


@settings(max_examples=50, deadline=None)
@given(path=st.text(st.sampled_from("./a\\\0\nb~"), max_size=12))
def test_any_path_stays_inside(path: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("outer")
    workspace = make(folder / "work")
    with contextlib.suppress(SandboxError):
        workspace.put(path, b"x")
    assert [entry.name for entry in folder.iterdir()] == ["work"]
