"""Each check of a graph finds what it is for, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from workgym.errors import GraphError
from workgym.graph import Margin, Relation, SupportGraph, compile_graph, evaluate, evaluating
from workgym.graph.checks import check_graph
from workgym.graph.lineage import supports
from workgym.records import Finding

from .conftest import FREIGHT, LANDED, QUOTE, ROUNDING, TOTAL, UNITS, VOLUME, build, rows, unit


def findings(graph: SupportGraph, **changed: list[dict[str, object]]) -> list[Finding]:
    return list(check_graph(graph, evaluate(graph, rows(graph, **changed)))[1])


def names(found: list[Finding]) -> set[str]:
    return {finding.check for finding in found if finding.severity == "hard"}


def test_a_sound_graph_has_no_hard_finding(graph: SupportGraph) -> None:
    assert names(findings(graph)) == set()


def test_truth_is_computed_not_believed(graph: SupportGraph) -> None:
    values = evaluate(graph, rows(graph))
    lied = {**values, "best": Relation.load(graph.unit("best"), [{"supplier": "Alder"}])}
    assert names(list(check_graph(graph, lied)[1])) == {"truth"}


def test_absence_that_does_not_hurt_is_found() -> None:
    summed = unit("volume_by_plant", columns={"plant": "text", "units": "quantity(pcs)"}, key=("plant",))
    total = TOTAL.model_copy(
        update={
            "query": (TOTAL.query or "").replace(
                "landed, volume", "landed, (select sum(units) as units from volume_by_plant) v"
            )
        }
    )
    graph = build((QUOTE, FREIGHT, summed, ROUNDING, LANDED, total))
    given = {name: relation for name, relation in rows(build()).items() if name != "volume"}
    given["volume_by_plant"] = Relation.load(
        summed, [{"plant": "North", "units": "100"}, {"plant": "South", "units": "50"}]
    )
    found = [finding for finding in check_graph(graph, evaluate(graph, given))[1] if finding.check == "absence"]
    assert {finding.key for finding in found} == {("North",), ("South",)}


def test_what_is_not_read_must_be_declared() -> None:
    spare = unit("weather", columns={"sun": "integer"})
    graph = build((*UNITS, spare))
    given = {**rows(build()), "weather": Relation.load(spare, [{"sun": 3}])}
    assert "necessity" in names(list(check_graph(graph, evaluate(graph, given))[1]))
    declared = build((*UNITS, spare.model_copy(update={"role": "distractor"})))
    assert names(list(check_graph(declared, evaluate(declared, given))[1])) == set()


def test_a_distractor_that_is_read_is_found() -> None:
    graph = build((QUOTE, FREIGHT, VOLUME.model_copy(update={"role": "distractor"}), ROUNDING, LANDED, TOTAL))
    assert "acyclic" in names(findings(graph))


def test_a_judgement_may_rest_on_what_no_query_reads() -> None:
    remark = unit("remark", columns={"says": "text"}, role="distractor")
    advice = unit("advice", "derived", columns={}, premises=("best", "remark"))
    graph = build((*UNITS, remark, advice))
    given = {**rows(build()), "remark": Relation.load(remark, [{"says": "Cedar had a fire."}])}
    assert names(list(check_graph(graph, evaluate(graph, given))[1])) == set()


def test_a_cycle_is_found() -> None:
    one = unit("one", "derived", columns={"n": "integer"}, query="select n from two")
    two = unit("two", "derived", columns={"n": "integer"}, query="select n from one")
    graph = SupportGraph(units=(one, two), carriers=(), supports=supports((one, two)))
    with pytest.raises(GraphError, match="one -> two -> one"):
        compile_graph(graph)
    ran, found, _ = check_graph(graph, {})
    assert ran == ("acyclic",) and "depend on each other" in found[0].message


def test_a_result_on_a_knife_edge_is_found(graph: SupportGraph) -> None:
    close = [{"supplier": "Birch", "per_unit": "0.15"}, {"supplier": "Cedar", "per_unit": "0.30"}]
    told = [one.message for one in findings(graph, freight=close) if one.check == "robustness"]
    assert told and all("alone does it" in one or "do it together" in one for one in told)


def test_margin(graph: SupportGraph) -> None:
    demanding = graph.by_name["best"].model_copy(update={"margin": Margin(of="total.total", at_least=Decimal("0.10"))})
    strict = build((*UNITS[:-1], demanding))
    assert names(findings(strict)) == {"margin"}


def test_what_fails_early_is_computed_early(graph: SupportGraph) -> None:
    with evaluating(graph) as evaluator:
        assert evaluator.program.order == ("landed", "total", "best")
    assert replace(rows(graph)["volume"]).unit.name == "volume"


def test_an_empty_cell_that_nothing_reads_is_no_crash() -> None:
    quote = unit("quote", columns={"supplier": "text", "price": "money(USD, 2)", "fax": "integer"}, key=("supplier",))
    total = unit(
        "total",
        "derived",
        columns={"total": "money(USD, 2)"},
        query="select cast(sum(price) as decimal(18,2)) as total from quote",
    )
    graph = build((quote, total))
    given = {"quote": Relation.load(quote, [{"supplier": "Alder", "price": "1.00", "fax": None}])}
    _, found, _ = check_graph(graph, evaluate(graph, given))
    assert any("no query reads quote.fax" in finding.message for finding in found)


def test_a_key_lost_on_the_way_and_summed_over_is_no_absence_that_hurts() -> None:
    line = unit(
        "line", "derived", columns={"supplier": "text", "cost": "money(USD, 2)"}, key=("supplier",),
        query="select supplier, price as cost from quote",
    )  # fmt: skip
    total = unit(
        "total",
        "derived",
        columns={"total": "money(USD, 2)"},
        query="select cast(sum(cost) as decimal(18,2)) as total from line",
    )
    graph = build((QUOTE, line, total))
    given = {"quote": rows(build())["quote"]}
    found = [finding for finding in check_graph(graph, evaluate(graph, given))[1] if finding.check == "absence"]
    assert {finding.key for finding in found} == {("Alder",), ("Birch",), ("Cedar",)}
