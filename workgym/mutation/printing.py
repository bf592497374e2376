"""The files of a revision: what it concerns is written from the plan, and everything else keeps its bytes.

What differs from a file as it stands is edited in place, fragment by fragment, so that the rest of the file keeps its
bytes, too. A pdf, a file that cannot be read, and one whose structure changes, is written again from the plan.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from workgym.documents import Document, differences, edit, editable, member, members, read, recalculate, replaced
from workgym.errors import DocumentError
from workgym.materialize import Rendered
from workgym.mutation.damage import damaged
from workgym.mutation.draft import Draft
from workgym.mutation.wording import texts
from workgym.package.assemble import Press, press
from workgym.records import Anchor


class Printed(NamedTuple):
    """The visible side after a revision."""

    files: dict[str, bytes]
    """All files by path."""
    request: str
    """The request, as markdown."""
    anchors: tuple[Anchor, ...]
    """Where values came to stand, in the order of the plan."""


def printed(draft: Draft) -> Printed:
    """What a solver sees of a draft. Raises MaterializeError where a template cannot be written."""
    hidden = draft.package.hidden
    files, request = dict(draft.package.files), draft.package.request
    anchors: dict[str, tuple[Anchor, ...]] = {}
    for anchor in hidden.anchors:
        anchors[anchor.place.file] = (*anchors.get(anchor.place.file, ()), anchor)
    concerned = {path for path, placed in anchors.items() if any(a.cell and a.cell.unit in draft.units for a in placed)}
    concerned |= {spec.path for spec in draft.plan.artifacts if draft.units & set(spec.row)}
    concerned |= draft.paths | _naming(draft)
    with press(draft.graph, draft.rows, draft.plan, strict=False) as writer:
        for spec in draft.plan.artifacts:
            if spec.path not in concerned:
                continue
            made = writer.printing(draft.by_file.get(spec.path, draft.rows)).artifact(spec)
            files[spec.path] = _in_place(spec.path, files.get(spec.path, b""), made.content)
            within = [path for path in draft.by_file if path.startswith(f"{spec.path}//")]
            files[spec.path] = _said_within(draft, writer, within, files[spec.path])
            if spec.path not in draft.by_file and not within:
                anchors[spec.path] = made.anchors
        if "request.md" in concerned:
            told = writer.request()
            request, anchors["request.md"] = told.content.decode(), told.anchors
    for path, how in draft.damaged.items():
        files[path] = damaged(path, files[path], how)
    order = ["request.md", *(spec.path for spec in draft.plan.artifacts)]
    return Printed(files, request, tuple(anchor for path in order for anchor in anchors.get(path, ())))


def _naming(draft: Draft) -> set[str]:
    """Carriers whose templates name a unit of which something is absent or added: no anchor says where it belongs."""
    old = draft.package.hidden.values
    units = {
        name
        for name in draft.units & old.keys()
        if any(None in row for row in old[name].rows) or old[name].by_key.keys() != draft.rows[name].by_key.keys()
    }
    if not units:
        return set()
    pattern = re.compile(rf"\b(?:{'|'.join(sorted(units))})\b")
    specs = {"request.md": draft.plan.request} | {spec.path: spec for spec in draft.plan.artifacts}
    return {path for path, spec in specs.items() if any(pattern.search(place.text) for place in texts(spec))}


def _said_within(draft: Draft, writer: Press, within: list[str], content: bytes) -> bytes:
    """A carrier of which single files within say something of their own."""
    for path in within:
        spec = next(spec for spec in draft.plan.artifacts if spec.path == path.partition("//")[0])
        content = _within(path, content, writer.printing(draft.by_file[path]).artifact(spec))
    return content


def _within(path: str, content: bytes, made: Rendered) -> bytes:
    """A carrier in which one file that it holds says what it says in ``made``, and the others what they said."""
    holder, _, name = path.partition("//")
    old, new = member(holder, content, name), member(holder, made.content, name)
    return replaced(holder, content, name, _in_place(path.rpartition("//")[2], old, new))


def _in_place(path: str, old: bytes, new: bytes) -> bytes:
    """``old`` edited until it reads as ``new``; ``new`` itself where that cannot be done exactly."""
    if not editable(path):
        return new
    try:
        held, wanted_held = members(path, old), members(path, new)
        if held.keys() != wanted_held.keys():
            return new
        for name, inner in held.items():
            if inner != wanted_held[name]:
                old = replaced(path, old, name, _in_place(name, inner, wanted_held[name]))
        wanted = read(path, new)
        formulas = {fragment.at for fragment in wanted.fragments if fragment.formula}
        edits = [item for item in differences(read(path, old), wanted) if item.at not in formulas]
        edited = edit(path, old, edits)
        if formulas:
            edited = recalculate(edited)
        return edited if _texts(read(path, edited)) == _texts(wanted) else new
    except DocumentError:
        return new


def _texts(document: Document) -> Mapping[tuple[str, str], str]:
    return {
        (part.path, fragment.at): fragment.text
        for part in document.whole()
        for fragment in part.fragments
        if fragment.text and not fragment.at.startswith("property.")
    }
