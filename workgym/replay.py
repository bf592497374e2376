"""Run a trajectory again: its recorded actions in a fresh sandbox, compared step by step.

Observations are compared as texts, the workspace (at the start, after each call, as it was handed in) by digests over
normalised content: an hour in a workbook's properties does not count. The user's turns and the revisions of the task
are taken from the record. ``until=k`` stops after call ``k`` and hands over the live environment: the place to look, to
fork, or to go on.
"""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from workgym.errors import ReplayError, UsageError
from workgym.records import Record
from workgym.sandbox.contract import Limits
from workgym.trajectory import (
    CallEvent,
    EndEvent,
    EpisodeEvent,
    MutationEvent,
    ObservationEvent,
    Redactor,
    Trajectory,
    UserEvent,
    VerdictEvent,
    WorkspaceEvent,
    normal_digest,
)
from workgym.user import ScriptedUser, UserPolicy, UserTurn

if TYPE_CHECKING:
    from workgym.env import Grader, OfficeEnv, SandboxMaker
    from workgym.package import TaskPackage


class Divergence(Record):
    """The first place where a replay came out differently."""

    call: int
    """Number of the call; 0 before the first, one past the last where the end differs."""
    tool: str
    """Name of its tool; empty for a reply."""
    what: Literal[
        "start", "number", "observation", "error flag", "changed files", "workspace", "end", "verdict", "handed in"
    ]
    """What differs; ``start`` is the workspace before the first call, ``handed in`` the copy that was graded."""
    expected: Any
    """What the trajectory says."""
    found: Any
    """What the replay brought."""

    def __str__(self) -> str:
        where = f"call {self.call} ({self.tool or 'reply'}): {self.what}"
        return f"{where}: {self.expected!r} was recorded, {self.found!r} found"


class ReplayReport(Record):
    """What came of a replay."""

    task_id: str
    """Id of the task."""
    trajectory: str
    """Folder of the trajectory."""
    calls: int
    """Recorded calls that have an answer."""
    matched: int
    """Calls that came out the same, up to the first divergence."""
    complete: bool
    """Whether the recorded episode has an end; a log that was cut off is compared as far as it goes."""
    divergence: Divergence | None
    """The first divergence, or None."""
    verdict: str | None
    """State of the replay's own verdict, or None where the recorded episode has none."""
    reward: float | None
    """Reward of the replay, or None."""

    @property
    def exact(self) -> bool:
        """Whether all that is recorded came out the same; see ``complete``."""
        return self.divergence is None


@overload
def replay(
    trajectory: Path | str,
    until: None = None,
    *,
    package: TaskPackage | None = None,
    sandbox: str | SandboxMaker | None = None,
    out: Path | str | None = None,
    user: UserPolicy | None = None,
    grade: Grader | None = None,
) -> ReplayReport: ...


@overload
def replay(
    trajectory: Path | str,
    until: int,
    *,
    package: TaskPackage | None = None,
    sandbox: str | SandboxMaker | None = None,
    out: Path | str | None = None,
    user: UserPolicy | None = None,
    grade: Grader | None = None,
) -> OfficeEnv: ...


def replay(
    trajectory: Path | str,
    until: int | None = None,
    *,
    package: TaskPackage | None = None,
    sandbox: str | SandboxMaker | None = None,
    out: Path | str | None = None,
    user: UserPolicy | None = None,
    grade: Grader | None = None,
) -> ReplayReport | OfficeEnv:
    """Run the trajectory in a folder again: a report, or with ``until=k`` the environment as it was after call ``k``.

    The task is found by the record (its folder, else its id) unless ``package`` is given; the sandbox is the recorded
    backend unless ``sandbox`` says otherwise; ``out`` records the replay as a trajectory of its own; ``user`` takes
    over where the recorded user's turns end. The caller closes the environment. Raises ReplayError where the task is
    another one by its digest, or where the replay comes out differently before call ``k``.
    """
    recorded = Trajectory.open(trajectory)
    episode = recorded.episode
    task = _started_with(recorded) if package is None else package
    _same(recorded, task)
    env = _environment(recorded, episode, task, sandbox, out, user, grade)
    done = False
    try:
        run = _Run(recorded, env)
        env.reset(seed=episode.seed)
        if until is None:
            return run.report(episode)
        run.to(until)
        done = True
        return env
    finally:
        if not done:
            env.close()


class _Run:
    """The recorded events carried out in an environment that was reset."""

    def __init__(self, recorded: Trajectory, env: OfficeEnv) -> None:
        self.recorded, self.env = recorded, env
        self.calls = self.matched = 0
        self.redact = Redactor().text

    def report(self, episode: EpisodeEvent) -> ReplayReport:
        """Carry out everything."""
        divergence = self._start() or self._calls(None)
        answered = sum(1 for _ in self.recorded.of(ObservationEvent))
        verdict = next(self.recorded.of(VerdictEvent), None)
        end = next(self.recorded.of(EndEvent), None)
        if divergence is None and verdict is not None and end is not None:
            self.env.finish(end.reason, end.detail)
        if divergence is None:
            divergence = self._handed_in(verdict) or self._end(end, verdict)
        found = self.env.verdict
        return ReplayReport(
            task_id=episode.task_id,
            trajectory=str(self.recorded.folder),
            calls=answered,
            matched=self.matched,
            complete=end is not None,
            divergence=divergence,
            verdict=None if found is None else found.state,
            reward=None if found is None else found.reward,
        )

    def to(self, until: int) -> None:
        """Carry out calls up to number ``until``. Raises ReplayError for a divergence, or where there are fewer."""
        if until < 0:
            raise UsageError(f"until={until}: calls count from 1, and 0 is before the first")
        divergence = self._start() or self._calls(until)
        if divergence is not None:
            raise ReplayError(f"{self.recorded.folder}: {divergence}")
        if self.matched < until:
            raise ReplayError(f"{self.recorded.folder}: call {until} is asked for, and there are {self.matched}")

    def _start(self) -> Divergence | None:
        was, now = self.recorded.episode.workspace, self.env.workspace
        return None if was == now else Divergence(call=0, tool="", what="start", expected=was, found=now)

    def _calls(self, until: int | None) -> Divergence | None:
        waiting: CallEvent | None = None
        for event in self.recorded.events():
            if until is not None and self.matched >= until and not isinstance(event, MutationEvent):
                if isinstance(event, CallEvent):
                    return None
            elif isinstance(event, CallEvent):
                waiting = event
            elif isinstance(event, ObservationEvent) and waiting is not None:
                divergence = self._call(waiting, event)
                if divergence is not None:
                    return divergence
                self.matched, waiting = self.matched + 1, None
            if isinstance(event, MutationEvent) and waiting is None:
                self.env.mutate(_revision(event.revision))
        return None

    def _call(self, call: CallEvent, expected: ObservationEvent) -> Divergence | None:
        action = {"tool": call.tool, "arguments": call.arguments} if call.tool else call.arguments
        seen, *_ = self.env.step(action)

        def differs(what: Any, was: Any, found: Any) -> Divergence | None:
            if was == found:
                return None
            return Divergence(call=call.index, tool=call.tool, what=what, expected=was, found=found)

        was = [(change.path, change.change) for change in expected.changes]
        return (
            differs("number", call.index, self.env.turns_taken)
            or differs("observation", expected.text, self.redact(seen["text"]))
            or differs("error flag", expected.is_error, bool(seen["error"]))
            or differs("changed files", was, [(change.path, change.change) for change in self.env.changes])
            or differs("workspace", expected.workspace, self.env.workspace)
        )

    def _handed_in(self, verdict: VerdictEvent | None) -> Divergence | None:
        event = next(self.recorded.of(WorkspaceEvent), None)
        if not self.env.over or (event is None and verdict is None):
            return None  # the log ends before anything was handed in
        was = {} if event is None else self._digests(event)
        now = self.env.handed_in
        differ = [path for path in sorted({*was, *now}) if was.get(path) != now.get(path)]
        if not differ:
            return None
        expected, found = ({path: files.get(path) for path in differ} for files in (was, now))
        return Divergence(call=self.matched + 1, tool="", what="handed in", expected=expected, found=found)

    def _digests(self, event: WorkspaceEvent) -> dict[str, str]:
        """Digests over normalised content of what was handed in, by path; a file that cannot be had keeps its own."""
        given, digests = self.env.package.files, {}
        for path, recorded in event.digests.items():
            content = self.recorded.blob(event.kept[path]) if path in event.kept else given.get(path, b"")
            known = hashlib.sha256(content).hexdigest() == recorded
            digests[path] = normal_digest(path, content) if known else recorded
        return digests

    def _end(self, end: EndEvent | None, verdict: VerdictEvent | None) -> Divergence | None:
        last, found = self.matched + 1, self.env.verdict
        ended = self.env.end or ("abandoned" if verdict is None else None)
        if end is not None and end.reason != ended:
            return Divergence(call=last, tool="", what="end", expected=end.reason, found=ended)
        if not self.env.over or (end is None and verdict is None):
            return None  # the log ends before it was graded
        by_code = verdict is not None and _judged(verdict)
        was, now = (graded and _outcome(graded, by_code=by_code) for graded in (verdict, found))
        return None if was == now else Divergence(call=last, tool="", what="verdict", expected=was, found=now)


def _judged(verdict: VerdictEvent) -> bool:
    """Whether a judge or another combiner had a part in it, which a replay does not ask again."""
    record = verdict.record if isinstance(verdict.record, dict) else {}
    return bool(record.get("judge")) or record.get("combiner", "code/1") != "code/1"


def _outcome(verdict: VerdictEvent, *, by_code: bool) -> Any:
    """What has to come out again: state and reward, or else what code found in the deliverables."""
    if not by_code:
        return verdict.state, verdict.reward
    scores = (verdict.record if isinstance(verdict.record, dict) else {}).get("scores", {})
    return {name: scores.get(name) for name in ("units", "guards")}


def task_of(recorded: Trajectory, *, same: bool = True) -> TaskPackage:
    """The task that an episode was graded against: as it started, with what its user wrote and revised.

    ``same=False`` takes the task as it is now, whatever it was then. Raises UsageError where it cannot be found,
    PackageError where its folder is damaged, and ReplayError where it is not the recorded one.
    """
    from workgym import mutation
    from workgym.env.handover import handed_over

    task = _started_with(recorded)
    if same:
        _same(recorded, task)
    for event in recorded.events():
        if isinstance(event, MutationEvent):
            task = mutation.apply(task, _revision(event.revision))
        elif isinstance(event, UserEvent) and event.files:
            task = handed_over(task, _turn(event).files)
    return task


def _started_with(recorded: Trajectory) -> TaskPackage:
    """The task, from its folder where that is there, else by its id."""
    from workgym import corpus
    from workgym import package as packages

    episode = recorded.episode
    if episode.package_path is not None and (recorded.folder / episode.package_path).is_dir():
        return packages.load(recorded.folder / episode.package_path)
    return corpus.load(episode.task_id)


def _same(recorded: Trajectory, task: TaskPackage) -> None:
    if task.digest != recorded.episode.task_digest:
        raise ReplayError(
            f"{recorded.folder}: task {task.id} is not as it was when this was recorded",
            fix="give the package of that time (--package)",
        )


def _revision(recorded: Any) -> Any:
    from workgym.mutation import Revision

    return Revision.model_validate(recorded)


def _environment(
    recorded: Trajectory,
    episode: EpisodeEvent,
    task: TaskPackage,
    sandbox: str | SandboxMaker | None,
    out: Path | str | None,
    user: UserPolicy | None,
    grade: Grader | None,
) -> OfficeEnv:
    from workgym.env import OfficeEnv

    turns = [_turn(event) for event in recorded.of(UserEvent)]
    return OfficeEnv(
        package=task,
        sandbox=episode.sandbox if sandbox is None else sandbox,
        limits=Limits.model_validate(dict(episode.limits)),
        turns=episode.turns,
        user=ScriptedUser(turns, after=user),
        web=episode.web and episode.web.as_logged,
        render_mode="ansi",
        out=out,
        grade=grade,
    )


def _turn(event: UserEvent) -> UserTurn:
    files = {path: None if text is None else base64.b64decode(text) for path, text in event.files.items()}
    changed = None if event.revision is None else _revision(event.revision)
    return UserTurn(closes=event.closes, say=event.say, files=files, revision=changed)
