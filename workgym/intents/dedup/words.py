"""Texts as words, and as arrays of word triples."""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

WIDTH = 3
"""Words of a shingle. Three survive in a paraphrase that five do not, and are rare enough in 100,000 texts."""
WORDS = 1 << 21
"""Words that are told apart: three of them make one number of 63 bits. Later ones count as one word."""
_AT_ONCE = 1_000_000
"""Words taken together before they become triples."""
_ODD = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F))
_NUMBER = re.compile(r"\d(?:[\d.,:/'-]*\d)?")
_WORD = re.compile(r"#|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\d_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_NAME = re.compile(r"(?<=[^\s.!?:\"'*#-] )[A-ZÀ-Þ][\w&'-]*(?: (?:[A-ZÀ-Þ]|#)[\w&'-]*)*")
_ANY = re.compile(r"\w+")


def words(text: str) -> list[str]:
    """Words of a text in small letters, every number being ``#``; signs of Chinese, Japanese and Korean one by one."""
    return _WORD.findall(_NUMBER.sub("#", _plain(text)).lower())


def exact(text: str) -> str:
    """What is left of a text without case, spaces and punctuation: equal for copies."""
    return " ".join(_ANY.findall(_plain(text).casefold()))


def skeleton(text: str) -> str:
    """The same with one sign for every number and one for every name within a sentence: equal for the same text about
    other people, firms, amounts and dates."""
    masked = _NAME.sub("@", _NUMBER.sub("#", _plain(text)))
    return " ".join(re.findall(r"[#@]|[^\W\d_]+", masked.casefold()))


def _plain(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


class Triples(NamedTuple):
    """Three neighbouring words each, as numbers, of some texts in their order."""

    keys: NDArray[np.int64]
    """The triples, above 0."""
    texts: NDArray[np.int32]
    """Number of the text of each."""
    size: int
    """How many texts there are."""

    def longer(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Six words from each of these places on, as numbers below 0 (a hash); 0 where the text ends before."""
        far = np.minimum(places + WIDTH, max(0, len(self.keys) - 1))
        inside = (self.texts[places] == self.texts[far]) & (far == places + WIDTH)
        mixed = self.keys[places].astype(np.uint64) * _ODD[0] ^ self.keys[far].astype(np.uint64) * _ODD[1]
        mixed ^= mixed >> np.uint64(29)
        hashed = ((mixed * _ODD[0]) >> np.uint64(2)).astype(np.int64) + 1
        return np.where(inside, -hashed, 0)


class Vocabulary:
    """Numbers for words, in the order in which they are met; 0 stands for no word."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}

    def triples(self, texts: Iterable[str]) -> Triples:
        """All triples; a text of one or two words has one, filled up with no word."""
        keys: list[NDArray[np.int64]] = [np.empty(0, np.int64)]
        counts = array("i")
        ids, get, put = array("q"), self._ids.get, self._put
        for text in texts:
            found = words(text)
            counts.append(max(1, len(found) - WIDTH + 1) if found else 0)
            if found:
                ids.extend([get(word) or put(word) for word in found])
                ids.extend([0] * WIDTH)
            if len(ids) > _AT_ONCE:
                keys.append(_keys(ids))
                ids = array("q")
        if ids:
            keys.append(_keys(ids))
        made = np.concatenate(keys)
        return Triples(made, np.repeat(np.arange(len(counts), dtype=np.int32), np.asarray(counts)), len(counts))

    def _put(self, word: str) -> int:
        number = self._ids[word] = min(len(self._ids) + 1, WORDS - 1)
        return number


def _keys(ids: array[int]) -> NDArray[np.int64]:
    """Triples of numbers of words, where texts end with zeros: whole ones, and of a text too short its only one."""
    flat = np.frombuffer(ids, np.int64)
    keys = flat[:-2] << 42
    keys |= flat[1:-1] << 21
    keys |= flat[2:]
    whole = flat[2:] > 0
    whole[1:] |= flat[:-3] == 0  # the first of a text counts, however short that is
    whole[0] = True
    return keys[whole & (flat[:-2] > 0)]
