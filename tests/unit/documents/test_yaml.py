"""YAML: read as JSON is, edited by position, and nothing else changed."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from workgym.documents import TextEdit, edit, read
from workgym.documents.yaml.text import scalar
from workgym.errors import DocumentError, EditRefused, Unreadable
from workgym.records.yaml12 import CoreLoader

FILE = b"""\
# Price list, second quarter
version: 1.50     # of the form
released: 2026-03-01
open: NO
cut_off: 12:30
contact: 'Ann O''Hara'
terms: "FCA Hamburg"
note: |
  Prices are net.
  Freight is extra.

empty:
nothing: ~
lines:
  # the first one
  - id: 1
    item: Box, small
    price: 12.50    # per piece
    tags: [red, "blue"]
    steps:
      - {n: 1, t: 07:00}
  - id: 2
    item: Carton
    price: 8
    tags: [green, grey]
    steps:
    - {n: 1, t: 08:00}
    - {n: 2, t: 09:00}

  # the last one
  - id: 3
    item: "3"
    price: .5
codes:
- A1
- B2
matrix: [[1, 2], [3, 4]]
people: {E1: {name: Ann}, E2: {name: Bo}}
"""


def texts(content: bytes) -> dict[str, str]:
    """What it says, comments by their order."""
    fragments = read("a.yaml", content).fragments
    remarks = {f"comment {number}": one.text for number, one in enumerate(one for one in fragments if one.hidden)}
    return {fragment.at: fragment.text for fragment in fragments if not fragment.hidden} | remarks


def change(at: str, expected: str, replacement: str, value: Any = None) -> TextEdit:
    return TextEdit(at=at, expected=expected, replacement=replacement, value=value)


def row(at: str, expected: str, *cells: Any) -> TextEdit:
    mode = "insert_row" if cells else "remove_row"
    return TextEdit.model_validate({"at": at, "expected": expected, "replacement": None, "mode": mode, "cells": cells})


def refusal(content: bytes) -> str:
    with pytest.raises(Unreadable) as caught:
        read("a.yaml", content)
    assert "\n" not in str(caught.value)
    return caught.value.reason


def test_scalars_are_those_of_yaml_1_2() -> None:
    found = {fragment.at: (fragment.text, fragment.value) for fragment in read("a.yaml", FILE).fragments}
    assert found["/version"] == ("1.50", "1.50")
    assert found["/released"] == ("2026-03-01", None)
    assert found["/open"] == ("NO", None)
    assert found["/cut_off"] == ("12:30", None)
    assert found["/contact"] == ("Ann O'Hara", None)
    assert found["/empty"] == found["/nothing"] == ("null", None)
    assert found["/note"][0] == "Prices are net.\nFreight is extra.\n"
    assert found["/lines/0/id"] == ("1", 1)
    assert found["/lines/2/item"] == ("3", None)
    assert found["l1.comment"][0] == "Price list, second quarter"
    assert found["l18.comment"][0] == "per piece"
    assert sum(at.endswith(".comment") for at in found) == 5


def test_the_grids_are_those_of_json() -> None:
    as_json = json.dumps(yaml.load(FILE, Loader=CoreLoader)).encode()
    mine = [fragment for fragment in read("a.yaml", FILE).fragments if not fragment.hidden]
    for fragment, other in zip(mine, read("a.json", as_json).fragments, strict=True):
        assert (fragment.at, fragment.table, fragment.row, fragment.column, fragment.label) == (
            other.at,
            other.table,
            other.row,
            other.column,
            other.label,
        )


def test_aliases_stand_for_the_same_again() -> None:
    content = b"base: &b {k: v, n: 1}\nuse:\n  <<: *b\n  n: 2\nagain: *b\n"
    found = texts(content)
    assert (found["/use/k"], found["/use/n"], found["/again/n"]) == ("v", "2", "1")
    for at, said in (("/use/k", "v"), ("/again/k", "v"), ("/base/k", "v")):
        with pytest.raises(EditRefused, match="stand in several places"):
            edit("a.yaml", content, [change(at, said, "w")])
    assert texts(edit("a.yaml", content, [change("/use/n", "2", "3")]))["/use/n"] == "3"


def test_several_documents_are_a_list() -> None:
    content = b"---\nkind: A\n---\nkind: B\n...\n"
    assert texts(content) == {"/0/kind": "A", "/1/kind": "B"}
    assert edit("a.yaml", content, [change("/1/kind", "B", "C")]) == content.replace(b"B", b"C")
    with pytest.raises(EditRefused, match="no list"):
        edit("a.yaml", content, [row("/1/kind", "B")])


@pytest.mark.parametrize(
    ("at", "expected", "new", "old_text", "new_text"),
    [
        ("/version", "1.50", "1.75", "1.50 ", "1.75 "),
        ("/version", "1.50", "two", "1.50 ", "two "),
        ("/released", "2026-03-01", "2026-04-01", "2026-03-01", "2026-04-01"),
        ("/released", "2026-03-01", "May 2026", "2026-03-01", "May 2026"),
        ("/cut_off", "12:30", "13:45", "12:30", "13:45"),
        ("/open", "NO", "YES", "NO", "YES"),
        ("/open", "NO", "12", "NO", '"12"'),
        ("/contact", "Ann O'Hara", "Bo's", "'Ann O''Hara'", "'Bo''s'"),
        ("/terms", "FCA Hamburg", "DAP: Kiel", '"FCA Hamburg"', '"DAP: Kiel"'),
        ("/empty", "null", "9", "empty:", "empty: 9"),
        ("/nothing", "null", "a # b", "~", '"a # b"'),
        ("/lines/0/tags/0", "red", "a, b", "[red", '["a, b"'),
        ("/lines/0/item", "Box, small", "Box, large: blue", "Box, small", '"Box, large: blue"'),
        ("/lines/1/steps/1/t", "09:00", "10:00", "t: 09:00", 't: "10:00"'),
        ("/note", "Prices are net.\nFreight is extra.\n", "One.\n\nTwo.\n", "  Prices are net.\n  Freight is extra.",
         "  One.\n\n  Two."),
        ("/matrix/1/0", "3", "30", "[3", "[30"),
    ],
)  # fmt: skip
def test_one_scalar_changes(at: str, expected: str, new: str, old_text: str, new_text: str) -> None:
    made = edit("a.yaml", FILE, [change(at, expected, new)])
    assert made == FILE.replace(old_text.encode(), new_text.encode(), 1)
    assert texts(made) == texts(FILE) | {at: new}


def test_clearing_and_values() -> None:
    cleared = TextEdit(at="/terms", expected="FCA Hamburg", replacement=None, mode="clear")
    assert edit("a.yaml", FILE, [cleared]) == FILE.replace(b'"FCA Hamburg"', b"null")
    part = TextEdit(at="/terms[3:11]", expected=" Hamburg", replacement=None, mode="clear")
    assert edit("a.yaml", FILE, [part]) == FILE.replace(b" Hamburg", b"")
    assert b"price: 9.25\n" in edit("a.yaml", FILE, [change("/lines/1/price", "8", "9.25", "9.25")])
    assert b"item: 7\n" in edit("a.yaml", FILE, [change("/lines/1/item", "Carton", "7", 7)])


def test_rows_go_with_their_lines_and_remarks_stay() -> None:
    second = FILE[FILE.index(b"  - id: 2") : FILE.index(b"\n  # the last")]
    assert edit("a.yaml", FILE, [row("/lines/1/price", "8")]) == FILE.replace(second, b"")
    third = b'  - id: 3\n    item: "3"\n    price: .5\n'
    assert edit("a.yaml", FILE, [row("/lines/2/id", "3")]) == FILE.replace(third, b"")
    assert edit("a.yaml", FILE, [row("/codes/0", "A1")]) == FILE.replace(b"- A1\n", b"")
    both = [row("/codes/1", "B2"), row("/codes/0", "A1")]
    assert edit("a.yaml", FILE, both) == FILE.replace(b"codes:\n- A1\n- B2", b"codes: []")
    both = [row("/matrix/1/0", "3"), row("/matrix/1/1", "4")]
    assert edit("a.yaml", FILE, both) == FILE.replace(b"[3, 4]", b"[]")
    assert edit("a.yaml", FILE, [row("/matrix/0/0", "1")]) == FILE.replace(b"[1, 2]", b"[2]")
    assert edit("a.yaml", FILE, [row("/people/E2/name", "Bo")]) == FILE.replace(b", E2: {name: Bo}", b"")
    steps = edit("a.yaml", FILE, [row("/lines/0/steps/0/n", "1")])
    assert steps == FILE.replace(b"steps:\n      - {n: 1, t: 07:00}", b"steps: []", 1)
    inline = b"- - a\n  - b\n- - c\n"
    assert edit("a.yaml", inline, [row("/0/0", "a")]) == b"- - b\n- - c\n"


def test_rows_come() -> None:
    made = edit("a.yaml", FILE, [row("/lines/0/id", "1", 4, "Bag: small", "7.25", "white", None)])
    new = b'  - id: 4\n    item: "Bag: small"\n    price: 7.25\n    tags: [white, null]\n    steps: []\n'
    assert made == FILE.replace(b"  - id: 2", new + b"  - id: 2")
    assert edit("a.yaml", FILE, [row("/codes/1", "B2", "NO")]) == FILE.replace(b"- B2\n", b'- B2\n- "NO"\n')
    assert edit("a.yaml", FILE, [row("/matrix/1/0", "3", 9)]) == FILE.replace(b"[3, 4]", b"[3, 9, 4]")
    assert edit("a.yaml", FILE, [row("/matrix/1", "", 5, "x")]) == FILE.replace(b"[3, 4]", b"[3, 4], [5, x]")
    two = [row("/codes/0", "A1", "x"), row("/codes/0", "A1", "x")]
    assert edit("a.yaml", FILE, two) == FILE.replace(b"- A1\n", b"- A1\n- x\n- x\n")
    with pytest.raises(EditRefused, match="no column 6"):
        edit("a.yaml", FILE, [row("/lines/1/id", "2", *range(9))])
    with pytest.raises(EditRefused, match="no list"):
        edit("a.yaml", FILE, [row("/people/E1/name", "Ann", "x")])
    assert edit("a.yaml", b"- 1\n- 2", [row("/1", "2", 3)]) == b"- 1\n- 2\n- 3"


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**12), 10**12),
    st.decimals(-1000, 1000, places=2).map(float),
    st.text(max_size=20),
    st.sampled_from(["", "a: b", "a #b", " x", *"NO yes on 12:30 1_000 0x1F 0o17 2026-03-01 ~ .inf - a:b <<".split()]),
)
KEYS = st.text(min_size=1, max_size=8) | st.sampled_from(["y", "on", "12", "a/b", "a~b"])
DATA = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3))


@given(data=DATA, style=st.sampled_from([None, True, False]), numbered=st.integers(0, 50), new=st.text(max_size=12))
def test_what_others_write_is_read_and_edited(data: Any, style: bool | None, numbered: int, new: str) -> None:
    """PyYAML writes; a random scalar changes, and nothing else does."""
    content = yaml.safe_dump(data, default_flow_style=style, allow_unicode=numbered % 2 == 0, width=30).encode()
    fragments = read("a.yaml", content).fragments
    if not fragments:
        return
    fragment = fragments[numbered % len(fragments)]
    try:
        made = edit("a.yaml", content, [change(fragment.at, fragment.text, new)])
    except EditRefused as error:
        assert "as the file is written" in str(error) or "fit the way" in str(error)
        return
    expected = new if new else ""
    assert texts(made) == texts(content) | {fragment.at: expected}


@given(text=st.text() | st.sampled_from("NO y on ~ 0x1F 1_0 12:30 1e3 .5 = << 2026-03-01 null".split()))
def test_a_text_stays_a_text_in_every_version(text: str) -> None:
    text = "".join(char for char in text if not "\ud800" <= char <= "\udfff")
    for written in (scalar(text), f"[{scalar(text, flow=True)}]", f"{{{scalar(text, flow=True)}: 1}}"):
        for loader in (yaml.SafeLoader, CoreLoader):
            found = yaml.load(written, Loader=loader)
            assert (next(iter(found)) if isinstance(found, (list, dict)) else found) == text


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "truncated"),
        (b"# nothing\n", "truncated"),
        (b"a: [1, 2", "corrupt"),
        (b"a: 1\na: 2\n", "corrupt"),
        (b"a: !!python/object/apply:os.system [ls]\n", "corrupt"),
        (b"a: !Ref b\n", "corrupt"),
        (b"? [a, b]\n: 1\n", "corrupt"),
        (b"a: &a [*a]\n", "corrupt"),
        (b"a: *b\n", "corrupt"),
        (b'a: "\\uD800"\n', "corrupt"),
        (b"a: \x01\n", "corrupt"),
        (b"%YAML 3.0\n---\na: 1\n", "corrupt"),
        (b"[" * 5000, "over-limit"),
        (b"".join(b" " * level + b"a:\n" for level in range(200)), "over-limit"),
        (b"- &a0 []\n" + b"".join(b"- &a%d [*a%d, *a%d]\n" % (n, n - 1, n - 1) for n in range(1, 60)), "over-limit"),
        (b"a: " + b"x" * 4_000_001, "over-limit"),
    ],
)  # fmt: skip
def test_hostile_files(content: bytes, reason: str) -> None:
    assert refusal(content) == reason


@settings(max_examples=40)
@given(data=st.binary(max_size=200), at=st.integers(0, len(FILE)), cut=st.integers(0, 40))
def test_damaged_files(data: bytes, at: int, cut: int) -> None:
    for content in (data, FILE[:at], FILE[:at] + data + FILE[at + cut :], FILE[:at] + FILE[at + cut :]):
        try:
            document = read("a.yaml", content)
            for fragment in document.fragments[:1]:
                edit("a.yaml", content, [change(fragment.at, fragment.text, "new")])
        except DocumentError as error:
            assert "\n" not in str(error)
