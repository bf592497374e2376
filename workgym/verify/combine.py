"""Combiners: how the scores of a verdict become one reward. Named and versioned; a change is a new version.

``V_code`` is what ``code/1`` gives, guards included. ``V_LLM`` is the mean of the scores of the rubric items, each from
0 to 1 (WorkForge: scored one by one, normalized). A task without rubric items has no ``V_LLM``: what combines the two
gives ``V_code`` there. Numbers behind a colon replace a combiner's own: ``geometric/1:0.7,0.3``.

===============  ==========================================================================  ===================
name             reward                                                                      numbers
===============  ==========================================================================  ===================
``code/1``       ``V_code``: no judge is needed                                              none
``geometric/1``  ``(V_code^a * V_LLM^b)^(1/(a+b))``, 0 if either is 0 (Cowork-Gym)           ``a,b`` (1,1)
``product/1``    ``V_code * V_LLM``                                                          none
``mean/1``       ``(a * V_code + b * V_LLM)/(a+b)``                                          ``a,b`` (1,1)
``gate/1``       0 where ``V_code < g``, else the weighted mean                              ``g,a,b`` (0.5,1,1)
``all-pass/1``   1 where every unit, guard and rubric item is 1, else 0                      none
===============  ==========================================================================  ===================
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from workgym.errors import UsageError
from workgym.verify.model import Scores

Combiner = Callable[[Scores], float]
"""Scores to a reward from 0 to 1; it is 1 only where every score is."""

STRAY = 0.9
"""What stray files multiply by, however many there are: untidy, but the work may still be right."""
SPOILT = 0.0
"""What a change beside the declared areas of an edited input multiplies by; see ``guards`` for the reason."""
LOST = 0.5
"""What a comment, chart or picture that an edited input lost multiplies by."""


def code_1(scores: Scores) -> float:
    """``V_code`` times the guards: the mean of the units' credit, weighted as stated.

    Guards: ``inputs`` and ``types`` are 0 or 1 (a changed or removed input, or a deliverable that is not of the
    format that its name says, spoils the whole hand-in); ``stray`` is 1 or 0.9; ``collateral``, where a file is
    filled in or extended, is 0 for a change beside the declared areas, and 0.5 for comments, charts or pictures lost.
    """
    total = sum(unit.weight for unit in scores.units)
    if total <= 0:
        return 0.0
    mean = sum(unit.weight * unit.credit for unit in scores.units) / total
    return round(mean * prod(scores.guards.values()), 6)


def rubric_mean(scores: Scores) -> float | None:
    """``V_LLM``: the mean of the scored rubric items; None where there are none."""
    given = [item.score for item in scores.rubric]
    return sum(given) / len(given) if given else None


def weighted_geometric(code: float, rubric: float, a: float = 1.0, b: float = 1.0) -> float:
    """``(code^a * rubric^b)^(1/(a+b))``, and 0 if either is 0: who is good on one side only is punished harder.

    Source: Cowork-Gym. (.9, .4) gives .6; with weights .7 and .3 it is .70565.
    """
    if code <= 0 or rubric <= 0:
        return 0.0
    return math.exp((a * math.log(code) + b * math.log(rubric)) / (a + b))


def geometric_1(scores: Scores, a: float = 1.0, b: float = 1.0) -> float:
    """The weighted geometric mean of ``V_code`` and ``V_LLM``, 0 if either is 0."""
    return _both(scores, lambda code, rubric: weighted_geometric(code, rubric, a, b))


def product_1(scores: Scores) -> float:
    """``V_code * V_LLM``."""
    return _both(scores, lambda code, rubric: code * rubric)


def mean_1(scores: Scores, a: float = 1.0, b: float = 1.0) -> float:
    """``(a * V_code + b * V_LLM) / (a + b)``: one side may make up for the other."""
    return _both(scores, lambda code, rubric: (a * code + b * rubric) / (a + b))


def gate_1(scores: Scores, gate: float = 0.5, a: float = 1.0, b: float = 1.0) -> float:
    """0 where ``V_code`` is below ``gate``, else the weighted mean: words count once the numbers hold."""
    return mean_1(scores, a, b) if code_1(scores) >= gate else 0.0


def all_pass_1(scores: Scores) -> float:
    """1 where every unit has full credit, every guard holds and every rubric item has 1; 0 otherwise."""
    every = [unit.credit for unit in scores.units] + [*scores.guards.values()] + [item.score for item in scores.rubric]
    return float(bool(scores.units) and all(value == 1 for value in every))


def _both(scores: Scores, of: Callable[[float, float], float]) -> float:
    code, rubric = code_1(scores), rubric_mean(scores)
    return code if rubric is None else round(of(code, rubric), 6)


@dataclass(frozen=True)
class _Kind:
    """A combiner with what may be written behind its name."""

    run: Callable[..., float]
    numbers: tuple[str, ...] = ()
    judged: bool = True


_KINDS: Mapping[str, _Kind] = {
    "code/1": _Kind(code_1, judged=False),
    "geometric/1": _Kind(geometric_1, ("a", "b")),
    "product/1": _Kind(product_1),
    "mean/1": _Kind(mean_1, ("a", "b")),
    "gate/1": _Kind(gate_1, ("gate", "a", "b")),
    "all-pass/1": _Kind(all_pass_1),
}
COMBINERS: Mapping[str, Combiner] = {name: kind.run for name, kind in _KINDS.items()}
"""Combiners by name and version, with their own numbers."""


def combiner(name: str) -> Combiner:
    """The combiner of that name. Raises UsageError where there is none, or its numbers cannot be."""
    kind, numbers = _parsed(name)
    return lambda scores: kind.run(scores, *numbers)


def needs_judge(name: str) -> bool:
    """Whether that combiner reads what a judge scores. Raises UsageError as :func:`combiner`."""
    return _parsed(name)[0].judged


def no_judge(name: str) -> UsageError:
    """The error where a combiner reads what a judge scores, and there is none."""
    return UsageError(
        f"the combiner {name} needs what a judge scores, and no judge is configured", fix="give one (--judge)"
    )


def _parsed(name: str) -> tuple[_Kind, Sequence[float]]:
    bare, colon, written = name.partition(":")
    kind = _KINDS.get(bare)
    if kind is None:
        raise UsageError(f"there is no combiner {name!r}", fix=f"use one of {', '.join(_KINDS)}")
    if not colon:
        return kind, ()
    try:
        numbers = tuple(float(part) for part in written.split(","))
    except ValueError:
        numbers = ()
    weights = numbers[1:] if kind.numbers[:1] == ("gate",) else numbers
    sound = all(0 <= number < math.inf for number in numbers) and all(weights)
    if not numbers or len(numbers) != len(kind.numbers) or not sound:
        wanted = f"write {bare}:{','.join(kind.numbers)} with numbers above 0" if kind.numbers else f"write {bare}"
        raise UsageError(f"combiner {name!r}: these are not its numbers", fix=wanted)
    return kind, numbers
