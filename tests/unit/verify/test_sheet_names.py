"""Names of sheets: free where the request names none, and asked for where it does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from workgym.verify import Verdict, grade

Sheets = dict[str, list[list[Any]]]


def graded(work: Any, book: Callable[..., bytes], change: Callable[[Sheets], Sheets]) -> Verdict:
    return grade(work.package, work.files(book=book(change(work.sheets()))))


def free_names(sheets: Sheets) -> Sheets:
    return {f"My sheet {number}": rows for number, rows in enumerate(sheets.values())}


def sheet_for_each(sheets: Sheets) -> Sheets:
    rows = sheets.pop("Yearly")[1:]
    for name in dict.fromkeys(row[0] for row in rows):
        sheets[name.replace("&", "&")[:31]] = [
            ["Year", "Landed cost (USD)"],
            *[list(row[1:]) for row in rows if row[0] == name],
        ]
    return sheets


def called_by_more(sheets: Sheets) -> Sheets:
    return {f"1. {name.upper()} (USD)": rows for name, rows in sheets.items()}


@pytest.mark.parametrize("change", [free_names, sheet_for_each, called_by_more])
def test_sheets_are_free_where_the_request_names_none(
    make: Any, work: Any, book: Callable[..., bytes], change: Callable[[Sheets], Sheets]
) -> None:
    first = work.package.hidden.graph.deliverables[0]
    anywhere = tuple(stated.model_copy(update={"sheet": None}) for stated in first.states)
    package = make([first.model_copy(update={"states": anywhere})])
    sheets = work.sheets()
    verdict = grade(package, {**package.files, "book.xlsx": book(change(sheets))})
    assert (verdict.reward, [check.name for check in verdict.failed()]) == (1.0, [])


def test_a_sheet_that_the_request_names_has_to_be_there(work: Any, book: Callable[..., bytes]) -> None:
    assert graded(work, book, called_by_more).reward == 1.0, "a name with the asked one in it is that sheet"
    verdict = graded(work, book, sheet_for_each)
    (check,) = verdict.failed()
    assert check.name == "on the sheet Yearly: yearly in book.xlsx"
    assert check.kind == "structure" and check.found is not None and "Alder Mills Ltd!B2" in check.found
    (yearly,) = [unit for unit in verdict.scores.units if unit.unit == "yearly"]
    assert (yearly.right, yearly.whole, yearly.credit) == (9, False, 0.5)
    assert len(graded(work, book, free_names).failed()) == 5
