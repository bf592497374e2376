"""Which occupations a set of intents covers, and which come next, so that the gaps are filled."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise

from workgym.errors import UsageError
from workgym.records import Record
from workgym.records.soc import LEVELS, Level, Soc, soc


class Share(Record):
    """How much of one level is covered."""

    level: Level
    """The level."""
    covered: int
    """Groups or occupations that some intent is of."""
    total: int
    """How many there are."""


class Group(Record):
    """How much of a major group is covered."""

    code: str
    """Its code."""
    title: str
    """Its title."""
    intents: int
    """Intents in it."""
    covered: int
    """Detailed occupations that some intent is of."""
    total: int
    """How many it has."""


class Coverage(Record):
    """What of SOC 2018 is covered."""

    levels: tuple[Share, ...]
    """Each level, from wide to narrow."""
    groups: tuple[Group, ...]
    """Each major group."""


def coverage(counts: Counter[str]) -> Coverage:
    """What is covered by so many intents of each detailed occupation."""
    table = soc()
    held = _counted(counts, table)
    return Coverage(
        levels=tuple(
            Share(
                level=level,
                covered=sum(held[one.code] > 0 for one in table.level(level)),
                total=len(table.level(level)),
            )
            for level in LEVELS
        ),
        groups=tuple(
            Group(
                code=one.code,
                title=one.title,
                intents=held[one.code],
                covered=sum(counts[code] > 0 for code in table.detailed(one.code)),
                total=len(table.detailed(one.code)),
            )
            for one in table.level("major")
        ),
    )


def spread(within: Sequence[str], count: int, seed: int, have: Mapping[str, int] | None = None) -> tuple[str, ...]:
    """``count`` detailed occupations out of ``within``, least covered first, for intents that there are already.

    From level to level it goes where there are fewest intents for each occupation, ties by the seed: first every major
    group gets one, then the large ones more. A larger count begins with the same ones. Raises UsageError for a count
    below zero.
    """
    if count < 0:
        raise UsageError(f"{count} occupations cannot be drawn", fix="give a number, 0 or more")
    return tuple(islice(_next(within, seed, have or {}), count))


def _next(within: Sequence[str], seed: int, have: Mapping[str, int]) -> Iterator[str]:
    table = soc()
    wanted = set(within)
    children: dict[str, list[str]] = {}
    sizes: Counter[str] = Counter()
    for code in sorted(wanted):
        line = ["", *(one.code for one in table.line(code))]
        sizes.update(line)
        for parent, child in pairwise(line):
            if child not in children.setdefault(parent, []):
                children[parent].append(child)
    rng = random.Random(f"{seed}/spread")
    order = {code: rng.random() for code in sorted(sizes)}
    held = _counted(Counter({code: number for code, number in have.items() if code in wanted}), table)
    while wanted:
        code = ""
        while code in children:
            code = min(children[code], key=lambda child: (held[child] / sizes[child], order[child]))
            held[code] += 1
        yield code


def _counted(counts: Counter[str], table: Soc) -> Counter[str]:
    """Intents under each code of any level."""
    held: Counter[str] = Counter()
    for code, number in counts.items():
        for one in table.line(code):
            held[one.code] += number
    return held
