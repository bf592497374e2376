"""Repeated reasoning: messages that say what an earlier message said, and messages that go round in themselves."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from workgym.select.config import RepeatedReasoning
from workgym.select.score import Evidence, Score, scored
from workgym.select.story import Said, Story

NAME = "repeated_reasoning"
_WORD = re.compile(r"\w+(?:[.,:/-]\w+)*")
_LONG = 5
"""Words of the shingles by which a message that goes round in itself is known: long enough for lists of like lines."""


def repeated_reasoning(story: Story, config: RepeatedReasoning) -> Score:
    """The share of words that are not said again; numbers are words, so that a list that goes on is no repetition."""
    texts = [(one, _words(one.text)) for one in story.said]
    looked = [(one, words) for one, words in texts if len(words) >= config.words]
    total = sum(len(words) for _, words in texts)
    again: dict[int, float] = {}
    evidence = []
    for at, earlier, share in _alike(looked, config):
        one, words = looked[at]
        again[at] = len(words) * share
        before = looked[earlier][0]
        evidence.append(
            Evidence(what=f"{share:.0%} of {_where(one)} was said {_where(before)}", calls=_calls(before, one))
        )
    for at, (one, words) in enumerate(looked):
        turning = _round(words)
        if turning > max(again.get(at, 0.0), len(words) / 2):
            again[at] = turning
            evidence.append(
                Evidence(what=f"{turning} of {len(words)} words of {_where(one)} go round", calls=_calls(one))
            )
    repeated = sum(again.values())
    score = 1 - repeated / total if total else 1.0
    reason = f"{len(again)} of {len(texts)} messages say again what was said: {repeated:.0f} of {total} words"
    return scored(NAME, score, config.least, reason, evidence)


def _alike(looked: Sequence[tuple[Said, list[str]]], config: RepeatedReasoning) -> Iterator[tuple[int, int, float]]:
    """(message, the earlier one that is most like it, share of its shingles that stand there)."""
    holders: dict[tuple[str, ...], list[int]] = {}
    for at, (_, words) in enumerate(looked):
        own = _shingles(words, config.shingle)
        common = Counter(earlier for shingle in own for earlier in holders.get(shingle, ()))
        if common:
            earlier, most = max(common.items(), key=lambda pair: (pair[1], -pair[0]))
            if most >= config.alike * len(own) and not _of_another(looked[at], looked[earlier][0], config):
                yield at, earlier, most / len(own)
        for shingle in own:
            holders.setdefault(shingle, []).append(at)


def _of_another(one: tuple[Said, list[str]], earlier: Said, config: RepeatedReasoning) -> bool:
    """Whether a message, in the form of an earlier one, is about another thing."""
    said, words = one
    return len(words) < config.words_of_another and bool(_named(said.text) - _named(earlier.text))


def _named(text: str) -> set[str]:
    """Names, numbers and paths: words with a capital, a digit, a dot or a slash in them."""
    return {word for word in _WORD.findall(text) if word != word.lower() or not word.isalpha()}


def _round(words: list[str]) -> int:
    """Words of a message that only repeat what stands in it already."""
    shingles = [tuple(words[at : at + _LONG]) for at in range(len(words) - _LONG + 1)]
    return len(shingles) - len(set(shingles))


def _shingles(words: list[str], size: int) -> set[tuple[str, ...]]:
    return {tuple(words[at : at + size]) for at in range(max(1, len(words) - size + 1))}


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _where(one: Said) -> str:
    return f"the message after call {one.after}" if one.after else "the first message"


def _calls(*messages: Said) -> tuple[int, ...]:
    return tuple(dict.fromkeys(one.after for one in messages if one.after))
