"""What a judge sees of how the work was done: the recorded trajectory's words, calls and answers, in their order.

Each piece is cut where it is long, and the whole is bounded as a deliverable is. Of messages only what the solver said
is shown: what it read stands in the calls' answers and in what the user said.
"""

from __future__ import annotations

from collections.abc import Iterator

from workgym.model import ReasoningBlock, TextBlock
from workgym.records import canonical
from workgym.trajectory import (
    CallEvent,
    Event,
    MessageEvent,
    MutationEvent,
    ObservationEvent,
    Trajectory,
    UserEvent,
    WorkspaceEvent,
)
from workgym.verify.judging.rendering import LONGEST, View, bounded

PIECE = 1500
"""Characters of one message, of a call's arguments or of an answer."""


def process_view(trajectory: Trajectory, *, withhold: bool = True, longest: int = LONGEST) -> View:
    """The process up to what was handed in. Raises ReplayError for a damaged log."""
    lines = [line for event in trajectory.events() for line in _told(event)]
    return bounded("\n".join(lines), withhold=withhold, longest=longest)


def _told(event: Event) -> Iterator[str]:
    if isinstance(event, MessageEvent) and event.role == "assistant":
        for block in event.blocks:
            if isinstance(block, TextBlock) and block.text.strip():
                yield f"SOLVER SAYS: {_cut(block.text)}"
            elif isinstance(block, ReasoningBlock) and block.text.strip():
                yield f"SOLVER THINKS: {_cut(block.text)}"
    elif isinstance(event, CallEvent):
        yield f"CALL {event.index}: {event.tool or 'reply'} {_cut(canonical(event.arguments))}"
    elif isinstance(event, ObservationEvent):
        changed = f" (changed {', '.join(change.path for change in event.changes[:20])})" if event.changes else ""
        yield f"ANSWER {event.index}{' (failed)' if event.is_error else ''}{changed}: {_cut(event.text)}"
    elif isinstance(event, UserEvent) and event.say:
        yield f"USER SAYS: {_cut(event.say)}"
    elif isinstance(event, MutationEvent):
        yield "THE TASK WAS REVISED"
    elif isinstance(event, WorkspaceEvent):
        yield f"HANDED IN: {_cut(', '.join(sorted(event.digests)))}"


def _cut(text: str) -> str:
    if len(text) <= PIECE:
        return text
    half = PIECE // 2
    return f"{text[:half]} [... {len(text) - 2 * half:,} characters are left out here ...] {text[-half:]}"
