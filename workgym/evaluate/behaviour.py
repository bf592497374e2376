"""How agents behave, read off their trajectories: turns, limit hits, failures of code, search and fetch calls."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

from workgym.errors import WorkgymError
from workgym.evaluate.rates import Rate
from workgym.records import Record
from workgym.trajectory import Trajectory

Kind = Literal["code", "search", "fetch", "other"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""What a call does: it runs a program, searches the web, fetches a page, or anything else."""
TOOLS: Mapping[str, Kind] = {"bash": "code", "python": "code", "web_search": "search", "web_fetch": "fetch"}
"""Tools by what they do; all others are ``other``."""
REFUSED = "no call"
"""Replies that were no call of a tool, counted beside the kinds."""


class Episode(Record):
    """What one trajectory comes to."""

    folder: str
    """Where it lies, from the report's folder."""
    task: str
    """Id of the task."""
    harness: str
    """Name of the harness."""
    model: str | None
    """Name of the model; None for a control."""
    limit: int
    """Most turns that it might take."""
    turns: int
    """Turns that it took: calls, and replies without one."""
    end: str
    """Why it ended; ``cut off`` where the log has no end."""
    verdict: str
    """How it was graded; empty where it was not."""
    reward: float
    """Its reward."""
    tokens: int | None
    """Tokens that its model read and wrote; None where no reply was counted, or not every one."""
    calls: Mapping[str, int]
    """Answered calls by kind, and actions that were no call."""
    failed: Mapping[str, int]
    """Those of them whose answer was an error, by kind."""


class Group(Record):
    """The trajectories of one model in one harness."""

    harness: str
    """The harness."""
    model: str | None
    """The model; None for a control."""
    use: Literal["probes", "rollouts"]
    """Whether they were made to measure tasks, or to learn from."""
    episodes: int
    """How many there are."""
    mean_turns: float
    """Turns on average."""
    median_turns: float
    """Half of them take at most so many."""
    longest: int
    """Turns of the longest."""
    mean_tokens: float | None
    """Tokens on average, over those whose tokens were counted; None where none was."""
    limit_hit: Rate
    """Share that was ended by the turn limit."""
    solved: Rate
    """Share that passed, of those that were graded."""
    failures: Mapping[str, Rate]
    """Share of calls that failed, by kind: ``code``, ``search``, ``fetch``, ``other``."""
    refused: Rate
    """Share of turns that were no call of a tool."""


def episode(folder: Path, root: Path) -> Episode:
    """What a trajectory comes to. Raises WorkgymError for a log that is damaged."""
    trajectory = Trajectory.open(folder)
    first, waiting = trajectory.episode, ""
    calls: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    turns, end, verdict, reward = 0, "cut off", "", 0.0
    tokens: list[int | None] = []
    for line in trajectory.lines():
        event = line.get("event")
        if event == "call":
            turns += 1
            waiting = REFUSED if line.get("refused") else TOOLS.get(str(line.get("tool")), "other")
        elif event == "observation" and waiting:
            calls[waiting] += 1
            failed[waiting] += bool(line.get("is_error"))
            waiting = ""
        elif event == "message" and line.get("role") == "assistant":
            tokens.append(_tokens(line.get("usage")))
        elif event == "end":
            end = str(line.get("reason"))
        elif event == "verdict":
            verdict, reward = str(line.get("state")), _number(line.get("reward"))
    return Episode(
        folder=folder.relative_to(root).as_posix(),
        task=first.task_id,
        harness=first.harness,
        model=first.model,
        limit=first.turns,
        turns=turns,
        end=end,
        verdict=verdict,
        reward=reward,
        tokens=_sum(tokens),
        calls=dict(calls),
        failed=dict(failed),
    )


def _tokens(usage: Any) -> int | None:
    """Tokens read and written in one reply; None where they were not counted."""
    if not isinstance(usage, dict):
        return None
    read, written = usage.get("prompt"), usage.get("completion")
    return read + written if isinstance(read, int) and isinstance(written, int) else None


def _sum(tokens: Sequence[int | None]) -> int | None:
    counted = [count for count in tokens if count is not None]
    return sum(counted) if counted and len(counted) == len(tokens) else None


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def episodes(folders: Iterable[Path], root: Path) -> tuple[tuple[Episode, ...], dict[str, str]]:
    """All of them, and by folder why one could not be read."""
    found: list[Episode] = []
    broken: dict[str, str] = {}
    for folder in folders:
        try:
            found.append(episode(folder, root))
        except (WorkgymError, OSError) as error:
            broken[folder.relative_to(root).as_posix()] = " ".join(str(error).split())
    return tuple(found), broken


def groups(found: Sequence[Episode], probes: frozenset[str]) -> tuple[Group, ...]:
    """By harness, model and use; ``probes`` are the folders of the episodes that were probes."""
    sorted_out: dict[tuple[bool, str, str], list[Episode]] = defaultdict(list)
    for one in found:
        sorted_out[one.folder in probes, one.harness, one.model or ""].append(one)
    return tuple(
        _group(harness, model or None, "probes" if probing else "rollouts", those)
        for (probing, harness, model), those in sorted(sorted_out.items())
    )


def _group(harness: str, model: str | None, use: Literal["probes", "rollouts"], those: Sequence[Episode]) -> Group:
    turns = [one.turns for one in those]
    graded = [one for one in those if one.verdict in ("passed", "failed")]
    tokens = [one.tokens for one in those if one.tokens is not None]
    calls = {kind: sum(one.calls.get(kind, 0) for one in those) for kind in (*KINDS, REFUSED)}
    failed = {kind: sum(one.failed.get(kind, 0) for one in those) for kind in KINDS}
    return Group(
        harness=harness,
        model=model,
        use=use,
        episodes=len(those),
        mean_turns=statistics.mean(turns),
        median_turns=statistics.median(turns),
        longest=max(turns),
        mean_tokens=statistics.mean(tokens) if tokens else None,
        limit_hit=Rate.count(sum(one.end == "turns" for one in those), len(those)),
        solved=Rate.count(sum(one.verdict == "passed" for one in graded), len(graded)),
        failures={kind: Rate.count(failed[kind], calls[kind]) for kind in KINDS},
        refused=Rate.count(calls[REFUSED], sum(calls.values())),
    )
