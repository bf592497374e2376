"""``audit`` from end to end: a sample out of trajectories, labels given blind, and the rates that a known error has."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from workgym.authoring import families
from workgym.cli import main
from workgym.package import TaskPackage, save
from workgym.testing import record_hand_in
from workgym.verify import Verdict, grade

FAMILIES = ("supplier-selection", "bank-reconciliation")


def forged(verdict: Verdict) -> Verdict:
    """A grader that is wrong about one file check: it accepts a file that was not handed in."""
    name = next(check.name for check in verdict.checks if check.kind == "file")
    checks = [check.model_copy(update={"state": "passed"}) if check.name == name else check for check in verdict.checks]
    return verdict.model_copy(update={"checks": tuple(checks)})


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Hand-ins of two families: nothing, the same again, rubbish; one verdict of each family is wrong."""
    home = tmp_path_factory.mktemp("audit")
    for family in FAMILIES:
        task: TaskPackage = families.build(family, "easy", 1)
        kept = save(task, home / "packages" / family)
        given = dict(task.files)
        verdict = grade(task, given)
        record_hand_in(home / "runs" / family / "a", task, given, verdict=forged(verdict), package_folder=kept)
        record_hand_in(home / "runs" / family / "b", task, given, verdict=forged(verdict), package_folder=kept)
        path = task.hidden.graph.deliverables[0].path
        rubbish = given | {path: b"PK\x03\x04", "=left.txt": b"x"}
        record_hand_in(home / "runs" / family / "c", task, rubbish, package_folder=kept)
    return home / "runs"


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, Any]:
    code = main(["audit", *argv, "--json"])
    return code, json.loads(capsys.readouterr().out)


def right(item: dict[str, Any]) -> bool:
    """What somebody says who looks: of what was asked for nothing is there, and guards by the listing."""
    if "other bytes" in item["around"] or "left.txt: neither given" in item["around"]:
        return "left behind" not in item["question"]
    return item["question"].startswith(("Do all files", "Is nothing left", "Is each file"))


def label_yaml(path: Path) -> list[dict[str, Any]]:
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    for item in data["items"]:
        item["label"] = "yes" if right(item) else "no"
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    items: list[dict[str, Any]] = data["items"]
    return items


def test_a_round_trip_finds_the_wrong_verdicts(capsys: pytest.CaptureFixture[str], runs: Path, tmp_path: Path) -> None:
    labels = tmp_path / "labels.yaml"
    code, drawn = run(capsys, str(runs), "--sample", "60", "--seed", "4", "-o", str(labels))
    assert code == 0 and drawn["items"] == 60 and drawn["verdicts"] == 4
    assert drawn["left_out"]["verdicts on a hand-in that another one is on"] == 2
    text = labels.read_text(encoding="utf-8")
    assert "passed" not in text and "failed" not in text and "not handed in" not in text, "labels are blind"
    code, nothing = run(capsys, str(runs), "--labels", str(labels))
    assert code == 1 and nothing["labelled"] == 0 and nothing["agreement"] is None

    items = label_yaml(labels)
    code, found = run(capsys, str(runs), "--labels", str(labels))
    assert code == 0 and found["labelled"] == 60 and found["unlabelled"] == 0
    wrong = {one["check"] for one in found["disagreements"]}
    assert {one["verdict"] for one in found["disagreements"]} == {"passed"}
    assert wrong and all(name.startswith("file ") for name in wrong)
    strata = {(row["family"], row["kind"], row["state"]): row for row in found["strata"]}
    row = strata["supplier-selection", "file", "passed"]
    assert row["size"] == 1 and row["wrong"]["value"] == 1.0
    assert strata["bank-reconciliation", "fact", "failed"]["wrong"]["hits"] == 0
    assert 0 < found["accepted_wrongly"]["value"] < 0.5 and found["rejected_wrongly"]["value"] == 0.0
    assert found["rejected_wrongly"]["high"] < 0.1 and 0.5 < found["kappa"] < 1
    assert main(["audit", str(runs), "--labels", str(labels)]) == 0
    printed = capsys.readouterr().out
    assert "60 labels on" in printed and "(at most" in printed and "kappa (Cohen)" in printed
    assert {"item", "task", "request", "question", "expected", "around"} <= set(items[0])


def test_a_sheet_for_a_spreadsheet(capsys: pytest.CaptureFixture[str], runs: Path, tmp_path: Path) -> None:
    labels = tmp_path / "labels.csv"
    code, _ = run(capsys, str(runs), "--sample", "30", "-o", str(labels))
    with open(labels, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert code == 0 and len(rows) == 30
    assert not any(cell.startswith(("=", "@")) for row in rows for cell in row.values())
    copies = {row["file"] for row in rows if row["file"]}
    assert copies and all((tmp_path / path).read_bytes().startswith(b"PK") for path in copies)
    for row in rows:
        row["label"] = "yes" if right(row) else "no"
    rows[0]["label"] = ""
    with open(labels, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=";")
        writer.writeheader()
        writer.writerows(rows)
    code, found = run(capsys, str(runs), "--labels", str(labels))
    assert code == 0 and (found["labelled"], found["unlabelled"]) == (29, 1)


def test_the_same_folders_and_seed_give_the_same_file(
    capsys: pytest.CaptureFixture[str], runs: Path, tmp_path: Path
) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        order = sorted(map(str, runs.iterdir()), reverse=name == "two")
        code, _ = run(capsys, *order, "--sample", "25", "--seed", "9", "-o", str(tmp_path / name / "labels.yaml"))
        assert code == 0
    first, second = ((tmp_path / name / "labels.yaml").read_text(encoding="utf-8") for name in ("one", "two"))
    assert first == second


def test_user_mistakes_are_one_line(capsys: pytest.CaptureFixture[str], runs: Path, tmp_path: Path) -> None:
    def fails(*argv: str) -> str:
        assert main(["audit", *argv]) == 2
        return capsys.readouterr().err.strip().splitlines()[-1]

    labels = tmp_path / "labels.yaml"
    assert "give -o FILE, or --labels FILE" in fails(str(runs))
    assert "give -o FILE, or --labels FILE" in fails(str(runs), "-o", str(labels), "--labels", str(labels))
    assert "labels.txt: labels are kept as YAML or CSV" in fails(str(runs), "-o", str(tmp_path / "labels.txt"))
    assert "--sample 3 is fewer than" in fails(str(runs), "--sample", "3", "-o", str(labels))
    assert not labels.exists()
    assert main(["audit", str(runs), "--sample", "20", "-o", str(labels)]) == 0
    capsys.readouterr()
    assert "may hold labels" in fails(str(runs), "--sample", "20", "-o", str(labels))
    assert "other verdicts than the sample was drawn from" in fails(
        str(runs / "supplier-selection"), "--labels", str(labels)
    )
    text = labels.read_text(encoding="utf-8")
    labels.write_text(text.replace("label:\n", "label: perhaps\n", 1), encoding="utf-8")
    line = fails(str(runs), "--labels", str(labels))
    assert "label: 'perhaps' is neither yes nor no" in line and ": i" in line


def test_a_broken_trajectory_is_told_and_loses_no_other(
    capsys: pytest.CaptureFixture[str], runs: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "events.jsonl").write_text('{"event": "episode"}\nnot json\n')
    argv = ["audit", str(runs), str(broken), "--sample", "20", "-o", str(tmp_path / "labels.yaml")]
    assert main(argv) == 1
    printed = capsys.readouterr().out
    assert "NOT READ" in printed and "20 of " in printed


def test_no_copy_lands_outside_its_folder(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    task = families.build("supplier-selection", "easy", 1)
    kept = save(task, tmp_path / "package")
    files = {**task.files, "../../escaped.txt": b"x", "/tmp/../escaped.txt": b"x", "a/b.txt": b"y"}
    record_hand_in(tmp_path / "run", task, files, package_folder=kept)
    code, _ = run(capsys, str(tmp_path / "run"), "--sample", "80", "-o", str(tmp_path / "out/labels.yaml"))
    assert code == 0 and not list(tmp_path.rglob("escaped.txt")) and list(tmp_path.rglob("b.txt"))


def test_a_task_that_was_changed_since_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    task = families.build("supplier-selection", "easy", 1)
    kept = save(task, tmp_path / "package")
    folder = record_hand_in(tmp_path / "run", task, dict(task.files), package_folder=kept)
    book, memo = task.hidden.graph.deliverables
    graph = task.hidden.graph.model_copy(update={"deliverables": (book, memo.model_copy(update={"rubric": ()}))})
    save(task.with_hidden(graph=graph), kept)
    assert main(["audit", str(folder), "--sample", "20", "-o", str(tmp_path / "labels.yaml")]) == 2
    assert "is not as it was when this was graded; give the packages" in capsys.readouterr().err
    assert not (tmp_path / "labels.yaml").exists()
