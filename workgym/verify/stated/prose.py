"""Facts in sentences: a number goes with the entity that it is said of.

In one sentence a number belongs to the entity that follows it where only a preposition stands between (``284,731 for
Alder``), or the entity in brackets behind it; otherwise to the nearest one before it, and where none is before it to
the next one after it. With *respectively* numbers and entities go in pairs. A sentence that names no entity goes on
about the last one of its paragraph. A value of fewer than four significant digits counts only where a word of its
label stands in the paragraph or in the heading over it.

A plain sentence that says another value of the same entity under the same label, and is no aside (a scenario, an
older version, a comparison), contradicts, and the fact is wrong. Of all else that could be the value, what is said most
plainly counts, and of that the first: guesses earn no more than their first one. Several candidates in one sentence
state nothing, unless the label stands before one of them alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from workgym.records import Value
from workgym.records.surface import Number, dates, numbers, times
from workgym.verify.stated.asked import Asked, KeyReader
from workgym.verify.stated.lines import Line
from workgym.verify.stated.matching import Wanted, folded, foreign, normal, number_shows, rounds_to
from workgym.verify.stated.plainness import (
    KEY_WORD,
    PLAIN,
    Said,
    claim,
    judged,
    labelled,
    lacks,
    owned,
    rank,
    spread,
    values,
)
from workgym.verify.stated.sheets import words
from workgym.verify.stated.sights import Fact, Sight

_BEHIND = re.compile(
    r"^(?:\s*(?:usd|eur|gbp|chf|[$€£%]|pcs|units|hours|h))?\s*"
    r"(?:(?:for|from|of|by|at|with|to|in case of|in the case of|that|which|"
    r"offered by|quoted by|asked by)\s+)(?:the\s+|supplier\s+|offer\s+)*$",
    re.IGNORECASE,
)
_BRACKET = re.compile(r"^(?:\s*(?:usd|eur|gbp|chf|[$€£%]))?\s*\($", re.IGNORECASE)
_LISTED = re.compile(r"[\s,;/|&-]*(?:(?:and|or|to|maybe|perhaps)\b)?\s*(?:usd|eur|gbp|chf|[$€£])?\s*", re.IGNORECASE)
_WITHOUT = re.compile(r"\b(?:undiscounted|nominal|excluding|exclusive|before|without)\b", re.IGNORECASE)
CLAIMS = 16
"""Different numbers of that size that may be said of one entity as plainly as the one that counts; with more of them
none is stated."""


class _Mention(NamedTuple):
    start: int
    end: int
    key: tuple[Value, ...]


def mentions(text: str, readers: tuple[KeyReader, ...]) -> list[_Mention]:
    """The keys that a sentence names: the part that it names most often leads, the others are the nearest to it."""
    named = [reader.inside(text) for reader in readers]
    if not named or any(not spans for spans in named):
        return []
    lead = max(range(len(named)), key=lambda part: (len({value for _, _, value in named[part]}), part))
    found = []
    for start, end, value in named[lead]:
        key: list[Value] = []
        first, last = start, end
        for part, spans in enumerate(named):
            if part == lead:
                key.append(value)
                continue
            before = [span for span in spans if span[1] <= start]
            near = before[-1] if before else min(spans, key=lambda span: abs(span[0] - start))
            key.append(near[2])
            if near[0] >= end:
                last = max(last, near[1]) if near[0] - end < 40 else last
        found.append(_Mention(first, last, tuple(key)))
    return found


def pairs(text: str, named: list[_Mention], found: list[Number]) -> Iterator[tuple[tuple[Value, ...], Number]]:
    """Each number of a sentence with the key that it is said of."""
    outside = [number for number in found if not any(at.start <= number.start < at.end for at in named)]
    if "respectively" in text and named:
        tail = outside[-len(named) :]
        if len(tail) == len(named):
            yield from ((at.key, number) for at, number in zip(named, tail, strict=True))
            return
    for number in outside:
        before = [at for at in named if at.end <= number.start]
        after = [at for at in named if at.start >= number.end]
        if after:
            between = text[number.end : after[0].start]
            closing = text[after[0].end : after[0].end + 2].lstrip("'s ")[:1] == ")"
            if _BEHIND.match(between) or (_BRACKET.match(between) and closing):
                yield after[0].key, number
                continue
        if before:
            yield before[-1].key, number
        elif after:
            yield after[0].key, number


def find(said: tuple[Line, ...], asked: Asked, column: str) -> dict[Fact, Sight]:
    """Look for the values of one numeric column in sentences and rows."""
    label, kind = set(words(asked.label(column))), asked.unit.column(column).type
    told: dict[int, list[tuple[tuple[int, ...], set[str]]]] = {}
    stands: dict[int, list[Said]] = {}
    ranges, common = _range(asked, column), spread(said, label)
    for line in (line for line in said if not foreign(line.head or "", kind)):
        named = mentions(line.text, asked.readers) if asked.parts else []
        carried = bool(not named and asked.parts)
        if carried:
            last = mentions(line.carried, asked.readers) if line.carried else []
            if not last:
                continue
            named = [_Mention(0, 0, last[-1].key)]
        claims: dict[int, list[Number]] = {}
        if asked.parts:
            for key, number in pairs(line.text, named, list(numbers(line.text))):
                position = asked.by_parts.get(key)
                if position is not None:
                    claims.setdefault(position, []).append(number)
        elif label & set(words(line.text)) or labelled(line.about, label):
            claims[0] = list(numbers(line.text))
        for position, said_numbers in claims.items():
            wanted = asked.rows[position].values[column]
            like = [number for number in said_numbers if _comparable(number, ranges)]
            if not lacks(line.text, label):
                like = values(line.text, like)
            plain = rank(line, label, common, carried, like, asked)
            told.setdefault(position, []).append((plain[:PLAIN], {number.text for number in like}))
            hit = next((number for number in said_numbers if number_shows(number, wanted)), None)
            if hit is not None:
                heap = _heap(hit, like, wanted, asked, column) or _several(hit, like, wanted, line, label)
                if heap or not _enough(wanted, line, label, asked):
                    continue
                sight = Sight("right", line.at, hit.text)
            elif like and not rounds_to(like[0].readings, wanted):
                sure = claim(line, label, len({at.key for at in named}), like)
                sure = sure and not foreign(line.text, kind) and not owned(line, label, asked)
                sight = Sight("wrong", line.at, like[0].text, "another value", sure=sure)
            else:
                continue
            stands.setdefault(position, []).append(Said(plain, sight))
    found: dict[Fact, Sight] = {}
    for position in sorted(stands):
        found[position, column] = sight = judged(stands[position])
        best = min(said.rank for said in stands[position])[:PLAIN]
        claimed = {text for plain, texts in told[position] if plain <= best for text in texts}
        if sight.state == "right" and len(claimed) > CLAIMS:
            found[position, column] = Sight("wrong", sight.place, None, "so many numbers that none is stated")
    return found


def _range(asked: Asked, column: str) -> tuple[float, float]:
    """Numbers that could be a value of a column: within a factor of three of those that are."""
    sizes = [abs(float(row.values[column].accepted[0])) for row in asked.rows]  # type: ignore[arg-type]
    return (min(sizes, default=0.0) / 3, max(sizes, default=0.0) * 3)


def _comparable(number: Number, ranges: tuple[float, float]) -> bool:
    return any(ranges[0] <= abs(float(value)) <= ranges[1] for value, _ in number.readings)


def _enough(wanted: Wanted, line: Line, label: set[str], asked: Asked) -> bool:
    """Whether a match cannot be chance: four digits, or the label near."""
    if wanted.digits >= 4 and asked.parts:
        return True
    return bool({word[:5] for word in words(line.about)} & {word[:5] for word in label if len(word) >= KEY_WORD})


def _heap(hit: Number, like: list[Number], wanted: Wanted, asked: Asked, column: str) -> bool:
    """Whether a right value stands in a heap: behind another row's value, or with two, said of the same entity."""
    others = [
        number
        for number in like
        if number is not hit
        and not number_shows(number, wanted)
        and any(number_shows(number, row.values[column]) for row in asked.rows)
    ]
    return len(others) > 1 or any(number.start < hit.start for number in others)


def _several(hit: Number, like: list[Number], wanted: Wanted, line: Line, label: set[str]) -> bool:
    """Whether a right value is one of several candidates that a line says of one entity.

    It is not where the label stands before it alone. In a sentence it may have one other that it is not listed with,
    behind it or where a word says what one of the two is without; a row may begin or end with the value.
    """
    close = [number for number in like if any(_near(value, wanted) for value, _ in number.readings)]
    others = [number for number in close if not number_shows(number, wanted)]
    if not others:
        return False
    if line.head is not None:
        return len(others) > 1 and hit not in (close[0], close[-1])
    lead = {number.start: _lead(number, like, line.text) for number in (hit, *others)}
    if not lacks(lead[hit.start], label) and all(lacks(lead[other.start], label) for other in others):
        return False
    first, second = sorted((hit, others[0]), key=lambda number: number.start)
    listed = len(others) > 1 or _LISTED.fullmatch(lead[second.start]) is not None
    return listed or (first is not hit and _WITHOUT.search(line.text) is None)


def _near(value: Decimal, wanted: Wanted) -> bool:
    """Whether a number could be a guess at a value: within a factor of two."""
    true = abs(Decimal(wanted.accepted[0]))  # type: ignore[arg-type]
    return true <= 2 * abs(value) and abs(value) <= 2 * true


def _lead(number: Number, others: list[Number], text: str) -> str:
    """What stands before a number, from the one before it on."""
    return text[max((other.end for other in others if other.end <= number.start), default=0) : number.start]


def rows(said: tuple[Line, ...], asked: Asked) -> dict[Fact, Sight]:
    """For a selection: the sentences and rows that name a row's key."""
    found: dict[Fact, Sight] = {}
    for line in said:
        for at in mentions(line.text, asked.readers):
            position = asked.by_parts.get(at.key)
            if position is not None:
                found.setdefault((position, None), Sight("right", line.at, line.text[at.start : at.end]))
    return found


def texts(said: tuple[Line, ...], asked: Asked, column: str) -> dict[Fact, Sight]:
    """For a column of texts, choices, dates or times: the sentences and rows that name the key and the value."""
    found: dict[Fact, Sight] = {}
    for line in said:
        for at in mentions(line.text, asked.readers):
            position = asked.by_parts.get(at.key)
            if position is None:
                continue
            wanted = asked.rows[position].values[column]
            if _says(line.text, wanted):
                found.setdefault((position, column), Sight("right", line.at, wanted.shown))
    return found


def _says(text: str, wanted: Wanted) -> bool:
    if wanted.type.kind in ("text", "choice"):
        said = folded(text)
        return any(re.search(rf"(?<!\w){re.escape(normal(str(value)))}(?!\w)", said) for value in wanted.accepted)
    if wanted.type.kind == "date":
        return any(day in wanted.accepted for token in dates(text) for day in token.values)
    return any(token.value in wanted.accepted for token in times(text))
