"""Many worlds at once come out as each does alone."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from workgym.authoring import families
from workgym.errors import EvaluationError
from workgym.graph import Evaluator, Relation, SupportGraph, Values, evaluate, evaluating, provided, whatif
from workgym.graph.whatif import imagine
from workgym.records import Value

from .conftest import rows, unit


@pytest.fixture(params=[0, 1000], ids=["from the base", "as they are"], autouse=True)
def few(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows by world are worked out from those of the base, or handed over as they are: it makes no difference."""
    monkeypatch.setattr(whatif, "_FEW", request.param)


FAMILIES = ("supplier-selection", "bank-reconciliation", "overtime-payroll")
Outcome = tuple[dict[str, tuple[tuple[Value, ...], ...]], str | None]


def variants(given: dict[str, Relation], number: int, seed: int = 0) -> Iterator[Values]:
    """Worlds of every kind: rows lost, cells emptied, numbers and choices changed, several at once, nothing."""
    rng = random.Random(seed)
    yield given
    for _ in range(number):
        world = dict(given)
        for name in rng.sample(sorted(given), rng.choice((1, 1, 1, 2))):
            relation = given[name]
            if not relation.rows:
                continue
            key = rng.choice(sorted(relation.by_key))
            column = rng.choice(relation.unit.columns)
            value = relation.value(key, column.name)
            if column.name in relation.unit.key or rng.random() < 0.3:
                world[name] = relation.without(key)
            elif rng.random() < 0.2:
                world[name] = relation.with_value(key, column.name, None)
            elif column.type.options:
                world[name] = relation.with_value(key, column.name, rng.choice(column.type.options))
            elif column.type.numeric:
                raised = (
                    column.type.load(str(float(str(value)) * rng.choice((0.5, 2, 10)) + 1) if value else 1)
                    if column.type.kind != "integer"
                    else int(str(value)) + rng.choice((-1, 1, 20))
                )
                world[name] = relation.with_value(key, column.name, raised)
        yield world


def alone(evaluator: Evaluator, world: Values) -> Outcome:
    try:
        found = evaluator.evaluate(world)
    except EvaluationError as error:
        return {}, str(error)
    return {name: found[name].rows for name in evaluator.program.order}, None


def together(evaluator: Evaluator, base: Values, worlds: list[Values]) -> list[Outcome]:
    found: list[dict[str, tuple[tuple[Value, ...], ...]]] = [{} for _ in worlds]

    def keep(world: int, new: Relation) -> bool:
        found[world][new.unit.name] = new.rows
        return False

    errors = imagine(evaluator, base, worlds, keep)
    return [({}, str(errors[world])) if world in errors else (rows, None) for world, rows in enumerate(found)]


@pytest.mark.parametrize("family", FAMILIES)
def test_worlds_together_come_out_as_alone(family: str) -> None:
    package = families.build(family, seed=5)
    graph, given = package.hidden.graph, provided(package.hidden.graph, package.hidden.values)
    worlds = list(variants(given, 60))
    with evaluating(graph) as evaluator:
        expected = [alone(evaluator, world) for world in worlds]
        assert together(evaluator, given, worlds) == expected
    assert len({error for _, error in expected}) > 10, "the worlds must differ in what is wrong with them"
    assert sum(error is None for _, error in expected) > 5


@pytest.mark.parametrize("family", FAMILIES)
def test_a_few_worlds_of_which_one_alone_differs_come_out_as_alone(family: str) -> None:
    package = families.build(family, seed=6)
    graph, given = package.hidden.graph, provided(package.hidden.graph, package.hidden.values)
    worlds = list(variants(given, 14, seed=1))
    with evaluating(graph) as evaluator:
        expected = [alone(evaluator, world) for world in worlds]
        for at in range(0, len(worlds), 2):
            assert together(evaluator, given, worlds[at : at + 2]) == expected[at : at + 2]
    assert any(error is None for _, error in expected[1:]) and any(error for _, error in expected)


def test_a_world_that_cannot_be_computed_does_not_spoil_the_others(graph: SupportGraph) -> None:
    given = rows(graph)
    quote = given["quote"]
    huge = quote.with_value(("Alder",), "price", quote.unit.column("price").type.load("9999999999999999.99"))
    worlds: list[Values] = [given, {**given, "quote": huge}, {**given, "quote": quote.without(("Birch",))}]
    with evaluating(graph) as evaluator:
        expected = [alone(evaluator, world) for world in worlds]
        assert expected[1][1] is not None
        assert together(evaluator, given, worlds) == expected


def test_what_does_not_fit_its_column_is_told_of_its_own_unit(graph: SupportGraph) -> None:
    given = rows(graph)
    words = replace(given["volume"], rows=(("many",),))
    with evaluating(graph) as evaluator:
        world = {**given, "volume": words}
        for _, error in (alone(evaluator, world), *together(evaluator, given, [world])):
            assert error is not None and error.startswith("volume: ") and "many" in error


def test_rows_twice_are_rows_twice() -> None:
    from workgym.graph import compile_graph

    booking = unit("booking", columns={"line": "integer", "amount": "integer"}, key=("line",))
    total = unit(
        "total",
        "derived",
        columns={"total": "integer"},
        query="select cast(sum(amount) as bigint) as total from booking",
    )
    graph = compile_graph(SupportGraph(units=(booking, total), carriers=()))
    base = {"booking": Relation(graph.unit("booking"), ((1, 5), (2, 5), (3, 7)))}
    worlds: list[Values] = [
        {"booking": Relation(graph.unit("booking"), ((1, 5), (2, 5)))},
        {"booking": Relation(graph.unit("booking"), ((1, 5), (2, 5), (3, 7), (4, 5)))},
    ]
    with evaluating(graph) as evaluator:
        assert together(evaluator, base, worlds) == [({"total": ((10,),)}, None), ({"total": ((22,),)}, None)]


def test_nearby_numbers_keep_another_place_and_are_not_rounded(graph: SupportGraph) -> None:
    given = rows(graph)
    quote = given["quote"]
    price = quote.value(("Alder",), "price")
    assert price is not None
    nudged = quote.with_value(("Alder",), "price", price + quote.unit.column("price").type.step / 2)  # type: ignore[operator]
    seen: dict[str, Relation] = {}

    def keep(_: int, new: Relation) -> bool:
        seen[new.unit.name] = new
        return False

    with evaluating(graph) as evaluator:
        assert imagine(evaluator, given, [{**given, "quote": nudged}], keep, nearby=True) == {}
    assert seen["landed"].value(("Alder",), "cost") == price + quote.unit.column("price").type.step / 2  # type: ignore[operator]
    assert evaluate(graph, given)["landed"].value(("Alder",), "cost") == price
