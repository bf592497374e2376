"""Unsupported success claims: files, acts and numbers of the last message that nothing bears out.

What a sentence says with *not*, *would*, *if* and their like is no claim. The words are English; a message in another
language is held to its files and numbers alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from workgym.records import FORMATS, canonical
from workgym.select.config import UnsupportedClaims
from workgym.select.filters.numbers import Known, told
from workgym.select.look import Looked
from workgym.select.score import Evidence, Score, scored
from workgym.select.story import Story
from workgym.trajectory import Call

NAME = "unsupported_claims"
_ENDINGS = "|".join(
    sorted((ending for one in FORMATS.values() if one.name != "code" for ending in one.endings), key=len, reverse=True)
)
"""Endings of documents; names like Node.js look like programs."""
_LONGEST = 20_000
"""Characters of a message that are looked at."""
_FILE = re.compile(rf"(?<![\w*/@.:])[\w./()&+-]{{0,120}}\w[)]?\.(?:{_ENDINGS})\b(?![\w*/@(])", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_NO_CLAIM = re.compile(
    r"\b(?:no|not|never|cannot|without|unable|would|should|could|might|must|if|whether|until|unless|please|recommend\w*"
    r"|still|missing|absent|removed|deleted|instead|failed)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
_MADE = re.compile(
    r"\b(?:creat(?:e|ed|ing)|wrote|writ(?:e|ing|ten)|sav(?:e|ed|ing)|produc(?:e|ed|ing)|prepar(?:e|ed|ing)|generat\w+|"
    r"attached|deliver(?:ed|ing|ables?)|export\w*|completed|updated|filled|filed|handed|put|added|built|stored|compiled|"
    r"drafted)\b|^\s*(?:[-*\u2022]|\d+[.)])\s",
    re.IGNORECASE,
)
"""Words of making, or a line of a list, which in a last message is a list of what was made."""
_ACT = (
    r"(?:verified|validated|double[- ]checked|cross[- ]checked|re-?checked|sanity[- ]checked|tested|confirmed|"
    r"re-?calculated|re-?computed|re-?opened|proof-?read)"
)
_WORK = (
    r"(?:(?:workbook|total|figure|formula|result|output|deliverable|calculation|sum)s?|formulae|everything|"
    r"re-?calculated|re-?computed|re-?opened|proof-?read)"
)
"""Words by which what is checked is the work itself, which can only be looked at once it is written."""
_ACTS = re.compile(
    rf"\b(?:I|we)(?:['\u2019]ve|\s+have|\s+also|\s+then|\s+fully|\s+carefully|\s+have\s+also){{0,2}}\s+(?P<one>{_ACT})\b"
    rf"|\b{_WORK}\b.{{0,60}}?\b(?:has|have|were|was)\s+(?:(?:all|also|fully|then|been)\s+){{0,2}}(?P<two>{_ACT})\b"
    rf"|^\W*(?P<three>{_ACT})\b|\band\s+(?P<four>{_ACT})\b(?=.{{0,40}}?\b(?:{_WORK}|it|them)\b)",
    re.IGNORECASE,
)
_ITSELF = re.compile(rf"\b{_WORK}\b|\.(?:{_ENDINGS})\b", re.IGNORECASE)
_CHECKS = re.compile(
    r"assert|check|verif|load_workbook|read_|open\(|print\(|\bcat\b|recalc|soffice|compare|diff\b", re.IGNORECASE
)


def unsupported_claims(story: Story, handed: Mapping[str, Looked], config: UnsupportedClaims) -> Score:
    """The share of claims that are borne out; 0 where a file or an act is claimed that is not there."""
    message = story.last_words[:_LONGEST]
    last = (story.calls[-1].call.index,) if story.calls else ()
    claims = [sentence for sentence in _SENTENCE.split(message) if sentence.strip() and not _NO_CLAIM.search(sentence)]
    wrong = [*_files(claims, story), *_acts(claims, story)]
    numbers = told(_FILE.sub(" ", "\n".join(claims)), config.digits)
    lost = []
    if numbers and "message" in story.events:  # else nobody wrote down what the solver was asked
        known = Known([*story.read, *_answers(story), *(one.text for one in handed.values())])
        lost = [one.text for one in numbers if not known.shows(one)]
    counted = lost if len(lost) > config.spare else []
    evidence = [Evidence(what=what, calls=calls or last) for what, calls in wrong]
    evidence += [Evidence(what=f"{text} stands in no file, answer or request", calls=last) for text in counted]
    if wrong:
        return scored(NAME, 0.0, config.least, wrong[0][0], evidence)
    score = 1 - len(counted) / len(numbers) if numbers else 1.0
    return scored(NAME, score, config.least, f"{len(counted)} of {len(numbers)} numbers stand nowhere else", evidence)


def _answers(story: Story) -> Iterator[str]:
    return (one.observation.text for one in story.calls if one.observation is not None)


def _files(claims: list[str], story: Story) -> Iterator[tuple[str, tuple[int, ...]]]:
    if story.handed is None:
        return
    there = [f"/{path.casefold()}" for path in story.handed.digests]
    for sentence in claims:
        for match in _FILE.finditer(sentence):
            name = match[0].strip("().").partition("//")[0].casefold()
            base = name.rpartition("/")[2]
            if any(path.endswith((f"/{base}", f" {base}")) for path in there):
                continue
            seen = [one.call.index for one in story.work if base in _spoken_of(one)]
            if _MADE.search(sentence) or not (seen or any(base in text.casefold() for text in story.read)):
                yield f"{match[0]} is named, and was not handed in", tuple(seen[-1:])


def _spoken_of(one: Call) -> str:
    return (canonical(one.call.arguments) + (one.observation.text if one.observation is not None else "")).casefold()


def _acts(claims: list[str], story: Story) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Acts of checking that are claimed where no call looked: at the work, after its last change; at all else, ever."""
    work = [one for one in story.work if one.observation is not None and not one.observation.is_error]
    changing = [at for at, one in enumerate(work) if one.observation is not None and one.observation.changes]
    last = work[changing[-1]] if changing else None
    late = work[changing[-1] + 1 :] if changing else work
    looks = bool(late) or (last is not None and bool(_CHECKS.search(_code(last))))
    ever = looks or len(work) > len(changing)
    for sentence in claims:
        match = _ACTS.search(sentence.strip())
        if match is None:
            continue
        act = next(group for group in match.groups() if group)
        if _ITSELF.search(sentence) and not looks:
            calls = () if last is None else (last.call.index,)
            yield f"{act!r} is said, and no call after the last change looked at anything", calls
        elif not ever:
            yield f"{act!r} is said, and no call ever looked at anything", ()


def _code(one: Call) -> str:
    """The program that a call runs; empty where it runs none."""
    arguments = one.call.arguments if isinstance(one.call.arguments, dict) else {}
    return "\n".join(str(arguments[name]) for name in ("code", "command", "cmd") if name in arguments)
