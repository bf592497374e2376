"""A small purchasing graph: quotes on two terms, freight for one of them, a policy that picks a convention."""

from __future__ import annotations

import pytest

from workgym.graph import Deliverable, InfoUnit, Relation, Stated, SupportGraph, compile_graph
from workgym.records import Column, ColumnType


def unit(name: str, status: str = "provided", **options: object) -> InfoUnit:
    """A unit with its columns in the written form."""
    columns = options.pop("columns", {})
    assert isinstance(columns, dict)
    typed = tuple(Column(name=key, type=ColumnType.parse(value)) for key, value in columns.items())
    plain = {"content": name, "entity": "supplier", "scope": "this tender", "columns": typed, **options}
    return InfoUnit.model_validate({"name": name, "status": status, **plain})


QUOTE = unit(
    "quote", columns={"supplier": "text", "price": "money(USD, 2)", "terms": "choice(DAP, FCA)"}, key=("supplier",)
)
FREIGHT = unit(
    "freight",
    columns={"supplier": "text", "per_unit": "money(USD, 2)"},
    key=("supplier",),
    domain="select supplier from quote where terms = 'FCA'",
)
VOLUME = unit("volume", columns={"units": "quantity(pcs)"})
ROUNDING = unit("rounding", columns={"rounding": "choice(each unit, the total)"}, rule=True)
LANDED = unit(
    "landed",
    "derived",
    columns={"supplier": "text", "cost": "money(USD, 2)"},
    key=("supplier",),
    query=(
        "select supplier, price as cost from quote where terms = 'DAP' union all "
        "select supplier, cast(price + per_unit as decimal(18,2)) from quote join freight using (supplier) "
        "where terms = 'FCA'"
    ),
    domain="select supplier from quote",
)
TOTAL = unit(
    "total",
    "derived",
    columns={"supplier": "text", "total": "money(USD, 2)"},
    key=("supplier",),
    query=(
        "select supplier, cast(round(case rounding when 'each unit' then round(cost, 1) else cost end * units, 2)"
        " as decimal(18,2)) as total from landed, volume, rounding"
    ),
)
BEST = unit(
    "best", "derived", columns={"supplier": "text"}, query="select supplier from total order by total, supplier limit 1"
)
UNITS = (QUOTE, FREIGHT, VOLUME, ROUNDING, LANDED, TOTAL, BEST)
ROWS: dict[str, list[dict[str, object]]] = {
    "quote": [
        {"supplier": "Alder", "price": "1.10", "terms": "DAP"},
        {"supplier": "Birch", "price": "0.95", "terms": "FCA"},
        {"supplier": "Cedar", "price": "0.90", "terms": "FCA"},
    ],
    "freight": [{"supplier": "Birch", "per_unit": "0.11"}, {"supplier": "Cedar", "per_unit": "0.30"}],
    "volume": [{"units": "1200"}],
    "rounding": [{"rounding": "the total"}],
}


def build(units: tuple[InfoUnit, ...] = UNITS) -> SupportGraph:
    """The graph over ``units``, compiled, with the total and the best supplier stated."""
    stated = tuple(
        Stated(unit=name, form="table") for name in ("total", "best") if name in {item.name for item in units}
    )
    deliverables = (Deliverable(path="out.xlsx", states=stated),) if stated else ()
    return compile_graph(SupportGraph(units=units, carriers=(), deliverables=deliverables))


def rows(graph: SupportGraph, **changed: list[dict[str, object]]) -> dict[str, Relation]:
    """The provided rows."""
    given = {**ROWS, **changed}
    return {item.name: Relation.load(item, given[item.name]) for item in graph.relations("provided")}


@pytest.fixture
def graph() -> SupportGraph:
    return build()
