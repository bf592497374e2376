"""Web pages as they are found: what browsers show is read, what they hide told apart, edits touch nothing else."""

from __future__ import annotations

import html
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workgym.documents import Document, TextEdit, edit, read, read_all
from workgym.errors import Unreadable

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


def test_a_page() -> None:
    document = read("a.htm", PAGE.encode())
    shown = {fragment.at: fragment.text for fragment in document.fragments if not fragment.hidden}
    assert shown == {
        "title": "Rates & fares 2026",
        "h1": "Halden",
        "h2": "Line two",
        "p1": "Top bold end",
        "p2": "loose text © 2026\nnext \xa0 line",
        "p3": "unclosed it",
        "p4": "second",
        "p5": "one",
        "p6": "two",
        "p7": "deep",
        "p8": "Fares",
        "t1r1c1": "A",
        "t1r1c2": "B",
        "t1r2c1": "b1",
        "t1r2c2": "b2",
        "t1r3c1": "c1",
        "p10": "last one",
        "p12": "printed not",
        "p13": "AT&T, 1 < 2 ¬it;",
        "p14": " a  b\n  c < d",
        "p15": "own",
        "f1": "foot",
        "f2": "x",
        "p16": "Notes",
        "n1": "First",
        "n2": "Second\nmore",
    }
    hidden = {fragment.at: fragment.text for fragment in document.fragments if fragment.hidden}
    assert hidden == {
        "p10.hidden": "secret 9",
        "p11": "not shown",
        "m1": "in 7 days",
        "y1": "rule 5",
        "y2": "see 8",
        "a1": "chart of 5",
        "c1": "note 12",
        "x1": "var x = 1 < 2;",
    }
    labels = {fragment.at: fragment.label for fragment in document.fragments}
    assert (labels["p1"], labels["p5"], labels["a1"], labels["p2"]) == ("heading 2", "list item", "img.alt", None)
    cell = next(fragment for fragment in document.fragments if fragment.at == "t1r2c2")
    assert (cell.table, cell.row, cell.column) == ("t1", 2, 2)


@pytest.mark.parametrize(
    ("table", "places"),
    [
        (
            "<tr><th rowspan=2>A<th colspan=2>B<tr><th>C<th>D<tr><td>1<td>2<td>3",
            {"t1r1c1": "A", "t1r1c2": "B", "t1r2c2": "C", "t1r2c3": "D", "t1r3c1": "1", "t1r3c2": "2", "t1r3c3": "3"},
        ),
        ("<tbody><tr><td rowspan=9>a<td>b<tbody><tr><td>c", {"t1r1c1": "a", "t1r1c2": "b", "t1r2c1": "c"}),
        ("<tr><td rowspan=0>a<td>b<tr><td>c<tr><td>d", {"t1r1c1": "a", "t1r1c2": "b", "t1r2c2": "c", "t1r3c2": "d"}),
        ("<td>a</td></tr><td>b", {"t1r1c1": "a", "t1r2c1": "b"}),
        (
            "<tr><td>a<table><tr><td>in 1<td>in 2</table>b<td>c",
            {"t1r1c1": "a\nb", "t2r1c1": "in 1", "t2r1c2": "in 2", "t1r1c2": "c"},
        ),
        ("<tr><td><p>a<p>b<ul><li>c</ul><td colspan=x>d", {"t1r1c1": "a\nb\nc", "t1r1c2": "d"}),
    ],
)
def test_cells_stand_right_in_the_grid(table: str, places: dict[str, str]) -> None:
    assert said(f"<p>x<table>{table}</table>y") == {"p1": "x", "p2": "y", **places}


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ('<p style="display : NONE">x', None),
        ('<div style="visibility:hidden"><p>x</div>', None),
        ('<p style="opacity:0.0">x', None),
        ('<p style="font-size:1px">x', None),
        ('<p style="color:#FFF">x', None),
        ('<p style="color:rgb(250, 252,255)">x', None),
        ('<p style="color:#fff;background:#123">x', "x"),
        ('<div bgcolor=navy><p style="color:white">x</div>', "x"),
        ("<style>body{background:#000}</style><p style='color:white'>x", "x"),
        ("<style>.a{display:none} .a{display:block}</style><p class=a>x", "x"),
        ("<style>#k, p.a.b {display:none}</style><p class='b c a'>x", None),
        ("<style>div .a {display:none}</style><p class=a>x", "x"),
        ("<dialog><p>x</dialog>", None),
        ("<template><p>x</template>", None),
        ("<p>x<script>//</script>", "x"),
        ("<p style='font-size:0.9em;opacity:.5;white-space:pre'>x  y", "x  y"),
    ],
)
def test_what_a_style_hides(source: str, text: str | None) -> None:
    shown = [fragment.text for fragment in read("a.html", source.encode()).fragments if not fragment.hidden]
    assert shown == ([] if text is None else [text])
    assert "x" in said(source).get("p1", "")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("é €".encode(), "é €"),
        ("é €".encode("cp1252"), "é €"),
        (b"<meta charset=iso-8859-1>\xe9 \x80", "é €"),
        (b"<meta http-equiv=content-type content='text/html; charset=ISO-8859-5'>\xd4", "д"),
        ("<meta charset=shift_jis>日本".encode("cp932"), "日本"),
        (b"<meta charset=utf-8>a\xffb", "a\ufffdb"),
        ("é".encode("utf-16"), "é"),
        ("\ufeff<meta charset=latin1>é".encode(), "é"),
        (b"<meta charset=klingon>\xc3\xa9", "é"),
    ],
)
def test_encodings(content: bytes, text: str) -> None:
    assert said(content)["p1"] == text
    if "\ufffd" not in text:
        made = edit("a.html", content, [TextEdit(at="p1", expected=text, replacement=f"{text} Ω <&>")])
        assert said(made)["p1"] == f"{text} Ω <&>"
    made = edit("a.html", content, [TextEdit(at="p1", expected=text, replacement=text)])
    assert made == content


class _Naive(HTMLParser):
    """The text that the standard library finds, as a second opinion."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.raw = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.raw += tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self.raw -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self.raw:
            self.found += data.split()


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


@given(source=BLOCKS)
def test_no_word_is_lost(source: str) -> None:
    document = read("a.html", source.encode())
    naive = _Naive()
    naive.feed(source)
    naive.close()
    ours = "".join(fragment.text for fragment in document.fragments if not fragment.hidden)
    assert sorted("".join(ours.split())) == sorted("".join(naive.found))


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("<p>a <b", "truncated"),
        ("<p>a <!-- b", "truncated"),
        ("<script>a", "truncated"),
        ("<p title='a>b", "truncated"),
        ("a\x00b", "corrupt"),
        ("<b>" * 400, "over-limit"),
        ("<table>" + "<tr>" + "<td rowspan=60000>" * 3000 + "<tr><td>" * 700, "over-limit"),
    ],
)
def test_pages_that_are_refused(source: str, reason: str) -> None:
    with pytest.raises(Unreadable) as caught:
        read("a.html", source.encode())
    assert caught.value.reason == reason
    assert "\n" not in str(caught.value)


@given(
    content=st.one_of(
        st.binary(max_size=200), st.text(alphabet="<>/!-&;#x='\" \ntdrpblie1", max_size=200).map(str.encode)
    )
)
def test_garbage(content: bytes) -> None:
    try:
        document = read("a.html", content)
    except Unreadable:
        return
    assert len({fragment.at for fragment in document.fragments}) == len(document.fragments)


def test_many_pages_in_the_child_as_here() -> None:
    found = read_all({"a.html": PAGE.encode(), "b.html": b"<p>a <b"})
    assert isinstance(found["a.html"], Document)
    assert found["a.html"] == read("a.html", PAGE.encode())
    assert isinstance(found["b.html"], Unreadable)


@pytest.mark.parametrize(
    ("style", "seen"),
    [
        ("position:absolute; left:-9999px", False),
        ("position:absolute; left:20px", True),
        ("margin-left:-4px", True),
        ("text-indent:-9999px", False),
        ("height:0; overflow:hidden", False),
        ("height:40px; overflow:hidden", True),
        ("clip-path:inset(50%)", False),
        ("position:absolute; clip:rect(0 0 0 0)", False),
        ("transform:scale(0)", False),
        ("transform:scale(0.9)", True),
        ("color:transparent", False),
        ("color:transparent; -webkit-background-clip:text", True),
        ("color:rgba(0, 0, 0, 0)", False),
        ("color:rgba(0, 0, 0, 0.8)", True),
        ("color:#00000000", False),
        ("color:#FF0000FF", True),
        ("color:#fff", False),
        ("color:#ffff", False),
        ("color:rgba(255, 255, 255, 1)", False),
        ("color:whitesmoke", False),
        ("background:#123; color:#fff", True),
        ("background:transparent; color:#fff", False),
    ],
)
def test_what_an_inline_style_hides(style: str, seen: bool) -> None:
    page = f"<p style='{style}'>47</p><p>text</p>"
    assert [one.hidden for one in read("a.html", page.encode()).fragments if one.text == "47"] == [not seen]


@pytest.mark.parametrize(
    ("sheet", "seen"),
    [("body{background:#fff}", False), ("body{background-color: #123}", True), ("p{margin:0}", False)],
)
def test_white_text_under_a_style_sheet(sheet: str, seen: bool) -> None:
    page = f"<style>{sheet}</style><p style='color:#fff'>47</p>"
    assert [one.hidden for one in read("a.html", page.encode()).fragments if one.text == "47"] == [not seen]
