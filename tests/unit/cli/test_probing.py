"""``workgym probe``: exit codes, what it prints, and what lies in its folder afterwards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workgym.authoring import families
from workgym.cli import main
from workgym.package import save
from workgym.probe import load
from workgym.testing import toy_task

GROUND = {"call": 0, "source": "request.md", "quote": "Please add the amounts in rent.txt", "missing": ""}
PROBLEM = {"seen": "s", "defect": "broken derivation", "what": "No rent.", "blocks": "the sum", "grounds": [GROUND]}
HARD = {"problem": 1, "why": "It stands nowhere.", "verdict": "defect", "severity": "hard"}


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    save(toy_task(rent=""), tmp_path / "task")
    (tmp_path / "solve.yaml").write_text(json.dumps(["I cannot do it."]))
    models = [
        "--model",
        f"scripted:{tmp_path / 'solve.yaml'}",
        "--diagnoser",
        f"scripted:{tmp_path / 'diagnose.yaml'}",
        "--ledger",
        str(tmp_path / "ledger.sqlite"),
    ]
    return ["probe", str(tmp_path / "task"), "--harness", "react", "-o", str(tmp_path / "out"), *models]


def script(tmp_path: Path, *replies: Any) -> None:
    (tmp_path / "diagnose.yaml").write_text(json.dumps([json.dumps(reply) for reply in replies]))


def test_a_hard_defect_is_printed_and_exits_with_one(
    tmp_path: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    script(tmp_path, {"seen": "s", "problems": [PROBLEM]}, [HARD])
    assert main(command) == 1
    printed = capsys.readouterr().out
    assert "hard defect [broken derivation] No rent." in printed and "It stands nowhere." in printed
    assert "in the ledger: 3 calls" in printed
    assert load(tmp_path / "out" / "toy").hard
    script(tmp_path)  # nothing is asked again
    assert main([*command, "--json"]) == 1
    (told,) = json.loads(capsys.readouterr().out)["probes"]
    assert told["hard"] is True and told["classes"] == ["broken derivation"] and told["model"] == "scripted:solve.yaml"


def test_what_the_graph_says_is_told_beside_and_changes_nothing(
    tmp_path: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    sound = families.build("supplier-selection", "easy", 3)
    cell, _ = next(sound.truth("freight").cells())
    unit = sound.hidden.graph.unit(cell.unit)
    missing = " ".join((*cell.key, unit.content))  # words of the graph, which stand on no line
    ground = {"call": 0, "source": "request.md", "quote": "which supplier we should take", "missing": missing}
    script(tmp_path, {"seen": "s", "problems": [PROBLEM | {"grounds": [ground]}]}, [HARD])
    command[1] = str(save(sound, tmp_path / "sound"))
    assert main([*command, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["probes"][0]["hard"] is True and "triage" not in told["probes"][0]
    assert [one["says"] for one in told["triage"][0]["sightings"]] == ["mistaken"]
    assert main(command) == 1
    said = capsys.readouterr().out
    assert "for repair alone, by the graph: 0 confirmed, 1 mistaken, 0 silent" in said
    assert f"problem 1 is mistaken: {cell} stands in " in said


def test_a_sound_task_exits_with_zero(tmp_path: Path, command: list[str]) -> None:
    script(tmp_path, {"seen": "s", "problems": []})
    assert main(command) == 0


def test_a_folder_of_tasks_is_probed(tmp_path: Path, command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "corpus/tasks").mkdir(parents=True)
    (tmp_path / "task").rename(tmp_path / "corpus/tasks/toy")
    script(tmp_path, {"seen": "s", "problems": []})
    command[1] = str(tmp_path / "corpus")
    assert main(command) == 0 and "1/1 react attempts workfactory/toy" in capsys.readouterr().err


def test_no_diagnosis_exits_with_one_and_says_why(
    tmp_path: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    script(tmp_path, "no", "no")
    assert main(command) == 1
    assert "not diagnosed: no diagnosis" in capsys.readouterr().out


def test_what_cannot_be_probed_is_one_line_and_exits_with_two(
    tmp_path: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    script(tmp_path)
    assert main([*command, "--harness", "expert"]) == 2
    assert "sees what is hidden" in capsys.readouterr().err
    assert main([*command, "--budget-tokens", "-1"]) == 2
    assert "a budget is a number" in capsys.readouterr().err
