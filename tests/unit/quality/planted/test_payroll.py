"""Mistakes in a payroll."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from itertools import permutations
from typing import Any

import pytest

from workgym.quality import Sound
from workgym.records import Value

Cells = dict[tuple[str, str, tuple[str, ...], str], Value]
TASKS = ["overtime-payroll easy 7", pytest.param("overtime-payroll medium 11", marks=pytest.mark.soak)]

PAY, LETTER = "payroll.xlsx", "exceptions_letter.docx"
KINDS = ("overtime", "sunday", "statutory", "local", "night")


class Payroll:
    """Stated hours and pay, and how pay follows from hours, rate and premiums."""

    def __init__(self, p: Any, task: Sound) -> None:
        self.p = p
        self.hours = {row["employee"]: row for row in p.table(task, "hours")}
        self.rate = {row["employee"]: row["rate"] for row in p.table(task, "employee")}
        self.premium, self.old = p.one(task, "premium"), p.one(task, "premium_old")
        version = {row["employee"]: row["version"] for row in p.table(task, "version_used")}
        self.shifts = [row for row in p.table(task, "shift_kinds") if version[row["employee"]] == row["version"]]
        self.paid = [row for row in p.table(task, "paid_shift") if version[row["employee"]] == row["version"]]

    def pay(self, who: str, **change: Any) -> dict[str, Decimal]:
        """Pay by column; ``hours``, ``rate`` and ``premium`` may be others."""
        hours, rate = change.get("hours", self.hours[who]), change.get("rate", self.rate[who])
        premium = change.get("premium", self.premium)
        row = {"base": self.p.rounded(hours["paid"] * rate)}
        row |= {kind: self.p.rounded(hours[kind] * rate * premium[kind]) for kind in KINDS}
        return row | {"gross": sum(row.values(), Decimal(0))}

    def cells(
        self, changed: Mapping[str, Mapping[str, Decimal]], hours: Mapping[str, Mapping[str, Any]] | None = None
    ) -> Cells:
        """Rows of pay (and hours) as they are now, where they differ, and the total of all."""
        now = {who: changed.get(who) or self.pay(who) for who in self.hours}
        found: Cells = {
            (PAY, "pay", (who,), column): value
            for who in changed
            for column, value in now[who].items()
            if value != self.pay(who)[column]
        }
        for who, row in (hours or {}).items():
            found |= {
                (PAY, "hours", (who,), key): row[key] for key in ("paid", *KINDS) if row[key] != self.hours[who][key]
            }
        total = sum((row["gross"] for row in now.values()), Decimal(0))
        return found | {(LETTER, "payroll_total", (), "gross"): total}


def overtime(p: Any, task: Sound) -> Iterator[Any]:
    case = Payroll(p, task)
    names = list(case.hours)

    cells = case.cells({who: case.pay(who, premium=case.old) for who in names})
    yield p.Mistake(
        "all premiums of the earlier edition", cells, (p.Expected("superseded|trap", tuple(cells), "premium"),)
    )

    on_sunday = next(who for who in names if case.hours[who]["sunday"])
    old_sunday = {**case.premium, "sunday": case.old["sunday"]}
    cells = case.cells({on_sunday: case.pay(on_sunday, premium=old_sunday)})
    one_old = p.Mistake(
        f"{on_sunday}'s Sunday premium of the earlier edition",
        cells,
        (p.Expected("superseded|trap", tuple(cells)[:2], "premium"),),
    )
    yield one_old

    other_place = _other_place(p, task, case)
    if other_place is not None:
        yield other_place

    first, second = next(pair for pair in permutations(names, 2) if case.rate[pair[0]] != case.rate[pair[1]])
    cells = case.cells({first: case.pay(first, rate=case.rate[second])})
    yield p.Mistake(f"{first} at {second}'s rate", cells, (p.Expected("neighbour's", tuple(cells), "employee"),))

    at = (PAY, "pay", (names[-1],), "base")
    row = case.pay(names[-1])
    base = p.exchanged(row["base"])
    changed = row | {"base": base, "gross": row["gross"] + base - row["base"]}
    cells = case.cells({names[-1]: changed})
    typed = p.Mistake(f"{names[-1]}'s base pay mistyped", cells, (p.Expected("mistyped", tuple(cells)),))
    yield typed

    pair = next(pair for pair in permutations(names, 2) if case.hours[pair[0]]["paid"] != case.hours[pair[1]]["paid"])
    cells = {(PAY, "hours", (mine,), "paid"): case.hours[other]["paid"] for mine, other in (pair, pair[::-1])}
    yield p.Mistake(f"paid hours of {' and '.join(pair)} exchanged", cells, (p.Expected("other row", tuple(cells)),))

    effect = p.table(task, "effect")
    key = (effect[0]["employee"], str(effect[0]["day"]))
    gone = p.Mistake(
        "a request missing in the letter",
        {},
        (p.Expected("missing row", ((LETTER, "effect", key, "gross"),)),),
        ((LETTER, "effect", key),),
    )
    yield gone + one_old

    who = next(who for who in names if case.hours[who]["night"])
    cells = case.cells({who: case.pay(who, premium={**case.premium, "night": Decimal(0)})})
    yield p.Mistake(f"{who} without night premium", cells, (p.Expected("left out", tuple(cells), "premium"),))

    long = p.table(task, "long_shift")[0]
    at = (LETTER, "long_shift", (long["employee"], str(long["day"])), "paid")
    quarter = int(p.rounded(Decimal(long["paid"]) / 15, 0)) * 15
    if quarter != long["paid"]:
        yield p.Mistake("a long shift rounded", {at: quarter}, (p.Expected("rounded off|last place", (at,)),))

    last = {row["employee"]: row["gross"] for row in p.table(task, "last_payroll")}
    cells = case.cells({names[0]: case.pay(names[0]) | {"gross": last[names[0]]}})
    yield p.Mistake(f"{names[0]}'s gross pay of last time", cells, (p.Expected("other source", tuple(cells)),))

    at = (PAY, "hours", (names[0],), "paid")
    yield p.Mistake(
        "hours stated in minutes",
        {at: case.hours[names[0]]["paid"] * 60},
        (p.Expected("stated in another unit", (at,)),),
    )

    who = next((who for who in names if case.hours[who]["local"]), None)
    if who is not None:
        hours = case.hours[who]
        hours = hours | {"statutory": hours["statutory"] + hours["local"], "local": Decimal(0)}
        cells = case.cells({who: case.pay(who, hours=hours)}, {who: hours})
        yield p.Mistake(
            f"{who}'s local holiday taken as statutory", cells, (p.Expected("trap", tuple(cells)[:-1], "holiday"),)
        )

    yield from _unrequested(p, task, case)
    two = {on_sunday: case.pay(on_sunday, premium=old_sunday), names[-1]: changed}
    if len(two) > 1:
        cells = case.cells(two)
        at = (LETTER, "payroll_total", (), "gross")
        mine, theirs = ([one for one in cells if one[2] == (name,)] for name in two)
        expected = (
            p.Expected("superseded|trap", tuple(mine), "premium"),
            p.Expected("mistyped", tuple(theirs)),
            p.Expected("follows", (at,)),
        )
        yield p.Mistake("two mistakes in one total", cells, expected)


def _other_place(p: Any, task: Sound, case: Payroll) -> Any:
    """Overtime of one employee rounded in the place where it is not rounded."""
    each_shift = p.one(task, "rounding_place")["applies_to"] == "each shift"
    limit = p.one(task, "regular_day")["minutes"]
    classes = {row["day"]: row["class"] for row in p.table(task, "day_class")}
    counted = p.one(task, "premium_day_rule")["overtime"] == "counted as well"
    for who, hours in case.hours.items():
        over = [
            max(Decimal(row["paid"]) - limit, Decimal(0))
            for row in case.paid
            if row["employee"] == who and (counted or classes[row["day"]] == "ordinary day")
        ]
        quarters = [p.rounded(minutes / 15, 0) for minutes in over]
        other = (p.rounded(sum(over) / 15, 0) if each_shift else sum(quarters)) / 4
        if other != hours["overtime"]:
            changed = hours | {"overtime": p.rounded(other)}
            cells = case.cells({who: case.pay(who, hours=changed)}, {who: changed})
            expected = p.Expected("trap|convention", tuple(cells), "rounding_place")
            return p.Mistake(f"{who}'s overtime rounded in the other place", cells, (expected,))
    return None


def _unrequested(p: Any, task: Sound, case: Payroll) -> Iterator[Any]:
    """Base pay by the clock, though a request was approved."""
    asked = {row["employee"] for row in p.table(task, "request_log") if row["decision"] == "approved"}
    clocked = {row["employee"]: row for row in p.table(task, "period_hours") if row["version"] == "clocked"}
    for who in sorted(asked):
        if clocked[who]["paid"] != case.hours[who]["paid"]:
            hours = case.hours[who] | {"paid": clocked[who]["paid"]}
            cells = case.cells({who: case.pay(who, hours=hours)}, {who: hours})
            expected = p.Expected("conflict|trap|convention", tuple(cells), "correction|correction_rule|request_log")
            yield p.Mistake(f"{who}'s approved request not counted", cells, (expected,))
            return


@pytest.mark.parametrize("task", TASKS, indirect=True)
def test_the_causes_of_planted_mistakes_are_named(planting: Any, task: Sound) -> None:
    planting.show(task, [*overtime(planting, task)])
