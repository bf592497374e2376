"""What a corpus cost: by stage and model from its ledgers, and for each task from its entry.

The ledger knows what was really paid; entries know what a task rests on, stored replies included. A price that nobody
knows is None, and so is every sum that it is in: nothing is estimated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from workgym.models import Ledger
from workgym.models.budget import NANO, Spent
from workgym.records import Record
from workgym.records.factory import STAGES, FactoryEntry, Taken


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


class TaskCost(Record):
    """What tasks of one condition rest on, over all that was tried."""

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
    by_condition: Mapping[str, TaskCost]
    """By how the tasks were planned."""


def costs(ledgers: Iterable[Path], entries: Sequence[FactoryEntry]) -> Costs:
    """The costs in ledgers, summed by stage and model, and in entries. Raises UsageError where a file is no ledger."""
    spent = _booked(ledgers)
    stages = [_stage(stage, model, took) for (stage, model), took in spent.items()]
    priced = bool(spent) and all(took.cost is not None for took in spent.values())
    return Costs(
        stages=tuple(sorted(stages, key=lambda one: (_place(one.stage), one.model))),
        usd=float(sum(took.money for took in spent.values())) if priced else None,
        unpriced=tuple(sorted({model for (_, model), took in spent.items() if took.cost is None})),
        by_condition={
            condition: _tasks([entry for entry in entries if entry.condition == condition])
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


def _tasks(entries: Sequence[FactoryEntry]) -> TaskCost:
    taken: list[Taken] = [one for entry in entries for one in entry.taken]
    kept = sum(entry.kept for entry in entries)
    calls = sum(one.calls for one in taken)
    tokens = sum(one.prompt + one.completion for one in taken)
    nano = [one.nano for one in taken]
    known = [one for one in nano if one is not None]
    usd = float(sum(known) / NANO) if taken and len(known) == len(nano) else None
    return TaskCost(
        entries=len(entries),
        kept=kept,
        calls=calls,
        tokens=tokens,
        uncounted=sum(one.uncounted for one in taken),
        usd=usd,
        calls_each=calls / kept if kept else None,
        tokens_each=tokens / kept if kept else None,
        usd_each=usd / kept if kept and usd is not None else None,
    )
