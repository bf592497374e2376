"""The package of a planned task: card, hidden side, and what settles each conflict, found where it came to stand."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from workgym.authoring.carriers import slug
from workgym.authoring.planner.desk import Desk
from workgym.authoring.planner.plans import MOST_CAPABILITIES
from workgym.authoring.planner.records import Condition, External, Problem, Wrong
from workgym.graph import Conflict, SupportGraph, Values
from workgym.package import DeliverableCard, Hidden, Interfaces, Origin, TaskCard, TaskPackage, canary
from workgym.package.assemble import Assembled, bindings, toolchain
from workgym.plan import ConstructionPlan
from workgym.records import Anchor, Intent, WebAccess

Accept = Callable[[TaskPackage], Sequence[str]]
"""Lines of what is wrong with a package, such as findings; none means that it is accepted."""


class Wants(NamedTuple):
    """What a package has to be like beyond what the planner checks itself."""

    accept: Accept | None = None
    """Looks at the package; None for nothing more."""
    desk: Desk | None = None
    """How much of an office a planned task has; None for any."""
    external: External = "may"
    """Whether something that it needs stands on web pages."""
    web: WebAccess | None = None
    """How well its web tools work, where it has any; None where they never fail."""
    advise: Accept | None = None
    """Lines that the model is told once and may leave as they are; None for nothing."""


_CHECK = re.compile(r"[a-z][a-z-]{2,30}")
_WAYS: Mapping[str, str] = {
    "loose": 'print it from its unit, or declare what belongs to none: {{ "..." | decor }}',
    "presence": "print it in a file beside its label, and beside its key where it has one, or tell it in a state block",
    "leak": "take it out: what the solver works out stands nowhere",
    "request": "say it in the request word for word",
    "precision": "say in the request how precisely: to the cent, to two decimal places, in whole hours",
    "wording": "ask for it in one sentence with all words of its label, or label it as the request asks for it",
    "vocabulary": "name each word of the list in the request or in a file",
    "paths": "name files that are there, by their paths, or that are to be handed in",
    "listing": "take the list out: which rows they are is for the solver to find",
    "contradiction": "take the other number out, or say whose or of when it is",
    "conflict": "print the rule, or tell it in a state block, in a file that the solver sees",
}
"""Ways out of what the checks of files find."""
_WEB_WAYS: Mapping[str, str] = {
    "lies in the workspace": "take it out of the file, or make it provided",
    "stands on pages alone": "make it external, or print it in a file, too",
    "has no title": "begin the text with # and the title",
    "does not find the page": "give it a title with words of its own",
}
"""Ways out of what the check of pages finds, by what it says."""
_SHORT = "print it whole: a date with its year, a number with all its digits"
"""The way out where a value stands in a form that leaves something of it open."""
_LONGEST_SLUG = 40
_LONGEST_TITLE = 120


def task_id(title: str, intent: Intent, condition: Condition) -> str:
    """The id of a planned task: ``workfactory/<slug>-<intent id>[-direct]-v1``."""
    words = slug(title)[:_LONGEST_SLUG].rpartition("-")[0] if len(slug(title)) > _LONGEST_SLUG else slug(title)
    return f"workfactory/{words}-{intent.id}{'-direct' if condition == 'direct' else ''}-v1"


def package(
    intent: Intent,
    condition: Condition,
    builder: str,
    *,
    title: str,
    capabilities: Sequence[str],
    graph: SupportGraph,
    values: Values,
    plan: ConstructionPlan,
    made: Assembled,
    web: WebAccess | None,
) -> TaskPackage:
    """The package. ``graph`` has its carriers; ``made`` are the files that the plan gave."""
    title = _plain(title, _LONGEST_TITLE)
    identity = task_id(title, intent, condition)
    card = TaskCard(
        id=identity,
        version=1,
        title=title,
        occupation=intent.role.occupation,
        role=_role(intent),
        capabilities=tuple(_plain(text, 80) for text in capabilities[:MOST_CAPABILITIES]),
        deliverables=tuple(
            DeliverableCard(path=spec.path, format=spec.path.rpartition(".")[2].lower()) for spec in graph.deliverables
        ),
        interfaces=Interfaces(web=web if made.external else None),
        canary=canary(identity),
        toolchain=toolchain(),
    )
    hidden = Hidden(
        graph=graph.model_copy(update={"bindings": bindings(graph, made.anchors)}),
        plan=plan,
        values=values,
        anchors=made.anchors,
        origin=Origin(author="model", intent=intent, condition=condition, builder=builder),
    )
    built = TaskPackage(card=card, request=made.request, files={}, hidden=hidden)
    return built.with_shown({**made.files, **made.external}, made.request)


def _plain(text: str, longest: int) -> str:
    """A text on one line of what can be printed."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())[:longest]


def _role(intent: Intent) -> str:
    role = intent.role
    where = ", ".join(part for part in (_plain(role.industry, 80), _plain(role.size, 80)) if part)
    who = f"{_plain(role.title, 80)}, {_plain(role.seniority, 80)}"
    return f"{who} ({where})" if where else who


def settled(graph: SupportGraph, anchors: Sequence[Anchor]) -> tuple[SupportGraph, tuple[Problem, ...]]:
    """The graph with the file in which each conflict's rule stands, the first one; and rules that stand in none."""
    conflicts, problems = [], []
    order = {carrier.path: number for number, carrier in enumerate(graph.carriers)}
    for conflict in graph.conflicts:
        stands = {a.place.file for a in anchors if a.cell is not None and a.cell.unit == conflict.rule}
        path = min(stands, key=lambda path: (order.get(path, len(order)), path), default="")
        conflicts.append(Conflict(between=conflict.between, rule=conflict.rule, resolved_by=path))
        if not stands:
            message = f"the rule {conflict.rule}, which settles {' and '.join(conflict.between)}, stands in no file"
            fix = "print or `state` it in a policy"
            problems.append(Problem(code="conflict", place="artifacts", message=message, fix=fix))
    return graph.model_copy(update={"conflicts": tuple(conflicts)}), tuple(problems)


def accepted(task: TaskPackage, wants: Wants, problems: Sequence[Problem] = ()) -> TaskPackage:
    """The task, where nothing is wrong with it.

    Raises Wrong with ``problems``, what was found before, and the lines of whoever accepts and advises.
    """
    found = (*problems, *map(_line, wants.accept(task) if wants.accept is not None else ()))
    advice = tuple(map(_line, wants.advise(task) if wants.advise is not None else ()))
    if found or advice:
        raise Wrong((*found, *advice), holds=None if found else task)
    return task


def _line(said: str) -> Problem:
    """A line of a check, ``name: what is wrong``, as a problem whose code is the name."""
    name, colon, message = said.partition(": ")
    known = bool(colon) and _CHECK.fullmatch(name) is not None
    if not known:
        return Problem(code="accept", place="", message=said)
    way = next((way for said, way in _WEB_WAYS.items() if said in message), "") if name == "external" else ""
    way = _SHORT if name == "presence" and "does not show" in message else way
    return Problem(code=name, place="", message=message, fix=way or _WAYS.get(name, ""))
