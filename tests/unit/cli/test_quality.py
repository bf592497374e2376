"""``workgym qa``: what it prints, what it keeps, and what it says to mistakes."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from workgym.authoring import families
from workgym.cli import main
from workgym.package import Origin, load, save
from workgym.quality import suite
from workgym.quality.suite import NAMES, SIZES, SUITE, QaReport, examine


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    for seed in (1, 2):
        task = families.build("supplier-selection", "easy", seed).with_hidden(origin=Origin())
        save(task, folder / task.id.rpartition("/")[2])
    return folder


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The suite with its static checks alone: what is tested here is the command. Gives the ids that were examined."""
    examined: list[str] = []

    def only_static(package: Any, *arguments: Any, **named: Any) -> QaReport:
        examined.append(package.id)
        report = examine(package, *arguments, **{**named, "only": named.get("only") or ("card", "files", "build")})
        if named.get("only"):
            return report
        known = {check.name for check in report.checks}
        rest = [report.checks[0].model_copy(update={"name": name}) for name in NAMES if name not in known]
        return report.model_copy(update={"checks": (*report.checks, *rest)})

    monkeypatch.setattr("workgym.quality.suite.examine", only_static)
    return examined


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, Any]:
    code = main(["qa", *argv, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_a_corpus_is_examined_once_and_sealed(
    corpus: Path, quick: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = shutil.copytree(corpus, tmp_path / "corpus")
    out = tmp_path / "qa.json"
    code, first = run(capsys, str(folder), "-o", str(out))
    assert code == 0 and first["passed"] and first["kept"] == 0
    assert [check["state"] for check in first["together"]] == ["passed"] * 3
    written = json.loads(out.read_text())
    assert [task["task"] for task in written["tasks"]] == quick and written["suite"] == SUITE
    assert {load(path.parent).hidden.qa.digest for path in folder.glob("*/task.yaml")} != set()  # type: ignore[union-attr]
    code, again = run(capsys, str(folder), "-o", str(out))
    assert (code, again["kept"], len(quick)) == (0, 2, 2)
    assert again["digest"] == first["digest"]
    assert run(capsys, str(folder), "--again")[1]["kept"] == 0 and len(quick) == 4
    assert run(capsys, str(folder), "--size", "release")[1]["kept"] == 0 and len(quick) == 6
    assert main(["list", str(folder)]) == 0
    assert "passes (release) " in capsys.readouterr().out


def test_an_interrupted_run_goes_on(
    corpus: Path, quick: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shutil.copytree(corpus, tmp_path / "corpus")
    whole = suite.examine  # as it stands now: the quick one

    def stopped(package: Any, *arguments: Any, **named: Any) -> QaReport:
        if quick:
            raise KeyboardInterrupt
        return whole(package, *arguments, **named)

    with monkeypatch.context() as until:
        until.setattr("workgym.quality.suite.examine", stopped)
        assert main(["qa", str(folder)]) == 130
    assert "what was finished is kept" in capsys.readouterr().err
    code, found = run(capsys, str(folder))
    assert (code, found["kept"], len(quick)) == (0, 1, 2)


def test_ids_are_found_again_in_the_file(quick: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    argv = ("workfactory/supplier-selection.easy-000003", "-o", str(tmp_path / "qa.json"))
    assert run(capsys, *argv)[1]["kept"] == 0
    assert run(capsys, *argv)[1]["kept"] == 1
    assert len(quick) == 1
    assert run(capsys, *argv, "--only", "card")[1]["kept"] == 0
    assert run(capsys, *argv)[1]["kept"] == 0  # what was examined in part is not kept for the whole
    assert len(quick) == 3


def test_a_closed_gate_says_what_failed(
    corpus: Path, quick: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = shutil.copytree(corpus, tmp_path / "corpus")
    first, second = sorted(path.parent for path in folder.glob("*/task.yaml"))
    package = load(first)
    save(package.with_files({**package.files, "notes/call.md": b"Ring jane@gmail.com.\n"}), first)
    (second / "request.md").write_text("spoilt")
    assert main(["qa", str(folder)]) == 1
    printed = capsys.readouterr().out
    assert "CLOSED" in printed and "files.domains failed in 1 of 1" in printed
    assert "was changed: its content is not what task.yaml says" in printed
    assert "0 of 1 tasks pass the gate (ci), 1 cannot be read" in printed
    assert main(["qa", str(first), "--only", "files"]) == 1
    printed = capsys.readouterr().out
    assert re.search(r"files\.domains +ERROR +addresses", printed) and "gmail.com may be somebody's" in printed
    assert "8 checks: 7 passed, 1 failed (error)" in printed
    assert main(["list", str(folder)]) == 1
    assert "does not pass (ci)" in capsys.readouterr().out
    sealed = json.loads((first / "hidden/qa.json").read_text())
    for check in sealed["report"]["checks"]:
        check["state"] = "passed"
    (first / "hidden/qa.json").write_text(json.dumps({**sealed, "passed": True}))
    assert main(["list", str(folder)]) == 1
    assert "not valid" in capsys.readouterr().out
    changed = load(first)
    save(changed.with_files({**changed.files, "notes/call.md": b"Ring me.\n"}), first)
    assert main(["list", str(folder)]) == 1
    assert "out of date" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (("workfactory/no-such-family-1",), "unknown family 'no-such-family'"),
        (("EMPTY",), "no task package is there"),
        (("SPOILT",), "request.md: was changed: its content is not what task.yaml says; build the task again"),
        (("workfactory/supplier-selection-1", "--most", "-1"), "--most -1: not a number of cases"),
        (("workfactory/supplier-selection-1", "--only", "card.colour"), "there is no check card.colour"),
        (("workfactory/supplier-selection-1", "-o", "EMPTY/other.json"), "no report of the suite"),
    ],
)
def test_mistakes_are_told_in_one_line(
    argv: tuple[str, ...], says: str, corpus: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "other.json").write_text("[]")
    (tmp_path / "empty").mkdir()
    spoilt = shutil.copytree(sorted(corpus.glob("*/task.yaml"))[0].parent, tmp_path / "spoilt")
    (spoilt / "request.md").write_text("spoilt")
    places = {"SPOILT": str(spoilt), "EMPTY": str(tmp_path / "empty"), "EMPTY/other.json": str(tmp_path / "other.json")}
    assert main(["qa", *(places.get(word, word) for word in argv)]) == 2
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("workgym: ")]
    assert len(lines) == 1 and says in lines[0]


def test_most_lowers_every_number(corpus: Path, quick: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    folder = sorted(corpus.glob("*/task.yaml"))[0].parent
    size = run(capsys, str(folder), "--size", "release", "--most", "2", "--only", "card")[1]["size"]
    assert size == {
        **SIZES["release"].model_dump(),
        **dict.fromkeys(("mutants", "equivalents", "causes", "carriers", "cells", "copies"), 2),
        "name": "release, at most 2",
    }
