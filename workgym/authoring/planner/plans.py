"""From a construction plan as a model wrote it to the plan's own records, with everything that does not fit named."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from workgym.authoring.compiler import slug
from workgym.authoring.planner.artifacts import ArtifactDraft, PlanDraft
from workgym.authoring.planner.graphs import RESERVED, twice
from workgym.authoring.planner.limits import MOST_FILES, path_fault, path_problems
from workgym.authoring.planner.records import Problem
from workgym.graph import Carrier, SupportGraph, Values
from workgym.plan import ArtifactSpec, ConstructionPlan
from workgym.records import by_ending

_FIELD = re.compile(r"\{([^{}]*)\}")
MOST_CAPABILITIES = 8
"""Capabilities that a card has."""


class DraftedPlan:
    """A plan draft being turned into records; ``problems`` are what was wrong."""

    def __init__(self, draft: PlanDraft, graph: SupportGraph, rows: Values, look: str) -> None:
        self.problems: list[Problem] = []
        made = {
            artifact.path: list(islice(self._expanded(artifact, graph, rows), MOST_FILES + 1))
            for artifact in draft.artifacts
        }
        specs = [spec for expanded in made.values() for spec in expanded]
        if len(specs) > MOST_FILES:
            self._say("artifacts", f"more than {MOST_FILES} files", "take fewer, or fewer rows of `each`", code="limit")
            specs = specs[:MOST_FILES]
        self.problems += twice("artifacts", [artifact.path for artifact in draft.artifacts])
        self._look_at(draft, graph, specs)
        self.plan = ConstructionPlan(
            request=ArtifactSpec(path="request.md", template=draft.request),
            artifacts=tuple(specs),
            dependencies=() if self.problems else tuple(self._dependencies(draft, made)),
            context=draft.context,
            look=draft.look or look,
        )

    @property
    def sound(self) -> ConstructionPlan:
        """The plan without what cannot be written at all, so that the rest can be looked at."""
        written = [spec for spec in self.plan.artifacts if path_fault(spec.path) is None and not _misfit(spec)]
        return self.plan.model_copy(update={"artifacts": tuple(written), "dependencies": ()})

    def _dependencies(self, draft: PlanDraft, made: Mapping[str, list[ArtifactSpec]]) -> Iterator[tuple[str, str]]:
        for artifact in draft.artifacts:
            for earlier in dict.fromkeys(artifact.after):
                if earlier not in made:
                    self._say(f"artifacts.{artifact.path[:120]}.after", f"there is no artifact {earlier[:120]!r}")
                for one in made.get(earlier, ()):
                    yield from ((one.path, other.path) for other in made[artifact.path])

    def _say(self, place: str, message: str, fix: str = "", code: str = "artifact") -> None:
        self.problems.append(Problem(code=code, place=place, message=message, fix=fix))

    def _look_at(self, draft: PlanDraft, graph: SupportGraph, specs: list[ArtifactSpec]) -> None:
        self.problems += path_problems("artifacts", [spec.path for spec in specs])
        edited = {deliverable.path for deliverable in graph.deliverables if deliverable.edits}
        handed = {deliverable.path for deliverable in graph.deliverables}
        given = {spec.path for spec in specs}
        for path in sorted((handed & given) - edited):
            self._say(f"artifacts.{path}", "a deliverable has this path", "only a deliverable with `edits` is given")
        for path in sorted(edited - given):
            self._say("artifacts", f"{path} is to be filled in and is no artifact", "write it")
        if not specs:
            self._say("artifacts", "there are no files")
        if not any(char.isalpha() for char in draft.title):
            self._say("title", "says nothing")
        if not draft.request.strip():
            self._say("request", "is empty")
        self.problems += today_problems("context.today", draft.context.get("today"))

    def _expanded(self, artifact: ArtifactDraft, graph: SupportGraph, rows: Values) -> Iterator[ArtifactSpec]:
        place = f"artifacts.{artifact.path[:120]}"
        if misfit := _misfit(artifact):
            self._say(place, misfit)
        fields = _FIELD.findall(artifact.path)
        if not artifact.each:
            if fields:
                self._say(place, "a path in braces needs `each`")
            yield _spec(artifact, artifact.path, {})
            return
        relation = rows.get(artifact.each)
        if relation is None or not relation.unit.key or artifact.each in RESERVED:
            self._say(f"{place}.each", f"{artifact.each[:60]!r} is no provided unit with a key", "name one alone")
            return
        columns = {column.name: column.type for column in relation.unit.columns}
        unknown = [field for field in fields if field not in columns]
        if unknown or not fields:
            known = ", ".join(columns)
            self._say(place, f"{{{unknown[0] if unknown else ''}}} is no column of {artifact.each}: there are {known}")
            return
        for key, row in relation.by_key.items():
            shown = {name: slug(kind.show(cell)) for (name, kind), cell in zip(columns.items(), row, strict=True)}
            path = _FIELD.sub(lambda match, shown=shown: shown[match[1]], artifact.path)  # type: ignore[misc]
            yield _spec(artifact, path, {artifact.each: key})


def _misfit(artifact: ArtifactDraft | ArtifactSpec) -> str:
    """What is wrong with an artifact that has a tree for a template or the other way round; empty for nothing."""
    form = by_ending(artifact.path)
    if form is None:
        return ""  # told with the path
    wanted, other = ("template", "content") if form.source == "template" else ("content", "template")
    if getattr(artifact, wanted) is not None and getattr(artifact, other) is None:
        return ""
    return f"a {form.name} file has a `{wanted}` and no `{other}`"


def _spec(artifact: ArtifactDraft, path: str, row: Mapping[str, tuple[str, ...]]) -> ArtifactSpec:
    return ArtifactSpec(
        path=path,
        template=artifact.template,
        content=artifact.content,
        row=row,
        title=artifact.title,
        role=artifact.role,
    )


def today_problems(place: str, written: Any) -> Iterator[Problem]:
    """The day on which the task plays is a day."""
    try:
        datetime.date.fromisoformat(written if isinstance(written, str) else "")
    except ValueError:
        yield Problem(
            code="context", place=place, message=f"{str(written)[:40]!r} is no day", fix="write it as 2026-03-02"
        )


def carriers(specs: tuple[ArtifactSpec, ...], graph: SupportGraph) -> tuple[Carrier, ...]:
    """All carriers of a task: the request, what is given, what is handed in."""
    given = {spec.path for spec in specs}
    return (
        Carrier(path="request.md", kind="request"),
        *(Carrier(path=spec.path, kind="reference", role=spec.role, title=spec.title) for spec in specs),
        *(Carrier(path=spec.path, kind="deliverable") for spec in graph.deliverables if spec.path not in given),
    )
