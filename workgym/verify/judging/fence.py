"""A deliverable is data. It stands behind a fence that its author cannot write, and what speaks to the judge is found.

The fence's mark is a digest of the text within: random to look at, the same each time, and no text can contain the
digest of itself. Beyond that, sentences by which people are known to talk to a grader are a *tripwire*: each is
reported in the verdict and withheld from the judge, so that a copy with such sentences is judged as one without. What
a list does not know is the business of the judge's licence, for which nothing is withheld.
"""

from __future__ import annotations

import hashlib
import re
from typing import NamedTuple

_SENTENCE = re.compile(r"(?<=[.!?;])\s+")
_LONGEST = 160
_MOST = 20

_GRADER = r"(?:the\s+)?(?:grader|judge|evaluator|(?:reviewer|reviewing|grading|scoring|language|ai)\s+model|llm)s?"
_TRIPWIRES = tuple(
    re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    for pattern in (
        # Narrow on purpose, since what is found is withheld: in office work a contract goes to who has the highest
        # score, a judge gives reasons, payment instructions are to be disregarded, an item was approved, a system is
        # named. No pattern may take long on any text: blanks are counted where a pattern begins with them.
        r"\b(?:ignore|disregard|forget|override|bypass)\s+(?:(?:all|any|every|of|the|these|those|your|my)\s+){0,3}"
        r"(?:previous|prior|above|earlier|preceding|foregoing|system|grading)\s+"
        r"(?:instruction|prompt|rule|direction|guideline|message|criteri|rubric)",
        r"\b(?:ignore|disregard|forget|override|bypass)\s+(?:all\s+)?(?:of\s+)?(?:your\s+(?:instruction|prompt|rule)"
        r"|(?:the\s+)?(?:rubric|criterion|system\s+prompt)\b)",
        rf"\b(?:dear|attention|notes?\s+to|message\s+(?:for|to)|instructions?\s+(?:for|to)|hey|hello)\W{{1,4}}{_GRADER}\b",
        rf"\byou\s+are\s+(?:now\s+)?(?:an?\s+|the\s+)?{_GRADER}\b",
        rf"\b{_GRADER}\s+(?:must|should|shall|has\s+to|have\s+to|will|is\s+to|are\s+to)\b.{{0,60}}"
        r"\b(?:score|marks?|grade)\b",
        r"\b(?:give|award|assign|return|output|respond\s+with|answer\s+with)\b.{0,40}"
        r"\b(?:full|maximum|perfect)\s+(?:score|marks?|grade)\b",
        r"[\"']score[\"']\s*:\s*[\"']?[01]\b",
        r"<\|?(?:im_start|im_end|system|assistant|endoftext|begin_of_text|start_header_id)\|?>|\[/?INST\]|<</?SYS>>",
        r"(?-i:^[ \t]{0,20}(?:SYSTEM|ASSISTANT|DEVELOPER)[ \t]{0,9}:)",
        r"^[ \t]{0,20}(?:system|developer)[ \t]{1,9}(?:prompt|message)[ \t]{0,9}:",
        r"\b(?:new|updated|revised|real|actual)\s+(?:system\s+(?:instructions?|prompt)|prompt|rubric)\s*:",
        r"\b(?:this|the)\s+(?:rubric\s+item|criterion|submission)\s+(?:is|was|has\s+been)\s+(?:already\s+)?"
        r"(?:verified|approved|graded|scored|passed|met\s+by\s+definition|pre-?approved)\b",
        r"\bend\s+of\s+(?:the\s+)?(?:deliverable|submission|document\s+under\s+review)\b",
        r"<<<.{0,80}>>>",
    )
)


class Cleared(NamedTuple):
    """A text without what speaks to a grader."""

    text: str
    """What is left."""
    found: tuple[str, ...]
    """The sentences that were taken out, cut where they are long, at most 20."""


def cleared(text: str) -> Cleared:
    """Take sentences that speak to a grader out of a text; lines that are empty afterwards go, too."""
    if not any(pattern.search(text) for pattern in _TRIPWIRES):
        return Cleared(text, ())
    found: list[str] = []
    lines = []
    for line in text.split("\n"):
        if not _trips(line):
            lines.append(line)
            continue
        parts = [(part, _trips(part)) for part in _SENTENCE.split(line)]
        if not any(trips for _, trips in parts):  # only the line as a whole speaks so
            parts = [(line, True)]
        found += [part.strip()[:_LONGEST] for part, trips in parts if trips]
        kept = [part for part, trips in parts if not trips]
        if any(part.strip() for part in kept):
            lines.append(" ".join(kept))
    left = "\n".join(lines)
    for pattern in _TRIPWIRES:  # what runs over the end of a line
        found += [" ".join(match[0].split())[:_LONGEST] for match in pattern.finditer(left)]
        left = pattern.sub("", left)
    return Cleared(left, tuple(dict.fromkeys(found))[:_MOST])


def _trips(text: str) -> bool:
    return any(pattern.search(text) for pattern in _TRIPWIRES)


def fenced(text: str) -> str:
    """A text between two lines that nobody who wrote it could have written."""
    mark = hashlib.sha256(b"workgym fence\n" + text.encode("utf-8", "surrogatepass")).hexdigest()[:24]
    return f"<<<DATA {mark}>>>\n{text}\n<<<END {mark}>>>"
