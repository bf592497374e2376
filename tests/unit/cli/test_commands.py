"""The verbs: what they print, their JSON, their exit codes, and that a build goes on where it was stopped."""

from __future__ import annotations

import gc
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from workgym.cli import main
from workgym.cli.tasks import seeds
from workgym.errors import UsageError
from workgym.package import load, save
from workgym.select import task_refs
from workgym.testing import toy_task


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, Any]:
    """Exit code and JSON of a command."""
    code = main([*argv, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_build_keeps_what_is_there(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    argv = ("build", "supplier-selection.easy", "--seeds", "0-1", "-o", str(tmp_path))
    frozen: list[int] = []
    monkeypatch.setattr(gc, "freeze", lambda: frozen.append(1))
    monkeypatch.setattr(gc, "get_freeze_count", lambda: len(frozen))
    code, first = run(capsys, *argv)
    assert code == 0
    assert frozen == [1], "what the first task loaded is searched for garbage again and again"
    assert [row["kept"] for row in first["tasks"]] == [False, False]
    assert all(row["passed"] for row in first["tasks"]) and 0 < first["accepted"] <= 1
    shutil.rmtree(tmp_path / "supplier-selection.easy-000001-v1")
    _, again = run(capsys, *argv)
    assert [row["kept"] for row in again["tasks"]] == [True, False]
    code, listed = run(capsys, "list", str(tmp_path))
    assert code == 0 and {row["checks"] for row in listed} == {"passes"}


def test_inject_check_repair(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    main(["build", "supplier-selection.easy", "--seeds", "3", "-o", str(tmp_path), "--inject", "broken derivation"])
    capsys.readouterr()
    folder = tmp_path / "supplier-selection.easy-000003-v1"
    code, reports = run(capsys, "check", str(folder))
    assert code == 1 and not reports[0]["passed"]
    assert {f["defect"] for f in reports[0]["findings"] if f["severity"] == "hard"} == {"broken derivation"}
    code, outcome = run(capsys, "repair", str(folder), "--no-expert")
    assert code == 0 and outcome["accepted"]
    code, reports = run(capsys, "check", str(folder))
    assert code == 0 and reports[0]["passed"]
    assert len(load(folder).hidden.history) == 2
    assert main(["show", str(folder), "--history"]) == 0
    assert "restore" in capsys.readouterr().out


def test_show_draws_the_graph(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    picture = tmp_path / "graph.svg"
    code, shown = run(capsys, "show", "workfactory/supplier-selection-000042", "--svg", str(picture))
    assert code == 0 and shown["card"]["occupation"] == "13-1023" and shown["answer_sets"] == 1
    svg = picture.read_text(encoding="utf-8")
    assert svg.startswith("<svg") and "recommended" in svg and "<script" not in svg


def test_list_names_families_harnesses_and_packs(capsys: pytest.CaptureFixture[str]) -> None:
    code, there = run(capsys, "list")
    assert code == 0
    assert {row["family"] for row in there["families"]} >= {"supplier-selection"}
    assert {"react", "expert", "noop"} <= set(there["harnesses"]) and {"files", "shell", "office"} <= set(
        there["tools"]
    )


def test_seeds() -> None:
    assert seeds("7") == [7]
    assert seeds("1-3,9") == [1, 2, 3, 9]
    with pytest.raises(UsageError):
        seeds("a-b")


def test_a_factorys_folder_is_taken_wherever_many_tasks_are(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("toy", "toy-2"):
        save(toy_task(), Path("corpus/tasks") / name)
    for folder in ("corpus", "corpus/tasks"):
        code, listed = run(capsys, "list", folder)
        assert code == 0 and [row["package"] for row in listed] == ["toy", "toy-2"]
        code, reports = run(capsys, "check", folder)
        assert [report["task_id"] for report in reports] == ["workfactory/toy"] * 2
    Path("eval").mkdir()
    Path("eval/requests.txt").write_text("Something else altogether, which nobody has asked for before.\n")
    code, compared = run(capsys, "check", "corpus", "--against", "eval")
    assert code == 0 and compared["tasks"] == 2
    assert [ref.id for ref in task_refs(["corpus"])] == ["toy", "toy-2"], "rollout takes them by this"
    for verb, folder in (("show", "corpus"), ("repair", "corpus/tasks")):
        assert main([verb, folder]) == 2
        said = capsys.readouterr().err
        assert f"{folder}: one task is wanted, and 2 are there; name one, as corpus/tasks/toy" in said
    Path("empty").mkdir()
    assert main(["list", "empty"]) == 2 and "empty: no task package is there" in capsys.readouterr().err


def test_a_task_with_a_site_is_shown_and_rolled_out(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKGYM_PATH", str(Path(__file__).parents[1] / "env" / "shelf"))
    assert main(["build", "import-quote", "--seeds", "1", "-o", str(tmp_path)]) == 0
    folder = str(tmp_path / "import-quote.small-000001-v1")
    capsys.readouterr()
    assert main(["show", folder]) == 0
    text = capsys.readouterr().out
    assert "https://bank.example/rates/franc " in text and "dead" in text and "external" in text
    _, shown = run(capsys, "show", folder)
    assert {page["url"]: page["state"] for page in shown["pages"]}["https://customs.example/metal"] == "moved"
    out = str(tmp_path / "run")
    argv = ("rollout", folder, "--harness", "expert", "-o", out, "--web-failures", "0.2,0.45")
    code, result = run(capsys, *argv)
    assert code == 0 and result["reward"] == 1.0
    code, report = run(capsys, "replay", out)
    assert code == 0 and report["exact"]
    for wrong in ("0.2", "0.2,1.0", "many,few"):
        assert main(["rollout", folder, "--harness", "noop", "-o", out, "--web-failures", wrong]) == 2
        assert f"--web-failures {wrong}: not two shares" in capsys.readouterr().err
    many = ("rollout", folder, "--harness", "expert", "--rollouts", "1", "-o", str(tmp_path / "many"))
    code, came = run(capsys, *many, "--web-failures", "0.2,0.45")
    assert code == 0 and came["verdicts"] == {"passed": 1}
    log = next((tmp_path / "many").rglob("events.jsonl")).read_text().splitlines()[0]
    assert json.loads(log)["web"] == {"search_failures": 0.2, "fetch_failures": 0.45, "ranking": 2}
    assert main([*many, "--web-failures", "often"]) == 2
