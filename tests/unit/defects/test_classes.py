"""Every way to plant a defect, on one task each: it shows, it is found by its class, and it can be repaired."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache

import pytest

from benchmarks.defects import Tally, missed
from workgym.authoring import families
from workgym.check import check
from workgym.defects import INJECTIONS, Kind, Planted, inject, plant
from workgym.defects.kinds import other, spots
from workgym.errors import UsageError
from workgym.mutation import apply
from workgym.package import TaskPackage
from workgym.records import ColumnType, DefectClass
from workgym.repair import attempt, restorer

WAYS = [(defect, kind) for defect, kinds in INJECTIONS.items() for kind in kinds]
HOME = {
    "no vocabulary": "bank-reconciliation",
    "a total": "overtime-payroll",
    "the rows to select": "bank-reconciliation",
}
"""Families that offer a place where the usual one does not."""


@cache
def sound(family: str) -> TaskPackage:
    return families.build(family, "easy", 11)


def planted(defect: DefectClass, kind: Kind) -> Planted:
    package = sound(HOME.get(kind.name, "supplier-selection"))
    found = plant(package, defect, kind, random.Random(kind.name))
    assert found is not None, kind.name
    return found


@pytest.mark.parametrize(("defect", "kind"), WAYS, ids=[f"{defect}, {kind.name}" for defect, kind in WAYS])
def test_a_way_is_found_by_its_class_and_can_be_repaired(defect: DefectClass, kind: Kind) -> None:
    one = planted(defect, kind)
    before = sound(HOME.get(kind.name, "supplier-selection"))
    assert one.package.card.digests != before.card.digests
    report = check(one.package)
    blocking = {finding.defect for finding in report.findings if finding.severity == "hard"}
    assert (defect in blocking) == kind.seen and bool(kind.why) != kind.seen
    revision = restorer(before)(one.package, report)
    assert revision is not None
    tried = attempt(one.package, revision)
    assert tried.package is not None, tried.record.reason
    assert tried.package.request == before.request and set(tried.package.files) == set(before.files)
    assert {name: rows.by_key for name, rows in tried.package.hidden.values.items()} == {
        name: rows.by_key for name, rows in before.hidden.values.items()
    }


@pytest.mark.parametrize("defect", INJECTIONS)
def test_the_same_seed_plants_the_same_and_another_another(defect: DefectClass) -> None:
    package = sound("supplier-selection")
    assert inject(package, defect, 3).digest == inject(package, defect, 3).digest
    assert len({inject(package, defect, seed).digest for seed in range(5)}) > 1


def test_what_is_planted_is_a_revision_that_the_history_tells() -> None:
    one = planted("leakage or shortcut", INJECTIONS["leakage or shortcut"][0])
    entry = one.package.hidden.history[-1]
    assert entry.why == one.revision.why and entry.edits[0]["kind"] == "reword"
    assert apply(sound("supplier-selection"), one.revision).digest == one.package.digest


def test_what_there_is_no_way_for_is_said() -> None:
    package = sound("supplier-selection")
    with pytest.raises(UsageError, match="there is no injector"):
        inject(package, "typo")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="use one of a value is withheld"):
        inject(package, "broken derivation", kind="a typo")
    with pytest.raises(UsageError, match="offers no place"):
        inject(package, "request under-specification", kind="no vocabulary")


def test_another_value_is_another() -> None:
    rng = random.Random(1)
    for kind, value in (("integer", 16), ("integer", 0), ("quantity(pcs)", 10), ("money(USD, 2)", 0)):
        parsed = ColumnType.parse(kind)
        for _ in range(20):
            assert parsed.load(other(parsed, parsed.load(str(value)), rng)) != parsed.load(str(value))


def test_sentences_go_where_sentences_stand() -> None:
    package = sound("supplier-selection")
    found = spots(package)
    assert len({spot.path for spot in found}) >= 5
    texts = {spec.path: spec.template for spec in package.hidden.plan.artifacts if spec.template}
    assert all(texts[spot.path].count(spot.text) == 1 for spot in found if spot.path in texts)
    assert not any(spot.text.lstrip().startswith(("|", "#", ">", "{")) for spot in found)


def test_a_defect_is_planted_where_it_is_asked_for() -> None:
    package = sound("supplier-selection")
    (edit,) = inject(package, "broken derivation", at="freight.per_unit").hidden.history[-1].edits
    assert (edit["cell"]["unit"], edit["cell"]["column"]) == ("freight", "per_unit")
    with pytest.raises(UsageError, match=r"no place .* at freight\.colour"):
        inject(package, "broken derivation", at="freight.colour")


def test_the_benchmark_says_which_bounds_are_missed() -> None:
    *_, last = INJECTIONS

    def judged(planted: int, found: int, *, alarms: int = 0, each: int = 42) -> list[str]:
        """Of one class; all others keep their bounds."""
        tallies = {defect: Tally(Counter({"injected": 40, "seen": 20, "seen found": 19})) for defect in INJECTIONS}
        tallies[last] = Tally(Counter({"injected": planted, "seen": 20, "seen found": found}))
        return missed(tallies, alarms, each)

    assert judged(40, 19) == judged(2, 19, each=2) == []
    assert judged(40, 18) == [f"{last}: 18 of 20 were found, 90.0%; at least 95% is wanted"]
    assert judged(39, 19, each=40) == [f"{last}: 39 were planted; at least 40 are wanted"]
    assert judged(40, 19, alarms=1) == ["1 false alarms; at most 0 are wanted"]
    assert missed({}, 0, 2) == [f"{defect}: nothing was planted that code can see" for defect in INJECTIONS]
