"""Trajectories of a hand-in without an episode: a task, what was handed in, and a verdict, written as a log."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from workgym.package import TaskPackage, save
from workgym.trajectory import (
    EndEvent,
    EpisodeEvent,
    SegmentEvent,
    TrajectoryWriter,
    VerdictEvent,
    WorkspaceEvent,
)
from workgym.verify import Verdict, grade

_COPY = "task"


def record_hand_in(
    folder: Path,
    package: TaskPackage,
    files: Mapping[str, bytes],
    *,
    verdict: Verdict | None = None,
    harness: str = "by-hand",
    package_folder: Path | None = None,
) -> Path:
    """Write a trajectory in which ``files`` are the final workspace; its folder.

    It is graded by code where no ``verdict`` is given. ``package_folder`` holds the package; where it is None a copy
    is kept beside the log.
    """
    graded = verdict or grade(package, files)
    kept_in = save(package, folder / _COPY).name if package_folder is None else str(package_folder)
    with TrajectoryWriter(folder, durable=False) as log:
        log.append(
            EpisodeEvent(
                task_id=package.id,
                task_digest=package.digest,
                package_path=kept_in,
                harness=harness,
                sandbox="none",
                turns=1,
                workspace="",
            )
        )
        log.append(SegmentEvent(segment=0, parent=None, reason="request"))
        kept = {path: log.blob(content) for path, content in files.items() if package.files.get(path) != content}
        digests = {path: hashlib.sha256(content).hexdigest() for path, content in sorted(files.items())}
        log.append(WorkspaceEvent(digests=digests, kept=kept))
        log.append(VerdictEvent(state=graded.state, reward=graded.reward, record=graded.record))
        log.append(EndEvent(reason="closed"))
    return folder
