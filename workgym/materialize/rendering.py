"""One carrier from its specification and the world: content, and where every value came to stand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from workgym.errors import MaterializeError
from workgym.materialize import csv, docx, eml, ics, json, pdf, text, xlsx
from workgym.materialize.carrier import Job, Rendered
from workgym.materialize.marks import Marked
from workgym.materialize.prose import front
from workgym.materialize.scope import Scope, View
from workgym.materialize.template import located
from workgym.materialize.template import text as filled
from workgym.plan import ArtifactSpec

_PROSE: dict[str, Callable[[Job, Mapping[str, Marked], Marked], Rendered]] = {
    "docx": docx.write,
    "pdf": pdf.write,
    "md": text.write_md,
    "txt": text.write_txt,
    "eml": eml.write,
}
_STRUCTURED: dict[str, Callable[[Job, Mapping[str, Any]], Rendered]] = {
    "xlsx": xlsx.write,
    "csv": csv.write,
    "json": json.write,
    "ics": ics.write,
}
_FRONT = ("docx", "pdf", "eml")


def render(spec: ArtifactSpec, scope: Scope, look: str, *, strict: bool = True) -> Rendered:
    """The carrier that ``spec`` describes. ``look`` is the seed of the look where the carrier names no company.

    Raises MaterializeError, naming the carrier, the line or place in its template and the unit, where the template
    asks for what is not there, computes with a value, or (a needed artifact) prints no value at all; the last only
    where ``strict``, since a task from which its one value was withheld has to be written, too.
    """
    made = _rendered(spec, scope, look)
    if strict and spec.role == "needed" and not any(anchor.cell is not None for anchor in made.anchors):
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
    job = Job(path=spec.path, title=spec.title, look=look, view=view)
    prose = _PROSE.get(spec.format)
    if prose is None:
        if not isinstance(spec.content, Mapping):
            raise MaterializeError(
                f"{spec.path}: a {spec.format} file is written from a content tree, and there is none"
            )
        return _STRUCTURED[spec.format](job, spec.content)
    if spec.template is None:
        raise MaterializeError(f"{spec.path}: a {spec.format} file is written from a template, and there is none")
    with located(spec.path):
        body = filled(spec.template, view).flowing()
        fields: dict[str, Marked] = {}
        if spec.format in _FRONT:
            fields, body = front(body)
        return prose(job, fields, body)
