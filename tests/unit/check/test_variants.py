"""Results that hang on a convention: the papers speak of it, or the check says so."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from workgym.authoring import families
from workgym.authoring.planner import plan, worked_example
from workgym.check import Visible, check
from workgym.check.variants import changes, variants
from workgym.models import ScriptedModel
from workgym.package import TaskPackage

OBJECTION = {
    "name": "objection",
    "status": "provided",
    "entity": "tenant",
    "scope": "heating year",
    "content": "when each tenant objected to the last statement",
    "key": ["tenant"],
    "columns": [
        {"name": "tenant", "type": "text", "label": "Tenant"},
        {"name": "came", "type": "date", "label": "Objection"},
    ],
    "for_each": "tenant",
}
CLOSING = {
    "name": "closing",
    "status": "provided",
    "entity": "building",
    "scope": "heating year",
    "content": "day on which objections close",
    "columns": [{"name": "closes", "type": "date", "label": "Closing day"}],
    "rows": [["2026-02-06"]],
}
HEARD = {
    "name": "heard",
    "status": "derived",
    "entity": "tenant",
    "scope": "heating year",
    "content": "tenants whose objection is heard",
    "key": ["tenant"],
    "columns": [{"name": "tenant", "type": "text", "label": "Tenant"}],
}


def built(
    text: str, column: dict[str, str] | None, select: str, *more_units: dict[str, Any], mail: bool = False
) -> TaskPackage:
    """The worked example with one more table, on objections; ``text`` is what the lease terms say of it.

    With ``mail`` a mail tells the days of grace.
    """
    intent, (graph, planned) = worked_example()
    draft, layout = json.loads(graph), json.loads(planned)
    tenants = [row[0] for row in next(unit for unit in draft["units"] if unit["name"] == "tenant")["rows"]]
    rows = [[tenant, f"2026-02-0{5 + number % 3}"] for number, tenant in enumerate(tenants)]
    columns = [*HEARD["columns"], *([] if column is None else [column])]
    derived: dict[str, Any] = {**HEARD, "columns": columns, "sql": select}
    draft["units"] += [{**OBJECTION, "rows": rows}, CLOSING, *more_units, derived]
    labels = {one["name"]: one["label"] for one in columns}
    draft["deliverables"][0]["states"].append({"unit": "heard", "form": "table", "labels": labels})
    more = f", and one with `{'` and `'.join(labels.values())}` of those who are heard"
    layout["request"] = layout["request"].replace("`Balance (EUR)`, to the cent", f"`Balance (EUR)`, to the cent{more}")
    terms = next(one for one in layout["artifacts"] if one["path"].endswith("heating_terms.docx"))
    terms["template"] += f"\n## Objections\n\n{text}\n"
    table = {"rows": "objection", "columns": {"Tenant": "tenant", "Objection": "came"}}
    layout["artifacts"].append({"path": "mail/objections.csv", "title": "Objections", "content": {"table": table}})
    if mail:
        text = '---\nFrom: "Jo <jo@firm.example>"\nTo: "Di <di@firm.example>"\nSubject: "Days"\n'
        text += 'Date: "2026-01-12 10:05"\n---\nTenants have {{ grace.grace_days }} days for reasons.\n'
        layout["artifacts"].append({"path": "mail/grace.eml", "title": "Mail on reasons", "template": text})
    done = plan(intent, ScriptedModel([json.dumps(draft), json.dumps(layout)]), condition="planned", rounds=0)
    assert done.package is not None, done.dropped
    return done.package


HEARD_IF = "select tenant from objection, closing where came <= closes"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Objections are heard that came on or before {{ closing.closes }}.", 0),
        ("Objections are heard up to {{ closing.closes }}.", 0),
        ("Objections that came after {{ closing.closes }} are not heard.", 0),
        ("What is heard depends on the closing day, {{ closing.closes }}.", 1),
        ("The closing day is {{ closing.closes }}.\n\nAnything above the ground floor is heated by gas.", 1),
    ],
)
def test_a_limit_that_somebody_reaches(text: str, found: int) -> None:
    package = built(text, None, HEARD_IF)
    (variant, change), *_ = changes(Visible(package))
    assert (variant.unit, variant.says, change.then) == ("heard", "came < closes", "not there")
    findings = [one for one in check(package, trusted=True).findings if one.check == "variants"]
    assert len(findings) == found
    for one in findings:
        assert (one.severity, one.defect, one.unit) == ("soft", "request under-specification", "heard")
        assert "with came < closes in heard, row of" in one.message and "heating_terms.docx" in one.message


DAYS = {"name": "waited", "type": "integer", "label": "Days"}
WAITED = "select tenant, cast(closes - came as bigint) as waited from objection, closing where came < closes"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Days are counted from the objection to {{ closing.closes }}, both days included; none after it.", 0),
        ("Objections before {{ closing.closes }} are heard.", 1),
    ],
)
def test_days_that_two_people_count_in_two_ways(text: str, found: int) -> None:
    view = Visible(built(text, DAYS, WAITED))
    ((variant, change),) = changes(view)  # who came on the day itself has waited for no day, and nobody lists that
    assert (variant.kind, variant.says) == ("days", "closes - came and one more day")
    assert (change.what, change.now, change.then) == ("Days", "1", "2")
    assert len(list(variants(view))) == found


GRACE = {
    "name": "grace",
    "status": "provided",
    "entity": "building",
    "scope": "heating year",
    "content": "days within which a tenant may add reasons",
    "columns": [{"name": "grace_days", "type": "integer", "label": "Days for reasons"}],
    "rows": [[14]],
}
UNTIL = {"name": "last_day", "type": "date", "label": "Last day"}
REASONS = (
    "select tenant, came + cast(grace_days as integer) as last_day from objection, grace, closing where came <= closes"
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Reasons may be added within {{ grace.grace_days }} days after the objection.", 0),
        ("From the day of an objection on the tenant has {{ grace.grace_days }} days for the reasons.", 1),
    ],
)
def test_a_number_of_days_whose_first_two_people_count_differently(text: str, found: int) -> None:
    heard = "Objections are heard up to {{ closing.closes }}."
    view = Visible(built(f"{heard}\n\n{text}", UNTIL, REASONS, GRACE))
    variant, change = next(one for one in changes(view) if one[0].kind == "term")
    assert variant.says == "one day fewer in came + CAST(grace_days AS INT)"
    assert (change.what, change.now, change.then) == ("Last day", "2026-02-19", "2026-02-18")
    findings = [one.message for one in variants(view) if "the first of them" in one.message]
    assert len(findings) == found and all("say it in leases/terms/heating_terms.docx" in one for one in findings)


def test_it_is_said_where_an_office_writes_its_rules() -> None:
    """The days are printed in a mail alone; the terms of the lease, which state other rules, are the place."""
    view = Visible(built("Objections are heard up to {{ closing.closes }}.", UNTIL, REASONS, GRACE, mail=True))
    (finding,) = (one for one in variants(view) if "the first of them" in one.message)
    assert finding.message.endswith("say it in leases/terms/heating_terms.docx or the request")
    graph = view.package.hidden.graph
    terms = {one for one in graph.bindings if one.carrier.endswith("heating_terms.docx")}
    without = graph.model_copy(update={"bindings": tuple(one for one in graph.bindings if one not in terms)})
    (finding,) = (
        one for one in variants(Visible(view.package.with_hidden(graph=without))) if "first of them" in one.message
    )
    assert finding.message.endswith("say it in mail/grace.eml or the request")


def test_where_no_paper_has_a_word_of_the_kind_a_planned_task_is_held_back() -> None:
    """The same finding is a warning where the papers are an expert's: he may know what goes without saying."""
    package = built("Objections before {{ closing.closes }} are heard.", DAYS, WAITED)
    kept = ("objections.csv", "heating_terms.docx")
    quiet = {path: content for path, content in package.files.items() if path.endswith(kept)}
    silent = replace(package, files=quiet, request="Please hand in `heating_statement.csv`.")
    (finding,) = variants(Visible(silent))
    assert finding.severity == "hard"
    origin = package.hidden.origin.model_copy(update={"author": "blueprint"})
    (finding,) = variants(Visible(silent.with_hidden(origin=origin)))
    assert finding.severity == "soft"


@pytest.mark.parametrize("family", families.names())
def test_no_family_leaves_a_convention_open(family: str) -> None:
    for preset in families.family(family).blueprint.presets:
        assert list(variants(Visible(families.build(family, preset, 11)))) == []


def test_a_rounding_that_changes_the_last_digit_is_stated() -> None:
    """Discounted costs of a year, rounded or not, differ by a cent in the sum: the policy says which."""
    view = Visible(families.build("supplier-selection", "easy", 0))
    found = [(variant.kind, variant.unit, variant.mixed) for variant, _ in changes(view)]
    assert found == [("rounding", "npv", False)]


def test_without_the_sentence_the_same_rounding_is_open() -> None:
    view = Visible(families.build("supplier-selection", "easy", 0))
    path, said = "policies/sourcing_policy.docx", "nothing else is rounded on the way"
    policy = view.documents[path]
    kept = tuple(fragment for fragment in policy.fragments if said not in fragment.text)
    assert len(kept) == len(policy.fragments) - 1
    view.documents[path] = policy.model_copy(update={"fragments": kept})
    (finding,) = variants(view)
    assert (finding.severity, finding.unit, finding.path) == ("soft", "npv", "supplier_comparison.xlsx")
    assert "rounded to 2 places" in finding.message and "Net present landed cost (USD) of Yarrow" in finding.message
