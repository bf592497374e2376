"""From a construction plan as a model wrote it to the plan's own records, with everything that does not fit named."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from workgym.authoring.carriers import slug
from workgym.authoring.planner.artifacts import ArtifactDraft, PageDraft, PlanDraft
from workgym.authoring.planner.graphs import RESERVED, twice
from workgym.authoring.planner.limits import MOST_FILES, path_fault, path_problems
from workgym.authoring.planner.records import Problem
from workgym.authoring.planner.sites import address_problem, framed, named, page_of, page_problems
from workgym.authoring.planner.sites import twice as shared
from workgym.graph import Carrier, SupportGraph, Values
from workgym.plan import ArtifactSpec, ConstructionPlan
from workgym.records import by_ending, page_path

_FIELD = re.compile(r"\{([^{}]*)\}")
MOST_CAPABILITIES = 8
"""Capabilities that a card has."""


class DraftedPlan:
    """A plan draft being turned into records; ``problems`` are what was wrong."""

    def __init__(self, draft: PlanDraft, graph: SupportGraph, rows: Values, look: str) -> None:
        self.problems: list[Problem] = []
        files = {
            artifact.path: list(islice(self._expanded(artifact, rows), MOST_FILES + 1)) for artifact in draft.artifacts
        }
        pages = [(page, list(islice(self._pages(page, draft.sites, rows), MOST_FILES + 1))) for page in draft.pages]
        made = files | {page.url: found for page, found in pages}
        specs = [spec for found in (*files.values(), *(found for _, found in pages)) for spec in found]
        if len(specs) > MOST_FILES:
            self._say("artifacts", f"more than {MOST_FILES} files", "take fewer, or fewer rows of `each`", code="limit")
            specs = specs[:MOST_FILES]
        self.problems += twice("artifacts", [artifact.path for artifact in draft.artifacts])
        self.problems += page_problems(draft.pages, draft.sites, [spec for spec in specs if spec.page is not None])
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
        written = [spec for spec in self.plan.artifacts if spec.page or not (path_fault(spec.path) or _misfit(spec))]
        return self.plan.model_copy(update={"artifacts": tuple(written), "dependencies": ()})

    def _dependencies(self, draft: PlanDraft, made: Mapping[str, list[ArtifactSpec]]) -> Iterator[tuple[str, str]]:
        written = [(f"artifacts.{artifact.path[:120]}", artifact.path, artifact.after) for artifact in draft.artifacts]
        written += [(named(page), page.url, page.after) for page in draft.pages]
        for place, name, after in written:
            for earlier in dict.fromkeys(after):
                if earlier not in made:
                    self._say(f"{place}.after", f"there is no artifact {earlier[:120]!r}")
                for one in made.get(earlier, ()):
                    yield from ((one.path, other.path) for other in made[name])

    def _say(self, place: str, message: str, fix: str = "", code: str = "artifact") -> None:
        self.problems.append(Problem(code=code, place=place, message=message, fix=fix))

    def _look_at(self, draft: PlanDraft, graph: SupportGraph, specs: list[ArtifactSpec]) -> None:
        self.problems += path_problems("artifacts", [spec.path for spec in specs if spec.page is None])
        self.problems += shared(specs)
        edited = {deliverable.path for deliverable in graph.deliverables if deliverable.edits}
        handed = {deliverable.path for deliverable in graph.deliverables}
        given = {spec.path for spec in specs if spec.page is None}
        for path in sorted((handed & given) - edited):
            self._say(f"artifacts.{path}", "a deliverable has this path", "only a deliverable with `edits` is given")
        for path in sorted(edited - given):
            self._say("artifacts", f"{path} is to be filled in and is no artifact", "write it")
        if not given:
            self._say("artifacts", "there are no files")
        if not any(char.isalpha() for char in draft.title):
            self._say("title", "says nothing")
        if not draft.request.strip():
            self._say("request", "is empty")
        self.problems += today_problems("context.today", draft.context.get("today"))

    def _expanded(self, artifact: ArtifactDraft, rows: Values) -> Iterator[ArtifactSpec]:
        place = f"artifacts.{artifact.path[:120]}"
        if misfit := _misfit(artifact):
            self._say(place, misfit)
        for path, row in self._places(place, artifact.path, artifact.each, rows):
            yield ArtifactSpec(
                path=path,
                template=artifact.template,
                content=artifact.content,
                row=row,
                title=artifact.title,
                role=artifact.role,
            )

    def _pages(self, page: PageDraft, sites: Mapping[str, str], rows: Values) -> Iterator[ArtifactSpec]:
        for url, row in self._places(named(page), page.url, page.each, rows):
            wrong = address_problem(page, url)
            if wrong is not None:
                self.problems.append(wrong)
                return
            yield ArtifactSpec(
                path=page_path(url),
                template=framed(page, sites),
                row=row,
                title=page.title,
                role=page.role,
                page=page_of(page),
            )

    def _places(
        self, place: str, written: str, each: str, rows: Values
    ) -> Iterator[tuple[str, dict[str, tuple[str, ...]]]]:
        """The paths or addresses that a draft stands for, each with the row of ``each``, if it has one."""
        fields = _FIELD.findall(written)
        if not each:
            if fields:
                self._say(place, "a path in braces needs `each`")
                written = _FIELD.sub("x", written)
            yield written, {}
            return
        relation = rows.get(each)
        if relation is None or not relation.unit.key or each in RESERVED:
            self._say(f"{place}.each", f"{each[:60]!r} is no provided unit with a key", "name one alone")
            return
        columns = {column.name: column.type for column in relation.unit.columns}
        unknown = [field for field in fields if field not in columns]
        if unknown or not fields:
            known = ", ".join(columns)
            self._say(place, f"{{{unknown[0] if unknown else ''}}} is no column of {each}: there are {known}")
            return
        for key, row in relation.by_key.items():
            shown = {name: slug(kind.show(cell)) for (name, kind), cell in zip(columns.items(), row, strict=True)}
            path = _FIELD.sub(lambda match, shown=shown: shown[match[1]], written)  # type: ignore[misc]
            yield path, {each: key}


def _misfit(artifact: ArtifactDraft | ArtifactSpec) -> str:
    """What is wrong with an artifact that has a tree for a template or the other way round; empty for nothing."""
    form = by_ending(artifact.path)
    if form is None:
        return ""  # told with the path
    wanted, other = ("template", "content") if form.source == "template" else ("content", "template")
    if getattr(artifact, wanted) is not None and getattr(artifact, other) is None:
        return ""
    return f"a {form.name} file has a `{wanted}` and no `{other}`"


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
        *(
            Carrier(path=spec.path, kind="external" if spec.page else "reference", role=spec.role, title=spec.title)
            for spec in specs
        ),
        *(Carrier(path=spec.path, kind="deliverable") for spec in graph.deliverables if spec.path not in given),
    )
