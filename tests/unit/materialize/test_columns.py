"""Columns of plain values are written whole: it comes to the same as writing cell by cell."""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xlsxwriter import Workbook

from workgym.documents.xlsx import numfmt
from workgym.errors import MaterializeError
from workgym.graph.relation import Relation
from workgym.materialize import Rendered, Scope, render
from workgym.materialize.data.csv import _delimited
from workgym.materialize.xlsx.columns import _serial
from workgym.plan import ArtifactSpec

Relations = Callable[..., Relation]
Worlds = Callable[..., Scope]

TYPES = {
    "line": "integer",
    "item": "text",
    "day": "date",
    "at": "time",
    "weight": "quantity(kg, 3)",
    "price": "money(USD, 2)",
    "share": "percent(1)",
    "terms": "choice(DAP, FCA)",
}
COLUMN = {
    "item": st.none()
    | st.text(st.characters(exclude_categories=("Cs", "Cc", "Co", "Cn")), max_size=60)
    | st.sampled_from(["# a", "- b", "1. c", "a|b*", ' "q", ', "two\nlines", "=A1", "\t", " "]),
    "day": st.none() | st.dates(datetime.date(1900, 1, 1), datetime.date(2150, 1, 1)).map(str),
    "at": st.none() | st.times().map(lambda time: time.isoformat("seconds")),
    "weight": st.none() | st.decimals(-(10**9), 10**9, places=3).map(str),
    "price": st.none() | st.decimals(-(10**10), 10**10, places=2).map(str),
    "share": st.none() | st.decimals(-2, 2, places=3).map(str),
    "terms": st.none() | st.sampled_from(["DAP", "FCA"]),
}
ROWS = st.lists(st.fixed_dictionaries(COLUMN), max_size=6)
FIELDS = st.lists(st.lists(st.text("ab,;\"'\t \r\n\\é", max_size=4), max_size=4), max_size=5)
CODES = ["0", "#,##0.00", "0.0%", '0.000 "kg"']
ROW = list[dict[str, Any]]


def tables(relation: Relations, world: Worlds, rows: ROW) -> Scope:
    return world(relation("line", TYPES, ("line",), [[at, *map(row.get, COLUMN)] for at, row in enumerate(rows, 1)]))


def written(scope: Scope, name: str, content: dict[str, Any]) -> Rendered:
    return render(ArtifactSpec(path=f"lines.{name}", content=content), scope, "seed", strict=False)


PLAIN = {name.capitalize(): name for name in TYPES}
ONE_BY_ONE = {head: f"{{{{ row.{name} }}}}" for head, name in PLAIN.items()}


@settings(max_examples=25)
@given(rows=ROWS)
@pytest.mark.parametrize("point", [".", ","])
def test_csv_is_the_same_by_columns_and_by_cells(relation: Relations, world: Worlds, point: str, rows: ROW) -> None:
    scope = tables(relation, world, rows)
    first, second = (
        written(
            scope,
            "csv",
            {"table": {"rows": "line", "columns": columns}, "decimal": point, "below": ["end {{ 3 | decor }}"]},
        )
        for columns in (PLAIN, ONE_BY_ONE)
    )
    assert first == second
    assert first.anchors[-1].place.at == f"r{len(rows) + 2}c1[4:5]"


@settings(max_examples=25)
@given(rows=ROWS)
def test_workbooks_are_the_same_by_columns_and_by_cells(relation: Relations, world: Worlds, rows: ROW) -> None:
    scope = tables(relation, world, rows)
    first, second = (
        written(scope, "xlsx", {"sheets": [{"title": "S", "tables": [{"rows": "line", "columns": columns}]}]})
        for columns in (PLAIN, ONE_BY_ONE)
    )
    assert first == second


@settings(max_examples=25)
@given(rows=ROWS)
def test_json_is_the_same_by_keys_and_by_records(relation: Relations, world: Worlds, rows: ROW) -> None:
    scope = tables(relation, world, rows)
    by_keys = written(scope, "json", {"data": {"each": "line", "item": ONE_BY_ONE}})
    nested = written(scope, "json", {"data": {"each": "line", "item": {**ONE_BY_ONE, "more": []}}})
    assert by_keys.anchors == nested.anchors
    assert by_keys.content.decode() == nested.content.decode().replace(',\n    "more": []', "")


@given(
    lines=st.lists(st.lists(st.text("ab,;\"'\t \r\n\\é", max_size=4), max_size=4), max_size=5),
    delimiter=st.sampled_from(",;\t|"),
)
def test_quotes_stand_where_the_library_puts_them(lines: list[list[str]], delimiter: str) -> None:
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter, lineterminator="\r\n").writerows(lines)
    assert _delimited(lines, delimiter) == buffer.getvalue()


@given(st.dates(datetime.date(1900, 1, 1)) | st.times().map(lambda time: time.replace(microsecond=0)))
def test_dates_are_the_numbers_that_the_library_writes(value: datetime.date | datetime.time) -> None:
    sheet = Workbook(io.BytesIO()).add_worksheet()
    assert _serial(value) == sheet._convert_date_time(value)


@given(
    st.lists(st.decimals(-(10**12), 10**12, places=4), min_size=1),
    st.sampled_from(["0", "#,##0.00", "0.0%", '0.000 "kg"']),
)
def test_the_widest_number_lies_farthest_out(values: list[Decimal], code: str) -> None:
    assert numfmt.is_plain(code)
    ends = max(len(numfmt.display(value, code)) for value in (min(values), max(values)))
    assert ends == max(len(numfmt.display(value, code)) for value in values)


@pytest.mark.parametrize("code", ["General", "0.00E+00", "yyyy-mm-dd", "0;-0;;@", "# ?/?"])
def test_other_formats_are_looked_at_value_by_value(code: str) -> None:
    assert not numfmt.is_plain(code)


@pytest.mark.parametrize("text", ["bell\x07", "mark \ue123"])
@pytest.mark.parametrize("name", ["csv", "tsv", "xlsx"])
def test_what_no_document_can_hold_is_refused(relation: Relations, world: Worlds, name: str, text: str) -> None:
    scope = world(relation("line", {"line": "integer", "item": "text"}, ("line",), [[1, "good"], [2, text]]))
    table = {"rows": "line", "columns": {"Item": "item"}}
    content = {"sheets": [{"title": "S", "tables": [table]}]} if name == "xlsx" else {"table": table}
    with pytest.raises(MaterializeError, match=r"lines\.\w+: .*(can hold|private use)"):
        written(scope, name, content)


def test_sheets_without_tables_and_tables_without_rows(relation: Relations, world: Worlds) -> None:
    scope = world(relation("line", {"line": "integer"}, ("line",), []))
    empty = {"rows": "line", "columns": {"Line": "line"}}
    carrier = written(scope, "xlsx", {"sheets": [{"title": "A", "above": ["at {{ rate.rate }}"]}, {"tables": [empty]}]})
    assert [anchor.place.at for anchor in carrier.anchors] == ["A!A1[3:8]"]
    assert written(scope, "csv", {"table": empty, "below": ["end"]}).content == b"Line\r\nend\r\n"
    assert written(scope, "json", {"data": {"each": "line", "item": {"a": "{{ row.line }}"}}}).content == b"[]\n"


def test_anchors_are_made_when_somebody_looks(relation: Relations, world: Worlds) -> None:
    scope = world(relation("line", {"line": "integer", "item": "text"}, ("line",), [[at, "x"] for at in range(50)]))
    carrier = written(scope, "csv", {"table": {"rows": "line", "columns": {"Line": "line", "Item": "item"}}})
    assert "anchors" not in vars(carrier)
    assert len(carrier.anchors) == 100
    assert carrier.anchors is carrier.anchors
