"""Corrections: a reply holds what changes, by name or path, and the merged draft is looked at as a whole."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TypeVar

from workgym.authoring.planner.artifacts import DirectChange, DirectDraft, PlanChange, PlanDraft
from workgym.authoring.planner.forms import GraphChange, GraphDraft, UnitDraft

_Part = TypeVar("_Part")


def changed_graph(draft: GraphDraft, change: GraphChange) -> GraphDraft:
    """The graph with a change; a unit sent without rows keeps those that it had where its columns are the same."""
    old = {unit.name: unit for unit in draft.units}
    sent = [_with_rows(unit, old.get(unit.name)) for unit in change.units]
    return draft.model_copy(
        update={
            "units": _replaced(draft.units, sent, change.drop_units, lambda unit: unit.name),
            "deliverables": _replaced(
                draft.deliverables, change.deliverables, change.drop_deliverables, lambda spec: spec.path
            ),
            "conflicts": draft.conflicts if change.conflicts is None else change.conflicts,
            "traps": draft.traps if change.traps is None else change.traps,
        }
    )


def changed_plan(draft: PlanDraft, change: PlanChange) -> PlanDraft:
    """The plan with a change."""
    return draft.model_copy(
        update={
            "title": draft.title if change.title is None else change.title,
            "context": {**draft.context, **(change.context or {})},
            "request": draft.request if change.request is None else change.request,
            "artifacts": _replaced(draft.artifacts, change.artifacts, change.drop_artifacts, lambda spec: spec.path),
            "sites": {**draft.sites, **(change.sites or {})},
            "pages": _replaced(draft.pages, change.pages, change.drop_pages, lambda page: page.url),
        }
    )


def changed_direct(draft: DirectDraft, change: DirectChange) -> DirectDraft:
    """The direct draft with a change."""
    return draft.model_copy(
        update={
            "title": draft.title if change.title is None else change.title,
            "today": draft.today if change.today is None else change.today,
            "request": draft.request if change.request is None else change.request,
            "files": _replaced(draft.files, change.files, change.drop_files, lambda spec: spec.path),
            "sites": {**draft.sites, **(change.sites or {})},
            "pages": _replaced(draft.pages, change.pages, change.drop_pages, lambda page: page.url),
            "deliverables": _replaced(
                draft.deliverables, change.deliverables, change.drop_deliverables, lambda spec: spec.path
            ),
        }
    )


def _with_rows(sent: UnitDraft, old: UnitDraft | None) -> UnitDraft:
    if sent.rows or old is None or [c.name for c in sent.columns] != [c.name for c in old.columns]:
        return sent
    return sent.model_copy(update={"rows": old.rows}) if sent.status in ("provided", "external") else sent


def _replaced(
    old: Sequence[_Part], sent: Sequence[_Part], gone: Collection[str], name: Callable[[_Part], str]
) -> tuple[_Part, ...]:
    """The parts, each in its place: without those that go, and with what was sent instead; new ones come last.

    A part that is both sent and said to go is there: it was replaced.
    """
    new = {name(part): part for part in sent}
    kept = [new.pop(name(part), part) for part in old if name(part) in new or name(part) not in gone]
    return (*kept, *new.values())
