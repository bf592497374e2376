"""A small task made by hand, and deliverables for it made with the libraries that agents use."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import openpyxl
import pytest
from docx import Document as Word

from workgym.graph import (
    Carrier,
    Column,
    Deliverable,
    InfoUnit,
    Relation,
    RubricItem,
    Stated,
    SupportGraph,
    compile_graph,
    evaluate,
)
from workgym.package import DeliverableCard, Hidden, TaskCard, TaskPackage
from workgym.plan import ArtifactSpec, ConstructionPlan
from workgym.records.values import ColumnType

SUPPLIERS = ("Alder Mills Ltd", "Birchfield Box GmbH", "Calder & Sons Inc")
YEARS = (2026, 2027, 2028)


def columns(**types: str) -> tuple[Column, ...]:
    return tuple(Column(name=name, type=ColumnType.parse(written)) for name, written in types.items())


def unit(name: str, status: str, written: dict[str, str], **more: Any) -> InfoUnit:
    return InfoUnit.model_validate(
        {"name": name, "content": name, "entity": "x", "scope": "x", "status": status, "columns": columns(**written)}
        | more
    )


UNITS = (
    unit(
        "quote",
        "provided",
        {"supplier": "text", "price": "money(USD, 4)", "due": "date", "terms": "choice(DAP, FCA)"},
        key=("supplier",),
    ),
    unit("term", "provided", {"year": "integer", "units": "quantity(pcs)"}, key=("year",)),
    unit("budget", "provided", {"amount": "money(USD, 2)"}),
    unit(
        "yearly",
        "derived",
        {"supplier": "text", "year": "integer", "cost": "money(USD, 2)"},
        key=("supplier", "year"),
        query="select supplier, year, cast(round(price * units, 2) as decimal(18,2)) as cost from quote, term",
    ),
    unit(
        "total",
        "derived",
        {"supplier": "text", "total": "money(USD, 2)"},
        key=("supplier",),
        query="select supplier, cast(sum(cost) as decimal(18,2)) as total from yearly group by supplier",
    ),
    unit(
        "delivery",
        "derived",
        {"supplier": "text", "due": "date", "terms": "choice(DAP, FCA)"},
        key=("supplier",),
        query="select supplier, due, terms from quote",
    ),
    unit(
        "over",
        "derived",
        {"supplier": "text", "year": "integer"},
        key=("supplier", "year"),
        query="select supplier, year from yearly, budget where cost > amount",
    ),
    unit("best", "derived", {"supplier": "text"}, query="select supplier from total order by total, supplier limit 1"),
    unit(
        "spread",
        "derived",
        {"share": "percent(1)", "gap": "money(USD, 2)"},
        query="select cast(round((max(total) - min(total)) / max(total), 3) as decimal(18,3)) as share, "
        "cast(max(total) - min(total) as decimal(18,2)) as gap from total",
    ),
)

PROVIDED = {
    "quote": [
        {"supplier": SUPPLIERS[0], "price": "1.0537", "due": "2026-03-02", "terms": "DAP"},
        {"supplier": SUPPLIERS[1], "price": "0.9944", "due": "2026-11-04", "terms": "FCA"},
        {"supplier": SUPPLIERS[2], "price": "1.1211", "due": "2026-05-17", "terms": "FCA"},
    ],
    "term": [{"year": 2026, "units": 91001}, {"year": 2027, "units": 95503}, {"year": 2028, "units": 99817}],
    "budget": [{"amount": "100000.00"}],
}

BOOK = Deliverable(
    path="book.xlsx",
    states=(
        Stated(
            unit="yearly",
            form="table",
            sheet="Yearly",
            weight=2,
            labels={"supplier": "Supplier", "year": "Year", "cost": "Landed cost (USD)"},
        ),
        Stated(
            unit="total", form="table", sheet="Totals", labels={"supplier": "Supplier", "total": "Total cost (USD)"}
        ),
        Stated(
            unit="delivery",
            form="table",
            sheet="Delivery",
            labels={"supplier": "Supplier", "due": "Due", "terms": "Terms"},
        ),
        Stated(unit="over", form="table", sheet="Over budget", labels={"supplier": "Supplier", "year": "Year"}),
        Stated(unit="spread", form="table", sheet="Spread", labels={"share": "Spread", "gap": "Gap (USD)"}),
    ),
)
MEMO = Deliverable(
    path="memo.docx",
    states=(
        Stated(unit="best", form="prose", labels={"supplier": "Recommended supplier"}),
        Stated(unit="total", form="prose", labels={"total": "Total cost"}, places={"total": 0}, weight=2),
    ),
    rubric=(RubricItem(item="Is polite.", rests_on=("best",)),),
)

Sheets = dict[str, list[list[Any]]]


def make_package(
    deliverables: Iterable[Deliverable], units: tuple[InfoUnit, ...] = UNITS, rows: Mapping[str, Any] = PROVIDED
) -> TaskPackage:
    handed_in = tuple(deliverables)
    graph = compile_graph(
        SupportGraph(units=units, carriers=(Carrier(path="quotes.csv", kind="reference"),), deliverables=handed_in)
    )
    given = {name: Relation.load(graph.unit(name), table) for name, table in rows.items()}
    values = evaluate(graph, given)
    files = {"quotes.csv": b"supplier,price\n", "docs/terms.xlsx": workbook({"Terms": [["a", 1]]})}
    card = TaskCard(
        id="test/by-hand",
        title="By hand",
        occupation="13-1023",
        role="tester",
        deliverables=tuple(DeliverableCard(path=one.path, format=one.path.rpartition(".")[2]) for one in handed_in),
        canary="canary",
    )
    plan = ConstructionPlan(request=ArtifactSpec(path="request.md", template="Do it."), artifacts=())
    return TaskPackage(card, "Do it.", files, Hidden(graph, plan, values, ()))


def workbook(sheets: Sheets, change: Callable[[openpyxl.Workbook], None] | None = None) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append([float(cell) if isinstance(cell, Decimal) else cell for cell in row])
    if change is not None:
        change(book)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def document(*blocks: str | list[list[str]]) -> bytes:
    """A Word document: text is a paragraph (``# text`` a heading), a list of rows a table."""
    word = Word()
    for block in blocks:
        if isinstance(block, str):
            if block.startswith("# "):
                word.add_heading(block[2:], 1)
            else:
                word.add_paragraph(block)
            continue
        table = word.add_table(rows=0, cols=len(block[0]))
        for row in block:
            for cell, text in zip(table.add_row().cells, row, strict=True):
                cell.text = text
    out = io.BytesIO()
    word.save(out)
    return out.getvalue()


@dataclass
class Work:
    """The task, and right deliverables for it to start from."""

    package: TaskPackage
    given: dict[str, bytes] = field(default_factory=dict)

    def rows(self, unit: str) -> list[tuple[Any, ...]]:
        return sorted(self.package.truth(unit).rows, key=str)

    def sheets(self) -> Sheets:
        return {
            "Yearly": [["Supplier", "Year", "Landed cost (USD)"], *map(list, self.rows("yearly"))],
            "Totals": [["Supplier", "Total cost (USD)"], *map(list, self.rows("total"))],
            "Delivery": [["Supplier", "Due", "Terms"], *map(list, self.rows("delivery"))],
            "Over budget": [["Supplier", "Year"], *map(list, self.rows("over"))],
            "Spread": [["Spread", self.rows("spread")[0][0]], ["Gap (USD)", self.rows("spread")[0][1]]],
        }

    def memo(self) -> list[str | list[list[str]]]:
        best = self.rows("best")[0][0]
        told = [f"The total cost of {name} is USD {total:,.0f}." for name, total in self.rows("total")]
        return ["# Recommendation", f"We recommend {best}.", *told]

    def files(self, **changed: bytes | None) -> dict[str, bytes]:
        """The final workspace; ``book`` and ``memo`` replace what is handed in, None leaves it out."""
        handed_in = {"book": workbook(self.sheets()), "memo": document(*self.memo())} | changed
        names = {"book": "book.xlsx", "memo": "memo.docx"}
        return dict(self.package.files) | {
            names[key]: content for key, content in handed_in.items() if content is not None
        }


@pytest.fixture(scope="session")
def work() -> Work:
    return Work(make_package([BOOK, MEMO]))


@pytest.fixture(scope="session")
def make() -> Callable[..., TaskPackage]:
    return make_package


@pytest.fixture(scope="session")
def word() -> Callable[..., bytes]:
    return document


@pytest.fixture(scope="session")
def book() -> Callable[..., bytes]:
    return workbook
