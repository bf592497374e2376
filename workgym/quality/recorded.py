"""Recorded rollouts: found in folders, and graded again without running an agent.

A trajectory that is damaged, was cut off, or whose task is gone is told in one line and loses no other.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from workgym.errors import ReplayError, UsageError, WorkgymError
from workgym.package import TaskPackage
from workgym.replay import task_of
from workgym.trajectory import EpisodeEvent, Trajectory, VerdictEvent
from workgym.trajectory.store import EVENTS
from workgym.verify import Grader, Verdict


@dataclass(frozen=True)
class Recorded:
    """A rollout as it was recorded, with the task as it is now."""

    trajectory: Trajectory
    """Its log."""
    episode: EpisodeEvent
    """What was run on what."""
    package: TaskPackage
    """The task, with the episode's revisions."""
    files: dict[str, bytes]
    """What was handed in, by path."""
    before: VerdictEvent | None
    """How it was graded then; None where it was not."""


@dataclass(frozen=True)
class Drift:
    """How a new verdict differs from the recorded one."""

    before: VerdictEvent | None
    """The recorded one; None where there is none."""
    now: Verdict
    """The new one."""

    @property
    def lines(self) -> tuple[str, ...]:
        """What differs, a sentence each; empty where state, reward, package and combiner are the same."""
        if self.before is None:
            return ("it was not graded when it was recorded",)
        was = self.before.record if isinstance(self.before.record, dict) else {}
        found = []
        if (self.before.state, self.before.reward) != (self.now.state, self.now.reward):
            then = outcome(self.before.state, self.before.reward)
            found.append(f"DRIFT: {then} before, {outcome(self.now.state, self.now.reward)} now")
        for name, says in (("package", "the package is another one"), ("combiner", "the combiner is another one")):
            old, new = str(was.get(name, "")), str(getattr(self.now, name))
            if old and old != new:
                found.append(f"{says}: {old[:12]} before, {new[:12]} now")
        if was.get("error"):
            found.append(f"it could not be graded before: {was['error']}")
        return tuple(found)

    @property
    def moved(self) -> bool:
        """Whether the outcome is another one."""
        return self.before is not None and (self.before.state, self.before.reward) != (self.now.state, self.now.reward)


def outcome(state: str, reward: float) -> str:
    """A state with its reward; an unscored end has none."""
    return state if state == "unscored" else f"{state} {reward:g}"


def trajectories(paths: Iterable[Path | str]) -> tuple[Path, ...]:
    """The folders of all trajectories at or below some folders: in the order given, below one by name, each once.

    Raises UsageError where a path is no folder, or none holds a trajectory.
    """
    found: dict[Path, Path] = {}
    for path in map(Path, paths):
        if not path.is_dir():
            raise UsageError(f"{path}: no trajectory is there")
        below = list(_below(path))
        if not below:
            raise UsageError(f"{path}: no trajectory is there, nor below it", fix="give what rollout wrote (-o)")
        for folder in below:
            found.setdefault(folder.resolve(), folder)
    return tuple(found.values())


def _below(path: Path) -> Iterator[Path]:
    for where, folders, names in os.walk(path):
        folders.sort()
        if EVENTS in names:
            folders.clear()
            yield Path(where)


def load(folder: Path) -> Recorded:
    """A recorded rollout with what it handed in.

    The task is taken as it is now; a digest that differs from the recorded one is left to :class:`Drift`. Raises a
    WorkgymError, and nothing else, for a log, a task or a workspace that cannot be had.
    """
    try:
        trajectory = Trajectory.open(folder)
        package = task_of(trajectory, same=False)
        return Recorded(
            trajectory=trajectory,
            episode=trajectory.episode,
            package=package,
            files=trajectory.handed_in(dict(package.files)),
            before=last_verdict(trajectory),
        )
    except WorkgymError:
        raise
    except Exception as error:  # the boundary: a log on disk may hold anything
        raise ReplayError(f"{folder}: the trajectory cannot be read ({type(error).__name__}: {error})") from error


def last_verdict(trajectory: Trajectory) -> VerdictEvent | None:
    """How an episode was graded; None where it was not."""
    found = None
    for event in trajectory.of(VerdictEvent):
        found = event
    return found


def regraded(one: Recorded, grader: Grader) -> Drift:
    """The verdict on what was handed in, beside the recorded one. Raises UsageError where the judge's model does."""
    now = grader.with_process(one.package, one.files, one.trajectory.folder)
    return Drift(one.before, now)
