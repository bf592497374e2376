"""The exact join: all pairs of texts that share enough of their rare word triples.

No sketch and no sample: every shared triple is counted, so that what is not found is not there. A triple that stands in
more than ``COMMON`` texts is a turn of phrase and says little about a copy: in its place counts the run of six words
that it begins. What is as common as that is a template, and is left out of both sides of the sum; copies of one text,
alike but for case, names and numbers, are therefore counted as one text first. Memory stays bounded: pairs are counted
for some millions at a time.

Measured in this project before it was chosen: MinHash, rensa, and nearest neighbours over TF-IDF are slower, miss exact
copies, or find a tenth of the paraphrases (``python -m benchmarks.dedup`` prints what this one finds).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workgym.intents.dedup.words import Triples, Vocabulary, exact, skeleton

COMMON = 50
"""Texts that a triple may stand in, to count."""
CONTAINMENT = 0.15
"""Share of the rare triples of the smaller text that must stand in the other. Of 1,000 copies among 112,686 requests,
30 % of whose words were exchanged for synonyms, 96 % reach it, and 4 pairs besides (0.2: 71 %, none)."""
LEAST = 5
"""Triples that two texts must share at least, however short they are."""
_AT_ONCE = 4_000_000
"""Pairs counted at a time: 32 MB for each of a few arrays."""

Kind = Literal["exact", "masked", "near"]


class Match(NamedTuple):
    """Two texts that are nearly the same."""

    first: int
    """Number of the earlier one; of two lists, of the one in the first."""
    second: int
    """Number of the later one; of two lists, of the one in the second."""
    kind: Kind
    """``exact`` but for case and punctuation, ``masked`` but for names and numbers too, else ``near``."""
    shared: int
    """Rare triples that both have; 0 where they were not compared triple by triple."""
    jaccard: float
    """Shared triples over all of both."""
    containment: float
    """Shared triples over those of the smaller one."""


class Groups(NamedTuple):
    """Texts that are copies of one another but for names and numbers."""

    heads: list[int]
    """The first of each group, rising."""
    of: list[int]
    """For each text the first of its group."""
    kinds: list[Kind]
    """For each text how it is like the first of its group."""


def groups(texts: Sequence[str]) -> Groups:
    """Group texts by their skeletons."""
    seen: dict[bytes, int] = {}
    copies: dict[bytes, int] = {}
    heads, of, kinds = [], [], []
    for number, text in enumerate(texts):
        bare = _short(exact(text))
        head = copies.get(bare)
        kind: Kind = "exact"
        if head is None:
            head = seen.setdefault(_short(skeleton(text) or f"\0{number}"), number)
            kind = "masked"
            copies[bare] = head
        if head == number:
            heads.append(number)
        of.append(head)
        kinds.append(kind)
    return Groups(heads, of, kinds)


def _short(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def near(triples: Triples, split: int | None = None, containment: float = CONTAINMENT) -> Iterator[Match]:
    """All near pairs of texts, in the order of the later one; between texts below ``split`` and others only, if given.

    Exact: no pair over the threshold is missed.
    """
    keys, texts = distinct(*_specific(triples))
    if not len(keys):
        return
    starts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    runs = np.diff(starts, append=len(keys))
    rare = np.repeat(runs <= COMMON, runs)
    sizes = np.bincount(texts[rare], minlength=triples.size)
    counted = (runs >= 2) & (runs <= COMMON)
    texts = texts[np.repeat(counted, runs)]
    runs = runs[counted]
    del rare, starts, keys
    if not len(texts):
        return
    starts = np.cumsum(runs) - runs
    first = np.repeat(starts, runs)
    before = _before(texts, first, runs, split)
    yield from _counted(texts, first, before, sizes, containment)


def _specific(triples: Triples) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Every triple, or six words from its place on where it is common."""
    common = _common(triples.keys)
    if not len(common):
        return triples.keys, triples.texts
    places = np.concatenate(
        [
            start + np.flatnonzero(_within(triples.keys[start : start + _AT_ONCE], common))
            for start in range(0, len(triples.keys), _AT_ONCE)
        ]
    )
    longer = triples.longer(places)
    keys = triples.keys.copy()
    keys[places] = longer
    told = keys != 0
    return keys[told], triples.texts[told]


def _common(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    ordered = np.sort(keys)
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1]))) if len(keys) else np.empty(0, int)
    found: NDArray[np.int64] = ordered[starts[np.diff(starts, append=len(keys)) > COMMON]]
    return found


def _within(keys: NDArray[np.int64], common: NDArray[np.int64]) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = common[np.minimum(np.searchsorted(common, keys), len(common) - 1)] == keys
    return found


def distinct(keys: NDArray[np.int64], texts: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Sorted by key, then text; each pair once."""
    order = np.argsort(keys, kind="stable")
    keys, texts = keys[order], texts[order]
    new = np.ones(len(keys), bool)
    new[1:] = (keys[1:] != keys[:-1]) | (texts[1:] != texts[:-1])
    return keys[new], texts[new]


def _before(
    texts: NDArray[np.int32], first: NDArray[np.int64], runs: NDArray[np.int64], split: int | None
) -> NDArray[np.int64]:
    """How many entries of its run, from the run's first on, each entry is compared with."""
    offset = np.arange(len(texts)) - first
    if split is None:
        return offset
    low = texts < split
    lows = np.add.reduceat(low, first[offset == 0], dtype=np.int64)
    return np.where(low, 0, np.repeat(lows, runs))


def _counted(
    texts: NDArray[np.int32],
    first: NDArray[np.int64],
    before: NDArray[np.int64],
    sizes: NDArray[np.int64],
    containment: float,
) -> Iterator[Match]:
    some = np.flatnonzero(before)
    if not len(some):
        return
    some = some[np.argsort(texts[some], kind="stable")]
    later, first, before = texts[some], first[some], before[some]
    bounds = np.flatnonzero(np.concatenate((later[1:] != later[:-1], [True]))) + 1  # a text's entries stay together
    marks = np.cumsum(before)[bounds - 1]
    place = 0
    while place < len(bounds):
        begin, done = (bounds[place - 1], marks[place - 1]) if place else (0, 0)
        place = max(int(np.searchsorted(marks, done + _AT_ONCE, side="right")), place + 1)
        part = slice(begin, bounds[place - 1])
        yield from _above(_pairs(texts, later[part], first[part], before[part], len(sizes)), sizes, containment)


def _pairs(
    texts: NDArray[np.int32],
    later: NDArray[np.int32],
    first: NDArray[np.int64],
    before: NDArray[np.int64],
    count: int,
) -> NDArray[np.int64]:
    """Each compared pair as ``later * count + earlier``, sorted, once for every triple that both have."""
    ends = np.cumsum(before)
    places = np.arange(ends[-1]) - np.repeat(ends - before - first, before)
    made = np.repeat(later.astype(np.int64) * count, before)
    made += texts[places]
    made.sort()
    return made


def _above(pairs: NDArray[np.int64], sizes: NDArray[np.int64], containment: float) -> Iterator[Match]:
    starts = np.flatnonzero(np.concatenate(([True], pairs[1:] != pairs[:-1])))
    shared = np.diff(starts, append=len(pairs))
    many = shared >= LEAST
    second, first = np.divmod(pairs[starts[many]], len(sizes))
    shared = shared[many]
    smaller = np.minimum(sizes[first], sizes[second])
    held = shared / smaller
    jaccard = shared / (sizes[first] + sizes[second] - shared)
    for place in np.flatnonzero(held >= containment):
        yield Match(
            int(first[place]), int(second[place]), "near", int(shared[place]), float(jaccard[place]), float(held[place])
        )


def matches(
    texts: Sequence[str], others: Sequence[str] | None = None, *, containment: float = CONTAINMENT
) -> list[Match]:
    """All pairs that are nearly the same: among ``texts``, or between them and ``others``.

    Among one list, a copy is paired with the first of its copies only, and the near ones with firsts.
    """
    vocabulary = Vocabulary()
    if others is None:
        found = groups(texts)
        copies = [
            Match(head, number, kind, 0, 1.0, 1.0)
            for number, (head, kind) in enumerate(zip(found.of, found.kinds, strict=True))
            if head != number
        ]
        heads = found.heads
        pairs = near(vocabulary.triples(texts[number] for number in heads), containment=containment)
        return copies + [pair._replace(first=heads[pair.first], second=heads[pair.second]) for pair in pairs]
    return _between(vocabulary, texts, others, containment)


def _between(vocabulary: Vocabulary, texts: Sequence[str], others: Sequence[str], containment: float) -> list[Match]:
    here, there = groups(texts), groups(others)
    ours, theirs = _members(here), _members(there)
    same = _same(texts, here, others, there)
    found = [
        Match(one, other, "exact" if exact(texts[one]) == exact(others[other]) else "masked", 0, 1.0, 1.0)
        for head, stranger in same
        for one in ours[head]
        for other in theirs[stranger]
    ]
    split = len(here.heads)
    joined = chain((texts[head] for head in here.heads), (others[head] for head in there.heads))
    for pair in near(vocabulary.triples(joined), split, containment):
        head, stranger = here.heads[pair.first], there.heads[pair.second - split]
        if (head, stranger) not in same:
            found += [pair._replace(first=one, second=other) for one in ours[head] for other in theirs[stranger]]
    return sorted(found)


def _same(texts: Sequence[str], here: Groups, others: Sequence[str], there: Groups) -> set[tuple[int, int]]:
    """Groups of both lists, by their firsts, that have a text in common but for case, names and numbers."""
    known = {_short(skeleton(texts[head]) or f"\0{head}"): head for head in here.heads}
    known |= {_short(f"={exact(text)}"): head for text, head in zip(texts, here.of, strict=True)}
    keys = (
        (key, head) for text, head in zip(others, there.of, strict=True) for key in (skeleton(text), f"={exact(text)}")
    )
    return {(known[short], head) for key, head in keys if (short := _short(key)) in known}


def _members(found: Groups) -> dict[int, list[int]]:
    members: dict[int, list[int]] = {}
    for number, head in enumerate(found.of):
        members.setdefault(head, []).append(number)
    return members


class Deduplicated(NamedTuple):
    """What is left of a list of texts."""

    kept: tuple[int, ...]
    """Numbers of those that repeat none before them."""
    repeats: dict[int, Match]
    """For each of the others the kept one that it repeats (``first``), and how."""


def deduplicate(texts: Sequence[str], *, containment: float = CONTAINMENT) -> Deduplicated:
    """Leave out every text that is nearly the same as one that is kept before it."""
    best: dict[int, list[Match]] = {}
    for match in matches(texts, containment=containment):
        best.setdefault(match.second, []).append(match)
    repeats: dict[int, Match] = {}
    for number in sorted(best):
        found = [match for match in best[number] if match.first not in repeats or match.kind != "near"]
        if found:
            most = max(found, key=lambda match: (match.containment, match.jaccard, -match.first))
            head = repeats.get(most.first)
            repeats[number] = most if head is None else most._replace(first=head.first)
    return Deduplicated(tuple(number for number in range(len(texts)) if number not in repeats), repeats)
