"""Record integrity: the log is complete, its parts are what their digests say, and it agrees with itself.

What each writing left is told twice in a log, by the call that wrote and by what was handed in; a reward is told with
the scores that it is made of. Whoever changes one of them without the other is found here; what is changed
consistently is found by running it again (``replay``).
"""

from __future__ import annotations

from collections.abc import Iterator

from workgym.errors import ReplayError, UsageError, WorkgymError
from workgym.select.config import Integrity
from workgym.select.score import Evidence, Score, scored
from workgym.select.story import Story
from workgym.trajectory import Trajectory
from workgym.verify import Scores
from workgym.verify.combine import combiner

NAME = "integrity"
_Found = Iterator[tuple[str, tuple[int, ...]]]


def integrity(story: Story, config: Integrity, replayed: str = "") -> Score:
    """1 where nothing is wrong, else 0; ``replayed`` is what differed when it was run again."""
    found = [*_complete(story), *_paired(story), *_handed(story), *_verdict(story)]
    found += [(f"run again it comes out differently: {replayed}", ())] if replayed else []
    evidence = [Evidence(what=what, calls=calls) for what, calls in found]
    more = f"; and {len(found) - 1} more" if len(found) > 1 else ""
    return scored(NAME, float(not found), config.least, f"{found[0][0]}{more}" if found else "", evidence)


def damaged(error: WorkgymError, config: Integrity) -> Score:
    """The score of a log that cannot be read."""
    return scored(NAME, 0.0, config.least, f"the log cannot be read: {error.message}")


def _complete(story: Story) -> _Found:
    for kind, what in (("episode", "beginning"), ("workspace", "hand-in"), ("verdict", "verdict"), ("end", "end")):
        count = story.events.count(kind)
        if count != 1:
            last = (story.calls[-1].call.index,) if story.calls else ()
            yield f"the log has no {what}" if not count else f"the log has {count} of its {what}", last
    if "end" in story.events and story.events[-1] != "end":
        yield "something stands behind the end of the log", ()


def _paired(story: Story) -> _Found:
    indices = [one.call.index for one in story.calls]
    if indices != list(range(1, len(indices) + 1)):
        yield "calls are not counted from 1 without a gap", tuple(indices[:8])
    open_ones = [one.call.index for one in story.calls if one.observation is None]
    if open_ones:
        yield "calls have no answer", tuple(open_ones)
    if story.events.count("observation") != len(indices) - len(open_ones):
        yield "answers have no call", ()
    crossed = [one.call.index for one in story.calls if one.observation and one.observation.index != one.call.index]
    if crossed:
        yield "answers have the numbers of other calls", tuple(crossed)
    stray = [one.call.index for one in story.calls if one.call.id is not None and one.call.id not in story.made]
    if story.made and stray:
        yield "calls bear ids that no message of the model has", tuple(stray)


def _handed(story: Story) -> _Found:
    """Files as they were handed in, against their bytes and against what the last call left of each."""
    if story.handed is None:
        return
    trajectory = Trajectory(story.folder)
    for path, name in sorted(story.handed.kept.items()):
        try:
            trajectory.blob(name)
        except ReplayError as error:
            yield f"{path}: {error.message}", ()
        if story.handed.digests.get(path) != name:
            yield f"{path}: what was kept is not what was handed in", ()
    if story.revised:
        return  # somebody else wrote, too
    left: dict[str, tuple[str | None, int]] = {}
    for one in story.calls:
        for change in one.observation.changes if one.observation is not None else ():
            left[change.path] = change.digest, one.call.index
    for path, (digest, call) in sorted(left.items()):
        if story.handed.digests.get(path) != digest:
            yield f"{path} is not as call {call} left it", (call,)


def _verdict(story: Story) -> _Found:
    verdict = story.verdict
    if verdict is None or not isinstance(verdict.record, dict) or "combiner" not in verdict.record:
        return  # of another grader: it says what it says
    record = verdict.record
    if (record.get("state"), record.get("reward")) != (verdict.state, verdict.reward):
        yield "the verdict is not the one in its record", ()
    if record.get("task") != story.episode.task_id:
        yield "the verdict is about another task", ()
    if not story.revised and record.get("package") != story.episode.task_digest:
        yield "the verdict is about another package", ()
    try:
        reward = combiner(str(record["combiner"]))(Scores.model_validate(record.get("scores")))
    except (UsageError, ValueError):
        yield "the scores in the verdict cannot be combined", ()
        return
    if verdict.state != "unscored" and abs(reward - verdict.reward) > 1e-6:
        yield f"the reward is {verdict.reward:g}, and its scores make {reward:g}", ()
    checks = record.get("checks")
    failed = [check for check in checks if check.get("state") == "failed"] if isinstance(checks, list) else []
    if verdict.state == "passed" and failed:
        yield f"the verdict is passed, and {len(failed)} of its checks failed", ()
