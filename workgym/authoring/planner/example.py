"""The worked example of the prompts as an intent and replies: a dry run of the planner without a model."""

from __future__ import annotations

import re

from workgym.authoring.planner.telling import PROMPTS
from workgym.records import Intent, SituatedRole, Wanted

_JSON = re.compile(r"```json\n(.*?)\n```", re.DOTALL)


def worked_example() -> tuple[Intent, tuple[str, str]]:
    """The intent, and the two replies, a graph and a plan as JSON, that a model might give to it."""
    role = SituatedRole(
        occupation="11-9141",
        title="property manager",
        industry="real estate",
        size="an office of nine people",
        seniority="fourth year",
        trigger="the heat invoice of a building is in",
        stakes="tenants wait for their statement",
    )
    wanted = (Wanted(what="statement", format="csv"), Wanted(what="cover note to the owners", format="docx"))
    goal = "Settle the heating cost of a building with its tenants under the lease terms, and say who owes most."
    intent = Intent(source="occupation", role=role, goal=goal, wanted=wanted)
    return intent, (_example("example_graph"), _example("example_plan"))


def _example(name: str) -> str:
    (found,) = _JSON.findall(PROMPTS[name].text)
    return str(found)
