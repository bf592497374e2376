"""``verify``: one trajectory or many, drift told, broken ones told without losing the others, a verdict on one page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workgym.authoring import families
from workgym.cli import main
from workgym.package import TaskPackage, save
from workgym.testing import record_hand_in
from workgym.verify import grade


@pytest.fixture(scope="module")
def task() -> TaskPackage:
    return families.build("supplier-selection", "easy", 1)


@pytest.fixture
def packages(task: TaskPackage, tmp_path: Path) -> Path:
    return save(task, tmp_path / "package")


@pytest.fixture
def runs(task: TaskPackage, packages: Path, tmp_path: Path) -> Path:
    """Two good recordings that hand in nothing, and three that are broken, each in its way."""
    for name in ("a/noop", "b/noop"):
        record_hand_in(tmp_path / "runs" / name, task, dict(task.files), package_folder=packages)
    empty = tmp_path / "runs/c/empty"
    empty.mkdir(parents=True)
    (empty / "events.jsonl").write_text("")
    odd = tmp_path / "runs/d/odd"
    odd.mkdir(parents=True)
    (odd / "events.jsonl").write_text("[1]\n")
    spoilt = record_hand_in(tmp_path / "runs/e/spoilt", task, {**task.files, "x.txt": b"x"}, package_folder=packages)
    for blob in (spoilt / "blobs").iterdir():
        blob.write_bytes(b"spoilt")
    return tmp_path / "runs"


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, Any]:
    code = main(["verify", *argv, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_one_trajectory_is_told_as_before(
    capsys: pytest.CaptureFixture[str], runs: Path, task: TaskPackage, tmp_path: Path
) -> None:
    code, verdict = run(capsys, str(runs / "a/noop"))
    assert code == 1 and verdict == grade(task, task.files).record
    assert main(["verify", str(runs / "a/noop")]) == 1
    printed = capsys.readouterr().out
    assert printed.startswith(f"{task.id}: failed, reward 0 by code/1") and "DRIFT" not in printed


def test_many_are_graded_and_broken_ones_lose_no_other(capsys: pytest.CaptureFixture[str], runs: Path) -> None:
    assert main(["verify", str(runs)]) == 2
    printed = capsys.readouterr()
    lines = printed.out.splitlines()
    assert len(lines) == 6 and [line.partition(": ")[0] for line in lines[:5]] == [
        str(runs / name) for name in ("a/noop", "b/noop", "c/empty", "d/odd", "e/spoilt")
    ]
    assert all(line.endswith(": failed 0 (as recorded)") for line in lines[:2])
    assert "NOT GRADED" in lines[2] and "does not begin with an episode" in lines[2]
    assert "NOT GRADED" in lines[3] and "NOT GRADED" in lines[4] and "damaged" in lines[4]
    assert lines[5] == (
        "5 trajectories: 2 failed, 3 NOT GRADED; mean reward 0 of 2 scored; 0 came out otherwise than recorded"
    )
    assert "5/5" in printed.err and "Traceback" not in printed.err


def test_trajectories_are_counted_once_whatever_is_given(capsys: pytest.CaptureFixture[str], runs: Path) -> None:
    code, rows = run(capsys, str(runs / "a"), str(runs / "a/noop"), str(runs / "b/noop"))
    assert code == 1 and [Path(row["trajectory"]).parent.name for row in rows] == ["a", "b"]
    assert all(row["drift"] == [] and not row["moved"] and row["verdict"]["checks"] for row in rows)


def test_a_path_that_is_none_is_told_before_anything_is_graded(capsys: pytest.CaptureFixture[str], runs: Path) -> None:
    (runs / "none").mkdir()
    for path, says in ((runs / "nowhere", "no trajectory is there"), (runs / "none", "nor below it")):
        assert main(["verify", str(runs / "a"), str(path)]) == 2
        printed = capsys.readouterr()
        assert printed.out == "" and says in printed.err


def test_drift_is_told(capsys: pytest.CaptureFixture[str], task: TaskPackage, packages: Path, tmp_path: Path) -> None:
    verdict = grade(task, task.files)
    forged = verdict.model_copy(update={"state": "passed", "reward": 1.0})
    folder = record_hand_in(tmp_path / "run", task, dict(task.files), verdict=forged, package_folder=packages)
    assert main(["verify", str(folder)]) == 1
    assert "DRIFT: passed 1 before, failed 0 now" in capsys.readouterr().out
    book, memo = task.hidden.graph.deliverables
    graph = task.hidden.graph.model_copy(update={"deliverables": (book, memo.model_copy(update={"rubric": ()}))})
    save(task.with_hidden(graph=graph), packages)
    code, (row,) = run(capsys, str(tmp_path))
    assert code == 1 and row["moved"] and row["before"] == {"state": "passed", "reward": 1.0}
    assert row["drift"][0].startswith("DRIFT") and "the package is another one" in row["drift"][1]


def test_explained_on_a_page(capsys: pytest.CaptureFixture[str], runs: Path) -> None:
    assert main(["verify", str(runs / "a/noop"), "--explain"]) == 1
    lines = capsys.readouterr().out.rstrip().splitlines()
    assert len(lines) <= 60 and max(map(len, lines)) <= 100
    assert lines[0] == "FAILED: reward 0 of 1 by code/1" and "by: by-hand" in lines
    assert any(line.startswith("  1. no file: supplier_comparison.xlsx was not handed in.") for line in lines)
    code, verdict = run(capsys, str(runs / "a/noop"), "--explain")
    assert code == 1 and verdict["why"][0]["kind"] == "no file"
    code, rows = run(capsys, str(runs / "a"), "--explain")
    assert rows[0]["verdict"]["why"]
