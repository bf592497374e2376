"""Mistakes in a bank reconciliation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any

import pytest

from workgym.quality import Sound
from workgym.records import Value

Cells = dict[tuple[str, str, tuple[str, ...], str], Value]
TASKS = [pytest.param("bank-reconciliation easy 7", marks=pytest.mark.soak), "bank-reconciliation medium 11"]

RECONCILIATION, ENTRIES = "reconciliation.xlsx", "adjusting_entries.csv"


def bank(p: Any, task: Sound) -> Iterator[Any]:
    entries = {row["reference"]: row for row in p.table(task, "entry")}
    adjustments = {row["reference"]: row for row in p.table(task, "adjustment")}
    outstanding = {row["reference"]: row for row in p.table(task, "outstanding")}
    lines = {row["line"]: row["amount"] for row in p.table(task, "reconciliation")}
    posted = {row["reference"]: row for row in p.table(task, "statement_line")}

    def form(**off: Decimal) -> Cells:
        """Lines that are off by so much, with the adjusted balances that they lead to."""
        bank = sum((off.get(name, Decimal(0)) for name in ("deposits", "cheques", "errors")), Decimal(0))
        changed = {
            "Deposits in transit": off.get("deposits"),
            "Outstanding cheques": off.get("cheques"),
            "Bank errors": off.get("errors"),
            "Book adjustments": off.get("books"),
            "Adjusted bank balance": bank,
            "Adjusted book balance": off.get("books"),
        }
        return {
            (RECONCILIATION, "reconciliation", (line,), "amount"): lines[line] + by
            for line, by in changed.items()
            if by
        }

    fee = next(row["reference"] for row in posted.values() if row["type"] == "Returned item fee")
    account = {row["name"]: row["number"] for row in p.table(task, "account")}
    old = next(row["account"] for row in p.table(task, "booking_rule_old") if row["item"] == "Returned item fee")
    at = (ENTRIES, "entry", (fee,), "debit")
    old_policy = p.Mistake(
        "the fee booked by the old policy", {at: account[old]}, (p.Expected("superseded|trap", (at,), "booking_rule"),)
    )
    yield old_policy

    now = {row["reference"]: row["amount"] for row in p.table(task, "prior_item")}
    for row in p.table(task, "prior_item_draft"):
        who, by = row["reference"], row["amount"] - now[row["reference"]]
        if by and who in outstanding:
            cells = {(RECONCILIATION, "outstanding", (who,), "amount"): row["amount"]} | form(cheques=by)
            yield p.Mistake(
                f"{who} as in the draft list", cells, (p.Expected("superseded|trap", tuple(cells), "prior_item"),)
            )
            at = next(iter(cells))
            yield (
                p.Mistake(
                    f"{who} as in the draft list, not added up",
                    {at: row["amount"]},
                    (p.Expected("superseded|trap", (at,), "prior_item"),),
                )
                + old_policy
            )
            break

    closing = p.one(task, "statement_total")["closing_date"]
    by_bank = str(p.one(task, "dating_rule")["rule"]).startswith("posting")
    booked = {row["reference"] for row in p.table(task, "ledger_row")}
    late = [who for who in entries if who in posted and posted[who]["date"] != closing]
    who = next(who for who in late if who not in booked)
    at = (ENTRIES, "entry", (who,), "date")
    dated = p.Mistake(
        f"{who} dated by the other rule",
        {at: closing if by_bank else posted[who]["date"]},
        (p.Expected("convention|trap", (at,), "dating_rule"),),
    )
    yield dated

    for who in late:
        if who in booked:
            at = (ENTRIES, "entry", (who,), "date")
            yield p.Mistake(
                f"{who} dated as the bank has it", {at: posted[who]["date"]}, (p.Expected("other source", (at,)),)
            )
            break

    at = (ENTRIES, "entry", (fee,), "amount")
    typed = p.Mistake(
        "an amount mistyped in the entries", {at: p.exchanged(entries[fee]["amount"])}, (p.Expected("mistyped", (at,)),)
    )
    yield typed + dated

    who = next(iter(adjustments))
    at = (RECONCILIATION, "adjustment", (who,), "amount")
    yield p.Mistake(f"sign of {who}", {at: -adjustments[who]["amount"]}, (p.Expected("wrong sign", (at,)),))

    first, second = list(outstanding)[:2]
    cells = {
        (RECONCILIATION, "outstanding", (mine,), "amount"): outstanding[other]["amount"]
        for mine, other in ((first, second), (second, first))
    }
    yield p.Mistake(f"{first} and {second} exchanged", cells, (p.Expected("other row", tuple(cells)),))

    gone = (ENTRIES, "entry", (list(entries)[-1],))
    yield p.Mistake("an entry missing", {}, (p.Expected("missing row", ((*gone, "amount"),)),), (gone,)) + dated

    deposit = next((row for row in outstanding.values() if row["amount"] > 0), None)
    if deposit is not None and len([row for row in outstanding.values() if row["amount"] > 0]) > 1:
        cells = form(deposits=-deposit["amount"])
        yield p.Mistake(
            "a deposit not added up",
            cells,
            (p.Expected("left out|dropped row", tuple(cells), "ledger_row|prior_item"),),
        )

    who = next(who for who in entries if who != fee)
    cells = {
        (ENTRIES, "entry", (who,), "debit"): entries[who]["credit"],
        (ENTRIES, "entry", (who,), "credit"): entries[who]["debit"],
    }
    yield p.Mistake(f"debit and credit of {who} exchanged", cells, (p.Expected("other column", tuple(cells)),))

    yield from _from_adjustments(p, task, adjustments, entries, form)


def _from_adjustments(
    p: Any, task: Sound, adjustments: Mapping[str, Any], entries: Mapping[str, Any], form: Callable[..., Cells]
) -> Iterator[Any]:
    """Mistakes that go through the workbook: a line mistyped and added up, a bank's error taken for ours, the safe."""
    who = next(who for who, row in adjustments.items() if row["side"] == "books")
    amount = adjustments[who]["amount"]
    wrong = p.exchanged(abs(amount)) * (1 if amount > 0 else -1)
    cells = {
        (RECONCILIATION, "adjustment", (who,), "amount"): wrong,
        (ENTRIES, "entry", (who,), "amount"): abs(wrong),
        **form(books=wrong - amount),
    }
    yield p.Mistake(f"{who} mistyped, and added up so", cells, (p.Expected("mistyped", tuple(cells)),))

    for row in p.table(task, "difference"):
        if row["wrong"] == "bank":
            who, by = row["reference"], row["bank_amount"] - row["book_amount"]
            cells = {
                (RECONCILIATION, "adjustment", (who,), "amount"): by,
                (RECONCILIATION, "adjustment", (who,), "side"): "books",
                **form(books=by, errors=by),
            }
            yield p.Mistake(
                f"the bank's error {who} taken for ours",
                cells,
                (p.Expected("trap|convention", tuple(cells)[:2], "difference_rule"),),
            )
            break

    held = {row["reference"] for row in p.table(task, "held_cheque")}
    back = sum((adjustments[who]["amount"] for who in held), Decimal(0))
    rows = [
        (path, unit, (who,))
        for who in sorted(held)
        for path, unit in ((RECONCILIATION, "adjustment"), (ENTRIES, "entry"))
    ]
    cells = form(books=-back, cheques=-back)
    yield p.Mistake(
        "cheques in the safe left outstanding",
        cells,
        (p.Expected("trap|convention", tuple(cells), "held_rule"),),
        tuple(rows),
    )


@pytest.mark.parametrize("task", TASKS, indirect=True)
def test_the_causes_of_planted_mistakes_are_named(planting: Any, task: Sound) -> None:
    planting.show(task, [*bank(planting, task)])
