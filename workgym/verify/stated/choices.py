"""A choice that a text states: whom or what it recommends, awards, selects.

What stands behind the label and a colon is stated (``Verdict: sign on conditions``), and nothing else beside it. Else:
A sentence decides when it has a word of choosing (recommend, award, choose, select, ...; or of a label that has
none) and names an option: the first one after that word, or the one of which it is said (``X is recommended``).
Options behind *over*, *than*, *instead of*, *against* are what it is compared with, and what a clause denies
(``We cannot in good conscience recommend X``) it does not choose. Sentences that say no, that are
about a runner-up, or that only suppose (if, would, without) are asides: the first of them counts where nothing else
decides, whether it is the truth or not.

Where the word and the option stand together, with words of awarding between them, the decision is direct. All direct
decisions have to be the truth. Without one the first decision counts (``We recommend negotiating with X``); without
any, the sentence under a heading that has such a word. Where nothing decides, an option of several words that is said
plainly (``The round is accepted with reserve``) counts, if no other option is said plainly anywhere; and a day that a
sentence says alone, where its paragraph or the heading over it has a word of the label.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from workgym.graph import SupportGraph, Values
from workgym.records import Column, Value
from workgym.records.surface import dates, times
from workgym.verify.stated.asked import KeyReader
from workgym.verify.stated.lines import Line
from workgym.verify.stated.scenes import INVERTED
from workgym.verify.stated.sheets import words
from workgym.verify.stated.sights import Sight

_STEM = re.compile(
    r"\b(?:recommend\w*|award\w*|choos\w*|chose\w*|choice|select\w*|propos\w*|prefer\w*|pick\w*|suggest\w*|favou?r\w*|"
    r"winner|winning|go(?:es)? with|opt(?:ed)? for|contract with|should (?:go|be given) to|best offer|best option|"
    r"place the order)\b",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"\b(?:not|never|no longer|cannot|reject\w*|declin\w*|against|rather than|nor)\b|n't\b", re.IGNORECASE
)
_REFUSED = re.compile(
    r"\b(?:not(?! only)|never|no longer|cannot|neither|nor|against|avoid\w*|refrain\w*|refus\w+|reject\w*|declin\w*|"
    r"oppos\w+|unable|unwilling|reluctan\w+|(?<!without )hesita\w+|far from|object to|warn\w*|rul\w+ out|nobody|no one|"
    r"none|no (?:circumstances?|account|way)|fail\w* to|(?:wrong|mistake|unwise|inadvisable|ill-advised) to|"
    r"least of all)\b|n't\b|\bleast\s*$",
    re.IGNORECASE,
)
_BREAK = re.compile(
    r"[;:]|\b(?:but|therefore|hence|thus|consequently|accordingly|instead)\b|"
    r",\s*(?:(?:and|so|yet)\s+)?(?:we|i|it|our|my|the|this|that is why)\b(?=[^,]*$)",
    re.IGNORECASE,
)
_NOT = re.compile(r"\s*(?:not|strongly against|firmly against|against)\b", re.IGNORECASE)
_NOT_IT = re.compile(
    r"(?:'s)?[\s,(]*(?:(?:is|was|are|should|shall|must|will|would|can|does|do)\s*)?(?:not|n't|never)\s+(?:be|get|win|receive|a|an|"
    r"our|the|to be|recommended|selected|chosen|proposed|awarded)\b(?! cheap| low| least)",
    re.IGNORECASE,
)
_IS = re.compile(
    r"(?:'s)?[\s,(]*(?:is|was|are|has been|should be|shall be|will be|must be|be|remains?|as|to be|should|:|\|)\s+"
    r"(?:[\w-]+\s+){0,3}",
    re.IGNORECASE,
)
_PLAIN = re.compile(
    r"\W*(?:(?:that|we|is|are|to|be|the|award\w*|giv\w+|choos\w+|select\w+|accept\w*|tak\w+|plac\w+|go\w*|with|for|of|from|by|"
    r"in|favou?r|our|suppliers?|vendor|offer|bid|quotation|quote|contract|tender|order|business|as|should|on|at|it|firm|company|"
    r"following|this|recommend\w*|option|proposal|winner|s)\b\W*)*",
    re.IGNORECASE,
)
_ENUMERATED = re.compile(r"\s*,?\s*(?:and|or|&|/|,|as well as|and/or)\s*", re.IGNORECASE)
_AWARD = re.compile(r"\b(?:award\w*|giv\w+|contract|order|business|tender)\b", re.IGNORECASE)
_TO = re.compile(r"\bto\s+(?:the\s+|supplier\s+|firm\s+)*$", re.IGNORECASE)
_COMPARED = re.compile(
    r"\b(?:over|than|instead of|rather than|against|ahead of|followed by|before|beats?|behind|unlike|versus|vs\.?|"
    r"compared (?:to|with)|in place of|not|nor|neither|exclud\w+|except(?: for)?|(?:anyone|anybody|all|everyone) but)"
    r"\s+(?:the\s+|offer\s+of\s+|supplier\s+)*$",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    rf"{INVERTED}|\b(?:if|would|could|without|unless|otherwise|second\w*|runner|next best|fallback|fall back|"
    r"alternative|back-?up|draft|scenario|sensitivity|excluding|previous\w*|third)\b",
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


_WORDS = 8
"""Words of choosing in one sentence that are looked at."""


class _Decision(NamedTuple):
    line: Line
    value: Value
    direct: bool
    """Whether nothing but words of awarding stands between the word of choosing and the option."""


def stated(
    lines: tuple[Line, ...], label: str, column: Column, known: tuple[Value, ...], right: tuple[Value, ...]
) -> Sight:
    """What a text decides on, and whether that is right."""
    reader = KeyReader(column, known)
    words_of = _STEM if _STEM.search(label) else _stems(label)
    found: list[tuple[int, _Decision]] = []
    for line in lines:
        aside = 2 if _SUPPOSED.search(line.text) else 1 if _NEGATED.search(line.text) else 0
        found += [(aside, one) for one in _decisions(line, reader, words_of)]

    def of(most: int, direct: bool) -> list[_Decision]:
        return [one for aside, one in found if aside <= most and (one.direct or not direct)]

    # Of what is said aside the first counts alone: all suppliers, each recommended "not knowing better", are a guess.
    decided = (
        _labelled(lines, label, reader)
        or of(0, True)
        or of(1, True)[:1]
        or of(0, False)[:1]
        or _under_heading(lines, reader)
        or of(2, False)[:1]
    )
    decided = decided or _said(lines, reader, column) or _below(lines, reader, column, words_of)
    wrong = [made for made in decided if made.value not in right]
    good = [made for made in decided if made.value in right]
    if wrong:
        message = f"{good[0].line.at} names {good[0].value}, too" if good else "another option is named"
        return Sight("wrong", wrong[0].line.at, str(wrong[0].value), message)
    if good:
        return Sight("right", good[0].line.at, str(good[0].value))
    return Sight("missing", message="no sentence says so")


def _stems(label: str) -> re.Pattern[str]:
    stems = sorted({re.escape(word[:6]) for word in words(label) if len(word) > 3}) or ["(?!)"]
    return re.compile(rf"\b(?:{'|'.join(stems)})\w*", re.IGNORECASE)


def _decisions(line: Line, reader: KeyReader, stem: re.Pattern[str]) -> list[_Decision]:
    """What the first word of choosing that is not denied decides on."""
    text = line.text
    known = reader.inside(text) if stem.search(text) else ()
    if not known:
        return []
    named = [span for span in known if not _COMPARED.search(text[max(0, span[0] - 40) : span[0]])]
    for word, _ in zip(stem.finditer(text), range(_WORDS), strict=False):
        before = [span for span in named if span[1] <= word.start()]
        subject = before[-1][0] if before and _IS.fullmatch(text[before[-1][1] : word.start()]) else word.start()
        if _NOT.match(text, word.end()) or _refused(text, subject, word.start(), known):
            continue
        if subject < word.start():
            return [_Decision(line, before[-1][2], True)]
        after = [span for span in named if span[0] >= word.end()]
        if not after:
            return [_Decision(line, before[-1][2], False)] if before else []
        if _refused(text, after[0][0], after[0][0], known, word.end()) or _NOT_IT.match(text, after[0][1]):
            continue
        direct = _direct(text[word.start() : after[0][0]], text[word.end() : after[0][0]])
        return [_Decision(line, value, direct) for value in _list(text, after)]
    return []


def _refused(text: str, subject: int, end: int, known: tuple[tuple[int, int, Value], ...], begin: int = 0) -> bool:
    """Whether the clause up to ``end`` says no, and not to another option that stands between (``reject X and``)."""
    start = max((at.end() for at in _BREAK.finditer(text, begin, subject)), default=begin)
    if subject < end and text[start:subject].rstrip().endswith((",", " and", " so")):  # not cheap, X is recommended
        start = subject
    last = max((at.start() for at in _REFUSED.finditer(text, start, end)), default=-1)
    return last >= 0 and not any(last < span[0] and span[1] <= subject for span in known)


def _list(text: str, named: list[tuple[int, int, Value]]) -> list[Value]:
    """The first option, with those that an enumeration adds to it: ``X, Y and Z``."""
    last = 0
    for at in range(1, len(named)):
        between = text[named[at - 1][1] : named[at][0]]
        if _ENUMERATED.fullmatch(between) is None:
            break
        if between.strip() != ",":
            last = at
    return [value for _, _, value in named[: last + 1]]


def _direct(whole: str, between: str) -> bool:
    return bool(_PLAIN.fullmatch(between) or (_AWARD.search(whole) and _TO.search(between)))


def _labelled(lines: tuple[Line, ...], label: str, reader: KeyReader) -> list[_Decision]:
    """What stands behind the very label: ``Renewal test: not passed``, not ``Renewal test after cure: passed``."""
    wanted, found = set(words(label)), []
    for line in lines:
        spans = reader.inside(line.text) if line.head is None else ()
        lead = line.text[: spans[0][0]].rstrip(" *_:") if len(spans) == 1 else ""
        if line.text[len(lead) :].lstrip("*_ ").startswith(":") and set(words(lead)) == wanted:
            found.append(_Decision(line, spans[0][2], True))
    return found


def _said(lines: tuple[Line, ...], reader: KeyReader, column: Column) -> list[_Decision]:
    """The one option of several words that sentences say, each of them alone; none where they say different ones."""
    if not column.type.options:
        return []
    plain = [line for line in lines if line.head is None and not _SUPPOSED.search(line.text)]
    told = [(line, {value for _, _, value in reader.inside(line.text)}) for line in plain if not _denied(line.text)]
    said = [(line, values) for line, values in told if values]
    options = set().union(*(values for _, values in said))
    if len(options) != 1 or " " not in str(*options):
        return []
    return [_Decision(said[0][0], options.pop(), False)]


def _below(lines: tuple[Line, ...], reader: KeyReader, column: Column, label: re.Pattern[str]) -> list[_Decision]:
    """A day or time that a sentence says alone, where its paragraph or the heading over it has a word of the label."""
    if column.type.kind not in ("date", "time"):
        return []
    for line in lines:
        spans = reader.inside(line.text)
        others = list(dates(line.text)) if column.type.kind == "date" else list(times(line.text))
        if len(spans) == len(others) == 1 and label.search(line.about) and not _SUPPOSED.search(line.text):
            return [_Decision(line, spans[0][2], False)]
    return []


def _denied(text: str) -> bool:
    return _NEGATED.search(text) is not None or _REFUSED.search(text) is not None


def _under_heading(lines: tuple[Line, ...], reader: KeyReader) -> list[_Decision]:
    for at, line in enumerate(lines[:-1]):
        if _STEM.search(line.text) and len(line.text) < 80 and line.head is None and not reader.inside(line.text):
            text = lines[at + 1].text
            spans = reader.inside(text)
            named = {value for _, _, value in spans}
            refused = spans and (_refused(text, spans[0][0], spans[0][0], ()) or _NOT_IT.match(text, spans[0][1]))
            if len(named) == 1 and not refused:
                return [_Decision(lines[at + 1], named.pop(), False)]
    return []
