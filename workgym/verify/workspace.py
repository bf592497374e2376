"""A recorded workspace on disk, graded again without running anything."""

from __future__ import annotations

import os
from pathlib import Path

from workgym.errors import UsageError
from workgym.package import TaskPackage
from workgym.sandbox import walk
from workgym.verify.grade import grade
from workgym.verify.judging.licence import LicensedJudge
from workgym.verify.model import Verdict


def workspace_files(folder: Path, *, workspace_mib: int | None = None) -> dict[str, bytes]:
    """All regular files below a folder, by path from it: the same that are taken from a live workspace.

    Links, devices, pipes, files with a second name (hard links) and names that cannot stand in records are left out.
    The walk holds directory descriptors and follows no link, so that nothing outside the folder is read. Raises
    UsageError where the folder is not there, and WorkspaceOverLimit beyond the bounds of ``sandbox.walk``;
    ``workspace_mib`` replaces the one on all files together.
    """
    bounds = walk.Bounds() if workspace_mib is None else walk.Bounds(total_bytes=workspace_mib << 20)
    try:
        top = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise UsageError(f"{folder} is not a folder that can be read ({error.strerror})") from None
    try:
        return walk.collected(top, bounds)
    finally:
        os.close(top)


def regrade(
    package: TaskPackage, folder: Path, *, combine: str = "code/1", judge: LicensedJudge | None = None
) -> Verdict:
    """The verdict on a workspace that was kept in a folder. Raises as ``workspace_files``, by the task's own limit."""
    files = workspace_files(folder, workspace_mib=package.card.limits.workspace_mib)
    return grade(package, files, combine=combine, judge=judge)
