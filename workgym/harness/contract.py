"""The harness contract: a program that is given an episode and acts until it is done.

::

    def run(episode: Episode) -> None:
        answer = episode.act({"tool": "list_files", "arguments": {}})
        ...
        episode.act({"tool": "submit", "arguments": {}})

Any callable of this form is a harness (``workgym.rollout(env, fn)``). One with a name is a folder on the ``harnesses``
shelf: ``harness.yaml`` (see ``Manifest``) and its code. A harness sees what a solver sees; the control that runs the
expert script says ``oracle: true`` in its manifest and is given an ``OracleEpisode``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, Protocol

from pydantic import ValidationError

from workgym import shelves
from workgym.errors import UsageError
from workgym.model import Model
from workgym.records import Record, ToolSpec


class Answer(NamedTuple):
    """What an action brought."""

    text: str
    """The observation."""
    is_error: bool
    """Whether the action failed."""
    done: bool
    """Whether the episode is over."""


class Episode(Protocol):
    """An episode, from a harness's side."""

    @property
    def request(self) -> str:
        """What the user asks, alone."""

    @property
    def observation(self) -> str:
        """The last observation; at first the request with the form of an action and the list of tools."""

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        """The tools on offer, ``submit`` among them."""

    @property
    def turns_left(self) -> int:
        """Actions that are left."""

    @property
    def done(self) -> bool:
        """Whether the episode is over."""

    @property
    def model(self) -> Model:
        """The model; what passes is recorded. Raises HarnessError where the rollout was given none."""

    def act(self, action: Any) -> Answer:
        """Do one action: ``{"tool", "arguments"}`` or ``{"reply"}``, as JSON text or dictionary. Never raises."""


class OracleEpisode(Episode, Protocol):
    """An episode for the expert control, which may see what a solver may not."""

    @property
    def expert(self) -> str:
        """Source of the task's expert script. Raises HarnessError where the task has none."""

    def script(self, source: str) -> Any:
        """Run a trusted program in the guest whose tool calls are actions of this episode; what its ``main`` returned.

        Raises HarnessError with the program's traceback where it failed.
        """

    def blocked(self, report: dict[str, Any]) -> None:
        """End the episode because a premise is missing: a structured end that never counts as a success."""


Harness = Callable[[Any], None]
"""A loop harness: it is given an Episode (or an OracleEpisode, where its manifest says so)."""


class Manifest(Record):
    """``harness.yaml``."""

    name: str
    """Name of the harness; its folder's name."""
    kind: Literal["loop"]
    """``loop``: a callable in this process."""
    entry: str
    """``module:callable`` in the harness's folder."""
    description: str
    """What it does, one sentence."""
    needs_model: bool = False
    """Whether it acts through a model, so that a rollout without one is refused."""
    oracle: bool = False
    """Whether it is a control that sees hidden content; its rollouts are never evidence about a model."""


class Loaded(NamedTuple):
    """A harness that can be run."""

    manifest: Manifest
    """What it declares."""
    run: Harness
    """The callable."""


def manifest(name: str) -> Manifest:
    """The manifest of a harness. Raises UsageError for an unknown name or a manifest that is wrong, with the key."""
    try:
        return Manifest.model_validate(shelves.manifest("harnesses", name))
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"harnesses/{name}/harness.yaml: {key}: {first['msg']}") from None


def load(name: str) -> Loaded:
    """A harness of the shelf, with its code. Raises UsageError where it is not there or its entry names nothing."""
    declared = manifest(name)
    return Loaded(declared, shelves.load("harnesses", name, declared.entry))


def of(harness: str | Harness) -> Loaded:
    """A harness by name, or any callable."""
    if isinstance(harness, str):
        return load(harness)
    if not callable(harness):
        raise UsageError(f"{harness!r} is no harness", fix="give the name of one, or a callable that takes an episode")
    name = getattr(harness, "__name__", type(harness).__name__)
    described = Manifest(name=name, kind="loop", entry=f"callable:{name}", description="A callable of the caller's.")
    return Loaded(described, harness)
