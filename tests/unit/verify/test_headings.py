"""What is a heading of a table and what is said in it, where both read alike."""

from __future__ import annotations

import pytest

from workgym.documents import read
from workgym.graph import InfoUnit, Relation, Stated
from workgym.records import Column, ColumnType
from workgym.verify.stated import tables
from workgym.verify.stated.asked import asked
from workgym.verify.stated.sheets import sheets
from workgym.verify.truth import Truth

STATES = "choice(day off, spared, regular)"
ROWS = (
    ("Arno", 12, "day off"),
    ("Birte", 0, "regular"),
    ("Cem", 12, "day off"),
    ("Dana", 0, "spared"),
)


def states(text: str) -> dict[tuple[str, str], str]:
    """How each cell of a roster is found in a csv file: what is taken off, and where people stand."""
    columns = (
        Column(name="who", type=ColumnType.parse("text")),
        Column(name="taken", type=ColumnType.parse("integer")),
        Column(name="state", type=ColumnType.parse(STATES)),
    )
    unit = InfoUnit(
        name="it",
        content="it",
        entity="it",
        scope="here",
        status="derived",
        key=("who",),
        columns=columns,
        query="select 1",
    )
    rows = {"it": Relation.load(unit, [dict(zip(("who", "taken", "state"), row, strict=True)) for row in ROWS])}
    labels = {"who": "Handler", "taken": "Day off", "state": "Standing"}
    wanted = asked(unit, Stated(unit="it", form="table", labels=labels), Truth({}, rows, rows))
    found = tables.find(sheets(read("roster.csv", text.encode())), wanted)
    return {(wanted.rows[at].key[0], column): sight.state for (at, column), sight in found.sights.items()}  # type: ignore[misc]


def table(rows: tuple[tuple[str, int, str], ...] = ROWS, heads: str = "Handler,Day off,Standing") -> str:
    order = [["Handler", "Day off", "Standing"].index(head) for head in heads.split(",")]
    return "\n".join([heads, *(",".join(str(row[at]) for at in order) for row in rows)]) + "\n"


@pytest.mark.parametrize("heads", ["Handler,Day off,Standing", "Standing,Handler,Day off", "Handler,Standing,Day off"])
def test_what_is_said_under_a_heading_is_no_heading(heads: str) -> None:
    found = states(table(heads=heads))
    assert len(found) == 8 and set(found.values()) == {"right"}


def test_what_is_wrong_under_the_right_heading_is_still_seen() -> None:
    wrong = (*ROWS[:1], ("Birte", 12, "day off"), *ROWS[2:])
    found = states(table(wrong))
    assert {at for at, state in found.items() if state == "wrong"} == {("Birte", "taken"), ("Birte", "state")}


def test_a_second_table_below_has_headings_of_its_own() -> None:
    one = "Handler,Standing\n" + "\n".join(f"{who},{state}" for who, _, state in ROWS) + "\n"
    other = "Handler,Day off\n" + "\n".join(f"{who},{taken}" for who, taken, _ in ROWS) + "\n"
    for text in (f"{one}\n{other}", f"{other}\n{one}", one + other):
        assert set(states(text).values()) == {"right"}
