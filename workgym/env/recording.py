"""Where an episode's trajectory is written, and what its first event says."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from workgym._version import __version__
from workgym.corpus import Found
from workgym.env.live import Live
from workgym.package import TaskPackage, save
from workgym.sandbox.contract import Limits
from workgym.trajectory import EpisodeEvent, Redactor, TrajectoryWriter
from workgym.trajectory.store import EVENTS

COPY = "task"
"""Folder, inside a trajectory, of a package that could not be found again otherwise; with its hidden content."""


class Recording(NamedTuple):
    """What the log says about who acts."""

    harness: str = "env"
    """Name of the harness."""
    model: str | None = None
    """Name of the model."""
    secrets: tuple[str, ...] = ()
    """Values that no record may hold."""


def new_writer(out: Path | None, recording: Recording) -> TrajectoryWriter | None:
    """A log in ``out``, or in ``out-2``, ``out-3``, ... where one is there already; None where ``out`` is None."""
    if out is None:
        return None
    folder, number = out, 1
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            (folder / EVENTS).touch(exist_ok=False)  # taken at once: environments beside each other may share ``out``
            break
        except FileExistsError:
            number += 1
            folder = out.with_name(f"{out.name}-{number}")
    return TrajectoryWriter(folder, redactor=Redactor(recording.secrets))


def begin(
    live: Live, recording: Recording, found: Found | None, *, seed: int | None, turns: int, limits: Limits
) -> None:
    """Log what is run, on what and with what, and open the first segment."""
    if live.writer is not None:
        event = EpisodeEvent(
            task_id=live.task.id,
            task_digest=live.task.digest,
            package_path=package_path(found, live.task, live.writer),
            harness=recording.harness,
            model=recording.model,
            seed=seed,
            sandbox=live.sandbox.name,
            turns=turns,
            limits=limits.model_dump(mode="json"),
            versions={"workgym": __version__},
            workspace=live.workspace,
            web=live.web.access(live.task),
        )
        live.log(event)
    live.begin_segment("request")


def package_path(found: Found | None, task: TaskPackage, writer: TrajectoryWriter) -> str | None:
    """Where a replay finds the package: its folder, a copy beside the log (relative), or None where its id does."""
    if found is None:
        return save(task, writer.folder / COPY).name
    return None if found.home is None else str(found.home)
