"""Footnotes of prose, through every format that prose is written in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workgym.documents import read
from workgym.errors import MaterializeError
from workgym.materialize import Rendered, Scope, render
from workgym.materialize.marks import Marked
from workgym.materialize.prose import Inline, Reference, endnotes, inline, parse
from workgym.plan import ArtifactSpec

NOTED = """\
**The rate is {{ rate.rate }}[^r]** and{% state timing.timing %} so[^2] on{% endstate %}.

| Supplier[^s] |
|--|
| Tarn |

[^2]: {{ rate.rate }} in
the year
[^r]: **Net**, see page {{ "4" | decor }}
[^s]: First
"""
MAIL = """---
From: a@firm.example
To: b@firm.example
Subject: Rates
Date: 2026-03-02 09:14
---
"""


def made(scope: Scope, ending: str) -> Rendered:
    template = MAIL + NOTED if ending == "eml" else NOTED
    return render(ArtifactSpec(path=f"a.{ending}", template=template, title="A"), scope, "x")


PLAIN = """\
The rate is 8.5 %[r] and so[2] on.
Supplier[s]
-----------
Tarn
[2] 8.5 % in
the year
[r] Net, see page 4
[s] First"""
SHOWN = {
    "html": "The rate is 8.5 %[1] and so[2] on.\nSupplier[3]\nTarn\nNet, see page 4\n8.5 % in the year\nFirst",
    "pdf": "The rate is 8.5 %[1] and so[2] on.\nSupplier[3]\nTarn\n1. Net, see page 4\n2. 8.5 % in the year\n3. First",
    "docx": "The rate is 8.5 % and so on.\nSupplier\nTarn\nNet, see page 4\n8.5 % in the year\nFirst",
    "txt": PLAIN,
    "eml": PLAIN,
    "md": """\
**The rate is 8.5 %[^r]** and so[^2] on.
| Supplier[^s] |
|--|
| Tarn |
[^2]: 8.5 % in
the year
[^r]: **Net**, see page 4
[^s]: First""",
}


@pytest.mark.parametrize("ending", SHOWN)
def test_every_format(scope: Scope, ending: str) -> None:
    carrier = made(scope, ending)
    document = read(carrier.path, carrier.content)
    shown = [
        fragment.text.strip() for fragment in document.fragments if fragment.at[0] in "ptnl" and not fragment.hidden
    ]
    assert [text for text in shown if not text.startswith("Page 1") and text != "A"] == SHOWN[ending].split("\n")
    texts = {fragment.at: fragment.text for fragment in document.fragments}
    for anchor in carrier.anchors:
        text, span = texts[anchor.place.base], anchor.place.span
        assert (text if span is None else text[slice(*span)]) == anchor.printed
    values = [anchor.place.base for anchor in carrier.anchors if anchor.kind == "value"]
    assert len(values) == 2
    assert all("8.5 %" in texts[at] for at in values)
    numbers = sum(char.isdigit() for text in texts.values() for char in text.replace("8.5 %", ""))
    covered = sum(
        len(anchor.printed) for anchor in carrier.anchors if anchor.kind == "decor" and anchor.printed.isdigit()
    )
    if ending in ("html", "md", "txt"):
        assert covered >= numbers  # no number of a note is loose


def test_references_keep_their_place() -> None:
    (block,) = (block for block in parse(Marked("a**b[^x]c** d[^y]\n[^x]: X\n[^y]: Y")) if block.kind == "paragraph")
    assert block.text == Inline(Marked("abc d"), ((1, 3),), (Reference(2, "x", 1), Reference(5, "y", 2)))
    assert [*block.text.stretches()] == [
        ("a", False),
        ("b", True),
        Reference(2, "x", 1),
        ("c", True),
        (" d", False),
        Reference(5, "y", 2),
    ]
    assert [*block.text.runs()] == [("a", False), ("bc", True), (" d", False)]
    assert [*block.text.labelled().runs()] == [("a", False), ("b[1]c", True), (" d[2]", False)]


def test_notes_come_last_in_the_order_of_their_references() -> None:
    blocks = parse(Marked("- one[^2]\n[^1]: A\n- two[^1]\n\n[^2]: B"))
    assert [(block.kind, block.number, block.text.text.plain) for block in blocks] == [
        ("item", None, "one"),
        ("item", None, "two"),
        ("note", 1, "B"),
        ("note", 2, "A"),
    ]
    assert [(block.kind, block.number, block.text.text.plain) for block in endnotes(blocks)] == [
        ("item", None, "one[1]"),
        ("item", None, "two[2]"),
        ("rule", None, ""),
        ("item", 1, "B"),
        ("item", 2, "A"),
    ]
    assert endnotes(parse(Marked("no notes"))) == parse(Marked("no notes"))


@pytest.mark.parametrize(
    ("template", "why"),
    [
        ("a[^1]", r"\[\^1\] says nothing"),
        ("a\n\n[^1]: b", "referred to nowhere"),
        ("a[^1] b[^1]\n\n[^1]: c", "referred to twice"),
        ("a[^1]\n\n[^1]: b\n[^1]: c", "the same label"),
        ("a[^1]\n\n[^1]: b[^2]\n[^2]: c", "refers to another"),
    ],
)
@pytest.mark.parametrize("ending", ["html", "docx", "pdf"])
def test_crooked_notes(scope: Scope, ending: str, template: str, why: str) -> None:
    with pytest.raises(MaterializeError, match=why):
        render(ArtifactSpec(path=f"a.{ending}", template=template, role="distractor"), scope, "x")


def test_a_value_is_no_reference(world: object, relation: object) -> None:
    scope = world(relation("code", {"name": "text"}, (), [["set [^1] of"]]))  # type: ignore[operator]
    carrier = render(ArtifactSpec(path="a.html", template="A {{ code.name }} b"), scope, "x")
    assert read("a.html", carrier.content).text_at("p1") == "A set [^1] of b"


@given(st.lists(st.sampled_from(["a", " ", "**", "[^1]", "[^x]", "*", "[", "^"]), max_size=14).map("".join))
def test_taking_marks_away_keeps_the_rest(text: str) -> None:
    made = inline(Marked(text))
    assert made.text.plain.replace("*", "") == text.replace("[^1]", "").replace("[^x]", "").replace("*", "")
    joined = "".join("" if isinstance(part, Reference) else part[0] for part in made.stretches())
    assert joined == made.text.plain == "".join(part for part, _ in made.runs())
    assert sum(isinstance(part, Reference) for part in made.stretches()) == len(made.notes)
