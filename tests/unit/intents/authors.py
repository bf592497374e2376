"""Models for these tests: one that writes what the prompts ask for, and a judge."""

from __future__ import annotations

import json
import random
import re
from typing import Any

from workgym.model import ModelRequest
from workgym.models import ScriptedModel
from workgym.records.soc import soc

WORDS = (
    "ledger pallet invoice warranty ward turbine syllabus beacon orchard gasket voucher lease parish tariff herd kiln "
    "docket stipend trench quota vessel module rota silo bursary canteen hangar nursery permit queue relay shelter"
).split()


def told(request: ModelRequest) -> str:
    """All that a request says."""
    return "\n".join(block.text for message in request.messages for block in message.blocks if block.type == "text")


def asked(request: ModelRequest) -> str:
    """What the first question says: its first text of a user."""
    return next(message.blocks[0].text for message in request.messages if message.role == "user")  # type: ignore[union-attr]


def one(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    assert found is not None, pattern
    return found[1]


def goal(seed: str) -> str:
    """A goal in three sentences that is unlike any other."""
    rng = random.Random(seed)
    some = iter([rng.choice(WORDS) + rng.choice(WORDS) for _ in range(60)])
    return " ".join(" ".join(next(some) for _ in range(20)).capitalize() + "." for _ in range(3))


def draft(request: ModelRequest) -> dict[str, Any]:
    """A draft that keeps all rules."""
    question = asked(request)
    formats = one(r"What comes out, in this order: (.*)\.", question).split(", ")
    return {
        "background": "People keep two records of this, and they differ at the end of every period.",
        "title": "Records officer",
        "industry": "civil engineering",
        "size": "a firm of 45 people",
        "seniority": one(r"The person: (.*)\. ?", question) if "The person:" in question else "experienced",
        "trigger": "The second record arrived on Monday, and it does not agree with ours.",
        "stakes": "If nobody settles it by Friday, the claim is lost for good.",
        "goal": goal(question),
        "wanted": [{"what": f"paper number {number}", "format": form} for number, form in enumerate(formats, 1)],
    }


def placed(request: ModelRequest) -> dict[str, Any]:
    return draft(request) | {"occupation": "13-1081", "occupation_title": "Logisticians"}


def steps(names: list[str]) -> list[dict[str, Any]]:
    return [
        {
            "skill": name,
            "does": f"does what {name} says",
            "takes": ["the raw records"] if number == 0 else [f"the product of {names[number - 1]}"],
            "gives": f"the product of {name}",
        }
        for number, name in enumerate(names)
    ]


def write(request: ModelRequest) -> str:
    """What the prompts ask for, well made."""
    question = asked(request)
    if question.startswith("Write one intent for this occupation"):
        made = draft(request)
    elif "are to be joined" in question:
        anchor = one(r"One of them has to be in it: (.*)\.", question)
        other = next(name for name in re.findall(r"^- (.*?):", question, re.M) if name != anchor)
        made = {"because": "the second needs what the first one gives", "skills": [anchor, other]}
    elif "that composes" in question:
        names = one(r"in this order: (.*)\.", question).split(", ")
        made = placed(request) | {"operations": steps(names)}
    elif question.startswith("Somebody's working files"):
        files = re.findall(r"^### (.*) \([\d,]+ bytes\)$", question, re.M)
        made = placed(request) | {"grounds": [{"file": file, "shows": "a record of the matter"} for file in files[:3]]}
    elif question.startswith("Here is an intent"):
        first = one(r"in exactly these words: (.*?)[;.]", question)
        step = {"skill": "", "does": "settles the rest", "takes": [first, "the new list"], "gives": "the settlement"}
        made = placed(request) | {"starts_from": [first], "operations": [step]}
    else:
        raise AssertionError(question)
    return json.dumps(made)


def scores(coherence: int = 5, fit: int = 4, plausibility: int = 4) -> str:
    given = {"coherence": coherence, "fit": fit, "plausibility": plausibility}
    return json.dumps({f"about_{name}": f"The {name} follows from the goal and the role." for name in given} | given)


def author() -> ScriptedModel:
    return ScriptedModel(write, name="author")


def judge(**given: int) -> ScriptedModel:
    return ScriptedModel(lambda _: scores(**given), name="judge")


def title(code: str) -> str:
    return soc().all[code].title
