"""Listings: a sentence that names just the rows which the solver has to select."""

from __future__ import annotations

from collections.abc import Iterator

from workgym.check.leak import distinctive
from workgym.check.reading import Visible
from workgym.documents import paragraphs
from workgym.graph import InfoUnit
from workgym.records import Finding


def listing(view: Visible) -> Iterator[Finding]:
    """No paragraph names all rows of a selection, none of those that are not in it, and what they are."""
    graph = view.package.hidden.graph
    stated = dict.fromkeys(item.unit for deliverable in graph.deliverables for item in deliverable.states)
    selections = [(graph.unit(name), *found) for name in stated if (found := selected(view, graph.unit(name)))]
    if not selections:
        return
    for path, document in view.documents.items():
        cells = [((f,), f.text) for f in document.fragments if f.table is not None and " " in f.text.strip()]
        for fragments, text in (*paragraphs(document), *cells):
            folded = " ".join(text.split()).casefold()
            for unit, own, others, words in selections:
                named = all(key in folded for key in own) and not any(key in folded for key in others)
                if named and any(word in folded for word in words):
                    yield Finding(
                        check="listing",
                        severity="hard",
                        defect="leakage or shortcut",
                        unit=unit.name,
                        path=path,
                        at=fragments[0].at,
                        found=text[:120],
                        message=f"the text lists just the rows of {unit.name}",
                    )


def selected(view: Visible, unit: InfoUnit) -> tuple[set[str], set[str], set[str]] | None:
    """Names of the rows of a selection, of those that are not in it, and words for it; None where it is none."""
    if unit.status != "derived" or len(unit.key) != 1 or unit.column(unit.key[0]).type.kind != "text":
        return None
    hidden = view.package.hidden
    own = {key[0].casefold() for key in hidden.values[unit.name].by_key}
    given: set[str] = set()
    for other in hidden.graph.relations("provided", "external"):
        at = hidden.values[other.name].index.get(unit.key[0])
        if at is not None:
            given |= {str(row[at]).casefold() for row in hidden.values[other.name].rows}
    words = distinctive(view, f"{unit.name.replace('_', ' ')} {unit.content}")
    return (own, given - own, words) if len(own) > 1 and own < given and words else None
