"""The request and the structure of the whole: what is asked for is said, and conflicts are settled in sight."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workgym.check.reading import Visible
from workgym.documents import Document
from workgym.package import public_digests
from workgym.records import Finding
from workgym.verify.edited.compare import unresolved


def request(view: Visible) -> Iterator[Finding]:
    """The request names every deliverable, sheet and column heading that grading looks for."""
    asked = " ".join(view.package.request.split()).casefold()
    for deliverable in view.package.hidden.graph.deliverables:
        shown = view.documents.get(deliverable.path) if deliverable.edits else None  # a form asks by what it shows
        said = asked if shown is None else " ".join((asked, *_seen(shown)))
        wanted = [deliverable.path]
        for item in deliverable.states:
            wanted += [item.sheet] if item.sheet else []
            wanted += list(item.labels.values()) if item.form == "table" else []
        for table in deliverable.handed:
            wanted += [*([table.sheet] if table.sheet else []), *(column.title for column in table.columns)]
        for text in dict.fromkeys(wanted):
            if not re.search(rf"(?<!\w){re.escape(text.casefold())}(?!\w)", said):
                yield Finding(
                    check="request",
                    severity="hard",
                    defect="request under-specification",
                    path="request.md",
                    expected=text,
                    message=f"the request does not say {text!r}, which grading of {deliverable.path} looks for",
                )


def _seen(document: Document) -> Iterator[str]:
    """What a form shows, and the names of its sheets, as a request is searched."""
    for fragment in document.fragments:
        if not fragment.hidden:
            yield " ".join(f"{fragment.text} {fragment.table or ''}".split()).casefold()


def areas(view: Visible) -> Iterator[Finding]:
    """Where a given file may be changed is in that file: its sheets, headings and places are there."""
    for deliverable in view.package.hidden.graph.deliverables:
        document = view.documents.get(deliverable.path)
        if not deliverable.edits or (document is None and deliverable.path in view.read):
            continue  # nothing is edited, or `readable` tells
        missing = deliverable.edits if document is None else unresolved(deliverable.areas, document)
        for written in missing:
            yield Finding(
                check="areas",
                severity="hard",
                defect="executability defect",
                path=deliverable.path,
                expected=written,
                message=f"there is no {written!r} in it, where the solver may change it",
            )


def conflict(view: Visible) -> Iterator[Finding]:
    """An older or other version of a unit is a documented conflict, and the rule that settles it is visible."""
    hidden = view.package.hidden
    documented = {frozenset(item.between): item for item in hidden.graph.conflicts}
    for unit in hidden.graph.units:
        if unit.superseded_by and frozenset((unit.name, unit.superseded_by)) not in documented:
            yield Finding(
                check="conflict",
                severity="hard",
                defect="cross-file inconsistency",
                unit=unit.name,
                message=f"{unit.name} and {unit.superseded_by} disagree, and no rule is named that settles it",
            )
    for item in hidden.graph.conflicts:
        if not any(
            anchor.cell and anchor.cell.unit == item.rule and item.resolved_by in (anchor.place.path, anchor.place.file)
            for anchor in hidden.anchors
        ):
            yield Finding(
                check="conflict",
                severity="hard",
                defect="cross-file inconsistency",
                unit=item.rule,
                path=item.resolved_by,
                message=f"the rule {item.rule} does not stand there",
            )


def carriers(view: Visible) -> Iterator[Finding]:
    """The files are those of the graph, the plan and the card, with the content that the card says."""
    package = view.package
    for kind, what, there in (("reference", "file", package.files), ("external", "page", package.external)):
        named = {carrier.path for carrier in package.hidden.graph.carriers if carrier.kind == kind}
        for path in sorted(named ^ set(there)):
            state = "is named by the graph and missing" if path in named else "is there and named by no carrier"
            message = f"the {what} {state}"
            yield Finding(check="carriers", severity="hard", defect="executability defect", path=path, message=message)
    if public_digests(package.request, package.files, package.external, package.pages) != dict(package.card.digests):
        yield Finding(
            check="carriers",
            severity="hard",
            defect="executability defect",
            path="task.yaml",
            message="the digests of task.yaml are not those of the files",
        )
