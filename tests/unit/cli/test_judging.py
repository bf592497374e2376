"""A judge from the command line: examined, licensed, used, and refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from workgym.authoring import families
from workgym.cli import main
from workgym.model import ModelReply, ModelRequest
from workgym.package import TaskPackage, save
from workgym.rollout import rollout
from workgym.testing import DummySandbox, judges
from workgym.verify import Judge, Settings, calibrate

FINE = '{"reasons": "fine", "score": 1}'
ONCE = ("--judge-samples", "1")


@pytest.fixture(scope="module")
def package() -> TaskPackage:
    return families.build("supplier-selection", "easy", 1)


@pytest.fixture
def folder(package: TaskPackage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WORKGYM_LICENCES", str(tmp_path / "licences"))
    return save(package, tmp_path / "task")


def script(path: Path, replies: list[str]) -> str:
    path.write_text(yaml.safe_dump(replies), encoding="utf-8")
    return f"scripted:{path}"


def honest_answers(package: TaskPackage) -> list[str]:
    """What an honest judge says in the exam, in its order."""
    given: list[str] = []
    model = judges.honest()

    class Heard:
        name, secrets = "heard", ()

        def complete(self, request: ModelRequest) -> ModelReply:
            reply = model.complete(request)
            given.append(reply.text)
            return reply

    assert calibrate(Judge(Heard(), Settings(samples=1)), [package]).granted
    return given


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, Any]:
    code = main([*argv, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_a_licensed_judge_scores(
    capsys: pytest.CaptureFixture[str], package: TaskPackage, folder: Path, tmp_path: Path
) -> None:
    judge = script(tmp_path / "judge.yaml", honest_answers(package))
    calibrate = ("calibrate", str(folder), "--judge", judge, *ONCE, "--ledger", str(tmp_path / "ledger.sqlite"))
    code, licence = run(capsys, *calibrate)
    assert (code, licence["granted"]) == (0, True) and Path(licence["file"]).parent == tmp_path / "licences"
    script(tmp_path / "judge.yaml", [])
    assert run(capsys, *calibrate) == (0, licence), "all answers are in the ledger"

    rollout(package, lambda episode: episode.act("done"), out=tmp_path / "run", sandbox=DummySandbox)
    script(tmp_path / "judge.yaml", [])  # nothing is asked about a file that is not there
    argv = ("verify", str(tmp_path / "run"), "--judge", judge, *ONCE, "--combine", "geometric/1")
    code, verdict = run(capsys, *argv)
    rubric = [check for check in verdict["checks"] if check["kind"] == "rubric"]
    assert code == 1 and verdict["judge"]["licence"] == licence["id"]
    assert {(check["state"], check["score"]) for check in rubric} == {("failed", 0.0)}
    assert (verdict["combiner"], verdict["state"], verdict["reward"]) == ("geometric/1", "failed", 0.0)
    code, _ = run(capsys, "verify", str(tmp_path / "run"))
    assert code == 1


def test_a_lenient_judge_is_refused(capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path) -> None:
    judge = script(tmp_path / "judge.yaml", [FINE] * 60)
    assert main(["calibrate", str(folder), "--judge", judge, *ONCE, "-o", str(tmp_path / "licence.json")]) == 1
    printed = capsys.readouterr().out
    assert "REFUSED" in printed and "refused: it is lenient" in printed and "leniency: 1.00 (at most 0.10)" in printed
    assert json.loads((tmp_path / "licence.json").read_text())["granted"] is False


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (("--combine", "geometric/1"), "needs what a judge scores, and no judge is configured; give one (--judge)"),
        (("--combine", "best/9"), "there is no combiner 'best/9'"),
        (("--judge", "nobody"), "unknown model 'nobody'"),
        (("--judge", "scripted:/nowhere.yaml"), "/nowhere.yaml"),
        (("--judge", "openai:m", "--judge-samples", "2"), "write an odd number"),
    ],
)
@pytest.mark.parametrize("verb", [("verify", "nowhere"), ("rollout", "nothing", "--harness", "noop", "-o", "x")])
def test_wrong_judges_are_told_before_anything_runs(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    verb: tuple[str, ...],
    argv: tuple[str, ...],
    says: str,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    assert main([*verb, *argv]) == 2
    assert says in capsys.readouterr().err


def test_a_judge_without_a_licence_is_announced(
    capsys: pytest.CaptureFixture[str], package: TaskPackage, folder: Path, tmp_path: Path
) -> None:
    rollout(package, lambda episode: episode.act("done"), out=tmp_path / "run", sandbox=DummySandbox)
    assert main(["verify", str(tmp_path / "run"), "--judge", script(tmp_path / "judge.yaml", [FINE])]) == 1
    printed = capsys.readouterr()
    assert "rubric items will be unscored" in printed.err and "workgym calibrate --judge" in printed.err
