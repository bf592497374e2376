"""Office files with much of what their formats can: what LibreOffice is shown beside the files of tasks."""

from __future__ import annotations

from typing import Any

from workgym.documents import TextEdit
from workgym.graph import InfoUnit, Relation
from workgym.materialize import Rendered, Scope, render
from workgym.plan import ArtifactSpec
from workgym.records import Column, ColumnType

_TYPES = {
    "item": "text", "supplier": "text", "start": "date", "at": "time", "units": "quantity(pcs, 0)",
    "price": "money(EUR, 2)", "total": "money(EUR, 2)", "share": "percent(1)", "terms": "choice(DAP, FCA)",
}  # fmt: skip
_ROWS = [
    ["Carton <400> & lid", "Żółw & Söhne", "2026-03-01", "07:45", 1200, "1.25", "1500.00", "0.085", "DAP"],
    ["Foil 20 µm", "Żółw & Söhne", "2026-04-01", "13:30", 45, "0.99", "44.55", "0.1", "FCA"],
    ["Pallet", "Ελιά Α.Ε.", "2026-05-15", "06:00", 333, "14.81", "4931.73", "0", "DAP"],
    ["Tape", "Завод № 7", "2026-12-31", "23:59", 12000, "0.05", "600.00", "0.125", "FCA"],
]
_HEADS: dict[str, Any] = {
    "Item": "item", "Supplier": "supplier", "Start": "start", "At": "at", "Units": "units", "Price": "price",
    "Total": {"value": "total", "formula": "=[Units]*[Price]"}, "Share": "share",
    "Terms": {"value": "terms", "choices": True},
}  # fmt: skip
_TABLE: dict[str, Any] = {"rows": "line", "columns": _HEADS}
_SHEETS = [
    {
        "title": "All of it's lines",
        "above": ["Lines of <2026> & later", "Plant: Müllheim"],
        "tables": [
            _TABLE
            | {
                "groups": {"Contract": ["Start", "At"], "Value": ["Units", "Price", "Total"]},
                "units": True,
                "conditional": {"Total": "bar", "Share": "scale", "Item": "duplicates", "Units": {"above": 400}},
                "total": {"label": "All", "sum": ["Units", "Total"]},
                "notes": ["as agreed"],
            }
        ],
        "below": ["Source: purchasing"],
        "comments": [{"table": 1, "row": 2, "column": "Units", "text": "Counted <twice> & checked"}],
        "charts": [
            {"kind": "column", "table": 1, "x": "Item", "y": ["Units", "Total"], "title": "Units & totals"},
            {"kind": "pie", "table": 1, "x": "Item", "y": ["Units"], "title": "Share of units", "labels": True},
        ],
        "page": {"header": "Confidential & internal", "footer": "Purchasing"},
    },
    {
        "title": "Mess",
        "tables": [
            _TABLE
            | {
                "columns": {name: _HEADS[name] for name in ("Supplier", "Item", "Start", "Units", "Price")},
                "mess": {
                    "headings": {"case": "mixed", "abbreviate": {"Units": "U."}, "trailing": True},
                    "text_numbers": {"columns": ["Price"], "as": "1.234,50", "share": 0.5},
                    "dates": ["yyyy-mm-dd", "dd.mm.yyyy", "%d %B %Y"],
                    "spaces": 0.3,
                    "merge": ["Supplier"],
                    "blank_rows": 0.5,
                },
            }
        ],
    },
    {
        "title": "Matrix",
        "hidden": True,
        "tables": [
            {
                "matrix": "line",
                "down": "item",
                "across": "start",
                "cell": "units",
                "heads": {"down": "Item", "across": "{{ row.start | date('%a %d.%m.') }}"},
            },
            {"pairs": {"First price": "{{ line.of('Pallet').price }}", "Day": "{{ line.of('Tape').start }}"}},
        ],
    },
]
# LibreOffice 7.4 repeats the first note where a comment stands between two: the comment comes last.
_PROSE = """{front}# Lines {{{{ line.of("Pallet").supplier }}}} & <others>

The price is {{{{ line.of("Pallet").price | money }}}}[^1], **bold {{{{ line.of("Tape").units | quantity }}}}** too.\\
A second line.

Old is {{++@Ines Roth: added {{{{ line.of("Foil 20 µm").price | money }}}}++}} and {{--struck out--}},
then {{~~before~>after~~}}.

## A list

- first
  - deeper
    - deepest
1. one
2. two

Table: Lines of the year

| | Money | < |
| Item | Price | Total |
|:-----|------:|------:|
{{% for l in line %}}
| {{{{ l.item }}}} | {{{{ l.price | amount }}}} | {{{{ l.total | amount }}}} |
{{% endfor %}}

<!-- landscape -->
## On its side

Signed on {{{{ line.of("Tape").start | date }}}}.

<!-- portrait -->
Last words[^last]. We say {{==on these words==}}{{>>@Ines Roth: a note on
{{{{ line.of("Tape").price | money }}}}<<}} no more.

[^1]: Net of {{{{ line.of("Pallet").share | percent }}}} & more
[^last]: Really <last>
"""
_LETTER = """---
company: Αλφα & Söhne
letterhead: true
address: "Kanalstrasse 14, 20457 Hamburg"
contact: "sales@alfa.example"
title: Lines
header: Confidential
footer: "Terms, version 4"
look: {look}
---
"""
_DECK = """---
title: "Lines & {{ line.of('Pallet').item }}"
subtitle: Review
company: Αλφα & Söhne
date: "{{ line.of('Tape').start | date }}"
footer: Draft
---
# Quotes
## By item
- Cheapest: {{ line.of("Tape").item }} at {{ line.of("Tape").price | money }}
  - deeper & <deeper>
1. one

Notes: Say {{ line.of("Tape").price | money }} slowly.

# Table

| Item | Supplier | Price |
|:-----|:--------:|------:|
{% for l in line %}
| {{ l.item }} | {{ l.supplier }} | {{ l.price | amount }} |
{% endfor %}

# Charts

Beside the chart.

```chart column Units by item
| Item | Units | Total |
|------|------:|------:|
{% for l in line %}
| {{ l.item }} | {{ l.units }} | {{ l.total | amount }} |
{% endfor %}
```

# Hidden
<!-- hidden -->

Nobody sees {{ line.of("Foil 20 µm").price | money }}.
"""
_SOURCES: dict[str, dict[str, Any]] = {
    "lines.xlsx": {"content": {"sheets": _SHEETS, "names": {"Rate": "Mess!B2"}}},
    "letter.docx": {"template": _PROSE.format(front=_LETTER.format(look="a"))},
    "band.docx": {"template": _PROSE.format(front=_LETTER.format(look="b"))},
    "plain.docx": {"template": _PROSE.format(front="")},
    "lines.pptx": {"template": _DECK},
}
PATHS = tuple(_SOURCES)
_ROW = {"replacement": None, "mode": "insert_row", "cells": ("Lid & <ring>", "Ωμέγα", "12.50")}
ROWS = {
    "lines.xlsx": [
        TextEdit(at="All of it's lines!A8", expected="Foil 20 µm", replacement=None, mode="remove_row"),
        TextEdit(at="All of it's lines!A8", expected="Foil 20 µm", **_ROW),
        TextEdit(at="Mess!B5", expected="Tape ", **_ROW),
    ],
    "band.docx": [
        TextEdit(at="t1r4c1", expected="Foil 20 µm", replacement=None, mode="remove_row"),
        TextEdit(at="t1r4c1", expected="Foil 20 µm", **_ROW),
    ],
    "letter.docx": [TextEdit(at="h1", expected="Αλφα & Söhne", replacement="Ωμέγα & <Co>")],
    "plain.docx": [TextEdit(at="n2", expected=" Really <last>", replacement=" Not <yet>")],
    "lines.pptx": [
        TextEdit(at="s3t1r3c1", expected="Foil 20 µm", replacement=None, mode="remove_row"),
        TextEdit(at="s3t1r3c1", expected="Foil 20 µm", **_ROW),
        TextEdit(at="s4c1r3c2", expected="45", replacement="77", value=77),
        TextEdit(at="s2n1", expected="Say 0.05 EUR slowly.", replacement="Hush & <go>."),
    ],
}
"""Edits in place of each: rows that go and come, a note, a chart's number."""


def sample(path: str) -> Rendered:
    """One of them. Raises MaterializeError."""
    columns = tuple(Column(name=name, type=ColumnType.parse(kind)) for name, kind in _TYPES.items())
    unit = InfoUnit(
        name="line",
        content="lines",
        entity="item",
        scope="2026",
        status="provided",
        columns=columns,
        key=("item",),
    )
    rows = [dict(zip(_TYPES, row, strict=True)) for row in _ROWS]
    scope = Scope(values={"line": Relation.load(unit, rows)}, context={"today": "2026-03-31"})
    spec = {"path": path, "title": "Lines", "role": "distractor"} | _SOURCES[path]
    return render(ArtifactSpec.model_validate(spec), scope, "look")
