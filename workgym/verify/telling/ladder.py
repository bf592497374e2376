"""What would have earned the rest: the repairs that raise a reward most, one after the other, up to full marks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import NamedTuple

from workgym.verify.combine import combiner
from workgym.verify.model import Scores, UnitScore, Verdict


class Step(NamedTuple):
    """One repair, on top of those before it."""

    what: str
    """What would have to be right."""
    reward: float
    """The reward then."""


def ladder(verdict: Verdict, most: int) -> tuple[Step, ...]:
    """Repairs by how much they bring, each on top of those before it; empty where every score is full.

    Guards stand first where several bring the same: nothing counts before they hold. Where there are more than
    ``most``, the last step is all of the rest together.
    """
    reward_of = combiner(verdict.combiner)
    scores = verdict.scores
    steps: list[Step] = []
    left = dict(_repairs(verdict.scores))
    while left:
        if len(steps) == most - 1 and len(left) > 1:
            full = reduce(_apply, left.values(), scores)
            return (*steps, Step(f"{len(left)} more", reward_of(full)))
        tried = {what: _apply(scores, repair) for what, repair in left.items()}
        best = max(tried, key=lambda what: reward_of(tried[what]))
        scores = tried[best]
        del left[best]
        steps.append(Step(best, reward_of(scores)))
    return tuple(steps)


Repair = tuple[str, int | str]


def _repairs(scores: Scores) -> Iterator[tuple[str, Repair]]:
    """What is not full, with the part of the scores that it is."""
    for name, value in sorted(scores.guards.items()):
        if value < 1:
            yield f"the guard {name!r} holds", ("guard", name)
    for at, unit in enumerate(scores.units):
        if unit.credit < 1:
            yield f"{unit.unit} in {unit.deliverable}: {_wanting(unit)}", ("unit", at)
    for at, item in enumerate(scores.rubric):
        if item.score < 1:
            yield f"rubric item {item.number} of {item.deliverable} is met in full", ("rubric", at)


def _wanting(unit: UnitScore) -> str:
    wrong = unit.facts - unit.right
    if not wrong:
        return "what is asked beyond its facts"
    if wrong == unit.facts:
        facts = "its one fact" if wrong == 1 else f"all {wrong} facts"
    else:
        facts = f"the {wrong} of {unit.facts} facts that are not right"
    return facts if unit.whole else f"{facts}, and what is asked beyond"


def _apply(scores: Scores, repair: Repair) -> Scores:
    kind, at = repair
    if kind == "guard":
        return scores.model_copy(update={"guards": {**scores.guards, str(at): 1.0}})
    if kind == "unit":
        units = tuple(
            unit.model_copy(update={"right": unit.facts, "whole": True}) if number == at else unit
            for number, unit in enumerate(scores.units)
        )
        return scores.model_copy(update={"units": units})
    items = tuple(
        item.model_copy(update={"score": 1.0}) if number == at else item for number, item in enumerate(scores.rubric)
    )
    return scores.model_copy(update={"rubric": items})
