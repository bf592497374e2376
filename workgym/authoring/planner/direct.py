"""The direct condition, the papers' baseline: request, files and deliverables at once, without information planning.

Its package has a graph without relations, so that what needs units has nothing to say, and goes through the same
writers in the order of its dependencies. It guarantees that its files can be written and that its paths are sound.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from workgym.authoring.planner.apart import faults, written
from workgym.authoring.planner.artifacts import (
    ArtifactDraft,
    DirectChange,
    DirectDraft,
    FileDraft,
    HandedDraft,
    PageDraft,
    PlanDraft,
    TextPageDraft,
)
from workgym.authoring.planner.graphs import twice
from workgym.authoring.planner.limits import path_problems
from workgym.authoring.planner.merging import changed_direct
from workgym.authoring.planner.names import wanted_problems
from workgym.authoring.planner.packaging import Wants, accepted, package
from workgym.authoring.planner.plans import DraftedPlan, carriers
from workgym.authoring.planner.records import External, Problem, Wrong
from workgym.authoring.planner.sites import late
from workgym.authoring.planner.steps import Step, Talk, work_out
from workgym.authoring.planner.telling import PROMPTS, intent_told, json_of, system
from workgym.graph import Deliverable, InfoUnit, RubricItem, SupportGraph
from workgym.model import Message
from workgym.models import Form
from workgym.package import TaskPackage
from workgym.records import Intent

WORK = "work"
"""The one unit of such a graph: the work as a judgement, on which rubric items rest."""
_OPENING = re.compile(r"\{[{%#]")


class DirectStep(Step[DirectDraft, TaskPackage]):
    """The one step: from the intent to the files."""

    stage = "direct"
    first, change = DirectDraft, DirectChange

    def __init__(self, intent: Intent, builder: str, wants: Wants) -> None:
        self.intent = intent
        self.builder = builder
        self.wants = wants

    def opening(self, draft: DirectDraft | None) -> tuple[Message, ...]:
        asked = PROMPTS["direct_ask"].render(intent=intent_told(self.intent))
        web = {"never": (), "may": ("web_direct",), "must": ("web_direct", "web_must")}
        return system("direct", *web[self.wants.external]), Message.of("user", asked)

    def shown(self, draft: DirectDraft) -> str:
        return json_of(draft)

    def correction(self, problems: str, *, kept: bool) -> str:
        return PROMPTS["direct_correct" if kept else "again"].render(problems=problems)

    def begun(self, reply: Form) -> DirectDraft:
        return cast("DirectDraft", reply)

    def changed(self, draft: DirectDraft, reply: Form) -> DirectDraft:
        return changed_direct(draft, cast("DirectChange", reply))

    def parts(self, draft: DirectDraft) -> tuple[Form, ...]:
        return (draft,)

    def examined(self, draft: DirectDraft) -> TaskPackage:
        problems = [*_deliverable_problems(draft, self.intent), *_web_problems(draft, self.wants.external)]
        graph = _graph(draft, self.intent)
        drafted = DraftedPlan(_plan(draft), graph, {}, self.intent.id)
        problems += [_as_file(problem) for problem in drafted.problems]
        if problems:
            raise Wrong((*problems, *map(_as_file, faults(graph, {}, drafted.sound))))
        try:
            values, made = written(graph, {}, drafted.plan)
        except Wrong as wrong:
            raise Wrong(_as_file(problem) for problem in wrong.problems) from wrong
        task = package(
            self.intent,
            "direct",
            self.builder,
            title=draft.title,
            capabilities=draft.capabilities,
            graph=graph.model_copy(update={"carriers": carriers(drafted.plan.artifacts, graph)}),
            values=values,
            plan=drafted.plan,
            made=made,
            web=self.wants.web,
        )
        return accepted(task, self.wants, tuple(late(made.pages, draft.today)))


def _as_file(problem: Problem) -> Problem:
    """A problem of the plan under the names that a direct draft has for its parts."""
    place = re.sub(r"^artifacts\b", "files", problem.place).replace("context.today", "today", 1)
    place = re.sub(r"^(pages\..*)\.template$", r"\1.text", place)
    message = problem.message.replace("`template`", "`text`").replace("artifact", "file")
    return problem.model_copy(update={"place": place, "message": message})


def _deliverable_problems(draft: DirectDraft, intent: Intent) -> list[Problem]:
    paths = [spec.path for spec in draft.deliverables]
    problems = [*path_problems("deliverables", paths), *twice("deliverables", paths)]
    problems += wanted_problems([item.format for item in intent.wanted], paths)
    if not paths:
        problems.append(Problem(code="names", place="deliverables", message="nothing is handed in"))
    return problems


def _web_problems(draft: DirectDraft, external: External) -> Iterator[Problem]:
    """Pages where a task may have none, and none where it must have some."""
    if external == "never" and draft.pages:
        fix = "leave them out, and write files"
        yield Problem(code="external", place="pages", message="this task has no web tools", fix=fix)
    elif external == "must" and not any(page.state == "live" for page in draft.pages):
        fix = "write the pages on which some of what is needed stands"
        yield Problem(code="external", place="pages", message="there is no page that opens", fix=fix)


def _graph(draft: DirectDraft, intent: Intent) -> SupportGraph:
    work = InfoUnit(
        name=WORK,
        content="the work that the request asks for",
        entity="task",
        scope=intent.role.title,
        status="derived",
    )
    return SupportGraph(
        units=(work,), carriers=(), deliverables=tuple(_deliverable(spec) for spec in draft.deliverables)
    )


def _deliverable(spec: HandedDraft) -> Deliverable:
    items = tuple(RubricItem(item=item.item, rests_on=(WORK,), about=item.about) for item in spec.rubric)
    return Deliverable(path=spec.path, states=(), rubric=items)


def _plan(draft: DirectDraft) -> PlanDraft:
    return PlanDraft(
        layout=draft.thought,
        title=draft.title,
        capabilities=draft.capabilities,
        context={"today": draft.today},
        request=literal(draft.request),
        artifacts=tuple(map(_artifact, draft.files)),
        sites=literal(draft.sites),
        pages=tuple(map(_page, draft.pages)),
    )


def _artifact(file: FileDraft) -> ArtifactDraft:
    return ArtifactDraft(
        path=file.path,
        title=file.title,
        role="distractor",  # there is no unit whose value it could hold
        template=None if file.text is None else literal(file.text),
        content=None if file.content is None else literal(file.content),
        after=file.after,
    )


def _page(page: TextPageDraft) -> PageDraft:
    return PageDraft(
        url=page.url,
        title=page.title,
        published=literal(page.published),
        role="distractor",
        template=literal(page.text),
        state=page.state,
        moved_to=page.moved_to,
    )


def literal(data: Any) -> Any:
    """Texts that mean themselves: what would open a template is printed as it stands."""
    if isinstance(data, str):
        return _OPENING.sub(lambda match: f'{{{{ "{match[0]}" }}}}', data)
    if isinstance(data, Mapping):
        return {literal(key): literal(value) for key, value in data.items()}
    return [literal(item) for item in data] if isinstance(data, list | tuple) else data


def direct(intent: Intent, talk: Talk, wants: Wants) -> TaskPackage:
    """A task in one step. Raises Dropped."""
    _, task = work_out(DirectStep(intent, talk.model.name, wants), talk)
    return task
