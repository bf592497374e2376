"""Intents for the factory: those of a library, or made and reviewed first."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from pathlib import Path

from workgym.engine.crew import Crew, Tally
from workgym.errors import UsageError
from workgym.intents import Library, fill
from workgym.intents.jobs import of_occupations
from workgym.records import Intent


def intake(
    folder: Path,
    crew: Crew,
    *,
    make: bool,
    occupations: str | None = None,
    count: int | None = None,
    seed: int = 0,
    workers: int = 2,
    progress: Callable[[str], None] = lambda line: None,
) -> tuple[Intent, ...]:
    """The intents of a library, in their order, ``count`` at most.

    With ``make`` as many candidates of these occupations (``13-20,29-1``; None for all) are made and reviewed first, as
    far as the library does not know them: those that a review turns down, and repeats, do not count as intents. Raises
    UsageError for a library that is none or empty, and for codes that are none; ModelError where a model fails.
    """
    library = Library(folder)
    if make:
        if count is None:
            raise UsageError("how many intents are to be made?", fix="--count 20")
        tally = Tally()
        jobs = of_occupations(crew.member("builder", "intent", tally), occupations, count=count, seed=seed)
        for entry in fill(library, jobs, crew.member("judge", "intent", tally), workers=workers):
            progress(f"intent {entry}")
    found = tuple(islice(library.all(), count))
    if not found:
        raise UsageError(f"{folder}: no intent that was admitted", fix="make some: workgym intents make DIR")
    return found
