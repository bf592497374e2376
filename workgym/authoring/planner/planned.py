"""The planned condition: first the support graph, backwards from the deliverable, then the construction plan."""

from __future__ import annotations

from typing import NamedTuple, cast

from workgym.authoring.planner.apart import faults, refused, worked_out, written
from workgym.authoring.planner.artifacts import Change, PlanDraft
from workgym.authoring.planner.desk import graph_problems, plan_problems
from workgym.authoring.planner.forms import GraphChange, GraphDraft
from workgym.authoring.planner.graphs import Drafted, Given
from workgym.authoring.planner.merging import changed_graph, changed_plan
from workgym.authoring.planner.names import wanted_problems
from workgym.authoring.planner.packaging import Wants, accepted, package, settled
from workgym.authoring.planner.plans import DraftedPlan, carriers
from workgym.authoring.planner.records import Wrong
from workgym.authoring.planner.sites import late, missing, status_problems
from workgym.authoring.planner.steps import Step, Talk, work_out
from workgym.authoring.planner.telling import PROMPTS, graph_told, intent_told, json_of, system, worked_out_told
from workgym.graph import SupportGraph, Values
from workgym.model import Message
from workgym.models import Form
from workgym.package import TaskPackage
from workgym.records import Intent


class Computed(NamedTuple):
    """A graph that compiles and can be worked out."""

    graph: SupportGraph
    given: Given
    values: Values
    """The rows of all units."""


class Whole(NamedTuple):
    """A task as it is drafted."""

    graph: GraphDraft
    plan: PlanDraft


def computed(draft: GraphDraft, intent: Intent, wants: Wants) -> Computed:
    """A graph draft, compiled and worked out in a limited child. Raises Wrong."""
    drafted = Drafted(draft)
    wanted = wanted_problems([item.format for item in intent.wanted], [spec.path for spec in draft.deliverables])
    problems = (*drafted.problems, *wanted, *status_problems(draft, wants.external))
    if drafted.graph is None or problems:
        raise Wrong((*problems, *(refused(drafted.units) if drafted.units else ())))
    graph, values = worked_out(drafted.graph, drafted.rows)
    if wants.desk is not None and (short := tuple(graph_problems(wants.desk, graph))):
        raise Wrong(short)
    return Computed(graph, drafted.rows, values)


class GraphStep(Step[GraphDraft, Computed]):
    """Step 1: from the deliverable to computations and judgements to premises."""

    stage = "graph"
    first, change = GraphDraft, GraphChange

    def __init__(self, intent: Intent, wants: Wants) -> None:
        self.intent = intent
        self.wants = wants

    def opening(self, draft: GraphDraft | None) -> tuple[Message, ...]:
        asked = PROMPTS["graph_ask"].render(intent=intent_told(self.intent))
        web = {"never": (), "may": ("web_graph", "example_web"), "must": ("web_graph", "example_web", "web_must")}
        return system("graph", "queries", "example_graph", *web[self.wants.external]), Message.of("user", asked)

    def shown(self, draft: GraphDraft) -> str:
        return json_of(draft)

    def correction(self, problems: str, *, kept: bool) -> str:
        return PROMPTS["graph_correct" if kept else "again"].render(problems=problems)

    def begun(self, reply: Form) -> GraphDraft:
        return cast("GraphDraft", reply)

    def changed(self, draft: GraphDraft, reply: Form) -> GraphDraft:
        return changed_graph(draft, cast("GraphChange", reply))

    def parts(self, draft: GraphDraft) -> tuple[Form, ...]:
        return (draft,)

    def examined(self, draft: GraphDraft) -> Computed:
        return computed(draft, self.intent, self.wants)


class PlanStep(Step[Whole, TaskPackage]):
    """Step 2: from the graph to request, artifacts and their order; the graph may turn out to be wrong on the way."""

    stage = "plan"
    first, change = PlanDraft, Change

    def __init__(self, intent: Intent, draft: GraphDraft, done: Computed, builder: str, wants: Wants) -> None:
        self.intent = intent
        self.builder = builder
        self.wants = wants
        self._graph = draft
        self._done = done

    def opening(self, draft: Whole | None) -> tuple[Message, ...]:
        graph = self._graph if draft is None else draft.graph
        asked = PROMPTS["plan_ask"].render(
            intent=intent_told(self.intent),
            graph=graph_told(graph),
            values=worked_out_told(self._done.graph, self._done.values),
        )
        web = ("web_plan", "example_web") if self._done.graph.relations("external") else ()
        return system("plan", "templates", "queries", "example_plan", *web), Message.of("user", asked)

    def shown(self, draft: Whole) -> str:
        return json_of(draft.plan)

    def correction(self, problems: str, *, kept: bool) -> str:
        return PROMPTS["plan_correct" if kept else "again"].render(problems=problems)

    def begun(self, reply: Form) -> Whole:
        return Whole(self._graph, cast("PlanDraft", reply))

    def changed(self, draft: Whole, reply: Form) -> Whole:
        change = cast("Change", reply)
        return Whole(
            draft.graph if change.graph is None else changed_graph(draft.graph, change.graph),
            draft.plan if change.plan is None else changed_plan(draft.plan, change.plan),
        )

    def parts(self, draft: Whole) -> tuple[Form, ...]:
        return draft.graph, draft.plan

    def examined(self, draft: Whole) -> TaskPackage:
        if draft.graph != self._graph:
            try:
                self._done = computed(draft.graph, self.intent, self.wants)
            except Wrong as wrong:
                raise Wrong(wrong.problems, "graph") from wrong
            self._graph = draft.graph
        drafted = DraftedPlan(draft.plan, self._done.graph, self._done.given, self.intent.id)
        desk = self.wants.desk
        outside = [unit.name for unit in self._done.graph.relations("external")]
        problems = (*drafted.problems, *missing(draft.plan.pages, outside))
        short = () if desk is None or problems else tuple(plan_problems(desk, drafted.plan))
        if problems:
            more = faults(self._done.graph, self._done.given, drafted.sound)
            raise Wrong((*problems, *more))
        try:
            _, made = written(self._done.graph, self._done.given, drafted.plan)
        except Wrong as wrong:
            raise Wrong((*wrong.problems, *short)) from wrong
        graph = self._done.graph.model_copy(update={"carriers": carriers(drafted.plan.artifacts, self._done.graph)})
        graph, unsettled = settled(graph, made.anchors)
        behind = late(made.pages, str(draft.plan.context["today"]))
        task = package(
            self.intent,
            "planned",
            self.builder,
            title=draft.plan.title,
            capabilities=draft.plan.capabilities,
            graph=graph,
            values=self._done.values,
            plan=drafted.plan,
            made=made,
            web=self.wants.web,
        )
        return accepted(task, self.wants, (*short, *unsettled, *behind))


def planned(intent: Intent, talk: Talk, wants: Wants) -> TaskPackage:
    """A task in two steps. Raises Dropped."""
    draft, done = work_out(GraphStep(intent, wants), talk)
    _, task = work_out(PlanStep(intent, draft, done, talk.model.name, wants), talk)
    return task
