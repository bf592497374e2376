"""Values are computed, and absence hurts."""

from __future__ import annotations

from decimal import Decimal

import pytest

from workgym.errors import EvaluationError, QueryError
from workgym.graph import Control, Relation, SupportGraph, evaluate, evaluating

from .conftest import ROWS, UNITS, build, rows, unit


def test_values_follow_the_rows(graph: SupportGraph) -> None:
    values = evaluate(graph, rows(graph))
    assert values["total"].value(("Cedar",), "total") == Decimal("1440.00")
    assert values["best"].rows == (("Birch",),)


def test_a_change_recomputes_only_what_depends_on_it(graph: SupportGraph) -> None:
    given = rows(graph)
    with evaluating(graph) as evaluator:
        first = evaluator.evaluate(given)
        cheaper = evaluator.evaluate({**given, "volume": Relation.load(graph.unit("volume"), [{"units": "10"}])})
        assert cheaper["landed"] is first["landed"]
        assert cheaper["total"].value(("Alder",), "total") == Decimal("11.00")
        assert evaluator.evaluate(given)["total"].by_key == first["total"].by_key


def test_a_missing_row_is_an_error_and_the_evaluator_recovers(graph: SupportGraph) -> None:
    given = rows(graph)
    with evaluating(graph) as evaluator:
        before = evaluator.evaluate(given)
        with pytest.raises(EvaluationError, match="Cedar: this row is missing") as caught:
            evaluator.evaluate({**given, "freight": given["freight"].without(("Cedar",))})
        assert (caught.value.unit, caught.value.key) == ("freight", ("Cedar",))
        with pytest.raises(EvaluationError, match="Cedar"):
            evaluator.evaluate({**given, "freight": given["freight"].without(("Cedar",))})
        assert evaluator.evaluate(given)["best"].rows == before["best"].rows


def test_a_missing_cell_is_an_error(graph: SupportGraph) -> None:
    given = rows(graph)
    with pytest.raises(EvaluationError, match="per_unit is absent"):
        evaluate(graph, {**given, "freight": given["freight"].with_value(("Cedar",), "per_unit", None)})


def test_a_row_without_counterpart_is_an_error(graph: SupportGraph) -> None:
    extra = [*ROWS["freight"], {"supplier": "Alder", "per_unit": "0.10"}]
    with pytest.raises(EvaluationError, match="no counterpart"):
        evaluate(graph, rows(graph, freight=extra))


def test_queries_of_a_graph_that_nobody_compiled_are_closed_too(graph: SupportGraph) -> None:
    best = graph.unit("best").model_copy(update={"query": "select 'x' as supplier; create macro abs(x) as 7"})
    foreign = graph.model_copy(update={"units": (*(u for u in graph.units if u.name != "best"), best)})
    with pytest.raises(QueryError, match="one SELECT"), evaluating(foreign):
        pass


def test_rows_come_in_the_order_of_their_keys_whatever_was_loaded_before(graph: SupportGraph) -> None:
    given = rows(graph)
    with evaluating(graph) as evaluator:
        fresh = evaluator.evaluate(given)
        changed = given["quote"].with_value(("Alder",), "price", Decimal("2.00"))
        evaluator.evaluate({**given, "quote": changed})
        again = evaluator.evaluate(given)
    assert {name: relation.rows for name, relation in again.items()} == {n: r.rows for n, r in fresh.items()}
    assert [row[0] for row in fresh["total"].rows] == ["Alder", "Birch", "Cedar"]


def test_a_number_that_no_table_holds_is_an_error_of_its_unit(graph: SupportGraph) -> None:
    with pytest.raises(EvaluationError, match="quote"):
        evaluate(graph, rows(graph, quote=[{**ROWS["quote"][0], "price": "1e20"}, *ROWS["quote"][1:]]))


def test_columns_are_plain_names() -> None:
    with pytest.raises(ValueError, match="lower case"):
        unit("x", columns={'a" integer); drop table quote; --': "integer"})


def test_scalars_have_one_row(graph: SupportGraph) -> None:
    with pytest.raises(EvaluationError, match="scalar"):
        evaluate(graph, rows(graph, volume=[]))


def test_keys_are_unique(graph: SupportGraph) -> None:
    with pytest.raises(EvaluationError, match="twice"):
        evaluate(graph, rows(graph, quote=[*ROWS["quote"], ROWS["quote"][0]]))


def test_types_are_as_declared() -> None:
    bad = unit("x", "derived", columns={"n": "integer"}, query="select sum(units) as n from volume")
    graph = build((*UNITS, bad))
    with pytest.raises(EvaluationError, match=r"declared is integer .*cast"):
        evaluate(graph, rows(graph))


def test_empty_results_are_errors() -> None:
    bad = unit(
        "x",
        "derived",
        columns={"n": "money(USD, 2)"},
        query="select cast(sum(price) as decimal(18,2)) as n from quote where terms <> terms",
    )
    graph = build((*UNITS, bad))
    with pytest.raises(EvaluationError, match="comes out empty"):
        evaluate(graph, rows(graph))


def test_controls_stop_the_evaluation() -> None:
    control = Control(
        name="three quotes",
        query="select count(*) = units from quote, volume group by units",
        says="not as many quotes as announced",
    )
    guarded = unit(
        "x", "derived", columns={"n": "integer"}, query="select count(*) as n from quote", controls=(control,)
    )
    graph = build((*UNITS, guarded))
    with pytest.raises(EvaluationError, match="as announced"):
        evaluate(graph, rows(graph))
    assert evaluate(graph, rows(graph, volume=[{"units": "3"}]))["x"].rows == ((3,),)


def test_exact_differs_by_rounding_only(graph: SupportGraph) -> None:
    given = rows(graph, rounding=[{"rounding": "each unit"}])
    rounded, exact = evaluate(graph, given), evaluate(graph, given, exact=True)
    assert rounded["total"].value(("Birch",), "total") == Decimal("1320.00")
    assert abs(Decimal(str(exact["total"].value(("Birch",), "total"))) - Decimal("1272")) < Decimal("0.001")
