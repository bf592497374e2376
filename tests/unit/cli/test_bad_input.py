"""Bad input: one clear line on standard error, and exit code 2; never a traceback."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from workgym import shelves
from workgym.authoring import families
from workgym.cli import main
from workgym.errors import UsageError
from workgym.package import save

FAMILY = shelves.folder("envs", "supplier-selection")


def fails(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    """The line that a command that must fail prints."""
    assert main(list(argv)) == 2
    printed = capsys.readouterr()
    line = printed.err.strip().splitlines()[-1]
    assert line.startswith("workgym: ")
    assert "Traceback" not in printed.err
    return line


@pytest.fixture
def package(tmp_path: Path) -> Path:
    return save(families.build("supplier-selection", "easy", 1), tmp_path / "task")


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A family of one's own under WORKGYM_PATH: a copy that the test spoils."""
    folder = tmp_path / "shelf/envs/my-family"
    shutil.copytree(FAMILY, folder)
    text = (folder / "family.yaml").read_text(encoding="utf-8")
    (folder / "family.yaml").write_text(
        text.replace("family: supplier-selection", "family: my-family"), encoding="utf-8"
    )
    monkeypatch.setenv("WORKGYM_PATH", str(tmp_path / "shelf"))
    return folder


def spoil(folder: Path, old: str, new: str) -> None:
    text = (folder / "family.yaml").read_text(encoding="utf-8")
    assert old in text
    (folder / "family.yaml").write_text(text.replace(old, new, 1), encoding="utf-8")


def test_unknown_family(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    line = fails(capsys, "build", "supplier-selektion", "-o", str(tmp_path))
    assert "supplier-selektion" in line and "supplier-selection" in line


@pytest.mark.parametrize("file", ["family.yaml", "templates/policy.md.j2", "solve.py", "papers.py"])
def test_a_file_of_a_family_that_is_no_text(
    capsys: pytest.CaptureFixture[str], shelf: Path, tmp_path: Path, file: str
) -> None:
    whole = (shelf / file).read_bytes()
    (shelf / file).write_bytes(whole + b"\xff")
    line = fails(capsys, "build", "my-family", "-o", str(tmp_path / "out"))
    last = whole.count(b"\n") + 1
    assert f"workgym: my-family/{file}:{last}: (file): is not UTF-8: byte 0xff" == line


def test_a_folder_that_is_no_task_and_a_family_without_a_seed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert f"{tmp_path}: no task package is there" in fails(capsys, "check", str(tmp_path))
    assert "add a seed: workfactory/supplier-selection-42" in fails(capsys, "show", "workfactory/supplier-selection")


@pytest.mark.parametrize("verb", ["demo", "rollout x -o y", "probe x --harness h --diagnoser d -o y", "audit x"])
def test_a_negative_seed(capsys: pytest.CaptureFixture[str], verb: str) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([*verb.split(), "--seed", "-1"])
    assert stopped.value.code == 2
    assert "argument --seed: '-1' is no seed; write 0, 1, 2, ..." in capsys.readouterr().err
    with pytest.raises(UsageError, match="-1 is no seed"):
        families.build("supplier-selection", "easy", -1)


def test_unknown_preset_and_id(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "has no preset huge" in fails(capsys, "build", "supplier-selection.huge", "-o", str(tmp_path))
    assert "no-such-thing" in fails(capsys, "show", "workfactory/no-such-thing-000001")


BEST = "select supplier from npv order by npv, supplier limit 1"


@pytest.mark.parametrize(
    ("new", "says"),
    [
        ("select suplier from npv order by npv, supplier limit 1", "suplier"),
        ("select getenv('HOME') as supplier", "function getenv is not allowed"),
        ("select supplier from read_csv('/etc/passwd')", "not allowed"),
    ],
)
def test_sql(capsys: pytest.CaptureFixture[str], shelf: Path, tmp_path: Path, new: str, says: str) -> None:
    spoil(shelf, BEST, new)
    line = fails(capsys, "build", "my-family", "-o", str(tmp_path / "out"))
    assert says in line
    assert "my-family/family.yaml:" in line and "units.recommended.sql" in line


def test_a_cycle(capsys: pytest.CaptureFixture[str], shelf: Path, tmp_path: Path) -> None:
    spoil(shelf, "from demand, forecast_rule where rule = 'latest released'", "from demand, recommended")
    assert "depend on each other" in fails(capsys, "build", "my-family", "-o", str(tmp_path / "out"))


def test_a_template_that_names_no_unit(capsys: pytest.CaptureFixture[str], shelf: Path, tmp_path: Path) -> None:
    (shelf / "templates/policy.md.j2").write_text("# Policy\n\nBuy well.\n", encoding="utf-8")
    line = fails(capsys, "build", "my-family", "-o", str(tmp_path / "out"))
    assert "policies/sourcing_policy.docx" in line and "names no unit" in line


def test_a_broken_package(capsys: pytest.CaptureFixture[str], package: Path) -> None:
    (package / "hidden/graph.json").write_text("{")
    assert "hidden/graph.json: not JSON" in fails(capsys, "check", str(package))


def test_a_newer_format(capsys: pytest.CaptureFixture[str], package: Path) -> None:
    card = (package / "task.yaml").read_text(encoding="utf-8")
    (package / "task.yaml").write_text(card.replace("format_version: 1", "format_version: 2"), encoding="utf-8")
    assert "newer than 1; upgrade workgym" in fails(capsys, "check", str(package))


def test_a_carrier_replaced_by_garbage(capsys: pytest.CaptureFixture[str], package: Path) -> None:
    (package / "files/policies/sourcing_policy.docx").write_bytes(b"garbage")
    assert "sourcing_policy.docx: was changed" in fails(capsys, "check", str(package))


def test_nothing_there(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    fails(capsys, "list", str(tmp_path / "nothing"))
    fails(capsys, "replay", str(tmp_path / "nothing"))
    fails(capsys, "verify", str(tmp_path / "nothing"))
    fails(capsys, "rollout", "workfactory/supplier-selection-000001", "--harness", "nobody", "-o", str(tmp_path / "o"))


def test_wrong_usage_is_two_as_well(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["build"])
    assert stop.value.code == 2
    assert "required" in capsys.readouterr().err


def test_seeds_presets_and_folders_that_cannot_be(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "5-2" in fails(capsys, "build", "supplier-selection", "--seeds", "5-2", "-o", str(tmp_path))
    assert "has no preset nope" in fails(capsys, "check", "workfactory/supplier-selection.nope-1")
    assert "/proc" in fails(capsys, "build", "supplier-selection", "-o", "/proc/nowhere")


def test_a_foreign_graph_is_compiled_before_anything_of_it_runs(
    capsys: pytest.CaptureFixture[str], package: Path
) -> None:
    graph = json.loads((package / "hidden/graph.json").read_text(encoding="utf-8"))
    graph["supports"].pop()
    (package / "hidden/graph.json").write_text(json.dumps(graph), encoding="utf-8")
    assert main(["check", str(package)]) == 1
    assert "E_info is not what the queries read" in capsys.readouterr().out


def test_draws_that_cannot_be_made_name_their_place(
    capsys: pytest.CaptureFixture[str], shelf: Path, tmp_path: Path
) -> None:
    text = (shelf / "family.yaml").read_text(encoding="utf-8")
    (shelf / "family.yaml").write_text(
        re.sub(r"integer: \[\d+, \d+\]", "integer: [9, 1]", text, count=1), encoding="utf-8"
    )
    assert "my-family/family.yaml:" in fails(capsys, "build", "my-family", "-o", str(tmp_path))


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("of: npv.npv", "of: nosuch.npv", "recommended.margin: there is no unit nosuch"),
        ("of: npv.npv", "of: npv.nosuch", "recommended.margin: npv has no column nosuch"),
        ("admissible: recommended.supplier", "admissible: nosuch.x", "award.decision: there is no unit nosuch"),
        ("title: ", "title: \x07", "character #x0007 is not YAML"),
    ],
)
def test_names_in_a_family_that_are_not_there(
    capsys: pytest.CaptureFixture[str], shelf: Path, tmp_path: Path, old: str, new: str, says: str
) -> None:
    spoil(shelf, old, new)
    line = fails(capsys, "build", "my-family", "-o", str(tmp_path))
    assert says in line and "my-family/family.yaml:" in line
