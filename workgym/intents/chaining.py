"""From an intent: a whole task that starts from what came out of it."""

from __future__ import annotations

from workgym.intents import rules
from workgym.intents.dedup import matches
from workgym.intents.drafting import asked, operations, provenance, role, shown, wanted
from workgym.intents.forms import Chained
from workgym.intents.strata import setting
from workgym.model import Model
from workgym.records import Intent
from workgym.records.soc import soc


def chain(model: Model, intent: Intent, *, seed: int) -> Intent:
    """The intent of a task that takes files of ``intent`` as its input; its ``after`` is that one's id.

    Its first operation takes at least one of them, named in the same words: code checks it. Raises Unstructured where
    the model comes to none that holds, and ModelError.
    """
    number = int(intent.id[2:], 16) % 100_000
    drawn = setting(seed, number)
    names = [file.what for file in intent.wanted]
    places = {
        "intent": shown(intent),
        "wanted": "; ".join(names),
        "code": intent.role.occupation,
        "title": soc().all[intent.role.occupation].title,
        "work": drawn.work,
        "trigger": drawn.trigger,
        "stakes": drawn.stakes,
        "formats": ", ".join(drawn.formats),
    }

    def wrong(draft: Chained) -> list[str]:
        known = {rules.plain(name) for name in names}
        found = rules.draft(draft, drawn.formats) + rules.occupation(draft)
        strange = [name for name in draft.starts_from if rules.plain(name) not in known]
        found += [f"starts_from: {name!r} did not come out of the first task" for name in strange]
        found += rules.operations(draft.operations, given=draft.starts_from)
        if matches([intent.goal, draft.goal]):
            found.append("goal: it repeats the first task; a different piece of work is wanted")
        return found

    draft = asked(model, Chained, "chain", places, wrong, seed)
    return Intent(
        source=intent.source,
        role=role(draft, draft.occupation),
        goal=draft.goal.strip(),
        wanted=wanted(draft),
        operations=operations(draft.operations),
        after=intent.id,
        provenance=provenance(model, "chain", f"chain/{seed}/{intent.id}", drawn),
    )
