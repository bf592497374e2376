"""What is wrong with a plan, or shows in its files, goes back with place and rule, up to the budget."""

from __future__ import annotations

import json
from typing import Any

import pytest

from workgym.authoring.planner import plan
from workgym.check import check
from workgym.models.scripted import ScriptedModel
from workgym.package import TaskPackage


def hard(package: TaskPackage) -> list[str]:
    return [str(finding) for finding in check(package).findings if finding.severity == "hard"]


def change(**parts: Any) -> dict[str, Any]:
    return {"thought": "The cause of each line.", **parts}


def replaced(artifact: dict[str, Any], old: str, new: str) -> None:
    assert old in artifact["template"]
    artifact["template"] = artifact["template"].replace(old, new)


HANDOVER, TERMS, INVOICE = "notes/handover.md", "leases/terms/heating_terms.docx", "invoices/heating_supplier.pdf"
LEASES = "leases/floor_areas.xlsx"

PLAN_FAULTS = {
    "unknown name": (
        lambda draft: replaced(draft.artifact(INVOICE), "invoice.cost", "invoise.cost"),
        [
            "template: artifacts.invoices/heating_supplier.pdf: template, line ",
            "no unit and no name 'invoise'",
        ],
    ),
    "derived unit": (
        lambda draft: replaced(draft.artifact(HANDOVER), "# Hand-over", "# {{ largest.tenant }}"),
        ["template: artifacts.notes/handover.md: template, line 1: there is no unit and no name 'largest'"],
    ),
    "several files at once": (
        lambda draft: (
            replaced(draft.artifact(INVOICE), "invoice.cost", "invoice.price"),
            replaced(draft.artifact(HANDOVER), "# Hand-over", "# {{ invoice.cost * 2 }}"),
        ),
        ["unit invoice has no column price", "template: artifacts.notes/handover.md: template, line 1"],
    ),
    "path and template at once": (
        lambda draft: (
            draft.artifact(HANDOVER).update(path="../../etc/handover.md"),
            draft.artifact(LEASES).update(content=None, template="# Leases"),
            replaced(draft.artifact(INVOICE), "invoice.cost", "invoice.price"),
        ),
        [
            "path: artifacts.../../etc/handover.md: is no path below",
            "artifact: artifacts.leases/floor_areas.xlsx: a xlsx file has a `content` and no `template`",
            "template: artifacts.invoices/heating_supplier.pdf: template, line ",
        ],
    ),
    "needed file without a value": (
        lambda draft: draft.artifact(HANDOVER).pop("role"),
        ["template: artifacts.notes/handover.md: its template names no unit; print the value it is needed for"],
    ),
    "number": (
        lambda draft: replaced(draft.artifact(HANDOVER), "# Hand-over", "# Hand-over\n\nCall 555-0171."),
        ["loose: '555' belongs to no unit and is not declared (notes/handover.md "],
    ),
    "name": (
        lambda draft: replaced(draft.artifact(HANDOVER), "# Hand-over", "# Hand-over\n\nMora Yoga moved in."),
        ["loose: 'Mora Yoga' names a row of a unit and is not declared (notes/handover.md "],
    ),
    "premise nowhere": (
        lambda draft: draft.artifact(INVOICE).update(role="distractor", template="# Invoice {{ context.invoice_no }}"),
        ["presence: invoice.cost is needed and stands in no visible file"],
    ),
    "leak": (
        lambda draft: replaced(
            draft.artifact(HANDOVER), "# Hand-over", '# Hand-over\n\n{{ "Share 6,252.89" | decor }}'
        ),
        ["leak: share Cobalt Prints: Share, which is 6,252.89, is printed for the solver to copy: '6,252.89' in "],
    ),
    "heading": (
        lambda draft: draft.plan.update(request=draft.plan["request"].replace("`Balance (EUR)`", "`Due`")),
        ["request: the request does not say 'Balance (EUR)', which grading of heating_statement.csv looks for"],
    ),
    "rule nowhere": (
        lambda draft: draft.artifact(TERMS).update(
            template=draft.artifact(TERMS)["template"].replace("reading_rule.basis", "split_rule.split")
        ),
        ["conflict: artifacts: the rule reading_rule, which settles reading and reading_estimate, stands in no file"],
    ),
    "path": (
        lambda draft: draft.artifact(HANDOVER).update(path="../../etc/handover.md"),
        ["path: artifacts.../../etc/handover.md: is no path below the workspace's root"],
    ),
    "tree for prose": (
        lambda draft: draft.artifact(LEASES).update(content=None, template="# Leases"),
        ["artifact: artifacts.leases/floor_areas.xlsx: a xlsx file has a `content` and no `template`"],
    ),
    "order": (
        lambda draft: draft.artifact(HANDOVER).update(after=["notes/nowhere.md"]),
        ["artifact: artifacts.notes/handover.md.after: there is no artifact 'notes/nowhere.md'"],
    ),
    "day": (
        lambda draft: draft.plan["context"].update(today="9 February"),
        ["context: context.today: '9 February' is no day; write it as 2026-03-02"],
    ),
}
"""What a model does wrong in a plan, and what it is told."""


@pytest.mark.parametrize("fault", PLAN_FAULTS)
def test_a_fault_of_the_plan_goes_back_and_is_corrected(fault: str, example) -> None:
    spoil, told = PLAN_FAULTS[fault]
    graph, right = json.dumps(example.graph), json.loads(json.dumps(example.plan))
    spoil(example)
    fixed = {
        "context": right["context"],
        "request": right["request"],
        "artifacts": [spec for spec in right["artifacts"] if spec not in example.plan["artifacts"]],
        "drop_artifacts": [s["path"] for s in example.plan["artifacts"] if s not in right["artifacts"]],
    }
    model = ScriptedModel([graph, json.dumps(example.plan), json.dumps(change(plan=fixed))])
    result = plan(example.intent, model, condition="planned", rounds=1, accept=hard)
    said = model.requests[2].messages[-1].blocks[0].text
    for line in told:
        assert line in said
    assert result.package is not None, result.dropped
    assert [round_.stage for round_ in result.rounds] == ["plan"]


def test_the_graph_can_be_corrected_from_the_plan(example) -> None:
    """What is found in the files may show that the information is wrong: then the graph changes beneath the plan."""
    example.plan["request"] = example.plan["request"].replace("`Balance (EUR)`", "`Still due (EUR)`")
    deliverable = json.loads(json.dumps(example.graph["deliverables"][0]))
    deliverable["states"][0]["labels"]["due"] = "Still due (EUR)"
    invoice = {**example.unit("invoice"), "rows": [["12000.00"]]}
    fixed = change(graph=change(deliverables=[deliverable], units=[invoice]))
    model = ScriptedModel([*example.replies, json.dumps(fixed)])
    result = plan(example.intent, model, condition="planned", rounds=1, accept=hard)
    assert result.package is not None
    assert [str(row[0]) for row in result.package.truth("invoice").rows] == ["12000.00"]
    assert result.package.hidden.graph.deliverables[0].states[0].labels["due"] == "Still due (EUR)"


def test_a_graph_that_a_correction_breaks_is_told_as_one(example) -> None:
    example.artifact(HANDOVER)["template"] = "{{ nothing }}"
    broken = change(graph=change(units=[{**example.unit("largest"), "sql": "select max(tenant) as tenant from x"}]))
    mended = change(
        graph=change(units=[example.unit("largest")]),
        plan={"artifacts": [{**example.artifact(HANDOVER), "template": "# Hand-over"}]},
    )
    model = ScriptedModel([*example.replies, json.dumps(broken), json.dumps(mended)])
    result = plan(example.intent, model, condition="planned", rounds=2)
    assert result.package is not None
    assert [round_.stage for round_ in result.rounds] == ["plan", "graph"]
    assert "query: units.largest: there is no unit x" in model.requests[3].messages[-1].blocks[0].text


def test_a_date_without_its_year_is_told_as_that(example) -> None:
    """The reader who gets this line looked for a label, which nobody had asked for."""
    day = {"name": "day", "type": "date", "label": "Invoice of"}
    example.unit("invoice").update(columns=[*example.unit("invoice")["columns"], day], rows=[[11874.6, "2026-01-30"]])
    example.graph["deliverables"][1]["rubric"][0]["rests_on"].append("invoice.day")
    invoice = example.artifact(INVOICE)
    replaced(invoice, "# Invoice", "{{ invoice.day | date }}\n\n# {{ invoice.day | date('%-d %B') }}: Invoice")
    result = plan(example.intent, ScriptedModel(example.replies), condition="planned", rounds=0, accept=hard)
    assert result.dropped is not None
    told = result.dropped.detail
    assert "presence: invoice.day is not found where it should stand: '30 January' does not show 2026-01-30" in told
    assert "it stands as '30 January 2026' at invoices/heating_supplier.pdf" in told
    assert told.endswith("print it whole: a date with its year, a number with all its digits")


def test_a_spent_budget_drops_with_stage_reason_and_detail(example) -> None:
    example.artifact(HANDOVER)["template"] = "{{ nothing }}"
    model = ScriptedModel([*example.replies, *[json.dumps(change())] * 3])
    result = plan(example.intent, model, condition="planned", rounds=3)
    assert result.package is None and result.dropped is not None
    assert (result.dropped.stage, result.dropped.reason) == ("plan", "template")
    assert result.dropped.detail.startswith("1 problem after 4 drafts: template: artifacts.notes/handover.md: ")
    assert [round_.stage for round_ in result.rounds] == ["plan"] * 4
    assert len(model.requests) == 5
