"""What is wrong with a graph goes back with place and rule, and is put right in the next reply."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from workgym.authoring.planner import plan
from workgym.authoring.planner.names import wanted_problems
from workgym.authoring.planner.packaging import Wants
from workgym.authoring.planner.planned import GraphStep
from workgym.authoring.planner.steps import Talk, work_out
from workgym.errors import ContextExceeded
from workgym.model import ModelRequest, Sampling
from workgym.models.scripted import ScriptedModel


def change(**parts: Any) -> dict[str, Any]:
    return {"thought": "The cause of each line.", **parts}


def spoil_sql(name: str, sql: str) -> Callable:
    return lambda draft: draft.unit(name).update(sql=sql)


def add(**unit: Any) -> Callable:
    whole = {"status": "provided", "entity": "building", "scope": "year", "content": "something", **unit}
    return lambda draft: draft.graph["units"].append(whole)


def with_repairs(draft: Any) -> None:
    """Costs of single jobs, one of which could be lost unseen."""
    rows = [["Job 17", "210.00"], ["Job 18", "95.50"]]
    add(name="repair", key=["job"], columns=[column("job", "text"), column("cost", "money(EUR, 2)")], rows=rows)(draft)
    total = "(select sum(repair.cost) from repair)"
    draft.unit("balance")["sql"] = (
        f"select tenant, cast(amount - paid + {total} as decimal(18,2)) as due from share join advance using (tenant)"
    )


def with_cut(draft: Any) -> None:
    """A class whose border one tenant stands on."""
    add(name="cut", columns=[column("area", "integer")], rows=[[210]])(draft)
    add(
        name="size_class",
        status="derived",
        key=["tenant"],
        columns=[column("tenant", "text"), column("size", "choice(large, small)")],
        sql="select tenant, case when tenant.area >= cut.area then 'large' else 'small' end as size from tenant, cut",
        for_each="tenant",
    )(draft)
    stated = {"unit": "size_class", "form": "table", "labels": {"tenant": "Tenant", "size": "Size"}}
    draft.graph["deliverables"][0]["states"].append(stated)


def column(name: str, kind: str) -> dict[str, str]:
    return {"name": name, "type": kind}


GRAPH_FAULTS = {
    "avg": (
        spoil_sql("share", "select tenant, avg(cost) as amount from tenant, invoice group by tenant"),
        ["query: units.share: function avg is not allowed; use sum(x) / count(*), rounded and cast"],
    ),
    "literal": (
        spoil_sql("balance", "select tenant, cast(amount * 1.19 as decimal(18,2)) as due from share"),
        ["query: units.balance: the literal 1.19 is a premise that no file states; read it from a provided"],
    ),
    "column": (
        spoil_sql("balance", "select tenant, paidd as due from advance"),
        ["query: units.balance: ", "paidd"],
    ),
    "outer join": (
        spoil_sql("balance", "select tenant, paid as due from share left join advance using (tenant)"),
        ["query: units.balance: outer join hides absent rows; name the rule that allows it"],
    ),
    "no order": (
        spoil_sql("largest", "select tenant from balance order by due desc limit 1"),
        ["query: units.largest: limit without a total order: tenant is not in the order by"],
    ),
    "type": (
        spoil_sql("balance", "select tenant, amount - paid as due from share join advance using (tenant)"),
        ["evaluation: units.balance: due is DECIMAL(19,2), declared is money(EUR, 2)", "cast(... as decimal(18,2))"],
    ),
    "several things in one query": (
        spoil_sql("balance", "select tenant, coalesce(amount, 7) as due from share left join advance using (tenant)"),
        [
            "query: units.balance: coalesce hides absent rows",
            "query: units.balance: outer join hides absent rows",
            "query: units.balance: the literal 7 is a premise that no file states",
        ],
    ),
    "types of several units": (
        lambda draft: (
            spoil_sql("share", "select tenant, cost as amount from tenant, invoice")(draft),
            spoil_sql("balance", "select tenant, amount * paid as due from share join advance using (tenant)")(draft),
            spoil_sql("heat", "select used, tenant from reading, reading_rule where basis = 'read on site'")(draft),
        ),
        [
            "evaluation: units.heat: the query gives columns used, tenant, declared are tenant, used",
            "evaluation: units.balance: due is DECIMAL(18,4), declared is money(EUR, 2) (DECIMAL(18,2)); cast(... as",
        ],
    ),
    "names and queries at once": (
        lambda draft: (
            draft.graph["deliverables"][1]["rubric"][0].update(rests_on=["larges"]),
            spoil_sql("largest", "select avg(due) as tenant from balance")(draft),
        ),
        ["rubric[1]: there is no unit 'larges'", "query: units.largest: function avg is not allowed"],
    ),
    "several units at once": (
        lambda draft: (
            spoil_sql("share", "select median(cost) as amount from invoice")(draft),
            spoil_sql("largest", "select tenant || 'x' as tenant from balance")(draft),
        ),
        ["query: units.share: function", "query: units.largest: dpipe is not allowed; use concat(a, b)"],
    ),
    "circle": (
        spoil_sql("heat", "select tenant, cast(due as decimal(18,0)) as used from balance"),
        ["units depend on each other"],
    ),
    "missing row": (
        lambda draft: draft.unit("advance").update(rows=draft.unit("advance")["rows"][:2]),
        ["evaluation: units.advance[Mora Yoga]: this row is missing"],
    ),
    "absence": (
        with_repairs,
        ["absence: units.repair[Job 17]: repair Job 17 can be absent without anyone noticing; declare the rows"],
    ),
    "necessity": (
        add(name="tax", columns=[column("rate", "percent(1)")], rows=[[0.19]]),
        ["necessity: units.tax: nothing that is handed in rests on tax; declare it a distractor"],
    ),
    "robustness": (
        with_cut,
        [
            "robustness: units.size_class: size_class flips when its premises move by half a unit of their printed",
            "precision: tenant.area alone does it; make what is exact",
        ],
    ),
    "queries, premises and needs at once": (
        lambda draft: (
            spoil_sql("balance", "select tenant, cast(amount * 1.19 as decimal(18,2)) as due from share")(draft),
            spoil_sql("heat", "select tenant, used from reading_estimate, reading_rule where basis = 'estimated'")(
                draft
            ),
        ),
        [
            "query: units.balance: the literal 1.19 is a premise that no file states",
            "premises: units.heat: the result heat rests on reading_estimate, which is declared a distractor; what a",
            "necessity: units.advance: nothing that is handed in rests on advance",
        ],
    ),
    "premises and absence at once": (
        lambda draft: (
            with_repairs(draft),
            spoil_sql(
                "heat",
                "select tenant, e.used from reading join reading_estimate e using (tenant), reading_rule"
                " where basis = 'read on site'",
            )(draft),
        ),
        ["premises: units.heat: the result heat rests on reading_estimate", "absence: units.repair[Job 17]: "],
    ),
    "margin": (
        lambda draft: draft.unit("largest")["margin"].update(at_least="99%"),
        ["margin: units.largest: largest is decided by less than 99"],
    ),
    "trap": (
        lambda draft: draft.graph["traps"].append(
            {"name": "looked away", "given": {"reading": "select tenant, used from reading"}, "must_change": ["share"]}
        ),
        ["trap: traps.looked away: share comes out the same when the mistake is made"],
    ),
    "trap's query": (
        lambda draft: draft.graph["traps"][0].update(given={"reading": "select tenant, uesd from reading"}),
        ["trap: traps.billed the estimates: "],
    ),
    "trap's units": (
        lambda draft: draft.graph["traps"][0].update(given={"heat": "select tenant, used from reading"}),
        ["names: traps.billed the estimates.given: heat is not given to the solver; replace a provided unit"],
    ),
    "unknown unit": (
        lambda draft: draft.graph["deliverables"][1]["rubric"][0].update(rests_on=["larges"]),
        ["names: deliverables.cover_note.docx.rubric[1]: there is no unit 'larges'"],
    ),
    "no heading": (
        lambda draft: draft.graph["deliverables"][0]["states"][0].update(labels={"due": "Balance"}),
        ["names: deliverables.heating_statement.csv.states.balance: a table needs a heading for each key column"],
    ),
    "version without rule": (
        lambda draft: draft.graph.update(conflicts=[]),
        ["names: units.reading_estimate.superseded_by: it and reading disagree, and no rule settles it"],
    ),
    "not a rule": (
        lambda draft: draft.graph["conflicts"][0].update(rule="invoice"),
        ["names: conflicts: invoice is not a rule unit"],
    ),
    "format": (
        lambda draft: draft.graph["deliverables"][0].update(path="heating_statement.xlsx"),
        ["names: deliverables: the intent asks for a file in csv, and none ends in .csv"],
    ),
    "row too short": (
        lambda draft: draft.unit("tenant")["rows"][1].pop(),
        ["unit: units.tenant.rows[2]: has 1 values for 2 columns: tenant, area"],
    ),
    "option": (
        lambda draft: draft.unit("split_rule").update(rows=[["by mood"]]),
        ["unit: units.split_rule.rows[1]: split: 'by mood' is not choice(half by area, all by consumption)"],
    ),
    "decimals": (
        lambda draft: draft.unit("invoice").update(rows=[[11874.605]]),
        ["unit: units.invoice.rows[1]: cost: 11874.605 has more decimals than money(EUR, 2) keeps (2)"],
    ),
    "percent": (
        lambda draft: add(name="fee", columns=[column("rate", "percent(1)")], rows=[[8.5]])(draft),
        ["unit: units.fee.rows[1]: rate: 8.5 would be 850.0 %; a percent is a fraction, 0.085"],
    ),
    "type of a column": (
        lambda draft: draft.unit("invoice")["columns"][0].update(type="decimal"),
        ["unit: units.invoice.columns.cost: unknown type 'decimal': use one of text, integer"],
    ),
    "derived rows": (
        lambda draft: draft.unit("largest").update(rows=[["Cobalt Prints"]]),
        ["unit: units.largest.rows: only provided and external units have rows; leave them out"],
    ),
    "no query": (spoil_sql("largest", ""), ["unit: units.largest.sql: a derived unit with columns has one query"]),
    "name": (
        lambda draft: draft.unit("invoice").update(name="context"),
        ["unit: units.context: is no name for a unit"],
    ),
}
"""What a model does wrong in a graph, and what it is told."""


@pytest.mark.parametrize("fault", GRAPH_FAULTS)
def test_a_fault_of_the_graph_goes_back_and_is_corrected(fault: str, example) -> None:
    spoil, told = GRAPH_FAULTS[fault]
    right = json.loads(json.dumps(example.graph))
    spoil(example)
    sent = {unit["name"] for unit in right["units"]}
    gone = [unit["name"] for unit in example.graph["units"] if unit["name"] not in sent]
    fixed = change(
        units=[unit for unit in right["units"] if unit not in example.graph["units"]],
        drop_units=gone,
        deliverables=right["deliverables"],
        drop_deliverables=[spec["path"] for spec in example.graph["deliverables"]],
        conflicts=right["conflicts"],
        traps=right["traps"],
    )
    model = ScriptedModel([json.dumps(example.graph), json.dumps(fixed)])
    talk = Talk(model, left=1, sampling=Sampling(), progress=None)
    draft, done = work_out(GraphStep(example.intent, Wants()), talk)
    said = model.requests[1].messages[-1].blocks[0].text
    for line in told:
        assert line in said
    assert json.loads(model.requests[1].messages[-2].blocks[0].text)["units"], "its own draft stands before"
    assert {unit.name for unit in draft.units} == sent
    assert done.values["largest"].rows == (("Cobalt Prints",),)
    assert [round_.stage for round_ in talk.rounds] == ["graph"]


def test_a_unit_sent_without_rows_keeps_them(example) -> None:
    right = dict(example.unit("tenant"))
    example.unit("tenant")["for_each"] = "nowhere"
    slim = {name: part for name, part in right.items() if name != "rows"}
    model = ScriptedModel([json.dumps(example.graph), json.dumps(change(units=[slim]))])
    _, done = work_out(GraphStep(example.intent, Wants()), Talk(model, left=1, sampling=Sampling(), progress=None))
    assert len(done.given["tenant"].rows) == len(right["rows"])


def test_no_need_is_told_where_it_is_not_known_what_is_handed_in(example) -> None:
    """A faulty name keeps the deliverables from being made: what rests on them is told in the next round."""
    example.graph["deliverables"][1]["rubric"][0].update(rests_on=["larges"])
    example.unit("largest")["sql"] = "select median(tenant) as tenant from balance"
    model = ScriptedModel([json.dumps(example.graph)])
    result = plan(example.intent, model, condition="planned", rounds=0)
    assert {problem.code for problem in result.rounds[0].problems} == {"names", "query"}


def test_a_circle_is_told_once(example) -> None:
    example.unit("heat")["sql"] = "select tenant, cast(due as decimal(18,0)) as used from balance"
    result = plan(example.intent, ScriptedModel([json.dumps(example.graph)]), condition="planned", rounds=0)
    assert [problem.code for problem in result.rounds[0].problems] == ["query"]


def test_what_comes_again_is_marked(example) -> None:
    example.unit("largest")["sql"] = "select median(tenant) as tenant from balance"
    model = ScriptedModel([json.dumps(example.graph), *[json.dumps(change())] * 2])
    result = plan(example.intent, model, condition="planned", rounds=2)
    assert result.dropped is not None and result.dropped.reason == "query"
    first, second = (request.messages[-1].blocks[0].text for request in model.requests[1:])
    assert "(as before)" not in first and "(as before)" in second


def test_a_reply_that_never_fits_the_form_drops(example) -> None:
    result = plan(example.intent, ScriptedModel(["No.", "Never.", "Not now."]), condition="planned")
    assert result.dropped is not None
    assert (result.dropped.stage, result.dropped.reason) == ("graph", "form")


def test_many_lines_of_one_kind_are_cut(example) -> None:
    example.unit("reading")["rows"] = [["x"]] * 60
    model = ScriptedModel([json.dumps(example.graph), json.dumps(change())])
    plan(example.intent, model, condition="planned", rounds=1)
    said = model.requests[1].messages[-1].blocks[0].text
    assert said.count("units.reading.rows[") == 4 and "and 56 more of unit" in said


def test_a_conversation_that_outgrows_the_model_drops(example) -> None:
    def answer(_: ModelRequest) -> str:
        raise ContextExceeded("too long")

    result = plan(example.intent, ScriptedModel(answer), condition="planned")
    assert result.dropped is not None and (result.dropped.stage, result.dropped.reason) == ("graph", "context")


def test_formats_are_asked_for_by_what_they_are() -> None:
    assert not list(wanted_problems(["markdown", ".XLSX", "mp4"], ["a.md", "b.xlsx"]))
    assert [problem.message for problem in wanted_problems(["docx"], ["a.md"])] == [
        "the intent asks for a file in docx, and none ends in .docx"
    ]


def test_a_weight_that_is_none_goes_back_as_a_slip_of_the_form(example) -> None:
    right = json.dumps(example.graph)
    example.graph["deliverables"][0]["states"][0] |= {"weight": -1, "places": {"due": 40}}
    model = ScriptedModel([json.dumps(example.graph), right, json.dumps(example.plan)])
    result = plan(example.intent, model, condition="planned", rounds=0)
    assert result.package is not None
    said = model.requests[1].messages[-1].blocks[0].text
    assert "deliverables[0].states[0].weight" in said and "deliverables[0].states[0].places.due" in said
