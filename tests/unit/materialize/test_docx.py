"""Word documents: what a template says is read back, and by python-docx as well."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from typing import Any

import docx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workgym.documents import Document, read
from workgym.errors import MaterializeError
from workgym.materialize import Scope
from workgym.materialize.carrier import Rendered
from workgym.materialize.critic import accepted
from workgym.materialize.marks import Marked
from workgym.materialize.prose import inline, parse
from workgym.materialize.rendering import render
from workgym.plan import ArtifactSpec

POLICY = """\
---
letterhead: true
company: "Hollmann Packaging"
footer: "Version 4"
reviewer: "Paul Ek"
---
# Sourcing policy

The rate is **{{ rate.rate }}**.[^scope] Payment is due after
{~~@Ines Roth: {{ "14" | decor }}~>{{ "30" | decor }}~~} days.
{==Freight is for the {++buyer and the ++}seller.==}{>>@Ines Roth: does {{ quote.rows()[0].supplier if 0 else "Tarn" }}
know {{ freight.of("Acme | Packing *Intl*").per_unit }}?<<} {--It was {{ rate.rate }} before.--}

[^scope]: At **{{ rate.rate }}** in {--Kiel and --}Lübeck.

- one
  - two
    - three
  1. first
  2. second
1. alone
   1. within

Table: Quotes as of {{ "2026" | decor }}

| Supplier | Offer | < | < |
| | Price | Terms | Valid |
|:--|--:|:-:|--|
{% for q in quote %}
| {{ q.supplier }} | {{ q.price | money }} | {{ q.terms }} | {{ q.valid | date }} {--{{ q.valid }}--} |
{% endfor %}

{++New as a whole.++}

{--Struck as a whole.--}

A point.{>>Here.<<}

<!-- landscape -->

## Wide

<!-- portrait -->

The end.
"""
TEMPLATE = POLICY.replace("quote.rows()[0].supplier if 0 else ", "")
TEXTS = st.text(
    st.one_of(
        st.sampled_from("ab <>&\"'|*#[]^{}~+-=>\\_1.,:;/"),
        st.characters(codec="utf-8", exclude_categories=("C", "Z")),
    ),
    min_size=1,
    max_size=12,
).map(lambda text: f"x{text}y")


def written(scope: Scope, template: str, path: str = "a.docx") -> Rendered:
    return render(ArtifactSpec(path=path, template=template), scope, "look", strict=False)


def texts(document: Document) -> dict[str, str]:
    return {fragment.at: fragment.text for fragment in document.fragments}


def part(content: bytes, name: str) -> str:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return archive.read(name).decode()


def unresolved(made: Rendered) -> list[Any]:
    found = texts(read(made.path, made.content))
    return [
        anchor
        for anchor in made.anchors
        if found.get(anchor.place.base, "")[slice(*(anchor.place.span or (None,)))] != anchor.printed
    ]


def test_everything_at_once_is_read_back(scope: Scope) -> None:
    made = written(scope, TEMPLATE)
    document = read("a.docx", made.content)
    found = texts(document)
    assert unresolved(made) == []
    assert found["p2"] == ("The rate is 8.5 %. Payment is due after 30 days. Freight is for the buyer and the seller. ")
    assert [found[at] for at in ("p2.del1", "p2.del2")] == ["14", "It was 8.5 % before."]
    assert (found["n1"], found["n1.del1"]) == (" At 8.5 % in Lübeck.", "Kiel and ")
    assert (found["c1"], found["c2"]) == ("does Tarn know 0.09?", "Here.")
    labels = {fragment.at: fragment.label for fragment in document.fragments}
    assert [labels[at] for at in ("c1", "c2", "p2.del1", "p2.del2")] == ["Ines Roth", "Paul Ek", "Ines Roth", "Paul Ek"]
    assert found["p10"] == "Table 1: Quotes as of 2026"
    assert [found.get(f"t1r1c{column}") for column in range(1, 5)] == ["Supplier", "Offer", None, None]
    assert (found["t1r3c4"], found["t1r3c4.del1"]) == ("30 June 2026 ", "2026-06-30")
    assert found["p12"] == "New as a whole."
    assert (found.get("p13"), found["p13.del1"]) == (None, "Struck as a whole.")
    assert (found["f1"], found["f2"]) == ("Version 4\tPage 1", "Version 4\tPage 1")
    hidden = {fragment.at for fragment in document.fragments if fragment.hidden}
    assert {"c1", "c2", "p2.del1", "n1.del1", "p13.del1"} <= hidden
    assert not {"n1", "p2", "t1r3c4"} & hidden


def test_what_is_struck_is_no_value(scope: Scope) -> None:
    made = written(scope, TEMPLATE)
    struck = [anchor for anchor in made.anchors if ".del" in anchor.place.at]
    assert {anchor.kind for anchor in struck if anchor.cell} == {"state"}
    assert {str(anchor.cell) for anchor in struck if anchor.cell} >= {"rate.rate"}
    said = [anchor for anchor in made.anchors if anchor.place.base in ("c1", "n1", "p2") and anchor.cell]
    assert [(anchor.kind, anchor.place.at, anchor.printed) for anchor in said] == [
        ("value", "p2[12:17]", "8.5 %"),
        ("value", "n1[4:9]", "8.5 %"),
        ("value", "c1[15:19]", "0.09"),
    ]


def test_another_library_sees_the_same(scope: Scope) -> None:
    made = docx.Document(io.BytesIO(written(scope, TEMPLATE).content))
    assert [(comment.author, comment.text, comment.initials) for comment in made.comments] == [
        ("Ines Roth", "does Tarn know 0.09?", "IR"),
        ("Paul Ek", "Here.", "PE"),
    ]
    assert {comment.timestamp.isoformat()[:10] for comment in made.comments if comment.timestamp} == {"2026-03-20"}
    assert [(s.orientation, s.page_width > s.page_height) for s in made.sections] == [(0, False), (1, True), (0, False)]
    table = made.tables[0]
    assert table.cell(0, 1).text == table.cell(0, 3).text == "Offer"
    styles = [paragraph.style.name for paragraph in made.paragraphs if paragraph.style]
    assert styles[2:9] == ["List Bullet"] * 3 + ["List Number"] * 4
    assert {"Heading 1", "Caption"} <= set(styles)


def test_lists_are_numbered_by_word(scope: Scope) -> None:
    content = written(scope, TEMPLATE).content
    places = [
        (level.split('"')[1], level.split('w:numId w:val="')[1].split('"')[0])
        for level in part(content, "word/document.xml").split("<w:ilvl")[1:]
    ]
    assert places == [("0", "1"), ("1", "1"), ("2", "1"), ("1", "2"), ("1", "2"), ("0", "3"), ("1", "3")]
    assert '<w:num w:numId="2"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="1">' in part(
        content, "word/numbering.xml"
    )


def test_a_document_without_these_things_has_no_parts_for_them(scope: Scope) -> None:
    with zipfile.ZipFile(io.BytesIO(written(scope, "Hello.").content)) as archive:
        assert not {name for name in archive.namelist() if "notes" in name or "comments" in name or "2" in name}


def test_other_formats_show_the_accepted_text(scope: Scope) -> None:
    line = "Due in {~~14~>30~~} days{>>really?<<}, {==all==}{>>@Ann: yes<<} of it{-- or none--}.\n"
    assert written(scope, line, "a.txt").content == b"Due in 30 days, all of it.\n"
    assert written(scope, line, "a.md").content == line.encode()
    pages = read("a.pdf", written(scope, line, "a.pdf").content)
    assert pages.fragments[0].text == "Due in 30 days, all of it."


def test_same_bytes_twice(scope: Scope, world: Callable[..., Scope]) -> None:
    assert written(scope, TEMPLATE).content == written(world(), TEMPLATE).content


def test_a_comment_in_a_footnote_is_refused(scope: Scope) -> None:
    with pytest.raises(MaterializeError, match=r"a.docx.*a footnote holds a comment"):
        written(scope, "Text[^1].\n\n[^1]: Note{>>remark<<}.")


@pytest.mark.parametrize("text", ["{++ open", "{----}", "{++++}", "a {-- b ++} c", "{== alone ==}", "~> {x} --}"])
def test_what_is_no_mark_stays(text: str) -> None:
    assert accepted(Marked(text)) == (Marked(text), ())


def test_bold_and_changes_within_each_other() -> None:
    words = inline(Marked("a **b {++c++} d** {++**e**++}{--f **g**--}{==h {~~i~>j~~}==}{>>@K L: m<<}"))
    assert words.text.text == "a b c d eh j"
    assert words.bold == ((2, 7), (8, 9))
    assert [(one.kind, one.start, one.end, one.text.text, one.author) for one in words.changes] == [
        ("added", 4, 5, "", ""),
        ("added", 8, 9, "", ""),
        ("struck", 9, 9, "f g", ""),
        ("remark", 9, 12, "m", "K L"),
        ("struck", 11, 11, "i", ""),
        ("added", 11, 12, "", ""),
    ]


def test_levels_of_lists() -> None:
    lines = "- a\n    - b\n  - c\n      - d\n- e\n\n  - f\nText\n\n  - g"
    assert [block.level for block in parse(Marked(lines)) if block.kind == "item"] == [1, 2, 2, 3, 1, 2, 2]


@st.composite
def paragraphs(draw: st.DrawFn) -> list[tuple[str, str]]:
    """Pieces of one paragraph: how each is marked, and its text."""
    kinds = st.sampled_from(["plain", "bold", "added", "struck", "remark", "note"])
    return draw(st.lists(st.tuples(kinds, TEXTS), min_size=1, max_size=5))


FORMS = {"plain": "{}", "bold": "**{}**", "added": "{{++{}++}}", "struck": "{{--{}--}}", "remark": "w{{>>{}<<}}"}


@given(
    content=st.lists(st.tuples(st.sampled_from(["", "# ", "- ", "1. ", "| "]), paragraphs()), min_size=1, max_size=4)
)
def test_any_text_is_read_back(content: Any, world: Callable[..., Scope], relation: Callable[..., Any]) -> None:
    said = [text for _, pieces in content for _, text in pieces]
    rows = [[str(number), text] for number, text in enumerate(said)]
    wanted: dict[str, str] = {}
    lines, notes, number, paragraph, tables = [], [], 0, 0, 0
    remarks = 0
    for start, pieces in content:
        if start == "| ":
            tables, at = tables + 1, f"t{tables + 1}r1c1"
            paragraph += 1
        else:
            paragraph, at = paragraph + 1, f"p{paragraph + 1}"
        text, struck, line = "", 0, start
        for kind, own in pieces:
            shown = f'{{{{ piece.of("{number}").said }}}}'
            number += 1
            if kind == "note":
                notes.append(f"[^{len(notes) + 1}]: {shown}\n")
                line += f"[^{len(notes)}]"
                wanted[f"n{len(notes)}"] = f" {own}"
                continue
            line += FORMS[kind].format(shown)
            if kind == "struck":
                struck += 1
                wanted[f"{at}.del{struck}"] = own
            elif kind == "remark":
                remarks, text = remarks + 1, text + "w"
                wanted[f"c{remarks}"] = own
            else:
                text += own
        lines.append(line + "\n")
        if text.strip():
            wanted[at] = text
    scope = world(relation("piece", {"id": "text", "said": "text"}, ("id",), rows))
    made = written(scope, "\n".join([*lines, *notes]))
    assert unresolved(made) == []
    found = texts(read("a.docx", made.content))
    found = {at: text for at, text in found.items() if at not in ("h1", "f1") and not at.startswith("property")}
    assert found == wanted
