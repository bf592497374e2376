"""What looks like an answer and is none: the options of a choice, a table that is given in full."""

from __future__ import annotations

import json

import pytest

from workgym.authoring.planner import plan, worked_example
from workgym.check import check
from workgym.models import ScriptedModel
from workgym.package import TaskPackage

STATE = {
    "name": "lease_state",
    "status": "derived",
    "entity": "tenant",
    "scope": "heating year",
    "content": "whether each tenant owes or gets money back",
    "key": ["tenant"],
    "columns": [
        {"name": "tenant", "type": "text", "label": "Tenant"},
        {"name": "state", "type": "choice(owes money, gets money back)", "label": "State"},
    ],
    "sql": "select tenant, case when due > 0 then 'owes money' else 'gets money back' end as state from balance",
    "for_each": "tenant",
}
FINDING = {
    "name": "finding",
    "status": "derived",
    "entity": "building",
    "scope": "heating year",
    "content": "whether money is owed over all tenants",
    "columns": [{"name": "finding", "type": "choice(settled in full, partly settled)", "label": "Finding"}],
    "sql": "select case when sum(due) > 0 then 'partly settled' else 'settled in full' end as finding from balance",
}
COUNT = {
    "name": "counted",
    "status": "derived",
    "entity": "building",
    "scope": "heating year",
    "content": "how many tenants the statement has",
    "columns": [{"name": "tenants", "type": "integer", "label": "Tenants in the statement"}],
    "sql": "select count(*) as tenants from balance",
}
ASKED = "the columns `Tenant`, `State` (owes money or gets money back) and `Balance (EUR)`"


def built(finding: str) -> TaskPackage:
    """The worked example with two more results; ``finding`` is how the request asks for the second."""
    intent, (graph, planned) = worked_example()
    draft, layout = json.loads(graph), json.loads(planned)
    draft["units"] += [STATE, FINDING]
    table = {"unit": "lease_state", "form": "table", "labels": {"tenant": "Tenant", "state": "State"}}
    draft["deliverables"][0]["states"].append(table)
    draft["deliverables"][1]["states"].append({"unit": "finding", "form": "prose", "labels": {"finding": "Finding"}})
    layout["request"] = layout["request"].replace("the columns `Tenant` and `Balance (EUR)`", ASKED) + f"\n{finding}\n"
    done = plan(intent, ScriptedModel([json.dumps(draft), json.dumps(layout)]), condition="planned", rounds=0)
    assert done.package is not None, done.dropped
    return done.package


@pytest.mark.parametrize(
    ("finding", "leaks"),
    [
        ("Begin with the finding: settled in full or partly settled.", []),
        ("Begin with the finding, which is partly settled.", ["the text states finding"]),
    ],
)
def test_options_are_no_answer_and_all_rows_are_no_selection(finding: str, leaks: list[str]) -> None:
    report = check(built(finding))
    assert [one.message for one in report.findings if one.severity == "hard"] == leaks


def test_the_number_of_a_point_and_a_figure_in_a_path_give_nothing_away() -> None:
    intent, (graph, planned) = worked_example()
    draft, layout = json.loads(graph), json.loads(planned)
    draft["units"].append(COUNT)
    stated = {"unit": "counted", "form": "prose", "labels": {"tenants": "Tenants in the statement"}}
    draft["deliverables"][1]["states"].append(stated)
    draft["deliverables"][0]["path"] = "statements/2026-03/tenants_3.csv"
    layout["request"] = (
        layout["request"]
        .replace("1. `heating_statement.csv`", "3. Tenants in the statement, `statements/2026-03/tenants_3.csv`")
        .replace("name the largest debtor first", "name the largest debtor and the tenants in the statement first")
    )
    done = plan(intent, ScriptedModel([json.dumps(draft), json.dumps(layout)]), condition="planned", rounds=0)
    assert done.package is not None, done.dropped
    report = check(done.package)
    assert not [str(finding) for finding in report.findings if finding.severity == "hard"]
    told = done.package.with_shown(
        done.package.files, f"{done.package.request}\nThere are 3 tenants in the statement.\n"
    )
    assert "leak" in {finding.check for finding in check(told).findings if finding.severity == "hard"}
