"""What each format makes of its tree or text, seen with the libraries that other people read it with."""

from __future__ import annotations

import datetime
import email
import email.policy
import io
import json
from collections.abc import Callable
from typing import Any

import docx
import openpyxl
import pypdfium2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workgym.documents import read
from workgym.graph.relation import Relation
from workgym.materialize import Rendered, Scope, render
from workgym.materialize.front import front
from workgym.materialize.look.look import look_of
from workgym.materialize.marks import Marked, Registry, shield, wrap
from workgym.materialize.prose import parse
from workgym.plan import ArtifactSpec
from workgym.records import Cell

Worlds = Callable[..., Scope]
Relations = Callable[..., Relation]


def written(scope: Scope, path: str, source: Any) -> Rendered:
    """A distractor from a template or a tree."""
    kind = "template" if isinstance(source, str) else "content"
    return render(ArtifactSpec.model_validate({"path": path, kind: source, "role": "distractor"}), scope, "look")


def test_workbook(scope: Scope) -> None:
    tree = {
        "names": {"Rate": "Terms!B1"},
        "sheets": [
            {
                "title": "Quotes",
                "above": ["Quotes"],
                "tables": [
                    {
                        "rows": "quote",
                        "columns": {
                            "Supplier": "supplier",
                            "Price": "price",
                            "Valid": "valid",
                            "As text": "{{ row.price | amount('1.234,50') }}",
                            "In": {"value": "{{ row.price }}", "format": '0.0 "k"', "width": 20},
                        },
                        "total": {"sum": ["Price"]},
                    }
                ],
                "chart": {"kind": "line", "x": "Supplier", "y": ["Price"]},
                "comments": [{"table": 1, "row": 2, "column": "Price", "text": "asked again"}],
            },
            {"title": "Terms", "tables": [{"pairs": {"Rate": "{{ rate.rate }}"}}], "hidden": True},
            {"title": "Shifts", "tables": [{"matrix": "shift", "down": "who", "across": "day", "cell": "hours"}]},
        ],
    }
    content = written(scope, "a.xlsx", tree).content
    formulas = openpyxl.load_workbook(io.BytesIO(content))
    values = openpyxl.load_workbook(io.BytesIO(content), data_only=True)
    sheet = values["Quotes"]
    assert [cell.value for cell in sheet[4]] == [
        "Nordpak GmbH",
        1234.5,
        datetime.datetime(2026, 6, 30),
        "1.234,50",
        1234.5,
    ]
    assert sheet["B4"].number_format == "#,##0.00"
    assert formulas["Quotes"]["B7"].value == "=SUM(B4:B6)"
    assert sheet["B7"].value == pytest.approx(1218.43)
    assert sheet["B5"].comment is not None and "asked again" in sheet["B5"].comment.text
    assert formulas["Quotes"].freeze_panes == "A4"
    assert len(formulas["Quotes"]._charts) == 1
    assert formulas["Terms"].sheet_state == "hidden"
    assert formulas.defined_names["Rate"].value == "'Terms'!$B$1"
    assert formulas["Terms"]["B1"].number_format == "0.0%"
    assert [[cell.value for cell in row] for row in values["Shifts"].iter_rows(min_row=2)] == [
        ["Ines Roth", 7.75, 7.75, 7.75],
        ["Paul Ek", 8, None, 8],
    ]


def test_a_matrix_label_stands_for_every_row_under_it(scope: Scope) -> None:
    tree = {"sheets": [{"tables": [{"matrix": "shift", "down": "who", "across": "day", "cell": "hours"}]}]}
    anchors = written(scope, "a.xlsx", tree).anchors
    assert sum(anchor.place.at == "Sheet1!A2" for anchor in anchors) == 3
    assert sum(anchor.place.at == "Sheet1!B1" for anchor in anchors) == 2


def test_rows_are_chosen_by_match_where_and_order(world: Worlds) -> None:
    asked: list[str] = []

    def select(sql: str) -> list[dict[str, Any]]:
        asked.append(sql)
        return [{"supplier": "Acme | Packing *Intl*"}, {"supplier": "Nordpak GmbH"}]

    table = {"rows": {"unit": "quote", "where": "price > 1", "order": "abs(price)"}, "columns": {"S": "supplier"}}
    lines = written(world(select=select), "a.csv", {"table": table}).content.decode().splitlines()
    assert lines == ["S", "Acme | Packing *Intl*", "Nordpak GmbH"]
    assert asked == ['select quote."supplier" from quote where price > 1 order by abs(price)']
    table = {"rows": {"unit": "shift", "match": {"who": "'Paul Ek'"}, "order": "day desc"}, "columns": {"D": "day"}}
    assert written(world(), "a.csv", {"table": table}).content.decode().split() == ["D", "2026-03-04", "2026-03-02"]


def test_csv(scope: Scope) -> None:
    tree = {
        "table": {"rows": "quote", "columns": {"S": "supplier", "P": "price"}},
        "delimiter": ";",
        "decimal": ",",
        "preamble": ["Export"],
        "bom": True,
    }
    text = written(scope, "a.csv", tree).content.decode("utf-8")
    assert text.startswith("\ufeffExport\r\nS;P\r\nNordpak GmbH;1234,50\r\n")


def test_json(scope: Scope) -> None:
    tree = {
        "data": {
            "rate": "{{ rate.rate }}",
            "shown": "{{ rate.rate | percent }}",
            "punches": {
                "each": {"unit": "shift", "match": {"who": "'Paul Ek'"}},
                "item": {"in": "{{ row.start }}", "b": "{{ row.breaks }}"},
            },
        }
    }
    data = json.loads(written(scope, "a.json", tree).content)
    assert data == {"rate": 0.085, "shown": "8.5 %", "punches": [{"in": "14:00", "b": 1}, {"in": "14:00", "b": 1}]}


def test_calendar(scope: Scope) -> None:
    events = {"each": "shift", "item": {"SUMMARY": "{{ row.who }}, early; " + "long " * 20, "DTSTART": "{{ row.day }}"}}
    content = written(scope, "a.ics", {"calendar": {"name": "Plan"}, "events": events}).content
    lines = content.split(b"\r\n")
    assert max(map(len, lines)) <= 75
    assert b"DTSTART;VALUE=DATE:20260302" in lines
    assert b"DTSTAMP:20260320T000000Z" in lines
    assert len({line for line in lines if line.startswith(b"UID:")}) == 5
    unfolded = content.replace(b"\r\n ", b"")
    assert rb"SUMMARY:Ines Roth\, early\; long" in unfolded


def test_mail(scope: Scope) -> None:
    template = (
        "---\nFrom: Jörg Weiß <j@weiss.example>\nTo: a@b.example, C D <c@d.example>\nSubject: Tür {{ rate.rate }}\n"
        "Date: 2026-03-02 09:14 +0100\n---\nDear all,\n\n| A | B |\n|---|--:|\n| x | {{ rate.rate }} |\n\n"
        "Bye **now** – ciao\n"
    )
    message = email.message_from_bytes(written(scope, "a.eml", template).content, policy=email.policy.default)
    assert message["From"] == "Jörg Weiß <j@weiss.example>"
    assert message["To"] == "a@b.example, C D <c@d.example>"
    assert message["Subject"] == "Tür 8.5 %"
    assert message["Date"] == "Mon, 02 Mar 2026 09:14:00 +0100"
    assert message["Message-ID"].endswith("@weiss.example>")
    assert message.get_content().splitlines() == [
        "Dear all,",
        "",
        "A      B",
        "-  -----",
        "x  8.5 %",
        "",
        "Bye now – ciao",
    ]


def test_tags_alone_on_a_line_vanish_and_others_keep_their_line(scope: Scope) -> None:
    template = (
        "a {% decor %}1{% enddecor %}\nb\n\n{% for s in shift %}\n  {% if true %}\n- {{ s.who }}\n"
        "{% endif %}\n{# note #}\n{% endfor %}\nc\n"
    )
    lines = written(scope, "a.md", template).content.decode().splitlines()
    assert lines == ["a 1", "b", "", *["- Ines Roth"] * 3, *["- Paul Ek"] * 2, "c"]


PAPER = """---
letterhead: true
company: Nordpak GmbH
address: Kai 1, Hamburg
footer: Our terms apply
---
# Title

First **bold** paragraph\\
with a break.

1. one
2. two

- bullet
  - nested

| A | B |
|---|--:|
| x | {{ rate.rate }} |

<!-- page -->
## 2 Next
"""


def test_document(scope: Scope) -> None:
    document = docx.Document(io.BytesIO(written(scope, "a.docx", PAPER).content))
    assert [(p.style.name, p.text) for p in document.paragraphs if p.style] == [
        ("Heading 1", "Title"),
        ("Normal", "First bold paragraph\nwith a break."),
        ("List Number", "one"),
        ("List Number", "two"),
        ("List Bullet", "bullet"),
        ("List Bullet", "nested"),
        ("Normal", ""),
        ("Heading 2", "2 Next"),
    ]
    assert [run.text for run in document.paragraphs[1].runs if run.bold] == ["bold"]
    assert [[cell.text for cell in row.cells] for row in document.tables[0].rows] == [["A", "B"], ["x", "8.5 %"]]
    section = document.sections[0]
    assert [p.text.strip() for p in section.header.paragraphs] == ["Nordpak GmbH", "Kai 1, Hamburg", ""]
    assert section.footer.paragraphs[0].text == "Our terms apply\tPage 1"
    assert document.core_properties.created == datetime.datetime(2026, 3, 20, tzinfo=datetime.UTC)


def test_pdf(scope: Scope) -> None:
    carrier = written(scope, "a.pdf", PAPER)
    pages = pypdfium2.PdfDocument(carrier.content)
    assert len(pages) == 2
    lines = [fragment.text for fragment in read("a.pdf", carrier.content).fragments if fragment.table == "p1"]
    assert lines == [
        "Nordpak GmbH",
        "Kai 1, Hamburg",
        "Title",
        "First bold paragraph",
        "with a break.",
        "1. one",
        "2. two",
        "bullet",
        "nested",
        "A  B",
        "x  8.5 %",
        "Our terms apply  Page 1 of 2",
    ]


def test_long_tables_repeat_their_heading(scope: Scope) -> None:
    table = "| Day | N |\n|---|--:|\n{% for i in range(90) %}\n| day | {{ i | decor }} |\n{% endfor %}\n"
    carrier = written(scope, "a.pdf", table)
    assert len(pypdfium2.PdfDocument(carrier.content)) == 3
    document = read("a.pdf", carrier.content)
    assert sum(fragment.text == "Day  N" for fragment in document.fragments) == 3


def test_front_matter_and_blocks() -> None:
    fields, body = front(Marked('---\ntitle: "A: b"\n# note\nfooter: x\n---\nText\ngoes on.\n'))
    assert {name: value.plain for name, value in fields.items()} == {"title": "A: b", "footer": "x"}
    assert [block.text.text.plain for block in parse(body)] == ["Text goes on."]
    kinds = [block.kind for block in parse(Marked("# A\ntext\n- b\n  more\n3. c\n---\n|x|\n|-|\n\n<!-- page -->\n"))]
    assert kinds == ["heading", "paragraph", "item", "item", "rule", "table", "page"]


def test_companies_do_not_look_alike() -> None:
    names = [f"{first} {second}" for first in ("Nord", "Sued", "Ost", "Acme") for second in ("Pak", "Foods", "Glass")]
    looks = [look_of(name) for name in names]
    marks = {(look.accent, look.body_font, look.table, look.head, look.shape) for look in looks}
    assert len(marks) == len(names)
    for look in looks:
        red, green, blue = (int(look.accent[at : at + 2], 16) / 255 for at in (0, 2, 4))
        assert 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.45


def test_letters_beyond_the_family_take_the_wider_font(scope: Scope) -> None:
    content = written(scope, "a.pdf", "---\nlook: Nordpak GmbH\n---\nČaković, Şişli\n").content
    assert b"BitstreamVeraSans" in content
    assert "Čaković, Şişli" in [fragment.text for fragment in read("a.pdf", content).fragments]


def test_whole_facts_stay_numbers(world: Worlds) -> None:
    scope = world(context={"today": "2026-03-20", "version": 3})
    assert json.loads(written(scope, "a.json", {"data": ["{{ context.version }}"]}).content) == [3]
    template = "{% if context.version > 2 %}{{ context.version | words }}{% endif %}"
    carrier = written(scope, "a.md", template)
    assert carrier.content == b"three\n"
    assert [anchor.kind for anchor in carrier.anchors] == ["decor"]


@given(st.text(st.sampled_from("ab1.|-*# \n\\>"), max_size=80), st.text(st.sampled_from("ab1.|-*# \\>"), min_size=1))
def test_no_text_loses_a_value(text: str, value: str) -> None:
    registry = Registry()
    opening = registry.opening("value", (Cell(unit="u", key=(), column="c"),))
    marked = registry.read(text + " x" + wrap(opening, shield(value)) + "x " + text)
    try:
        blocks = parse(marked)
    except ValueError as error:
        assert "cells" in str(error)
        return
    inlines = [cell for block in blocks for row in block.rows for cell in row] + [block.text for block in blocks]
    printed = [anchor.printed for inline in inlines for anchor in inline.text.anchors("x", "l1")]
    assert value.strip() in printed or not value.strip()


def test_a_value_that_fits_on_a_line_is_not_broken(world: Worlds, relation: Relations) -> None:
    short, long = "A remark of one line that goes on for some time", "A remark that goes on and on. " * 6
    scope = world(relation("note", {"short": "text", "long": "text"}, (), [[short, long.strip()]]))
    filler = "Some words that come before it and fill most of the first line of it all, "
    carrier = written(scope, "a.pdf", filler + "{{ note.short }}\n\n{{ note.long }}")
    assert [a.printed for a in carrier.anchors if a.kind == "value"] == [short]
    pieces = [a for a in carrier.anchors if a.kind == "state"]
    assert len(pieces) > 1
    assert " ".join(piece.printed for piece in pieces) == long.strip()
    assert {str(piece.cell) for piece in pieces} == {"note.long"}
