"""Two small tasks to repair: one that was planned as information, one whose files were written at once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from workgym.graph import (
    Carrier,
    Deliverable,
    InfoUnit,
    Relation,
    Stated,
    SupportGraph,
    Values,
    compile_graph,
    evaluate,
)
from workgym.models import ScriptedModel
from workgym.package import DeliverableCard, Hidden, Origin, TaskCard, TaskPackage, canary
from workgym.package.assemble import assemble, bindings
from workgym.plan import ArtifactSpec, ConstructionPlan
from workgym.records import Column, ColumnType

REQUEST = """\
Hello,

please compare the bids for the crates and tell me which one we take. I need `comparison.xlsx`, with one row for each
supplier and the columns `Supplier` and `Landed cost (USD)`, to the cent, and the name under `Cheapest`.
We buy {{ volume.pieces | quantity }}. The prices are in `bids.xlsx`, the freight in `rates.csv`.

Thanks
"""
NOTE = """\
# Buying crates

Prices are asked for once a year. Offers are binding. Last year we spent {{ spent.amount | money }}.

{% for b in bid %}
- {{ b.supplier }} was asked.
{% endfor %}
"""


def _columns(**types: str) -> tuple[Column, ...]:
    return tuple(Column(name=name, type=ColumnType.parse(written)) for name, written in types.items())


def _unit(name: str, status: str, key: tuple[str, ...], query: str | None = None, **types: str) -> InfoUnit:
    return InfoUnit.model_validate(
        {
            "name": name, "content": f"what is known of {name}", "entity": "supplier", "scope": "this tender",
            "status": status, "columns": _columns(**types), "key": key, "query": query,
        }
    )  # fmt: skip


GRAPH = SupportGraph(
    units=(
        _unit("bid", "provided", ("supplier",), supplier="text", price="money(USD, 4)"),
        _unit("freight", "provided", ("supplier",), supplier="text", per_unit="money(USD, 4)"),
        _unit("volume", "provided", (), pieces="quantity(pcs, 0)"),
        _unit("spent", "provided", (), amount="money(USD, 2)").model_copy(update={"role": "distractor"}),
        _unit(
            "landed",
            "derived",
            ("supplier",),
            "select bid.supplier, cast((bid.price + freight.per_unit) * volume.pieces as decimal(18,2)) as cost "
            "from bid join freight using (supplier) cross join volume",
            supplier="text",
            cost="money(USD, 2)",
        ),
        _unit(
            "cheapest",
            "derived",
            (),
            "select min(supplier) as supplier from landed where cost = (select min(cost) from landed)",
            supplier="text",
        ),
    ),
    carriers=(
        Carrier(path="request.md", kind="request"),
        Carrier(path="bids.xlsx", kind="reference"),
        Carrier(path="rates.csv", kind="reference"),
        Carrier(path="policy/note.docx", kind="reference"),
        Carrier(path="old.zip", kind="reference", role="distractor"),
        Carrier(path="comparison.xlsx", kind="deliverable"),
    ),
    deliverables=(
        Deliverable(
            path="comparison.xlsx",
            states=(
                Stated(unit="landed", form="table", labels={"supplier": "Supplier", "cost": "Landed cost (USD)"}),
                Stated(unit="cheapest", form="table", labels={"supplier": "Cheapest"}),
            ),
        ),
    ),
)
ROWS = {
    "bid": [
        {"supplier": "Aldervale Crates", "price": "0.9130"},
        {"supplier": "Brightwater Boxes", "price": "0.7420"},
        {"supplier": "Copper Hill", "price": "0.8150"},
    ],
    "freight": [
        {"supplier": "Aldervale Crates", "per_unit": "0.0310"},
        {"supplier": "Brightwater Boxes", "per_unit": "0.1890"},
        {"supplier": "Copper Hill", "per_unit": "0.0470"},
    ],
    "volume": [{"pieces": "48317"}],
    "spent": [{"amount": "39120.50"}],
}
TABLE = {"rows": "bid", "columns": {"Supplier": "supplier", "Price": "price"}}
PLAN = ConstructionPlan(
    request=ArtifactSpec(path="request.md", template=REQUEST),
    artifacts=(
        ArtifactSpec(
            path="bids.xlsx", content={"sheets": [{"title": "Bids", "above": ["Bids for crates"], "tables": [TABLE]}]}
        ),
        ArtifactSpec(
            path="rates.csv",
            content={"table": {"rows": "freight", "columns": {"Shipper": "supplier", "Freight": "per_unit"}}},
        ),
        ArtifactSpec(path="policy/note.docx", template=NOTE),
        ArtifactSpec(
            path="old.zip",
            content={"files": [{"path": "readme.md", "template": "Old papers of the tender before.\n"}]},
            role="distractor",
        ),
    ),
    dependencies=(("bids.xlsx", "policy/note.docx"),),
)


def _card(identity: str, path: str) -> TaskCard:
    form = path.rpartition(".")[2]
    return TaskCard(
        id=identity,
        title="Compare bids for crates",
        occupation="13-1023",
        role="buyer",
        deliverables=(DeliverableCard(path=path, format=form),),
        canary=canary(identity),
    )


def planned() -> TaskPackage:
    """Three bids to compare, in a workbook, a csv, a docx and an archive."""
    graph = compile_graph(GRAPH)
    given = {name: Relation.load(graph.unit(name), rows) for name, rows in ROWS.items()}
    return _made("workfactory/crates", graph, evaluate(graph, given), PLAN, "comparison.xlsx")


def direct() -> TaskPackage:
    """A task whose files were written at once: there are no units."""
    graph = SupportGraph(
        units=(),
        carriers=(Carrier(path="request.md", kind="request"), Carrier(path="prices.md", kind="reference")),
        deliverables=(Deliverable(path="answer.md", states=()),),
    )
    prices = "# Prices\n\n{% decor %}Aldervale 0.913 and Brightwater 0.742, each.{% enddecor %}\n"
    plan = ConstructionPlan(
        request=ArtifactSpec(path="request.md", template="Which offer is cheaper? Write `answer.md`.\n"),
        artifacts=(ArtifactSpec(path="prices.md", template=prices, role="distractor"),),
    )
    return _made("workfactory/crates-direct", graph, {}, plan, "answer.md")


def _made(identity: str, graph: SupportGraph, values: Values, plan: ConstructionPlan, path: str) -> TaskPackage:
    made = assemble(graph, values, plan)
    graph = graph.model_copy(update={"bindings": bindings(graph, made.anchors)})
    hidden = Hidden(graph=graph, plan=plan, values=values, anchors=made.anchors, origin=Origin(author="model"))
    bare = TaskPackage(card=_card(identity, path), request=made.request, files={}, hidden=hidden)
    return bare.with_files(made.files, made.request)


def proposal(*edits: dict[str, Any], summary: str = "something was missing") -> str:
    """A reviser's reply."""
    return json.dumps({"reasons": "the cause and the cure", "summary": summary, "edits": list(edits)})


def verdict(preserved: bool = True, reasons: str = "it is the same work") -> str:
    """A reviewer's reply."""
    answers = dict.fromkeys(("same_work", "answers_left", "natural", "preserved"), preserved)
    return json.dumps({"reasons": reasons, **answers})


def agreeing() -> ScriptedModel:
    """A reviewer who finds every task preserved."""
    return ScriptedModel(lambda _: verdict(), "agreeing")


def saying(replies: Sequence[str], name: str = "reviser") -> ScriptedModel:
    """A model that says these, in order."""
    return ScriptedModel(list(replies), name)


def words(path: str, old: str, new: str) -> dict[str, Any]:
    """A change of words."""
    return {"kind": "reword", "path": path, "old": old, "new": new}
