"""``plan``: one intent, one condition, one budget of corrections."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

from workgym.authoring.planner.desk import Desk
from workgym.authoring.planner.direct import direct
from workgym.authoring.planner.packaging import Accept, Wants
from workgym.authoring.planner.planned import planned
from workgym.authoring.planner.records import Condition, External, Planned
from workgym.authoring.planner.steps import Dropped, Talk
from workgym.errors import UsageError
from workgym.model import Model, Sampling
from workgym.records import Intent, WebAccess


def plan(
    intent: Intent,
    model: Model,
    *,
    condition: Condition,
    rounds: int = 8,
    accept: Accept | None = None,
    advise: Accept | None = None,
    progress: Callable[[str], None] | None = None,
    desk: Desk | None = None,
    external: External = "may",
    web: WebAccess | None = None,
    sampling: Sampling | None = None,
) -> Planned:
    """Plan a task from an intent with a model.

    ``rounds`` is how many corrections are asked for, over all steps together. ``accept`` looks at a package that can be
    written and gives lines of what is wrong with it; they go back to the model like errors of compiling. ``advise``
    does so too, and whoever gives a line has to give it once: a task is not dropped for what it says. ``desk`` is
    how much of an office a planned task must have, such as ``OFFICE_DESK``; None leaves that to the prompt.
    ``external`` says whether something that the task needs may or must stand on pages of an offline site, which web
    tools alone find, and ``web`` how well these tools work. ``progress`` is told a line for each correction. What does
    not hold within the budget is dropped, with stage and reason. The same replies give the same package.

    Raises UsageError for a condition or an ``external`` that there is not or a negative budget, and ModelError where
    the model cannot answer: an unavailable endpoint or a spent budget of money says nothing about the intent.
    """
    if condition not in ("planned", "direct"):
        raise UsageError(f"{condition!r} is no condition", fix="use planned or direct")
    if external not in get_args(External):
        raise UsageError(f"external: {external!r} is unknown", fix=f"use {', '.join(get_args(External))}")
    if rounds < 0:
        raise UsageError(f"{rounds} rounds: give 0 or more")
    talk = Talk(model, rounds, sampling or Sampling(), progress)
    try:
        task = (planned if condition == "planned" else direct)(intent, talk, Wants(accept, desk, external, web, advise))
    except Dropped as end:
        return Planned(None, end.drop, tuple(talk.rounds))
    return Planned(task, None, tuple(talk.rounds))
