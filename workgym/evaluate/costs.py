"""What a corpus cost: by stage and model from its ledgers, and for each task from its entry.

The ledger knows what was really paid; entries know what a task rests on, stored replies included. Intents belong to no
task: what they and their reviews took is known from the ledgers alone. A price that nobody knows is None, and so is
every sum that it is in: nothing is estimated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from workgym.models import Ledger
from workgym.models.budget import NANO, Spent
from workgym.records import Record
from workgym.records.factory import STAGES, FactoryEntry, Taken

INTENTS = ("intent", "intents", "reviews")
"""Stages under which ledgers book intents and their reviews: those of ``build``, and of ``intents make``."""


class StageCost(Record):
    """What one stage took of one model."""

    stage: str
    """The stage."""
    model: str
    """The model."""
    calls: int
    """Replies that were paid for."""
    stored: int
    """Times that a stored reply was given instead."""
    failures: int
    """Calls that ended in an error."""
    repeats: int
    """Calls made again after a process was killed."""
    prompt: int
    """Tokens read."""
    cached: int
    """Tokens of them from the provider's cache."""
    completion: int
    """Tokens written."""
    uncounted: int
    """Replies whose tokens nobody counted."""
    usd: float | None
    """US dollars; None where a price is not known."""


class IntentCost(Record):
    """What candidates for intents and their reviews took, whether they were admitted or not."""

    calls: int
    """Replies that were paid for."""
    tokens: int
    """Tokens read and written."""
    uncounted: int
    """Replies whose tokens nobody counted."""
    usd: float | None
    """US dollars; None where a price is not known."""


class TaskCost(Record):
    """What tasks of one condition rest on, over all that was tried; what intents took is in it, where it is known."""

    entries: int
    """Intents that were planned so."""
    kept: int
    """Tasks that came of them."""
    calls: int
    """Replies, stored ones included."""
    tokens: int
    """Tokens read and written; replies that nobody counted are not in it."""
    uncounted: int
    """Replies whose tokens nobody counted."""
    usd: float | None
    """US dollars; None where a price is not known."""
    calls_each: float | None
    """Replies for each task that was kept, dropped ones being paid for by them; None where none was."""
    tokens_each: float | None
    """Tokens for each task that was kept; None where none was."""
    usd_each: float | None
    """US dollars for each task that was kept; None where none was, or a price is not known."""


class Costs(Record):
    """All of it."""

    stages: tuple[StageCost, ...]
    """By stage and model, in the order of the stages."""
    usd: float | None
    """US dollars that were paid; None where a price is not known, or there is no ledger."""
    unpriced: tuple[str, ...]
    """Models whose price is not known."""
    intents: IntentCost | None
    """What intents took; None where no ledger says so."""
    by_condition: Mapping[str, TaskCost]
    """By how the tasks were planned; each has all that the intents took, which it would need alone."""

    @property
    def basis(self) -> str:
        """What the figures for a task include, in a sentence."""
        if self.intents is None:
            return "What their intents took is not in it: no ledger in the folder says so."
        return f"The intents are in it: {self.intents.tokens:,} tokens for candidates and reviews, admitted or not."


def costs(ledgers: Iterable[Path], entries: Sequence[FactoryEntry]) -> Costs:
    """The costs in ledgers, summed by stage and model, and in entries. Raises UsageError where a file is no ledger."""
    spent = _booked(ledgers)
    stages = [_stage(stage, model, took) for (stage, model), took in spent.items()]
    intents = _intents([took for (stage, _), took in spent.items() if stage in INTENTS])
    priced = bool(spent) and all(took.cost is not None for took in spent.values())
    return Costs(
        stages=tuple(sorted(stages, key=lambda one: (_place(one.stage), one.model))),
        usd=float(sum(took.money for took in spent.values())) if priced else None,
        unpriced=tuple(sorted({model for (_, model), took in spent.items() if took.cost is None})),
        intents=intents,
        by_condition={
            condition: _tasks([entry for entry in entries if entry.condition == condition], intents)
            for condition in sorted({entry.condition for entry in entries})
        },
    )


def _booked(ledgers: Iterable[Path]) -> dict[tuple[str, str], Spent]:
    """By (stage, model), what was taken in all of them."""
    sums: dict[tuple[str, str], Counter[str]] = {}
    for path in ledgers:
        book = Ledger(path)
        try:
            for stage, model in book.stages():
                sums.setdefault((stage, model), Counter()).update(book.spent(stage=stage, model=model).model_dump())
        finally:
            book.close()
    return {key: Spent(**counts) for key, counts in sums.items()}


def _place(stage: str) -> tuple[int, str]:
    if stage in INTENTS:
        return -1, stage
    return (STAGES.index(stage), "") if stage in STAGES else (len(STAGES), stage)


def _stage(stage: str, model: str, took: Spent) -> StageCost:
    return StageCost(
        stage=stage,
        model=model,
        calls=took.calls,
        stored=took.hits,
        failures=took.failures,
        repeats=took.repeats,
        prompt=took.prompt,
        cached=took.cached,
        completion=took.completion,
        uncounted=took.uncounted,
        usd=None if took.cost is None else float(took.cost),
    )


def _intents(spent: Sequence[Spent]) -> IntentCost | None:
    if not spent:
        return None
    return IntentCost(
        calls=sum(took.calls for took in spent),
        tokens=sum(took.prompt + took.completion for took in spent),
        uncounted=sum(took.uncounted for took in spent),
        usd=None if any(took.cost is None for took in spent) else float(sum(took.money for took in spent)),
    )


def _tasks(entries: Sequence[FactoryEntry], intents: IntentCost | None) -> TaskCost:
    taken: list[Taken] = [one for entry in entries for one in entry.taken]
    kept = sum(entry.kept for entry in entries)
    calls = sum(one.calls for one in taken)
    tokens = sum(one.prompt + one.completion for one in taken)
    nano = [one.nano for one in taken]
    known = [one for one in nano if one is not None]
    usd = float(sum(known) / NANO) if taken and len(known) == len(nano) else None
    uncounted = sum(one.uncounted for one in taken)
    if intents is not None:
        calls, tokens, uncounted = calls + intents.calls, tokens + intents.tokens, uncounted + intents.uncounted
        usd = None if usd is None or intents.usd is None else usd + intents.usd
    return TaskCost(
        entries=len(entries),
        kept=kept,
        calls=calls,
        tokens=tokens,
        uncounted=uncounted,
        usd=usd,
        calls_each=calls / kept if kept else None,
        tokens_each=tokens / kept if kept else None,
        usd_each=usd / kept if kept and usd is not None else None,
    )
