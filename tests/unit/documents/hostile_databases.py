"""Hostile databases: schemas that would run something, damaged and endless pages."""

from __future__ import annotations

import sqlite3

from .hostile import hostile


def _database(script: str, *more: tuple[str, list[tuple[object, ...]]]) -> bytes:
    made = sqlite3.connect(":memory:")
    made.executescript(script)
    for statement, rows in more:
        made.executemany(statement, rows)
    made.commit()
    content = made.serialize()
    made.close()
    return content


@hostile("read corrupt", "a.sqlite")
def views_and_triggers_that_never_end() -> bytes:
    return _database(
        "create table t (a); insert into t values (1);"
        "create view v as with recursive r(n) as (select 1 union all select n + 1 from r) select * from r;"
        "create view w as select load_extension('/tmp/evil.so'), randomblob(1000000000), a from t;"
        "create trigger x after insert on t begin insert into t select n from v; end;"
        "create index i on t (abs(a));"
    )


@hostile("read corrupt", "a.sqlite")
def a_table_that_is_a_view() -> bytes:
    computed = "create table u (a, b as (hex(zeroblob(a * 900000000))) stored)"
    return _database(
        "create table t (a, b as (zeroblob(a * 1000000000)), c default (randomblob(1000000000)));"
        "insert into t (a, c) values (1, 2); pragma writable_schema = on;"
        f"insert into sqlite_master values ('table', 'u', 'u', 2, '{computed}');"
    )


@hostile("corrupt read over-limit", "a.sqlite")
def a_schema_in_a_circle() -> bytes:
    made = sqlite3.connect(":memory:")
    made.executescript(
        "create table t (a); create view v as select * from t; pragma writable_schema = on;"
        "update sqlite_master set sql = 'create view v as select * from v union all select * from v' where name = 'v';"
        "update sqlite_master set rootpage = 1 where name = 't';"
    )
    content = made.serialize()
    made.close()
    return content


@hostile("over-limit corrupt", "a.sqlite")
def three_hundred_thousand_rows() -> bytes:
    return _database("create table t (a);", ("insert into t values (?)", [(number,) for number in range(300_000)]))


@hostile("read over-limit", "a.sqlite")
def a_chain_of_overflowing_pages() -> bytes:
    return _database("create table t (a);", ("insert into t values (?)", [("x" * 15_000_000,), (b"y" * 15_000_000,)]))


@hostile("corrupt read over-limit", "a.sqlite")
def overflowing_pages_in_a_circle() -> bytes:
    made = bytearray(_database("create table t (a);", ("insert into t values (?)", [("x" * 1_000_000,)])))
    for page in range(3, 200):
        made[(page - 1) * 4096 : (page - 1) * 4096 + 4] = (3).to_bytes(4, "big")
    return bytes(made)


@hostile("corrupt read over-limit", "a.sqlite")
def a_tree_in_a_circle() -> bytes:
    rows: list[tuple[object, ...]] = [(number, "x" * 200) for number in range(20_000)]
    made = bytearray(_database("create table t (a integer primary key, b);", ("insert into t values (?, ?)", rows)))
    for page in range(2, len(made) // 4096):
        at = (page - 1) * 4096
        if made[at] == 5:
            made[at + 8 : at + 12] = page.to_bytes(4, "big")
    return bytes(made)


@hostile("over-limit", "a.sqlite")
def a_hundred_thousand_tables() -> bytes:
    wide = "create table w (" + ", ".join(f"c{number}" for number in range(1_900)) + ");"
    many = "".join(f"create table t{number} (a, b);" for number in range(3_000))
    return _database(many + wide, ("insert into w (c0) values (?)", [(number,) for number in range(110)]))


@hostile("read over-limit corrupt", "a.sqlite")
def text_that_is_searched_at_once() -> bytes:
    return _database(
        "create virtual table f using fts5 (a); insert into f values ('x');"
        "create virtual table r using rtree (i, a, b);"
    )
