"""Edits of web pages: what is named changes, every other character stays, and what cannot be exact is refused."""

from __future__ import annotations

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workgym.documents import TextEdit, edit, read
from workgym.errors import EditRefused, Unreadable

PAGE = """<!DOCTYPE html>
<html lang=en><head><meta charset=utf-8><title>Rates &amp; fares
 2026</title><meta name=description content="in 7 days">
<style>.gone, p.aside { display: none } @media print { .late { display: none } }
/* rule 5 */ i:after { content: "see 8" }</style>
<body>
<header><h1>Halden</h1><p>Line two</header>
<h2 id=top>Top  <b>bold </b> end</h2>
loose text &copy; 2026 <br> next &nbsp; line
<p>unclosed <i>it<p>second
<ul>
  <li id="a">one</li>
  <li>two <ul><li>deep</ul>
</ul>
<table><caption>Fares</caption>
<thead><tr><th>A<th>B</tr></thead>
<tbody>
  <tr id="r" class="x"><td>b1<td><b>b2</b></tr>
  <tr><td>c1<td></tr>
</tbody></table>
<p></p>
<div>last <span hidden>secret 9</span>one</div>
<div class=gone>not <b>shown</b></div><p class="x late">printed not</p>
<!-- note 12 --><script>var x = 1 < 2;</script><p><img alt="chart of 5" src=x>AT&T, 1 < 2 &notit;</p>
<pre>
 a  b
  c &lt; d
</pre>
<article><header>own</header></article>
<footer>foot <p>x</footer>
<section role=doc-endnotes><h2>Notes</h2><ol><li>First<li><p>Second</p><p>more</ol></section>
"""


def said(content: str | bytes) -> dict[str, str]:
    encoded = content.encode() if isinstance(content, str) else content
    return {fragment.at: fragment.text for fragment in read("a.html", encoded).fragments}


WORDS = st.text(alphabet="abcXYZ 019.,%&<>\"'äß–;:#/=?-", min_size=1, max_size=20).filter(lambda text: text.strip(" "))
INLINE = st.lists(
    st.one_of(
        WORDS.map(lambda text: html.escape(text)),
        WORDS.map(lambda text: f"<b>{html.escape(text)}</b>"),
        st.sampled_from(["<br>", " <i>", "</i> ", "&nbsp;", "&amp", "&#8364;", "<!-- no -->", "\n  ", "<img alt=''>"]),
    ),
    min_size=1,
    max_size=5,
).map("".join)
BLOCKS = st.lists(
    st.one_of(
        INLINE.map(lambda text: f"<p>{text}"),
        INLINE.map(lambda text: f"<h2>{text}</h2>"),
        st.lists(INLINE, max_size=3).map(lambda items: f"<ul>{''.join(f'<li>{item}' for item in items)}</ul>"),
        st.lists(st.lists(INLINE, min_size=1, max_size=3), max_size=3).map(
            lambda rows: f"<table>{''.join('<tr>' + ''.join(f'<td>{cell}' for cell in row) for row in rows)}</table>"
        ),
        INLINE,
    ),
    max_size=6,
).map("\n".join)


@given(source=BLOCKS, data=st.data())
def test_an_edit_changes_exactly_its_place(source: str, data: st.DataObject) -> None:
    content = f"<!DOCTYPE html><title>t &amp; t</title>\r\n{source}".encode()
    before = said(content)
    at = data.draw(st.sampled_from([at for at in before if at[0] not in "ca"]))
    text = before[at]
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    new = data.draw(WORDS)
    change = TextEdit(at=f"{at}[{start}:{end}]", expected=text[start:end], replacement=new)
    try:
        made = edit("a.html", content, [change])
    except EditRefused as error:
        wanted = text[:start] + new + text[end:]
        collapsed = "\n".join(" ".join(line.split(" ")).strip(" ") for line in wanted.split("\n")).strip("\n")
        # Where a line break goes, a blank of the source that stood beside it would be read.
        break_goes = "\n" in text[start:end] and "it would read" in str(error)
        assert "  " in wanted or collapsed != wanted or "&" in text or break_goes, error
        return
    assert said(made) == {**before, at: text[:start] + new + text[end:]}
    assert edit("a.html", content, [change]) == made
    assert len(made) - len(content) <= 6 * len(new)  # nothing is written anew but that text


def change(
    at: str, expected: str, new: str | None = None, mode: str = "set", cells: tuple[object, ...] = ()
) -> TextEdit:
    raw = {"at": at, "expected": expected, "replacement": new, "mode": mode, "cells": cells}
    return TextEdit.model_validate(raw)


@pytest.mark.parametrize(
    ("edits", "old", "new"),
    [
        ([change("p1", "Top bold end", "Top <bald> end")], "<b>bold </b>", "<b>&lt;bald&gt; </b>"),
        ([change("p2[13:15]", "20", "19"), change("p2[18:22]", "next", "R&D")], "2026 <br> next", "1926 <br> R&amp;D"),
        (
            [change("p2", "loose text © 2026\nnext \xa0 line", "a\nb")],
            "loose text &copy; 2026 <br> next &nbsp; line",
            "a<br>b  ",
        ),
        ([change("title", "Rates & fares 2026", "Rates & fares > 20")], "\n 2026", "\n &gt; 20"),
        ([change("t1r3c2", "", "filled")], "c1<td></tr>", "c1<td>filled</tr>"),
        ([change("p9", "", "a < b")], "<p></p>", "<p>a &lt; b</p>"),
        ([change("p5", "one", mode="clear")], '"a">one<', '"a"><'),
        ([change("p14", " a  b\n  c < d", " a  b\n  e")], "c &lt; d", "e"),
        ([change("p5", "one", mode="remove_row")], '  <li id="a">one</li>\n', ""),
        ([change("p4", "second", mode="remove_row")], "<p>second\n", ""),
        ([change("t1r3c1", "c1", mode="remove_row")], "  <tr><td>c1<td></tr>\n", ""),
        (
            [change("t1r3c1", "c1", mode="remove_row"), change("p15", "own", "mine")],
            "  <tr><td>c1<td></tr>\n",
            "",
        ),
        (
            [change("p5", "one", mode="insert_row", cells=("new & <1>",))],
            '"a">one</li>',
            '"a">one</li>\n  <li>new &amp; &lt;1&gt;</li>',
        ),
        (
            [change("p6", "two", mode="insert_row", cells=("three",))],
            "<li>deep</ul>\n",
            "<li>deep</ul>\n  <li>three</li>\n",
        ),
        (
            [change("t1r2c1", "b1", mode="insert_row", cells=("x", 12))],
            "<b>b2</b></tr>",
            '<b>b2</b></tr>\n  <tr class="x"><td>x<td><b>12</b></tr>',
        ),
        (
            [change("t1r1c1", "A", mode="insert_row", cells=("x", None))],
            '  <tr id="r"',
            '  <tr class="x"><td>x<td><b></b></tr>\n  <tr id="r"',
        ),
    ],
)
def test_edits(edits: list[TextEdit], old: str, new: str) -> None:
    made = edit("a.html", PAGE.encode(), edits).decode()
    wanted = PAGE.replace(old, new, 1)
    if len(edits) == 2 and edits[1].replacement == "mine":
        wanted = wanted.replace("<header>own", "<header>mine")
    assert made == wanted != PAGE


@pytest.mark.parametrize(
    ("edits", "why"),
    [
        ([change("p1", "Top bold end", "Top  bold")], "would read"),
        ([change("p1", "Top bold end", " Top")], "would read"),
        ([change("p1", "something", "x")], "says 'Top bold end', not 'something'"),
        ([change("p99", "x", "y")], "no place p99"),
        ([change("c1", "note 12", "x")], "no place c1"),
        ([change("p2", said(PAGE)["p2"], mode="clear")], "would read|around it"),
        ([change("p2", said(PAGE)["p2"], mode="remove_row")], "paragraph, heading or list item of its own"),
        ([change("p6", "two", mode="remove_row")], "of its own"),
        ([change("title", "Rates & fares 2026", mode="remove_row")], "no row"),
        ([change("title", "Rates & fares 2026", "a\nb")], "would read 'a<br>b'"),
        ([change("n2", "Second\nmore", "one")], "end of a block"),
        ([change("t1r2c1", "b1", mode="insert_row", cells=(1, 2, 3))], "2 cells, not 3"),
        ([change("p5", "one", mode="insert_row", cells=("a", "b"))], "one text, not 2"),
        ([change("p14", said(PAGE)["p14"], mode="insert_row", cells=("a",))], "preformatted"),
        ([change("p3", "unclosed it", "a\x01b")], "control characters"),
        ([change("p3[0:5]", "unclo", "x"), change("p3[3:8]", "losed", "y")], "two edits"),
    ],
)
def test_what_cannot_be_exact_is_refused(edits: list[TextEdit], why: str) -> None:
    with pytest.raises(EditRefused, match=why):
        edit("a.html", PAGE.encode(), edits)


@pytest.mark.parametrize("at", ["t1r1c1", "t1r2c2", "t1r3c1"])
def test_rows_that_share_cells_or_hold_tables_stay(at: str) -> None:
    source = "<table><tr><td rowspan=2>a<td>b<tr><td>c<tr><td>d<table><tr><td>e</table></table>"
    for mode, cells in (("remove_row", ()), ("insert_row", ("x",))):
        with pytest.raises(EditRefused, match="shares a cell|a table stands"):
            edit("a.html", source.encode(), [change(at, said(source)[at], mode=mode, cells=cells)])


def test_an_ampersand_that_would_become_a_reference() -> None:
    with pytest.raises(EditRefused, match="would read 'R&D'"):
        edit("a.html", b"<p>R&D", [change("p1[2:2]", "", "amp;")])


@given(at=st.integers(0, len(PAGE)), cut=st.integers(0, 30), new=st.text(alphabet="<>/!-&;'\" tdrp", max_size=6))
def test_a_mutated_page(at: int, cut: int, new: str) -> None:
    mutated = (PAGE[:at] + new + PAGE[at + cut :]).encode()
    try:
        document = read("a.html", mutated)
    except Unreadable:
        return
    for fragment in document.fragments[:3]:
        if fragment.at[0] in "ptfhn" and "." not in fragment.at and not fragment.hidden:
            try:
                made = edit("a.html", mutated, [change(fragment.at, fragment.text, "new")])
            except EditRefused:
                continue
            after = {one.at: one.text for one in read("a.html", made).fragments}
            assert after == {one.at: one.text for one in document.fragments} | {fragment.at: "new"}


def test_blanks_behind_blanks_go_with_them() -> None:
    made = edit("a.html", b"<p>one<b> two </b>\n <i> three</i>", [change("p1[7:13]", " three", " 3")])
    assert said(made) == {"p1": "one two 3"}
    made = edit("a.html", b"<p>one<b> two </b>\n <i> three</i>", [change("p1[4:8]", "two ", "")])
    assert said(made) == {"p1": "one three"}
    made = edit("a.html", b"<p>one<b> two </b>\n <i> three</i>", [change("p1[7:8]", " ", "-")])
    assert made == b"<p>one<b> two-</b><i>three</i>"
