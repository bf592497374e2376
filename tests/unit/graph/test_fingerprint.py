"""One fingerprint for one work: what changes it, and what does not."""

from __future__ import annotations

import pytest

from workgym.authoring import families
from workgym.errors import QueryError
from workgym.graph import Binding, Carrier, Deliverable, InfoUnit, Stated, SupportGraph, compile_graph
from workgym.graph.fingerprint import fingerprint
from workgym.graph.shape import shape
from workgym.records import Column, ColumnType


def unit(name: str, columns: str, query: str | None = None, **more: object) -> InfoUnit:
    """A unit whose columns are written ``name type, ...``; the first one is its key."""
    made = tuple(
        Column(name=part.split()[0], type=ColumnType.parse(" ".join(part.split()[1:]))) for part in columns.split("; ")
    )
    status = "provided" if query is None else "derived"
    fields = {"content": "c", "entity": "e", "scope": "s", "status": status, "key": (made[0].name,), **more}
    return InfoUnit.model_validate({"name": name, "columns": made, "query": query, **fields})


def graph(*units: InfoUnit, states: str = "cost", carriers: tuple[str, ...] = ("a.csv",)) -> SupportGraph:
    """A compiled graph that states one unit in a workbook."""
    out = Deliverable(path="out.xlsx", states=(Stated(unit=states, form="table"),))
    held = tuple(Carrier(path=path, kind="reference") for path in carriers)
    bound = tuple(Binding(unit=units[0].name, carrier=path, form="value", visible=True) for path in carriers)
    return compile_graph(SupportGraph(units=units, carriers=held, bindings=bound, deliverables=(out,)))


PRICES = unit("prices", "item text; price money(USD, 2)")
VOLUMES = unit("volumes", "item text; pieces integer")
COST = unit(
    "cost",
    "item text; total money(USD, 2)",
    "select item, p.price * v.pieces as total from prices p join volumes v using (item) where v.pieces > 0",
)
BASE = fingerprint(graph(PRICES, VOLUMES, COST))


def test_names_values_order_and_carriers_do_not_count() -> None:
    fees = unit("fees", "who text; fee money(EUR, 2)")
    hours = unit("hours", "who text; worked integer")
    bill = unit(
        "bill",
        "who text; amount money(EUR, 2)",
        "select h.worked * f.fee as amount, who from fees f join hours h using (who) where 0 < h.worked",
    )
    assert BASE is not None and len(BASE) == 32
    assert fingerprint(graph(bill, hours, fees, states="bill", carriers=("x.pdf", "y.pdf"))) == BASE


def test_a_distractor_is_no_work() -> None:
    old = unit("old_prices", "item text; price money(USD, 2)", role="distractor")
    assert fingerprint(graph(PRICES, VOLUMES, COST, old)) == BASE


@pytest.mark.parametrize(
    "changed",
    [
        COST.query.replace("*", "+") if COST.query else "",
        COST.query.replace("using (item)", "using (item) join terms using (item)") if COST.query else "",
        COST.query.replace("> 0", ">= 0") if COST.query else "",
    ],
    ids=["operation", "premise", "comparison"],
)
def test_other_work_has_another_one(changed: str) -> None:
    terms = unit("terms", "item text; days integer")
    other = COST.model_copy(update={"query": changed})
    units = (PRICES, VOLUMES, other, terms)
    plain = fingerprint(graph(PRICES, VOLUMES, COST, terms))
    assert fingerprint(graph(*units)) not in (BASE, plain)


def test_types_status_and_deliverables_count() -> None:
    texts = unit("volumes", "item text; pieces quantity(kg, 1)")
    external = PRICES.model_copy(update={"status": "external"})
    made = [fingerprint(graph(PRICES, texts, COST)), fingerprint(graph(external, VOLUMES, COST))]
    out = graph(PRICES, VOLUMES, COST)
    letter = out.model_copy(update={"deliverables": (out.deliverables[0].model_copy(update={"path": "out.docx"}),)})
    made.append(fingerprint(letter))
    assert len({BASE, *made}) == 4


def test_a_graph_that_derives_nothing_says_nothing() -> None:
    assert fingerprint(graph(PRICES, states="prices")) is None


def test_seeds_of_a_family_are_one_work_and_families_are_not() -> None:
    found = {
        name: {fingerprint(families.build(name, "easy", seed).hidden.graph) for seed in (3, 4)}
        for name in ("supplier-selection", "overtime-payroll")
    }
    assert [len(those) for those in found.values()] == [1, 1]
    assert len(set.union(*found.values())) == 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("select a, b from t where x = 1 and y > 2", "select q, p from u where 3 < v and 7 = w"),
        ("select sum(a + b + c) as s from t", "select sum(c + (b + a)) from t"),
        ("select a from t order by a", "select b from u order by b"),
        ("with r as (select a from t) select a from r", "with z as (select k from u) select k from z"),
    ],
)
def test_queries_of_one_shape(one: str, other: str) -> None:
    assert shape("q", one) == shape("q", other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("select a - b from t", "select a + b from t"),
        ("select sum(a) from t", "select max(a) from t"),
        ("select a from t where a < 1", "select a from t where a <= 1"),
        ("select a from t", "select distinct a from t"),
        ("select a from t order by a", "select a from t order by a desc"),
        ("select round(a, 2) from t", "select a from t"),
        ("select case when a then b else c end from t", "select case when a then b when d then b else c end from t"),
    ],
)
def test_queries_of_two_shapes(one: str, other: str) -> None:
    assert shape("q", one) != shape("q", other)


def test_what_is_no_query_is_refused() -> None:
    with pytest.raises(QueryError):
        shape("q", "drop table t")
