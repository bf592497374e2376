"""From a plan and rows to visible files: the last step of every author, and how a pdf is written again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version

from workgym.errors import MaterializeError
from workgym.graph import Binding, SupportGraph, Values, evaluating, provided
from workgym.materialize import Rendered, Scope, render, render_request
from workgym.package.pages import cards
from workgym.plan import ArtifactSpec, ConstructionPlan
from workgym.records import Anchor, PageCard

_TOOLCHAIN = ("workgym", "duckdb", "sqlglot", "jinja2", "xlsxwriter", "python-docx", "reportlab", "pillow")


@dataclass(frozen=True)
class Assembled:
    """What the solver will see, and where every value came to stand."""

    request: str
    files: Mapping[str, bytes]
    anchors: tuple[Anchor, ...]
    external: Mapping[str, bytes] = field(default_factory=dict)
    """Pages of the offline site, by path."""
    pages: tuple[PageCard, ...] = ()
    """Its index."""


class Press:
    """Writes carriers of one plan for one set of rows."""

    def __init__(self, plan: ConstructionPlan, scope: Scope, *, strict: bool) -> None:
        self.plan = plan
        self.scope = scope
        self.strict = strict

    def printing(self, values: Values) -> Press:
        """The same press for rows that one file alone shall print."""
        shown = {name: values[name] for name in self.scope.values}
        return Press(self.plan, replace(self.scope, values=shown), strict=self.strict)

    def artifact(self, spec: ArtifactSpec) -> Rendered:
        """One carrier. Raises MaterializeError."""
        with _of(spec.path):
            return render(spec, self.scope, self.plan.look, strict=self.strict)

    def request(self) -> Rendered:
        """The request. Raises MaterializeError."""
        with _of(self.plan.request.path):
            return render_request(self.plan.request, self.scope, self.plan.look)


@contextmanager
def _of(path: str) -> Iterator[None]:
    """What goes wrong is said to be of this file; the line of a template within it is none of its own lines."""
    try:
        yield
    except MaterializeError as error:
        error.artifact = path
        if not error.message.startswith(f"{path}: "):
            error.line, error.reason = None, error.message
        raise


@contextmanager
def press(graph: SupportGraph, values: Values, plan: ConstructionPlan, *, strict: bool = True) -> Iterator[Press]:
    """A press whose templates may print, and choose by queries over, the provided rows of ``values``.

    They never see a derived unit: whatever they did with it, its order or a condition on it, would give it away.
    Not ``strict``, it also writes a needed carrier that no longer prints any value.
    """
    shown = provided(graph, values)
    with evaluating(graph) as evaluator:
        evaluator.load(shown, strict=False)
        select = partial(evaluator.select, among=shown)
        yield Press(plan, Scope(values=shown, context=plan.context, select=select), strict=strict)


def assemble(graph: SupportGraph, values: Values, plan: ConstructionPlan, *, strict: bool = True) -> Assembled:
    """Write every carrier, in the order of ``D``; ``strict`` as in :func:`press`. Raises MaterializeError."""
    with press(graph, values, plan, strict=strict) as writer:
        made = {spec.path: writer.artifact(spec) for spec in plan.ordered()}
        request = writer.request()
    files = {spec.path: made[spec.path].content for spec in plan.artifacts if spec.page is None}
    external = {spec.path: made[spec.path].content for spec in plan.artifacts if spec.page is not None}
    anchors = tuple(anchor for spec in plan.artifacts for anchor in made[spec.path].anchors)
    pages = cards(plan.artifacts, external)
    return Assembled(request.content.decode(), files, request.anchors + anchors, external, pages)


def bindings(graph: SupportGraph, anchors: tuple[Anchor, ...]) -> tuple[Binding, ...]:
    """``E_loc``: what stands in which carrier, from the anchors, and what deliverables must come to state."""
    found = {
        (anchor.cell.unit, anchor.place.file, anchor.kind)
        for anchor in anchors
        if anchor.cell is not None and anchor.kind != "decor"
    }
    printed = tuple(
        Binding.model_validate({"unit": unit, "carrier": path, "form": form, "visible": True})
        for unit, path, form in sorted(found)
    )
    stated = tuple(
        Binding(unit=item.unit, carrier=deliverable.path, form="stated", visible=False)
        for deliverable in graph.deliverables
        for item in deliverable.states
    )
    return printed + stated


def toolchain() -> dict[str, str]:
    """Versions of what writes the files; bytes are equal only where these are."""
    return dict(_versions())


@cache
def _versions() -> tuple[tuple[str, str], ...]:
    found = []
    for name in _TOOLCHAIN:
        try:
            found.append((name, version(name)))
        except PackageNotFoundError:
            continue
    return tuple(found)
