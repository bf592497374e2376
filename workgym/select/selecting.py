"""From recorded rollouts to a selection: filters over all, then a judge over the longest."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from workgym.errors import BudgetSpent, ReplayError, SandboxUnavailable, UsageError, WorkgymError
from workgym.model import Model
from workgym.records import digest
from workgym.replay import replay, task_of
from workgym.select import filters
from workgym.select.config import Config
from workgym.select.look import BATCH, Looked, look
from workgym.select.reject import Contender, contest, shown
from workgym.select.score import Score
from workgym.select.selection import STAGES, Contest, Entry, Selection
from workgym.select.story import Story, read_story
from workgym.trajectory import Trajectory

Progress = Callable[[str], None]


@dataclass
class _Draft:
    """A trajectory after the first pass."""

    folder: Path
    entry: Entry
    scores: list[Score]
    handed: Mapping[str, Looked]
    """Its deliverables by measure, without what they say."""

    @property
    def task(self) -> tuple[str, str]:
        """The task that it is of."""
        return self.entry.task_id, self.entry.task_digest


def select(
    folders: Sequence[Path],
    config: Config | None = None,
    *,
    out: Path | None = None,
    judge: Model | None = None,
    replayed: float = 0.0,
    progress: Progress = lambda line: None,
) -> Selection:
    """Filter trajectories, and of the longest keep the best of their task.

    ``out`` is where the selection's file will lie, from which folders are told; ``replayed`` the share of the
    trajectories, drawn by their names, that is run again. Without a ``judge`` the longest are kept as they are. Raises
    UsageError for a judge that is not configured and SandboxUnavailable where a sample cannot be run at all.
    """
    config = config or Config()
    home = (out or Path.cwd() / "selection.jsonl").resolve().parent
    drafts = list(_drafts(folders, config, home, replayed, progress))
    entries = [_entry(draft) for draft in _with_peers(drafts, config)]
    contests: tuple[Contest, ...] = ()
    if config.longest.share > 0:
        folder_of = {draft.entry.trajectory: draft.folder for draft in drafts}
        contests = tuple(_contests(entries, folder_of, config, judge, progress))
        entries = list(_without_rejected(entries, contests))
    return Selection(
        config=config,
        judge=None if judge is None else judge.name,
        replayed=sum(_drawn(draft, replayed) for draft in drafts),
        contests=contests,
        entries=tuple(entries),
    )


def _drafts(
    folders: Sequence[Path], config: Config, home: Path, replayed: float, progress: Progress
) -> Iterator[_Draft]:
    controls: dict[str, bool] = {}
    for start in range(0, len(folders), BATCH):
        progress(f"{start}/{len(folders)} trajectories")
        batch = folders[start : start + BATCH]
        stories = [_read(folder) for folder in batch]
        looks = iter(look([story for story in stories if isinstance(story, Story)]))
        for folder, story in zip(batch, stories, strict=True):
            where = Path(os.path.relpath(folder.resolve(), home)).as_posix()
            if not isinstance(story, Story):
                damaged = filters.damaged(story, config.integrity)
                yield _Draft(folder, Entry(trajectory=where), [damaged], {})
                continue
            handed = next(looks)
            draft = _Draft(folder, _told(story, where), [], _measures(handed))
            again = _replay(folder, progress) if _drawn(draft, replayed) else ""
            name = story.episode.harness
            if name not in controls:
                controls[name] = filters.is_control(name)
            draft.scores = list(_scores(story, handed, config, again, controls[name]))
            yield draft


def _read(folder: Path) -> Story | WorkgymError:
    try:
        return read_story(folder)
    except (ReplayError, UsageError) as error:
        return error


def _told(story: Story, where: str) -> Entry:
    verdict, unscored = story.verdict, filters.unscored(story)
    return Entry(
        trajectory=where,
        task_id=story.episode.task_id,
        task_digest=story.episode.task_digest,
        harness=story.episode.harness,
        model=story.episode.model,
        seed=story.episode.seed,
        turns=story.turns,
        end="" if story.end is None else story.end.reason,
        verdict="" if verdict is None else verdict.state,
        reward=None if unscored or verdict is None else verdict.reward,
        why=unscored or "",
    )


def _scores(story: Story, handed: Mapping[str, Looked], config: Config, again: str, control: bool) -> Iterator[Score]:
    """What all filters say that need no other trajectory."""
    if config.integrity.use:
        yield filters.integrity(story, config.integrity, again)
    graded = filters.outcome(story, config.outcome, control=control) if config.outcome.use else None
    if graded is not None:
        yield graded
    if config.repeated_reasoning.use:
        yield filters.repeated_reasoning(story, config.repeated_reasoning)
    if config.repeated_calls.use:
        yield filters.repeated_calls(story, config.repeated_calls)
    if config.unsupported_claims.use:
        yield filters.unsupported_claims(story, handed, config.unsupported_claims)
    if config.recoverability.use:
        yield filters.recoverability(story, config.recoverability)


def _measures(handed: Mapping[str, Looked]) -> dict[str, Looked]:
    return {path: replace(one, document=None, text="") for path, one in handed.items()}


def _drawn(draft: _Draft, share: float) -> bool:
    """Whether it is in the sample that is run again: settled by what it is, whatever else is looked at."""
    entry = draft.entry
    if not entry.task_id:
        return False
    key = digest([entry.task_id, entry.task_digest, entry.harness, entry.model, entry.seed])
    return int(key[:12], 16) < share * 16**12


def _replay(folder: Path, progress: Progress) -> str:
    """What differs when a trajectory is run again; empty where nothing does."""
    progress(f"running {folder} again")
    try:
        report = replay(folder)
    except SandboxUnavailable:
        raise
    except WorkgymError as error:
        return error.message
    return "" if report.divergence is None else str(report.divergence)[:300]


def _with_peers(drafts: Sequence[_Draft], config: Config) -> Iterator[_Draft]:
    """The drafts, each with what is said of its deliverables beside those of the same task."""
    sizes: dict[tuple[str, str], list[_Draft]] = {}
    for draft in drafts:
        sizes.setdefault(draft.task, []).append(draft)
    for draft in drafts:
        others = [other for other in sizes[draft.task] if other is not draft] if draft.handed else []
        peers = {
            path: [
                other.handed[path].size for other in others if path in other.handed and not other.handed[path].missing
            ]
            for path in draft.handed
        }
        thin = filters.thin_deliverables(draft.handed, peers, config.thin_deliverables)
        if thin is not None and config.thin_deliverables.use:
            draft.scores.append(thin)
        yield draft


def _entry(draft: _Draft) -> Entry:
    low = {score.filter for score in draft.scores if not score.passed}
    if draft.entry.task_id and draft.entry.reward is None:
        low.add("unscored")
    order = {stage: number for number, stage in enumerate(STAGES)}
    return draft.entry.model_copy(
        update={
            "scores": tuple(sorted(draft.scores, key=lambda score: order[score.filter])),
            "dropped_by": tuple(sorted(low, key=order.__getitem__)),
        }
    )


def _contests(
    entries: Iterable[Entry],
    folder_of: Mapping[str, Path],
    config: Config,
    judge: Model | None,
    progress: Progress,
) -> Iterator[Contest]:
    """The longest tasks, by the trajectory of each that passed and takes the most turns; a judge decides in each."""
    groups: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        if entry.kept:
            groups.setdefault((entry.task_id, entry.task_digest), []).append(entry)
    ranked = sorted(groups.values(), key=lambda group: (-max(one.turns for one in group), group[0].task_id))
    for group in ranked[: math.ceil(round(config.longest.share * len(ranked), 9))]:
        told = Contest(
            task_id=group[0].task_id,
            turns=max(one.turns for one in group),
            rollouts=tuple(one.trajectory for one in group),
            state="alone" if len(group) == 1 else "no judge",
        )
        if len(group) == 1 or judge is None:
            yield told
            continue
        progress(f"comparing {len(group)} rollouts of {told.task_id}")
        yield _decided(told, group, folder_of, judge)


def _decided(told: Contest, group: Sequence[Entry], folder_of: Mapping[str, Path], judge: Model) -> Contest:
    try:
        stories = [read_story(folder_of[one.trajectory]) for one in group]
        request = _request(stories[0])
        contenders = [
            Contender(one.trajectory, shown(handed), one.reward or 0.0, one.turns)
            for one, handed in zip(group, look(stories), strict=True)
        ]
        best, comparisons = contest(judge, request, contenders)
    except (ReplayError, BudgetSpent) as error:  # a log that was damaged meanwhile; no money left
        return told.model_copy(update={"state": "unscored", "why": error.message})
    state = "unscored" if best is None else "decided"
    return told.model_copy(update={"state": state, "best": best, "comparisons": comparisons})


def _request(story: Story) -> str:
    """What was asked for: as the task says it, or where that is not to be had any more, as the solver read it."""
    try:
        return task_of(Trajectory.open(story.folder), same=False).request
    except WorkgymError as error:
        if not story.request:
            raise ReplayError(f"{story.folder}: nobody knows what was asked for: {error.message}") from error
        return story.request


def _without_rejected(entries: Iterable[Entry], contests: Iterable[Contest]) -> Iterator[Entry]:
    best = {one: told.best for told in contests if told.state == "decided" for one in told.rollouts if one != told.best}
    for entry in entries:
        if entry.trajectory in best:
            why = f"{best[entry.trajectory]} is preferred"
            entry = entry.model_copy(update={"dropped_by": ("rejection",), "why": why})
        yield entry
