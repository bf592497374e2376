"""Contradictions: the same entity, attribute and scenario with another value. What is said of another scene is none."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from workgym.verify import Verdict, grade
from workgym.verify.stated.scenes import other_scene

TOTAL = "total[Alder Mills Ltd].total in"


def wrong(verdict: Verdict) -> set[str]:
    return {check.name.split("[")[0] for check in verdict.failed() if check.kind == "fact"}


@pytest.mark.parametrize(
    "said",
    [
        "If volumes fall by 10 %, the total cost of {name} is USD {other}.",
        "In the stress case the total cost of {name} is USD {other}.",
        "In the best case, the total cost of {name} is USD {other}.",
        "In a what-if with higher prices the total cost of {name} is USD {other}.",
        "The earlier total cost of {name} was USD {other}.",
        "Under the superseded forecast the total cost of {name} is USD {other}.",
        "Their initial offer came to a total cost of USD {other} for {name}.",
        "The total cost of {name} in 2026 alone is USD {other}.",
        "Finance wrongly reported a total cost of USD {other} for {name}.",
        "The total cost of {name} is EUR {other}.",
    ],
)
def test_what_is_said_of_another_scene_contradicts_nothing(work: Any, word: Callable[..., bytes], said: str) -> None:
    name, total = work.rows("total")[0]
    added = said.format(name=name, other=f"{total * Decimal('0.9'):,.0f}")
    assert grade(work.package, work.files(memo=word(*work.memo(), added))).reward == 1.0


@pytest.mark.parametrize(
    "said",
    [
        "The total cost of {name} is USD {other}.",
        "For {name} a total cost of USD {other} results.",
        "However, {name}'s total cost is USD {other}, as the table shows.",
        "Correction: the total cost of {name} is USD {other}.",
        "In the base case the total cost of {name} is USD {other}.",
    ],
)
def test_another_value_of_the_same_contradicts(work: Any, word: Callable[..., bytes], said: str) -> None:
    name, total = work.rows("total")[0]
    added = said.format(name=name, other=f"{total + 9000:,.0f}")
    verdict = grade(work.package, work.files(memo=word(*work.memo(), added)))
    (check,) = verdict.failed()
    assert check.name == f"{TOTAL} memo.docx" and "it contradicts p3" in check.message


@pytest.fixture(scope="module")
def anywhere(make: Any, work: Any) -> Any:
    """The workbook alone, with no sheet asked for by name."""
    first = work.package.hidden.graph.deliverables[0]
    states = tuple(stated.model_copy(update={"sheet": None}) for stated in first.states)
    return make([first.model_copy(update={"states": states})])


def totals(work: Any, factor: str) -> list[list[Any]]:
    return [["Supplier", "Total cost (USD)"], *[[name, total * Decimal(factor)] for name, total in work.rows("total")]]


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("name", ["What-if +10%", "Sensitivity", "Worst case", "Draft of May", "Previous version"])
def test_a_sheet_of_another_scene(anywhere: Any, work: Any, book: Callable[..., bytes], name: str, first: bool) -> None:
    other = {name: totals(work, "1.1")}
    sheets = {**other, **work.sheets()} if first else {**work.sheets(), **other}
    assert grade(anywhere, {**anywhere.files, "book.xlsx": book(sheets)}).reward == 1.0


def test_a_table_of_another_scene_on_the_sheet(anywhere: Any, work: Any, book: Callable[..., bytes]) -> None:
    sheets = work.sheets()
    sheets["Totals"] += [[], ["Previous version"], *totals(work, "0.9")]
    assert grade(anywhere, {**anywhere.files, "book.xlsx": book(sheets)}).reward == 1.0


def test_a_plain_table_with_other_values_contradicts(anywhere: Any, work: Any, book: Callable[..., bytes]) -> None:
    for sheets in (
        {**work.sheets(), "Check": totals(work, "1.1")},
        {**work.sheets(), "Base case": totals(work, "1.1")},
    ):
        assert wrong(grade(anywhere, {**anywhere.files, "book.xlsx": book(sheets)})) == {"total"}
    sheets = work.sheets()
    sheets["Totals"] += [[], *totals(work, "0.9")]
    assert wrong(grade(anywhere, {**anywhere.files, "book.xlsx": book(sheets)})) == {"total"}


def test_a_value_in_another_scene_alone_still_counts(anywhere: Any, work: Any, book: Callable[..., bytes]) -> None:
    sheets = work.sheets()
    sheets["Scenario A"] = sheets.pop("Totals")
    assert grade(anywhere, {**anywhere.files, "book.xlsx": book(sheets)}).reward == 1.0, "there is no other"
    sheets["Totals"] = totals(work, "1.1")
    assert wrong(grade(anywhere, {**anywhere.files, "book.xlsx": book(sheets)})) == {"total"}, "the plain one counts"


def test_a_table_of_another_scene_in_a_text(work: Any, word: Callable[..., bytes]) -> None:
    table = [["Supplier", "Total cost"], *[[name, f"{total * 2:,.0f}"] for name, total in work.rows("total")]]
    for title in ("# Sensitivity to prices", "Scenario: prices double"):
        assert grade(work.package, work.files(memo=word(*work.memo(), title, table))).reward == 1.0

    assert wrong(grade(work.package, work.files(memo=word(*work.memo(), "Overview", table)))) == {"total"}


def test_words_of_the_request_do_not_tell_a_table_apart() -> None:
    assert other_scene("Worst case", "Total cost")
    assert not other_scene("Worst case", "Total cost in the worst case")
    assert not other_scene("Base case, without scenario", "Total cost")
