"""The user: who speaks, edits files or closes the episode when the solver has ended a segment.

A segment ends with ``submit`` or with a reply without a tool call. The user policy then takes its turn, on the host and
with hidden knowledge; the solver sees what the policy says and the files that it writes, nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from pydantic import Field

from workgym.records import Record


class SegmentEnd(NamedTuple):
    """What a policy may look at."""

    segment: int
    """Number of the segment that has ended, from 0."""
    message: str
    """The solver's last words; empty where it said none."""
    files: Callable[[], Mapping[str, bytes]]
    """Gives a copy of the workspace as it stands, by path."""


class UserTurn(Record):
    """What the user does."""

    closes: bool = False
    """Whether the work is taken as it stands: the episode ends and is graded."""
    say: str = ""
    """What the user says; the next observation."""
    files: Mapping[str, bytes | None] = Field(default_factory=dict)
    """Files that the user writes, or removes where None, by path."""
    revision: Any = None
    """A revision of the task that comes with it, which changes what is graded; None for none."""


class UserPolicy(Protocol):
    """A user. ``respond`` is called once for each segment, in order."""

    def respond(self, end: SegmentEnd) -> UserTurn:
        """The user's turn. An error ends the episode on our side: it is unscored."""


class AlwaysCloses:
    """The user of a single-turn task."""

    def respond(self, end: SegmentEnd) -> UserTurn:
        """Takes the work as it stands."""
        return UserTurn(closes=True)


class ScriptedUser:
    """Turns from a list, in order, and then ``after``, which closes the episode unless it is said otherwise."""

    def __init__(self, turns: Sequence[UserTurn], after: UserPolicy | None = None) -> None:
        self._turns = tuple(turns)
        self._after = AlwaysCloses() if after is None else after

    def respond(self, end: SegmentEnd) -> UserTurn:
        """The turn for this segment."""
        return self._turns[end.segment] if end.segment < len(self._turns) else self._after.respond(end)
