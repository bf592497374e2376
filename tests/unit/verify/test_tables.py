"""Facts in workbooks: what says the same passes, what says something else fails, at the right place."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from workgym.verify import Verdict, grade

Sheets = dict[str, list[list[Any]]]


def only_failed(verdict: Verdict, *names: str) -> None:
    assert [check.name for check in verdict.failed()] == list(names)


def graded(work: Any, book: Callable[..., bytes], change: Callable[[Sheets], Any]) -> Verdict:
    sheets = work.sheets()
    replaced = change(sheets)
    return grade(work.package, work.files(book=book(sheets if replaced is None else replaced)))


def test_the_right_workbook_passes(work: Any) -> None:
    verdict = grade(work.package, work.files())
    assert (verdict.state, verdict.reward, verdict.failed()) == ("passed", 1.0, ())


def reorder_columns(sheets: Sheets) -> None:
    for name in ("Yearly", "Totals", "Delivery", "Over budget"):
        sheets[name] = [row[::-1] for row in sheets[name]]


def text_numbers(sheets: Sheets) -> None:
    for name in ("Yearly", "Totals"):
        sheets[name] = [[f"{cell:,.2f}" if isinstance(cell, Decimal) else cell for cell in row] for row in sheets[name]]


def german_numbers(sheets: Sheets) -> None:
    swap = str.maketrans(",.", ".,")
    for name in ("Yearly", "Totals"):
        sheets[name] = [
            [f"{cell:,.2f} €".replace(" €", "").translate(swap) if isinstance(cell, Decimal) else cell for cell in row]
            for row in sheets[name]
        ]


def more_text(sheets: Sheets) -> None:
    sheets["Yearly"] = [
        ["Landed cost by supplier and year"],
        ["All figures in USD"],
        [],
        *sheets["Yearly"],
        [],
        ["Note: rounded to the cent."],
    ]
    sheets["Assumptions"] = [["Budget", 100000], ["Source", "quotes.csv"]]


def totals_rows(sheets: Sheets) -> None:
    header, *rows = sheets["Yearly"]
    sheets["Yearly"] = [header]
    for start in range(0, len(rows), 3):
        sheets["Yearly"] += rows[start : start + 3]
        sheets["Yearly"].append([f"Subtotal {rows[start][0]}", None, sum(row[2] for row in rows[start : start + 3])])
    sheets["Yearly"].append(["Total", None, sum(row[2] for row in rows)])


def grouped(sheets: Sheets) -> None:
    header, *rows = sheets["Yearly"]
    sheets["Yearly"] = [header, *[[row[0] if number % 3 == 0 else None, *row[1:]] for number, row in enumerate(rows)]]


def pivot(sheets: Sheets) -> None:
    rows = sheets["Yearly"][1:]
    years = sorted({row[1] for row in rows})
    names = list(dict.fromkeys(row[0] for row in rows))
    cost = {(row[0], row[1]): row[2] for row in rows}
    sheets["Yearly"] = [
        ["Landed cost (USD)"],
        ["Supplier", *years],
        *[[name, *[cost[name, year] for year in years]] for name in names],
    ]


def pivot_other_way(sheets: Sheets) -> None:
    rows = sheets["Yearly"][1:]
    years = sorted({row[1] for row in rows})
    names = list(dict.fromkeys(row[0] for row in rows))
    cost = {(row[0], row[1]): row[2] for row in rows}
    sheets["Yearly"] = [["Year", *names, "All"], *[[year, *[cost[name, year] for name in names], 1] for year in years]]


def sections(sheets: Sheets) -> None:
    made: list[list[Any]] = [["Supplier / year", "Landed cost (USD)"]]
    last = None
    for name, year, cost in sheets["Yearly"][1:]:
        if name != last:
            made.append([name])
            last = name
        made.append([year, cost])
    sheets["Yearly"] = made


def turned(sheets: Sheets) -> None:
    sheets["Totals"] = [list(row) for row in zip(*sheets["Totals"], strict=True)]


def calculation_sheet(sheets: Sheets) -> None:
    sheets["Workings"] = [
        ["Supplier", "Year", "Undiscounted landed cost (USD)", "Landed cost (USD)"],
        ["Alder Mills Ltd", 2026, 1, 2],
    ]


def other_dates(sheets: Sheets) -> None:
    sheets["Delivery"] = [
        [cell.strftime("%d.%m.%Y") if isinstance(cell, datetime.date) else cell for cell in row]
        for row in sheets["Delivery"]
    ]


def american_dates(sheets: Sheets) -> None:
    sheets["Delivery"] = [
        [f"{cell.month}/{cell.day}/{cell.year}" if isinstance(cell, datetime.date) else cell for cell in row]
        for row in sheets["Delivery"]
    ]


def percent_text(sheets: Sheets) -> None:
    sheets["Spread"] = [
        ["Measure", "Value"],
        ["Spread (%)", float(sheets["Spread"][0][1]) * 100],
        ["Gap", sheets["Spread"][1][1]],
    ]


def heading_with_one_row(sheets: Sheets) -> None:
    sheets["Spread"] = [["Spread", "Gap (USD)"], [sheets["Spread"][0][1], sheets["Spread"][1][1]]]


def no_legal_form(sheets: Sheets) -> None:
    for name in ("Yearly", "Totals"):
        sheets[name] = [[str(row[0]).replace(" Ltd", "").replace(" GmbH", ""), *row[1:]] for row in sheets[name]]


def dated_title(sheets: Sheets) -> None:
    sheets["Yearly"] = [["Landed cost from 2026 on"], *sheets["Yearly"]]


def results_below(sheets: Sheets) -> None:
    sheets["Totals"] += [["Lowest", 284717.59], [], ["Discount rate", 0.08], ["Dovetail Foods AB, not invited", 1]]
    sheets["Yearly"] += [["Alder Mills Ltd", "2026-2028", 301696.43]]


def fiscal_years(sheets: Sheets) -> None:
    sheets["Yearly"] = [[row[0], f"FY{row[1]}" if row[1] != "Year" else "Year", row[2]] for row in sheets["Yearly"]]


def side_table(sheets: Sheets) -> None:
    beside = [[None, "Supplier", "Rank"], [None, "Calder & Sons Inc", 3], [None, "Alder Mills Ltd", 2]]
    for row, more in zip(sheets["Totals"], beside, strict=False):
        row += more


def unrounded(sheets: Sheets) -> None:
    sheets["Totals"] = [
        [row[0], row[1] if isinstance(row[1], str) else float(row[1]) + 0.0031] for row in sheets["Totals"]
    ]


EQUIVALENTS = (
    reorder_columns,
    text_numbers,
    german_numbers,
    more_text,
    totals_rows,
    grouped,
    pivot,
    pivot_other_way,
    sections,
    turned,
    calculation_sheet,
    other_dates,
    american_dates,
    percent_text,
    heading_with_one_row,
    no_legal_form,
    unrounded,
    dated_title,
    results_below,
    fiscal_years,
    side_table,
)


@pytest.mark.parametrize("change", EQUIVALENTS)
def test_an_equivalent_passes(work: Any, book: Callable[..., bytes], change: Callable[[Sheets], Any]) -> None:
    verdict = graded(work, book, change)
    only_failed(verdict)
    assert verdict.reward == 1.0


def step(sheets: Sheets) -> None:
    sheets["Yearly"][4][2] += Decimal("0.02")


def sign(sheets: Sheets) -> None:
    sheets["Totals"][1][1] = -sheets["Totals"][1][1]


def bracketed(sheets: Sheets) -> None:
    sheets["Totals"][1][1] = f"({sheets['Totals'][1][1]:,.2f})"


def thousands_unsaid(sheets: Sheets) -> None:
    sheets["Totals"][1][1] /= 1000


def swapped(sheets: Sheets) -> None:
    rows = sheets["Totals"]
    rows[1][1], rows[2][1] = rows[2][1], rows[1][1]


def wrong_row(sheets: Sheets) -> None:
    rows = sheets["Yearly"]
    rows[1][2], rows[2][2] = rows[2][2], rows[1][2]


def dropped(sheets: Sheets) -> None:
    del sheets["Totals"][2]


def dropped_here_kept_elsewhere(sheets: Sheets) -> None:
    sheets["Copy"] = [list(row) for row in sheets["Totals"]]
    del sheets["Totals"][2]


def twice(sheets: Sheets) -> None:
    sheets["Totals"].append([sheets["Totals"][1][0], 1])


def other_currency(sheets: Sheets) -> None:
    sheets["Totals"][0][1] = "Total cost (EUR)"


def currency_in_cell(sheets: Sheets) -> None:
    sheets["Totals"][1][1] = f"€ {sheets['Totals'][1][1]:,.2f}"


def extra_row(sheets: Sheets) -> None:
    sheets["Totals"].append(["Dovetail Foods AB", 99])


def extra_selected(sheets: Sheets) -> None:
    sheets["Over budget"].append(["Birchfield Box GmbH", 2026])


def unselected(sheets: Sheets) -> None:
    del sheets["Over budget"][1]


def heap(sheets: Sheets) -> Sheets:
    return {"Numbers": [[cell] for rows in sheets.values() for row in rows for cell in row]}


def error_value(sheets: Sheets) -> None:
    sheets["Totals"][1][1] = "=1/0"


def wrong_choice(sheets: Sheets) -> None:
    sheets["Delivery"][1][2] = "FCA"


def wrong_date(sheets: Sheets) -> None:
    sheets["Delivery"][1][1] = datetime.date(2026, 3, 3)


def guesses(sheets: Sheets) -> None:
    sheets["Spread"] = [["Spread", number / 1000] for number in range(90, 140)] + [["Gap (USD)", 1]]


def guessed_rows(sheets: Sheets) -> None:
    sheets["Totals"] += [["Alder Mills Ltd", 301696.43 + number] for number in range(-3, 4)]


def two_columns(sheets: Sheets) -> None:
    sheets["Totals"] = [[*row, row[1] if number == 0 else 1] for number, row in enumerate(sheets["Totals"])]


def blank_value(sheets: Sheets) -> None:
    sheets["Totals"][1][1] = None


MUTANTS = (
    step,
    sign,
    bracketed,
    thousands_unsaid,
    swapped,
    wrong_row,
    dropped,
    dropped_here_kept_elsewhere,
    twice,
    other_currency,
    currency_in_cell,
    extra_row,
    extra_selected,
    unselected,
    heap,
    error_value,
    wrong_choice,
    wrong_date,
    blank_value,
    guesses,
    guessed_rows,
    two_columns,
)


@pytest.mark.parametrize("change", MUTANTS)
def test_a_mutant_fails(work: Any, book: Callable[..., bytes], change: Callable[[Sheets], Any]) -> None:
    verdict = graded(work, book, change)
    assert verdict.state == "failed"
    assert 0 <= verdict.reward < 1
    for check in verdict.failed():
        assert check.kind in ("fact", "structure") and check.message
