"""What a query may say."""

from __future__ import annotations

import pytest

from workgym.errors import GraphError, QueryError
from workgym.graph.sql import compile_query, without_rounding

from .conftest import BEST, FREIGHT, LANDED, QUOTE, ROUNDING, TOTAL, UNITS, VOLUME, build, unit

SCHEMA = {item.name: {column.name: column.type.sql for column in item.columns} for item in UNITS}


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("delete from quote", "one SELECT"),
        ("select 1; select 2", "one SELECT"),
        ("select * from read_csv('/etc/passwd')", "not allowed"),
        ("select * from '/etc/passwd'", "no unit"),
        ("select * from information_schema.tables", "schema"),
        ("select * from duckdb_settings()", "not allowed"),
        ("select getenv('HOME') as x", "getenv"),
        ("select now() as x", "not allowed"),
        ("select current_date as x", "not allowed"),
        ("select random() as x", "not allowed"),
        ("select uuid() as x", "not allowed"),
        ("select * from query_table('quote')", "not allowed"),
        ("select repeat('x', 3000000000) as x", "not allowed"),
        ("select list(price) as x from quote", "not allowed"),
        ("select * from quote tablesample 10%", "not allowed"),
        ("select supplier from quote using sample 1", "not allowed"),
        ("pivot quote on terms using sum(price)", "SELECT"),
        ("select weight from quote", "weight"),
        ("select supplier from nobody", "no unit nobody"),
        ("select from where", "parsed"),
        ("with recursive t as (select 1 as n union all select n + 1 from t) select n from t", "recursive"),
        ("select q.price from (quote q join freight f using (supplier))", "parentheses"),
    ],
)
def test_everything_else_is_refused(query: str, says: str) -> None:
    with pytest.raises(QueryError, match=says):
        compile_query("x", query, SCHEMA)


def test_lineage_is_by_column_through_aliases_subqueries_and_ctes() -> None:
    query = compile_query(
        "x",
        "with f as (select q.supplier, q.price from quote q where terms = 'FCA') "
        "select f.supplier from f join freight as g using (supplier) "
        "where exists (select 1 from volume v where v.units > g.per_unit)",
        SCHEMA,
    )
    assert query.reads == {
        "freight": ("per_unit", "supplier"),
        "quote": ("price", "supplier", "terms"),
        "volume": ("units",),
    }


def _with(query: str, **options: object) -> None:
    derived = unit(
        "x", "derived", columns={"supplier": "text", "v": "money(USD, 2)"}, key=("supplier",), query=query, **options
    )
    build((*UNITS, derived))


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("select supplier, cast(price * 1.19 as decimal(18,2)) as v from quote", "literal 1.19"),
        ("select supplier, price as v from quote where supplier = 'Alder'", "literal 'Alder'"),
        ("select supplier, cast(round(pow(price, 0.5), 2) as decimal(18,2)) as v from quote", "literal 0.5"),
        ("select supplier, cast(round(pow(2, price), 2) as decimal(18,2)) as v from quote", "literal 2"),
        ("select supplier, coalesce(per_unit, 0) as v from quote join freight using (supplier)", "coalesce"),
        ("select supplier, per_unit as v from quote left join freight using (supplier)", "outer join"),
        ("select any_value(supplier) as supplier, sum(price) as v from quote", "any_value"),
        ("select supplier, price as v from quote order by price limit 1", "supplier is not in the order"),
        ("select supplier, price as v from quote limit 1", "without a total order"),
        ("select supplier, case when price > 0.9 then price else 0 end as v from quote", "literal 0.9"),
        ("select quote.supplier, price as v from quote positional join freight", "outer join"),
        ("select distinct on (supplier) supplier, price as v from quote", "first hides"),
        ("select supplier, price as v from quote union all select supplier, per_unit from freight limit 1", "no key"),
        ("with t as (select * from quote) select supplier, price as v from t order by price limit 1", "no key"),
        ("select supplier, price as v from quote order by price, lower(supplier) limit 1", "supplier is not in"),
        ("with quote as (select * from quote) select supplier, price as v from quote", "quote names a unit"),
        (
            "with ROUNDING as (select supplier as rounding from quote) select supplier, case when rounding.rounding is "
            "not null then 17 end as v from quote, rounding",
            "ROUNDING names a unit",
        ),
        (
            "select supplier, (select case when r.rounding is not null then 17 end from (select terms as rounding "
            "from quote) as r) as v from quote, rounding as r",
            "is null hides absent rows",
        ),
        ("select supplier, cast(price * (1 + 1 + 1) as decimal(18,2)) as v from quote", "constant 1 [+] 1"),
        ("select supplier, cast(length('DAP') as decimal(18,2)) as v from quote", "constant LENGTH"),
        ("select supplier, case when rounding is not null then price end as v from quote, rounding", "is null"),
        ("select supplier, greatest((select max(per_unit) from freight), 0) as v from quote", "is null"),
        (
            "select supplier, v from (select supplier, price as v, row_number() over () as n from quote) x where n = 1",
            "without an order",
        ),
        (
            "select supplier, case when rounding > 'each unit' then price * 0.5 else price end as v "
            "from quote, rounding",
            "literal 0.5",
        ),
    ],
)
def test_hidden_premises_are_refused(query: str, says: str) -> None:
    with pytest.raises(GraphError, match=says):
        _with(query)


@pytest.mark.parametrize(
    "query",
    [
        "select supplier, cast(round(price * (1 + price - price), 2) as decimal(18,2)) as v from quote",
        "select supplier, price as v from quote where terms = 'FCA'",
        "select supplier, cast(round(pow(price, 2) + pow(price, 3), 2) as decimal(18,2)) as v from quote",
        "select supplier, cast(price * case rounding when 'each unit' then 0.5 else 0.25 end as decimal(18,2)) as v "
        "from quote, rounding",
        "select supplier, price as v from quote order by price, supplier limit 1",
    ],
)
def test_free_literals(query: str) -> None:
    _with(query)


def test_a_rule_unit_permits_what_would_hide_absence() -> None:
    query = "select supplier, coalesce(per_unit, 0) as v from quote left join freight using (supplier)"
    _with(query, permits={"coalesce": "rounding", "outer join": "rounding"})
    with pytest.raises(GraphError, match="not a rule"):
        _with(query, permits={"coalesce": "volume", "outer join": "volume"})


def test_a_limit_is_permitted_by_a_rule_only() -> None:
    _with("select supplier, price as v from quote limit 1", permits={"limit": "rounding"})
    with pytest.raises(GraphError, match="not a rule"):
        _with("select supplier, price as v from quote limit 1", permits={"limit": "volume"})


@pytest.mark.parametrize(
    ("days", "refused"),
    [
        ("interval 14 day", True),
        ("interval '14 days'", True),
        ("interval 1 day", False),
        ("interval (days) day", False),
    ],
)
def test_the_length_of_an_interval_is_a_premise(days: str, refused: bool) -> None:
    bill = unit("bill", columns={"day": "date", "days": "integer"})
    due = unit("due", "derived", columns={"due": "date"}, query=f"select cast(day + {days} as date) as due from bill")
    if refused:
        with pytest.raises(QueryError, match="literal '14'"):
            build((bill, due))
    else:
        build((bill, due))


def test_a_cycle_and_self_reference_are_refused() -> None:
    with pytest.raises(QueryError, match="reads itself"):
        build((*UNITS, unit("x", "derived", columns={"a": "text"}, query="select a from x")))


def test_exact_queries_have_no_rounding() -> None:
    exact = without_rounding("x", "select cast(round(price / 3, 2) as decimal(18,2)) as v from quote")
    assert "ROUND" not in exact.upper() and "DECIMAL" not in exact.upper()


def test_the_graph_of_the_tests_is_what_it_says() -> None:
    assert {u.name for u in (QUOTE, FREIGHT, VOLUME, ROUNDING, LANDED, TOTAL, BEST)} == set(SCHEMA)
