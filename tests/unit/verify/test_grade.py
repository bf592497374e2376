"""The verdict as a whole: record, conventions, combiners, the text for people."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from workgym.errors import UsageError
from workgym.graph import Deliverable, Stated
from workgym.records import Column
from workgym.records.values import ColumnType
from workgym.verify import COMBINERS, Scores, UnitScore, Verdict, answer_sets, grade, summary


def test_a_verdict_is_read_back_equal(work: Any) -> None:
    verdict = grade(work.package, work.files(memo=None))
    assert Verdict.load(verdict.dump()) == verdict
    assert verdict.record["state"] == "failed"
    assert (verdict.task, verdict.package, verdict.combiner) == (work.package.id, work.package.digest, "code/1")


def test_rubric_items_are_recorded_and_not_requested(work: Any) -> None:
    verdict = grade(work.package, work.files())
    (check,) = [check for check in verdict.checks if check.kind == "rubric"]
    assert (check.state, check.expected) == ("not requested", "Is polite.")
    assert verdict.state == "passed"


def test_weights_sum_to_one(work: Any) -> None:
    verdict = grade(work.package, work.files())
    assert sum(check.weight for check in verdict.checks) == pytest.approx(1.0)
    assert verdict.scores.vector()["code.book.xlsx.yearly"] == 1.0


def test_the_summary_fits_a_page(work: Any) -> None:
    text = summary(grade(work.package, work.files(book=None) | {"scratch.py": b""}))
    assert text.splitlines()[0] == "test/by-hand: failed, reward 0.3 by code/1"
    assert "guard stray: times 0.9" in text
    assert text.count("book.xlsx was not handed in") == 1, "not once more for each fact"
    assert len(text.splitlines()) < 120


def test_an_unknown_combiner_is_refused(work: Any) -> None:
    with pytest.raises(UsageError, match="there is no combiner 'best/9'; use one of code/1"):
        grade(work.package, {}, combine="best/9")


def test_code_1_multiplies_credit_and_guards() -> None:
    def unit(right: int, weight: float, whole: bool = True) -> UnitScore:
        return UnitScore(deliverable="a", unit=f"u{right}{weight}", weight=weight, facts=4, right=right, whole=whole)

    code = COMBINERS["code/1"]
    assert code(Scores(units=(unit(4, 1), unit(2, 3)))) == (1 + 3 * 0.25) / 4
    assert code(Scores(units=(unit(4, 1, whole=False),))) == 0.5
    assert code(Scores(units=(unit(4, 1),), guards={"inputs": 0.0})) == 0.0
    assert code(Scores(units=())) == 0.0


def column(name: str, written: str) -> Column:
    return Column(name=name, type=ColumnType.parse(written))


@pytest.fixture
def free(make: Callable[..., Any], work: Any) -> Any:
    """The same task with a convention that no file fixes: whether costs are counted in the year before."""
    units = [one for one in work.package.hidden.graph.units if one.name not in ("total", "best", "spread")]
    like = units[0]
    rule = like.model_copy(
        update={
            "name": "booking",
            "status": "internal",
            "rule": True,
            "key": (),
            "columns": (column("way", "choice(full, half)"),),
        }
    )
    derived = {
        "status": "derived",
        "key": ("supplier",),
        "columns": (column("supplier", "text"), column("total", "money(USD, 2)")),
    }
    way = "case booking.way when 'half' then 0.5 else 1 end"
    query = "select supplier, cast(round({}, 2) as decimal(18,2)) as total from yearly, booking group by supplier"
    total = like.model_copy(
        update=derived
        | {
            "name": "total",
            "query": query.format(f"sum(cost * {way})"),
        }
    )
    share = like.model_copy(
        update=derived
        | {
            "name": "first",
            "query": query.format(f"min(cost * {way})"),
        }
    )
    asked = Deliverable(
        path="book.xlsx",
        states=tuple(
            Stated(unit=name, form="table", sheet=name, labels={"supplier": "Supplier", "total": "Cost"})
            for name in ("total", "first")
        ),
    )
    rows = {name: work.package.truth(name).dump() for name in ("quote", "term", "budget")} | {
        "booking": [{"way": "full"}]
    }
    return make([asked], (*units, rule, total, share), rows)


def test_vagueness_is_a_number(free: Any, work: Any) -> None:
    assert answer_sets(work.package) == 1
    assert answer_sets(free) == 2
    rounded = tuple(
        one.model_copy(update={"states": tuple(s.model_copy(update={"labels": {}}) for s in one.states)})
        for one in free.hidden.graph.deliverables
    )
    same = free.with_hidden(graph=free.hidden.graph.model_copy(update={"deliverables": rounded}))
    assert answer_sets(same) == 1, "what is stated does not depend on the convention"


def test_any_consistent_convention_passes(free: Any, work: Any, book: Callable[..., bytes]) -> None:
    yearly = work.rows("yearly")
    names = sorted({name for name, _, _ in yearly})
    sums = {name: sum(float(cost) for other, _, cost in yearly if other == name) for name in names}
    least = {name: min(float(cost) for other, _, cost in yearly if other == name) for name in names}

    def graded(total: float, first: float) -> Verdict:
        rows = {
            "total": [["Supplier", "Cost"], *[[name, sums[name] * total] for name in names]],
            "first": [["Supplier", "Cost"], *[[name, least[name] * first] for name in names]],
        }
        return grade(free, dict(free.files) | {"book.xlsx": book(rows)})

    assert graded(1, 1).reward == 1.0
    assert graded(0.5, 0.5).reward == 1.0
    assert graded(0.5, 1).reward == 0.5
    assert graded(0.25, 0.25).reward == 0.0
