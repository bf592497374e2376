"""Inquiries: what several checks want to know of one task in other worlds, asked all at once.

A statement of :mod:`workgym.graph.whatif` costs about the same for however many worlds, so checks put their worlds
together and each is told of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from workgym.errors import EvaluationError
from workgym.graph.evaluate import Evaluator
from workgym.graph.relation import Relation, Values
from workgym.graph.whatif import Enough, imagine
from workgym.records import Finding


@dataclass(frozen=True)
class Inquiry:
    """Worlds that a check asks about, and what it makes of the answers."""

    worlds: Sequence[Values]
    """Each with all provided rows."""
    enough: Enough
    """Is told the derived units of each world, by its position here."""
    told: Callable[[Mapping[int, EvaluationError]], Iterator[Finding]]
    """Is given the errors of those that cannot be evaluated, when all else has been told; yields what was found."""


def inquire(evaluator: Evaluator, base: Values, inquiries: Sequence[Inquiry]) -> list[tuple[Finding, ...]]:
    """What each inquiry found. Raises EvaluationError where ``base`` itself lacks a needed row."""
    asked = [(which, number) for which, inquiry in enumerate(inquiries) for number in range(len(inquiry.worlds))]

    def enough(world: int, relation: Relation) -> bool:
        which, number = asked[world]
        return inquiries[which].enough(number, relation)

    errors: list[dict[int, EvaluationError]] = [{} for _ in inquiries]
    for world, error in imagine(evaluator, base, [inquiries[a].worlds[b] for a, b in asked], enough).items():
        which, number = asked[world]
        errors[which][number] = error
    return [tuple(inquiry.told(missed)) for inquiry, missed in zip(inquiries, errors, strict=True)]


def moving(values: Values, worlds: Sequence[Values], found: Callable[[Sequence[bool]], Iterator[Finding]]) -> Inquiry:
    """Whether the premises of each world give other derived rows than ``values``, or none at all: ``found`` is told."""
    moved: set[int] = set()

    def differs(world: int, new: Relation) -> bool:
        if new.by_key != values[new.unit.name].by_key:
            moved.add(world)
        return world in moved

    def told(errors: Mapping[int, EvaluationError]) -> Iterator[Finding]:
        yield from found([world in moved or world in errors for world in range(len(worlds))])

    return Inquiry(worlds, differs, told)


__all__ = ["Inquiry", "inquire", "moving"]
