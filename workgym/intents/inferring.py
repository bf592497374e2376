"""From real files: what somebody who has them wants done, inferred backwards from what they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from workgym.intents import rules
from workgym.intents.artifacts import Bundle, bundles
from workgym.intents.drafting import Dropped, Job, asked, fenced, made, minors, provenance, role, wanted
from workgym.intents.forms import Inferred
from workgym.intents.strata import setting
from workgym.model import Model
from workgym.records import Intent

LEAST = 3
"""Files that a goal needs, where there are so many."""


def infer(model: Model, artifacts: Path, *, count: int, seed: int, dropped: Dropped | None = None) -> Iterator[Intent]:
    """Intents whose goals are inferred from files: each folder of ``artifacts`` in turn, in settings of the seed.

    Each goal names its grounds, and code checks that those files are there and could be read. Raises UsageError for a
    folder that cannot be used, and ModelError; ``dropped`` is told of intents that came to nothing.
    """
    return made(inferences(model, bundles(artifacts), seed, range(count)), dropped)


def inferences(model: Model, known: Sequence[Bundle], seed: int, numbers: Iterable[int]) -> Iterator[Job]:
    """A job for each number."""
    for number in numbers:
        bundle = known[number % len(known)]
        slot = f"artifacts/{seed}/{number}/{bundle.name}"
        yield Job(slot, partial(_inferred, model, bundle, seed, number, slot))


def _inferred(model: Model, bundle: Bundle, seed: int, number: int, slot: str) -> Intent:
    drawn = setting(seed, number)
    least = min(LEAST, len(bundle.readable))
    places = {
        "files": fenced(bundle.told()),
        "least": "one" if least == 1 else least,
        "groups": minors(),
        "work": drawn.work,
        "seniority": drawn.seniority,
        "trigger": drawn.trigger,
        "stakes": drawn.stakes,
        "formats": ", ".join(drawn.formats),
    }

    def wrong(draft: Inferred) -> list[str]:
        found = rules.draft(draft, drawn.formats) + rules.occupation(draft)
        return found + _grounds(draft, bundle, least)

    draft = asked(model, Inferred, "infer", places, wrong, number)
    digests = {file.path: file.sha256 for file in bundle.files}
    origin = provenance(model, "infer", slot, drawn) | {"bundle": bundle.name}
    return Intent(
        source="artifacts",
        role=role(draft, draft.occupation),
        goal=draft.goal.strip(),
        wanted=wanted(draft),
        provenance=origin | {f"file {ground.file}": f"sha256:{digests[ground.file]}" for ground in draft.grounds},
    )


def _grounds(draft: Inferred, bundle: Bundle, least: int) -> list[str]:
    named = [ground.file for ground in draft.grounds]
    wrong = [
        f"grounds: there is no file {name!r}, or it cannot be read" for name in named if name not in bundle.readable
    ]
    if len(set(named)) < least:
        wrong.append(f"grounds: {len(set(named))} files are named; the goal needs at least {least}")
    spoken = [path for path in bundle.readable if path.rpartition("/")[2] in draft.goal]
    return wrong + [f"goal: it names the file {path!r}; say what it is" for path in spoken]
