"""Which pieces of two texts are the same ones, in order, in time that grows little faster than the texts.

Pieces that stand once in both are the fixed points (patience diff, Bram Cohen); between two of them what is alike at
either end is taken, and the rest is compared piece by piece where it is short. Who writes the text cannot make it slow.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

_SHORT = 2_500
"""Pairs of pieces between two fixed points up to which they are compared one by one."""
Pair = tuple[int, int]


def pairs(before: Sequence[Hashable], after: Sequence[Hashable]) -> list[Pair]:
    """Positions of what stands in both, rising in both."""
    fixed = [(-1, -1), *_fixed(before, after), (len(before), len(after))]
    found: list[Pair] = []
    for (one, other), (upto, until) in pairwise(fixed):
        if one >= 0:
            found.append((one, other))
        found += _between(before, after, (one + 1, other + 1), (upto, until))
    return found


def _fixed(before: Sequence[Hashable], after: Sequence[Hashable]) -> list[Pair]:
    """The longest rising run of pieces that stand once in both."""
    counts, others = Counter(before), Counter(after)
    where = {key: at for at, key in enumerate(after) if others[key] == 1 and counts[key] == 1}
    candidates = [(at, where[key]) for at, key in enumerate(before) if key in where]
    ends: list[int] = []
    at_end: list[int] = []
    previous: list[int] = []
    for number, (_, to) in enumerate(candidates):
        length = bisect_left(ends, to)
        previous.append(at_end[length - 1] if length else -1)
        if length == len(ends):
            ends.append(to)
            at_end.append(number)
        else:
            ends[length], at_end[length] = to, number
    run = []
    number = at_end[-1] if at_end else -1
    while number >= 0:
        run.append(candidates[number])
        number = previous[number]
    return run[::-1]


def _between(before: Sequence[Hashable], after: Sequence[Hashable], start: Pair, end: Pair) -> Iterator[Pair]:
    (top, first), (bottom, last) = start, end
    while top < bottom and first < last and before[top] == after[first]:
        yield top, first
        top, first = top + 1, first + 1
    ends = 0
    while bottom - ends > top and last - ends > first and before[bottom - ends - 1] == after[last - ends - 1]:
        ends += 1
    bottom, last = bottom - ends, last - ends
    if 0 < (bottom - top) * (last - first) <= _SHORT:
        matcher = SequenceMatcher(None, before[top:bottom], after[first:last], autojunk=False)
        for block in matcher.get_matching_blocks():
            yield from ((top + block.a + at, first + block.b + at) for at in range(block.size))
    yield from ((bottom + at, last + at) for at in range(ends))
