"""A small task made by hand with right deliverables, whose sheets have free names; and tasks of the families."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import cache
from typing import Any

import openpyxl
import pytest

from workgym.authoring import families
from workgym.graph import (
    Carrier,
    Column,
    Conflict,
    Deliverable,
    InfoUnit,
    Relation,
    Stated,
    SupportGraph,
    Trap,
    compile_graph,
    evaluate,
)
from workgym.package import DeliverableCard, Hidden, TaskCard, TaskPackage
from workgym.plan import ArtifactSpec, ConstructionPlan
from workgym.quality import Sound, sound
from workgym.records.values import ColumnType
from workgym.verify import grade


def unit(name: str, status: str, written: dict[str, str], **more: Any) -> InfoUnit:
    columns = tuple(Column(name=column, type=ColumnType.parse(kind)) for column, kind in written.items())
    facts = {"name": name, "content": name.replace("_", " "), "entity": "x", "scope": "x", "status": status}
    return InfoUnit.model_validate(facts | {"columns": columns} | more)


PRICE = {"shop": "text", "price": "money(EUR, 2)"}
UNITS = (
    unit("price", "provided", PRICE, key=("shop",)),
    unit("price_old", "provided", PRICE, key=("shop",), role="distractor", superseded_by="price"),
    unit("freight", "provided", {"shop": "text", "cost": "money(EUR, 2)"}, key=("shop",)),
    unit("pieces", "provided", {"number": "integer"}),
    unit("vat_rule", "provided", {"vat": "choice(added, left out)"}, rule=True),
    unit("version_rule", "provided", {"rule": "choice(latest, any)"}, rule=True),
    unit(
        "total",
        "derived",
        {"shop": "text", "goods": "money(EUR, 2)", "total": "money(EUR, 2)"},
        key=("shop",),
        query="select shop, cast(price * number as decimal(18,2)) as goods, cast(round("
        "case vat when 'added' then 1.25 else 1 end * (price * number + cost), 2) as decimal(18,2)) as total "
        "from price join freight using (shop), pieces, vat_rule, version_rule where rule = 'latest'",
    ),
)
ROWS: dict[str, list[dict[str, Any]]] = {
    "price": [
        {"shop": "Anvil", "price": "12.35"},
        {"shop": "Beacon", "price": "11.80"},
        {"shop": "Cedar", "price": "13.05"},
    ],
    "price_old": [
        {"shop": "Anvil", "price": "12.10"},
        {"shop": "Beacon", "price": "12.60"},
        {"shop": "Cedar", "price": "13.50"},
    ],
    "freight": [
        {"shop": "Anvil", "cost": "0.00"},
        {"shop": "Beacon", "cost": "210.50"},
        {"shop": "Cedar", "cost": "99.90"},
    ],
    "pieces": [{"number": 417}],
    "vat_rule": [{"vat": "added"}],
    "version_rule": [{"rule": "latest"}],
}
LABELS = {"shop": "Shop", "goods": "Goods (EUR)", "total": "Total (EUR)"}


def by_hand() -> Sound:
    deliverables = (
        Deliverable(path="totals.xlsx", states=(Stated(unit="total", form="table", labels=LABELS),)),
        Deliverable(path="note.md", states=(Stated(unit="total", form="prose", labels={"total": "Total"}),)),
    )
    graph = compile_graph(
        SupportGraph(
            units=UNITS,
            carriers=(Carrier(path="prices.csv", kind="reference"),),
            deliverables=deliverables,
            conflicts=(Conflict(between=("price", "price_old"), rule="version_rule", resolved_by="prices.csv"),),
            traps=(
                Trap(
                    name="left VAT out",
                    given={"vat_rule": "select 'left out' as vat from vat_rule"},
                    must_change=("total",),
                ),
            ),
        )
    )
    values = evaluate(graph, {name: Relation.load(graph.unit(name), rows) for name, rows in ROWS.items()})
    card = TaskCard(
        id="test/quality",
        title="By hand",
        occupation="13-1023",
        role="tester",
        deliverables=tuple(DeliverableCard(path=one.path, format=one.path[-4:].strip(".")) for one in deliverables),
        canary="canary",
    )
    plan = ConstructionPlan(request=ArtifactSpec(path="request.md", template="Do it."), artifacts=())
    given = {"prices.csv": b"shop,price\nAnvil,12.35\n"}
    package = TaskPackage(card, "Do it.", given, Hidden(graph, plan, values, ()))
    rows = values["total"].rows
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.append([LABELS[column.name] for column in values["total"].unit.columns])
    for shop, goods, total in rows:
        sheet.append([shop, float(goods), float(total)])  # type: ignore[arg-type]
    made = io.BytesIO()
    book.save(made)
    said = "".join(f"The total of {shop} is EUR {total:,.2f}.\n\n" for shop, _, total in rows)
    files = {**given, "totals.xlsx": made.getvalue(), "note.md": f"# Totals\n\n{said}".encode()}
    return Sound(package, files, grade(package, files))


@pytest.fixture(scope="session")
def hand() -> Sound:
    return by_hand()


@cache
def _task(family: str) -> Sound:
    return sound(families.build(family, "easy", 7))


@pytest.fixture(scope="session")
def task() -> Callable[[str], Sound]:
    """The easy task of a family with what its expert hands in."""
    return _task
