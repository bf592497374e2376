"""Printed forms follow their example, and never lose a digit."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workgym.materialize import forms, slug
from workgym.records import ColumnType

USD = ColumnType.parse("money(USD, 2)")
PCS = ColumnType.parse("quantity(pcs)")
HOURS = ColumnType.parse("quantity(h, 2)")
RATE = ColumnType.parse("percent(2)")


@pytest.mark.parametrize(
    ("form", "shown"),
    [
        ("1,234.50", "12,345.60"),
        ("1.234,50", "12.345,60"),
        ("1 234,50", "12 345,60"),
        ("1'234.50", "12'345.60"),
        ("1234.50", "12345.60"),
        ("(1,234.50)", "12,345.60"),
    ],
)
def test_amounts(form: str, shown: str) -> None:
    assert forms.amount(Decimal("12345.60"), USD, form) == shown


@pytest.mark.parametrize(
    ("form", "shown"),
    [
        ("1,234.50 USD", "-1,234.50 USD"),
        ("EUR 1.234,50", "-USD 1.234,50"),
        ("$1,234.50", "-$1,234.50"),
        ("€ 1,234.50", "-$ 1,234.50"),
        ("(1,234.50 USD)", "(1,234.50 USD)"),
    ],
)
def test_money_has_its_own_currency(form: str, shown: str) -> None:
    assert forms.money(Decimal("-1234.50"), USD, form) == shown


def test_other_forms() -> None:
    assert forms.quantity(Decimal(120000), PCS) == "120,000 pcs"
    assert forms.quantity(Decimal("7.75"), HOURS, "1.200 pcs") == "7,75 h"
    assert forms.quantity(Decimal("7.50"), HOURS, "1200") == "7.50"
    assert forms.percent(Decimal("0.085"), RATE) == "8.5 %"
    assert forms.percent(Decimal("0.0825"), RATE, "8,5%") == "8,25%"
    assert forms.percent(Decimal("0.08"), RATE, "8.50 %") == "8.00 %"
    assert forms.words(1212, ColumnType.parse("integer")) == "one thousand two hundred and twelve"
    assert forms.words(40, ColumnType.parse("integer")) == "forty"
    day = datetime.date(2026, 3, 2)
    assert forms.date(day) == "2 March 2026"
    assert forms.date(day, "%A, %d. %b %y (KW %V)", lang="de") == "Montag, 02. Mär 26 (KW 10)"
    assert forms.time(datetime.time(14, 5), "%-I:%M %p") == "2:05 pm"
    assert slug("Brüder Köhler & Söhne") == "bruder_kohler_sohne"


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (lambda: forms.amount(Decimal("1.25"), USD, "1,234"), "must be exact"),
        (lambda: forms.amount(Decimal("1.25"), USD, "12.5"), "is no example"),
        (lambda: forms.money(Decimal("1.25"), PCS), "has no currency"),
        (lambda: forms.money(Decimal("1.25"), ColumnType.parse("money(SEK)"), "$1,234.50"), "no symbol for SEK"),
        (lambda: forms.money(Decimal("1.25"), USD, "1,234.50"), "shows no currency"),
        (lambda: forms.percent(Decimal("0.1"), RATE, "8.5"), "is no example of a percentage"),
        (lambda: forms.percent("x", RATE), "is no number"),
        (lambda: forms.date("soon"), "is no ISO date"),
        (lambda: forms.date(datetime.date(2026, 1, 1), "%H"), "%H is no field of a date"),
        (lambda: forms.date(datetime.date(2026, 1, 1), lang="fr"), "no names of months"),
        (lambda: forms.words(Decimal("1.5"), USD), "not told in words"),
    ],
)
def test_what_does_not_suit(write: object, message: str) -> None:
    with pytest.raises(forms.FormError, match=message):
        write()  # type: ignore[operator]


@given(st.decimals(-(10**9), 10**9, places=2), st.sampled_from(["1,234.50", "1.234,50", "1 234,50", "1234.50"]))
def test_every_amount_reads_back(value: Decimal, form: str) -> None:
    shown = forms.amount(value, USD, form)
    point = "," if form.endswith(",50") else "."
    digits = "".join("." if char == point else char for char in shown if char.isdigit() or char in f"-{point}")
    assert Decimal(digits) == value
