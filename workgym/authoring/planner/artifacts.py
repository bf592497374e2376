"""What a model fills in for the construction plan, and for a direct draft."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from workgym.authoring.planner.forms import GraphChange, Part
from workgym.records import PageState


class ArtifactDraft(Part):
    """One file that the solver starts with."""

    path: str
    """Path from the workspace's root: folders and a name whose ending is the format. With `each`, columns of the row in
    braces: quotes/{supplier}/quotation.pdf."""
    title: str
    """What a person would call it."""
    role: Literal["needed", "distractor"] = "needed"
    """A distractor holds no needed value."""
    template: str | None = None
    """Formats of prose (docx, pdf, pptx, html, md, txt, eml, log, code, png, jpg): the text; null for others."""
    content: dict[str, Any] | None = None
    """Formats of data (xlsx, csv, tsv, json, yaml, xml, sqlite, ics, vcf, mbox, zip): the content tree; null else."""
    each: str = ""
    """A unit: one such file for each of its rows; the unit's name then stands for that row."""
    after: tuple[str, ...] = ()
    """Paths of artifacts that are written before this one."""


class PageDraft(Part):
    """One page of the task's offline site, which the solver finds with web tools alone."""

    url: str
    """Its address: https://<name>.example/<page>; the host is one of `sites`. With `each`, columns of the row in
    braces."""
    title: str
    """What a person would call it; the page's own title is the first heading of its text."""
    published: str = ""
    """The ISO day that the page bears, not behind the day on which the task plays; empty for none."""
    role: Literal["needed", "distractor"] = "needed"
    """A distractor holds no needed value: an outdated page, one of somebody else, one that is gone."""
    template: str
    """The text, as for a file of prose."""
    state: PageState = "live"
    """live: it opens. dead: the search lists it and it is gone. slow: it never answers. moved: see `moved_to`."""
    moved_to: str = ""
    """Only for a page that has moved: the address of the live page where it is found now."""
    each: str = ""
    """A unit: one such page for each of its rows; the unit's name then stands for that row."""
    after: tuple[str, ...] = ()
    """Paths of artifacts or addresses of pages that are written before this one."""


class PlanDraft(Part):
    """The construction plan of one task."""

    layout: str
    """First of all, in a few lines: which unit stands in which file and in what form, so that every needed one is
    found, nothing derived is, and versions, noise and conflicts look as they do in an office."""
    title: str
    """What the work is, in one line; no figures."""
    capabilities: tuple[str, ...] = ()
    """What the work exercises, in two to six short phrases."""
    context: dict[str, Any]
    """Names, addresses, reference numbers that templates print and no unit holds; `today` is the day, in ISO form."""
    request: str
    """Template of the request, as markdown, in the voice of the person who asks."""
    artifacts: tuple[ArtifactDraft, ...]
    """The files."""
    sites: Mapping[str, str] = {}
    """Only with pages: who runs each host, as people call them: {"rates.example": "Central Bank of Nordmark"}."""
    pages: tuple[PageDraft, ...] = ()
    """Only where a unit is external: the pages of the offline site."""
    look: str = ""
    """Any text that seeds fonts and colours of files that name no company."""


class PlanChange(Part):
    """What changes in a plan; all else stays."""

    title: str | None = None
    """Another title; null keeps it."""
    context: dict[str, Any] | None = None
    """Facts that are new or other; the rest of the context stays. Null for none."""
    request: str | None = None
    """The whole request anew; null keeps it."""
    artifacts: tuple[ArtifactDraft, ...] = ()
    """New artifacts, and whole ones in place of those with their paths."""
    drop_artifacts: tuple[str, ...] = ()
    """Paths of artifacts that go, as they stand in the plan."""
    sites: Mapping[str, str] | None = None
    """Hosts that are new or run by somebody else; the rest stays. Null for none."""
    pages: tuple[PageDraft, ...] = ()
    """New pages, and whole ones in place of those with their addresses."""
    drop_pages: tuple[str, ...] = ()
    """Addresses of pages that go, as they stand in the plan."""


class Change(Part):
    """What changes in a plan, and in the graph below it where that is what is wrong."""

    thought: str
    """First: for each problem its cause, whether it lies in the plan or in the graph, and what you do, in a line."""
    plan: PlanChange | None = None
    """Changes of the plan."""
    graph: GraphChange | None = None
    """Changes of the graph; null where it is right."""


class FileDraft(Part):
    """One file that the solver starts with, written out."""

    path: str
    """Path from the workspace's root: folders and a name whose ending is the format."""
    title: str
    """What a person would call it."""
    text: str | None = None
    """Formats of prose (docx, pdf, pptx, html, md, txt, eml, log, code, png, jpg): the whole text; null for others."""
    content: dict[str, Any] | None = None
    """Formats of data (xlsx, csv, tsv, json, yaml, xml, sqlite, ics, vcf, mbox, zip): the content tree; null else."""
    after: tuple[str, ...] = ()
    """Paths of files that are written before this one, because it builds on them."""


class TextPageDraft(Part):
    """One page of the task's offline site, written out."""

    url: str
    """Its address: https://<name>.example/<page>; the host is one of `sites`."""
    title: str
    """What a person would call it; the page's own title is the first heading of its text."""
    published: str = ""
    """The ISO day that the page bears, not behind the day on which the task plays; empty for none."""
    text: str
    """The whole text, as for a file of prose."""
    state: PageState = "live"
    """live: it opens. dead: the search lists it and it is gone. slow: it never answers. moved: see `moved_to`."""
    moved_to: str = ""
    """Only for a page that has moved: the address of the live page where it is found now."""


class ItemDraft(Part):
    """One thing that a judge scores."""

    item: str
    """What must be so, as one sentence that a stranger can answer with yes or no; results with their figures."""
    about: Literal["deliverable", "process"] = "deliverable"
    """What it is judged on."""


class HandedDraft(Part):
    """A file that the solver hands in."""

    path: str
    """Path from the workspace's root; the ending names the format."""
    rubric: tuple[ItemDraft, ...] = ()
    """What a judge scores."""


class DirectDraft(Part):
    """A task written at once: request, files, deliverables."""

    thought: str
    """First of all, in a few lines: what the task is and which files it comes with."""
    title: str
    """What the work is, in one line; no figures."""
    capabilities: tuple[str, ...] = ()
    """What the work exercises, in two to six short phrases."""
    today: str
    """The ISO day on which the task plays."""
    request: str
    """The request, as markdown, in the voice of the person who asks."""
    files: tuple[FileDraft, ...]
    """The files that the solver starts with."""
    sites: Mapping[str, str] = {}
    """Only with pages: who runs each host, as people call them: {"rates.example": "Central Bank of Nordmark"}."""
    pages: tuple[TextPageDraft, ...] = ()
    """The pages of the offline site, if there is one."""
    deliverables: tuple[HandedDraft, ...]
    """What is handed in."""


class DirectChange(Part):
    """What changes in a direct draft; all else stays."""

    thought: str
    """First: for each problem what you do about it, in a line."""
    title: str | None = None
    """Another title; null keeps it."""
    today: str | None = None
    """Another day; null keeps it."""
    request: str | None = None
    """The whole request anew; null keeps it."""
    files: tuple[FileDraft, ...] = ()
    """New files, and whole ones in place of those with their paths."""
    drop_files: tuple[str, ...] = ()
    """Paths of files that go."""
    sites: Mapping[str, str] | None = None
    """Hosts that are new or run by somebody else; the rest stays. Null for none."""
    pages: tuple[TextPageDraft, ...] = ()
    """New pages, and whole ones in place of those with their addresses."""
    drop_pages: tuple[str, ...] = ()
    """Addresses of pages that go."""
    deliverables: tuple[HandedDraft, ...] = ()
    """New deliverables, and whole ones in place of those with their paths."""
    drop_deliverables: tuple[str, ...] = ()
    """Paths of deliverables that go."""
