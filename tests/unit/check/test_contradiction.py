"""A sentence that gives a needed value another number; and one that names a day, which is no such number."""

from __future__ import annotations

import json

import pytest

from workgym.authoring.planner import plan, worked_example
from workgym.check import check
from workgym.models import ScriptedModel
from workgym.package import TaskPackage

TERM = {
    "name": "payment_term",
    "status": "provided",
    "entity": "lease terms",
    "scope": "all tenants",
    "content": "how many days tenants have to pay",
    "columns": [{"name": "days", "type": "integer", "label": "Days to pay"}],
    "rows": [[14]],
}
LATEST = {
    "name": "reminder",
    "status": "derived",
    "entity": "building",
    "scope": "heating year",
    "content": "days after which tenants are reminded",
    "columns": [{"name": "after", "type": "integer", "label": "Remind after"}],
    "sql": "select days * (select count(*) from tenant) as after from payment_term",
}


def built(remark: str) -> TaskPackage:
    """The worked example with a term of payment in the lease terms, and a remark in the hand-over notes."""
    intent, (graph, planned) = worked_example()
    draft, layout = json.loads(graph), json.loads(planned)
    draft["units"] += [TERM, LATEST]
    reminded = {"unit": "reminder", "form": "prose", "labels": {"after": "Remind after"}}
    draft["deliverables"][1]["states"].append(reminded)
    layout["request"] = layout["request"].replace(
        "`cover_note.docx`,", "`cover_note.docx` (remind after how many days),"
    )
    files = {artifact["path"]: artifact for artifact in layout["artifacts"]}
    terms = "\n## Payment\n\nDays to pay: {{ payment_term.days }}. A reminder goes out when each has had as long.\n"
    files["leases/terms/heating_terms.docx"]["template"] += terms
    files["notes/handover.md"]["template"] += f"- {remark}\n"
    done = plan(intent, ScriptedModel([json.dumps(draft), json.dumps(layout)]), condition="planned", rounds=0)
    assert done.package is not None, done.dropped
    return done.package


@pytest.mark.parametrize(
    ("remark", "said"),
    [
        ('Tenants have {{ "21" | decor }} days.', ["the text says 21"]),
        ('The days that tenants have begin on {{ "30 October" | decor }}.', []),
        ('The days that tenants have begin on {{ "May 3rd" | decor }}.', []),
        ('The days that tenants have are {{ "30" | decor }}, from October on.', ["the text says 30"]),
    ],
)
def test_the_number_of_a_day_is_no_count(remark: str, said: list[str]) -> None:
    findings = [finding for finding in check(built(remark)).findings if finding.check == "contradiction"]
    assert len(findings) == len(said)
    assert all(end in finding.message for finding, end in zip(findings, said, strict=True))
