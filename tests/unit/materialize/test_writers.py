"""What every writer promises: each anchor resolves, in the independent reader, to the text that it says is printed."""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workgym.documents import read
from workgym.graph.relation import Relation
from workgym.materialize import Rendered, Scope, render
from workgym.plan import ArtifactSpec
from workgym.records import Anchor

Worlds = Callable[..., Scope]
Relations = Callable[..., Relation]

LETTER = """---
letterhead: true
company: "{{ one.name }}"
address: "{{ one.note }}, Tel. 555 0171"
footer: "{{ one.name }}, page foot"
---
# 1 About {{ one.name }}

To {{ one.name }},\\
**{{ one.note | upper }}** and {{ one.price | money }} and so on until the line is long enough to be broken, with
{% state one.terms %}a state that tells the terms of delivery and
goes on over two lines of the template{% endstate %}. {{ one.name }}: {{ one.note }}.

- {{ one.note }}
  1. {{ one.day | date }}
- {{ one.at }} and **{{ one.rate }}**

| Name | Note | Price |
|:-----|------|------:|
{% for row in many %}
| {{ row.name }} | {{ row.note }} | {{ row.price }} |
{% endfor %}
| | no name | {{ "12 %" | decor }} |

---

{{ one.name }}
"""
TREE: dict[str, Any] = {
    "xlsx": {
        "company": "{{ one.name }}",
        "sheets": [
            {
                "title": "Data",
                "above": ["About {{ one.name }}", "{{ one.note }} on {{ one.day }}"],
                "tables": [
                    {
                        "rows": {"unit": "many", "order": "price desc"},
                        "columns": {"Name": "name", "Note": "{{ row.note }}!", "Price": "price"},
                        "total": {"label": "All", "sum": ["Price"]},
                        "notes": ["{{ one.note }}"],
                    },
                    {"pairs": {"Rate": "{{ one.rate }}", "At": "{{ one.at }}", "Day": "{{ one.day }}"}, "beside": True},
                    {"literal": [["a", 12.5], ["{{ one.name }}", None]], "title": "More {{ one.name }}"},
                ],
                "below": ["{{ one.price | money }} {% state one.terms %}in words{% endstate %}"],
                "chart": {"x": "Name", "y": ["Price"], "title": "Prices"},
                "comments": [{"at": "B2", "text": "checked"}],
            },
            {"title": "Grid", "tables": [{"matrix": "grid", "down": "who", "across": "day", "cell": "hours"}]},
        ],
    },
    "csv": {
        "table": {
            "rows": "many",
            "columns": {"Name": "name", "Note": "note", "Price": "price", "P": "{{ row.price }} X"},
        },
        "delimiter": ";",
        "decimal": ",",
        "preamble": ["Export for {{ one.name }}", "{{ one.rate }}"],
        "below": ["{{ one.day }}: {{ one.price | money }}"],
    },
    "json": {
        "data": {
            "about": "for {{ one.name }}",
            "a/b~c": ["{{ one.price }}", "{{ one.rate }}", "{{ one.at }}", "{{ one.day }}", 7, None, True],
            "rows": {
                "each": "many",
                "as": "m",
                "item": {"n": "{{ m.name }}", "p": "{{ m.price }}", "t": "{{ m.note }}?"},
            },
        }
    },
    "ics": {
        "calendar": {"name": "Plan"},
        "events": [
            {
                "SUMMARY": "{{ one.name }}; {{ one.note }}",
                "DTSTART": "{{ one.day }}",
                "DESCRIPTION": "{{ one.price }}, so",
            },
            {"each": "many", "item": {"SUMMARY": "{{ row.name }}", "DTSTART": "{{ one.day }}T{{ one.at }}"}},
        ],
    },
}
MAIL = """---
From: "Desk <desk@firm.example>"
To: Ines Roth <ines@firm.example>, paul@firm.example
Subject: "About {{ one.name }}: {{ one.price }}"
Date: "{{ one.day }} 09:14 +0100"
---
"""
TEMPLATES = {
    "docx": LETTER,
    "pdf": LETTER,
    "html": LETTER,
    "md": LETTER.partition("---\n# ")[2],
    "txt": "# " + LETTER.partition("---\n# ")[2],
    "eml": MAIL + LETTER.partition("---\n# ")[2],
}
LATIN = string.ascii_letters + string.digits + "|*#-+_.,:;/()\"'&<>\\%äöüßéñÅÉ€–"


def names(alphabet: str) -> st.SearchStrategy[str]:
    """Texts as people write them: no space at the ends, none doubled."""
    return st.text(st.sampled_from(alphabet + " "), min_size=1, max_size=60).map(lambda t: " ".join(t.split()) or "x")


def rows(alphabet: str) -> st.SearchStrategy[list[list[Any]]]:
    row = st.tuples(names(alphabet), names(alphabet), st.decimals(-(10**6), 10**6, places=2))
    return st.lists(row.map(list), min_size=3, max_size=6, unique_by=lambda r: r[0])


def made(world: Worlds, relation: Relations, path: str, data: list[list[Any]]) -> Rendered:
    """A carrier of the format that ``path`` ends in, over rows of name, note and price."""
    name, note, price = data[0]
    types = {"name": "text", "note": "text", "price": "money(USD, 2)"}
    scope = world(
        relation("many", types, ("name",), [[n, t, str(p)] for n, t, p in data]),
        relation(
            "one",
            types | {"terms": "choice(DAP, FCA)", "day": "date", "at": "time", "rate": "percent(2)"},
            (),
            [[name, note, str(price), "FCA", "2026-07-04", "07:45", "0.0825"]],
        ),
        relation(
            "grid",
            {"who": "text", "day": "date", "hours": "quantity(h, 2)"},
            ("who", "day"),
            [[n, f"2026-03-0{d}", "7.5"] for n, *_ in data for d in (2, 3)],
        ),
    )
    ending = path.rpartition(".")[2]
    spec = ArtifactSpec(path=path, title="A title", template=TEMPLATES.get(ending), content=TREE.get(ending))
    return render(spec, scope, "look")


def unresolved(carrier: Rendered) -> list[tuple[Anchor, str | None]]:
    """The anchors at whose place the independent reader finds another text."""
    document = read(carrier.path, carrier.content)
    texts: Mapping[str, str] = {fragment.at: fragment.text for fragment in document.fragments}
    wrong = []
    for anchor in carrier.anchors:
        text, span = texts.get(anchor.place.base), anchor.place.span
        found = text if text is None or span is None else text[span[0] : span[1]]
        if found != anchor.printed:
            wrong.append((anchor, text))
    return wrong


@pytest.mark.parametrize("ending", ["xlsx", "csv", "json", "ics", "md", "txt", "eml", "docx", "pdf", "html"])
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_every_anchor_resolves(world: Worlds, relation: Relations, ending: str, data: st.DataObject) -> None:
    alphabet = LATIN if ending == "pdf" else LATIN + "ąčőЖΩ東京🚚"
    carrier = made(world, relation, f"a/b.{ending}", data.draw(rows(alphabet)))
    assert unresolved(carrier) == []
    cells = {str(anchor.cell) for anchor in carrier.anchors if anchor.kind == "value"}
    assert {"one.name", "one.price", "one.day"} <= cells


@pytest.mark.parametrize("ending", ["xlsx", "csv", "json", "md", "txt", "eml", "docx", "pdf", "html"])
def test_every_value_of_a_table_is_anchored(world: Worlds, relation: Relations, ending: str) -> None:
    data = [[f"Firm {at}", f"note {at}", f"{at}.25"] for at in range(80)]
    carrier = made(world, relation, f"b.{ending}", data)
    found = {
        (anchor.cell.key, anchor.cell.column)
        for anchor in carrier.anchors
        if anchor.cell and anchor.cell.unit == "many"
    }
    assert found == {((name,), column) for name, _, _ in data for column in ("name", "note", "price")}
    assert unresolved(carrier) == []


def test_states_and_decor(world: Worlds, relation: Relations) -> None:
    carrier = made(world, relation, "b.docx", [["Firm", "note", "1.00"]])
    states = [anchor for anchor in carrier.anchors if anchor.kind == "state"]
    assert [anchor.printed for anchor in states] == [
        "a state that tells the terms of delivery and goes on over two lines of the template"
    ]
    decor = [anchor.printed for anchor in carrier.anchors if anchor.kind == "decor"]
    assert decor == ["1", "12 %", "1"]
