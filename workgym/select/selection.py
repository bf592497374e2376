"""A selection: every trajectory that was looked at, whether it is kept, and why not.

On disk it is one JSON Lines file: a head, then a line for each trajectory, so that hundreds of thousands can be read
one by one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from workgym.errors import UsageError
from workgym.records import Record
from workgym.records.whole import write_whole
from workgym.select.config import Config
from workgym.select.score import Score

FORMAT = 1
"""Version of the file; a newer one is refused."""
NAME = "selection.jsonl"
"""What the file is called in a folder."""
STAGES = (
    *("integrity", "unscored", "outcome", "repeated_reasoning", "repeated_calls"),
    *("thin_deliverables", "unsupported_claims", "recoverability", "rejection"),
)
"""Why a trajectory may be dropped, in the order in which they are counted."""


class Entry(Record):
    """One trajectory."""

    trajectory: str
    """Its folder, told from the selection's where it is relative."""
    task_id: str = ""
    """Id of the task; empty where the log cannot be read."""
    task_digest: str = ""
    """Digest of the task package."""
    harness: str = ""
    """Name of the harness."""
    model: str | None = None
    """Name of the model."""
    seed: int | None = None
    """Seed of the rollout."""
    turns: int = 0
    """Actions that were taken."""
    end: str = ""
    """Why it ended; empty where it did not."""
    verdict: str = ""
    """State of the verdict; empty where there is none."""
    reward: float | None = None
    """The reward; None where it is unscored or never was graded, which is not 0."""
    scores: tuple[Score, ...] = ()
    """What each filter said; one that is off or does not apply says nothing."""
    dropped_by: tuple[str, ...] = ()
    """Every stage that drops it, in their order; empty where it is kept."""
    why: str = ""
    """Why it is unscored, or what it was rejected for; empty where the scores say it all."""

    @property
    def kept(self) -> bool:
        """Whether it is worth learning from."""
        return not self.dropped_by

    def folder(self, selection: Path) -> Path:
        """Its folder, where ``selection`` is the selection's file."""
        return selection.parent / self.trajectory

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it is dropped, a line for each stage."""
        told = {score.filter: score.reason for score in self.scores}
        return tuple(f"{stage}: {told.get(stage) or self.why}" for stage in self.dropped_by)


class Comparison(Record):
    """Two rollouts of one task, compared in both orders."""

    first: str
    """Folder of one."""
    second: str
    """Folder of the other."""
    outcome: Literal["first", "second", "tie", "inconsistent", "unscored"]
    """Which is better; ``inconsistent`` where the answer followed the place, ``unscored`` where none could be had."""
    reasons: tuple[str, ...] = ()
    """What the judge said, in the order in which it was asked."""


class Contest(Record):
    """The rollouts of one of the longest tasks."""

    task_id: str
    """Id of the task."""
    turns: int
    """Turns of its longest trajectory that passed all filters."""
    rollouts: tuple[str, ...]
    """Folders of those that passed all filters."""
    state: Literal["decided", "alone", "no judge", "unscored"]
    """``alone`` with nothing to compare; ``no judge`` or ``unscored`` where nobody could: all are kept then."""
    best: str | None = None
    """Folder of the one that is kept; None where all are."""
    why: str = ""
    """Why nobody could decide; empty where the comparisons tell, or somebody could."""
    comparisons: tuple[Comparison, ...] = ()
    """Every pair."""


class Stage(Record):
    """One line of the funnel."""

    stage: str
    """What may drop a trajectory."""
    dropped: int
    """Trajectories that no earlier stage had dropped, and this one does."""
    flagged: int
    """Trajectories that it drops, whether an earlier one had or not."""
    left: int
    """Trajectories that are left after it."""


class Selection(Record):
    """What was looked at, and what came of it."""

    format: int = FORMAT
    """Version of the file."""
    config: Config
    """What was asked of each."""
    judge: str | None = None
    """Name of the model that compared deliverables, or None."""
    replayed: int = 0
    """Trajectories that were run again, as a sample."""
    contests: tuple[Contest, ...] = ()
    """The longest tasks, and what came of comparing their rollouts."""
    entries: tuple[Entry, ...] = ()
    """Every trajectory, in the order in which they were given."""

    @property
    def kept(self) -> tuple[Entry, ...]:
        """Those that are worth learning from."""
        return tuple(entry for entry in self.entries if entry.kept)

    @property
    def dropped(self) -> tuple[Entry, ...]:
        """The others."""
        return tuple(entry for entry in self.entries if not entry.kept)

    @property
    def undecided(self) -> int:
        """Contests that a judge was to decide, and could not."""
        return sum(contest.state == "unscored" for contest in self.contests)

    @property
    def funnel(self) -> tuple[Stage, ...]:
        """How many are left after each stage."""
        left, stages = len(self.entries), []
        for stage in STAGES:
            first = sum(entry.dropped_by[:1] == (stage,) for entry in self.entries)
            flagged = sum(stage in entry.dropped_by for entry in self.entries)
            left -= first
            stages.append(Stage(stage=stage, dropped=first, flagged=flagged, left=left))
        return tuple(stages)

    def save(self, path: Path | str) -> Path:
        """Write it, to a file or into a folder as ``selection.jsonl``; the file."""
        file = target(path)
        head = self.model_dump(mode="json", exclude={"entries"})
        lines = (_line(head), *(_line(entry.model_dump(mode="json")) for entry in self.entries))
        write_whole(file, "".join(lines))
        return file

    @classmethod
    def load(cls, path: Path | str) -> Selection:
        """Read what :meth:`save` wrote. Raises UsageError where it is none, or newer."""
        file = target(path)
        return cls.model_validate({**_head(file), "entries": tuple(entries(file))})


def target(path: Path | str) -> Path:
    """The file of a selection: a path that ends in ``.jsonl``, or ``selection.jsonl`` in a folder."""
    return Path(path) if Path(path).suffix == ".jsonl" else Path(path) / NAME


def entries(file: Path) -> Iterator[Entry]:
    """The trajectories of a selection, one by one. Raises UsageError with the line of one that is damaged."""
    _head(file)
    with open(file, encoding="utf-8") as lines:
        next(lines)
        for number, line in enumerate(lines, 2):
            try:
                yield Entry.model_validate_json(line)
            except ValidationError as error:
                raise UsageError(f"{file}:{number}: {error.errors()[0]['msg']}") from None


def _head(file: Path) -> dict[str, Any]:
    try:
        with open(file, encoding="utf-8") as lines:
            head = json.loads(next(lines, ""))
        Selection.model_validate(head)
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}", fix="give what workgym select wrote (-o)") from None
    except (ValueError, RecursionError):
        raise UsageError(f"{file}:1: not the head of a selection") from None
    if head.get("format", FORMAT) > FORMAT:
        raise UsageError(f"{file}: format {head['format']} is newer than {FORMAT}", fix="upgrade workgym")
    return dict(head)


def _line(data: dict[str, Any]) -> str:
    return json.dumps(data, separators=(",", ":"), ensure_ascii=True) + "\n"
