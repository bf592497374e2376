"""Recoverability: whether the solver came back from what failed, and did not end in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from workgym.select.config import Recoverability
from workgym.select.score import Evidence, Score, scored
from workgym.select.story import Story
from workgym.trajectory import Call

NAME = "recoverability"
_LONGEST = 100


def recoverability(story: Story, config: Recoverability) -> Score:
    """The share of failed calls that were recovered from; 0 where the last act failed, or too many did.

    A failed call is recovered from by a later success of its tool, or of any tool on a path that it named; one that was
    no call of a tool on offer, by any later success.
    """
    work = story.work
    failed = [at for at, one in enumerate(work) if one.observation is not None and one.observation.is_error]
    beyond = [one for one in work if one.observation is not None and one.observation.violation is not None]
    if len(beyond) > config.violations:
        calls = tuple(one.call.index for one in beyond)
        evidence = [
            Evidence(what=f"not permitted: {', '.join(sorted({one.call.tool for one in beyond}))}", calls=calls)
        ]
        return scored(NAME, 0.0, config.least, f"{len(beyond)} calls go beyond the task's permissions", evidence)
    if not failed:
        return scored(NAME, 1.0, config.least, "")
    lost = [at for at in failed if not _recovered(work, at)]
    evidence = [Evidence(what=f"{_told(work[at])}", calls=(work[at].call.index,)) for at in lost or failed]
    if failed[-1] == len(work) - 1:
        return scored(NAME, 0.0, config.least, f"the last act, call {work[-1].call.index}, failed", evidence[::-1])
    if len(failed) > config.errors * len(work):
        return scored(NAME, 0.0, config.least, f"{len(failed)} of {len(work)} calls failed", evidence)
    reason = f"{len(lost)} of {len(failed)} failed calls were never put right"
    return scored(NAME, 1 - len(lost) / len(failed), config.least, reason, evidence)


def _recovered(work: Sequence[Call], at: int) -> bool:
    one = work[at]
    later = [other for other in work[at + 1 :] if other.observation is not None and not other.observation.is_error]
    if one.call.refused:
        return bool(later)
    paths = set(_paths(one.call.arguments))
    return any(other.call.tool == one.call.tool or paths & set(_paths(other.call.arguments)) for other in later)


def _paths(arguments: Any) -> Iterator[str]:
    """Texts among the arguments that look like a path of a file."""
    if isinstance(arguments, str):
        name = arguments.rpartition("/")[2]
        if "." in name.strip(".") and len(arguments) <= _LONGEST and "\n" not in arguments:
            yield arguments.removeprefix("./").removeprefix("/")
    elif isinstance(arguments, dict):
        for value in arguments.values():
            yield from _paths(value)
    elif isinstance(arguments, list):
        for value in arguments:
            yield from _paths(value)


def _told(one: Call) -> str:
    text = " ".join(one.observation.text.split()) if one.observation is not None else ""
    return f"{one.call.tool} failed: {text if len(text) <= _LONGEST else text[:_LONGEST] + ' [...]'}"
