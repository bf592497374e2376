"""Every family: no equivalent is rejected, hardly a mutant accepted, and the cause of a mistake is named."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest

from workgym.authoring import families
from workgym.quality import Rates, Sound, attribute, merged, mutants, rates
from workgym.quality.equivalents import REWRITES, skipped
from workgym.quality.mutants import Mutant
from workgym.quality.premises import left_out, outcome, stale, traps
from workgym.quality.rates import of
from workgym.quality.retold import retold
from workgym.verify import grade

FAMILIES = ("supplier-selection", "overtime-payroll", "bank-reconciliation")
PRESETS = ("easy", "medium", "hard")
ALWAYS = {
    *("beyond tolerance", "swapped entities", "right value in the wrong row", "stale value", "trap", "dropped row"),
    *("wrong unit", "wrong sign", "formula that errors", "every guess", "another name", "claim without the file"),
    *("numbers dumped", "copied input"),
}
STATED = {
    "beyond tolerance": "last place",
    "swapped entities": "other row",
    "right value in the wrong row": "other row",
    "dropped row": "missing row",
    "wrong sign": "wrong sign",
    "wrong unit": "stated in another unit",
}
Task = Callable[[str], Sound]


@pytest.fixture(scope="module", params=FAMILIES)
def family(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def found(family: str, task: Task) -> Rates:
    """Two mutants of each kind in one family and one in the others; all of them, over seeds, with ``--soak``."""
    return of(task(family), most=2 if family == FAMILIES[0] else 1)


def test_every_fact_is_found_where_it_stands(family: str, task: Task) -> None:
    for part in task(family).parts:
        assert len(part.facts) == len(part.asked.facts), part.concern


def test_mutants_are_caught_and_equivalents_pass(found: Rates) -> None:
    assert found.false_rejects == ()
    assert found.false_accept_rate < 0.02, found.table()
    assert {count.kind for count in found.mutants} >= ALWAYS


def test_files_saved_by_libreoffice_pass(found: Rates) -> None:
    if why := skipped().get("saved by LibreOffice"):
        pytest.skip(why)
    made = {count.kind: count for count in found.equivalents}
    assert made["saved by LibreOffice"].right == made["saved by LibreOffice"].total > 0
    assert made.keys() <= REWRITES.keys()


def test_a_verdict_is_the_same_twice(family: str, task: Task) -> None:
    reference = task(family)
    kinds: set[str] = set()
    for mutant in mutants(reference):
        if mutant.kind not in kinds:
            kinds.add(mutant.kind)
            first, second = (grade(reference.package, mutant.files).dump() for _ in range(2))
            assert first == second


def test_who_falls_for_something_hands_in_what_comes_out_of_it(family: str, task: Task) -> None:
    reference = task(family)
    for premise in (*stale(reference.package), *traps(reference.package)):
        values = outcome(reference.package, premise)
        if values is not None:
            files, _ = retold(reference, values)
            fooled = grade(reference.package.with_hidden(values=values), files)
            assert fooled.reward == 1.0, (premise.says, [check.name for check in fooled.failed()])


def planted(reference: Sound) -> Iterator[tuple[Mutant, str, tuple[str, ...]]]:
    """Ten mistakes or more, with the kind of cause or the premises that should be named."""
    left = list(left_out(reference.package))
    some = random.Random(reference.package.id).sample(left, min(3, len(left)))
    for premise in (*traps(reference.package), *some):
        values = outcome(reference.package, premise)
        files, concerns = ({}, ()) if values is None else retold(reference, values)
        if concerns:  # without: the task's own controls stop whoever makes this mistake
            units = tuple(sorted(premise.given))
            yield Mutant(premise.kind, concerns[0][0], premise.says, files, concerns), premise.kind, units
    seen: set[str] = set()
    for mutant in mutants(reference):
        tabled = not mutant.deliverable.endswith((".docx", ".md"))
        if mutant.kind in STATED and mutant.kind not in seen and tabled:
            seen.add(mutant.kind)
            yield mutant, STATED[mutant.kind], ()


def named(reference: Sound) -> Iterator[tuple[bool, str]]:
    """For each planted mistake whether the right cause comes first, and what was said."""
    for mutant, kind, units in planted(reference):
        cause = attribute(reference.package, grade(reference.package, mutant.files))[0]
        right = cause.units == units if units else cause.kind == kind
        yield right, f"{mutant.what}: {cause.kind}: {cause.says}"


def test_the_cause_of_a_planted_mistake_is_named(family: str, task: Task) -> None:
    tried = list(named(task(family)))
    assert len(tried) >= 9
    assert [said for right, said in tried if not right] == []


@pytest.mark.soak
@pytest.mark.parametrize("preset", PRESETS)
def test_rates_over_seeds(family: str, preset: str) -> None:
    seeds = random.Random(preset).sample(range(1000), 17)
    found = merged(rates(families.build(family, preset, seed)) for seed in seeds)
    print(found.table())
    assert found.false_rejects == ()
    assert found.false_accept_rate < 0.02, found.table()
