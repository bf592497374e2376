from __future__ import annotations

import datetime
import time
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workgym.records.surface import (
    EXACT,
    date_candidates,
    dates,
    days,
    numbers,
    parse_date,
    parse_number,
    parse_time,
    shows,
    significant,
    times,
)

D = Decimal
VALUE = D("284731.63")


@pytest.mark.parametrize(
    "text",
    [
        "284,731.63",
        "284.731,63 €",
        "284 731,6",
        "284\u00a0731,63",
        "284'731.63",
        "284\u2019731.63",
        "$284.7K",
        "0.2847M",
        "28.47만",
        "€ 284,731.63",
        "USD 284,731.63",
        "２８４７３１．６３",
        "284.73 thousand",
        "Total:284731.63.",
        "2,84,731.63",
    ],
)
def test_every_form_of_a_value_shows_it(text: str) -> None:
    assert any(shows(number, VALUE) for number in numbers(text)), numbers(text)


@pytest.mark.parametrize(
    "text", ["(284,731.63)", "-284731.63", "\u2212284,731.63", "284,731.63-", "-$284,731.63", "$(284,731.63)"]
)
def test_negative_forms(text: str) -> None:
    (number,) = numbers(text)
    assert shows(number, -VALUE)
    assert number.readings[0].value == -VALUE


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("10-12 days", [10, 12]),
        ("PO-1042 for 12 kg", [12]),
        ("v1.2.3 of A4", []),
        ("INV-2026-017", []),
        ("10\u00b2", [10]),
        ("on 2026-03-02 at 07:45, 3 items", [3]),
        ("2 March 2026: 5", [5]),
        ("2,12.5,300", [2, D("12.5"), 300]),
        ("3rd", [3]),
        ("#12", [12]),
        ("+3", [3]),
        (".5", [D("0.5")]),
        ("1.5e-3", [D("0.0015")]),
        ("4xl8", []),
        ("12 bps", [D("0.0012")]),
    ],
)
def test_what_is_a_number(text: str, values: list[object]) -> None:
    assert [number.readings[0].value for number in numbers(text)] == values


def test_both_readings_of_one_separator() -> None:
    (number,) = numbers("1,234")
    assert [reading.value for reading in number.readings] == [D(1234), D("1.234")]
    assert shows(number, 1234, scales=EXACT)
    assert shows(number, D("1.234"), scales=EXACT)
    (number,) = numbers("0.234")
    assert len(number.readings) == 1


def test_currency_percent_and_offsets() -> None:
    text = "price\u00a0USD 2.05 (up 8.5 %)"
    price, rise = numbers(text)
    assert (text[price.start : price.end], price.currency, rise.percent) == ("2.05", "USD", True)
    assert rise.readings[0].value == D("0.085")
    assert shows(rise, D("8.5"))
    assert not shows(rise, D("8.5"), scales=EXACT)


def test_quantum_and_tolerance() -> None:
    (number,) = numbers("12.5")
    assert shows(number, D("12.54"))
    assert not shows(number, D("12.56"))
    assert not shows(number, D("12.54"), D("0.01"))
    assert shows(number, D("12.6"), D("0.1"))


def test_joined_numbers_come_with_their_parts() -> None:
    found = numbers("12 500 kg")
    assert [(number.text, number.joined) for number in found] == [("12", False), ("12 500", True), ("500", False)]


@pytest.mark.parametrize(
    ("text", "digits"), [("1,200.00", 2), ("12.50", 3), ("0.00120", 2), ("284,731.63", 8), ("0", 1)]
)
def test_significant_digits(text: str, digits: int) -> None:
    assert significant(numbers(text)[0]) == digits


@pytest.mark.parametrize(
    ("text", "mark", "value"),
    [
        ("1,234.50", None, "1234.50"),
        ("1.234", None, "1.234"),
        ("1.234", ",", "1234"),
        ("1,234", ",", "1.234"),
        ("1,234", ".", "1234"),
        ("1.5", ",", "1.5"),
        ("(12.50)", None, "-12.50"),
        ("12 %", None, "0.12"),
        ("€ 3", None, "3"),
        ("3 EUR", None, "3"),
        ("284 731,6", None, "284731.6"),
        ("-5", None, "-5"),
        ("1.2E+05", None, "120000"),
        ("$1.2M", None, "1200000"),
        ("12 kg", None, None),
        ("about 3", None, None),
        ("", None, None),
        ("1 2", None, None),
        ("2026-03-02", None, None),
    ],
)
def test_parse_number(text: str, mark: None, value: str | None) -> None:
    assert parse_number(text, mark) == (None if value is None else D(value))


@given(st.decimals(min_value=-(10**9), max_value=10**9, places=2), st.sampled_from(["{:,.2f}", "{:.2f}"]))
def test_a_printed_number_is_found_and_parsed(value: Decimal, form: str) -> None:
    text = form.format(value)
    assert parse_number(text) == value
    assert any(shows(number, value, scales=EXACT) for number in numbers(f"The total is {text} today."))


@given(st.text(alphabet="0123456789.,'- ()%$€kM\u00a0eEUSDa/:\n", max_size=40))
def test_any_text_is_tokenized_within_its_bounds(text: str) -> None:
    for number in numbers(text):
        assert text[number.start : number.end] == number.text
        assert number.readings
        assert all(reading.quantum > 0 for reading in number.readings)
    parse_number(text)
    parse_date(text)


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-02",
        "2 March 2026",
        "02.03.2026",
        "2nd of Mar 2026",
        "March 2, 2026",
        "2-Mar-26",
        "Mon, 2 Mar 2026 10:00:00 +0000",
        "20260302",
        "20260302T074500",
        "2026-03-02T07:45:00Z",
        "2. März 2026",
        "2/3/26 is none",
    ],
)
def test_dates(text: str) -> None:
    assert parse_date(text) == (None if "none" in text else datetime.date(2026, 3, 2))


def test_an_ambiguous_date_has_two_readings() -> None:
    assert date_candidates("3/2/2026") == (datetime.date(2026, 3, 2), datetime.date(2026, 2, 3))
    assert parse_date("3/2/2026") is None
    assert parse_date("3/22/2026") == datetime.date(2026, 3, 22)
    assert parse_date("30.02.2026") is None
    assert [token.values[0].day for token in dates("from 2026-03-02 to 5 March 2026.")] == [2, 5]


def test_times() -> None:
    assert parse_time("07:45") == datetime.time(7, 45)
    assert parse_time("7:45 pm") == datetime.time(19, 45)
    assert parse_time("24:00") == datetime.time(0, 0)
    assert parse_time("7:75") is None
    assert [token.value.hour for token in times("in 07:45, out 2026-03-02T16:10:00")] == [7, 16]


def test_speed_is_of_the_order_of_100_000_numbers_a_second() -> None:
    text = "\n".join(f"Item {i} costs {i * 7.31:,.2f} USD and weighs {i / 7:.1f} kg" for i in range(4000))
    start = time.process_time()
    found = numbers(text)
    spent = time.process_time() - start
    assert len(found) == 12000
    assert spent < 1.2  # ten times what it takes alone, so that a busy machine does not fail it


def test_days_of_a_month_without_a_year() -> None:
    text = "from 30 October to May 3rd, on 3. Juni, 14 May 2026; 12 maybe, 40 marches, May 2026, Oct 12.5"
    assert [text[start:end] for start, end in days(text)] == ["30", "3", "3", "14"]
