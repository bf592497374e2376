"""Fragments that are made when somebody looks at them, against the same ones made at once."""

from __future__ import annotations

import copy
import io
import json
import pickle
import zipfile
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from workgym.documents import Document, read, read_all
from workgym.documents.csv import table
from workgym.documents.csv.dialect import scan, sniff
from workgym.documents.csv.table import Table, fields
from workgym.documents.decoding import decode
from workgym.documents.json import read as reading
from workgym.documents.json.tree import Tree, quick
from workgym.documents.json.walk import Walk
from workgym.documents.limits import LIMITS
from workgym.documents.model import Pieces, piece, row_of
from workgym.errors import Unreadable

CSV = b'Item,Day,Price\r\n"Tray, ""large""",2026-03-02,0.37\r\n\r\n,,\r\nBox,,"two\nlines"'
JSON = (
    b'{"orders": [{"no": 1, "price": 1.50}, {"no": 2, "price": 1e3, "x": null}], "a/b~c": {"d": [true, "12:30, noon"]}}'
)


def eager(document: Document) -> Document:
    """The same document with a tuple of fragments."""
    return Document(path=document.path, format=document.format, fragments=tuple(document.fragments))


def scanned(content: bytes, delimiter: str) -> Document:
    """Delimited text as the scanner that editors use takes it, each field looked at."""
    found = [
        piece(f"r{row}c{column}", field.text, "csv", row, column)
        for row, record in enumerate(scan("a.csv", decode("a.csv", content).body, delimiter), 1)
        for column, field in enumerate(record.fields, 1)
        if field.text
    ]
    return Document(path="a.csv", format="csv", fragments=tuple(found))


def walked(content: bytes) -> Document:
    """JSON with each value looked at."""
    walk = Walk("a.json")
    walk.walk(reading.load("a.json", decode("a.json", content).body), "", None, None, "", 0)
    return Document(path="a.json", format="json", fragments=tuple(walk.fragments()))


def outcome(work: Any, *arguments: Any) -> Any:
    """What it gives, or why it refuses."""
    try:
        return work(*arguments)
    except Unreadable as error:
        return error.reason, error.detail


def made(document: Document) -> bool:
    """Whether its fragments have been made."""
    assert isinstance(document.fragments, Pieces)
    return "_known" in vars(document.fragments)


@pytest.mark.parametrize(("path", "content"), [("a.csv", CSV), ("a.tsv", CSV), ("a.json", JSON)])
def test_they_are_made_once_and_only_when_somebody_looks(path: str, content: bytes) -> None:
    document = read(path, content)
    there = eager(read(path, content))
    assert len(document.fragments) == len(there.fragments) > 0
    assert document.text == there.text
    assert [document.text_at(fragment.at) for fragment in there.fragments] == [f.text for f in there.fragments]
    for at in (
        "",
        "r0c1",
        "r1c0",
        "r01c1",
        "r9c1",
        "r1c99",
        "r3c1",
        "/orders",
        "/orders/01",
        "/orders/-1",
        "x",
        "/a~2",
    ):
        assert document.text_at(at) == there.text_at(at)
    assert not made(document)
    assert document.fragments[0] is document.fragments[0]
    assert made(document)
    assert tuple(document.fragments) == there.fragments
    assert document.fragments[1:3] == there.fragments[1:3]


@pytest.mark.parametrize(("path", "content"), [("a.csv", CSV), ("a.json", JSON), ("b.json", b"{}"), ("b.csv", b"")])
def test_a_document_of_them_is_as_any_other(path: str, content: bytes) -> None:
    document = read(path, content)
    there = eager(read(path, content))
    assert document == there
    assert there == document
    assert hash(document) == hash(there)
    assert document.fingerprint() == there.fingerprint()
    assert document.model_dump() == there.model_dump()
    assert Document.model_validate_json(document.model_dump_json()) == there
    assert Document.model_validate(document.model_dump()) == document
    assert Document.model_json_schema()["$defs"]["Document"]["properties"]["fragments"]["type"] == "array"
    assert repr(document) == repr(there)
    assert document != eager(read("a.csv", b"x"))
    assert document.model_copy(update={"uncached": ("x",)}) == there.model_copy(update={"uncached": ("x",)})
    for copied in (copy.copy(document), copy.deepcopy(document), document.model_copy(deep=True)):
        assert copied == there
    again = pickle.loads(pickle.dumps(document))
    assert not made(again)
    assert again == there


def test_a_workbook_keeps_rows(xlsx: bytes) -> None:
    document = read("a.xlsx", xlsx)
    there = eager(read("a.xlsx", xlsx)).model_copy(update={"uncached": document.uncached})
    assert (len(document.fragments), document.text) == (len(there.fragments), there.text)
    assert [document.text_at(fragment.at) for fragment in there.fragments] == [f.text for f in there.fragments]
    assert document.text_at("Nowhere!A1") is None
    assert not made(document)
    assert isinstance(document.fragments, Pieces)
    assert [
        row_of(fragment)[: len(row)] for fragment, row in zip(there.fragments, document.fragments.rows(), strict=True)
    ] == list(document.fragments.rows())
    assert document == there
    assert pickle.loads(pickle.dumps(document)) == there
    assert read_all({"a.xlsx": xlsx})["a.xlsx"] == there


def test_they_come_out_of_the_limited_child_as_they_are() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a.csv", CSV)
        archive.writestr("b.json", JSON)
    files = {"a.csv": CSV, "a.tsv": CSV, "a.json": JSON, "m.zip": out.getvalue(), "no.json": b'{"a": 1, "a": 2}'}
    found = read_all(files)
    for path in ("a.csv", "a.tsv", "a.json", "m.zip"):
        document = found[path]
        assert isinstance(document, Document)
        inner = document if path != "m.zip" else document.members[0]
        assert not made(inner)
        assert document == read(path, files[path])
    assert isinstance(found["no.json"], Unreadable)


@pytest.mark.parametrize("packed", [None, 1, "x", ["x"], [[1]], [["a"], [None]]])
def test_fields_that_are_none_are_not_taken_from_a_child(packed: Any) -> None:
    with pytest.raises(Unreadable):
        table.unpacked("a.csv", "csv", packed)


@pytest.mark.parametrize("packed", [None, 1, [], "{", '{"a": 1, "a": 2}', "[" * 200 + "]" * 200])
def test_a_text_that_is_no_json_is_not_taken_from_a_child(packed: Any) -> None:
    with pytest.raises(Unreadable):
        reading.unpacked("a.json", "json", packed)


@given(st.text(st.sampled_from("ab\",;\t|\r\n 'é\ufeff\x0b\x00\x1c\u2028\u0085"), max_size=60))
@example('"a"b,c')
@example('a"b",c')
@example('"a""b')
@example('"a\r\nb",\r\r\n"",""')
@example("\n\n,\n")
@example("\ufeff\ufeffa,b")
@example('"' + "x" * 200_000 + '",b')
def test_both_parsers_of_delimited_text_say_the_same(body: str) -> None:
    content = body.encode()
    for mark in (b"", b"\xef\xbb\xbf"):
        assert outcome(read, "a.csv", mark + content) == outcome(
            lambda whole: scanned(whole, sniff(decode("a.csv", whole).body)), mark + content
        )
    for delimiter in ",;\t|":
        plain = outcome(lambda by: [[f.text for f in row.fields] for row in scan("a.csv", body, by)], delimiter)
        quickly = outcome(fields, "a.csv", body, delimiter)
        assert [row or [""] for row in quickly] == plain if isinstance(quickly, list) else quickly == plain


def test_a_comma_is_found_without_a_count() -> None:
    assert [sniff(body) for body in ("", "a", "a,b\n", "a;b\n", "a|b\nc|d")] == [",", ",", ",", ";", "|"]


def test_too_many_fields_are_refused_at_once() -> None:
    for body in ("," * LIMITS.cells, ",\n" * (LIMITS.cells // 2 + 1)):
        with pytest.raises(Unreadable, match="more than 200,000 fields"):
            read("a.csv", body.encode())
    assert len(read("a.csv", b"x\r\n" * LIMITS.cells).fragments) == LIMITS.cells


KEYS = st.text(st.sampled_from('ab:,/~" é0'), max_size=4)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.sampled_from('a:,{}[]"\\ \né\U0001f600'), max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)
LAYOUTS: list[dict[str, Any]] = [
    {},
    {"indent": 2},
    {"ensure_ascii": False},
    {"separators": (" , ", " : ")},
    {"separators": (",", ":")},
]


@given(VALUES, st.sampled_from(LAYOUTS))
def test_json_is_the_same_whether_or_not_each_value_is_looked_at(data: Any, layout: dict[str, Any]) -> None:
    content = json.dumps(data, **layout).encode()
    document = read("a.json", content)
    there = walked(content)
    assert len(document.fragments) == len(there.fragments)
    assert document == there
    assert [document.text_at(fragment.at) for fragment in there.fragments] == [f.text for f in there.fragments]


PARTS = ["{", "}", "[", "]", ",", ":", '"a"', '"b"', '"a:"', '"\\u003a"', '"\\ud83d"', '"\\u00e9,"', "1", "-0", "-0.0"]
PARTS += [
    "1.50",
    "1e5",
    "1E400",
    "NaN",
    "null",
    "true",
    " ",
    "\n",
    "\x0b",
    "\ufeff",
    "9" * 18,
    "9" * 19,
    "-" + "9" * 18,
]
PARTS += ['{"a":1,"a":2}', '{"a" :1}', '{"a:":{"a":1}}', "[[]]", "{}"]


@given(st.lists(st.sampled_from(PARTS), max_size=9).map("".join))
@example('[{"a": 1, "a": 2}]')
@example('[{"a": "x:y", "a": "\\u003a"}]')
@example('[{"a":"\\u003a\\u003a","a":1}]')
@example('{"a" : "b:", "a" : ","}')
@example('{"a": [1, 2], "a": [3]}')
@example("-0")
@example("[-0]")
@example('["2026-03-02", -0 ]')
@example("9" * 5000)
@example('["' + "\\ud83d\\ude00" + '"]')
def test_what_parsing_would_lose_is_seen(body: str) -> None:
    content = body.encode()
    assert outcome(read, "a.json", content) == outcome(walked, content)


def test_whole_trees_are_taken_without_a_look_at_each_value() -> None:
    for body in ('[{"a": 1, "b": "x"}]', '["a:b", "c"]', '[{"a": "b:c", "d": "e, f"}]', '{"a": "\\u00e9"}', "5", "[]"):
        assert isinstance(quick(body), Tree), body
    for body in ('{"a": 1, "a": 2}', "[-0]", "[NaN]", "{", '["\\ud83d"]', "[" * 99_999):
        assert quick(body) is None, body


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ("[" * 101 + "1" + "]" * 101, "nested more than 100 deep"),
        ("[" + "1," * LIMITS.cells + "1,1]", "more than 200,000 values"),
        ("[" + "[]," * (3 * LIMITS.cells) + "1]", "more than 600,000 values, lists and objects"),
        ('{"' + "k" * 500_000 + '":[' + "1," * 200 + "1]}", "characters in the pointers"),
    ],
)
def test_too_much_of_json_is_refused_at_once(body: str, detail: str) -> None:
    with pytest.raises(Unreadable, match=detail):
        read("a.json", body.encode())
    assert outcome(read, "a.json", body.encode()) == outcome(walked, body.encode())


def test_a_table_counts_what_is_not_empty() -> None:
    found = Table("csv", [["a", ""], [], ["", "b\nc"]])
    assert (len(found), found.text, found.text_at("r3c2"), found.text_at("r1c2")) == (2, "a\nb\nc", "b\nc", None)
