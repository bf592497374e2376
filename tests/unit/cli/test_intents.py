"""``workgym intents``: make and go on, count, show, import; wrong use in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.intents.authors import author, judge
from workgym.cli import main
from workgym.intents import Library
from workgym.models import Ledger, RecordedModel

ONET = {
    "Occupation Data.txt": "O*NET-SOC Code\tTitle\tDescription\n13-2051.00\tAnalysts\tAnalyze.\n",
    "Task Statements.txt": "O*NET-SOC Code\tTask\n13-2051.00\tAnalyze statements.\n",
}


@pytest.fixture(autouse=True)
def models(monkeypatch: pytest.MonkeyPatch) -> None:
    """``author`` and ``judge`` are models."""
    known = {"author": author(), "judge": judge(), "strict": judge(fit=2)}
    monkeypatch.setattr("workgym.models.create", lambda spec, **_: known[spec])


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, Any]:
    code = main(["intents", *argv, "--json"])
    return code, json.loads(capsys.readouterr().out)


def said(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    main(["intents", *argv])
    return capsys.readouterr().out


def test_a_library_is_made_goes_on_and_is_shown(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = str(tmp_path / "library")
    make = ["make", folder, "--occupations", "13-20,29-1", "--model", "author", "--judge", "judge", "--seed", "3"]
    code, made = run(capsys, *make, "--count", "4")
    assert (code, made["made"], made["before"]) == (0, {"admitted": 4}, 0)
    assert made["spent"]["calls"] == 8 and made["stats"]["intents"] == 4
    code, more = run(capsys, *make, "--count", "6")
    assert (code, more["made"], more["before"]) == (0, {"admitted": 2}, 4)
    assert more["spent"]["calls"] == 12, "what was decided before is not asked for again"
    text = said(capsys, *make, "--count", "6")
    assert "nothing was left to make; 6 of 6 were decided before" in text and "2 of 23 major" in text

    code, stats = run(capsys, "stats", folder)
    assert code == 0 and stats["sources"] == {"occupation": 6} and len(stats["coverage"]["groups"]) == 23
    assert "13   Business and Financial Operations Occupations" in said(capsys, "stats", folder)
    _, entries = run(capsys, "show", folder)
    assert [entry["status"] for entry in entries] == ["admitted"] * 6
    intent = next(iter(Library(folder).all()))
    text = said(capsys, "show", folder, intent.id)
    for part in (intent.goal, "coherence 5: ", intent.provenance["slot"], "occupations/3/0/"):
        assert part in text


def test_rejected_ones_are_kept_with_reasons(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, made = run(capsys, "make", str(tmp_path), "--count", "2", "--model", "author", "--judge", "strict")
    assert (code, made["made"]) == (0, {"rejected": 2}) and made["stats"]["short"] == {"fit": 2}
    assert "short on fit" in said(capsys, "show", str(tmp_path), made_slot(tmp_path))
    assert main(["intents", "stats", str(tmp_path)]) == 1
    assert "rejected for: fit 2" in capsys.readouterr().out
    lower = ["--threshold", "2", "--seed", "1"]
    assert run(capsys, "make", str(tmp_path), "--count", "2", "--model", "author", "--judge", "strict", *lower)[1][
        "made"
    ] == {"admitted": 2}


def made_slot(folder: Path) -> str:
    return next(iter(Library(folder).entries())).slot


def test_gaps_are_filled_and_stay_the_same(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    make = ["make", str(tmp_path), "--occupations", "13-2050", "--model", "author", "--judge", "judge"]
    run(capsys, *make, "--count", "2")
    first = {intent.role.occupation for intent in Library(tmp_path).all()}
    run(capsys, *make, "--count", "2", "--gaps", "--seed", "1")
    assert {intent.role.occupation for intent in Library(tmp_path).all()} == first | set(
        (tmp_path / "gaps-1.txt").read_text().split()
    )
    assert len({intent.role.occupation for intent in Library(tmp_path).all()}) == 4
    assert run(capsys, *make, "--count", "2", "--gaps", "--seed", "1")[1]["before"] == 2


def test_skills_artifacts_chains_and_what_is_known_of_occupations(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = str(tmp_path / "library")
    by = ["--model", "author", "--judge", "judge"]
    for name in ("one", "two"):
        (tmp_path / "skills" / name).mkdir(parents=True)
        (tmp_path / "skills" / name / "SKILL.md").write_text(f"---\nname: {name}\ndescription: does {name}\n---\n")
        (tmp_path / "files" / name).mkdir(parents=True)
        (tmp_path / "files" / name / "list.csv").write_text("item,count\nscrews,12\n")
    assert run(capsys, "make", folder, "--skills", str(tmp_path / "skills"), "--count", "2", *by)[0] == 0
    assert run(capsys, "make", folder, "--artifacts", str(tmp_path / "files"), "--count", "2", *by)[0] == 0
    assert run(capsys, "make", folder, "--chains", "--count", "1", *by)[0] == 0

    (tmp_path / "db_30_1_text").mkdir()
    for name, text in ONET.items():
        (tmp_path / "db_30_1_text" / name).write_text(text)
    text = said(capsys, "import-onet", str(tmp_path / "db_30_1_text"), "-o", str(tmp_path / "onet.json"))
    assert "1 of 867 occupations, 1 tasks" in text and "O*NET 30.1 Database" in text and "CC BY 4.0" in text
    known = ["--onet", str(tmp_path / "onet.json"), "--occupations", "13-2051", "--count", "1"]
    assert "CC BY 4.0" in said(capsys, "make", folder, *known, *by)
    assert run(capsys, "stats", folder)[1]["sources"] == {"artifacts": 2, "skills": 2, "chain": 1, "occupation": 1}


def test_a_budget_stops_it_and_it_goes_on(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    make = [
        "make",
        str(tmp_path / "library"),
        "--count",
        "5",
        "--model",
        "author",
        "--judge",
        "judge",
        "--at-once",
        "1",
    ]
    ledger = ["--ledger", str(tmp_path / "ledger.sqlite")]
    code, made = run(capsys, *make, *ledger, "--budget-tokens", "9000")
    assert code == 1 and "tokens are spent" in made["stopped"] and 0 < made["stats"]["intents"] < 5
    assert run(capsys, *make, *ledger)[1]["stats"]["intents"] == 5
    played = RecordedModel(tmp_path / "ledger.sqlite")
    assert played.name and Ledger(tmp_path / "ledger.sqlite").spent().calls == 10


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["make", "L", "--model", "author", "--occupations", "99-1"], "'99-1': no occupation of SOC 2018"),
        (["make", "L", "--model", "author", "--skills", "none"], "none: there is no such folder"),
        (["make", "L", "--model", "author", "--artifacts", "none"], "none: there is no such folder"),
        (["make", "L", "--model", "author", "--chains"], "no intents to go on from"),
        (["make", "L", "--model", "author", "--chains", "--gaps"], "--gaps and --onet are for occupations"),
        (["make", "L", "--model", "author", "--threshold", "6"], "--threshold 6; give a number from 1 to 5"),
        (["make", "L", "--model", "author", "--count", "0"], "--count 0"),
        (["make", "L", "--model", "author", "--at-once", "0"], "--at-once 0"),
        (["make", "L", "--model", "author", "--onet", "none.json"], "none.json: No such file"),
        (["make", "L", "--model", "author", "--budget-usd", "x"], "a budget is a number"),
        (["stats", "none"], "none: there is no such library"),
        (["show", "none"], "none: there is no such library"),
        (["import-onet", "none.zip", "-o", "x.json"], "none.zip: there is no such file or folder"),
    ],
)
def test_wrong_use_is_one_line(
    argv: list[str],
    expected: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["intents", *argv]) == 2
    said = capsys.readouterr()
    assert expected in said.err and said.err.count("\n") == 1 and said.out == ""
