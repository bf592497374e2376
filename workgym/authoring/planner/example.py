"""The worked example of the prompts as an intent and replies: a dry run of the planner without a model."""

from __future__ import annotations

import re

from workgym.authoring.planner.artifacts import PlanChange, PlanDraft
from workgym.authoring.planner.forms import GraphChange, GraphDraft
from workgym.authoring.planner.merging import changed_graph, changed_plan
from workgym.authoring.planner.telling import PROMPTS, json_of
from workgym.records import Intent, SituatedRole, Wanted

_JSON = re.compile(r"```json\n(.*?)\n```", re.DOTALL)


def worked_example(*, external: bool = False) -> tuple[Intent, tuple[str, str]]:
    """The intent, and the two replies, a graph and a plan as JSON, that a model might give to it.

    ``external``, a part of what is needed stands on pages of an offline site.
    """
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
    (graph,), (plan,) = _examples("example_graph"), _examples("example_plan")
    return intent, _with_web(graph, plan) if external else (graph, plan)


def _examples(name: str) -> list[str]:
    return _JSON.findall(PROMPTS[name].text)


def _with_web(graph: str, plan: str) -> tuple[str, str]:
    """Both replies with the changes that bring the web in."""
    of_graph, of_plan = _examples("example_web")
    return (
        json_of(changed_graph(GraphDraft.model_validate_json(graph), GraphChange.model_validate_json(of_graph))),
        json_of(changed_plan(PlanDraft.model_validate_json(plan), PlanChange.model_validate_json(of_plan))),
    )
