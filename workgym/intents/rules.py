"""What code can say about a draft: each function gives lines that go back to the model, none where all is well."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import chain

from workgym.intents.forms import Draft, Placed, Step
from workgym.records.soc import soc

_ABBREVIATION = re.compile(
    r"\b(?:e\.g|i\.e|etc|approx|Nos?|Mrs?|Ms|Dr|Prof|St|vs|Inc|Ltd|Co|Corp|Art|Sec|Fig|pp?|[A-Z]|"
    r"Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.(?=\s)"
)
_SENTENCE = re.compile(r"[.!?][\"')”]*(?:\s+|$)")
_REFERENCE = re.compile(
    r"(?:\b(?:section|clause|article|annex|appendix|chapter|part|paragraph|rule|item|table|form|version|release|schedule|"
    r"standard|step|line|no\.?)s?|§+)\s*\d+(?:\.\d+)+(?:(?:\s?(?:,|and|or|to|-|–)\s?)\d+(?:\.\d+)+)*",
    re.IGNORECASE,
)
"""Numbers that only name a place: ``clause 4.2``, ``sections 3.1 and 3.2``."""
_MONEY = r"[$€£¥₹₩]|\b(?:USD|EUR|GBP|CHF|JPY|INR|AUD|CAD|BRL|ZAR|KRW)\b"
_SPOILERS = (
    (re.compile(rf"(?:{_MONEY})\s?\d|\d\s?(?:{_MONEY})"), "an amount of money"),
    (re.compile(r"\b\d+\s?(?:thousand|million|billion|dollars|euros?|pounds)\b"), "an amount of money"),
    (re.compile(r"\d\s?(?:%|per ?cent\b|percentage points?\b)"), "a percentage"),
    (re.compile(r"(?<![\w.:-])\d+\.\d+(?![\w.])"), "a figure with decimals"),
)
_PLACEHOLDER = re.compile(
    r"\[[A-Z][^\]]*\]|<[a-z_ ]+>|\bX{3,}\b|\bABC (?:Ltd|Inc|Corp|Co|Company|GmbH)\b|"
    r"\b(?:XYZ|Acme|Contoso|Lorem ipsum|TBD|TODO|John Doe|Jane Doe|Company [A-Z])\b"
)
_BESIDE = re.compile(r"\b(?:SOC 20\d\d|LLM|large language model|as an AI|this prompt|these instructions)\b")
_UNREAL = ("png", "jpg", "zip", "mbox", "log", "sqlite", "vcf")
"""Formats that nobody hands in as the work itself."""
KINDS = (("xlsx", "csv", "tsv", "json"), ("docx", "pdf", "md", "html", "txt"))
"""Formats that may stand for one another, where an occupation's people would hand in the other one."""


def draft(made: Draft, formats: Sequence[str]) -> list[str]:
    """What every draft keeps."""
    return list(chain(_goal(made.goal), _wanted(made, formats), _texts(made)))


def _goal(goal: str) -> Iterator[str]:
    count = len([part for part in _SENTENCE.split(_ABBREVIATION.sub("", goal)) if part.strip()])
    if not 2 <= count <= 5:
        yield f"goal: it has {count} sentences; two to five are wanted"
    figures = _REFERENCE.sub("", goal)
    for pattern, what in _SPOILERS:
        if found := pattern.search(figures):
            around = figures[max(0, found.start() - 20) : found.end() + 20]
            yield f"goal: {what} stands in it (... {around} ...): figures belong to the sources or come out of the work"


def _wanted(made: Draft, formats: Sequence[str]) -> Iterator[str]:
    given = [file.format for file in made.wanted]
    if [_kind(form) for form in given] != [_kind(form) for form in formats]:
        wish = ", ".join(formats)
        yield f"wanted: the formats are {', '.join(given)}; asked for are {wish} or their like, in this order"
    names = [plain(file.what) for file in made.wanted]
    if len(set(names)) < len(names):
        yield "wanted: two files are called the same"
    if unreal := [form for form in given if form in _UNREAL]:
        yield f"wanted: {unreal[0]} is nothing that is handed in as work"


def _kind(form: str) -> str:
    return next((kinds[0] for kinds in KINDS if form in kinds), form)


def _texts(made: Draft) -> Iterator[str]:
    for name in ("title", "industry", "size", "seniority", "trigger", "stakes", "goal"):
        text: str = getattr(made, name)
        if found := _PLACEHOLDER.search(text):
            yield f"{name}: {found[0]!r} is a placeholder; invent a name, or say what it is"
        if found := _BESIDE.search(text):
            yield f"{name}: {found[0]!r} has no place in what a person at work wants"


def occupation(made: Placed) -> list[str]:
    """That code and title name the same detailed occupation of SOC 2018."""
    table = soc()
    found = table.all.get(made.occupation)
    near = "; ".join(f"{one.code} {one.title}" for one in table.like(made.occupation_title))
    if found is None or found.level != "detailed":
        return [f"occupation: {made.occupation} is no detailed occupation of SOC 2018; near its title: {near}"]
    if plain(found.title) != plain(made.occupation_title):
        return [
            f"occupation: {found.code} is {found.title!r}, not {made.occupation_title!r}; near that title: {near}. "
            "Give code and title as they stand there"
        ]
    return []


def operations(steps: Sequence[Step], *, skills: Collection[str] = (), given: Collection[str] = ()) -> list[str]:
    """That each operation but the first takes what an earlier one gives, and that nothing comes out for nobody.

    ``skills`` are those that must be used, and may; ``given`` is what the first operation takes something of.
    """
    wrong = []
    known = {plain(name) for name in skills}
    for number, step in enumerate(steps, 1):
        if step.skill and plain(step.skill) not in known:
            wrong.append(f"operations {number}: there is no skill {step.skill!r} here")
    used = {plain(step.skill) for step in steps}
    wrong += [f"operations: the skill {name!r} is not used" for name in skills if plain(name) not in used]
    if given and not {plain(taken) for taken in steps[0].takes} & {plain(name) for name in given}:
        wrong.append(f"operations 1: takes none of {', '.join(map(repr, given))}, in the same words")
    return wrong + _joined(steps)


def _joined(steps: Sequence[Step]) -> list[str]:
    wrong = []
    earlier: dict[str, str] = {}
    taken: set[str] = set()
    for number, step in enumerate(steps, 1):
        takes = {plain(one) for one in step.takes}
        if number > 1 and not takes & earlier.keys():
            there = ", ".join(map(repr, earlier.values()))
            wrong.append(f"operations {number}: takes nothing that an earlier one gives, in the same words: {there}")
        if plain(step.gives) in earlier:
            wrong.append(f"operations {number}: an earlier one gives {step.gives!r} already")
        if plain(step.gives) in takes:
            wrong.append(f"operations {number}: gives what it takes, {step.gives!r}")
        taken |= takes
        earlier[plain(step.gives)] = step.gives
    loose = [step.gives for step in steps[:-1] if plain(step.gives) not in taken]
    return wrong + [
        f"operations: nobody takes {gives!r}; a later operation needs it, or it is left out" for gives in loose
    ]


def plain(phrase: str) -> str:
    """A phrase without case, articles and outer punctuation: what counts as the same words."""
    words = re.sub(r"[^\w]+", " ", phrase.casefold()).split()
    return " ".join(words[1:] if words[:1] in (["the"], ["a"], ["an"]) else words)
