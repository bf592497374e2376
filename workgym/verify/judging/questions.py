"""What a judge is asked: one rubric item about one deliverable, or about the process; reasons first, then a score.

What is trusted (the request, what is known to be true, the item) stands before the fence, what is judged within it.
The digest of all these texts is a part of a judge's pin: whoever changes a word needs new licences.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from workgym.graph import RubricItem
from workgym.model import Block, Message, TextBlock
from workgym.package import TaskPackage
from workgym.records import digest
from workgym.records.prompts import prompts
from workgym.verify.judging.fence import fenced
from workgym.verify.judging.rendering import View
from workgym.verify.stated.asked import shown

_TEXTS = prompts(Path(__file__).with_name("prompts"))
SYSTEM, SINGLE, PAIR = (_TEXTS[name].render() for name in ("system", "single", "pair"))

ROWS = 40
"""Rows of one unit that a judge is told."""
_REQUEST = 6_000
_VALUES = 12_000

PROMPT = digest({"system": SYSTEM, "single": SINGLE, "pair": PAIR, "rows": ROWS, "form": 1})[:16]
"""Digest of what a judge is asked with; the last number is raised with the code that puts a question together."""


@dataclass(frozen=True)
class Question:
    """One question to a judge."""

    item: str
    """The criterion."""
    request: str
    """What the worker was asked to do."""
    facts: tuple[str, ...]
    """What is known to be true, a line each."""
    views: tuple[View, ...]
    """The work; two where the first is compared with the second."""
    about: Literal["deliverable", "process"] = "deliverable"
    """What the work is: a file, or how it was made."""

    def messages(self) -> tuple[Message, ...]:
        """The question as a conversation."""
        facts = "\n".join(f"- {line}" for line in self.facts) or "- none are given"
        opening = (
            f"THE REQUEST (what the worker was asked)\n{_cut(self.request, _REQUEST)}\n\n"
            f"KNOWN TO BE TRUE\n{_cut(facts, _VALUES)}\n\nTHE CRITERION\n{self.item}\n\n"
            f"{PAIR if len(self.views) == 2 else SINGLE}"
        )
        blocks: list[Block] = [TextBlock(text=opening)]
        for number, view in enumerate(self.views):
            what = "a file that was handed in" if self.about == "deliverable" else "a record of how the work was done"
            name = ("THE FIRST WORK", "THE SECOND WORK")[number] if len(self.views) == 2 else "THE WORK"
            blocks.append(TextBlock(text=f"{name} ({what}; {view.note})\n{fenced(view.text)}"))
            blocks += view.pictures
        blocks.append(TextBlock(text=f"Now judge by the criterion alone: {self.item}\nReasons first, then the score."))
        return Message.of("system", SYSTEM), Message(role="user", blocks=tuple(blocks))


class Opinion(NamedTuple):
    """What an answer must hold."""

    reasons: str
    """Why, before the score."""
    score: float
    """0, 0.5 or 1."""


def opinion(text: str) -> Opinion:
    """The opinion in an answer. Raises ValueError where there is none, more than one, or it is not as asked for."""
    found = [pairs for pairs in _objects(text) if any(name == "score" for name, _ in pairs)]
    if len(found) != 1:  # two may be the judge's and one that it quotes
        raise ValueError("there is no JSON object with a score in it" if not found else "there is more than one score")
    names = [name for name, _ in found[0]]
    reasons, score = dict(found[0]).get("reasons"), dict(found[0])["score"]
    if names != ["reasons", "score"]:
        raise ValueError("it does not hold reasons, then a score, and nothing else")
    if not isinstance(reasons, str) or not reasons.strip():
        raise ValueError("there are no reasons")
    if isinstance(score, bool) or score not in (0, 0.5, 1):
        raise ValueError("the score is not 0, 0.5 or 1")
    return Opinion(reasons, float(score))


def _objects(text: str) -> Iterator[list[tuple[str, Any]]]:
    """The outermost JSON objects in a text, their pairs in the order in which they are written."""
    decoder = json.JSONDecoder(object_pairs_hook=list)
    at = text.find("{")
    while at != -1:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            yield value
        at = text.find("{", end)


def known(package: TaskPackage, item: RubricItem) -> tuple[str, ...]:
    """What is true of the units that an item rests on: a line for each of their rows, the first 40 of a unit."""
    lines: list[str] = []
    for name in dict.fromkeys(rests.partition(".")[0] for rests in item.rests_on):
        unit = package.hidden.graph.unit(name)
        relation = package.hidden.values.get(name)
        if relation is None:
            lines.append(f"{unit.content} ({unit.scope})")
            continue
        rows = [
            "; ".join(f"{column.title} {shown(value)}" for column, value in zip(unit.columns, row, strict=True))
            for row in relation.rows
        ]
        lines += [f"{unit.content}: {row}" for row in rows[:ROWS]]
        if len(rows) > ROWS:
            lines.append(f"{unit.content}: and {len(rows) - ROWS} more rows")
        if not rows:
            lines.append(f"{unit.content}: none")
    return tuple(lines)


def ask_of(package: TaskPackage, item: RubricItem, views: Sequence[View]) -> Question:
    """The question that a rubric item is."""
    return Question(item.item, package.request, known(package, item), tuple(views), item.about)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]} [... cut here]"
