"""One rollout: a harness on a task, to a record.

A failed rollout is a record, not a crash: whatever goes wrong between the first observation and the verdict is named
after the boundary that it crossed, and the workspace is graded as it stands. Only what the caller can put right
beforehand is raised: an unknown task or harness, a missing model, a sandbox that cannot work on this machine.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from workgym import harness as harnesses
from workgym.errors import (
    BudgetSpent,
    HarnessError,
    ModelError,
    SandboxDied,
    SandboxError,
    SandboxUnavailable,
    UsageError,
    of_plugin,
)
from workgym.harness import Answer, Harness
from workgym.model import Message, Model, ModelCard, ModelReply, ModelRequest, Usage, budget_share, card
from workgym.records import Record, ToolSpec, WebAccess
from workgym.trajectory import MessageEvent, Redactor

if TYPE_CHECKING:
    from workgym.env import Grader, OfficeEnv, SandboxMaker

Fault = Literal["harness", "model", "sandbox"]


class Rollout(Record):
    """What came of one rollout."""

    task_id: str
    """Id of the task."""
    harness: str
    """Name of the harness."""
    model: str | None
    """Name of the model, or None where there was none."""
    seed: int
    """Seed given to ``reset``."""
    turns: int
    """Actions that were taken."""
    end: str
    """Why it ended: ``closed``, ``turns``, ``budget``, ``blocked``, ``sandbox died``, ``gave up``, or
    ``<boundary> failed``."""
    verdict: str
    """``passed``, ``failed``, ``not requested`` or ``unscored``."""
    reward: float
    """The reward; 0.0 where it is unscored."""
    evidence: Any = None
    """The verdict's record, as JSON."""
    blocked: Any = None
    """What the expert missed, as ``{what, looked_at, blocks}``; None where it missed nothing."""
    error: str | None = None
    """What went wrong, or None; of a harness's own code with its place, and the traceback in the trajectory's end."""
    fault: Fault | None = None
    """The boundary that the error crossed, or None."""
    usage: Usage | None = None
    """Tokens of all replies that the harness had, stored ones included; None where no model was asked."""
    trajectory: str | None = None
    """Folder of the trajectory, or None where none was written."""

    def __repr__(self) -> str:
        """What came of it in a line; the evidence, which is long and holds expected values, is not in it."""
        error = f", error={self.error!r}" if self.error else ""
        return f"Rollout({self.task_id}, {self.harness}, {self.end}, {self.verdict}, reward={self.reward:.3f}{error})"

    __str__ = __repr__

    @property
    def solved(self) -> bool:
        """Whether the task was done: passed, with nothing missed and nothing broken."""
        return self.verdict == "passed" and self.blocked is None and self.error is None


class LoopEpisode:
    """An episode of an environment, as a loop harness sees it."""

    def __init__(self, env: Any, model: Model | None, seed: int) -> None:
        self._env = env
        self._office: OfficeEnv = env.unwrapped
        self._model = None if model is None else _Recorded(model, self._office, seed)
        observation, info = env.reset(seed=seed)
        self.observation: str = observation["text"]
        self.request: str = info["request"]

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        """The tools on offer."""
        return self._office.tools

    @property
    def turns_left(self) -> int:
        """Actions that are left."""
        return self._office.turns_left

    @property
    def usage(self) -> Usage | None:
        """Tokens of all replies so far; None where no model was asked."""
        return None if self._model is None else self._model.usage

    @property
    def done(self) -> bool:
        """Whether the episode is over."""
        return self._office.over

    @property
    def model(self) -> Model:
        """The model. Raises HarnessError where there is none."""
        if self._model is None:
            raise HarnessError("this harness acts through a model", fix="give the rollout one (--model)")
        return self._model

    def act(self, action: Any) -> Answer:
        """Carry out one action."""
        observation, *_ = self._env.step(action)
        self.observation = observation["text"]
        return Answer(self.observation, bool(observation["error"]), self.done)


class ControlEpisode(LoopEpisode):
    """The same for the expert control."""

    @property
    def expert(self) -> str:
        """Source of the expert script."""
        source = self._office.package.hidden.expert
        if source is None:
            raise HarnessError(f"{self._office.package.id} has no expert script")
        return source

    def script(self, source: str) -> Any:
        """Run a trusted program in the guest. Raises HarnessError where it failed, SandboxDied where the guest did."""
        try:
            return json.loads(self._office.script(source))
        except SandboxDied:
            raise
        except SandboxError as error:
            raise HarnessError(error.message) from error

    def blocked(self, report: dict[str, Any]) -> None:
        """End the episode because a premise is missing."""
        self._office.finish("blocked", report)


class _Recorded:
    """A model whose messages go into the trajectory: each message once, a new segment where history was rewritten.

    The rollout's seed is the sample index of its requests, so that rollouts of one task draw apart, and one that is run
    again finds its stored replies.
    """

    def __init__(self, model: Model, office: OfficeEnv, seed: int) -> None:
        self._model, self._office, self._seed = model, office, seed
        self._known: tuple[Message, ...] = ()
        self.usage: Usage | None = None

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def secrets(self) -> Sequence[str]:
        return self._model.secrets

    @property
    def card(self) -> ModelCard:
        return card(self._model)

    def budget_share(self, usage: Usage) -> float | None:
        return budget_share(self._model, usage)

    def complete(self, request: ModelRequest) -> ModelReply:
        if request.messages[: len(self._known)] == self._known:
            fresh = request.messages[len(self._known) :]
        else:
            self._office.new_segment("compaction")
            fresh = request.messages
        for message in fresh:
            self._note(message)
        reply = self._model.complete(request.model_copy(update={"sample": request.sample or self._seed}))
        self.usage = reply.usage if self.usage is None else self.usage + reply.usage
        self._office.note(
            MessageEvent(
                segment=self._office.segment,
                role="assistant",
                blocks=reply.blocks,
                model=reply.model,
                stop=reply.stop,
                usage=reply.usage,
            )
        )
        self._known = (*request.messages, reply.message()) if reply.blocks else request.messages
        return reply

    def _note(self, message: Message) -> None:
        self._office.note(MessageEvent(segment=self._office.segment, role=message.role, blocks=message.blocks))


def rollout(
    task: Any,
    harness: str | Harness,
    *,
    model: Model | str | None = None,
    out: Path | str | None = None,
    sandbox: str | SandboxMaker = "bubblewrap",
    seed: int = 0,
    grade: Grader | None = None,
    web: WebAccess | None = None,
) -> Rollout:
    """Run ``harness`` on ``task`` (an id, a package or its folder, or an environment) and grade what it leaves.

    ``harness`` is a name on the shelf or any callable that takes an episode; ``model`` a Model or a name for
    ``workgym.models.create``; ``out`` the trajectory's folder; ``grade`` another grader than ``code/1`` without a judge
    (``workgym.verify.Grader``); ``web`` how well web tools work, in place of what the task says. An environment that is
    given keeps its own sandbox, grader and web, and its ``out`` where none is given here, and stays open. Raises
    UsageError and SandboxUnavailable, and what building the task raises.
    """
    loaded = harnesses.of(harness)
    if isinstance(model, str):
        from workgym import models

        model = models.create(model)
    if loaded.manifest.needs_model and model is None:
        raise UsageError(f"the harness {loaded.manifest.name} acts through a model", fix="give one (--model)")
    env, ours = _environment(task, sandbox, grade, web)
    try:
        return _run(env, loaded, model, None if out is None else Path(out), seed)
    finally:
        if ours:
            env.close()


def _environment(
    task: Any, sandbox: str | SandboxMaker, grade: Grader | None, web: WebAccess | None
) -> tuple[Any, bool]:
    from workgym.env import OfficeEnv, make

    if isinstance(task, str | Path):
        return make(task, sandbox=sandbox, grade=grade, web=web), True
    if isinstance(getattr(task, "unwrapped", None), OfficeEnv):
        if grade is not None:
            raise UsageError("an environment brings its own grader", fix="give it one when it is made")
        if web is not None:
            raise UsageError("an environment brings its own web access", fix="give it one when it is made")
        return task, False
    if hasattr(task, "request") and hasattr(task, "files"):
        return OfficeEnv(package=task, sandbox=sandbox, grade=grade, web=web), True
    raise UsageError(
        f"{type(task).__name__} is no task", fix="give an id, a package or its folder, or an environment of ours"
    )


def _run(env: Any, loaded: harnesses.Loaded, model: Model | None, out: Path | None, seed: int) -> Rollout:
    from workgym.env import Recording

    office: OfficeEnv = env.unwrapped
    name = loaded.manifest.name
    secrets = tuple(model.secrets) if model is not None else ()
    office.recording = Recording(name, model.name if model is not None else None, secrets)
    if out is not None:
        office.out = out
    kind = ControlEpisode if loaded.manifest.oracle else LoopEpisode
    try:
        episode = kind(env, model, seed)
    except SandboxUnavailable:
        raise
    except SandboxError as failed:
        return _not_begun(office, seed, str(failed))
    ended = _act(loaded.run, episode)
    error = None if ended.error is None else Redactor(secrets).text(ended.error)
    if not episode.done:
        office.finish(ended.end, f"{error}\n{ended.trace}" if ended.trace else error)
    verdict = office.verdict
    assert verdict is not None  # the episode is over
    return Rollout(
        task_id=office.package.id,
        harness=name,
        model=office.recording.model,
        seed=seed,
        turns=office.turns_taken,
        end=office.end or "closed",
        verdict=verdict.state,
        reward=verdict.reward,
        evidence=verdict.record,
        blocked=office.end_detail if office.end == "blocked" else None,
        error=None if ended.fault is None else error,
        fault=ended.fault,
        usage=episode.usage,
        trajectory=None if office.trajectory is None else str(office.trajectory),
    )


def _not_begun(office: OfficeEnv, seed: int, error: str) -> Rollout:
    """The record where no sandbox could be had this time, though the backend works here."""
    return Rollout(
        task_id=office.package.id,
        harness=office.recording.harness,
        model=office.recording.model,
        seed=seed,
        turns=0,
        end="sandbox failed",
        verdict="unscored",
        reward=0.0,
        error=error,
        fault="sandbox",
    )


class _Ended(NamedTuple):
    """Why an episode ends where it has not, and what went wrong."""

    end: str
    error: str | None = None
    fault: Fault | None = None
    """The boundary that the error crossed."""
    trace: str = ""
    """Where in the harness's own code it came from, in lines."""


def _act(run: Harness, episode: LoopEpisode) -> _Ended:
    """Let the harness act. The one place that decides which boundary an error crossed."""
    try:
        run(episode)
    except BudgetSpent as error:
        return _Ended("budget", str(error))  # an end like that of the turns, which nobody is to blame for
    except ModelError as error:
        return _Ended("model failed", str(error), "model")
    except (SandboxError, HarnessError) as error:
        if episode.done:  # a program in the guest is cut off when one of its calls ends the episode
            return _Ended("gave up")
        fault: Fault = "sandbox" if isinstance(error, SandboxError) else "harness"
        return _Ended(f"{fault} failed", str(error), fault)
    except Exception as error:  # noqa: BLE001 - the boundary: a harness is anybody's code
        called = error.__traceback__.tb_next if error.__traceback__ is not None else None
        home = "" if called is None else os.path.dirname(called.tb_frame.f_code.co_filename)
        told, trace = of_plugin(error, home)
        return _Ended("harness failed", told, "harness", trace)
    return _Ended("gave up")
