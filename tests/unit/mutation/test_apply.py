"""Revisions change graph and files together, in place, and keep the contract."""

from __future__ import annotations

import random
from functools import cache

import pytest

from workgym.authoring import families
from workgym.check import check
from workgym.defects import INJECTIONS, inject
from workgym.documents import read
from workgym.errors import MutationError, UsageError
from workgym.mutation import Contradict, DropRow, Revision, SetCell, Withhold, apply, violations
from workgym.package import TaskPackage
from workgym.records import Cell
from workgym.repair import repair, restorer

HOMES = families.names()
PAIRS = [
    pytest.param(family, defect, id=f"{defect}-{family}", marks=() if home == number % len(HOMES) else pytest.mark.soak)
    for number, defect in enumerate(sorted(INJECTIONS))
    for home, family in enumerate(HOMES)
]
"""Each class in one family, dealt in turn, and with ``--soak`` in all; ways of a class: ``defects/test_classes``."""


@cache
def built(family: str) -> TaskPackage:
    return families.build(family, None, 11)


@pytest.fixture(scope="module")
def package() -> TaskPackage:
    return families.build("supplier-selection", "medium", 3)


def freight(package: TaskPackage, form: str) -> Cell:
    """A freight cell that is printed in a file of that format."""
    return next(
        a.cell
        for a in package.hidden.anchors
        if a.cell and a.cell.unit == "freight" and a.cell.column == "per_unit" and a.place.path.endswith(form)
    )


@pytest.mark.parametrize("form", ["csv", "eml"])
def test_setting_a_cell_moves_truth_and_file_and_nothing_else(package: TaskPackage, form: str) -> None:
    cell = freight(package, form)
    changed = apply(package, Revision(purpose="repair", why="a new rate", edits=(SetCell(cell=cell, value="0.55"),)))
    path = next(a.place.path for a in package.hidden.anchors if a.cell == cell)
    assert [name for name in package.files if package.files[name] != changed.files[name]] == [path]
    before = {f.at: f.text for f in read(path, package.files[path]).fragments}
    after = {f.at: f.text for f in read(path, changed.files[path]).fragments}
    assert len([at for at in before if before[at] != after.get(at)]) == 1
    assert changed.truth("npv").by_key != package.truth("npv").by_key
    assert check(changed).passed
    assert changed.hidden.history[-1].before == package.digest


def test_the_scenario_of_the_papers(package: TaskPackage) -> None:
    """Supplier C's freight is dropped, found, and given another value: the comparison stays with the solver."""
    cell = freight(package, "csv")
    broken = apply(package, Revision(purpose="inject", why="drop", edits=(Withhold(cell=cell),)))
    report = check(broken)
    assert not report.passed
    assert {finding.defect for finding in report.findings if finding.severity == "hard"} == {"broken derivation"}
    assert any(finding.unit == "freight" and finding.key == cell.key for finding in report.findings)
    mended = apply(broken, Revision(purpose="repair", why="0.15", edits=(SetCell(cell=cell, value="0.15"),)))
    assert check(mended).passed
    assert list(violations(package, mended)) == []
    assert len(mended.hidden.history) == 2


@pytest.mark.parametrize(("family", "defect"), PAIRS)
def test_injected_defects_are_found_by_class_and_repaired(family: str, defect: str) -> None:
    sound = built(family)
    broken = inject(sound, defect)  # type: ignore[arg-type]
    report = check(broken)
    assert defect in {finding.defect for finding in report.findings if finding.severity == "hard"}
    outcome = repair(broken, restorer(sound))
    assert outcome.accepted, outcome.reason
    assert outcome.package.hidden.history[-1].accepted_on
    assert {n: r.by_key for n, r in outcome.package.hidden.values.items()} == {
        n: r.by_key for n, r in sound.hidden.values.items()
    }


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (lambda c: SetCell(cell=Cell(unit="npv", key=c.key, column="npv"), value="1.00"), "is derived"),
        (lambda c: SetCell(cell=Cell(unit="freight", key=c.key, column="supplier"), value="X"), "is a key"),
        (lambda c: SetCell(cell=Cell(unit="freight", key=("Nobody",), column="per_unit"), value="1.00"), "no such row"),
        (lambda c: SetCell(cell=c, value="much"), "freight"),
        (lambda c: SetCell(cell=Cell(unit="nothing", key=(), column="x"), value=1), "no unit nothing"),
        (lambda c: Withhold(cell=c), "only sets cells"),
        (lambda c: Contradict(cell=c, value="9.99", path="logistics/carrier_rates.csv"), "only sets cells"),
    ],
)
def test_a_repair_keeps_the_contract(package: TaskPackage, edit: object, says: str) -> None:
    cell = freight(package, "csv")
    with pytest.raises(MutationError, match=says):
        apply(package, Revision(purpose="repair", why="x", edits=(edit(cell),)))  # type: ignore[operator]


def test_violations_see_each_kind_of_change(package: TaskPackage) -> None:
    graph = package.hidden.graph
    fewer = package.with_files({path: content for path, content in package.files.items() if "mail/" not in path})
    assert "mail/re_freight_rates.eml" in next(violations(package, fewer))
    npv = graph.unit("npv").model_copy(
        update={"query": "select supplier, cast(1 as decimal(18,2)) as npv from invited"}
    )
    other = package.with_hidden(
        graph=graph.model_copy(update={"units": tuple(npv if u.name == "npv" else u for u in graph.units)})
    )
    assert list(violations(package, other)) == ["the derived unit npv changed"]
    bare = package.with_hidden(graph=graph.model_copy(update={"deliverables": ()}))
    assert list(violations(package, bare)) == ["what the deliverables must state changed"]


def test_random_cells_can_be_set_and_set_back(package: TaskPackage) -> None:
    rng = random.Random(4)
    from workgym.check.sufficiency import another, cells

    settable = [c for c in cells(package) if package.hidden.graph.unit(c.unit).value_columns]
    for cell in rng.sample(settable, 8):
        kind = package.hidden.graph.unit(cell.unit).column(cell.column).type
        old = package.truth(cell.unit).value(cell.key, cell.column)
        new = another(kind, old, rng)
        if new is None:
            continue
        there = apply(package, Revision(purpose="user", why="there", edits=(SetCell(cell=cell, value=kind.dump(new)),)))
        back = apply(there, Revision(purpose="user", why="back", edits=(SetCell(cell=cell, value=kind.dump(old)),)))
        for path in package.files:
            was = [(f.at, f.text) for f in read(path, package.files[path]).fragments]
            assert [(f.at, f.text) for f in read(path, back.files[path]).fragments] == was, (cell, path)


def test_unknown_defect_classes_are_refused(package: TaskPackage) -> None:
    with pytest.raises(UsageError, match="no injector"):
        inject(package, "a bad day")  # type: ignore[arg-type]


def test_edits_of_what_is_not_there_are_refused(package: TaskPackage) -> None:
    cell = freight(package, "csv")
    for edit, says in (
        (DropRow(cell=Cell(unit="nosuch", key=(), column="x")), "no unit nosuch"),
        (Contradict(cell=cell, value="9.99", path="no/such.csv"), "does not stand in no/such.csv"),
    ):
        with pytest.raises(MutationError, match=says):
            apply(package, Revision(purpose="inject", why="a slip", edits=(edit,)))
