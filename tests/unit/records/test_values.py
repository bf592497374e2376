"""Typed values: written, read, stored and shown without loss."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workgym.records import Cell, ColumnType

KINDS = [
    "text",
    "integer",
    "quantity(pcs, 0)",
    "quantity(h, 2)",
    "money(USD, 2)",
    "percent(1)",
    "date",
    "time",
    "choice(a b, c)",
]


@pytest.mark.parametrize("written", KINDS)
def test_the_written_form_is_read_back(written: str) -> None:
    assert str(ColumnType.parse(written)) == written
    assert ColumnType.parse(str(ColumnType.parse(written))) == ColumnType.parse(written)


@pytest.mark.parametrize(
    "written", ["number", "money", "money(USD, x)", "choice", "text(3)", "quantity()", "date(1)", ""]
)
def test_other_forms_are_refused(written: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        ColumnType.parse(written)


@pytest.mark.parametrize(
    ("written", "raw", "sql", "shown"),
    [
        ("money(USD, 2)", "1234.5", "DECIMAL(18,2)", "1,234.50"),
        ("percent(1)", "0.085", "DECIMAL(18,3)", "8.5 %"),
        ("percent(0)", "0.1", "DECIMAL(18,2)", "10 %"),
        ("quantity(pcs)", 1200, "DECIMAL(18,0)", "1,200"),
        ("integer", "7", "BIGINT", "7"),
        ("date", "2026-03-02", "DATE", "2026-03-02"),
        ("time", "07:45", "TIME", "07:45"),
        ("choice(DAP, FCA)", "FCA", "VARCHAR", "FCA"),
    ],
)
def test_load_dump_show(written: str, raw: object, sql: str, shown: str) -> None:
    kind = ColumnType.parse(written)
    value = kind.load(raw)
    assert kind.load(kind.dump(value)) == value
    assert (kind.sql, kind.show(value)) == (sql, shown)
    assert kind.load(None) is None and kind.show(None) == ""


@pytest.mark.parametrize(
    ("written", "raw"),
    [
        ("integer", "1.5"),
        ("money(USD)", "cheap"),
        ("money(USD)", "NaN"),
        ("choice(a, b)", "c"),
        ("date", "2026-13-01"),
        ("text", 3),
    ],
)
def test_what_does_not_fit_is_refused(written: str, raw: object) -> None:
    with pytest.raises(ValueError, match="(?i)not|must be|has no"):
        ColumnType.parse(written).load(raw)


@given(st.decimals(min_value=-(10**12), max_value=10**12, places=2))
def test_money_survives_json(amount: Decimal) -> None:
    kind = ColumnType.parse("money(EUR, 2)")
    assert kind.load(kind.dump(kind.load(amount))) == amount


@given(st.dates(), st.times())
def test_dates_and_times_survive_json(day: datetime.date, time: datetime.time) -> None:
    assert ColumnType.parse("date").load(ColumnType.parse("date").dump(day)) == day
    assert ColumnType.parse("time").load(ColumnType.parse("time").dump(time)) == time


def test_cells_name_themselves() -> None:
    assert str(Cell(unit="freight", key=("Alder",), column="per_unit")) == "freight[Alder].per_unit"
    assert str(Cell(unit="rate", key=(), column="rate")) == "rate.rate"


@pytest.mark.parametrize("kind", ["integer", "money(EUR, 2)", "quantity(kg)", "percent"])
def test_numbers_that_would_fill_memory_are_none(kind: str) -> None:
    with pytest.raises(ValueError, match="too large"):
        ColumnType.parse(kind).load("1e999999999")
    assert ColumnType.parse("integer").load("1e37") == 10**37
