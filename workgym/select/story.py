"""A trajectory in one pass: what was said, what was called and answered, what was handed in, how it ended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from workgym.errors import ReplayError, UsageError
from workgym.model import ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock
from workgym.trajectory import (
    Call,
    CallEvent,
    EndEvent,
    EpisodeEvent,
    Event,
    MessageEvent,
    MutationEvent,
    ObservationEvent,
    Trajectory,
    UserEvent,
    VerdictEvent,
    WorkspaceEvent,
)

SUBMIT = "submit"
"""The tool by which work is handed over."""
_E = TypeVar("_E")


@dataclass(frozen=True)
class Said:
    """Words of the solver: one message, thoughts and text."""

    text: str
    """The words."""
    spoken: str
    """Those of them that are no thoughts."""
    after: int
    """Number of the last call before it; 0 before the first."""


@dataclass(frozen=True)
class Story:
    """What a trajectory says."""

    folder: Path
    """Its folder."""
    episode: EpisodeEvent
    """What was run on what."""
    events: tuple[str, ...]
    """Kinds of its events, in order."""
    said: tuple[Said, ...]
    """What the solver said, in order; empty where no model spoke."""
    calls: tuple[Call, ...]
    """Calls with their answers; the answer is None where the log was cut off between them."""
    made: frozenset[str]
    """Ids of the calls that a model made."""
    read: tuple[str, ...]
    """What the solver read beside answers: request, users' words, a harness's remarks."""
    request: str
    """The first words of the user that a model read; empty where none did."""
    breaks: tuple[int, ...]
    """Numbers of the calls after which somebody else changed the workspace or asked for something."""
    revised: bool
    """Whether somebody else changed files or the task."""
    message: str | None
    """The last words with which the work was handed over, as the user was told them; None where nobody was."""
    handed: WorkspaceEvent | None
    """What was handed in."""
    verdict: VerdictEvent | None
    """How it was graded; None where it was not."""
    end: EndEvent | None
    """Why it ended; None where the log was cut off."""

    @property
    def turns(self) -> int:
        """Actions that were taken."""
        return len(self.calls)

    @property
    def work(self) -> tuple[Call, ...]:
        """Calls of tools that were answered, handing over aside."""
        return tuple(one for one in self.calls if one.observation is not None and one.call.tool not in ("", SUBMIT))

    @property
    def last_words(self) -> str:
        """The final message: what the user was told, or else what the solver said last."""
        if self.message:
            return self.message
        return next((one.spoken for one in reversed(self.said) if one.spoken.strip()), "")


def read_story(folder: Path | str) -> Story:
    """The story of a trajectory. Raises UsageError where there is none, and ReplayError for a damaged log."""
    trajectory = Trajectory.open(folder)
    try:
        return _story(trajectory, tuple(trajectory.events()))
    except (ReplayError, UsageError):
        raise
    except (ValueError, KeyError, TypeError, OSError) as error:  # the boundary: a log on disk may hold anything
        raise ReplayError(f"{folder}: the log cannot be read ({type(error).__name__}: {error})") from error


def _story(trajectory: Trajectory, events: tuple[Event, ...]) -> Story:
    said: list[Said] = []
    calls: list[Call] = []
    made: set[str] = set()
    read: list[str] = []
    breaks: list[int] = []
    message = None
    for event in events:
        if isinstance(event, CallEvent):
            calls.append(Call(event, None))
        elif isinstance(event, ObservationEvent):
            if calls and calls[-1].observation is None:
                calls[-1] = Call(calls[-1].call, event)
        elif isinstance(event, MessageEvent):
            if event.role == "assistant":
                said.append(_said(event, len(calls)))
                made |= {block.id for block in event.blocks if isinstance(block, ToolCallBlock)}
            else:
                read += [block.text for block in event.blocks if isinstance(block, TextBlock | ToolResultBlock)]
        elif isinstance(event, UserEvent):
            message = event.message
            read.append(event.say)
            breaks.append(len(calls))
        elif isinstance(event, MutationEvent):
            breaks.append(len(calls))
    return Story(
        folder=trajectory.folder,
        episode=next(event for event in events if isinstance(event, EpisodeEvent)),
        events=tuple(event.event for event in events),
        said=tuple(one for one in said if one.text.strip()),
        calls=tuple(calls),
        made=frozenset(made),
        read=tuple(read),
        request=next((text for event in events for text in _asked(event)), ""),
        breaks=tuple(breaks),
        revised=any(isinstance(one, MutationEvent) or (isinstance(one, UserEvent) and one.files) for one in events),
        message=message,
        handed=_last(events, WorkspaceEvent),
        verdict=_last(events, VerdictEvent),
        end=_last(events, EndEvent),
    )


def _asked(event: Event) -> Iterator[str]:
    if isinstance(event, MessageEvent) and event.role == "user":
        yield from (block.text for block in event.blocks if isinstance(block, TextBlock))


def _last(events: Iterable[Event], kind: type[_E]) -> _E | None:
    found = None
    for event in events:
        if isinstance(event, kind):
            found = event
    return found


def _said(event: MessageEvent, after: int) -> Said:
    spoken = "\n".join(block.text for block in event.blocks if isinstance(block, TextBlock))
    thought = "\n".join(block.text for block in event.blocks if isinstance(block, ReasoningBlock))
    return Said("\n".join(filter(None, (thought, spoken))), spoken, after)
