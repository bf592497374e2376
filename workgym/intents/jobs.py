"""What a run has to make, for each source: the same options give the same slots, of which a library knows some."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path

from workgym.errors import UsageError
from workgym.intents.artifacts import bundles
from workgym.intents.chaining import chain
from workgym.intents.composing import compositions, documented
from workgym.intents.coverage import spread
from workgym.intents.drafting import Job
from workgym.intents.expanding import expansions, slot_of
from workgym.intents.inferring import inferences
from workgym.intents.library import Library
from workgym.intents.onet import Onet
from workgym.model import Model
from workgym.records.soc import codes, soc
from workgym.records.whole import write_whole


def of_occupations(
    model: Model, written: str | None, *, count: int, seed: int, gaps: Library | None = None, onet: Path | None = None
) -> Iterator[Job]:
    """Expansions of the occupations in a text (``13-20,29-1``; None for all), least covered first.

    With ``gaps`` it is what that library covers least. What was drawn is kept in it, so that an interrupted run goes on
    with the same; a larger count draws more. Raises UsageError.
    """
    within = codes(written)
    known = None if onet is None else Onet.read(onet)
    drawn = spread(soc().many(within), count, seed) if gaps is None else _gaps(gaps, within, count, seed)
    return expansions(model, drawn, seed, onet=known)


def _gaps(library: Library, within: tuple[str, ...] | None, count: int, seed: int) -> tuple[str, ...]:
    file = library.folder / f"gaps-{seed}.txt"
    drawn = tuple(file.read_text("utf-8").split()) if file.exists() else ()
    if strange := set(drawn) - set(soc().many(within)):
        raise UsageError(f"{file}: {min(strange)} is not among the occupations", fix="take another --seed")
    if len(drawn) < count:
        done = library.slots
        coming = [code for number, code in enumerate(drawn) if slot_of(seed, number, code) not in done]
        drawn += library.gaps(count - len(drawn), within=within, seed=seed, coming=coming)
        write_whole(file, "\n".join(drawn) + "\n")
    return drawn[:count]


def of_skills(model: Model, folder: Path, *, count: int, seed: int) -> Iterator[Job]:
    """Compositions of documented skills. Raises UsageError."""
    return compositions(model, documented(folder), seed, range(count))


def of_artifacts(model: Model, folder: Path, *, count: int, seed: int) -> Iterator[Job]:
    """Inferences from real files. Raises UsageError."""
    return inferences(model, bundles(folder), seed, range(count))


def of_chains(model: Model, library: Library, *, count: int, seed: int) -> Iterator[Job]:
    """Tasks that follow the first ``count`` intents of a library that follow none themselves. Raises UsageError."""
    firsts = list(islice((intent for intent in library.all() if not intent.after), count))
    if not firsts:
        raise UsageError(f"{library.folder}: no intents to go on from", fix="make some: workgym intents make DIR")
    return (Job(f"chain/{seed}/{intent.id}", partial(chain, model, intent, seed=seed)) for intent in firsts)
