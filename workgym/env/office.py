"""``OfficeEnv``: one task of office work as a Gymnasium environment.

``step`` is a ``tools/call`` of MCP: guest tools run in the sandbox, ``submit`` is the environment's own. ``submit``,
or a reply without a call, ends a segment; the user policy then goes on (``terminated=False``) or closes the episode
(``terminated=True``). When the actions are used up the episode is truncated, and graded too. The reward comes once, at
the end, from a copy of the workspace, when the guest's processes are dead. An agent's action never raises.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self, SupportsFloat

import gymnasium
from gymnasium import spaces

from workgym import corpus
from workgym import sandbox as sandboxes
from workgym import tool as tools
from workgym.env.acting import carry_out
from workgym.env.action import parse
from workgym.env.contract import Grader, SandboxMaker, graded, unscored
from workgym.env.live import Live
from workgym.env.opening import SUBMIT, opening
from workgym.env.recording import Recording, begin, new_writer
from workgym.env.spaces import AnyText
from workgym.env.web import Web
from workgym.errors import SandboxError, UsageError, WorkspaceOverLimit
from workgym.package import TaskPackage
from workgym.records import FileChange, ToolCall, ToolResult, ToolSpec, WebAccess
from workgym.sandbox.contract import Limits, Sandbox
from workgym.trajectory import VerdictEvent
from workgym.user import AlwaysCloses, UserPolicy

Observation = dict[str, Any]
"""``text``: what the solver reads; ``error``: 1 where its action failed."""

LOW = 20
"""From how many actions left on an observation says so."""


class OfficeEnv(gymnasium.Env[Observation, Any]):
    """One task. Thread-safe; every ``reset`` starts a fresh sandbox."""

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012 - Gymnasium's own form

    def __init__(
        self,
        task: str | None = None,
        *,
        package: TaskPackage | Path | str | None = None,
        sandbox: str | SandboxMaker = "bubblewrap",
        limits: Limits | None = None,
        out: Path | str | None = None,
        user: UserPolicy | None = None,
        grade: Grader | None = None,
        turns: int | None = None,
        web: WebAccess | None = None,
        render_mode: str | None = None,
    ) -> None:
        """An environment for the task of an id, or for a package or its folder.

        ``sandbox`` names a backend or makes one; ``out`` is the folder of the trajectory (none is written where it is
        None; later episodes get ``-2``, ``-3``, ...); ``turns`` replaces the task's own limit, ``web`` what it says of
        how well web tools work. Nothing is built or started before ``reset``. A package that is handed over as a record
        is copied into the trajectory. Raises UsageError for an unknown id and for wrong arguments.
        """
        if (task is None) == (package is None):
            raise UsageError("an environment needs a task id or a package, and not both")
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise UsageError(f"unknown render mode {render_mode!r}", fix="use 'ansi' or None")
        self._found = corpus.find(task) if task is not None else None
        if isinstance(package, str | Path):
            self._found, package = corpus.at(package), None
        self._package = package
        self._make_sandbox = sandbox
        self._limits = limits
        self._user_given = user
        self._grade = grade
        self._turns = turns
        self._web = web
        self.out = None if out is None else Path(out)
        """Folder of the next episode's trajectory."""
        self.recording = Recording()
        """What the next episode's log says about who acts."""
        self.render_mode = render_mode
        self.action_space = AnyText()
        self.observation_space = spaces.Dict({"text": AnyText(), "error": spaces.Discrete(2)})
        self.verdict: VerdictEvent | None = None
        """How the episode was graded, with the evidence; None before its end."""
        self.end: str | None = None
        """Why the episode ended, as the trajectory says it; None before its end."""
        self.end_detail: Any = None
        """More about it, or None."""
        self._lock = threading.RLock()
        self._live: Live | None = None
        self._specs: tuple[ToolSpec, ...] = ()
        self._user: UserPolicy = AlwaysCloses()
        self._screen = ""
        self._folder: Path | None = None
        self._finalizer: weakref.finalize[[], OfficeEnv] | None = None

    # -- what the solver may know --------------------------------------------------------------------------------

    @property
    def package(self) -> TaskPackage:
        """The task: as it was last revised in this episode, or as it is built. Raises what building it raises."""
        if self._live is not None:
            return self._live.task
        if self._package is None:
            assert self._found is not None  # __init__ saw to it
            self._package = self._found.load()
        return self._package

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        """The tools on offer, ``submit`` last; empty before ``reset``."""
        return self._specs

    @property
    def turns_left(self) -> int:
        """Actions that are left."""
        return max(0, self._limit - (self._live.turn if self._live else 0))

    @property
    def trajectory(self) -> Path | None:
        """Folder of this episode's trajectory, or None where none is written."""
        return self._folder

    @property
    def turns_taken(self) -> int:
        """Actions of this episode so far."""
        return self._live.turn if self._live is not None else 0

    @property
    def workspace(self) -> str:
        """Digest of the workspace over normalised content, as it was after the last action."""
        return self._require_live().workspace

    @property
    def handed_in(self) -> Mapping[str, str]:
        """Digests over normalised content of what was handed in, by path; empty before, and where nothing could be."""
        return self._require_live().handed_in

    @property
    def changes(self) -> tuple[FileChange, ...]:
        """Files that the last action changed."""
        return self._require_live().changes

    @property
    def over(self) -> bool:
        """Whether there is no episode to act in."""
        return self._live is None or self._live.over

    @property
    def _limit(self) -> int:
        return self._turns or self.package.card.limits.turns

    # -- Gymnasium ------------------------------------------------------------------------------------------------

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start the task anew. The seed seeds ``np_random`` and never changes the task; ``options`` are not used.

        Raises SandboxError where no sandbox can be had, and what building the task raises.
        """
        super().reset(seed=seed)
        with self._lock:
            self.close()
            task = self.package
            box = self._new_sandbox()
            try:
                box.open(task.files, task.card.interfaces.tools)
                web = Web(seed, self._web)
                self._specs = (*box.tools(), *web.tools(task), SUBMIT)
                writer = new_writer(self.out, self.recording)
            except BaseException:
                box.close()
                raise
            self._folder = None if writer is None else writer.folder
            live = self._live = Live(task, box, web, writer)
            self._finalizer = weakref.finalize(self, live.close)
            self._user = self._user_given or AlwaysCloses()
            self.verdict = self.end = self.end_detail = None
            limits = self._limits_of(task)
            begin(live, self.recording, self._found, seed=seed, turns=self._limit, limits=limits)
            text = self._screen = opening(task.request, self._specs, self._limit)
            info = self._info() | {
                "request": task.request,
                "tools": [spec.model_dump(mode="json") for spec in self._specs],
            }
            return _observation(text), info

    def step(self, action: Any) -> tuple[Observation, SupportsFloat, bool, bool, dict[str, Any]]:
        """Carry out one action; see ``workgym.env.action`` for its forms.

        Raises ``gymnasium.error.ResetNeeded`` before the first ``reset``, and nothing for any action.
        """
        with self._lock:
            live = self._live
            if live is None:
                raise gymnasium.error.ResetNeeded("call reset before step")
            if live.over:
                return _observation("The episode is over.", error=True), 0.0, True, False, self._info()
            live.turn += 1
            act = parse(action)
            call = ToolCall(tool=act.tool, arguments=act.arguments) if act.tool is not None else None
            wrong = act.wrong if call is None else tools.refusal(call, self._specs)
            live.asked(act.tool or "", act.arguments, act.id, refused=wrong is not None)
            text, error, ended, violation, fault = carry_out(live, self._user, act, call, wrong)
            truncated = ended is None and live.turn >= self._limit
            if truncated:
                text = f"{text}\n\nThe limit of {self._limit} actions is reached; the work is taken as it stands."
            elif ended is None and self.turns_left <= LOW:
                text = f"{text}\n\n({self.turns_left} actions left)"
            live.answered(text, error, violation)
            if ended is not None or truncated:
                self._finish(live, ended or "turns", fault=fault)
            self._screen = f"> {act.tool or act.reply or 'no action'}\n{text}"
            reward = self.verdict.reward if self.verdict is not None else 0.0
            return _observation(text, error=error), reward, ended is not None, truncated, self._info()

    def render(self) -> str | None:
        """The last action and its observation, for a terminal; None without ``render_mode="ansi"``."""
        return self._screen if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Drop the episode and its sandbox. Calling it again does nothing."""
        with self._lock:
            if self._finalizer is not None:
                self._finalizer()
            self._finalizer = self._live = None

    # -- beyond Gymnasium -----------------------------------------------------------------------------------------

    def mutate(self, revision: Any) -> Self:
        """Apply a revision to the live episode: files, graph and grading change together.

        Raises MutationError where the contract refuses it; nothing has changed then.
        """
        with self._lock:
            self._require_live().mutate(revision)
            return self

    def script(self, source: str) -> str:
        """Run a trusted program in the guest whose tool calls are steps of this episode; see ``Sandbox.script``."""
        live = self._require_live()

        def act(call: ToolCall) -> ToolResult:
            observation, *_ = self.step({"tool": call.tool, "arguments": call.arguments})
            return ToolResult(text=observation["text"], is_error=bool(observation["error"]))

        return live.sandbox.script(source, act)

    def finish(self, reason: str, detail: Any = None) -> float:
        """End the episode from outside and grade it as it stands; the reward. Does nothing to one that is over."""
        with self._lock:
            live = self._require_live()
            if not live.over:
                self._finish(live, reason, detail)
            return self.verdict.reward if self.verdict is not None else 0.0

    def note(self, event: Any) -> None:
        """Append an event to the trajectory: a harness logs what its model read and wrote."""
        with self._lock:
            if self._live is not None:
                self._live.log(event)

    def new_segment(self, reason: str) -> int:
        """Go on in a new segment (``compaction``, ``sub-agent``); its number."""
        with self._lock:
            live = self._require_live()
            live.next_segment(reason)
            return live.segment

    @property
    def segment(self) -> int:
        """Number of the segment."""
        return self._live.segment if self._live is not None else 0

    # -- within ---------------------------------------------------------------------------------------------------

    def _require_live(self) -> Live:
        if self._live is None:
            raise gymnasium.error.ResetNeeded("there is no episode; call reset")
        return self._live

    def _finish(self, live: Live, reason: str, detail: Any = None, fault: str | None = None) -> None:
        files: Mapping[str, bytes] = {}
        over = None
        try:
            files = live.hand_in()
        except WorkspaceOverLimit as error:
            over = VerdictEvent(state="failed", reward=0.0, record={"workspace": error.message})
        except SandboxError as error:
            fault = fault or f"{type(error).__name__}: {error}"
        self.verdict = unscored(fault) if fault else over or graded(self._grade, live.task, files, self._folder)
        self.end, self.end_detail = reason, detail
        live.end(reason, self.verdict, detail)

    def _new_sandbox(self) -> Sandbox:
        if callable(self._make_sandbox):
            return self._make_sandbox()
        return sandboxes.create(self._make_sandbox, self._limits_of(self.package))

    def _limits_of(self, task: TaskPackage) -> Limits:
        """Limits of the sandbox: as they were given, else as the task says."""
        asked = task.card.limits
        return self._limits or Limits(
            memory_mib=asked.memory_mib, workspace_mib=asked.workspace_mib, call_seconds=asked.call_seconds
        )

    def _info(self) -> dict[str, Any]:
        live = self._live
        info: dict[str, Any] = {
            "task_id": self.package.id,
            "turns_left": self.turns_left,
            "segment": live.segment if live is not None else 0,
        }
        if live is not None and live.web.tools(live.task):
            info["web"] = dict(live.web.counts)
        if self.verdict is not None:
            info |= {"verdict": self.verdict.state, "reward": self.verdict.reward, "end": self.end}
        return info


def _observation(text: str, *, error: bool = False) -> Observation:
    return {"text": text, "error": int(error)}


def make(task: str | Path, **kwargs: Any) -> OfficeEnv:
    """The environment of a task, by its id or the folder of its package, without Gymnasium's registry or wrappers.

    ``kwargs`` as for OfficeEnv. Raises UsageError for what is neither.
    """
    folder = corpus.folder(task)
    return OfficeEnv(package=folder, **kwargs) if folder else OfficeEnv(str(task).removeprefix("workgym:"), **kwargs)
