"""What is said of single mistakes in a task made by hand: digits, one row only, what follows, what nothing gives."""

from __future__ import annotations

from decimal import Decimal

import pytest

from workgym.quality import Cause, Sound, attribute
from workgym.quality.premises import likely, near, unlikely
from workgym.quality.sound import rewritten
from workgym.verify import grade

WHERE = {"book": "totals.xlsx", "note": "note.md"}


def said(hand: Sound, **changes: str) -> tuple[Cause, ...]:
    """The causes of other values: ``book_Beacon_total='1.00'``."""
    facts = {(fact.deliverable.path, *fact.row.key, fact.column): fact for part in hand.parts for fact in part.facts}
    told = []
    for name, value in changes.items():
        where, shop, column = name.split("_")
        told.append((facts[WHERE[where], shop, column], Decimal(value)))
    return attribute(hand.package, grade(hand.package, hand.with_edits(rewritten(told))))


@pytest.mark.parametrize(
    ("amount", "kind", "says"),
    [
        ("6431.88", "mistyped", "two neighbouring digits are exchanged"),
        ("6493.88", "mistyped", "one digit is another one"),
        ("64133.88", "mistyped", "there is a digit too many"),
        ("643.88", "mistyped", "a digit is lost"),
        ("6414.00", "rounded off", "it is rounded further than was asked for: to 1.00"),
        ("6400.00", "rounded off", "to 100.00"),
        ("6413.89", "last place", "off by a unit or two"),
        ("7777.77", "unexplained", "no mistake"),
    ],
)
def test_digits(hand: Sound, amount: str, kind: str, says: str) -> None:
    (cause,) = said(hand, book_Beacon_total=amount)
    assert cause.kind == kind and says in cause.says[:1].lower() + cause.says[1:], cause


def test_the_old_price_in_one_row_only(hand: Sound) -> None:
    """12.60 in place of 11.80, for Beacon and no other shop, in the workbook and not in the note."""
    (cause,) = said(hand, book_Beacon_goods="5254.20", book_Beacon_total="6830.88")
    assert (cause.kind, cause.units, len(cause.checks)) == ("superseded", ("price",), 2)
    assert cause.says.endswith("but only for Beacon.")


def test_freight_of_the_line_above(hand: Sound) -> None:
    (cause,) = said(hand, book_Cedar_total="7065.44", note_Cedar_total="7065.44")
    assert (cause.kind, cause.units) == ("neighbour's", ("freight",))
    assert "for Cedar the cost of Beacon" in cause.says


def test_a_copied_mistake_follows_from_where_it_was_made(hand: Sound) -> None:
    (cause,) = said(hand, book_Beacon_total="6431.88", note_Beacon_total="6431.88")
    assert cause.kind == "mistyped" and len(cause.checks) == 2
    assert cause.says.endswith("from that follows total[Beacon].total.")


def test_two_mistakes_have_two_causes(hand: Sound) -> None:
    causes = said(hand, book_Beacon_total="6431.88", book_Anvil_total="-6437.44", note_Cedar_total="7777.77")
    assert {cause.kind for cause in causes} == {"mistyped", "wrong sign", "unexplained"}


def test_the_same_verdict_has_the_same_causes(hand: Sound) -> None:
    first, second = (said(hand, book_Beacon_total="6431.88", note_Cedar_total="7065.44") for _ in range(2))
    assert first == second and len(first) == 2


def test_rows_of_others_are_not_tried(hand: Sound) -> None:
    """Only where nothing wrong is of another kind of entity."""
    every = [*likely(hand.package), *unlikely(hand.package)]
    kept = near(hand.package, every, [("Beacon",)])
    assert {premise.row for premise in every} >= {("Anvil",), ("Beacon",), ()}
    assert {premise.row for premise in kept} == {("Beacon",), ()}
    assert near(hand.package, every, [("Beacon",), ()]) == every
