"""Texts one by one: what a new one repeats among all before it, by the measure of the join."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from workgym.intents.dedup.join import COMMON, CONTAINMENT, LEAST, Match, distinct
from workgym.intents.dedup.words import Triples, Vocabulary, exact, skeleton


class _Part(NamedTuple):
    """Sorted keys of some texts that were added one after another."""

    keys: NDArray[np.int64]
    texts: NDArray[np.int32]


class Index:
    """Grows text by text. Parts double in size as they are merged, so that n texts cost n log n."""

    def __init__(self, containment: float = CONTAINMENT) -> None:
        self._containment = containment
        self._vocabulary = Vocabulary()
        self._parts: list[_Part] = []
        self._own: list[Triples] = []
        self._copies: dict[str, int] = {}
        self._skeletons: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._own)

    def add(self, text: str) -> int:
        """Take a text in; its number, from 0."""
        self.extend([text])
        return len(self._own) - 1

    def extend(self, texts: Sequence[str]) -> None:
        """Take many in at once."""
        first = len(self._own)
        for number, text in enumerate(texts, first):
            self._copies.setdefault(exact(text), number)
            self._skeletons.setdefault(skeleton(text), number)
        triples = self._vocabulary.triples(texts)
        keys = np.concatenate((triples.keys, triples.longer(np.arange(len(triples.keys)))))
        owners = np.concatenate((triples.texts, triples.texts))
        keys, owners = distinct(keys[keys != 0], owners[keys != 0])
        self._parts.append(_Part(keys, owners + np.int32(first)))
        bounds = np.searchsorted(triples.texts, np.arange(len(texts) + 1))
        for start, end in pairwise(bounds.tolist()):
            self._own.append(Triples(triples.keys[start:end], triples.texts[start:end], 1))
        while len(self._parts) > 1 and len(self._parts[-2].keys) <= 2 * len(self._parts[-1].keys):
            self._parts[-2:] = [_merged(*self._parts[-2:])]

    def nearest(self, text: str) -> Match | None:
        """The text that this one repeats most, as ``first``; ``second`` is the number that it would have."""
        number = len(self._own)
        copy = self._copies.get(exact(text))
        if copy is not None:
            return Match(copy, number, "exact", 0, 1.0, 1.0)
        same = self._skeletons.get(skeleton(text))
        if same is not None:
            return Match(same, number, "masked", 0, 1.0, 1.0)
        keys = self._rare(self._vocabulary.triples([text]), new=1)
        counts = np.bincount(self._having(keys), minlength=1)
        found = [
            self._match(int(other), number, int(counts[other]), len(keys)) for other in np.flatnonzero(counts >= LEAST)
        ]
        near = [match for match in found if match.containment >= self._containment]
        return max(near, key=lambda match: (match.containment, match.jaccard, -match.first), default=None)

    def _match(self, other: int, number: int, shared: int, size: int) -> Match:
        there = len(self._rare(self._own[other], new=0))
        smaller = max(1, min(size, there))
        return Match(other, number, "near", shared, shared / max(1, size + there - shared), shared / smaller)

    def _rare(self, triples: Triples, new: int) -> NDArray[np.int64]:
        """The keys of a text that count; ``new`` is 1 for one that is not in here."""
        common = np.flatnonzero(self._spread(triples.keys) + new > COMMON)
        keys = triples.keys.copy()
        keys[common] = triples.longer(common)
        keys = np.unique(keys[keys != 0])
        return keys[self._spread(keys) + new <= COMMON]

    def _spread(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many texts each key stands in."""
        total = np.zeros(len(keys), np.int64)
        for part in self._parts:
            total += np.searchsorted(part.keys, keys, "right") - np.searchsorted(part.keys, keys, "left")
        return total

    def _having(self, keys: NDArray[np.int64]) -> NDArray[np.int32]:
        """Numbers of the texts that have the keys, once for each that they have."""
        found = [np.empty(0, np.int32)]
        for part in self._parts:
            low = np.searchsorted(part.keys, keys, "left")
            high = np.searchsorted(part.keys, keys, "right")
            found += [part.texts[a:b] for a, b in zip(low, high, strict=True) if b > a]
        return np.concatenate(found)


def _merged(one: _Part, two: _Part) -> _Part:
    keys = np.concatenate((one.keys, two.keys))
    order = np.argsort(keys, kind="stable")
    return _Part(keys[order], np.concatenate((one.texts, two.texts))[order])
