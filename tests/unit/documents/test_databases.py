"""Databases: read without running anything that they bring along, edited so that nothing else differs."""

from __future__ import annotations

import contextlib
import sqlite3
import tracemalloc
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workgym.documents import Document, TextEdit, edit, grids, read, read_all
from workgym.documents.limits import LIMITS
from workgym.errors import DocumentError, EditRefused, Unreadable

SCHEMA = '''
create table "inv ""oices""" (number text primary key, amount decimal(18,2), "due!" date, note text default 'n');
create table staff (id integer primary key, name text not null unique on conflict replace, rate real);
create table rates (zone text, "from" integer, price, primary key (zone, "from")) without rowid;
create table "oid" (rowid text, _rowid_ text, oid text);
create index by_due on "inv ""oices""" ("due!");
'''
ROWS: dict[str, list[tuple[Any, ...]]] = {
    'inv "oices"': [("A-1", 1200, "2026-03-02", "x"), ("A-2", 20.5, "2026-04-01", None), ("A-3", -0.93, None, "ü €")],
    "staff": [(2, "Ann", 31.25), (5, "Bo", 30.0), (9, "Cy", None)],
    "rates": [("a", 1, "9.50"), ("a", 10, 9), ("b", 1, b"\x00\xff")],
    "oid": [("1", "2", "3")],
}


def database(script: str = SCHEMA, rows: dict[str, list[tuple[Any, ...]]] | None = None) -> bytes:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        connection.executescript(script)
        for name, lines in (ROWS if rows is None else rows).items():
            quoted = '"' + name.replace('"', '""') + '"'
            connection.executemany(f"insert into {quoted} values ({','.join('?' * len(lines[0]))})", lines)
        return connection.serialize()
    finally:
        connection.close()


def query(content: bytes, statement: str) -> list[Any]:
    connection = sqlite3.connect(":memory:")
    try:
        connection.deserialize(content)
        return connection.execute(statement).fetchall()
    finally:
        connection.close()


def texts(content: bytes) -> dict[str, str]:
    return {fragment.at: fragment.text for fragment in read("a.db", content).fragments}


def changed(before: bytes, after: bytes) -> dict[str, tuple[str | None, str | None]]:
    old, new = texts(before), texts(after)
    assert query(after, "pragma integrity_check") == [("ok",)]
    return {at: (old.get(at), new.get(at)) for at in {**old, **new} if old.get(at) != new.get(at)}


def set_text(at: str, expected: str, replacement: str, value: object = None) -> TextEdit:
    return TextEdit.model_validate({"at": at, "expected": expected, "replacement": replacement, "value": value})


def of(at: str, expected: str, mode: str, *cells: object) -> TextEdit:
    return TextEdit.model_validate({"at": at, "expected": expected, "replacement": None, "mode": mode, "cells": cells})


def test_tables_are_grids() -> None:
    document = read("a.db", database())
    found = {grid.name: grid for grid in grids(document)}
    assert list(found) == ['inv "oices"', "staff", "rates", "oid"]
    assert [cell.text for cell in found['inv "oices"'].header] == ["number", "amount", "due!", "note"]
    assert [[cell.text for cell in row] for row in found["rates"].rows] == [
        ["a", "1", "9.50"],
        ["a", "10", "9"],
        ["b", "1", "x'00ff'"],
    ]
    assert document.text_at('inv "oices"!r2c2') == "1200"
    assert {fragment.at: fragment.value for fragment in document.fragments if fragment.table == "staff"} == {
        **dict.fromkeys(["staff!r1c1", "staff!r1c2", "staff!r1c3", "staff!r2c2", "staff!r3c2", "staff!r4c2"]),
        **{"staff!r2c1": 2, "staff!r2c3": "31.25", "staff!r3c1": 5, "staff!r3c3": "30", "staff!r4c1": 9},
    }
    assert [fragment.at for fragment in document.fragments if fragment.hidden] == [
        *('schema.inv "oices"', "schema.staff", "schema.rates", "schema.oid", "schema.by_due"),
    ]
    assert read_all({"a.db": database()})["a.db"] == document


@given(
    st.lists(st.tuples(st.text(max_size=20), st.floats(allow_nan=False) | st.integers(-(2**63), 2**63 - 1) | st.none()))
)
def test_every_value_is_read_exactly(lines: list[tuple[str, Any]]) -> None:
    sound = [(text.encode("utf-8", "replace").decode(), number) for text, number in lines]
    content = database("create table t (a text, b);", {"t": sound} if sound else {})
    found = {fragment.at: fragment for fragment in read("a.db", content).fragments}
    for row, (text, number) in enumerate(sound, 2):
        assert (found[f"t!r{row}c1"].text if text else "") == text
        if isinstance(number, float) and number in (float("inf"), -float("inf")):
            assert found[f"t!r{row}c2"].text == repr(number)
        elif number is not None:
            assert Decimal(found[f"t!r{row}c2"].text) == Decimal(repr(number))


@pytest.mark.parametrize(
    ("at", "old", "new", "value", "said"),
    [
        ('inv "oices"!r2c2', "1200", "1,300.75", None, "1300.75"),
        ('inv "oices"!r3c2[0:2]', "20", "21", None, "21.5"),
        ('inv "oices"!r3c2', "20.5", "x", "20.50", "20.5"),
        ('inv "oices"!r3c2', "20.5", "7", 7, "7"),
        ('inv "oices"!r3c1', "A-2", "A 2 'b'", None, "A 2 'b'"),
        ('inv "oices"!r4c3', "", "2026-05-01", None, "2026-05-01"),
        ('inv "oices"!r3c4', "", "0012", None, "0012"),
        ("staff!r2c3", "31.25", "32", None, "32"),
        ("staff!r2c2", "Ann", "Änne", None, "Änne"),
        ("rates!r2c3", "9.50", "9.75", None, "9.75"),
        ("rates!r3c2", "10", "11", None, "11"),
    ],
)
def test_cells(at: str, old: str, new: str, value: object, said: str) -> None:
    content = database()
    made = edit("a.db", content, [set_text(at, old, new, value)])
    place = at.partition("[")[0]
    before = texts(content).get(place)
    assert changed(content, made) == ({} if before == said else {place: (before, said)})
    assert len(made) == len(content)
    assert made[24:28] == content[24:28] and made[92:100] == content[92:100]
    assert edit("a.db", content, [set_text(at, old, new, value)]) == made


def test_what_was_there_is_gone() -> None:
    content = database()
    cleared = edit("a.db", content, [of("staff!r4c3", "", "clear"), of('inv "oices"!r4c4', "ü €", "clear")])
    assert changed(content, cleared) == {'inv "oices"!r4c4': ("ü €", None)}
    assert "ü €".encode() not in cleared
    removed = edit("a.db", content, [of('inv "oices"!r2c2', "1200", "remove_row")])
    assert b"A-1" not in removed
    assert [texts(removed)[f'inv "oices"!r{row}c1'] for row in (2, 3)] == ["A-2", "A-3"]
    assert query(removed, 'select count(*) from "inv ""oices"""') == [(2,)]


def test_rows_are_added_behind_others() -> None:
    content = database()
    name = 'inv "oices"'
    edits = [
        of(f"{name}!r2c1", "A-1", "insert_row", "B-1", 1, "2026-01-01"),
        of(f"{name}!r2c1", "A-1", "insert_row", "B-2", "1,000.5"),
        of(f"{name}!r1c1", "number", "insert_row", "B-0"),
        of(f"{name}!r4c1", "A-3", "insert_row", "B-9"),
        of(f"{name}!r3c1", "A-2", "remove_row"),
        of("staff!r4c1", "9", "insert_row", 12, "Di", 28.5),
        of("rates!r3c1", "a", "insert_row", "a", 20, "8.00"),
    ]
    made = edit("a.db", content, edits)
    found = texts(made)
    assert [found[f"{name}!r{row}c1"] for row in range(2, 8)] == ["B-0", "A-1", "B-1", "B-2", "A-3", "B-9"]
    assert (found[f"{name}!r5c2"], found.get(f"{name}!r5c4"), f"{name}!r8c1" in found) == ("1000.5", None, False)
    assert (found["staff!r5c2"], found["rates!r4c3"], found["rates!r5c1"]) == ("Di", "8.00", "b")
    assert query(made, "pragma integrity_check") == [("ok",)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (set_text("staff!r2c3", "31.25", "much"), "holds a number, and 'much' is none"),
        (set_text("staff!r1c1", "id", "no"), "name of a column"),
        (set_text("staff!r2c2", "Ann", "Bo"), "does not take that.*UNIQUE"),
        (set_text("staff!r2c2", "Bob", "Bo"), "says 'Ann', not 'Bob'"),
        (set_text("staff!r2c1", "2", "7"), "in that order"),
        (set_text("staff!r9c1", "", "7"), "no place staff!r9c1"),
        (set_text("nothing!r2c1", "", "7"), "no place nothing!r2c1"),
        (set_text("oid!r2c3", "3", "4"), "no number and no key"),
        (set_text("schema.staff", "", "7"), r"no place schema\.staff"),
        (set_text("rates!r4c3", "x'00ff'", "y"), "holds bytes"),
        (set_text("staff!r2c3", "31.25", "12345678901234567.89"), "more digits"),
        (of("staff!r2c2", "Ann", "clear"), "NOT NULL"),
        (of("staff!r2c2", "Ann", "insert_row", 9, "Ed"), "does not take that"),
        (of("staff!r2c2", "Ann", "insert_row", 40, "Ed"), "in that order"),
        (of("staff!r2c2", "Ann", "insert_row", 3, "Ed", 1, 2), "has 3 columns"),
    ],
)
def test_what_is_refused(change: TextEdit, message: str) -> None:
    with pytest.raises(EditRefused, match=message):
        edit("a.db", database(), [change])


def test_a_table_with_triggers_is_not_edited() -> None:
    script = "create table t (a); create table u (a); create trigger g after update on t begin delete from u; end;"
    content = database(script, {"t": [("x",)], "u": [("y",)]})
    with pytest.raises(EditRefused, match="triggers"):
        edit("a.db", content, [set_text("t!r2c1", "x", "z")])
    assert texts(edit("a.db", content, [set_text("u!r2c1", "y", "z")]))["u!r2c1"] == "z"


@given(data=st.data())
def test_random_edits_change_their_place_alone(data: st.DataObject) -> None:
    content = database()
    found = [f for f in read("a.db", content).fragments if f.table and f.row != 1 and not f.text.startswith("x'")]
    fragment = data.draw(st.sampled_from(found))
    new = data.draw(st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12))
    try:
        made = edit("a.db", content, [set_text(fragment.at, fragment.text, new)])
    except EditRefused:
        return
    assert set(changed(content, made)) <= {fragment.at}
    assert texts(made)[fragment.at] == new or fragment.value is not None


HOSTILE = """
create table t (a, b as (printf('%.*c', 100000000, 'x')));
create view v as with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n;
create trigger g after update on t begin update t set a = 1; end;
create virtual table f using fts4(body);
create table c (x check (length(x) < 3), y default (random()));
"""


def test_nothing_that_a_file_brings_along_is_run() -> None:
    content = database(HOSTILE, {"f": [("hidden words",)], "c": [("ab", 1)]})
    document = read("a.db", content)
    hidden = {fragment.at: fragment.label for fragment in document.fragments if fragment.hidden}
    assert (hidden["schema.v"], hidden["schema.g"], hidden["schema.f"]) == ("view", "trigger", "virtual")
    assert {fragment.table for fragment in document.fragments if fragment.table} >= {"t", "c", "f_content"}
    assert "hidden words" in {fragment.text for fragment in document.fragments}
    assert "f!r1c1" not in texts(content) and "v!r1c1" not in texts(content)
    assert texts(edit("a.db", content, [set_text("c!r2c1", "ab", "cd")]))["c!r2c1"] == "cd"
    with pytest.raises(EditRefused, match="CHECK"):
        edit("a.db", content, [set_text("c!r2c1", "ab", "abc")])


def refusal(content: bytes) -> str:
    with pytest.raises(Unreadable) as caught:
        read("a.db", content)
    assert "\n" not in str(caught.value)
    return caught.value.reason


def test_files_that_came_to_harm() -> None:
    content = database()
    assert refusal(b"") == "truncated"
    assert refusal(content[:50]) == "truncated"
    assert refusal(content[:5000]) == "truncated"
    assert refusal(b"SQLite format 2\x00" + content[16:]) == "corrupt"
    assert refusal(content[:16] + b"\x00\x03" + content[18:]) == "corrupt"
    assert refusal(content[:100] + b"\xff" * 200 + content[300:]) == "corrupt"
    assert refusal(content.replace(b"TABLE staff", b"TABEL staff")) == "corrupt"
    wal = content[:18] + b"\x02\x02" + content[20:]
    assert texts(wal) == texts(content)
    assert edit("a.db", wal, [set_text("staff!r2c2", "Ann", "Al")])[18:20] == b"\x02\x02"


def test_too_much() -> None:
    many = database("create table t (a, b, c);", {"t": [(1, 2, 3)] * (LIMITS.cells // 3)})
    assert refusal(many) == "over-limit"
    assert refusal(database("create table t (a);", {"t": [("x" * 1_000_000,)] * 21})) == "over-limit"
    tracemalloc.start()
    with contextlib.suppress(Unreadable):
        read("a.db", database("create table t (a); insert into t values (zeroblob(25000000));", {}))
    assert tracemalloc.get_traced_memory()[1] < 300_000_000
    tracemalloc.stop()


@given(data=st.data())
def test_random_damage(data: st.DataObject) -> None:
    damaged = bytearray(database())
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(damaged) - 1) | st.integers(0, 200))
        new = data.draw(st.binary(min_size=1, max_size=4))
        damaged[at : at + len(new)] = new
    with contextlib.suppress(DocumentError):
        document = read("a.db", bytes(damaged))
        assert isinstance(document, Document)
        for fragment in document.fragments[:20]:
            if fragment.row and fragment.row > 1:
                edit("a.db", bytes(damaged), [set_text(fragment.at, fragment.text, "1")])
                break
