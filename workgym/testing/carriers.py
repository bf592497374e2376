"""One small carrier of every format, over one small world: what writers, readers and editors are tried on.

``docs/formats.md`` is made from these (``python -m workgym.testing.formats``), and whoever adds a format adds one here.
"""

from __future__ import annotations

from typing import Any

from workgym.graph import InfoUnit, Relation
from workgym.materialize import Rendered, Scope, render
from workgym.plan import ArtifactSpec
from workgym.records import FORMATS, Column, ColumnType, FormatName

_ROWS = (
    ("Alder & Sons", "1234.50", "2026-03-02"),
    ("Birch GmbH", "0.95", "2026-03-09"),
    ("Cedar <Ltd>", "88.00", "2026-04-01"),
)
_PROSE = """{front}# Offers

We had these offers by {{{{ "31 March 2026" | decor }}}}.

| Supplier | Price | Valid until |
|:---------|------:|-------------|
{{% for o in offer %}}
| {{{{ o.supplier }}}} | {{{{ o.price | amount }}}} | {{{{ o.until | date }}}} |
{{% endfor %}}

The last one is {{{{ offer.of("Cedar <Ltd>").supplier }}}}, at {{{{ offer.of("Cedar <Ltd>").price | money }}}}.
"""
_LETTER = "---\ncompany: Hollmann Works\nletterhead: true\n---\n"
_MAIL = """---
From: Ann Weber <ann@hollmann.example>
To: Bo Lund <bo@hollmann.example>
Subject: Offers
Date: 2026-03-31 09:14 +0100
---
"""
_LINES = "{% for o in offer %}\n{before}{{ o.supplier | upper }}{between}{{ o.price | plain }}{after}\n{% endfor %}\n"
_COLUMNS = {"Supplier": "supplier", "Price": "price", "Valid until": "until"}
_ITEM = {"supplier": "{{ row.supplier }}", "price": "{{ row.price }}", "until": "{{ row.until }}"}
_TABLE = {"rows": "offer", "columns": _COLUMNS}
_LETTER_OF_ROW = {"From": "Ann <ann@hollmann.example>", "To": "bo@hollmann.example", "Date": "2026-03-31 09:14"}
_SOURCES: dict[FormatName, Any] = {
    "xlsx": {"sheets": [{"title": "Offers", "tables": [{**_TABLE, "total": {"label": "All", "sum": ["Price"]}}]}]},
    "docx": _PROSE.format(front=_LETTER),
    "pptx": _PROSE.format(front="---\ntitle: Offers\ncompany: Hollmann Works\n---\n"),
    "pdf": _PROSE.format(front=_LETTER),
    "html": _PROSE.format(front=_LETTER),
    "md": _PROSE.format(front=""),
    "txt": _PROSE.format(front=""),
    "log": _LINES.replace("{before}", "INFO ").replace("{between}", " offers ").replace("{after}", ""),
    "code": _LINES.replace("{before}", 'PRICES["').replace("{between}", '"] = ').replace("{after}", ""),
    "csv": {"table": _TABLE, "delimiter": ";"},
    "tsv": {"table": _TABLE},
    "json": {"data": {"offers": {"each": "offer", "item": _ITEM}}},
    "yaml": {"data": {"offers": {"each": "offer", "item": _ITEM}}},
    "xml": {"root": {"offers": {"offer": {"each": "offer", "item": _ITEM}}}},
    "sqlite": {"tables": [{"name": "offers", **_TABLE}]},
    "eml": _PROSE.format(front=_MAIL),
    "mbox": {
        "mails": {
            "each": "offer",
            "item": {**_LETTER_OF_ROW, "Subject": "From {{ row.supplier }}", "body": "At {{ row.price | money }}.\n"},
        }
    },
    "ics": {
        "events": {
            "each": "offer",
            "item": {"SUMMARY": "Offer of {{ row.supplier }} ends", "DTSTART": "{{ row.until }}"},
        }
    },
    "vcf": {"cards": {"each": "offer", "item": {"FN": "{{ row.supplier }}", "NOTE": "valid {{ row.until | date }}"}}},
    "zip": {
        "files": [
            {"path": "offers/all.csv", "content": {"table": _TABLE}},
            {"path": "note.md", "template": "Cheapest: {{ offer.of('Birch GmbH').supplier }}\n"},
        ]
    },
    "png": _PROSE.format(front=_LETTER),
    "jpg": _PROSE.format(front=_LETTER),
}


def scope() -> Scope:
    """The world: three offers, with a price and a day each."""
    columns = {"supplier": "text", "price": "money(EUR, 2)", "until": "date"}
    unit = InfoUnit(
        name="offer",
        content="offers",
        entity="supplier",
        scope="March 2026",
        status="provided",
        columns=tuple(Column(name=name, type=ColumnType.parse(kind)) for name, kind in columns.items()),
        key=("supplier",),
    )
    rows = [dict(zip(columns, row, strict=True)) for row in _ROWS]
    return Scope(values={"offer": Relation.load(unit, rows)}, context={"today": "2026-03-31"})


def specification(form: FormatName) -> ArtifactSpec:
    """How a carrier of this format is written."""
    source = _SOURCES[form]
    path = f"offers.{FORMATS[form].endings[0]}"
    template, content = (source, None) if FORMATS[form].source == "template" else (None, source)
    return ArtifactSpec(path=path, template=template, content=content, title="Offers")


def sample(form: FormatName) -> Rendered:
    """The carrier. Raises MaterializeError."""
    return render(specification(form), scope(), "sample")
