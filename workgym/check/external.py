"""The offline site: what is to be found outside is there, can be found, and does not lie in the workspace as well."""

from __future__ import annotations

from collections.abc import Iterator

from workgym.check.reading import Visible
from workgym.env.site import Site
from workgym.graph import needed
from workgym.package.pages import card
from workgym.records import DefectClass, Finding, PageCard
from workgym.records.web import RESULTS


def concerns(view: Visible) -> bool:
    """Whether the task has anything outside its workspace."""
    return bool(view.package.external) or bool(view.package.hidden.graph.relations("external"))


def external(view: Visible) -> Iterator[Finding]:
    """External units stand on pages and nowhere else, and a search for a page's title finds it."""
    yield from _index(view)
    yield from _statuses(view)
    yield from _findable(view)


def _index(view: Visible) -> Iterator[Finding]:
    """The cards say what the pages and the plan say."""
    planned = {spec.path: spec.page for spec in view.package.hidden.plan.artifacts if spec.page is not None}
    known = {one.path: one for one in view.package.pages}
    for path, one in known.items():
        page, document = planned.get(path), view.documents.get(path)
        if page is None:
            yield _finding(path, "the index lists a page that the plan does not write", "executability defect")
        elif document is not None and card(page, document) != one:
            yield _finding(path, "the index does not say what the page says", "self-inconsistency")
        if one.moved_to is not None and _state(known.get(one.moved_to)) != "live":
            message = f"it has moved to {one.moved_to}, where no page can be fetched"
            yield _finding(path, message, "executability defect")


def _state(one: PageCard | None) -> str:
    return "missing" if one is None else one.state


def _statuses(view: Visible) -> Iterator[Finding]:
    """What is external stands on pages alone, and what is needed and stands on pages alone is external."""
    graph = view.package.hidden.graph
    places: dict[str, set[str]] = {}
    for anchor in view.package.hidden.anchors:
        if anchor.cell is not None:
            places.setdefault(anchor.cell.unit, set()).add(anchor.place.file)
    wanted = needed(graph)
    for unit in graph.relations("provided", "external"):
        inside = sorted(places.get(unit.name, set()) - view.package.external.keys())
        if unit.status == "external" and inside:
            message = f"{unit.name} is external and lies in the workspace: nobody needs to look for it outside"
            yield _finding(inside[0], message, "leakage or shortcut", unit.name)
        elif unit.status == "provided" and unit.name in places and not inside and unit.name in wanted:
            message = f"{unit.name} is called provided and stands on pages alone: it is external"
            yield _finding(min(places[unit.name]), message, "executability defect", unit.name)


def _findable(view: Visible) -> Iterator[Finding]:
    """A page is found by its own title: within the results that one search may ask for."""
    site = Site(view.package.pages, view.read)
    for one in view.package.pages:
        if not one.title:
            yield _finding(one.path, "the page has no title", "executability defect")
        elif one.path not in {hit.card.path for hit in site.search(one.title, RESULTS)}:
            yield _finding(one.path, "a search for its title does not find the page", "executability defect")


def _finding(path: str, message: str, defect: DefectClass, unit: str | None = None) -> Finding:
    return Finding(check="external", severity="hard", defect=defect, path=path, unit=unit, message=message)
