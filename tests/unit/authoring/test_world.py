"""Draws: the same numbers for the same stream, and names that do not collide within a world."""

from __future__ import annotations

import pytest

from workgym.authoring.world import DrawError, draw_table
from workgym.records import Value


def test_the_same_stream_gives_the_same_rows() -> None:
    columns = {"name": {"company": "distinct"}, "amount": {"integer": [1, 99]}}
    assert draw_table("a/1", 5, columns) == draw_table("a/1", 5, columns)
    assert draw_table("a/1", 5, columns)[1] != draw_table("a/2", 5, columns)[1]


def test_a_new_column_does_not_shift_the_others() -> None:
    short, wide = ({"amount": {"integer": [1, 10**6]}}, {"day": "uniform", "amount": {"integer": [1, 10**6]}})
    assert [row[0] for row in draw_table("a/1", 5, short)[1]] == [row[1] for row in draw_table("a/1", 5, wide)[1]]


def test_distinct_names_differ_from_those_of_other_tables() -> None:
    for seed in range(300):
        taken: dict[str, set[Value]] = {}
        buyer = draw_table(f"{seed}/firm", 1, {"name": "company"}, taken)[1][0][0]
        suppliers = [row[0] for row in draw_table(f"{seed}/offer", 30, {"supplier": {"company": "distinct"}}, taken)[1]]
        assert buyer not in suppliers and len(set(suppliers)) == 30


def test_more_distinct_values_than_there_are() -> None:
    with pytest.raises(DrawError, match="cannot draw 4 distinct values"):
        draw_table("a/1", 4, {"n": {"integer": [1, 3], "distinct": True}})
