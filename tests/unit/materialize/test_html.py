"""Web pages: valid, self-contained, alike for one company and unlike for two, and read back as they were meant."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workgym.documents import TextEdit, edit, read
from workgym.materialize import Rendered, Scope, render
from workgym.materialize.html.style import sheet
from workgym.materialize.look.look import look_of
from workgym.materialize.marks import Marked
from workgym.materialize.prose import parse
from workgym.plan import ArtifactSpec

Worlds = Callable[..., Scope]
PAGE = """---
letterhead: true
company: "{{ context.firm.name }}"
address: "{{ context.firm.street }}"
title: "Rates of {{ rate.rate }}"
footer: "Version 4"
header: "Internal"
lang: de-AT
---
# 1 Travel

The rate is **{{ rate.rate }}**[^a]  of <all> & "more"[^b].\\
{{ context.buyer }}

| Supplier[^c] | Price |
|:--|--:|
{% for q in quote %}
| {{ q.supplier }} | {{ q.price | money }} |
{% endfor %}

3. three
4. four
   - under[^d]
9. nine
- {{ rate.rate }}

---
<!-- page -->
### Last
[^c]: C & {{ rate.rate }}
[^a]: A **bold** one
[^b]: B
[^d]: D
"""


def page(world: Worlds, template: str, look: str = "x") -> Rendered:
    """A page over the small world; each of its anchors is found by the reader."""
    made = render(ArtifactSpec(path="a/p.html", template=template, role="distractor"), world(), look)
    document = read(made.path, made.content)
    for anchor in made.anchors:
        text, span = document.text_at(anchor.place.base), anchor.place.span
        assert text is not None, anchor
        assert (text if span is None else text[span[0] : span[1]]) == anchor.printed, anchor
    return made


class _Strict(HTMLParser):
    """Refuses tags that are not closed in order, what comes from elsewhere, and what runs."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in ("script", "link", "iframe", "img", "base"), tag
        for name, value in attrs:
            assert not name.startswith("on") and name != "src"
            assert name != "href" or (value or "").startswith("#")
        self.ids += [value or "" for name, value in attrs if name == "id"]
        if tag not in ("meta", "hr", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ("polygon", "circle")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def strict(content: bytes) -> None:
    checker = _Strict()
    checker.feed(content.decode())
    checker.close()
    assert checker.open == []
    assert len(set(checker.ids)) == len(checker.ids)


def test_a_page(world: Worlds) -> None:
    made = page(world, PAGE)
    document = read("p.html", made.content)
    assert {fragment.at: fragment.text for fragment in document.fragments} == {
        "title": "Rates of 8.5 %",
        "h1": "Hollmann",
        "h2": "Kanalstrasse 14",
        "h3": "Internal",
        "p1": "1 Travel",
        "p2": 'The rate is 8.5 %[1] of <all> & "more"[2].\nInes Roth',
        "t1r1c1": "Supplier[3]",
        "t1r1c2": "Price",
        "t1r2c1": "Nordpak GmbH",
        "t1r2c2": "1,234.50 USD",
        "t1r3c1": "Brüder Köhler & Söhne",
        "t1r3c2": "0.93 USD",
        "t1r4c1": "Acme | Packing *Intl*",
        "t1r4c2": "-17.00 USD",
        "p3": "three",
        "p4": "four",
        "p5": "under[4]",
        "p6": "nine",
        "p7": "8.5 %",
        "p8": "Last",
        "n1": "A bold one",
        "n2": "B",
        "n3": "C & 8.5 %",
        "n4": "D",
        "f1": "Version 4",
    }
    assert not any(fragment.hidden for fragment in document.fragments)
    strict(made.content)
    text = made.content.decode()
    assert '<html lang="de-AT">' in text
    assert '<ol start="3">' in text and '<li value="9">nine' in text and '<hr class="page">' in text
    decor = {anchor.place.at: anchor.printed for anchor in made.anchors if anchor.kind == "decor"}
    assert {"p1[0:1]": "1", "p2[18:19]": "1", "t1r1c1[9:10]": "3", "p5[6:7]": "4"}.items() <= decor.items()
    assert made == page(world, PAGE)


@pytest.mark.parametrize("head", ["left", "right", "centre", "band"])
def test_every_look_is_sound_and_says_nothing(world: Worlds, head: str) -> None:
    seed = next(str(at) for at in range(99) if look_of(str(at)).head == head)
    made = page(world, PAGE.replace("lang: de-AT", f"look: {seed}"))
    strict(made.content)
    css = sheet(look_of(seed))
    assert css.count("{") == css.count("}") and "/*" not in css and " content:" not in css and "url" not in css
    assert len(read("p.html", made.content).fragments) == 25


def test_companies_do_not_look_alike() -> None:
    sheets = {sheet(look_of(f"Firm {at}")) for at in range(60)}
    assert len(sheets) >= 58


def test_titles_and_headers(world: Worlds) -> None:
    def shown(template: str) -> dict[str, str]:
        made = page(world, template)
        strict(made.content)
        return {fragment.at: fragment.text for fragment in read("p.html", made.content).fragments}

    assert shown("just text") == {"title": "p", "p1": "just text"}
    assert shown("# A {{ rate.rate }}[^1]\n[^1]: b") == {"title": "A 8.5 %[1]", "p1": "A 8.5 %[1]", "n1": "b"}
    assert shown("---\ntitle: On 2 things\n---\ntext") == {"title": "On 2 things", "h1": "On 2 things", "p1": "text"}
    assert shown("---\ntitle: T\n---\n# Own") == {"title": "T", "p1": "Own"}


WORD = st.text("abzÄß€Ж東 <>&\"'=/;:.,*|#!-", min_size=1, max_size=25).map(str.strip).filter(bool)
ITEM = st.builds("{}{} {}".format, st.sampled_from(["", "   "]), st.sampled_from(["-", "1.", "7."]), WORD)
BLOCK = st.one_of(
    WORD.map(lambda text: f"{text}\n"),
    st.builds("{} {}".format, st.sampled_from(["#", "##", "###"]), WORD),
    st.lists(ITEM, min_size=1, max_size=5).map("\n".join),
    st.lists(st.tuples(WORD, WORD), min_size=1, max_size=3).map(
        lambda rows: "\n" + "\n".join(f"| {a.replace('|', '')} | {b.replace('|', '')} |" for a, b in rows)
    ),
    st.sampled_from(["---", "<!-- page -->", "a\\\nb", "-", "1.", "**bold** and **more**"]),
)


@settings(max_examples=60, deadline=None)
@given(blocks=st.lists(BLOCK, max_size=6))
def test_what_is_written_is_read(world: Worlds, blocks: list[str]) -> None:
    template = "\n\n".join(blocks)
    if "{" in template:
        return
    made = page(world, "\n" + template)
    strict(made.content)
    places: dict[str, str] = {}
    tables = 0
    for block in parse(Marked("\n" + template)):
        if block.kind == "table":
            tables += 1
            cells = [(r, c, cell) for r, row in enumerate(block.rows, 1) for c, cell in enumerate(row, 1)]
            places |= {f"t{tables}r{r}c{c}": cell.text.plain for r, c, cell in cells}
        elif block.kind not in ("rule", "page"):
            places[f"p{sum(at.startswith('p') for at in places) + 1}"] = block.text.text.plain
    found = {fragment.at: fragment.text for fragment in read("p.html", made.content).fragments}
    wanted = {at: re.sub(" *\n *", "\n", re.sub(" +", " ", text)).strip(" \n") for at, text in places.items()}
    assert {at: text for at, text in found.items() if at[0] in "pt" and at != "title"} == {
        at: text for at, text in wanted.items() if text
    }


def test_rows_are_added_in_their_look(world: Worlds) -> None:
    made = page(world, PAGE)
    row = TextEdit(at="t1r1c1", expected="Supplier[3]", replacement=None, mode="insert_row", cells=("Tarn", "1.00 USD"))
    item = TextEdit(at="p6", expected="nine", replacement=None, mode="insert_row", cells=("ten",))
    after = read("p.html", edit("p.html", made.content, [row, item]))
    assert (after.text_at("t1r2c1"), after.text_at("t1r2c2"), after.text_at("p7")) == ("Tarn", "1.00 USD", "ten")
    assert '<tr>\n<td>Tarn</td>\n<td class="r">1.00 USD</td>\n</tr>' in edit("p.html", made.content, [row]).decode()


def test_headings_over_columns(world: Worlds) -> None:
    table = "| | 2026[^1] | < |\n| Lane | Q1 | Q2 |\n|--|--:|--:|\n| A | 1 | 2 |\n\n[^1]: so far"
    made = page(world, "\n" + table)
    strict(made.content)
    found = {fragment.at: fragment for fragment in read("p.html", made.content).fragments}
    assert {at: part.text for at, part in found.items() if part.table} == {
        "t1r1c2": "2026[1]",
        "t1r2c1": "Lane",
        "t1r2c2": "Q1",
        "t1r2c3": "Q2",
        "t1r3c1": "A",
        "t1r3c2": "1",
        "t1r3c3": "2",
    }
    assert found["t1r1c2"].merged == (1, 2)
    assert made.content.count(b"<thead>") == made.content.count(b"<tbody>") == 1


def test_a_caption_is_numbered(world: Worlds) -> None:
    table = "| A |\n|--|\n| b |\n"
    made = page(world, f"{table}\nTable: At **{{{{ rate.rate }}}}**[^1]\n\n{table}\nTable: no table\n\n[^1]: x")
    strict(made.content)
    assert "<caption>Table 2: At <strong>8.5 %</strong><sup>" in made.content.decode()
    found = {fragment.at: fragment.text for fragment in read("p.html", made.content).fragments}
    assert (found["p1"], found["p2"], found["t2r2c1"]) == ("Table 2: At 8.5 %[1]", "Table: no table", "b")
    assert {"2", "1"} <= {anchor.printed for anchor in made.anchors if anchor.place.base == "p1"}
