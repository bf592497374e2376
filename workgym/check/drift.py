"""Drift: a file reads as the plan writes it for the graph's rows, piece by piece.

The net below the other checks of files: an edit behind the graph's back that repeats a word or a rule
where it does no harm to any single value is seen here. Files that were written a moment ago need no net.
"""

from __future__ import annotations

from collections.abc import Iterator

from workgym.check.pictures import located, page_of
from workgym.check.reading import Visible
from workgym.documents import Document, read
from workgym.errors import MaterializeError, Unreadable
from workgym.package.assemble import assemble
from workgym.records import Anchor, DefectClass, Finding


def drift(view: Visible) -> Iterator[Finding]:
    """Each visible file says what its template says for the rows as they stand in the graph."""
    hidden = view.package.hidden
    try:
        made = assemble(hidden.graph, hidden.values, hidden.plan, strict=False)
    except MaterializeError as error:
        yield _finding(None, None, f"the plan cannot be written any more: {error}", None, None)
        return
    for path, content in (("request.md", made.request.encode()), *made.files.items()):
        stands = view.package.files.get(path)
        if stands == content:
            continue
        if stands and content.startswith(stands):
            yield _finding(path, None, "the file ends too early", None, None, defect="executability defect")
        try:
            whole = read(path, content)
        except Unreadable:
            continue
        for wanted in whole.whole():
            standing = view.documents.get(wanted.path)
            if standing is not None and standing.recognised:
                yield from _redrawn(standing, hidden.anchors)
            elif standing is not None:
                yield from _differing(wanted.path, _texts(standing), _texts(wanted))


def _redrawn(standing: Document, anchors: tuple[Anchor, ...]) -> Iterator[Finding]:
    """A file whose pictures are others than the plan draws: all that is printed there has to be found in them."""
    for anchor in anchors:
        drawn = anchor.place.path == standing.path and page_of(anchor) in standing.recognised
        if drawn and located(standing, anchor) is None:
            message = "the picture does not show here what its template says"
            yield _finding(standing.path, anchor.place.at, message, anchor.printed, None)


def _texts(document: Document) -> dict[str, str]:
    return {
        fragment.at: " ".join(fragment.text.split())
        for fragment in document.fragments
        if not fragment.at.startswith("property.") and (fragment.label or "").casefold() != "message-id"
    }


def _differing(path: str, standing: dict[str, str], wanted: dict[str, str]) -> Iterator[Finding]:
    for at in dict.fromkeys((*wanted, *standing)):
        if standing.get(at) != wanted.get(at):
            yield _finding(
                path, at, "the file does not say here what its template says", wanted.get(at), standing.get(at)
            )


def _finding(
    path: str | None,
    at: str | None,
    message: str,
    expected: str | None,
    found: str | None,
    defect: DefectClass = "self-inconsistency",
) -> Finding:
    return Finding(
        check="drift",
        severity="hard",
        defect=defect,
        path=path,
        at=at,
        expected=expected,
        found=found,
        message=message,
    )
