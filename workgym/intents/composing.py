"""From documented skills: operations joined into one piece of work, what one gives being what the next one takes."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from workgym.errors import UsageError
from workgym.intents import rules
from workgym.intents.drafting import Dropped, Job, asked, fenced, made, minors, operations, provenance, role, wanted
from workgym.intents.forms import Choice, Composed
from workgym.intents.skills import Skill, skills
from workgym.intents.strata import dealt, setting
from workgym.model import Model
from workgym.records import Intent

OFFERED = 12
"""Skills that a model chooses from."""
LEAST, MOST = 2, 4
"""Skills in one intent."""


def compose(model: Model, skills: Path, *, count: int, seed: int, dropped: Dropped | None = None) -> Iterator[Intent]:
    """Intents composed of the documented skills of a folder; each skill is in one about equally often.

    The model chooses which skills go together, out of a dozen that the seed draws, one of which has to be in it, and
    joins their operations; code checks that each but the first takes what an earlier one gives. Raises UsageError for
    a folder that cannot be used, and ModelError; ``dropped`` is told of intents that came to nothing.
    """
    return made(compositions(model, documented(skills), seed, range(count)), dropped)


def documented(folder: Path) -> tuple[Skill, ...]:
    """The skills of a folder. Raises UsageError where there are fewer than two."""
    found = skills(folder)
    if len(found) < LEAST:
        raise UsageError(f"{folder}: one skill cannot be composed", fix="give a folder of several")
    return found


def compositions(model: Model, known: Sequence[Skill], seed: int, numbers: Iterable[int]) -> Iterator[Job]:
    """A job for each number."""
    for number in numbers:
        anchor = dealt(known, number, f"{seed}/skill")
        slot = f"skills/{seed}/{number}/{anchor.name}"
        yield Job(slot, partial(_composed, model, known, anchor, seed, number, slot))


def _composed(model: Model, known: Sequence[Skill], anchor: Skill, seed: int, number: int, slot: str) -> Intent:
    chosen = _chosen(model, known, anchor, seed, number)
    drawn = setting(seed, number)
    names = [skill.name for skill in chosen]
    texts = "\n\n".join(f"## {skill.name}\n{skill.description}\n\n{skill.body}" for skill in chosen)
    places = {
        "order": ", ".join(names),
        "skills": fenced(texts),
        "groups": minors(),
        "industries": ", ".join(drawn.industries),
        "size": drawn.size,
        "seniority": drawn.seniority,
        "trigger": drawn.trigger,
        "stakes": drawn.stakes,
        "place": drawn.place,
        "formats": ", ".join(drawn.formats),
    }

    def wrong(draft: Composed) -> list[str]:
        found = rules.draft(draft, drawn.formats) + rules.occupation(draft)
        return found + rules.operations(draft.operations, skills=names)

    draft = asked(model, Composed, "compose", places, wrong, number)
    origin = provenance(model, "compose", slot, drawn)
    return Intent(
        source="skills",
        role=role(draft, draft.occupation),
        goal=draft.goal.strip(),
        wanted=wanted(draft),
        operations=operations(draft.operations),
        provenance=origin | {f"skill {skill.file}": f"sha256:{skill.sha256}" for skill in chosen},
    )


def _chosen(model: Model, known: Sequence[Skill], anchor: Skill, seed: int, number: int) -> tuple[Skill, ...]:
    others = [skill for skill in known if skill is not anchor]
    rng = random.Random(f"{seed}/{number}/offered")
    offered = sorted([anchor, *rng.sample(others, min(len(others), OFFERED - 1))], key=lambda skill: skill.name)
    by_name = {rules.plain(skill.name): skill for skill in offered}
    most = min(MOST, len(offered))

    def wrong(choice: Choice) -> list[str]:
        names = [rules.plain(name) for name in choice.skills]
        found = [f"skills: {name!r} is not on offer" for name in choice.skills if rules.plain(name) not in by_name]
        if rules.plain(anchor.name) not in names:
            found.append(f"skills: {anchor.name!r} has to be in it")
        if not LEAST <= len(set(names)) == len(names) <= most:
            found.append(f"skills: {LEAST} to {most} different ones are wanted")
        return found

    places = {
        "skills": fenced("\n".join(f"- {skill.name}: {skill.description}" for skill in offered)),
        "anchor": anchor.name,
        "least": LEAST,
        "most": most,
    }
    choice = asked(model, Choice, "choose", places, wrong, number)
    return tuple(by_name[rules.plain(name)] for name in choice.skills)
