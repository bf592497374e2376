"""A recorded workspace on disk, graded again without running anything."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from workgym.errors import UsageError
from workgym.package import TaskPackage
from workgym.verify.grade import grade
from workgym.verify.licence import LicensedJudge
from workgym.verify.model import Verdict


def workspace_files(folder: Path) -> dict[str, bytes]:
    """All regular files below a folder, by path from it. Links, devices and pipes are no files and are left out.

    The walk holds directory descriptors and follows no link, so that nothing outside the folder is read. Raises
    UsageError where the folder is not there.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder")
    found: dict[str, bytes] = {}
    for where, folders, names, descriptor in os.fwalk(folder, follow_symlinks=False):
        folders.sort()
        for name in sorted(names):
            try:
                handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=descriptor)
            except OSError:
                continue
            with open(handle, "rb") as file:
                if stat.S_ISREG(os.fstat(handle).st_mode):
                    found[Path(where, name).relative_to(folder).as_posix()] = file.read()
    return found


def regrade(
    package: TaskPackage, folder: Path, *, combine: str = "code/1", judge: LicensedJudge | None = None
) -> Verdict:
    """The verdict on a workspace that was kept in a folder. Raises UsageError."""
    return grade(package, workspace_files(folder), combine=combine, judge=judge)
