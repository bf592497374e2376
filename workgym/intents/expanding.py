"""From an occupation: a situated role, and what somebody in it wants done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from workgym.intents import rules
from workgym.intents.coverage import spread
from workgym.intents.drafting import Dropped, Job, asked, groups, made, provenance, role, wanted
from workgym.intents.forms import Draft
from workgym.intents.onet import Onet
from workgym.intents.strata import Setting, setting
from workgym.model import Model
from workgym.records import Intent
from workgym.records.soc import soc


def expand(
    model: Model,
    *,
    occupations: Sequence[str] | None,
    count: int,
    seed: int,
    onet: Onet | None = None,
    dropped: Dropped | None = None,
) -> Iterator[Intent]:
    """Intents of occupations, least covered first, in settings that the seed draws.

    ``occupations`` are codes of any level or prefixes (``13-20``, ``29-1``, ``13``), None for all of SOC 2018; ``onet``
    tells the model tasks, skills and titles. Fewer than ``count`` come where the model comes to none that holds:
    ``dropped`` is told why. Raises UsageError for a code that is none, and ModelError.
    """
    return made(expansions(model, spread(soc().many(occupations), count, seed), seed, onet=onet), dropped)


def expansions(
    model: Model,
    occupations: Sequence[str],
    seed: int,
    *,
    numbers: Sequence[int] | None = None,
    onet: Onet | None = None,
) -> Iterator[Job]:
    """A job for each of these detailed occupations; ``numbers`` say which settings of the seed they get."""
    for number, code in zip(numbers or range(len(occupations)), occupations, strict=True):
        slot = slot_of(seed, number, code)
        yield Job(slot, partial(_expanded, model, code, setting(seed, number), slot, number, onet))


def slot_of(seed: int, number: int, code: str) -> str:
    """What an expansion is known by."""
    return f"occupations/{seed}/{number}/{code}"


def _expanded(model: Model, code: str, drawn: Setting, slot: str, number: int, onet: Onet | None) -> Intent:
    known = None if onet is None else onet.occupations.get(code)
    places = {
        "code": code,
        "title": soc().all[code].title,
        "groups": groups(code),
        "facts": "" if known is None else f"\n{known.told(number)}\n",
        "industries": ", ".join(drawn.industries),
        "size": drawn.size,
        "seniority": drawn.seniority,
        "trigger": drawn.trigger,
        "stakes": drawn.stakes,
        "work": drawn.work,
        "place": drawn.place,
        "formats": ", ".join(drawn.formats),
    }
    draft = asked(model, Draft, "expand", places, lambda draft: rules.draft(draft, drawn.formats), number)
    origin = provenance(model, "expand", slot, drawn)
    if onet is not None and known is not None:
        origin["onet"] = onet.attribution
    return Intent(
        source="occupation",
        role=role(draft, code),
        goal=draft.goal.strip(),
        wanted=wanted(draft),
        provenance=origin,
    )
