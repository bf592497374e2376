"""A query by other conventions, one operator at a time."""

from __future__ import annotations

import pytest

from workgym.graph import SupportGraph, compile_graph, evaluating, provided
from workgym.graph.relation import Relation
from workgym.graph.turning import Turning
from workgym.graph.variants import Variant, variants

from .conftest import unit

GIVEN = (
    unit("stay", columns={"guest": "text", "came": "date", "left_on": "date", "seats": "integer"}, key=("guest",)),
    unit("price", columns={"night": "money(EUR, 2)", "share": "percent(1)", "seats": "integer", "until": "date"}),
    unit("way", columns={"way": "choice(each, all)"}, rule=True),
)


def made(sql: str, columns: dict[str, str], **options: object) -> tuple[SupportGraph, tuple[Variant, ...]]:
    graph = SupportGraph(units=(*GIVEN, unit("bill", "derived", columns=columns, query=sql, **options)), carriers=())
    graph = compile_graph(graph)
    return graph, variants(graph, "bill")


def said(sql: str, columns: dict[str, str], **options: object) -> list[tuple[str, str]]:
    return [(one.kind, one.says) for one in made(sql, columns, **options)[1]]


@pytest.mark.parametrize(
    ("condition", "changed"),
    [
        ("stay.seats > price.seats", "stay.seats >= price.seats"),
        ("stay.seats <= price.seats", "stay.seats < price.seats"),
        ("came < until", "came <= until"),
        ("stay.seats > 0", None),  # no limit that anybody states
        ("guest > (select min(guest) from stay)", None),  # a text has no neighbour
        ("stay.seats > (select max(seats) from stay)", None),  # a column with itself
        ("(select count(*) from stay) > (select count(*) from price)", None),
        ("came = until", None),
    ],
)
def test_a_limit_is_turned_around(condition: str, changed: str | None) -> None:
    found = said(f"select guest from stay, price where {condition}", {"guest": "text"}, key=("guest",))
    assert found == ([] if changed is None else [("limit", changed)])


def test_places_in_an_order_bound_nothing() -> None:
    numbered = "select guest, row_number() over (order by guest) as place from stay"
    found = said(f"select guest from ({numbered}), price where place <= seats", {"guest": "text"}, key=("guest",))
    assert found == []


def test_a_range_has_two_ends() -> None:
    ends = "select guest from stay, price where until between came and left_on"
    _, found = made(ends, {"guest": "text"}, key=("guest",))
    assert [one.query.partition("WHERE ")[2] for one in found] == [
        "(until > came AND until <= left_on)",
        "(until >= came AND until < left_on)",
    ]


@pytest.mark.parametrize(
    ("nights", "changed"),
    [
        ("left_on - came", "(left_on - came + 1)"),
        ("date_diff('day', came, left_on)", "(DATE_DIFF('DAY', came, left_on) + 1)"),
        ("(left_on - came) + 1", "(((left_on - came) - 1)) + 1"),
        ("date_diff('month', came, left_on)", None),
        ("seats - seats", None),
    ],
)
def test_days_are_counted_otherwise(nights: str, changed: str | None) -> None:
    columns = {"guest": "text", "nights": "integer"}
    _, found = made(f"select guest, cast({nights} as bigint) as nights from stay", columns, key=("guest",))
    assert [one.kind for one in found] == ([] if changed is None else ["days"])
    if changed is not None and "+ 1" not in nights:
        assert changed in found[0].query


def test_days_up_to_a_limit_are_no_number_of_days() -> None:
    """Thirty days after is one day by any count: only whether that day still belongs is open."""
    found = said("select guest from stay, price where left_on - came > price.seats", {"guest": "text"}, key=("guest",))
    assert [kind for kind, _ in found] == ["limit"]


@pytest.mark.parametrize(
    ("day", "changed"),
    [
        ("came + stay.seats", "((came + stay.seats) - 1)"),
        ("until - cast(stay.seats as integer)", "((until - CAST(stay.seats AS INT)) + 1)"),
        ("came + stay.seats - 1", "((came + stay.seats) + 1) - 1"),
        ("least(came + stay.seats, until)", "LEAST(((came + stay.seats) - 1), until)"),
        ("came + 1", None),
        ("came + (stay.seats - price.seats)", None),  # no number that somebody states
        ("came + cast(until - came as integer)", None),  # its day is counted by the operator within
    ],
)
def test_the_first_of_a_number_of_days_is_counted_or_not(day: str, changed: str | None) -> None:
    columns = {"guest": "text", "day": "date"}
    _, found = made(f"select guest, cast({day} as date) as day from stay, price", columns, key=("guest",))
    terms = [one for one in found if one.kind == "term"]
    assert len(terms) == (changed is not None)
    assert changed is None or changed in terms[0].query


def test_rounding_comes_later_or_earlier() -> None:
    sql = "select cast(round(sum(night * share), 2) as decimal(18,2)) as due from stay, price"
    _, (later, earlier) = made(sql, {"due": "money(EUR, 2)"})
    assert later.mixed and not earlier.mixed and {later.kind, earlier.kind} == {"rounding"}
    assert later.query == "SELECT CAST(SUM(night * share) AS DOUBLE) AS due FROM stay, price"
    assert "SUM(CAST(ROUND(night * share, 2) AS DECIMAL(18, 2)))" in earlier.query
    assert said(sql, {"due": "money(EUR, 2)"}, rounding="way") == []


def test_what_a_rule_chooses_is_said() -> None:
    sql = (
        "select guest, cast(case way when 'each' then round(night * share, 2) * seats_taken "
        "else round(night * share * seats_taken, 2) end as decimal(18,2)) as due "
        "from (select guest, stay.seats as seats_taken from stay), price, way"
    )
    found = said(sql, {"guest": "text", "due": "money(EUR, 2)"}, key=("guest",))
    assert len(found) == 1 and "CASE way" in found[0][1]  # the cast around it all


def test_what_comes_out_further_on() -> None:
    many = unit("many", "derived", columns={"guests": "integer"}, query="select count(*) as guests from bill")
    bill = "select guest from stay, price where stay.seats >= price.seats"
    units = (*GIVEN, unit("bill", "derived", columns={"guest": "text"}, key=("guest",), query=bill), many)
    graph = compile_graph(SupportGraph(units=units, carriers=()))
    day = "2026-05-0"
    stay = [
        {"guest": name, "came": f"{day}1", "left_on": f"{day}3", "seats": seats}
        for name, seats in (("Ada", 2), ("Ben", 3), ("Cem", 4))
    ]
    rows: dict[str, list[dict[str, object]]] = {
        "stay": list(stay),
        "price": [{"night": "80.00", "share": "0.125", "seats": 3, "until": f"{day}2"}],
        "way": [{"way": "each"}],
    }
    values = {name: Relation.load(graph.unit(name), given) for name, given in rows.items()}
    with evaluating(graph) as evaluator:
        before = evaluator.evaluate(provided(graph, values))
        evaluator.sync()
        turning = Turning(evaluator, {"many", "bill"})
        assert turning.units == ("bill", "many")
        (variant,) = variants(graph, "bill")
        new = turning.rows(variant)
        assert new["many"].rows == ((1,),) and [row[0] for row in new["bill"].rows] == ["Cem"]
        assert evaluator.evaluate(provided(graph, values)) == before  # nothing was left behind
        assert Turning(evaluator, {"many"}).rows(variant).keys() == {"many"}
