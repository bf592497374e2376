"""What is wrong with a carrier is said in one line: the carrier, the line or place, the unit."""

from __future__ import annotations

import email
import email.policy
from typing import Any

import pytest

from workgym.errors import MaterializeError
from workgym.materialize import Scope, render, render_request
from workgym.plan import ArtifactSpec


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("a\nb {{ qoute.price }}", r"line 2: there is no unit and no name 'qoute'"),
        ("\n\n{{ rate.rat }}", r"line 3: unit rate has no column rat: did you mean rate\?"),
        ("{{ quote.price }}", r"line 1: unit quote has 3 rows: iterate, or use quote.of\(supplier\)"),
        ("x\n{{ quote.of('Nobody').price }}", r"line 2: quote.of\(Nobody\): there is no such row"),
        ("{{ shift.of('Ines Roth').hours }}", r"its key is \(who, day\)"),
        ("{{ quote }}", "unit quote cannot be printed: name one of supplier, price"),
        ("{% for q in quote %}\n{{ q }}\n{% endfor %}", "line 2: a row of quote cannot be printed"),
        ("{% for q in quote %}\n", "line 1: Unexpected end of template"),
        ("{{ rate.rate | mony }}", "No filter named 'mony'"),
        ("{{ rate.rate | money }}", "a percent has no currency"),
        ("{{ 'x' | money }}", "'x' is no value of a unit"),
        ("{% state 'x' %}a{% endstate %}", "'x' is no value of a unit"),
        ("{% state quote %}a{% endstate %}", "unit quote has 3 rows"),
        ("{% state quote.of('Nordpak GmbH') %}a{% endstate %}", "has several columns: name one of price, terms, valid"),
        ("{{ quote.of('Nordpak GmbH').terms | says({'FCA': 'a'}) }}", "'DAP', which is not told"),
        ("{% for q in rows(quote, suplier='x') %}{% endfor %}", "has no column suplier: did you mean supplier"),
        ("{% for q in rows('qote') %}{% endfor %}", "no unit qote: did you mean quote"),
        ("{% for q in rows(quote, where='price > 1') %}{% endfor %}", "where and order need queries"),
        ("{{ context.nothing }}", "has no attribute 'nothing'"),
        ("{% macro again() %}{{ again() }}{% endmacro %}{{ again() }}", "maximum recursion depth exceeded"),
        ("| a | b |\n|---|---|\n| {{ rate.rate }} |", "row 2 has 1 cells, the first one has 2"),
    ],
)
def test_templates(template: str, message: str, scope: Scope) -> None:
    with pytest.raises(MaterializeError, match=rf"^notes/a.docx: template.*{message}"):
        render(ArtifactSpec(path="notes/a.docx", template=template), scope, "look")


@pytest.mark.parametrize(
    ("path", "content", "message"),
    [
        ("a.xlsx", {}, "sheets: a list of sheets is needed"),
        ("a.xlsx", {"sheets": [{"titel": "x"}]}, r"sheets\[1\]: unknown key 'titel': did you mean title"),
        ("a.xlsx", {"sheets": [{"tables": [{"rows": "qote", "columns": {"A": "b"}}]}]}, "no unit qote"),
        (
            "a.xlsx",
            {"sheets": [{"tables": [{"rows": "quote", "columns": {"Price": "prise"}}]}]},
            r"sheets\[1\].tables\[1\].columns.Price: unit quote has no column prise: did you mean price",
        ),
        (
            "a.xlsx",
            {"sheets": [{"tables": [{"rows": "quote", "columns": {"P": "{{ row.price * 2 }}"}}]}]},
            r"columns.P, line 1: arithmetic is not for quote\[Nordpak GmbH\].price",
        ),
        (
            "a.xlsx",
            {"sheets": [{"tables": [{"rows": "quote", "columns": {"S": "supplier"}, "total": {"sum": ["S"]}}]}]},
            "holds more than numbers",
        ),
        ("a.xlsx", {"sheets": [{"title": "x" * 40, "tables": []}]}, "a.xlsx: .*31"),
        ("a.xlsx", {"sheets": [{"tables": [{"literal": [["x" * 40000]]}]}]}, "at most 32767 characters"),
        ("a.csv", {"table": {"rows": "quote"}}, "columns: a mapping from heading"),
        ("a.csv", {"table": {"rows": {"unit": "quote", "wher": "x"}, "columns": {"A": "price"}}}, "unknown key 'wher'"),
        ("a.json", {"date": 1}, "unknown key 'date': did you mean data"),
        ("a.json", {"data": {"each": "qote", "item": 1}}, "data.each: there is no unit qote"),
        ("a.ics", {"events": {"each": "shift", "item": {"SUMMARY": "x"}}}, "an event needs SUMMARY and DTSTART"),
        ("a.ics", {"events": [{"SUMMARY": "x", "DTSTART": "Monday"}]}, "'Monday' is neither"),
        ("a.json", None, "is written from a content tree, and there is none"),
        ("a.pdf", {"data": 1}, "is written from a template, and there is none"),
    ],
)
def test_trees(path: str, content: Any, message: str, scope: Scope) -> None:
    with pytest.raises(MaterializeError, match=message):
        render(ArtifactSpec(path=path, content=content), scope, "look")


@pytest.mark.parametrize(
    ("path", "template", "message"),
    [
        ("a.eml", "---\nFrom: a@b.example\n---\nx", "a mail needs To"),
        ("a.eml", "---\nForm: a@b.example\n---\nx", "unknown header 'Form': did you mean From"),
        (
            "a.eml",
            "---\nFrom: a\nTo: b@c.example\nSubject: x\nDate: 2026-01-01 10:00\n---\nx",
            "'a' is no address",
        ),
        (
            "a.eml",
            "---\nFrom: a@b.example\nTo: b@c.example\nSubject: x\nDate: today\n---\nx",
            "'today' is not of the form",
        ),
        ("a.pdf", "---\nletterhead: true\n---\nx", "a letterhead needs `company`"),
        ("a.docx", "---\ntitel: x\n---\nx", "unknown field 'titel': did you mean title"),
        ("a.docx", "---\ntitle: x\n", "has no closing ---"),
        ("a.pdf", "By lorry 🚚", r"no font has a glyph for .*U\+1F69A"),
        ("a.pdf", "bell \x07", "no document can hold"),
    ],
)
def test_prose(path: str, template: str, message: str, scope: Scope) -> None:
    with pytest.raises(MaterializeError, match=message):
        render(ArtifactSpec(path=path, template=template, role="distractor"), scope, "look")


def test_a_needed_carrier_prints_a_value(scope: Scope) -> None:
    spec = ArtifactSpec(path="a.md", template="Nothing to see on {{ context.today | date }}")
    with pytest.raises(MaterializeError, match=r"a.md: its template names no unit; .*role: distractor"):
        render(spec, scope, "look")
    assert render(spec.model_copy(update={"role": "distractor"}), scope, "look").content
    request = render_request(spec, scope, "look")
    assert request.path == "request.md"
    assert {anchor.place.path for anchor in request.anchors} == {"request.md"}


def test_a_bound_row_must_be_there(scope: Scope) -> None:
    for row, message in (({"quote": ("Nobody",)}, "no such row"), ({"qote": ("x",)}, "no unit qote")):
        with pytest.raises(MaterializeError, match=f"a.md: row: .*{message}"):
            render(ArtifactSpec(path="a.md", template="x", row=row), scope, "look")


def test_a_name_in_a_mail_may_have_commas_of_its_own(scope: Scope) -> None:
    head = "From: H. de Vries, debt counselling <a@b.example>\nTo: Cora <c@d.example>, Stadsbank, Oostdal <e@f.example>"
    spec = ArtifactSpec(path="a.eml", template=f"---\n{head}\nSubject: x\nDate: 2026-01-01 10:00\n---\nx")
    message = email.message_from_bytes(render(spec, scope, "look", strict=False).content, policy=email.policy.default)
    assert [str(one) for one in message["To"].addresses] == ["Cora <c@d.example>", '"Stadsbank, Oostdal" <e@f.example>']
    assert message["From"].addresses[0].display_name == "H. de Vries, debt counselling"
