"""Removing what a stranger made: deep, closed, linked."""

from __future__ import annotations

import os
from pathlib import Path

from workgym.sandbox.trees import remove


def test_three_thousand_levels(tmp_path: Path) -> None:
    top = tmp_path / "top"
    top.mkdir()
    here = os.open(top, os.O_RDONLY)
    for number in range(3000):
        os.mkdir("d", dir_fd=here)
        if number % 500 == 0:
            os.close(os.open("file", os.O_CREAT, dir_fd=here))
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    remove(top)
    assert not top.exists()


def test_links_are_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("x")
    top = tmp_path / "top"
    (top / "a" / "b").mkdir(parents=True)
    (top / "link").symlink_to(outside)
    (top / "a" / "link").symlink_to(outside)
    os.mkfifo(top / "pipe")
    (top / "a" / ".moved-1").mkdir()
    (top / ".moved-1").mkdir()
    os.chmod(top / "a" / "b", 0)
    os.chmod(top / "a", 0)
    remove(top)
    assert not top.exists() and (outside / "kept").exists()


def test_link_itself_and_nothing(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    remove(tmp_path / "link")
    remove(tmp_path / "nothing")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["real"]
