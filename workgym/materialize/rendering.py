"""One carrier from its specification and the world: content, and where every value came to stand."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, cast

from workgym.errors import MaterializeError
from workgym.materialize.carrier import Job, Rendered
from workgym.materialize.front import front
from workgym.materialize.marks import Marked
from workgym.materialize.scope import Scope, View
from workgym.materialize.template import located
from workgym.materialize.template import text as filled
from workgym.materialize.within import attached
from workgym.plan import ArtifactSpec
from workgym.records import Format, FormatName, by_ending

_WRITERS: dict[FormatName, str] = {
    "xlsx": "workgym.materialize.xlsx.write:write",
    "docx": "workgym.materialize.docx.write:write",
    "pptx": "workgym.materialize.pptx.write:write",
    "pdf": "workgym.materialize.page.pdf:write",
    "png": "workgym.materialize.page.image:write_png",
    "jpg": "workgym.materialize.page.image:write_jpg",
    "html": "workgym.materialize.html.write:write",
    "md": "workgym.materialize.text:write_md",
    "txt": "workgym.materialize.text:write_txt",
    "log": "workgym.materialize.text:write_verbatim",
    "code": "workgym.materialize.text:write_verbatim",
    "tsv": "workgym.materialize.data.csv:write_tsv",
    "yaml": "workgym.materialize.data.yaml:write",
    "xml": "workgym.materialize.data.xml:write",
    "csv": "workgym.materialize.data.csv:write",
    "json": "workgym.materialize.data.json:write",
    "eml": "workgym.materialize.mail.eml:write",
    "mbox": "workgym.materialize.mail.mbox:write",
    "ics": "workgym.materialize.data.ics:write",
    "vcf": "workgym.materialize.data.vcf:write",
    "sqlite": "workgym.materialize.data.sqlite:write",
    "zip": "workgym.materialize.data.zip:write",
}
_FromTemplate = Callable[[Job, Mapping[str, Marked], Marked], Rendered]
_FromTree = Callable[[Job, Mapping[str, Any]], Rendered]


def render(spec: ArtifactSpec, scope: Scope, look: str, *, strict: bool = True) -> Rendered:
    """The carrier that ``spec`` describes. ``look`` is the seed of the look where the carrier names no company.

    Raises MaterializeError, naming the carrier, the line or place in its template and the unit, where the template
    asks for what is not there, computes with a value, or (a needed artifact) prints no value at all; the last only
    where ``strict``, since a task from which its one value was withheld has to be written, too.
    """
    made = _rendered(spec, scope, look)
    if strict and spec.role == "needed" and not any(anchor.cell is not None for anchor in made.noted()):
        raise MaterializeError(
            f"{spec.path}: its template names no unit",
            fix="print the value it is needed for, or give it `role: distractor`",
        )
    return made


def render_request(spec: ArtifactSpec, scope: Scope, look: str) -> Rendered:
    """The request as markdown, with anchors at ``request.md``; it may print no value at all."""
    return _rendered(spec.model_copy(update={"path": "request.md"}), scope, look)


def _rendered(spec: ArtifactSpec, scope: Scope, look: str) -> Rendered:
    with located(spec.path, "row"):
        view = View(scope, spec.row)
    return written(spec, Job(path=spec.path, title=spec.title, look=look, view=view, write=written))


def written(spec: ArtifactSpec, job: Job) -> Rendered:
    """The carrier of a job; a carrier that holds further ones writes those with jobs of its own."""
    form = spec.format
    if form.source == "tree":
        if not isinstance(spec.content, Mapping):
            raise MaterializeError(f"{spec.path}: a {form.name} file is written from a content tree, and there is none")
        return cast("_FromTree", _writer(form))(job, spec.content)
    if spec.template is None:
        raise MaterializeError(f"{spec.path}: a {form.name} file is written from a template, and there is none")
    with located(spec.path):
        template, held = attached(spec.template) if form.holds_files else (spec.template, ())
        job = replace(job, held=held)
        body = filled(template, job.view).flowing(tabs=form.verbatim)
        fields: dict[str, Marked] = {}
        if form.front:
            fields, body = front(body)
        return cast("_FromTemplate", _writer(form))(job, fields, body)


def modules(paths: Iterable[str]) -> tuple[str, ...]:
    """Modules that write files of these names: a process that others are forked from imports them once for all."""
    forms = [form.name for path in paths if (form := by_ending(path)) is not None]
    return tuple(dict.fromkeys(_WRITERS[name].partition(":")[0] for name in forms if name in _WRITERS))


def _writer(form: Format) -> object:
    module, _, name = _WRITERS[form.name].partition(":")
    return getattr(importlib.import_module(module), name)
