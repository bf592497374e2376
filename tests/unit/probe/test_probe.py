"""Probes of a small task: what models are sent, what the report says, what is kept, what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workgym.errors import UsageError
from workgym.model import ModelRequest
from workgym.models import Ledger, Ledgered, ScriptedModel
from workgym.package import TaskPackage
from workgym.probe import ProbeReport, held_out, load, probe, probed
from workgym.testing import DummySandbox, toy_task

SOLVE: list[Any] = [
    {"tool": "read_file", "arguments": {"path": "rent.txt"}},
    {"tool": "read_file", "arguments": {"path": "power.txt"}},
    "I cannot add: the amount for rent is not there.",
]
GROUND = {"call": 0, "source": "request.md", "quote": "Please add the amounts in rent.txt and power.txt", "missing": ""}


def problem(**changes: Any) -> dict[str, Any]:
    whole = {"seen": "call 1", "defect": "broken derivation", "what": "The rent has no amount.", "blocks": "the sum"}
    return {**whole, "grounds": [GROUND], **changes}


def diagnosis(*problems: dict[str, Any]) -> str:
    return json.dumps({"seen": "The sum needs both amounts.", "problems": problems})


def ruling(number: int = 1, verdict: str = "defect", severity: str = "hard") -> dict[str, Any]:
    return {"problem": number, "why": "No file has it.", "verdict": verdict, "severity": severity}


def made(
    package: TaskPackage, *replies: str, out: Path | None = None, **options: Any
) -> tuple[ProbeReport, ScriptedModel]:
    diagnoser = ScriptedModel(replies, name="diagnoser")
    solver = ScriptedModel(SOLVE, name="solver")
    options = {"harness": "react", "model": solver, "sandbox": DummySandbox, **options}
    return probe(package, diagnoser=diagnoser, out=out, **options), diagnoser


def test_a_grounded_problem_that_is_a_hard_defect(tmp_path: Path) -> None:
    report, diagnoser = made(toy_task(rent=""), diagnosis(problem()), json.dumps([ruling()]), out=tmp_path / "p")
    assert (report.hard, report.classes, report.measured) == (True, ("broken derivation",), True)
    assert (report.turns, report.end, report.model, report.diagnoser) == (3, "closed", "solver", "diagnoser")
    assert report.problems[0].why == "No file has it."
    assert load(tmp_path / "p") == report
    assert report.trajectory == "run" and (tmp_path / "p" / "run" / "events.jsonl").is_file()
    assert set(report.prompts) == {"diagnose", "diagnose_system", "judge", "judge_system", "reground"}
    assert len(diagnoser.requests) == 2


def test_models_are_told_no_grade_and_nothing_of_the_harness(tmp_path: Path) -> None:
    report, diagnoser = made(toy_task(), diagnosis(problem()), json.dumps([ruling()]), out=tmp_path / "p")
    sent = "".join(request.model_dump_json() for request in diagnoser.requests)
    assert report.state in ("passed", "failed", "unscored", "not requested")
    for word in ("workfactory/toy", "unscored", "reward", "code/1", "harness", toy_task().card.canary, "desk.files"):
        assert word not in sent.replace('\\"', '"'), word
    assert "You do office work for a user" not in sent, "what the harness told its model"
    assert "CALL 2: read_file" in sent and "I cannot add" in sent


def test_mistakes_choices_and_soft_defects_do_not_call_for_a_repair() -> None:
    reply = diagnosis(problem(what="one"), problem(what="two"), problem(what="three", defect="self-inconsistency"))
    rulings = [ruling(1, "mistake"), ruling(2, "choice"), ruling(3, severity="soft")]
    report, _ = made(toy_task(), reply, json.dumps(rulings))
    assert [one.verdict for one in report.problems] == ["mistake", "choice", "defect"]
    assert (report.hard, report.classes) == (False, ("self-inconsistency",))


def test_a_problem_whose_grounds_do_not_hold_goes_back_once() -> None:
    bad = {**GROUND, "quote": "Please add up everything"}
    reply = diagnosis(
        problem(what="one", grounds=[bad]), problem(what="two", grounds=[]), problem(what="three", grounds=[bad])
    )
    again = [{"problem": 1, "grounds": [GROUND]}, {"problem": 2, "grounds": []}, {"problem": 3, "grounds": [bad]}]
    report, diagnoser = made(toy_task(), reply, json.dumps(again), json.dumps([ruling()]))
    assert [one.what for one in report.problems] == ["one"]
    assert [why for _, why in report.rejected] == [
        "it has no grounds; withdrawn",
        "ground 1: the quote does not stand in the answer to call 0; asked again, "
        "ground 1: the quote does not stand in the answer to call 0",
    ]
    assert all(rejected.problem.verdict is None for rejected in report.rejected)
    assert "It does not hold: it has no grounds." in diagnoser.requests[1].messages[-1].model_dump_json()
    assert ProbeReport.model_validate_json(report.model_dump_json()) == report


def test_a_sound_task_costs_one_question() -> None:
    report, diagnoser = made(toy_task(), diagnosis())
    assert (report.problems, report.rejected, report.hard, report.measured) == ((), (), False, True)
    assert len(diagnoser.requests) == 1


def test_replies_that_never_fit_are_no_diagnosis() -> None:
    report, _ = made(toy_task(), "I see nothing.", "Still nothing.")
    assert not report.measured and "no diagnosis" in str(report.error) and not report.hard
    rulings = json.dumps([ruling(2)])
    report, _ = made(toy_task(), diagnosis(problem()), rulings, rulings)
    assert "numbered 1 to 1" in str(report.error)


def test_a_run_that_broke_says_nothing_about_the_task() -> None:
    report, diagnoser = made(toy_task(), model=ScriptedModel(SOLVE[:1], name="short"))
    assert "the script has 1 replies" in str(report.error) and not report.measured
    assert diagnoser.requests == []
    with pytest.raises(UsageError, match="no model has probed it"):
        probed(toy_task(), report)


def test_another_seed_is_another_draw() -> None:
    seeds = []
    for seed in (0, 7):
        report, diagnoser = made(toy_task(), diagnosis(problem()), json.dumps([ruling()]), seed=seed)
        seeds.append({request.sample for request in diagnoser.requests} | {report.seed})
    assert seeds == [{0}, {7}]


def test_a_held_out_probe_differs_from_those_that_a_repair_saw() -> None:
    first, _ = made(toy_task(rent=""), diagnosis(problem()), json.dumps([ruling()]))
    second, _ = made(toy_task(), diagnosis(), seed=1, seen=[first])
    assert (first.held_out, second.held_out) == (False, True)
    with pytest.raises(UsageError, match="another seed or another model"):
        made(toy_task(), diagnosis(), seen=[second, first])
    held_out([first, second], model="other", seed=0)


def test_who_probed_is_written_down_for_the_package_that_was_probed() -> None:
    report, _ = made(toy_task(), diagnosis())
    assert probed(toy_task(), report).hidden.origin.probed_by == "solver"
    with pytest.raises(UsageError, match="another state"):
        probed(toy_task(rent="31"), report)
    alone, _ = made(toy_task(), diagnosis(), harness=lambda episode: None, model=None)
    assert alone.harness == "<lambda>"
    with pytest.raises(UsageError, match="without one"):
        probed(toy_task(), alone)


def test_the_oracle_is_no_probe() -> None:
    with pytest.raises(UsageError, match="sees what is hidden"):
        made(toy_task(), harness="expert")


def test_a_probe_that_is_there_is_kept_and_an_interrupted_one_begun_again(tmp_path: Path) -> None:
    first, _ = made(toy_task(), diagnosis(), out=tmp_path / "p")
    kept, diagnoser = made(toy_task(), out=tmp_path / "p")
    assert kept == first and diagnoser.requests == []
    with pytest.raises(UsageError, match="differs from this one in seed"):
        made(toy_task(), out=tmp_path / "p", seed=1)
    with pytest.raises(UsageError, match="differs from this one in package"):
        made(toy_task(rent="1"), out=tmp_path / "p")
    (tmp_path / "p" / "probe.json").unlink()
    again, _ = made(toy_task(), diagnosis(), out=tmp_path / "p")
    assert again == first and [folder.name for folder in (tmp_path / "p").iterdir() if folder.is_dir()] == ["run"]
    (tmp_path / "p" / "probe.json").write_text('{"format": 2}')
    with pytest.raises(UsageError, match="no report of a probe"):
        made(toy_task(), out=tmp_path / "p")


def test_a_ledger_gives_the_same_report_without_asking_again(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    reports = []
    for replies in ((diagnosis(problem()), json.dumps([ruling()])), ()):
        solver = Ledgered(ScriptedModel(SOLVE if replies else [], name="solver"), ledger, stage="probe")
        diagnoser = Ledgered(ScriptedModel(replies, name="diagnoser"), ledger, stage="diagnosis")
        reports.append(
            probe(toy_task(), harness="react", model=solver, diagnoser=diagnoser, out=None, sandbox=DummySandbox)
        )
    assert reports[0] == reports[1] and reports[0].hard


def test_a_diagnoser_sees_the_draw_of_its_seed_and_the_form() -> None:
    seen: list[ModelRequest] = []

    def reply(request: ModelRequest) -> str:
        seen.append(request)
        return diagnosis()

    probe(
        toy_task(),
        harness="react",
        model=ScriptedModel(SOLVE),
        diagnoser=ScriptedModel(reply),
        out=None,
        sandbox=DummySandbox,
    )
    told = "".join(message.model_dump_json() for message in seen[0].messages)
    assert "copied letter by letter from one place" in told, "fields are described to the model"
