"""Removing a folder that a stranger filled."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def remove(path: Path) -> None:
    """Remove ``path`` and all below it, however deep; links are never followed. Nothing there: nothing to do.

    ``shutil.rmtree`` recurses and dies at 3,000 levels: here a folder that is not empty is first
    moved up beside the first level, so that no path ever grows long and two descriptors are enough.
    """
    try:
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            os.unlink(path)
            return
        os.chmod(path, 0o700)
    except FileNotFoundError:
        return
    top = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        _empty(top)
    finally:
        os.close(top)
    os.rmdir(path)


def _empty(top: int) -> None:
    moved = 0
    waiting = _sweep(top)
    while waiting:
        name = waiting.pop()
        inner = _enter(name, top)
        try:
            for below in _sweep(inner):
                moved += 1
                lifted = _free(top, moved)
                # Without write permission a folder cannot get another parent: its ``..`` would change.
                os.chmod(below, 0o700, dir_fd=inner)
                os.rename(below, lifted, src_dir_fd=inner, dst_dir_fd=top)
                waiting.append(lifted)
        finally:
            os.close(inner)
        os.rmdir(name, dir_fd=top)


def _sweep(folder: int) -> list[str]:
    """Unlink everything in ``folder`` that is no folder; returns the names of the folders."""
    folders = []
    with os.scandir(folder) as entries:
        found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    for name, is_folder in found:
        if is_folder:
            folders.append(name)
        else:
            os.unlink(name, dir_fd=folder)
    return folders


def _enter(name: str, parent: int) -> int:
    os.chmod(name, 0o700, dir_fd=parent)
    return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)


def _free(top: int, number: int) -> str:
    name = f".moved-{number}"
    while True:
        try:
            os.stat(name, dir_fd=top, follow_symlinks=False)
        except FileNotFoundError:
            return name
        name += "_"
