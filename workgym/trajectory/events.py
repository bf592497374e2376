"""The events of an episode, in the order in which they may stand.

::

    episode                                  once, first
    segment 0                                the request; later ones: a user's turn, a compaction, a sub-agent
      message*                               what a model was told and what it said
      call, observation                      one tool call and its answer, with the files that it changed
      user, mutation                         what the user said and did between segments; a change from outside
    workspace, verdict                       what was handed in, and how it was graded
    end                                      once, last; a log without it was cut off

Segments form a tree by ``parent``. Calls count from 1 through the whole episode.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import Field

from workgym.model import Block, Usage
from workgym.records import FileChange, Record, Sparse, WebAccess

FORMAT = 1
"""Version of the event log; a newer one is refused."""


class EpisodeEvent(Sparse):
    """What is run, on what, with what."""

    left_out: ClassVar[tuple[str, ...]] = ("web",)

    event: Literal["episode"] = "episode"
    """Tells events apart."""
    format: int = FORMAT
    """Version of the event log."""
    task_id: str
    """Id of the task."""
    task_digest: str
    """Digest of the task package that the episode started with."""
    package_path: str | None = None
    """Folder of that package, from the trajectory's where it is relative; None where its id alone builds it."""
    harness: str
    """Name of the harness, or of the callable."""
    model: str | None = None
    """Name of the model, or None where the harness has none."""
    seed: int | None = None
    """Seed given to ``reset``; it never changes the task."""
    sandbox: str
    """Name of the sandbox's backend."""
    turns: int
    """Most calls that the episode may make."""
    limits: Mapping[str, Any] = Field(default_factory=dict)
    """Limits of the sandbox."""
    versions: Mapping[str, str] = Field(default_factory=dict)
    """Versions of workgym and of what else decides what a call answers."""
    workspace: str
    """Digest of the workspace at the start."""
    web: WebAccess | None = None
    """How well the web tools worked; None where the task has no site."""


class SegmentEvent(Record):
    """A new stretch of conversation."""

    event: Literal["segment"] = "segment"
    """Tells events apart."""
    segment: int
    """Number of the segment, from 0."""
    parent: int | None
    """The segment that it goes on from; None for the first."""
    reason: Literal["request", "user", "compaction", "sub-agent"]
    """Why it begins."""


class MessageEvent(Record):
    """One message that a model read or wrote."""

    event: Literal["message"] = "message"
    """Tells events apart."""
    segment: int
    """Segment that it belongs to."""
    role: Literal["system", "user", "assistant", "tool"]
    """Who speaks."""
    blocks: tuple[Block, ...]
    """Its blocks, in order."""
    model: str | None = None
    """The model that wrote it, as the provider names it; None for messages that were read."""
    stop: str | None = None
    """Why the model stopped; None for messages that were read."""
    usage: Usage | None = None
    """What it took; None for messages that were read."""


class CallEvent(Record):
    """A tool call, written before it is run."""

    event: Literal["call"] = "call"
    """Tells events apart."""
    index: int
    """Number of the call in the episode, from 1."""
    segment: int
    """Segment that it belongs to."""
    id: str | None = None
    """The model's id of the call, or None where no model made it."""
    tool: str
    """Name of the tool, as it was given; empty where the action named none."""
    arguments: Any
    """Its arguments; the action as it was given where it could not be understood."""
    refused: bool = False
    """Whether the action was no call at all, so that nothing ran."""


class ObservationEvent(Record):
    """The answer to a call, and what it did to the workspace."""

    event: Literal["observation"] = "observation"
    """Tells events apart."""
    index: int
    """Number of the call."""
    text: str
    """What the solver read."""
    is_error: bool
    """Whether the call failed."""
    violation: str | None = None
    """The permission that the call went beyond, or None."""
    changes: tuple[FileChange, ...] = ()
    """Files that the call changed; their digests are over the bytes."""
    workspace: str
    """Digest of the whole workspace after the call, over normalised content."""


class UserEvent(Record):
    """What the user did after a segment."""

    event: Literal["user"] = "user"
    """Tells events apart."""
    segment: int
    """The segment that had ended."""
    message: str
    """The solver's last words in that segment."""
    say: str = ""
    """What the user said."""
    files: Mapping[str, str | None] = Field(default_factory=dict)
    """Files that the user wrote, in base64, or removed, by path."""
    revision: Any = None
    """The revision of the task that came with it (JSON), or None."""
    closes: bool
    """Whether the user closed the episode."""


class MutationEvent(Record):
    """A revision applied to the live episode from outside."""

    event: Literal["mutation"] = "mutation"
    """Tells events apart."""
    revision: Any
    """The revision, as JSON."""
    task_digest: str
    """Digest of the task package after it."""
    changes: tuple[FileChange, ...] = ()
    """Files of the workspace that were replaced."""
    workspace: str
    """Digest of the workspace after it."""


class WorkspaceEvent(Record):
    """What was handed in: the copy that is graded."""

    event: Literal["workspace"] = "workspace"
    """Tells events apart."""
    digests: Mapping[str, str]
    """sha256 of every file, by path."""
    kept: Mapping[str, str]
    """Blob of every file that is not as the task gave it, by path."""


class VerdictEvent(Record):
    """How it was graded."""

    event: Literal["verdict"] = "verdict"
    """Tells events apart."""
    state: str
    """``passed``, ``failed``, ``not requested`` or ``unscored``."""
    reward: float
    """The reward; 0.0 where it is unscored."""
    record: Any = None
    """The whole verdict with its evidence, as JSON."""


class EndEvent(Record):
    """Why it ended."""

    event: Literal["end"] = "end"
    """Tells events apart."""
    reason: str
    """``closed``, ``turns``, ``blocked``, ``sandbox died``, ``abandoned``, or what the harness's end was."""
    detail: Any = None
    """More about it, as JSON, or None."""


Event = Annotated[
    EpisodeEvent
    | SegmentEvent
    | MessageEvent
    | CallEvent
    | ObservationEvent
    | UserEvent
    | MutationEvent
    | WorkspaceEvent
    | VerdictEvent
    | EndEvent,
    Field(discriminator="event"),
]


class Call(NamedTuple):
    """A call with its answer; the answer is None where the log was cut off between them."""

    call: CallEvent
    """The call."""
    observation: ObservationEvent | None
    """Its answer."""
