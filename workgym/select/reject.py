"""Selective rejection: of several rollouts of one task the one whose deliverables a judge prefers.

Each pair is shown in both orders. Where the answer follows the place and not the work, the pair is *inconsistent* and
counts as a tie; where an answer cannot be had, it is *unscored*, and then so is the contest: nobody is rejected for a
fault of the judge. The best has the most wins, ties being half; among equals the higher reward wins, then fewer turns.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from workgym.errors import BudgetSpent, ModelError
from workgym.model import Message, Model, ModelRequest
from workgym.models import Asker, Form
from workgym.records.prompts import prompts
from workgym.select.look import Looked
from workgym.select.selection import Comparison
from workgym.verify.judging.fence import fenced
from workgym.verify.judging.rendering import view

PROMPTS = prompts(Path(__file__).with_name("prompts"))
REQUEST = 8_000
"""Characters of the request that a judge is shown."""
WORK = 40_000
"""Characters of all files of one work that a judge is shown."""


Choice = Literal["first", "second", "tie"]
"""What a judge may say."""
_SWAPPED: Mapping[Choice, Choice] = {"first": "second", "second": "first", "tie": "tie"}


class Preference(Form):
    """Which of two works is better."""

    reasons: str
    """The most important differences, with a short quotation from each work, in two to six sentences; written before
    the decision."""
    better: Choice
    """The work that the person who asked should rather receive; tie where it makes no difference."""


@dataclass(frozen=True)
class Contender:
    """One rollout."""

    trajectory: str
    """Its folder, as records name it."""
    work: str
    """What a judge is shown of its deliverables."""
    reward: float
    """Its reward."""
    turns: int
    """Its turns."""


def shown(handed: Mapping[str, Looked]) -> str:
    """All files of one work as a judge sees them: as data behind fences, what speaks to a judge taken out."""
    longest = WORK // max(1, len(handed))
    parts = []
    for path, one in sorted(handed.items()):
        if one.document is None:
            parts.append(f"FILE {path}: {one.missing}")
            continue
        seen = view(one.document, longest=longest)
        parts.append(f"FILE {path} ({seen.note})\n{fenced(seen.text)}")
    return "\n\n".join(parts) or "no file was handed in"


def compare(judge: Model, request: str, first: Contender, second: Contender) -> Comparison:
    """Two rollouts in both orders. Raises UsageError and BudgetSpent, and nothing else for what a model does."""
    answers: list[Choice] = []
    reasons: list[str] = []
    for one, other in ((first, second), (second, first)):
        try:
            said = _ask(judge, request, one.work, other.work)
        except BudgetSpent:
            raise
        except ModelError as error:
            reasons.append(f"no answer: {error.message}")
            return Comparison(
                first=first.trajectory, second=second.trajectory, outcome="unscored", reasons=tuple(reasons)
            )
        answers.append(said.better)
        reasons.append(said.reasons)
    return Comparison(
        first=first.trajectory,
        second=second.trajectory,
        outcome=_together(answers[0], answers[1]),
        reasons=tuple(reasons),
    )


def _ask(judge: Model, request: str, first: str, second: str) -> Preference:
    cut = request if len(request) <= REQUEST else f"{request[:REQUEST]} [... cut here]"
    question = PROMPTS["compare"].render(request=cut, first=first, second=second)
    messages = (Message.of("system", PROMPTS["system"].render()), Message.of("user", question))
    return Asker(judge, Preference).ask(ModelRequest(messages=messages)).value


def _together(straight: Choice, swapped: Choice) -> Choice | Literal["inconsistent"]:
    """One outcome of two answers; one clear answer beside a tie is no more than a leaning, and counts as a tie."""
    back = _SWAPPED[swapped]
    if straight == back:
        return straight
    return "tie" if "tie" in (straight, back) else "inconsistent"


def contest(judge: Model, request: str, contenders: Sequence[Contender]) -> tuple[str | None, tuple[Comparison, ...]]:
    """The folder of the best, None where a pair could not be compared; and every comparison.

    Works that read the same are a tie without a question. Raises as :func:`compare`.
    """
    comparisons = []
    points = {one.trajectory: 0.0 for one in contenders}
    for first, second in itertools.combinations(contenders, 2):
        if first.work == second.work:
            said = Comparison(
                first=first.trajectory, second=second.trajectory, outcome="tie", reasons=("the same work",)
            )
        else:
            said = compare(judge, request, first, second)
        comparisons.append(said)
        won = {"first": 1.0, "second": 0.0}.get(said.outcome, 0.5)
        points[first.trajectory] += won
        points[second.trajectory] += 1 - won
    if any(one.outcome == "unscored" for one in comparisons):
        return None, tuple(comparisons)
    best = min(contenders, key=lambda one: (-points[one.trajectory], -one.reward, one.turns, one.trajectory))
    return best.trajectory, tuple(comparisons)
