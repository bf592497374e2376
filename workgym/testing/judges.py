"""Scripted judges: an honest one, and one for each vice that keeps a judge from its licence.

They are models, so that they stand wherever a judge's model does. The honest one knows questions of the exam, whose
criterion spells out values (``... is VALUE; ... is VALUE.``), and looks whether these stand in the work; of any other
criterion it says whether the work holds the word that stands in single quotation marks in it.
"""

from __future__ import annotations

import json
import re

from workgym.model import ModelRequest, TextBlock
from workgym.models import ScriptedModel

_WORK = re.compile(r"<<<DATA (\w+)>>>\n(.*?)\n<<<END \1>>>", re.DOTALL)
_CRITERION = re.compile(r"THE CRITERION\n(.*?)\n\n", re.DOTALL)
_VALUE = re.compile(r" is (.+?)(?:; |\.$)")


def honest(name: str = "honest") -> ScriptedModel:
    """Says what is so."""
    return ScriptedModel(lambda request: _said(_truth(request)), name)


def lenient() -> ScriptedModel:
    """Finds everything well done."""
    return ScriptedModel(lambda _: _said(1), "lenient")


def positional() -> ScriptedModel:
    """Honest about one work; of two it prefers the first."""
    return ScriptedModel(lambda request: _said(1 if len(works(request)) == 2 else _truth(request)), "positional")


def injectable() -> ScriptedModel:
    """Honest until somebody tells it otherwise."""

    def answer(request: ModelRequest) -> str:
        told = any(re.search(r"grader|the score is 1|\"score\": 1|Reviewers", work) for work in works(request))
        return _said(1 if told else _truth(request))

    return ScriptedModel(answer, "injectable")


def works(request: ModelRequest) -> tuple[str, ...]:
    """What a question shows between its fences."""
    return tuple(match[2] for match in _WORK.finditer(asked(request)))


def asked(request: ModelRequest) -> str:
    """All text of a question."""
    blocks = (block for message in request.messages for block in message.blocks)
    return "\n".join(block.text for block in blocks if isinstance(block, TextBlock))


def _truth(request: ModelRequest) -> float:
    found = _CRITERION.search(asked(request))
    criterion = "" if found is None else found[1]
    shares = [_share(criterion, work) for work in works(request)]
    if len(shares) == 2:
        return 1 if shares[0] > shares[1] else 0 if shares[0] < shares[1] else 0.5
    return 1 if shares[0] == 1 else 0 if shares[0] == 0 else 0.5


def _share(criterion: str, work: str) -> float:
    wanted = _VALUE.findall(criterion) if criterion.startswith("States each of these") else []
    wanted = wanted or re.findall(r"'(.+?)'", criterion)
    return sum(value in work for value in wanted) / len(wanted) if wanted else 0.0


def _said(score: float) -> str:
    return json.dumps({"reasons": "It was looked for in the work.", "score": score})
