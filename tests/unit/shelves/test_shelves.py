"""Finding plug-ins: names, folders, manifests, code."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from workgym import shelves
from workgym.errors import UsageError


def harness(root: Path, folder: str, code: str = "def run(): return 1\n") -> Path:
    home = root / "harnesses" / folder
    home.mkdir(parents=True)
    (home / "harness.yaml").write_text("kind: loop\nrun: loop:run\n")
    (home / "loop.py").write_text(code)
    return root


@pytest.fixture
def path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("WORKGYM_PATH", str(tmp_path))
    return tmp_path


def test_the_path_is_read_at_every_call(path: Path) -> None:
    assert "late-comer" not in shelves.names("harnesses")
    harness(path, "late_comer")
    assert "late-comer" in shelves.names("harnesses")
    assert shelves.folder("harnesses", "late-comer") == path / "harnesses" / "late_comer"
    assert shelves.manifest("harnesses", "late-comer") == {"kind": "loop", "run": "loop:run"}


def test_names_are_sorted_and_a_folder_without_manifest_is_not_listed(path: Path) -> None:
    harness(harness(path, "zz_last"), "aa_first")
    (path / "harnesses" / "notes").mkdir()
    found = shelves.names("harnesses")
    assert list(found) == sorted(found)
    assert {"aa-first", "zz-last"} <= set(found) and "notes" not in found


def test_listing_opens_no_manifest(path: Path) -> None:
    home = path / "envs" / "broken-family"
    home.mkdir(parents=True)
    (home / "family.yaml").write_bytes(b"\xff\xfe: [")
    assert "broken-family" in shelves.names("envs")


def test_loaded_code_survives_pickle_and_spawn(path: Path) -> None:
    run = shelves.load("harnesses", harness(path, "pick_me") and "pick-me", "loop:run")
    assert pickle.loads(pickle.dumps(run))() == 1
    program = "import pickle, sys; import workgym.shelves; print(pickle.loads(sys.stdin.buffer.read())())"
    done = subprocess.run([sys.executable, "-c", program], input=pickle.dumps(run), capture_output=True, check=True)
    assert done.stdout.strip() == b"1"


def test_a_name_from_another_root_is_loaded_anew(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for value in (1, 2):
        root = harness(tmp_path / str(value), "moving", f"def run(): return {value}\n")
        monkeypatch.setenv("WORKGYM_PATH", str(root))
        assert shelves.load("harnesses", "moving", "loop:run")() == value


def test_an_unknown_name_is_answered_with_near_ones(path: Path) -> None:
    harness(path, "my_reviewer")
    with pytest.raises(UsageError, match="unknown name 'my-reviewr'; did you mean my-reviewer"):
        shelves.folder("harnesses", "my-reviewr")


def test_a_name_that_stands_twice_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    roots = [harness(tmp_path / "a", "same"), harness(tmp_path / "b", "same")]
    monkeypatch.setenv("WORKGYM_PATH", ":".join(map(str, roots)))
    with pytest.raises(UsageError, match="'same' stands twice, in "):
        shelves.names("harnesses")


def test_a_path_that_is_no_folder_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WORKGYM_PATH", str(tmp_path / "missing"))
    with pytest.raises(UsageError, match="WORKGYM_PATH: .*missing is not a folder"):
        shelves.names("tools")


@pytest.mark.parametrize("attribute", ["loop", "missing:run", "loop:walk", "loop:"])
def test_a_wrong_attribute_is_one_clear_line(path: Path, attribute: str) -> None:
    harness(path, "one_line")
    with pytest.raises(UsageError, match="harnesses/one-line: "):
        shelves.load("harnesses", "one-line", attribute)


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("import sys\ndef run(episode:\n", r"^harnesses/bad_code/loop.py:2: SyntaxError: "),
        ("\nimport nowhere_at_all\n", r"^harnesses/bad_code/loop.py:2: ModuleNotFoundError: No module named 'nowhere"),
        ("import json\nTEXTS = json.loads('')\n", r"^harnesses/bad_code/loop.py:2: JSONDecodeError: "),
        ("from .desk import run\n", r"^harnesses/bad_code/desk.py:3: IndentationError: "),
    ],
)
def test_code_that_cannot_be_imported_is_one_line_with_its_place(path: Path, code: str, told: str) -> None:
    harness(path, "bad_code", code)
    (path / "harnesses/bad_code/desk.py").write_text("def run(episode):\n\nreturn 1\n")
    with pytest.raises(UsageError, match=told):
        shelves.load("harnesses", "bad-code", "loop:run")


def test_a_manifest_that_is_no_text_is_one_line_with_its_place(path: Path) -> None:
    harness(path, "odd_bytes")
    (path / "harnesses/odd_bytes/harness.yaml").write_bytes(b"kind: loop\nname: caf\xe9\n")
    with pytest.raises(UsageError, match="harness.yaml:2: is not UTF-8: byte 0xe9"):
        shelves.manifest("harnesses", "odd-bytes")


def test_an_entry_point_adds_a_root_without_running_its_code(tmp_path: Path) -> None:
    package = tmp_path / "acme_office"
    harness(package, "acme_loop")
    (package / "__init__.py").write_text("raise SystemExit('imported')\n")
    info = tmp_path / "acme_office-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-office\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[workgym.shelves]\nacme = acme_office\n")
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from workgym import shelves; " + (
        "print('acme-loop' in shelves.names('harnesses'), shelves.load('harnesses', 'acme-loop', 'loop:run')())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("True 1\n", "")
