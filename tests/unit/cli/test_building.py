"""``workgym build`` into a folder that holds something: what is kept, built anew, and left as it is."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from workgym.authoring import families
from workgym.cli import main
from workgym.package import load, save


def replace(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def build(capsys: pytest.CaptureFixture[str], out: Path, *more: str) -> tuple[int, str]:
    """Exit code, and what is printed."""
    code = main(["build", "mileage-claim", "--seeds", "1-2", "-o", str(out), *more])
    return code, capsys.readouterr().out


def names(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_an_author_mends_the_family_and_builds_again(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, mileage: Path
) -> None:
    out = tmp_path / "tasks"
    template = mileage / "templates/policy.md.j2"
    replace(template, "a kilometre.", "a kilometre, 17 since last year.")
    code, said = build(capsys, out)
    assert code == 1 and "does not pass" in said and "2 tasks" in said and "(0 were there), 0 pass" in said
    code, said = build(capsys, out)
    assert code == 1 and "(2 were there), 0 pass all checks" in said
    replace(template, ", 17 since last year", "")
    code, said = build(capsys, out)
    assert code == 0 and "(0 were there; 2 built anew" in said and ", 2 pass all checks" in said
    before = names(out)
    code, said = build(capsys, out)
    assert code == 0 and "(2 were there), 2 pass all checks" in said and names(out) == before
    replace(mileage / "solve.py", "import re\n", "import re  # for the rate\n")
    assert "2 built anew" in build(capsys, out)[1], "the expert script is a file of the family, too"


def test_what_somebody_worked_on_is_left_with_a_word(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, mileage: Path
) -> None:
    out = tmp_path / "tasks"
    main(["build", "mileage-claim", "--seeds", "1-2", "-o", str(out), "--inject", "broken derivation"])
    repaired, other = out / "mileage-claim.small-000001-v1", out / "mileage-claim.small-000002-v1"
    assert main(["repair", str(repaired), "--no-expert"]) == 0
    (other / "notes.txt").write_text("mine")
    capsys.readouterr()
    before = names(out)
    code, said = build(capsys, out)
    assert code == 1 and names(out) == before
    way = "; build into another folder (-o), or --replace it"
    assert f"{repaired}: left as it is: it was revised (1 in its history){way}" in said
    assert f"{other}: left as it is: notes.txt is no part of the package{way}" in said
    assert "(0 were there; 2 left as they are)" in said
    assert len(load(repaired).hidden.history) == 2
    code, said = build(capsys, out, "--replace")
    assert code == 0 and "2 built anew" in said
    assert not load(repaired).hidden.history and not (other / "notes.txt").exists()


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda folder: (folder / "request.md").write_text("spoilt"), "request.md"),
        (lambda folder: replace(folder / "hidden/expert/solve.py", "import re", "import re, csv"), "it was changed"),
        (lambda folder: shutil.copytree(folder.with_name("mileage-claim.small-000001-v1"), folder, dirs_exist_ok=True),
         "it is workfactory/mileage-claim.small-000001-v1"),
        (lambda folder: save(families.build("mileage-claim", None, 2), folder), "it does not say how it was built"),
    ],
)  # fmt: skip
def test_what_is_no_longer_as_it_was_built_is_left(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, mileage: Path, spoil: Any, why: str
) -> None:
    out = tmp_path / "tasks"
    assert build(capsys, out)[0] == 0
    folder = out / "mileage-claim.small-000002-v1"
    spoil(folder)
    code = main(["build", "mileage-claim", "--seeds", "1-2", "-o", str(out), "--json"])
    kept, left = json.loads(capsys.readouterr().out)["tasks"]
    assert code == 1 and kept["kept"] and kept["left"] is None and why in left["left"]


def test_a_warning_is_one_line(mileage: Path, tmp_path: Path) -> None:
    argv = ("rollout", "mileage-claim-1", "--harness", "noop", "--sandbox", "unsafe-local", "-o", str(tmp_path / "run"))
    ran = subprocess.run([sys.executable, "-W", "default", "-m", "workgym", *argv], capture_output=True, text=True)
    assert ran.returncode == 1
    (told,) = [line for line in ran.stderr.splitlines() if "agent's code" in line]
    assert (
        told.startswith("workgym: unsafe-local: the agent's code runs as this user") and "office.py" not in ran.stderr
    )


def test_a_familys_folder_is_checked_and_solved_and_a_wrong_expert_is_told_what_failed(
    capsys: pytest.CaptureFixture[str], mileage: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WORKGYM_PATH")
    replace(mileage / "family.yaml", "  large: {trips: 12}\n", "")
    assert main(["check", str(mileage)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0][-9:] for line in said] == ["000000-v1", "000001-v1"]
    assert all(line.endswith("checks, expert 1.0") for line in said)
    replace(mileage / "solve.py", "number(rate[1])", "2 * number(rate[1])")
    assert main(["check", str(mileage), "--json"]) == 1
    (finding, *_) = json.loads(capsys.readouterr().out)[0]["findings"]
    first = r"reward 0, claim\[1\].amount in claim.csv: .*expected [\d.,]+.*, found [\d.]+; claim\[2\].amount .*"
    assert re.search(f"{first}; and 2 more", finding["message"])
