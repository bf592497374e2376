"""Mutants and equivalents of a task made by hand, and what is said of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from workgym.errors import UsageError
from workgym.quality import REWRITES, Rates, Sound, attribute, merged, mutants, sound
from workgym.quality.rates import of, survives
from workgym.verify import grade

MISTAKES = {
    *("beyond tolerance", "swapped entities", "right value in the wrong row", "stale value", "trap", "dropped row"),
    *("wrong unit", "wrong sign", "formula that errors", "every guess", "another name", "claim without the file"),
    *("numbers dumped", "copied input"),
}


def test_the_deliverables_are_right(hand: Sound) -> None:
    assert hand.verdict.reward == 1.0
    assert [len(part.facts) for part in hand.parts] == [6, 3]


@pytest.fixture(scope="module")
def rates(hand: Sound) -> Rates:
    return of(hand)


def test_every_kind_of_mistake_is_made_and_caught(rates: Rates) -> None:
    assert {count.kind for count in rates.mutants} == MISTAKES
    assert rates.false_accepts == ()
    assert rates.false_rejects == ()
    assert "sheet name" in {count.kind for count in rates.equivalents}
    assert "false accepts 0.00%" in rates.table()


def test_the_same_task_gives_the_same_files(hand: Sound) -> None:
    again = replace(hand)
    for one, two in zip(mutants(hand), mutants(again), strict=True):
        assert one == two
    saved = "saved by LibreOffice"
    for kind, rewrite in REWRITES.items():
        assert kind == saved or [*rewrite(hand)] == [*rewrite(again)], kind


def test_a_mutant_changes_only_what_it_says(hand: Sound) -> None:
    for mutant in mutants(hand):
        untouched = set(hand.files) - {path for path, _ in mutant.concerns}
        assert all(mutant.files[path] == hand.files[path] for path in untouched), mutant.kind


def test_a_mutant_that_is_right_survives_with_its_reason(hand: Sound) -> None:
    mutant = next(mutants(hand))
    why = survives(mutant, hand.verdict)
    assert why is not None
    assert "total in totals.xlsx still gets full credit" in why
    assert survives(mutant, grade(hand.package, mutant.files)) is None


def test_rates_of_several_tasks_add_up(rates: Rates) -> None:
    both = merged([rates, rates])
    assert both.tasks == rates.tasks * 2
    assert [count.total for count in both.mutants] == [2 * count.total for count in rates.mutants]


def test_a_task_whose_expert_falls_short_is_refused(hand: Sound) -> None:
    short = hand.package.with_hidden(expert_files={"note.md": b"# Totals\n"})
    with pytest.raises(UsageError, match="the expert's deliverables get"):
        sound(short)


CAUSES = {
    "beyond tolerance": "last place",
    "swapped entities": "other row",
    "right value in the wrong row": "other row",
    "stale value": "superseded",
    "trap": "trap",
    "wrong sign": "wrong sign",
    "wrong unit": "stated in another unit",
}


def test_the_cause_is_named(hand: Sound) -> None:
    seen: Counter[str] = Counter()
    for mutant in mutants(hand):
        if mutant.kind in CAUSES and mutant.deliverable == "totals.xlsx" and not seen[mutant.kind]:
            seen[mutant.kind] += 1
            (cause, *_) = attribute(hand.package, grade(hand.package, mutant.files))
            assert cause.kind == CAUSES[mutant.kind], (mutant.what, cause)
            assert cause.says.endswith(".")
    assert set(seen) == set(CAUSES)


def test_missed_freight_is_named(hand: Sound) -> None:
    note = hand.files["note.md"].decode().replace("6,413.88", "6,150.75")
    verdict = grade(hand.package, {**hand.files, "note.md": note.encode()})
    (cause,) = attribute(hand.package, verdict)
    assert (cause.kind, cause.units) == ("left out", ("freight",))
    assert "Beacon" in cause.says


def test_what_nothing_gives_is_unexplained(hand: Sound) -> None:
    note = hand.files["note.md"].decode().replace("6,413.88", "7,777.77")
    (cause,) = attribute(hand.package, grade(hand.package, {**hand.files, "note.md": note.encode()}))
    assert cause.kind == "unexplained"
    assert len(cause.checks) == 1


def test_a_file_that_is_not_there_is_one_cause(hand: Sound) -> None:
    files = {path: content for path, content in hand.files.items() if path != "totals.xlsx"}
    (cause,) = attribute(hand.package, grade(hand.package, files))
    assert cause.kind == "no file"
    assert len(cause.checks) == 6


def test_nothing_is_said_of_what_is_right(hand: Sound) -> None:
    assert attribute(hand.package, hand.verdict) == ()
