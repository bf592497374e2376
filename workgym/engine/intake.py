"""Intents for the factory: those of a library, or made and reviewed first."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from workgym.engine.crew import UNAVAILABLE, Crew, Tally
from workgym.errors import ModelError, ModelUnavailable, UsageError
from workgym.intents import Entry, Job, Library, fill, soc
from workgym.intents.jobs import of_occupations
from workgym.records import Intent, Record
from workgym.records.soc import codes

TRIES = 3
"""Candidates for each intent that is wanted, at most: a judge that turns all of them down is not asked for ever."""
MOST = 10**6
"""Intents of one run."""

Progress = Callable[[str], None]


class Intake(Record):
    """What a run plans from."""

    intents: tuple[Intent, ...]
    """The intents, in the order in which they are carried through the stages."""
    wanted: int | None = None
    """How many were asked for; None where all of a library were."""
    tried: int = 0
    """Candidates that were made for them, by this run and those before it; 0 where none are made."""
    stopped: str = ""
    """Why no more candidates were made, for a reason that may pass; empty where none were missing."""


def intake(
    folder: Path,
    crew: Crew,
    *,
    make: bool,
    occupations: str | None = None,
    count: int | None = None,
    seed: int | None = None,
    workers: int = 2,
    progress: Progress = lambda line: None,
) -> Intake:
    """Intents of the occupations in a text (``13-20,29-1``; None for all), ``count`` at most.

    With ``make`` they are made and reviewed, into the library in ``folder``: candidates that ``seed`` (0) draws, until
    ``count`` are admitted or three times as many were tried. What the library knows already is not made again, so that
    the same call goes on; entries of other draws are left alone. A budget that is spent, or a model that cannot be
    reached, ends it with what there is (``stopped``), and the run with it.

    Without, they are those of the library: the first ``count`` (None: all), or with a ``seed`` as many that it draws.

    Raises UsageError for a number or codes that are none, and a library without such intents; ModelError where a model
    fails otherwise.
    """
    if count is not None and not 1 <= count <= MOST:
        raise UsageError(f"--count {count}", fix=f"give a number from 1 to {MOST:,}")
    if not make:
        return _taken(folder, occupations, count, seed)
    if count is None:
        raise UsageError("how many intents are to be made?", fix="--count 20")
    return _made(folder, crew, occupations, count, seed or 0, workers, progress)


def _taken(folder: Path, occupations: str | None, count: int | None, seed: int | None) -> Intake:
    if not folder.is_dir():
        raise UsageError(f"{folder}: there is no such library", fix="make one: workgym intents make DIR")
    within = frozenset(soc().many(codes(occupations)))
    held = list(Library(folder).all())
    found = [one for one in held if occupations is None or one.role.occupation in within]
    if not found:
        of = f" of {occupations}" if held else ""
        raise UsageError(f"{folder}: no intent{of} that was admitted", fix="make some: workgym intents make DIR")
    if seed is not None:  # by each intent's own number, so that a larger count holds the same ones
        found.sort(key=lambda one: hashlib.sha256(f"{seed}/{one.id}".encode()).digest())
    return Intake(intents=tuple(found[:count]), wanted=count)


def _made(
    folder: Path, crew: Crew, occupations: str | None, count: int, seed: int, workers: int, progress: Progress
) -> Intake:
    """Candidates in rounds, each as large as what is missing: none is paid for that is not wanted, and whoever goes on
    comes to the same."""
    library, tally, stopped = Library(folder), Tally(), ""
    builder, judge = (crew.member(role, "intent", tally) for role in ("builder", "judge"))
    tries = count
    while True:
        jobs = tuple(of_occupations(builder, occupations, count=tries, seed=seed))
        known = _known(library, jobs)
        states = Counter(entry.status for entry in known)
        if len(known) < tries:
            progress(f"intents: {states['admitted']} of {count} admitted, {tries - len(known)} candidates to make")
        try:
            for entry in fill(library, jobs, judge, workers=workers):
                states[entry.status] += 1
                progress(f"intents: {states['admitted']} of {count} admitted, {states.total()} tried; {entry}")
        except ModelError as error:
            stopped = _stopped(crew, error)
        known = _known(library, jobs)
        found = tuple(one.intent for one in known if one.status == "admitted" and one.intent is not None)
        missing = count - len(found)
        if stopped or not missing or tries == TRIES * count:
            return Intake(intents=found, wanted=count, tried=len(known), stopped=stopped)
        tries = min(tries + missing, TRIES * count)


def _known(library: Library, jobs: Sequence[Job]) -> list[Entry]:
    """What became of some jobs, in their order, as far as something has."""
    found = {entry.slot: entry for entry in library.entries()}
    return [found[job.slot] for job in jobs if job.slot in found]


def _stopped(crew: Crew, error: ModelError) -> str:
    """Why the run ends, where it does so for a reason that may pass; any other error is raised again."""
    if isinstance(error, ModelUnavailable):
        crew.ending.begin(UNAVAILABLE)
        return f"{UNAVAILABLE}: {' '.join(str(error).split())}"
    if not crew.ending.begun:
        raise error
    return crew.ending.why
