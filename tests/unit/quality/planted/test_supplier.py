"""Mistakes in a comparison of suppliers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from itertools import permutations
from typing import Any

import pytest

from workgym.quality import Sound
from workgym.records import Value

Cells = dict[tuple[str, str, tuple[str, ...], str], Value]
TASKS = [pytest.param("supplier-selection easy 7", marks=pytest.mark.soak), "supplier-selection hard 3"]

BOOK, MEMO = "supplier_comparison.xlsx", "recommendation.docx"


class Tender:
    """The arithmetic of a supplier comparison, with every number replaceable."""

    def __init__(self, p: Any, task: Sound) -> None:
        self.p = p
        self.quotes = {row["supplier"]: row for row in p.table(task, "quote")}
        self.freight = {row["supplier"]: row["per_unit"] for row in p.table(task, "freight")}
        self.demand = {row["year"]: row["units"] for row in p.table(task, "demand")}
        self.draft = {row["year"]: row["units"] for row in p.table(task, "demand_draft")}
        self.rate = p.one(task, "discount_rate")["rate"]
        self.middle = str(p.one(task, "timing")["timing"]).startswith("middle")
        self.signed = p.one(task, "signing_year")["year"]

    def costs(self, who: str, *, price: Any = None, freight: Any = None, demand: Any = None) -> dict[int, Decimal]:
        price = self.quotes[who]["unit_price"] if price is None else price
        freight = self.freight.get(who, Decimal(0)) if freight is None else freight
        return {year: self.p.rounded((demand or self.demand)[year] * (price + freight)) for year in self.demand}

    def npv(
        self, who: str, costs: Mapping[int, Decimal], *, tooling: Any = None, middle: Any = None, rate: Any = None
    ) -> Decimal:
        shift = 0.5 if (self.middle if middle is None else middle) else 0.0
        rate = float(self.rate if rate is None else rate)
        tooling = self.quotes[who]["tooling"] if tooling is None else tooling
        years = sum(float(cost) / (1 + rate) ** (year - self.signed - shift) for year, cost in costs.items())
        return self.p.rounded(str(float(tooling) + years))


def stated(p: Any, who: str, costs: Mapping[int, Decimal] | None = None, npv: Decimal | None = None) -> Cells:
    """A supplier's costs, and the net present cost in both files."""
    cells: Cells = {(BOOK, "yearly_cost", (who, str(year)), "cost"): cost for year, cost in (costs or {}).items()}
    if npv is not None:
        cells |= {(BOOK, "npv", (who,), "npv"): npv, (MEMO, "npv", (who,), "npv"): p.rounded(npv, 0)}
    return cells


def supplier(p: Any, task: Sound) -> Iterator[Any]:
    case = Tender(p, task)
    names = list(case.quotes)
    fca = list(case.freight)
    year = sorted(case.demand)[1]
    a, b = fca[0], names[-1]

    everywhere: Cells = {}
    for who in names:
        costs = case.costs(who, demand=case.draft)
        everywhere |= stated(p, who, costs, case.npv(who, costs))
    yield p.Mistake(
        "all from the draft forecast",
        everywhere,
        (p.Expected("superseded|conflict|trap", tuple(everywhere), "demand"),),
    )

    stale = {(BOOK, "yearly_cost", (b, str(year)), "cost"): case.costs(b, demand=case.draft)[year]}
    one_stale = p.Mistake(
        f"one year of {b} from the draft", stale, (p.Expected("superseded|conflict|trap", tuple(stale), "demand"),)
    )
    yield one_stale

    costs = case.costs(a, freight=Decimal(0))
    cells = stated(p, a, costs, case.npv(a, costs))
    no_freight = p.Mistake(f"{a} without freight", cells, (p.Expected("left out|trap", tuple(cells), "freight"),))
    yield no_freight

    for mine, other in permutations(fca, 2):
        if case.freight[mine] != case.freight[other]:
            costs = case.costs(mine, freight=case.freight[other])
            cells = stated(p, mine, costs, case.npv(mine, costs))
            yield p.Mistake(
                f"{mine} with {other}'s freight", cells, (p.Expected("neighbour's", tuple(cells), "freight"),)
            )
            break

    for mine, other in permutations(names, 2):
        if case.quotes[mine]["tooling"] != case.quotes[other]["tooling"]:
            npv = case.npv(mine, case.costs(mine), tooling=case.quotes[other]["tooling"])
            cells = stated(p, mine, None, npv)
            yield p.Mistake(
                f"{mine} with {other}'s tooling", cells, (p.Expected("neighbour's", tuple(cells), "quote"),)
            )
            break

    cells = stated(p, b, None, case.npv(b, case.costs(b), middle=not case.middle))
    yield p.Mistake(
        f"{b} discounted at the other time", cells, (p.Expected("trap|convention", tuple(cells), "timing"),)
    )

    costs = case.costs(a)
    costs[year] = p.exchanged(costs[year])
    cells = {
        (BOOK, "yearly_cost", (a, str(year)), "cost"): costs[year],
        **stated(p, a, None, case.npv(a, costs)),
    }
    yield p.Mistake(f"a cost of {a} mistyped before discounting", cells, (p.Expected("mistyped", tuple(cells)),))

    at = (MEMO, "npv", (b,), "npv")
    typed = p.Mistake(
        f"{b}'s figure mistyped in the memo",
        {at: p.exchanged(p.rounded(case.npv(b, case.costs(b)), 0))},
        (p.Expected("mistyped", (at,)),),
    )
    yield typed + one_stale

    first, second = names[0], names[1]
    cells = {
        (BOOK, "npv", (first,), "npv"): case.npv(second, case.costs(second)),
        (BOOK, "npv", (second,), "npv"): case.npv(first, case.costs(first)),
    }
    yield p.Mistake(f"{first} and {second} exchanged", cells, (p.Expected("other row", tuple(cells)),))

    gone = (BOOK, "yearly_cost", (b, str(year)))
    yield p.Mistake("a row missing", {}, (p.Expected("missing row", ((*gone, "cost"),)),), (gone,)) + no_freight

    cells = stated(p, b, None, case.npv(b, case.costs(b), tooling=0))
    yield p.Mistake(f"{b} without tooling", cells, (p.Expected("left out", tuple(cells), "quote"),))

    cells = stated(p, a, None, case.npv(a, case.costs(a), rate=0))
    yield p.Mistake(f"{a} added up, not discounted", cells, (p.Expected("left out", tuple(cells), "discount_rate"),))

    short = {when: cost for when, cost in case.costs(b).items() if when != year}
    cells = stated(p, b, None, case.npv(b, short))
    yield p.Mistake(
        f"{b} with a year left out", cells, (p.Expected("dropped row|left out", tuple(cells), "demand|term_year"),)
    )


@pytest.mark.parametrize("task", TASKS, indirect=True)
def test_the_causes_of_planted_mistakes_are_named(planting: Any, task: Sound) -> None:
    planting.show(task, [*supplier(planting, task)])
