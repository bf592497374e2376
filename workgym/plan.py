"""The construction plan ``P = (u, A, D)``: request, artifact specifications, and their order.

An artifact is a template over units, never finished text, so that places and values cannot drift:
whoever has the plan and the rows can render the artifact again.
"""

from __future__ import annotations

import graphlib
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator

from workgym.errors import GraphError
from workgym.records import FORMATS, Format, PageState, Record, Sparse, by_ending, is_page


class PageSpec(Record):
    """What makes a carrier a page of the task's offline site, found with web tools alone."""

    state: PageState = "live"
    """What happens when it is fetched."""
    moved_to: str | None = None
    """Path of the page where a moved one is found now; None for the others."""

    @model_validator(mode="after")
    def _target(self) -> PageSpec:
        if (self.state == "moved") != (self.moved_to is not None):
            raise ValueError("a page that has moved says where to, and no other page does")
        return self


class ArtifactSpec(Sparse):
    """One carrier to be written."""

    left_out: ClassVar[tuple[str, ...]] = ("page",)

    path: str
    """Path from the solver's root; the ending names the format."""
    template: str | None = None
    """Formats written from a template (docx, pdf, md, eml, ...): its text; None for the others."""
    content: Any = None
    """Formats written from a tree (xlsx, csv, json, ...): JSON types with templates in its strings; else None."""
    row: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    """For one of several alike: the units that stand for a single row here, each with that row's key."""
    title: str = ""
    """What a person would call it."""
    role: Literal["needed", "distractor"] = "needed"
    """A distractor holds no needed value."""
    page: PageSpec | None = None
    """Set for a page of the offline site; its path is then one of :mod:`workgym.records.web`. None for a file."""

    @model_validator(mode="after")
    def _page(self) -> ArtifactSpec:
        if self.page is not None and not is_page(self.path):
            raise ValueError(f"{self.path} is no path of a page; write <name>.example/<page>.html")
        return self

    @property
    def format(self) -> Format:
        """Format by the path's ending. Raises GraphError for an unknown one."""
        found = by_ending(self.path)
        if found is None:
            ending = self.path.rpartition(".")[2].lower()
            raise GraphError(f"{self.path}: no writer for .{ending}", fix=f"use one of {', '.join(FORMATS)}")
        return found


class ConstructionPlan(Record):
    """``P = (u, A, D)``."""

    request: ArtifactSpec
    """``u``: the request, as markdown, at ``request.md``."""
    artifacts: tuple[ArtifactSpec, ...]
    """``A``: the reference artifacts, and the pages of the offline site."""
    dependencies: tuple[tuple[str, str], ...] = ()
    """``D``: (earlier path, later path), acyclic."""
    context: Mapping[str, Any] = Field(default_factory=dict)
    """Facts of the world that templates may print and no unit holds: names, addresses, salutations (JSON types)."""
    look: str = ""
    """Seed of the company look (fonts, colours, letterhead)."""

    def ordered(self) -> tuple[ArtifactSpec, ...]:
        """The artifacts in an order that follows ``D``; raises GraphError naming a cycle."""
        by_path = {spec.path: spec for spec in self.artifacts}
        sorter: graphlib.TopologicalSorter[str] = graphlib.TopologicalSorter({path: set() for path in by_path})
        for earlier, later in self.dependencies:
            if earlier not in by_path or later not in by_path:
                raise GraphError(f"dependency {earlier} -> {later} names no artifact")
            sorter.add(later, earlier)
        try:
            return tuple(by_path[path] for path in sorter.static_order())
        except graphlib.CycleError as error:
            raise GraphError(f"artifacts depend on each other in a cycle: {' -> '.join(error.args[1])}") from error
