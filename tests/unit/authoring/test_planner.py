"""A model's planner with replies written beforehand: what holds the first time comes out as a task package."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from workgym.authoring.planner import OFFICE_DESK, Desk, Planned, plan
from workgym.check import check
from workgym.corpus import bare, family_task
from workgym.env import OfficeEnv
from workgym.errors import ModelError, UsageError
from workgym.models.scripted import ScriptedModel
from workgym.package import TaskPackage, load, save
from workgym.rollout import rollout

RICH = ("water_damage", "pharmacy_order")


def hard(package: TaskPackage) -> Sequence[str]:
    """What the engine passes as ``accept``."""
    return [str(finding) for finding in check(package).findings if finding.severity == "hard"]


def planned(draft, **options) -> tuple[Planned, ScriptedModel]:
    model = ScriptedModel(draft.replies)
    return plan(draft.intent, model, condition="planned", rounds=0, accept=hard, **options), model


@pytest.mark.parametrize("name", RICH)
def test_a_good_draft_is_a_package_the_first_time(name: str, drafted: Callable, tmp_path: Path) -> None:
    draft = drafted(name)
    result, model = planned(draft, desk=OFFICE_DESK)
    assert result.dropped is None and result.rounds == ()
    assert len(model.requests) == 2
    package = result.package
    assert package is not None and not package.ours
    assert package.id.endswith(f"-{draft.intent.id}-v1") and family_task(bare(package.id)) is None
    origin = package.hidden.origin
    assert (origin.author, origin.condition, origin.builder) == ("model", "planned", "scripted")
    assert origin.intent == draft.intent
    card = package.card
    assert card.title == draft.plan["title"] and card.occupation == draft.intent.role.occupation
    assert draft.intent.role.title in card.role and card.capabilities == tuple(draft.plan["capabilities"])
    assert {item.path for item in card.deliverables} == {item["path"] for item in draft.graph["deliverables"]}
    again = load(save(package, tmp_path / "task"))
    assert again.digest == package.digest
    assert check(again).passed


def test_the_worked_example_of_the_prompts_passes_every_check(example) -> None:
    result, _ = planned(example)
    assert result.dropped is None and result.package is not None
    assert not check(result.package).findings


def test_the_hidden_side_is_the_graph_that_the_files_were_written_from(example) -> None:
    package = planned(example)[0].package
    graph = package.hidden.graph
    assert package.truth("largest").rows == (("Cobalt Prints",),)
    read = {edge.premise for edge in graph.supports if edge.unit == "share"}
    assert read == {"tenant", "heat", "invoice", "split_rule"}
    assert graph.conflicts[0].resolved_by == "leases/terms/heating_terms.docx"
    stands = {binding.carrier for binding in graph.bindings if binding.unit == "tenant"}
    assert "leases/floor_areas.xlsx" in stands
    roles = {carrier.path: carrier.role for carrier in graph.carriers if carrier.kind == "reference"}
    assert roles["meters/archive/estimate_december.csv"] == "distractor"
    assert set(roles) == set(package.files)


def test_one_file_for_each_row_has_the_row_in_its_path(drafted: Callable) -> None:
    package = planned(drafted("pharmacy_order"))[0].package
    agreements = sorted(path for path in package.files if path.startswith("purchasing/agreements/"))
    assert agreements == [
        "purchasing/agreements/farnsworth-medical.docx",
        "purchasing/agreements/oakley-pharma.docx",
        "purchasing/agreements/tolland-supplies.docx",
    ]


def test_rosters_and_forms_can_be_planned(drafted: Callable) -> None:
    """Work with many right answers, and a given file that is filled in."""
    package = planned(drafted("ward_roster"))[0].package
    assert package is not None
    roster, log = package.hidden.graph.deliverables
    assert [rule.name for rule in roster.accepts] == ["heads_met", "days_off", "not_too_many"]
    assert roster.handed[0].covers == "select distinct shift from shift"
    assert log.edits == ("Days![Heads]",) and log.path in package.files
    kinds = {carrier.path: carrier.kind for carrier in package.hidden.graph.carriers}
    assert kinds["staff/log.xlsx"] == "reference" and kinds["roster.csv"] == "deliverable"


def test_the_same_replies_give_the_same_bytes(example) -> None:
    one, other = planned(example)[0].package, planned(example)[0].package
    assert one.digest == other.digest
    assert one.files == other.files and one.request == other.request


def test_a_planned_package_opens_as_an_environment(example) -> None:
    package = planned(example)[0].package
    result = rollout(package, "noop")
    assert result.end == "closed" and result.error is None and result.reward == 0.0
    env = OfficeEnv(package=package)
    try:
        observation, _ = env.reset(seed=0)
        assert "heating_statement.csv" in observation["text"]
    finally:
        env.close()


def test_the_model_is_told_the_intent_and_in_step_two_the_graph_and_what_it_comes_to(drafted: Callable) -> None:
    draft = drafted("water_damage")
    _, model = planned(draft)
    first, second = (request.messages[-1].blocks[0].text for request in model.requests)
    for said in (first, second):
        assert "claims adjuster (SOC 13-1031)" in said and draft.intent.goal in said
        assert "settlement sheet, as .xlsx" in said
    assert '"name":"deductible_rule"' in second and "payment: payment 6,150.00" in second


def test_less_than_an_office_desk_is_told_where_one_is_wanted(example) -> None:
    result, _ = planned(example, desk=OFFICE_DESK)
    assert result.dropped is not None and (result.dropped.stage, result.dropped.reason) == ("graph", "desk")
    assert result.rounds[0].lines == ("desk: graph: there are 4 rubric items, and at least 8 are wanted",)
    example.plan["artifacts"] = example.plan["artifacts"][:6]
    result, _ = planned(example, desk=Desk(rubric=4))
    assert result.dropped is not None and (result.dropped.stage, result.dropped.reason) == ("plan", "desk")
    assert result.rounds[0].lines == (
        "desk: artifacts: there are 6 files, and at least 8 are wanted",
        "desk: artifacts: there are 1 files that hold no needed value, and at least 2 are wanted",
    )


def test_progress_is_a_line_for_each_correction(example) -> None:
    said: list[str] = []
    example.plan["title"] = "..."
    plan(example.intent, ScriptedModel(example.replies), condition="planned", rounds=0, progress=said.append)
    assert said == ["plan: 1 problem, 0 corrections left"]


def test_a_model_that_cannot_answer_is_no_drop(example) -> None:
    with pytest.raises(ModelError):
        plan(example.intent, ScriptedModel([]), condition="planned")


@pytest.mark.parametrize("options", [{"condition": "both"}, {"condition": "planned", "rounds": -1}])
def test_wrong_use_is_one_line(example, options) -> None:
    with pytest.raises(UsageError):
        plan(example.intent, ScriptedModel([]), **options)


def test_advice_is_told_and_drops_nothing(example) -> None:
    """What is no more than a warning goes back once where a correction is left, and is no problem where none is."""
    left = {"thought": "It goes without saying in this trade."}
    said: list[TaskPackage] = []

    def advise(package: TaskPackage) -> list[str]:
        said.append(package)
        return ["variants: nothing says whether the last day counts"] if len(said) == 1 else []

    model = ScriptedModel([*example.replies, json.dumps(left)])
    result = plan(example.intent, model, condition="planned", rounds=1, accept=hard, advise=advise)
    assert result.dropped is None and result.package is not None and len(said) == 2
    assert [line for one in result.rounds for line in one.lines] == [
        "variants: nothing says whether the last day counts"
    ]
    assert "whether the last day counts" in model.requests[-1].model_dump_json()
    said.clear()
    result, model = planned(example, advise=advise)
    assert result.dropped is None and result.package is not None and result.rounds == () and len(said) == 1
