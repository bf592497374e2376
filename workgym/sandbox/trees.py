"""Removing a folder that a stranger filled."""

from __future__ import annotations

import os
import stat
from pathlib import Path

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
"""Flags that open a folder itself."""


def remove(path: Path | str, parent: int | None = None) -> None:
    """Remove ``path`` and all below it, however deep; links are never followed. Nothing there: nothing to do.

    ``path`` counts from the open folder ``parent`` where one is given.
    ``shutil.rmtree`` recurses and dies at 3,000 levels: here a folder that is not empty is first
    moved up beside the first level, so that no path ever grows long and two descriptors are enough.
    """
    try:
        if not stat.S_ISDIR(os.stat(path, dir_fd=parent, follow_symlinks=False).st_mode):
            os.unlink(path, dir_fd=parent)
            return
        top = enter(path, parent)
    except FileNotFoundError:
        return
    try:
        _empty(top)
    finally:
        os.close(top)
    os.rmdir(path, dir_fd=parent)


def enter(path: Path | str, parent: int | None = None) -> int:
    """Open a folder, never through a link, and give its owner all rights where the stranger took some away.

    By descriptor, because a stranger who still runs may put a link there; only a folder that is closed even to us has
    to be opened by its name, which root never meets.
    """
    try:
        inner = os.open(path, FOLDER, dir_fd=parent)
    except PermissionError:
        os.chmod(path, 0o700, dir_fd=parent)
        inner = os.open(path, FOLDER, dir_fd=parent)
    mode = stat.S_IMODE(os.fstat(inner).st_mode)
    if mode & 0o700 != 0o700:
        os.fchmod(inner, mode | 0o700)
    return inner


def _empty(top: int) -> None:
    moved = 0
    waiting = _sweep(top)
    while waiting:
        name = waiting.pop()
        inner = enter(name, top)
        try:
            for below in _sweep(inner):
                moved += 1
                lifted = _free(top, moved)
                # Without write permission a folder cannot get another parent: its ``..`` would change.
                os.close(enter(below, inner))
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


def _free(top: int, number: int) -> str:
    name = f".moved-{number}"
    while True:
        try:
            os.stat(name, dir_fd=top, follow_symlinks=False)
        except FileNotFoundError:
            return name
        name += "_"
