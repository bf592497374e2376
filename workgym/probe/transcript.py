"""A run as it is told to a model that diagnoses it: what the solver was given, did, read and said, within limits.

Every call keeps its number. A long answer is shown by numbered excerpts, and what is left out is said at its place;
what a harness told its model, the task's id, the grade and all that is hidden are no part of it. The text of files and
answers stands behind a fence whose mark is a digest of what it holds, so that no file can write its end.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import NamedTuple

from workgym.model import ReasoningBlock, TextBlock
from workgym.package import SolverView
from workgym.probe.evidence import Evidence
from workgym.records import canonical
from workgym.trajectory import (
    CallEvent,
    EndEvent,
    Event,
    MessageEvent,
    ObservationEvent,
    Trajectory,
    UserEvent,
    WorkspaceEvent,
)

LONGEST = 240_000
"""Characters of a transcript; some 60,000 tokens."""
EXCERPT = 3_000
"""Characters of one numbered excerpt."""
PIECE = 4_000
"""Characters of one message, thought or set of arguments."""
LEAST = 600
"""Characters that each answer keeps, however many there are."""
LISTED = 600
"""Files that are listed."""
UNOPENED = 40_000
"""Characters of the files that no call opened."""


class Told(NamedTuple):
    """A text for a model, and how much of the run it holds."""

    text: str
    """The text."""
    note: str
    """How much is shown, for the model and for the report."""


class _Part(NamedTuple):
    """A piece of the transcript: its first line, and a body that may be cut."""

    head: str
    body: str
    call: int | None = None
    """Number of the call whose answer it is; None for what is no answer."""


def task(view: SolverView) -> Told:
    """What the solver was given: the request, the list of files, what it may use."""
    listed = [f"- {path}" for path in sorted(view.files)]
    left = len(listed) - LISTED
    listed[LISTED:] = [f"- and {left} more"] if left > 0 else []
    may = [f"tools: {', '.join(view.interfaces.tools)}"]
    may += [f"skills: {', '.join(view.interfaces.skills)}"] if view.interfaces.skills else []
    may += [f"{name}: {'allowed' if told else 'not allowed'}" for name, told in view.interfaces.permissions.items()]
    body = "\n".join(("REQUEST (request.md, call 0)", view.request, "", "FILES", *listed, "", *may))
    return Told(fenced(body), "the request and the list of files")


def transcript(trajectory: Trajectory, *, longest: int = LONGEST) -> Told:
    """The run, from the first call to what was handed in. Raises ReplayError for a damaged log."""
    parts = [part for event in trajectory.events() for part in _parts(event)]
    whole = sum(len(part.head) + len(part.body) for part in parts)
    room = _room(parts, longest)
    seen: dict[str, int] = {}
    lines: list[str] = []
    cut = 0
    for part in parts:
        if part.call is None:
            lines.append(f"{part.head}{part.body}")
            continue
        before = seen.setdefault(part.body, part.call) if len(part.body) > LEAST else part.call
        if before != part.call:
            lines.append(f"{part.head}the same as the answer to call {before}")
            continue
        cut += len(part.body) > room
        lines.append(part.head + _excerpts(part, room))
    text = "\n".join(lines)
    note = f"all of {whole:,} characters are shown" if not cut else f"{cut} answers are shown in part"
    if len(text) > longest:  # more calls than the least of each has room for
        text, gone = _middle_out(lines, longest)
        note += f"; {gone} events in the middle are left out"
    return Told(fenced(text), note)


def unopened(evidence: Evidence, *, longest: int = UNOPENED) -> Told:
    """What the files say that no call opened."""
    pieces, room = [], longest
    for path in sorted(evidence.view.files.keys() - evidence.opened):
        found = evidence.texts.get(path)
        if found is None:
            pieces.append(f"--- {path}\nIt cannot be read as text.")
            continue
        shown = _cut(found.text, max(LEAST, min(EXCERPT * 2, room)))
        room -= len(shown)
        pieces.append(f"--- {path}\n{shown}")
        if room <= 0:
            pieces.append("[... the other files are left out here ...]")
            break
    return Told(fenced("\n".join(pieces)) if pieces else "There are none.", f"{len(pieces)} files that were not opened")


def fenced(text: str) -> str:
    """A text behind a mark that it cannot contain."""
    mark = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"<<<{mark}\n{text}\n{mark}>>>"


def _parts(event: Event) -> Iterator[_Part]:
    if isinstance(event, MessageEvent) and event.role == "assistant":
        for block in event.blocks:
            if isinstance(block, TextBlock) and block.text.strip():
                yield _Part("SOLVER SAYS: ", _cut(block.text, PIECE))
            elif isinstance(block, ReasoningBlock) and block.text.strip():
                yield _Part("SOLVER THINKS: ", _cut(block.text, PIECE))
    elif isinstance(event, CallEvent):
        yield _Part(f"CALL {event.index}: {event.tool or 'reply'} ", _cut(canonical(event.arguments), PIECE))
    elif isinstance(event, ObservationEvent):
        changed = f" (changed {', '.join(change.path for change in event.changes[:20])})" if event.changes else ""
        failed = " (failed)" if event.is_error else ""
        yield _Part(f"ANSWER {event.index}{failed}{changed}: ", event.text, event.index)
    elif isinstance(event, UserEvent) and event.say:
        yield _Part("USER SAYS: ", _cut(event.say, PIECE))
    elif isinstance(event, WorkspaceEvent):
        made = sorted(event.kept)
        yield _Part("HANDED IN: ", _cut(", ".join(made) or "nothing new", PIECE))
    elif isinstance(event, EndEvent):
        yield _Part("THE RUN ENDED: ", event.reason)


def _room(parts: list[_Part], longest: int) -> int:
    """Characters that each answer may have, so that all together keep within the limit: the longest give first."""
    fixed = sum(len(part.head) + (len(part.body) if part.call is None else 0) + 1 for part in parts)
    left = longest - fixed
    lengths = sorted(len(part.body) for part in parts if part.call is not None)
    for position, length in enumerate(lengths):
        share = left // (len(lengths) - position)
        if length > share:
            return max(LEAST, share - 80 * (share // EXCERPT + 2))  # what says where it is cut takes room, too
        left -= length
    return max(LEAST, lengths[-1] if lengths else LEAST)


def _excerpts(part: _Part, room: int) -> str:
    """An answer in numbered excerpts: whole where there is room, else from its beginning and its end."""
    body = part.body
    if len(body) <= min(room, EXCERPT):
        return body
    first, last = (len(body), len(body)) if len(body) <= room else (room * 3 // 4, len(body) - room // 4)
    spans = [*_spans(0, first), *_spans(last, len(body))]
    pieces = []
    for number, (start, end) in enumerate(spans, 1):
        if start and start == last:
            pieces.append(f"[... {last - first:,} characters are left out here ...]")
        told = f"[excerpt {part.call}.{number}: characters {start + 1:,} to {end:,} of {len(body):,}]"
        pieces.append(f"{told}\n{body[start:end]}")
    return "\n" + "\n".join(pieces)


def _spans(start: int, end: int) -> list[tuple[int, int]]:
    return [(at, min(end, at + EXCERPT)) for at in range(start, end, EXCERPT)]


def _middle_out(lines: list[str], longest: int) -> tuple[str, int]:
    """The first three quarters and the last quarter of what may be shown, in whole events."""
    head: list[str] = []
    tail: list[str] = []
    used = 0
    for line in lines:
        if used + len(line) > longest * 3 // 4:
            break
        head.append(line)
        used += len(line) + 1
    for line in reversed(lines[len(head) :]):
        if used + len(line) > longest - 100:
            break
        tail.insert(0, line)
        used += len(line) + 1
    gone = len(lines) - len(head) - len(tail)
    return "\n".join((*head, f"[... {gone} events are left out here ...]", *tail)), gone


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]} [... {len(text) - 2 * half:,} characters are left out here ...] {text[-half:]}"
