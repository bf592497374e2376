"""What a user installs: sdist, then the wheel built from it, in an environment that never saw the checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from workgym import shelves

KINDS = ("envs", "harnesses", "tools")


def run(*command: str | Path, cwd: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "WORKGYM"))}
    done = subprocess.run([str(part) for part in command], cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist and with the wheel that was built from the unpacked sdist."""
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", out, root, cwd=out)
    return out


@pytest.fixture(scope="module")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Python of a fresh environment that holds the wheel, and borrows the libraries of the one that runs the tests."""
    home = tmp_path_factory.mktemp("elsewhere") / "venv"
    venv.create(home, with_pip=False, symlinks=True)
    python = home / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", "-q")
    run(*pip, next(built.glob("*.whl")), cwd=home)
    site = next(home.glob("lib/python*/site-packages"))
    (site / "borrowed.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    return python


def test_the_wheel_has_one_top_level_name(built: Path) -> None:
    names = zipfile.ZipFile(next(built.glob("*.whl"))).namelist()
    tops = {name.split("/")[0] for name in names}
    assert {name for name in tops if not name.endswith(".dist-info")} == {"workgym"}
    assert "workgym/py.typed" in names
    assert not [name for name in names if "/tests/" in name or name.endswith(".pyc")]


def test_the_shelves_are_whole_in_wheel_and_sdist(built: Path, root: Path) -> None:
    in_wheel = set(zipfile.ZipFile(next(built.glob("*.whl"))).namelist())
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        in_sdist = {name.partition("/")[2] for name in archive.getnames()}
    for kind in KINDS:
        files = [file for file in (root / kind).rglob("*") if file.is_file() and "__pycache__" not in file.parts]
        paths = {file.relative_to(root).as_posix() for file in files}
        assert paths
        assert {f"workgym/shelves/{path}" for path in paths} <= in_wheel
        assert paths <= in_sdist


def test_plug_ins_are_found_where_it_is_installed(installed: Path, tmp_path: Path) -> None:
    program = """
import json, workgym
from workgym import shelves
names = {kind: shelves.names(kind) for kind in ("envs", "harnesses", "tools")}
pairs = [(kind, name) for kind in names for name in names[kind]]
print(json.dumps({
    "home": workgym.__path__[0],
    "names": names,
    "folders": [str(shelves.folder(kind, name)) for kind, name in pairs],
    "manifests": [bool(shelves.manifest(kind, name)) for kind, name in pairs],
}))
"""
    found = json.loads(run(installed, "-c", program, cwd=tmp_path))
    assert found["home"].startswith(str(installed.parents[1]))
    assert {kind: tuple(names) for kind, names in found["names"].items()} == {
        kind: shelves.names(kind)  # type: ignore[arg-type]
        for kind in KINDS
    }
    assert all(folder.startswith(f"{found['home']}/shelves/") for folder in found["folders"])
    assert all(found["manifests"])


def test_ids_resolve_where_it_is_installed(installed: Path, tmp_path: Path) -> None:
    for order in ("import workgym, gymnasium", "import gymnasium, workgym"):
        program = f"{order}; print(gymnasium.spec('workfactory/supplier-selection-000042').id)"
        assert run(installed, "-c", program, cwd=tmp_path).strip() == "workfactory/supplier-selection-000042"


def test_the_command_is_installed(installed: Path, tmp_path: Path) -> None:
    assert "demo" in run(installed.parent / "workgym", "--help", cwd=tmp_path)
