"""Tables hold what they are given, however it gets there."""

from __future__ import annotations

import datetime
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from decimal import Decimal

import pytest

from workgym.errors import GraphError
from workgym.graph.database import Database, Row

COLUMNS = {
    "who": "VARCHAR",
    "price": "DECIMAL(18,2)",
    "units": "BIGINT",
    "day": "DATE",
    "at": "TIME",
}
ROWS: list[Row] = [
    ("Alder", Decimal("1.50"), 3, datetime.date(2024, 2, 29), datetime.time(7, 5)),
    ("O'Neil \u00e9", Decimal("-1234567890123.45"), 10**15, None, datetime.time(23, 59, 59)),
    (None, Decimal(0), None, datetime.date(1999, 12, 31), None),
]


@pytest.fixture
def database() -> Iterator[Database]:
    with closing(Database()) as made:
        yield made


def test_rows_come_back_as_they_went_in_and_in_their_order(database: Database) -> None:
    database.table("papers", COLUMNS, ROWS)
    names, types, rows = database.select("from papers")
    assert dict(zip(names, types, strict=True)) == COLUMNS
    assert rows == ROWS
    database.append("papers", ROWS[:1])
    assert database.select("from papers")[2] == [*ROWS, ROWS[0]]


def test_no_rows_make_an_empty_table_of_the_same_types(database: Database) -> None:
    database.table("papers", COLUMNS, ROWS)
    database.table("papers", COLUMNS, [])
    assert database.select("from papers") == (list(COLUMNS), list(COLUMNS.values()), [])


def test_values_of_several_kinds_in_a_column_are_cast_one_by_one(database: Database) -> None:
    rows: list[Row] = [(1,), (Decimal("2.555"),), ("3.1",), (None,)] * 80
    database.table("mixed", {"n": "DECIMAL(18,2)"}, rows)
    assert database.select("from mixed")[2] == [(Decimal(1),), (Decimal("2.56"),), (Decimal("3.10"),), (None,)] * 80


def test_a_column_of_nothing_is_empty(database: Database) -> None:
    database.table("nothing", {"n": "DECIMAL(18,2)", "d": "DATE"}, [(None, None)] * 5)
    database.append("nothing", [(None, None)])
    assert database.select("from nothing")[2] == [(None, None)] * 6


@pytest.mark.parametrize("rows", [[("many",)], [("many",), (Decimal(1),)]])
def test_what_does_not_fit_is_an_error(database: Database, rows: list[Row]) -> None:
    with pytest.raises(GraphError, match="many"):
        database.table("wrong", {"n": "DECIMAL(18,2)"}, rows)


def test_a_statement_is_run_alone(database: Database) -> None:
    with pytest.raises(GraphError, match="2 statements where one is run"):
        database.select("select 1; select 2")


@pytest.mark.skipif(sys.platform != "linux", reason="NOT CHECKED: threads are counted in Linux's /proc")
def test_nothing_is_opened_before_it_is_used() -> None:
    """A process that serves many imports it and forks: a fork has none of the threads of a database that is open."""
    code = "import os, workgym.graph.database; assert os.listdir('/proc/self/task') == [str(os.getpid())]"
    subprocess.run([sys.executable, "-c", code], check=True)
