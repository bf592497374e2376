"""Triage with the graph: what it confirms, what it finds mistaken, and that the measurement stays as it was."""

from __future__ import annotations

import pytest

from workgym.authoring import families
from workgym.defects import inject
from workgym.errors import UsageError
from workgym.mutation import Revision, Withhold, apply
from workgym.package import TaskPackage
from workgym.probe import Ground, ProbeReport, Problem, triage
from workgym.records import Cell, DefectClass


@pytest.fixture(scope="module")
def sound() -> TaskPackage:
    return families.build("supplier-selection", None, 42)


def report(package: TaskPackage, *problems: Problem) -> ProbeReport:
    return ProbeReport(
        task_id=package.id, package=package.digest, harness="h", model="m", seed=0, diagnoser="d", problems=problems
    )


def problem(defect: DefectClass, *grounds: tuple[str, str, str]) -> Problem:
    made = tuple(Ground(call=1, source=source, quote=quote, missing=missing) for source, quote, missing in grounds)
    return Problem(defect=defect, what="w", blocks="b", grounds=made, verdict="defect", severity="hard")


def values(package: TaskPackage, unit: str) -> list[Cell]:
    """The cells of a unit outside its key."""
    keys = package.hidden.graph.unit(unit).key
    return [
        cell for cell, value in package.hidden.values[unit].cells() if cell.column not in keys and value is not None
    ]


def test_a_value_that_was_taken_out_is_confirmed_and_one_that_is_there_is_mistaken(
    sound: TaskPackage, full_size: bool
) -> None:
    """Every third value, or one of each column."""
    cells = [cell for name in ("freight", "demand", "quote") for cell in values(sound, name)]
    assert len(cells) > 10
    for cell in cells[::3] if full_size else {(cell.unit, cell.column): cell for cell in cells}.values():
        spoiled = apply(sound, Revision(purpose="inject", why="test", edits=(Withhold(cell=cell),)))
        column = sound.hidden.graph.unit(cell.unit).column(cell.column)
        missing = " ".join((*cell.key, column.label or column.name.replace("_", " ")))
        here = problem("broken derivation", ("notes/kickoff_meeting.md", "Freight: logistics asks", missing))
        assert triage(spoiled, report(spoiled, here)).sightings[0].says == "confirmed"
        assert triage(sound, report(sound, here)).sightings[0].says == "mistaken"


def test_a_contradiction_is_confirmed_by_the_finding_at_its_place(sound: TaskPackage) -> None:
    spoiled = inject(sound, "cross-file inconsistency", 1, kind="another value in one of two files")
    path = spoiled.hidden.history[-1].edits[0]["path"]
    real = problem("cross-file inconsistency", (path, "what it says", ""), ("notes/kickoff_meeting.md", "other", ""))
    seen = triage(spoiled, report(spoiled, real))
    assert seen.of("confirmed") == (0,) and path in seen.sightings[0].by[0]
    assert triage(sound, report(sound, real)).of("silent") == (0,)


def test_a_documented_conflict_is_settled_by_its_rule(sound: TaskPackage) -> None:
    (conflict,) = sound.hidden.graph.conflicts
    homes = [
        next(one.carrier for one in sound.hidden.graph.bindings if one.unit == unit and one.visible)
        for unit in conflict.between
    ]
    claim = problem("cross-file inconsistency", *((home, "Units 2027", "") for home in homes))
    seen = triage(sound, report(sound, claim)).sightings[0]
    assert seen.says == "mistaken" and conflict.resolved_by in seen.by[0]


def test_the_measurement_is_not_touched_and_has_to_be_of_this_package(sound: TaskPackage) -> None:
    measured = report(sound, problem("leakage or shortcut", ("request.md", "two files", "")))
    before = measured.model_dump_json()
    found = triage(sound, measured)
    assert measured.model_dump_json() == before and measured.hard
    assert found.report == measured.fingerprint() and found.sightings[0].says == "silent"
    with pytest.raises(UsageError, match="another state"):
        triage(sound.with_files({}), measured)
