"""What users see first: exports, the cost of importing, and what an installation brings along."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import pkgutil
import re
import subprocess
import sys
import time
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

import workgym

HEAVY = {"docker", "duckdb", "gymnasium", "jinja2", "numpy", "openai", "openpyxl", "pandas", "pydantic", "yaml"}
PACKAGES = sorted(module.name for module in pkgutil.iter_modules(workgym.__path__, "workgym.") if module.ispkg)


def seconds(*command: str) -> float:
    """The best of five runs."""
    taken = []
    for _ in range(5):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        taken.append(time.perf_counter() - start)
    return min(taken)


@pytest.mark.parametrize("package", ["workgym", *PACKAGES])
def test_all_that_is_exported_is_there(package: str) -> None:
    module = importlib.import_module(package)
    assert [name for name in getattr(module, "__all__", ()) if not hasattr(module, name)] == []


def test_the_functions_win_over_modules_of_their_name() -> None:
    importlib.import_module("workgym.rollout")
    importlib.import_module("workgym.replay")
    assert callable(workgym.rollout)
    assert callable(workgym.replay)
    assert set(workgym.__all__) <= set(dir(workgym))


def test_importing_is_cheap() -> None:
    program = f"import sys, workgym; sys.exit(', '.join({HEAVY!r} & set(sys.modules)) or 0)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert seconds(sys.executable, "-c", "import workgym") < 0.5


def test_help_is_quick() -> None:
    assert seconds(sys.executable, "-m", "workgym", "--help") < 0.7


def third_party(folder: Path) -> set[str]:
    """Top-level names that host code under ``folder`` imports, beyond the standard library and workgym."""
    found: set[str] = set()
    for file in sorted(set(folder.rglob("*.py")) - set(folder.rglob("guest/**/*.py"))):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module.split(".")[0])
    return found - set(sys.stdlib_module_names) - {"workgym"}


def test_what_is_imported_is_declared_and_what_is_declared_is_used(root: Path) -> None:
    """What the host does not import itself is an office library of the guest, for callables that work like an agent."""
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    declared = {re.split(r"[<>=~! \[]", line)[0].lower() for line in project["dependencies"]}
    optional = [line for name, lines in project["optional-dependencies"].items() if name != "dev" for line in lines]
    extra = {re.split(r"[<>=~! \[]", line)[0].lower() for line in optional}
    imported, brought_by = set[str](), packages_distributions()
    for name in third_party(root / "workgym") | third_party(root / "harnesses"):
        imported |= {found.lower() for found in brought_by.get(name, [name])}
    guest = (root / "workgym" / "sandbox" / "guest" / "requirements.in").read_text()
    assert imported - {"workgym"} <= declared | extra
    assert declared - imported <= set(re.findall(r"^[\w-]+", guest, re.M))


def test_third_party_lists_the_whole_installation_and_nothing_in_it_is_copyleft(root: Path) -> None:
    made = subprocess.run([sys.executable, root / ".ci" / "third_party.py"], capture_output=True, text=True, check=True)
    rows = re.findall(r"^\| ([\w-]+) \| (.+?) \|", made.stdout, re.M)[1:]
    page = (root / "THIRD_PARTY.md").read_text("utf-8")
    assert len(rows) > 20
    assert [name for name, _ in rows if f"| {name} |" not in page] == []
    assert [(name, licence) for name, licence in rows if re.search(r"\b[AL]?GPL|General Public", licence)] == []


def test_the_page_on_formats_is_what_its_command_prints(root: Path) -> None:
    made = subprocess.run([sys.executable, root / ".ci" / "formats.py"], capture_output=True, text=True, check=True)
    assert (root / "docs" / "formats.md").read_text("utf-8") == made.stdout, "run .ci/formats.py > docs/formats.md"
    assert made.stdout.count("| yes |\n") >= 20 and "| NO |" not in made.stdout
