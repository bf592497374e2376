"""Repeated tool calls: the same call with the same answer while nothing has changed, and rounds of calls in a loop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from workgym.records import canonical
from workgym.select.config import RepeatedCalls
from workgym.select.score import Evidence, Score, scored
from workgym.select.story import Story
from workgym.trajectory import Call

NAME = "repeated_calls"
_GRAM = 5
_NEAR = 12
"""Earlier calls of a tool that a call is compared with for near-identity, the last ones."""


def repeated_calls(story: Story, config: RepeatedCalls) -> Score:
    """The share of calls that teach something; 0 for a loop.

    A call is repeated where an earlier one of its tool, with the same or nearly the same arguments, had the same
    answer, and nobody changed the workspace or spoke between the two. What was written in between is a reason to look
    again. A loop is the same round of calls with the same answers, ``in_a_row`` times, whatever it changes.
    """
    work = story.work
    repeated = dict(_repeated(work, set(story.breaks), config.alike))
    evidence = [
        Evidence(
            what=f"{work[at].call.tool} asks {how} call {work[earlier].call.index}", calls=_numbers(work, earlier, at)
        )
        for at, (earlier, how) in repeated.items()
    ]
    loops = list(_loops([_key(one) for one in work], config))
    for start, period, rounds in loops:
        tools = ", ".join(one.call.tool for one in work[start : start + period])
        calls = _numbers(work, *range(start, start + period * rounds))
        evidence.insert(0, Evidence(what=f"a round of {period} ({tools}) is made {rounds} times in a row", calls=calls))
    if loops:
        longest = max(rounds for _, _, rounds in loops)
        return scored(NAME, 0.0, config.least, f"calls go in a loop, {longest} times in a row", evidence)
    score = 1 - len(repeated) / len(work) if work else 1.0
    reason = f"{len(repeated)} of {len(work)} calls ask what was answered already"
    return scored(NAME, score, config.least, reason, evidence)


def _repeated(work: Sequence[Call], breaks: set[int], alike: float) -> Iterator[tuple[int, tuple[int, str]]]:
    """(call, (the earlier one, how alike)) by places in ``work``."""
    since: dict[tuple[str, str], list[int]] = {}
    for at, one in enumerate(work):
        if at and breaks & set(range(work[at - 1].call.index, one.call.index)):
            since.clear()
        assert one.observation is not None  # ``work`` has answered calls only
        same = since.setdefault((one.call.tool, one.observation.text), [])
        key = canonical(one.call.arguments)
        exact = [earlier for earlier in same if canonical(work[earlier].call.arguments) == key]
        near = [] if exact else [earlier for earlier in same[-_NEAR:] if _near(work[earlier], one, alike)]
        if exact or near:
            yield at, ((exact or near)[-1], "the same as" if exact else "nearly the same as")
        same.append(at)
        if one.observation.changes:
            since.clear()


def _near(one: Call, other: Call, alike: float) -> bool:
    first, second = _grams(canonical(one.call.arguments)), _grams(canonical(other.call.arguments))
    small, large = sorted((len(first), len(second)))
    return small >= alike * large and len(first & second) >= alike * len(first | second)


def _grams(text: str) -> set[str]:
    return {text[at : at + _GRAM] for at in range(max(1, len(text) - _GRAM + 1))}


def _loops(keys: Sequence[str], config: RepeatedCalls) -> Iterator[tuple[int, int, int]]:
    """(first call, period, rounds) of what goes on for ``in_a_row`` rounds; a shorter period is preferred."""
    taken: set[int] = set()
    for period in range(1, config.period + 1):
        at = 0
        while at + period < len(keys):
            end = at
            while end + period < len(keys) and keys[end] == keys[end + period]:
                end += 1
            rounds = (end - at) // period + 1
            if rounds >= config.in_a_row and at not in taken:
                yield at, period, rounds
                taken.update(range(at, end + period))
            at = max(at + 1, end)


def _key(one: Call) -> str:
    answer = "" if one.observation is None else one.observation.text
    return f"{one.call.tool} {canonical(one.call.arguments)} {answer}"


def _numbers(work: Sequence[Call], *places: int) -> tuple[int, ...]:
    return tuple(work[at].call.index for at in places)
