"""Databases and cards: what is written is read back, and each value stands where its anchor says."""

from __future__ import annotations

import hashlib
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workgym.documents import grids, read
from workgym.errors import MaterializeError
from workgym.graph.relation import Relation
from workgym.materialize import Rendered, Scope, render
from workgym.plan import ArtifactSpec
from workgym.records.surface import dates, numbers, times

Worlds = Callable[..., Scope]
Relations = Callable[..., Relation]

DATABASE: dict[str, Any] = {
    "tables": [
        {
            "name": "the \"items\" 'here'",
            "rows": {"unit": "many", "order": "price desc"},
            "as": "m",
            "columns": {
                "Name": "name",
                'No "te"': "note",
                "Price": "price",
                "Share": "share",
                "Day": "day",
                "At": "at",
                "Text": "{{ m.note | upper }}: {{ m.price | money }}{% state m.day %} then{% endstate %}",
                "Shown": "{{ m.day | date('%d.%m.%Y') }}",
            },
            "index": ["Price", ["Day", "At"]],
        },
        {"name": "lines", "rows": "line", "columns": {"id": "no", "Text": "text"}},
        {"name": "settings", "literal": [["key", "value"], ["{{ one.name }}", 1], ["rate", 0.5], ["x", None]]},
    ]
}
CARDS: dict[str, Any] = {
    "cards": [
        {
            "each": "many",
            "as": "m",
            "item": {
                "FN": "{{ m.name }}",
                "N": ["{{ m.note }}", "{{ m.name }}"],
                "ORG": "{{ m.note }}",
                "TEL;TYPE=work": "{{ '+49 40 555' | decor }}",
                "TEL;TYPE=cell": "{{ m.price }}",
                "ADR;TYPE=work": ["", "", "{{ m.note }}", "Hamburg; West", "", "", "Germany"],
                "BDAY": "{{ m.day }}",
                "NOTE": "{{ m.note }}, {{ m.price | money }}\nand \\ {% state m.share %}so{% endstate %}",
            },
        },
        {"FN": "{{ one.name | upper }}", "EMAIL": "x@firm.example", "TITLE": ""},
    ]
}
SOURCES = {"a/b.sqlite": DATABASE, "book.vcf": CARDS}
LETTERS = "abcXYZ0189|*#-+_.,:;/()\"'&<>\\%~äßÅ€–ąЖΩ東🚚 "
DATA = [["Firm; one", "a, b\\n", "1234.50"], ["Two", "2nd", "0.93"], ["Three", "-", "-17.00"]]


def rows() -> st.SearchStrategy[list[list[Any]]]:
    words = st.text(st.sampled_from(LETTERS), min_size=1, max_size=90).map(lambda t: " ".join(t.split()) or "x")
    row = st.tuples(words, words, st.decimals(-(10**12), 10**12, places=2))
    return st.lists(row.map(list), min_size=2, max_size=5, unique_by=lambda r: r[0])


def made(world: Worlds, relation: Relations, path: str, data: list[list[Any]]) -> Rendered:
    types = {"name": "text", "note": "text", "price": "money(USD, 2)"}
    more = {"share": "percent(2)", "day": "date", "at": "time"}
    scope = world(
        relation(
            "many", types | more, ("name",), [[n, t, str(p), "0.0825", "2026-07-04", "07:45"] for n, t, p in data]
        ),
        relation("line", {"no": "integer", "text": "text"}, ("no",), [[7 - at, row[1]] for at, row in enumerate(data)]),
        relation("one", {"name": "text"}, (), [[data[0][0]]]),
    )
    return render(ArtifactSpec.model_validate({"path": path, "content": SOURCES[path]}), scope, "look")


@pytest.mark.parametrize("path", SOURCES)
@settings(max_examples=30, deadline=None)
@given(data=rows())
def test_every_anchor_resolves(world: Worlds, relation: Relations, path: str, data: list[list[Any]]) -> None:
    carrier = made(world, relation, path, data)
    document = read(path, carrier.content)
    for anchor in carrier.anchors:
        text, span = document.text_at(anchor.place.base), anchor.place.span
        assert text is not None, anchor
        assert (text if span is None else text[span[0] : span[1]]) == anchor.printed
    cells = {(a.cell.key, a.cell.column) for a in carrier.anchors if a.cell is not None and a.cell.unit == "many"}
    assert cells == {((n,), column) for n, *_ in data for column in COLUMNS[path]}


COLUMNS = {
    "a/b.sqlite": ("name", "note", "price", "share", "day", "at"),
    "book.vcf": ("name", "note", "price", "share", "day"),
}


def loose(carrier: Rendered) -> list[str]:
    """The numbers, dates and times that a file shows outside every anchor; what a mail says of its transport aside."""
    covered: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for anchor in carrier.anchors:
        covered.setdefault((anchor.place.path, anchor.place.base), []).append(anchor.place.span or (0, 10**6))
    found = []
    for document in read(carrier.path, carrier.content).whole():
        for fragment in document.fragments:
            if fragment.at.startswith(("Content-", "MIME-", "Message-")):
                continue
            spans = [(token.start, token.end) for of in (dates, times, numbers) for token in of(fragment.text)]
            around = covered.get((document.path, fragment.at), [])
            found += [
                f"{document.path} {fragment.at}: {fragment.text[start:end]}"
                for start, end in spans
                if not any(left <= start and end <= right for left, right in around)
            ]
    return found


@pytest.mark.parametrize("path", SOURCES)
def test_no_number_is_loose(world: Worlds, relation: Relations, path: str) -> None:
    assert loose(made(world, relation, path, DATA)) == []


@given(data=rows())
def test_what_a_database_holds(world: Worlds, relation: Relations, data: list[list[Any]]) -> None:
    connection = sqlite3.connect(":memory:")
    try:
        connection.deserialize(made(world, relation, "a/b.sqlite", data).content)
        found = connection.execute('select Name, "No ""te""", Price, Share from "the ""items"" \'here\'"').fetchall()
        assert [(name, note) for name, note, *_ in found] == [
            (name, note) for name, note, _ in sorted(data, key=lambda row: row[2], reverse=True)
        ]
        assert {name: repr(price) for name, _, price, _ in found} == {
            name: repr(int(price) if price == int(price) else float(price)) for name, _, price in data
        }
        assert connection.execute("pragma integrity_check").fetchone() == ("ok",)
        assert connection.execute("select id from lines").fetchall() == [(n,) for n in range(8 - len(data), 8)]
    finally:
        connection.close()


def test_a_table_is_a_grid(world: Worlds, relation: Relations) -> None:
    found = {grid.name: grid for grid in grids(read("a/b.sqlite", made(world, relation, "a/b.sqlite", DATA).content))}
    items = found["the \"items\" 'here'"]
    assert [cell.text for cell in items.header][:3] == ["Name", 'No "te"', "Price"]
    assert [row[2].text for row in items.rows] == ["1234.5", "0.93", "-17"]
    assert [cell.text for cell in found["settings"].rows[0]] == ["Firm; one", "1"]
    (book,) = grids(read("book.vcf", made(world, relation, "book.vcf", DATA).content))
    assert [cell.text for cell in book.header] == ["FN", "N", "ORG", "TEL", "TEL", "ADR", "BDAY", "NOTE", "EMAIL"]
    assert book.rows[1][4].text == "0.93"


def test_lines_of_cards(world: Worlds, relation: Relations) -> None:
    content = made(world, relation, "book.vcf", DATA).content
    assert max(map(len, content.split(b"\r\n"))) <= 75
    lines = content.replace(b"\r\n ", b"").split(b"\r\n")
    assert lines[:2] == [b"BEGIN:VCARD", b"VERSION:4.0"]
    assert lines[3:7] == [
        rb"FN:Firm\; one",
        rb"N:a\, b\\n;Firm\; one;;;",
        rb"ORG:a\, b\\n",
        b"TEL;TYPE=work:+49 40 555",
    ]
    assert rb"ADR;TYPE=work:;;a\, b\\n;Hamburg\; West;;;Germany" in lines
    assert b"BDAY:20260704" in lines
    assert not any(line.startswith(b"TITLE") for line in lines)


@pytest.mark.parametrize("path", SOURCES)
def test_the_same_bytes_in_another_process(world: Worlds, relation: Relations, path: str) -> None:
    first = made(world, relation, path, DATA)
    here = Path(__file__)
    program = (
        "import sys, hashlib; sys.path.insert(0, sys.argv[1]); import conftest, test_databases as t\n"
        "print(hashlib.sha256(t.made(conftest.world, conftest.relation, sys.argv[2], t.DATA).content).hexdigest())"
    )
    command = [sys.executable, "-c", program, str(here.parent), path]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, cwd=here.parents[3])
    assert ended.stdout.strip() == hashlib.sha256(first.content).hexdigest()


def test_the_header_names_no_library(world: Worlds, relation: Relations) -> None:
    content = made(world, relation, "a/b.sqlite", DATA).content
    assert content[24:28] == content[92:96] == b"\0\0\0\x01"
    assert int.from_bytes(content[96:100]) == 3_040_001
    assert int.from_bytes(content[16:18]) == 4096


TABLE = {"name": "t", "rows": "quote", "columns": {"S": "supplier", "P": "price"}}


@pytest.mark.parametrize(
    ("path", "tree", "message"),
    [
        ("a.sqlite", {}, "tables: a list of tables"),
        ("a.sqlite", {"tables": [TABLE, TABLE]}, "already exists"),
        ("a.sqlite", {"tables": [TABLE | {"name": "a!b"}]}, "cannot be the name"),
        ("a.sqlite", {"tables": [TABLE | {"key": "Q"}]}, "key: there is no column 'Q'"),
        ("a.sqlite", {"tables": [TABLE | {"index": ["p"]}]}, "index: there is no column 'p'"),
        ("a.sqlite", {"tables": [TABLE | {"columns": {"S": "supplier", "s": "price"}}]}, "the same name"),
        ("a.sqlite", {"tables": [TABLE | {"columns": {"S": "suplier"}}]}, "did you mean supplier"),
        ("a.sqlite", {"tables": [TABLE | {"key": ["T"], "columns": {"T": "terms"}}]}, "UNIQUE"),
        ("a.sqlite", {"tables": [TABLE | {"view": "x"}]}, "unknown key 'view'"),
        ("a.vcf", {"cards": []}, "there is no card"),
        ("a.vcf", {"cards": {"TEL": "1"}}, "a card needs FN"),
        ("a.vcf", {"cards": {"FN": "x", "TELL": "1"}}, "did you mean TEL"),
        ("a.vcf", {"cards": {"FN": "x", "tel": "1"}}, "unknown property 'tel'"),
        ("a.vcf", {"cards": {"FN": ["x", "y"]}}, "FN has one part"),
        ("a.vcf", {"cards": {"FN": "x", "N": ["a"] * 6}}, "N has 5 parts"),
        ("a.vcf", {"cards": {"FN": "x", "BDAY": "May"}}, "2026-04-06"),
    ],
)
def test_what_is_refused(world: Worlds, path: str, tree: Any, message: str) -> None:
    with pytest.raises(MaterializeError, match=message):
        render(ArtifactSpec(path=path, content=tree, role="distractor"), world(), "look")


def test_numbers_that_would_lose_digits(world: Worlds, relation: Relations) -> None:
    scope = world(relation("big", {"v": "money(USD, 2)"}, (), [["1234567890123456.78"]]))
    columns = {"v": "v", "w": "{{ row.v | amount('1234.50') }}"}
    tree = {"tables": [{"name": "t", "rows": "big", "columns": columns}]}
    with pytest.raises(MaterializeError, match="more digits than a cell keeps"):
        render(ArtifactSpec(path="a.sqlite", content=tree), scope, "look")
    columns.pop("v")
    document = read("a.sqlite", render(ArtifactSpec(path="a.sqlite", content=tree), scope, "look").content)
    assert document.text_at("t!r2c1") == "1234567890123456.78"
