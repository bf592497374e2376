"""A deck with something of everything over a small world, and how tests look at one."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pptx
from hypothesis import strategies as st

from workgym.documents import Document
from workgym.graph.relation import Relation
from workgym.materialize import Rendered, Scope, render
from workgym.plan import ArtifactSpec

Worlds = Callable[..., Scope]
Relations = Callable[..., Relation]

DECK = """---
title: "About {{ one.name }}"
subtitle: "{{ one.note }}"
company: "{{ one.name }}"
date: "{{ one.day | date }}"
footer: "Draft for {{ one.name }}, 2 copies"
---
# 1 {{ one.name }} and **{{ one.price }}**

{{ one.name }}: {{ one.note | upper }} and {{ one.price | money }}, with
{% state one.terms %}a state that goes on over
two lines{% endstate %}.

## Points

- **{{ one.note }}** for {{ [one.name, one.note] | join("; ") }}
  - {{ one.rate }} ~ {{ one.name ~ "!" }}
1. {{ one.day | date }}
2. second

Notes: Say {{ one.name }}.

- then {{ one.price }}

# Table

| Name | Note | Price |
|:-----|:----:|------:|
{% for row in many %}
| {{ row.name }} | {{ row.note }} | {{ row.price | amount }} |
{% endfor %}

# Chart

Beside the chart.

```chart column Prices of {{ one.name }}
| Name | Price ({{ one.terms }}) | Share |
|---|--:|--:|
{% for row in many %}
| {{ row.name }} | {{ row.price | money }} | {{ one.rate | percent }} |
{% endfor %}
```

<!-- notes -->
{{ one.note }}

# Part of {{ one.name }}

# Hidden
<!-- hidden -->
Only {{ one.at }}.
"""
TYPES = {"name": "text", "note": "text", "price": "money(USD, 2)"}
LETTERS = "abcXYZ 019|*#-+_.,:;/()\"'&<>\\%äöüßñÅ€–ąőЖΩ東京🚚"
TEXTS = st.text(st.sampled_from(LETTERS), min_size=1, max_size=40).map(lambda t: " ".join(t.split()) or "x")
ROWS = st.lists(
    st.tuples(TEXTS, TEXTS, st.decimals(-(10**6), 10**6, places=2)).map(list),
    min_size=2,
    max_size=6,
    unique_by=lambda row: row[0],
)


def made(world: Worlds, relation: Relations, rows: list[list[Any]], template: str = DECK) -> Rendered:
    """A deck over rows of name, note and price, the first one of which is ``one``."""
    name, note, price = rows[0]
    one = TYPES | {"terms": "choice(DAP, FCA)", "day": "date", "at": "time", "rate": "percent(2)"}
    scope = world(
        relation("many", TYPES, ("name",), [[n, t, str(p)] for n, t, p in rows]),
        relation("one", one, (), [[name, note, str(price), "FCA", "2026-07-04", "07:45", "0.0825"]]),
    )
    return render(ArtifactSpec(path="a/b.pptx", title="A title", template=template), scope, "look")


def written(scope: Scope, template: str) -> Rendered:
    return render(ArtifactSpec(path="a.pptx", template=template, role="distractor"), scope, "look")


def texts(document: Document) -> dict[str, str]:
    return {fragment.at: fragment.text for fragment in document.fragments}


def opened(carrier: Rendered) -> Any:
    """As python-pptx, by which people's programs read it, sees it."""
    return pptx.Presentation(io.BytesIO(carrier.content))
