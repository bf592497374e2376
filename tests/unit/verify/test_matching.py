"""Numbers, dates and texts: every printed form of a value is the value, and its neighbours are not."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workgym.records.surface import numbers
from workgym.records.values import ColumnType
from workgym.verify.stated.matching import Wanted, number_shows, shows

USD = ColumnType.parse("money(USD, 2)")
cents = st.integers(-(10**11), 10**11).map(lambda value: Decimal(value).scaleb(-2))


def wanted(written: str, *accepted: object, places: int = 2) -> Wanted:
    return Wanted(ColumnType.parse(written), accepted, places)  # type: ignore[arg-type]


FORMS = (
    lambda value: f"{value:.2f}",
    lambda value: f"{value:,.2f}",
    lambda value: f"{value:,.2f} USD",
    lambda value: f"{value:,.2f}".translate(str.maketrans(",.", ".,")),
    lambda value: f"{value:,.2f}".replace(",", "'"),
    lambda value: f"{value:,.2f}".replace(",", "\u00a0").replace(".", ","),
    lambda value: f"-${-value:,.2f}" if value < 0 else f"${value:,.2f}",
    lambda value: f"({-value:,.2f})" if value < 0 else f"{value:,.2f}",
    lambda value: f"{value:,.2f}".replace("-", "\u2212"),
)


@given(cents, st.sampled_from(FORMS))
def test_a_printed_form_in_a_cell_is_the_value(value: Decimal, form: object) -> None:
    assert shows(form(value), None, Wanted(USD, (value,), 2))  # type: ignore[operator]


@given(cents)
def test_a_stored_number_is_the_value_as_decimal_and_as_double(value: Decimal) -> None:
    assert shows("", str(value), Wanted(USD, (value,), 2))
    assert shows("", f"{Decimal(repr(float(value))):f}", Wanted(USD, (value,), 2))


@given(cents, st.sampled_from(FORMS), st.integers(1, 10**9))
def test_a_step_away_is_another_value(value: Decimal, form: object, steps: int) -> None:
    other = value + Decimal(steps).scaleb(-2)
    assert not shows(str(other), str(other), Wanted(USD, (value,), 2))
    assert not shows(str(value), str(value), Wanted(USD, (other,), 2))
    if abs(value) >= 1000:  # 1,234 and 1.234 are two numbers only below
        assert not shows(form(value), None, Wanted(USD, (other,), 2))  # type: ignore[operator]


@pytest.mark.parametrize("error", ["#DIV/0!", "#REF!", "#N/A"])
def test_a_formula_error_is_no_number(error: str) -> None:
    assert not shows(error, None, Wanted(USD, (Decimal("0.00"),), 2))


@given(cents, st.integers(0, 2))
def test_the_places_asked_for_are_the_tolerance(value: Decimal, places: int) -> None:
    rounded = round(value, places)
    asked = Wanted(USD, (value,), places)
    assert shows("", f"{rounded:f}", asked)
    assert not shows("", f"{rounded + 2 * asked.step:f}", asked)


@given(cents.filter(lambda value: value != 0))
def test_the_sign_counts(value: Decimal) -> None:
    assert not shows("", f"{-value:f}", Wanted(USD, (value,), 2))


@given(st.integers(1000, 10**9))
def test_a_number_in_a_sentence(value: int) -> None:
    asked = Wanted(USD, (Decimal(value),), 0)
    for text in (f"It costs USD {value:,}.", f"It costs ${value:,}.00 in all.", f"Cost: {value}", f"{value:,} dollars"):
        assert any(number_shows(number, asked) for number in numbers(text)), text
    for text in (f"It costs €{value:,}.", f"It costs {value:,} EUR.", f"It is {value:,} %.", f"Cost: {value + 1:,}"):
        assert not any(number_shows(number, asked) for number in numbers(text)), text


@pytest.mark.parametrize(
    ("text", "fine"),
    [
        ("284,732", True),
        ("$284.7K", False),
        ("$285K", False),
        ("$284.732K", True),
        ("0.284732M", True),
        ("284,731.63", True),
    ],
)
def test_a_shortened_number_has_to_be_fine_enough(text: str, fine: bool) -> None:
    for value in ("284731.63", "285000", "284700"):
        asked = wanted("money(USD, 2)", Decimal(value), places=0)
        if value == "284731.63":
            assert any(number_shows(number, asked) for number in numbers(text)) is fine
        elif "K" in text:
            assert not any(number_shows(number, asked) for number in numbers(text))


def test_both_values_are_right_where_rounding_on_the_way_makes_two() -> None:
    asked = wanted("money(USD, 2)", Decimal("100.12"), Decimal("100.1349"))
    assert [shows("", value, asked) for value in ("100.11", "100.12", "100.13", "100.1349", "100.14")] == [
        False,
        True,
        True,
        True,
        False,
    ]


def test_integers_are_exact() -> None:
    asked = wanted("integer", 14, places=0)
    assert [shows(text, None, asked) for text in ("14", "14.0", "14.2", "15", "about 14")] == [
        True,
        True,
        False,
        False,
        True,
    ]


def test_a_percent_is_a_fraction_or_a_number_of_percent() -> None:
    asked = wanted("percent(1)", Decimal("0.085"), places=1)
    assert shows("8.5%", "0.085", asked)
    assert shows("8.5 %", None, asked)
    assert shows("8.5", None, asked)
    assert shows("8.5", "8.5", asked)
    assert not shows("8.6 %", None, asked)
    assert not shows("85%", "0.85", asked)
    assert [number_shows(numbers(text)[0], asked) for text in ("8.5 %", "8.5 percent", "0.085")] == [True, True, True]


def test_hours_may_be_a_clock() -> None:
    asked = wanted("quantity(h, 2)", Decimal("7.75"))
    assert shows("7:45", None, asked)
    assert not shows("7:46", None, asked)


def test_dates_and_times() -> None:
    day = wanted("date", datetime.date(2026, 3, 2), places=0)
    for text in ("2026-03-02", "2 March 2026", "02.03.2026", "3/2/2026", "2/3/2026", "Mon, 2 Mar 2026"):
        assert shows(text, None, day), text
    assert shows("anything", "2026-03-02T00:00:00", day)
    assert not shows("2026-03-03", None, day)
    clock = wanted("time", datetime.time(7, 45), places=0)
    assert shows("7:45 am", None, clock) and shows("", "07:45:00", clock) and not shows("19:45", None, clock)


def test_texts_are_equal_up_to_writing() -> None:
    name = wanted("text", "O'Brien & Söhne Ltd.")
    for text in (
        "O’Brien & Söhne Ltd",
        " o'brien  &  söhne ltd. ",
        "O'BRIEN & SÖHNE LTD",
        "O'Brien\u00a0& So\u0308hne Ltd",
    ):
        assert shows(text, None, name), text
    assert not shows("O'Brien & Sohne Ltd", None, name)
