"""A choice that a text states: whom or what it recommends, awards, selects.

A sentence decides when it has a word of choosing (recommend, award, choose, select, ...; or a word of the label) and
names an option. The option decided on is the first one named after that word, otherwise the last one before it;
options behind *over*, *than*, *instead of*, *against* are what it is compared with. Sentences that say no, that are
about a runner-up, or that only suppose (if, would, without) decide nothing against the truth. Where no sentence has
such a word, the first sentence under a heading that has one decides. The fact is right when at least one sentence
decides for the truth and none for another option.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from workgym.graph import SupportGraph, Values
from workgym.records import Column, Value
from workgym.verify.asked import KeyReader
from workgym.verify.prose import Line
from workgym.verify.sheets import words
from workgym.verify.sights import Sight

_STEM = re.compile(
    r"\b(?:recommend\w*|award\w*|choos\w*|chose\w*|choice|select\w*|propos\w*|prefer\w*|pick\w*|suggest\w*|favou?r\w*|"
    r"winner|winning|go(?:es)? with|opt(?:ed)? for|contract with|should (?:go|be given) to|best offer|best option|"
    r"place the order)\b",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"\b(?:not|never|no longer|cannot|reject\w*|declin\w*|against|rather than|nor)\b|n't\b", re.IGNORECASE
)
_IS = re.compile(r"\b(?:is|are|as|remains?|be|our|the)\s+(?:\w+\s+){0,3}$", re.IGNORECASE)
_COMPARED = re.compile(
    r"\b(?:over|than|instead of|rather than|against|ahead of|followed by|before|beats?|behind|unlike|versus|vs\.?|"
    r"compared (?:to|with)|in place of|not|nor)\s+(?:the\s+|offer\s+of\s+|supplier\s+)*$",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"\b(?:if|would|could|were|without|had|unless|otherwise|second\w*|runner|next best|fallback|fall back|alternative|"
    r"back-?up|draft|scenario|sensitivity|excluding|previous\w*|third)\b",
    re.IGNORECASE,
)


def options(graph: SupportGraph, values: Values, column: Column, truth: Iterable[Value]) -> tuple[Value, ...]:
    """What could have been chosen: a choice's options, or the texts of every column that holds the truth as well."""
    right = tuple(truth)
    if column.type.options:
        return column.type.options
    found: dict[Value, None] = dict.fromkeys(right)
    for unit in graph.relations():
        for other in unit.columns:
            if other.type.kind == "text" and unit.name in values:
                relation = values[unit.name]
                there = [row[relation.index[other.name]] for row in relation.rows]
                if right[0] in there:
                    found |= dict.fromkeys(value for value in there if value is not None)
    return tuple(found)


def stated(
    lines: tuple[Line, ...], label: str, column: Column, known: tuple[Value, ...], right: tuple[Value, ...]
) -> Sight:
    """What a text decides on, and whether that is right."""
    reader = KeyReader(column, known)
    stems = {word[:6] for word in words(label) if len(word) > 4}
    decided: list[tuple[Line, Value]] = []
    for line in lines:
        value = _decision(line.text, reader, stems)
        if value is None:
            continue
        if value in right or not (_NEGATED.search(line.text) or _SUPPOSED.search(line.text)):
            decided.append((line, value))
    if not decided:
        decided = _under_heading(lines, reader)
    wrong = [(line, value) for line, value in decided if value not in right]
    good = [(line, value) for line, value in decided if value in right]
    if wrong:
        line, value = wrong[0]
        message = f"it contradicts {good[0][0].at}" if good else "another option is named"
        return Sight("wrong", line.at, str(value), message)
    if good:
        return Sight("right", good[0][0].at, str(good[0][1]))
    return Sight("missing", message="no sentence says so")


def _decision(text: str, reader: KeyReader, stems: set[str]) -> Value | None:
    stem = _STEM.search(text)
    start, end = (stem.start(), stem.end()) if stem else (-1, -1)
    if stem is None:
        hit = next((match for match in re.finditer(r"\w+", text) if match[0][:6].lower() in stems), None)
        if hit is None:
            return None
        start, end = hit.start(), hit.end()
    named = [span for span in reader.inside(text) if not _COMPARED.search(text[max(0, span[0] - 40) : span[0]])]
    after = [span for span in named if span[0] >= end]
    before = [span for span in named if span[1] <= start]
    if _NEGATED.search(text[max(0, start - 20) : start]) or re.match(r"\s*(?:not|against)\b", text[end : end + 12]):
        return None
    if before and _IS.search(text[max(0, start - 40) : start]):
        return before[-1][2]
    if after:
        return after[0][2]
    return before[-1][2] if before else None


def _under_heading(lines: tuple[Line, ...], reader: KeyReader) -> list[tuple[Line, Value]]:
    for at, line in enumerate(lines[:-1]):
        if _STEM.search(line.text) and len(line.text) < 80 and not line.tabular:
            named = {value for _, _, value in reader.inside(lines[at + 1].text)}
            if len(named) == 1:
                return [(lines[at + 1], named.pop())]
    return []
