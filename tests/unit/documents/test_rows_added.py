"""Rows that come to delimited text, lines, JSON and calendars: behind the place, in the way of the file."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workgym.documents import TextEdit, edit, read
from workgym.errors import EditRefused


def row(at: str, expected: str, *cells: Any) -> TextEdit:
    return TextEdit(at=at, expected=expected, replacement=None, mode="insert_row", cells=cells)


def gone(at: str, expected: str) -> TextEdit:
    return TextEdit(at=at, expected=expected, replacement=None, mode="remove_row")


def texts(name: str, content: bytes) -> list[tuple[str, str]]:
    return [(fragment.at, fragment.text) for fragment in read(name, content).fragments]


def test_delimited_text(csv: bytes) -> None:
    made = edit("a.csv", csv, [row("r2c1", "1", 9, 'a;"b"', "1,5")])
    assert made == csv.replace(b"2;Orbis", b'9;"a;""b""";1,5\r\n2;Orbis')
    assert edit("a.csv", csv, [row("r3c2", "Orbis", "x")]) == csv.replace(b"Orbis;7\r\n", b"Orbis;7\r\nx;;\r\n")
    with pytest.raises(EditRefused, match="3 fields, and the new one 4"):
        edit("a.csv", csv, [row("r2c1", "1", *"abcd")])
    with pytest.raises(EditRefused, match="no place r9c1"):
        edit("a.csv", csv, [row("r9c1", "", "x")])
    assert edit("a.csv", b'"a","b"\n"c","d"', [row("r2c1", "c", True, None)]) == b'"a","b"\n"c","d"\n"true",""'
    both = [row("r2c1", "c", "e"), gone("r2c1", "c"), row("r2c1", "c", "e")]
    assert edit("a.csv", b"a,b\nc,d\n", both) == b"a,b\ne,\ne,\n"


def test_tabs_are_the_delimiter_whatever_else_stands_there() -> None:
    content = b'a;b\tc\n1;2;3\t4;5\n"x\ty"\t6\n'
    assert texts("a.tsv", content) == [
        ("r1c1", "a;b"), ("r1c2", "c"), ("r2c1", "1;2;3"), ("r2c2", "4;5"), ("r3c1", "x\ty"), ("r3c2", "6"),
    ]  # fmt: skip
    assert {fragment.table for fragment in read("a.tab", content).fragments} == {"tsv"}
    change = TextEdit(at="r2c2", expected="4;5", replacement="7\t8")
    assert edit("a.tsv", content, [change]) == content.replace(b"4;5", b'"7\t8"')
    assert edit("a.tsv", content, [row("r1c1", "a;b", "n", 1)]) == content.replace(b"\tc\n", b"\tc\nn\t1\n")


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.log", "a.py", "a.SQL", "b/c.ini"])
def test_lines(name: str) -> None:
    content = b"one\r\n\ttwo = 2\r\nthree"
    assert read(name, content).text_at("l2") == "\ttwo = 2"
    assert edit(name, content, [row("l2", "\ttwo = 2", "2.5")]) == b"one\r\n\ttwo = 2\r\n2.5\r\nthree"
    assert edit(name, content, [row("l3[0:2]", "th", "four")]) == content + b"\r\nfour"
    change = TextEdit(at="l2[7:8]", expected="2", replacement="3")
    assert edit(name, content, [change]) == content.replace(b"2", b"3")
    for cells in (("a", "b"), ("a\nb",)):
        with pytest.raises(EditRefused, match="one text without line breaks"):
            edit(name, content, [row("l2", "\ttwo = 2", *cells)])


def test_json(json_file: bytes) -> None:
    made = edit("a.json", json_file, [row("/punches/1/in", "07:45", 9, "08:00", "20.25")])
    new = b'    {\n      "id": 9,\n      "in": "08:00",\n      "pay": {\n        "rate": 20.25\n      }\n    },\n'
    third = b'    {\n      "id": 3,'
    assert made == json_file.replace(third, new + third)
    assert read("a.json", made).text_at("/punches/2/pay/rate") == "20.25"
    assert edit("a.json", b"[1, 2]", [row("/1", "2", "3"), row("/1", "2", "x")]) == b'[1, 2, 3, "x"]'
    assert edit("a.json", b"[[1,2],[3,4]]", [row("/1/0", "3", 5)]) == b"[[1,2],[3,5,4]]"
    assert edit("a.json", b"[[1,2],[3,4]]", [row("/0", "", 5, None)]) == b"[[1,2],[5,null],[3,4]]"
    nested = b'{"a": [{"n": 1, "l": [{"x": 1}, {"x": 2}], "t": ["p"], "m": {"u": {"v": 1}, "w": {"v": 2}}}]}'
    assert edit("a.json", nested, [row("/a/0/n", "1", 2, "q")]) == nested.replace(
        b"}]}", b'}, {"n": 2, "l": [], "t": ["q"], "m": {"u": {"v": null}, "w": {"v": null}}}]}'
    )
    both = [gone("/1", "2"), gone("/2", "3")]
    assert edit("a.json", b"[1, 2, 3]", both) == b"[1]"
    assert edit("a.json", b"[1, 2, 3]", [*both, gone("/0", "1")]) == b"[]"
    for at, expected, cells, why in (
        ("/people/E1/name", "Ann", ("x",), "no array"),
        ("/month", "2026-03", ("x",), "no array"),
        ("/punches/0/id", "1", (1, 2, 3, 4), "no column 4"),
        ("/a~1b/0", "1", (1, 2), "one value, not 2"),
    ):
        with pytest.raises(EditRefused, match=why):
            edit("a.json", json_file, [row(at, expected, *cells)])


def test_calendars(ics: bytes) -> None:
    made = edit("a.ics", ics, [row("e2.SUMMARY", "Holiday 2, all day", "2026-06-01", "Fair; in Köln", None)])
    document = read("a.ics", made)
    found = dict(texts("a.ics", made))
    assert (found["e3.DTSTART"], found["e3.SUMMARY"], found["e4.SUMMARY"]) == (
        "20260601", "Fair; in Köln", "Holiday 3, all day",
    )  # fmt: skip
    assert b"DTSTART;VALUE=DATE:20260601\r\nSUMMARY:Fair\\; in K\xc3\xb6ln\r\nEND:VEVENT" in made
    assert "e3.DESCRIPTION" not in found
    assert len({one.text for one in document.fragments if one.label == "UID"}) == 4
    assert [part for part in ics.split(b"BEGIN:VEVENT") if part not in made] == []
    twice = edit("a.ics", ics, [row("e1.SUMMARY", "Holiday 1, all day", "2026-06-01", "x")] * 2)
    assert len({one.text for one in read("a.ics", twice).fragments if one.label == "UID"}) == 5
    back = edit("a.ics", made, [row("e3.SUMMARY", "Fair; in Köln", "20260602", "y", "told")])
    assert dict(texts("a.ics", back))["e4.DESCRIPTION"] == "told"
    for cells, why in (
        (("2026-06-01T07:00", "x"), "is not a date, as the property"),
        (("soon", "x"), "is not a date"),
        (tuple("abcdefg"), "and no more"),
    ):
        with pytest.raises(EditRefused, match=why):
            edit("a.ics", ics, [row("e1.SUMMARY", "Holiday 1, all day", *cells)])
    with pytest.raises(EditRefused, match="stands in no event"):
        edit("a.ics", ics, [row("calendar.X-WR-CALNAME", "Holidays", "x")])


CELLS = st.lists(
    st.text(st.characters(exclude_categories=("Cs", "Cc")) | st.just("\n"), max_size=8), min_size=3, max_size=3
)


@given(
    grid=st.lists(CELLS, min_size=1, max_size=4),
    new=CELLS,
    at=st.integers(0, 3),
    name=st.sampled_from(["a.csv", "a.tsv"]),
)
def test_a_row_of_anything_is_read_back(grid: list[list[str]], new: list[str], at: int, name: str) -> None:
    mark = "\t" if name == "a.tsv" else ","
    lines = [mark.join('"' + text.replace('"', '""') + '"' for text in line) for line in [["h", "i", "j"], *grid]]
    content = "\r\n".join(lines).encode()
    number = at % len(grid) + 1
    made = edit(name, content, [row(f"r{number + 1}c1", grid[number - 1][0], *new)])
    wanted = [["h", "i", "j"], *grid[:number], new, *grid[number:]]
    assert texts(name, made) == [
        (f"r{line}c{column}", text)
        for line, cells in enumerate(wanted, 1)
        for column, text in enumerate(cells, 1)
        if text
    ]
