"""``workgym repair`` by models, and ``show --history``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workgym.authoring import families
from workgym.cli import main
from workgym.mutation import Revision, Withhold, apply
from workgym.package import load, save
from workgym.probe.model import Ground, ProbeReport, Problem
from workgym.records import Cell

AGREES = '{"reasons": "a rate is given", "same_work": true, "answers_left": true, "natural": true, "preserved": true}'


@pytest.fixture(scope="module")
def cell() -> Cell:
    sound = families.build("supplier-selection", "easy", 3)
    return next(cell for cell, _ in sound.truth("freight").cells())


@pytest.fixture(scope="module")
def rate(cell: Cell) -> str:
    sound = families.build("supplier-selection", "easy", 3)
    return str(sound.truth(cell.unit).value(cell.key, cell.column))


@pytest.fixture
def broken(tmp_path: Path, cell: Cell) -> Path:
    """A package without one freight rate."""
    sound = families.build("supplier-selection", "easy", 3)
    spoiled = apply(sound, Revision(purpose="inject", why="no freight rate", edits=(Withhold(cell=cell),)))
    return save(spoiled, tmp_path / "task")


def script(path: Path, *replies: str) -> str:
    path.write_text(json.dumps(list(replies)), encoding="utf-8")
    return f"scripted:{path}"


def proposal(cell: Cell, value: str) -> str:
    edit = {"kind": "set", "unit": cell.unit, "key": list(cell.key), "column": cell.column, "value": value}
    return json.dumps({"reasons": "it is absent", "summary": "a freight rate was missing", "edits": [edit]})


def report(folder: Path, digest: str, file: Path, missing: str = "") -> str:
    ground = Ground(call=2, source="logistics/carrier_rates.csv", quote="per unit", missing=missing)
    problem = Problem(
        defect="broken derivation",
        what="no rate for one supplier",
        blocks="its landed cost",
        grounds=(ground,),
        verdict="defect",
        severity="hard",
    )
    made = ProbeReport(
        task_id=folder.name, package=digest, harness="react", model="m", seed=0, diagnoser="m", turns=3, end="closed",
        state="failed", reward=0.0, problems=(problem,),
    )  # fmt: skip
    file.write_text(made.model_dump_json(), encoding="utf-8")
    return str(file)


def test_models_repair_and_the_history_is_shown(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, broken: Path, cell: Cell, rate: str
) -> None:
    argv = ["repair", str(broken), "-o", str(tmp_path / "mended"), "--no-expert", "--json"]
    argv += ["--reviser", script(tmp_path / "reviser.yaml", proposal(cell, "much"), proposal(cell, rate))]
    argv += ["--reviewer", script(tmp_path / "reviewer.yaml", AGREES)]
    argv += ["--problems", report(broken, load(broken).digest, tmp_path / "report.json")]
    argv += ["--ledger", str(tmp_path / "ledger.sqlite")]
    assert main(argv) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["accepted"] and [one["fate"] for one in told["tries"]] == ["contract", "accepted"]
    assert told["spent"]["calls"] == 3
    mended = load(tmp_path / "mended")
    assert any("no rate for one supplier" in line for line in mended.hidden.history[-1].findings)
    assert main(["show", str(tmp_path / "mended"), "--history"]) == 0
    shown = capsys.readouterr().out
    for part in (
        "repair: a freight rate was missing",
        f"set {cell} to {rate}",
        "review: a rate",
        "accepted on",
    ):
        assert part in shown
    assert any(line.strip().startswith("+ ") and rate in line for line in shown.splitlines())


def test_what_the_graph_shows_mistaken_is_told_and_asks_no_reviser(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, cell: Cell
) -> None:
    sound = families.build("supplier-selection", "easy", 3)
    folder = save(sound, tmp_path / "sound")
    column = sound.hidden.graph.unit(cell.unit).column(cell.column)
    missing = " ".join((*cell.key, column.label or cell.column.replace("_", " ")))
    argv = ["repair", str(folder), "--no-expert", "--reviser", script(tmp_path / "reviser.yaml")]
    argv += ["--reviewer", script(tmp_path / "reviewer.yaml")]
    argv += ["--problems", report(folder, sound.digest, tmp_path / "report.json", missing)]
    assert main(argv) == 0
    said = capsys.readouterr().out
    assert "the graph shows it mistaken: [broken derivation] no rate for one supplier" in said
    assert f"{cell} stands in " in said and "nothing needs repair" in said
    assert main([*argv, "--json"]) == 0
    (line,) = json.loads(capsys.readouterr().out)["mistaken"]
    assert str(cell) in line and load(folder).digest == sound.digest


def test_what_is_discarded_is_told_and_leaves_the_package(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, broken: Path, cell: Cell
) -> None:
    before = load(broken).digest
    argv = ["repair", str(broken), "--no-expert", "--rounds", "1"]
    argv += ["--reviser", script(tmp_path / "reviser.yaml", proposal(cell, "much"))]
    argv += ["--reviewer", script(tmp_path / "reviewer.yaml")]
    assert main(argv) == 1
    said = capsys.readouterr().out
    assert "discarded after one proposal" in said and "proposal 1 was discarded, contract" in said
    assert load(broken).digest == before


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--reviser", "scripted:x.yaml"], "name both"),
        (["--ledger", "x.sqlite"], "are for repair by models"),
        (["--solver", "scripted:x.yaml"], "are for repair by models"),
        (["--reviser", "scripted:x.yaml", "--reviewer", "scripted:x.yaml", "--rounds", "0"], "at least one"),
        (["--reviser", "scripted:x.yaml", "--reviewer", "scripted:x.yaml", "--problems", "no.json"], "no.json"),
        (["--sandbox", "nope"], "unknown sandbox 'nope'"),
        (["--reviser", "mailbox:box", "--reviewer", "mailbox:box", "--sandbox", "nope"], "unknown sandbox 'nope'"),
    ],
)
def test_wrong_usage_is_one_line(
    capsys: pytest.CaptureFixture[str], broken: Path, options: list[str], says: str
) -> None:
    assert main(["repair", str(broken), *options]) == 2
    (line,) = [one for one in capsys.readouterr().err.splitlines() if one.startswith("workgym: ")]
    assert says in line


def test_a_report_of_another_task_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path, broken: Path) -> None:
    other = report(broken, "0" * 64, tmp_path / "other.json")
    models = ["--reviser", "scripted:x.yaml", "--reviewer", "scripted:x.yaml"]
    assert main(["repair", str(broken), *models, "--problems", other]) == 2
    assert "with other content" in capsys.readouterr().err
    (tmp_path / "none.json").write_text("{}")
    assert main(["repair", str(broken), *models, "--problems", str(tmp_path / "none.json")]) == 2
    assert "no report of a probe" in capsys.readouterr().err
