"""Tracked changes and comments of a carrier: what is struck is not said, what is remarked is."""

from __future__ import annotations

from workgym.authoring import families
from workgym.check import Visible, check
from workgym.check.presence import presence
from workgym.documents import read
from workgym.mutation import Revision, SetCell, apply
from workgym.package import TaskPackage
from workgym.package.assemble import assemble
from workgym.records import Cell

POLICY = "policies/sourcing_policy.docx"
RATE = "{{ discount_rate.rate | percent }}"
CELL = Cell(unit="discount_rate", key=(), column="rate")


def told(as_written: str) -> TaskPackage:
    """A task whose policy tells the discount rate so."""
    package = families.build("supplier-selection", "easy", 1)
    plan = package.hidden.plan
    artifacts = tuple(
        spec.model_copy(update={"template": (spec.template or "").replace(RATE, as_written)})
        if spec.path == POLICY
        else spec
        for spec in plan.artifacts
    )
    plan = plan.model_copy(update={"artifacts": artifacts})
    made = assemble(package.hidden.graph, package.hidden.values, plan)
    return package.with_hidden(plan=plan, anchors=made.anchors).with_files(made.files, made.request)


def test_a_struck_value_is_missing() -> None:
    package = told("{--{{ discount_rate.rate | percent }}--} as agreed")
    (finding,) = presence(Visible(package))
    assert (finding.unit, finding.message) == ("discount_rate", f"{CELL} is needed and stands in no visible file")


def test_a_remarked_value_stands_and_follows() -> None:
    assert not [*presence(Visible(told("as agreed{>>@Paul Ek: {{ discount_rate.rate | percent }}<<}")))]
    package = told(
        "{--{{ discount_rate.rate | percent }}, --}**{{ discount_rate.rate | percent }}**"
        "{>>@Paul Ek: so it is {{ discount_rate.rate | percent }}<<}"
    )
    report = check(package, trusted=True)
    assert report.passed, report.findings
    changed = apply(package, Revision(purpose="repair", why="later", edits=(SetCell(cell=CELL, value="0.11"),)))
    found = {f.at: f.text for f in read(POLICY, changed.files[POLICY]).fragments}
    told_of = [text for text in found.values() if "11" in text]
    assert len(told_of) == 3 and found["c1"] == "so it is 11 %"
    assert not [*presence(Visible(changed))]
