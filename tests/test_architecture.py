"""The rules of the code base, each with a planted tree that breaks it."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest

LAYERS = """
errors  records  shelves
graph
model  models
sandbox  tool
documents
plan
materialize
package  mutation
authoring  intents  corpus
trajectory
verify
user  harness  gateway
env  rollout  replay
check  quality  defects
probe  repair
select  export  evaluate  train  out
engine
pipeline
viewer  cli  testing
"""
RANK = {name: rank for rank, name in enumerate(LAYERS.split())} | {"_version": -1}
FACADE = ("workgym", "workgym._gymnasium", "workgym.__main__")
"""May import anything, and is imported by nothing."""

CONFINED = {
    "networkx": ("workgym/graph/",),
    "docker": ("workgym/sandbox/docker.py",),
    "openai": ("workgym/models/openai.py",),
    "duckdb": ("workgym/graph/", "workgym/authoring/"),
    "sqlglot": ("workgym/graph/", "workgym/authoring/"),
}
GUEST = ("tools/", "workgym/sandbox/guest/")
SHELVES = ("envs", "harnesses", "tools")
TOP_LEVEL = {
    *("workgym", *SHELVES, "tests", "benchmarks", "docs", ".ci", ".gitignore", "Makefile", "pyproject.toml"),
    *("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "THIRD_PARTY.md", "LICENSE"),
}
LONGEST = 350
_TASK = re.compile(r"(workgym(?:\.\w+)+):\w+")


Texts = tuple[tuple[str, str], ...]
"""What stands in every Python file of a tree, with its path from the root: the same tree is parsed once."""


def texts(root: Path) -> Texts:
    files = sorted(file for folder in ("workgym", *SHELVES) for file in (root / folder).rglob("*.py"))
    return tuple((str(file.relative_to(root)), file.read_text(encoding="utf-8")) for file in files)


@cache
def parsed(written: Texts) -> dict[str, ast.Module]:
    return {path: ast.parse(text, path) for path, text in written}


def sources(root: Path) -> dict[str, ast.Module]:
    """Every Python file of the tree by its path from ``root``, parsed."""
    return parsed(texts(root))


def module_name(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")


def imports(tree: ast.Module, known: set[str]) -> Iterator[str]:
    """Dotted names of all that a module imports, wherever in it: ``import_module("...")`` and job names count too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                dotted = f"{node.module}.{alias.name}"
                yield (
                    dotted if dotted in known or (node.module == "workgym" and alias.name in RANK) else str(node.module)
                )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _TASK.fullmatch(node.value):
            yield node.value.partition(":")[0]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            yield from (str(argument.value) for argument in node.args if isinstance(argument, ast.Constant))


def edges(root: Path) -> dict[str, set[str]]:
    """Which other modules of workgym each module of workgym imports."""
    return linked(texts(root))


@cache
def linked(written: Texts) -> dict[str, set[str]]:
    trees = {path: tree for path, tree in parsed(written).items() if path.startswith("workgym/")}
    known = {module_name(path) for path in trees}
    return {
        module_name(path): {
            name for name in imports(tree, known) if name.split(".")[0] == "workgym" and name != module_name(path)
        }
        for path, tree in trees.items()
    }


def layers(root: Path) -> list[str]:
    """A module imports only units above its own in ``LAYERS``, and its own."""
    wrong = []
    for module, found in edges(root).items():
        if module in FACADE:
            continue
        own = module.split(".")[1]
        if own not in RANK:
            wrong.append(f"{module}: {own} stands in no layer")
            continue
        for name in sorted(found):
            if name in FACADE:
                wrong.append(f"{module} imports {name}")
            elif RANK.get(name.split(".")[1], len(RANK)) > RANK[own]:
                wrong.append(f"{module} imports {name}, which is below it")
    return wrong


def cycles(root: Path) -> list[str]:
    """No module reaches itself by imports."""
    graph = edges(root)
    done: set[str] = set()
    wrong = []

    def visit(module: str, path: tuple[str, ...]) -> None:
        if module in path:
            wrong.append(" -> ".join((*path[path.index(module) :], module)))
        elif module not in done:
            for name in sorted(graph.get(module, ())):
                visit(name, (*path, module))
            done.add(module)

    for module in sorted(graph):
        visit(module, ())
    return wrong


def confined(root: Path) -> list[str]:
    """Some libraries are imported in one place only."""
    return [
        f"{path} imports {name}"
        for path, tree in sources(root).items()
        for name in imports(tree, set())
        if (places := CONFINED.get(name.split(".")[0])) and not path.startswith((*places, *GUEST))
    ]


def guests(root: Path) -> list[str]:
    """Guest code never imports workgym, and nothing imports guest code or a shelf by its dotted name."""
    wrong = []
    trees = sources(root)
    known = {module_name(path) for path in trees}
    for path, tree in trees.items():
        for name in imports(tree, known):
            first = name.split(".")[0]
            if path.startswith(GUEST) and first == "workgym":
                wrong.append(f"{path} is guest code and imports {name}")
            elif first in SHELVES or re.match(r"workgym\.(sandbox\.guest|shelves\.\w+)(\.|$)", name):
                wrong.append(f"{path} imports {name}")
    return wrong


def shelf_roots(root: Path) -> list[str]:
    """No ``__init__.py`` directly in a shelf."""
    return [str(file.relative_to(root)) for kind in SHELVES for file in (root / kind).glob("__init__.py")]


def lengths(root: Path) -> list[str]:
    """No file is longer than one sitting."""
    files = [
        file
        for file in root.rglob("*.py")
        if not {".venv", ".bench", "build", "dist", "out"} & set(file.relative_to(root).parts)
    ]
    counted = {file: file.read_text(encoding="utf-8").count("\n") for file in sorted(files)}
    return [f"{file.relative_to(root)}: {lines} lines" for file, lines in counted.items() if lines > LONGEST]


def top_level(root: Path) -> list[str]:
    """The root holds what was decided, and nothing else that git would keep."""
    found = {entry.name for entry in root.iterdir()}
    if (root / ".git").exists() and shutil.which("git"):
        command = ["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
        found = {line.split("/")[0] for line in listed if (root / line).exists()}
    else:  # an unpacked sdist, or no git: what git would not keep is named in .gitignore
        ignored = (root / ".gitignore").read_text().split() if ".gitignore" in found else []
        found = {name for name in found if not any(fnmatch(name, line.strip("/")) for line in ignored)}
        found -= {"PKG-INFO", ".git"}
    return [f"not decided: {name}" for name in sorted(found - TOP_LEVEL)] + [
        f"missing: {name}" for name in sorted(TOP_LEVEL - found)
    ]


RULES: tuple[Callable[[Path], list[str]], ...] = (
    layers,
    cycles,
    confined,
    guests,
    shelf_roots,
    lengths,
    top_level,
)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_code_keeps_the_rule(rule: Callable[[Path], list[str]], root: Path) -> None:
    assert rule(root) == []


GOOD = {
    "workgym/__init__.py": "import importlib\nimportlib.import_module('workgym.graph.model')\n",
    "workgym/errors.py": "",
    "workgym/graph/model.py": "import networkx\nfrom workgym.errors import GraphError\n",
    "workgym/sandbox/guest/server.py": "import json\n",
    "tools/files/pack.py": "import os\n",
    "harnesses/react/loop.py": "from workgym.errors import HarnessError\n",
}
PLANTED: tuple[tuple[Callable[[Path], list[str]], dict[str, str], str], ...] = (
    (layers, {"workgym/errors.py": "from workgym.graph.model import Unit\n"}, "below"),
    (layers, {"workgym/errors.py": "def f():\n    import workgym.graph.model\n"}, "below"),
    (
        layers,
        {"workgym/errors.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from workgym import graph\n"},
        "below",
    ),
    (layers, {"workgym/records/a.py": "import importlib\nimportlib.import_module('workgym.cli')\n"}, "below"),
    (layers, {"workgym/graph/model.py": "JOB = 'workgym.documents.child:read'\n"}, "below"),
    (layers, {"workgym/utils.py": ""}, "no layer"),
    (layers, {"workgym/cli/main.py": "from workgym import __version__\n"}, "imports workgym"),
    (
        cycles,
        {"workgym/graph/a.py": "import workgym.graph.b\n", "workgym/graph/b.py": "import workgym.graph.a\n"},
        "->",
    ),
    (confined, {"workgym/plan.py": "def f():\n    import networkx as nx\n"}, "networkx"),
    (confined, {"workgym/sandbox/bubblewrap.py": "from docker import from_env\n"}, "docker"),
    (confined, {"harnesses/react/loop.py": "import openai\n"}, "openai"),
    (confined, {"workgym/verify/stated/facts.py": "import duckdb\n"}, "duckdb"),
    (confined, {"workgym/verify/stated/facts.py": "import sqlglot.expressions\n"}, "sqlglot"),
    (guests, {"tools/files/pack.py": "from workgym.records import ToolCall\n"}, "guest code"),
    (guests, {"workgym/sandbox/guest/server.py": "import workgym\n"}, "guest code"),
    (guests, {"workgym/sandbox/host.py": "from workgym.sandbox.guest import server\n"}, "sandbox.guest"),
    (guests, {"workgym/harness.py": "import harnesses.react.loop\n"}, "harnesses.react"),
    (guests, {"workgym/harness.py": "import workgym.shelves.harnesses.react\n"}, "shelves.harnesses"),
    (shelf_roots, {"tools/__init__.py": ""}, "tools/__init__.py"),
    (lengths, {"tests/test_long.py": "x = 1\n" * (LONGEST + 1)}, "351 lines"),
    (top_level, {"scripts/run.sh": "", "utils.py": ""}, "not decided: scripts"),
    (top_level, {}, "missing: Makefile"),
)


def plant(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")


def test_a_good_tree_breaks_nothing(tmp_path: Path) -> None:
    plant(tmp_path, GOOD)
    assert [found for rule in RULES if rule is not top_level for found in rule(tmp_path)] == []


@pytest.mark.parametrize(("rule", "files", "expected"), PLANTED, ids=lambda value: getattr(value, "__name__", ""))
def test_the_rule_can_fail(
    rule: Callable[[Path], list[str]], files: dict[str, str], expected: str, tmp_path: Path
) -> None:
    plant(tmp_path, GOOD | files)
    assert any(expected in found for found in rule(tmp_path)), rule(tmp_path)
