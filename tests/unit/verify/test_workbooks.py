"""What a verdict says about a workbook beyond right and wrong: evidence, credit, formulas, rows, other formats."""

from __future__ import annotations

import datetime
import io
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import openpyxl
import pytest
import xlsxwriter

from workgym.graph import Deliverable, Stated
from workgym.verify import Verdict, grade

Sheets = dict[str, list[list[Any]]]


def failed(verdict: Verdict) -> list[str]:
    return [check.name for check in verdict.failed()]


def graded(work: Any, book: Callable[..., bytes], change: Callable[[Sheets], None]) -> Verdict:
    sheets = work.sheets()
    change(sheets)
    return grade(work.package, work.files(book=book(sheets)))


def step(sheets: Sheets) -> None:
    sheets["Yearly"][4][2] += Decimal("0.02")


def error_value(sheets: Sheets) -> None:
    sheets["Totals"][1][1] = "=1/0"


def extra_row(sheets: Sheets) -> None:
    sheets["Totals"].append(["Dovetail Foods AB", 99])


def test_evidence_names_place_expected_and_found(work: Any, book: Callable[..., bytes]) -> None:
    verdict = graded(work, book, step)
    (check,) = verdict.failed()
    assert check.name == "yearly[Birchfield Box GmbH, 2026].cost in book.xlsx"
    assert (check.place, check.expected, check.found) == ("Yearly!C5", "90,491.39", "90491.41")


def test_credit_is_half_of_the_share_of_right_facts(work: Any, book: Callable[..., bytes]) -> None:
    verdict = graded(work, book, step)
    (yearly,) = [unit for unit in verdict.scores.units if unit.unit == "yearly"]
    assert (yearly.right, yearly.facts, yearly.credit) == (8, 9, 0.5 * 8 / 9)
    total = sum(unit.weight for unit in verdict.scores.units)
    assert verdict.reward == round(1 - yearly.weight * (1 - yearly.credit) / total, 6)


def test_a_formula_error_is_named(work: Any, book: Callable[..., bytes]) -> None:
    (check,) = graded(work, book, error_value).failed()
    assert check.found == "#DIV/0!"
    assert "formula error" in check.message


def test_an_extra_row_is_named(work: Any, book: Callable[..., bytes]) -> None:
    (check,) = graded(work, book, extra_row).failed()
    assert (check.kind, check.found) == ("structure", "Totals!A5: Dovetail Foods AB")


def formulas(sheets: Sheets) -> Sheets:
    """Every total as a sum over the yearly sheet, by openpyxl: no cached values."""
    for number, row in enumerate(sheets["Totals"][1:]):
        first = 2 + 3 * [name for name, *_ in sheets["Yearly"][1::3]].index(row[0])
        sheets["Totals"][number + 1][1] = f"=SUM(Yearly!C{first}:C{first + 2})"
    return sheets


def test_formulas_without_cached_values_count(work: Any, book: Callable[..., bytes]) -> None:
    assert failed(grade(work.package, work.files(book=book(formulas(work.sheets()))))) == []


def test_cached_zeros_of_xlsxwriter_do_not_count(work: Any) -> None:
    out = io.BytesIO()
    with xlsxwriter.Workbook(out, {"in_memory": True}) as made:
        date = made.add_format({"num_format": "d mmm yyyy"})
        for name, rows in formulas(work.sheets()).items():
            sheet = made.add_worksheet(name)
            for at, row in enumerate(rows):
                for column, cell in enumerate(row):
                    if isinstance(cell, datetime.date):
                        sheet.write_datetime(at, column, datetime.datetime.combine(cell, datetime.time()), date)
                    else:
                        sheet.write(at, column, float(cell) if isinstance(cell, Decimal) else cell)
    assert failed(grade(work.package, work.files(book=out.getvalue()))) == []


def test_number_formats_do_not_matter(work: Any, book: Callable[..., bytes]) -> None:
    def styled(made: openpyxl.Workbook) -> None:
        for row in made["Totals"].iter_rows(min_row=2, min_col=2):
            row[0].number_format = '"$"#,##0'
        made["Spread"]["B1"].number_format = "0.0%"

    assert failed(grade(work.package, work.files(book=book(work.sheets(), styled)))) == []


def test_live_formulas_are_checked_where_asked(make: Callable[..., Any], work: Any, book: Callable[..., bytes]) -> None:
    asked = work.package.hidden.graph.deliverables[0]
    package = make([asked.model_copy(update={"live_formulas": True, "states": (asked.states[1],)})])
    typed = grade(package, dict(package.files) | {"book.xlsx": book(work.sheets())})
    assert [check.kind for check in typed.failed()] == ["structure"]
    assert typed.reward == 0.5
    live = grade(package, dict(package.files) | {"book.xlsx": book(formulas(work.sheets()))})
    assert live.reward == 1.0


def test_rows_beyond_are_fine_where_they_are_allowed(
    make: Callable[..., Any], work: Any, book: Callable[..., bytes]
) -> None:
    asked = work.package.hidden.graph.deliverables[0]
    package = make([asked.model_copy(update={"exact_rows": False})])
    sheets = work.sheets()
    extra_row(sheets)
    assert grade(package, dict(package.files) | {"book.xlsx": book(sheets)}).reward == 1.0


@pytest.mark.parametrize(("delimiter", "point"), [(",", "."), (";", ",")])
def test_a_table_in_csv(make: Callable[..., Any], work: Any, delimiter: str, point: str) -> None:
    asked = work.package.hidden.graph.deliverables[0]
    package = make([asked.model_copy(update={"path": "yearly.csv", "states": (asked.states[0],)})])
    lines = [delimiter.join(["Supplier", "Year", "Landed cost (USD)"])]
    lines += [
        delimiter.join([name, str(year), str(cost).replace(".", point)]) for name, year, cost in work.rows("yearly")
    ]
    right = grade(package, dict(package.files) | {"yearly.csv": "\n".join(lines).encode()})
    assert failed(right) == []
    lines[1], lines[2] = lines[2], lines[1].replace("2026", "2027")
    assert grade(package, dict(package.files) | {"yearly.csv": "\n".join(lines).encode()}).state == "failed"


def test_a_text_beside_its_label(make: Callable[..., Any], book: Callable[..., bytes], work: Any) -> None:
    best = Stated(unit="best", form="table", labels={"supplier": "Recommended supplier"})
    package = make([Deliverable(path="book.xlsx", states=(best,))])
    name = work.rows("best")[0][0]
    for rows, reward in (
        ([["Recommended supplier", name]], 1.0),
        ([[f"Recommended supplier: {name}"]], 1.0),
        ([["Recommended supplier", "Saving"], [name, 5]], 1.0),
        ([["Recommended supplier", "Alder Mills Ltd"]], 0.0),
        ([["Recommended supplier", name], ["Recommended supplier", "Alder Mills Ltd"]], 0.0),
        ([[name]], 0.0),
    ):
        assert grade(package, dict(package.files) | {"book.xlsx": book({"Any": rows})}).reward == reward, rows


def test_no_row_is_right_where_none_is_asked_for(
    make: Callable[..., Any], book: Callable[..., bytes], work: Any
) -> None:
    quote = work.package.truth("quote").dump()
    rows = {"quote": quote, "term": [{"year": 2026, "units": 1}], "budget": [{"amount": "1000000.00"}]}
    over = next(unit for unit in work.package.hidden.graph.units if unit.name == "over")
    more = over.model_copy(
        update={
            "name": "excess",
            "columns": (
                *over.columns,
                next(unit for unit in work.package.hidden.graph.units if unit.name == "budget").columns[0],
            ),
            "query": "select supplier, year, amount from yearly, budget where cost > amount",
        }
    )
    excess = Stated(
        unit="excess", form="table", labels={"supplier": "Supplier", "year": "Year", "amount": "Excess (USD)"}
    )
    package = make([Deliverable(path="book.xlsx", states=(excess,))], (*work.package.hidden.graph.units, more), rows)
    heading = ["Supplier", "Year", "Excess (USD)"]
    for body, reward in (([], 1.0), ([["none", "", "none"]], 1.0), ([["Alder Mills Ltd", 2026, 5]], 0.0)):
        assert grade(package, dict(package.files) | {"book.xlsx": book({"Excess": [heading, *body]})}).reward == reward
    assert grade(package, dict(package.files)).reward == 0.0
