"""README and docs are true: their python and console blocks are run, page by page, each page in a folder of its own.

A block under ``<!-- not run: reason -->`` is for reading, one under ``<!-- demo -->`` stands for the demo, which
``tests/e2e`` runs, one under ``<!-- file: path -->`` is written to that file. A console block is a shell session: lines
with ``$`` are run, the others are what they print, where ``...`` stands for anything; ``<!-- exit 1 -->`` above it is
the exit code that all of it gives.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from workgym.cli import parser

PAGES = (
    *("README.md", "docs/quickstart.md", "docs/families.md", "docs/package-format.md", "docs/judging.md"),
    "docs/quality.md",
    "docs/grading.md",
    "docs/models.md",
    "docs/harnesses.md",
    "docs/planner.md",
    "docs/independent.md",
    "docs/defects.md",
    "docs/probe.md",
    "docs/repair.md",
    "docs/factory.md",
    "docs/intents.md",
    "docs/report.md",
    "docs/select.md",
    "docs/sandboxes.md",
    "docs/external.md",
    "docs/readers.md",
)
ALONE = ("README.md",)
SERVED = Path(__file__).with_name("served.py")
_BLOCK = re.compile(
    r"(?:<!-- (?P<note>.*?) -->\n)?^```(?P<kind>python|console|yaml|text)\n(?P<text>.*?)^```$", re.M | re.S
)
_LINK = re.compile(r"\]\(([^)#:]+?)(?:#[\w-]+)?\)")


def blocks(page: Path) -> list[tuple[str, str, str]]:
    """All (note, kind, text) of a page."""
    return [(match["note"] or "", match["kind"], match["text"]) for match in _BLOCK.finditer(page.read_text("utf-8"))]


def commands(session: str) -> list[tuple[str, str]]:
    """The (command, printed) pairs of a console block."""
    parts = re.split(r"^\$ ", session, flags=re.M)[1:]
    pairs = []
    for part in parts:
        lines = part.rstrip("\n").split("\n")
        last = next(index for index, line in enumerate(lines) if not line.endswith("\\"))
        pairs.append(("\n".join(lines[: last + 1]), "\n".join(lines[last + 1 :])))
    return pairs


def as_pattern(printed: str) -> str:
    return r"\s*" + ".*".join(re.escape(part) for part in printed.split("...")) + r"\s*"


@pytest.fixture(scope="module")
def variables(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], dict[str, str]]]:
    """By page, an environment in which ``workgym`` and ``python`` are those under test.

    On the first pages each is a process that starts from nothing, on the others one that is forked with workgym
    imported (``served.py``), for importing takes longer than most commands.
    """
    folder = tmp_path_factory.mktemp("bin")
    base = os.environ | {"PYTHONPATH": str(root), "PYTHONWARNINGS": "error"}
    server = [sys.executable, str(SERVED), "serve", str(folder / "door")]
    asks = f'"{sys.executable}" -S -E "{SERVED}" ask "{folder / "door"}"'
    for place, name, program in (
        ("alone", "workgym", f'"{sys.executable}" -m workgym'),
        ("alone", "python", f'"{sys.executable}"'),
        ("served", "workgym", f"{asks} workgym"),
        ("served", "python", f"{asks} python"),
    ):
        (folder / place).mkdir(exist_ok=True)
        script = folder / place / name
        script.write_text(f'#!/bin/sh\nexec {program} "$@"\n')
        script.chmod(0o755)
    with subprocess.Popen(server, env=base, stdout=subprocess.PIPE) as running:
        assert running.stdout is not None and running.stdout.readline() == b"ready\n"
        yield lambda page: base | {"PATH": f"{folder / ('alone' if page in ALONE else 'served')}:{os.environ['PATH']}"}
        running.kill()


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_true(name: str, root: Path, tmp_path: Path, variables: Callable[[str], dict[str, str]]) -> None:
    shell = variables(name)
    for note, kind, text in blocks(root / name):
        if note.startswith("file: "):
            target = tmp_path / note.removeprefix("file: ")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
        if note.startswith(("file: ", "not run: ", "demo")) or kind not in ("python", "console"):
            continue
        if kind == "python":
            done = subprocess.run(["python", "-c", text], cwd=tmp_path, env=shell, capture_output=True, text=True)
            assert done.returncode == 0, f"{name}:\n{text}\n{done.stdout}{done.stderr}"
            continue
        for command, printed in commands(text):
            done = subprocess.run(["sh", "-c", command], cwd=tmp_path, env=shell, capture_output=True, text=True)
            said = f"{name}: $ {command}\n{done.stdout}{done.stderr}"
            assert done.returncode == int(note.removeprefix("exit ") if note.startswith("exit ") else 0), said
            if printed:
                heard = done.stderr if done.returncode == 2 else done.stdout
                assert re.fullmatch(as_pattern(printed), heard, re.S), said


@pytest.mark.parametrize("name", [*PAGES, "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "THIRD_PARTY.md"])
def test_links_lead_somewhere(name: str, root: Path) -> None:
    page = root / name
    assert [link for link in _LINK.findall(page.read_text("utf-8")) if not (page.parent / link).exists()] == []


def test_commands_that_contributors_are_told_are_some(root: Path) -> None:
    told = re.findall(r"`workgym ([^`]+)`", (root / "CONTRIBUTING.md").read_text("utf-8"))
    assert len(told) >= 2 and [parser().parse_args(command.split()) for command in told]
    assert (root / "workgym/pipeline.py").is_file(), "what is to be read first"


def test_every_target_of_the_makefile_that_a_page_names_is_there(root: Path) -> None:
    targets = set(re.findall(r"^(\w+):", (root / "Makefile").read_text(), re.M))
    for name in (*PAGES, "CONTRIBUTING.md"):
        assert set(re.findall(r"make (\w+)`|^\$ make (\w+)", (root / name).read_text("utf-8"), re.M)) <= {
            pair for target in targets for pair in ((target, ""), ("", target))
        }


def test_the_first_example_is_short(root: Path) -> None:
    first = next(text for _, kind, text in blocks(root / "README.md") if kind == "python")
    assert len(first.strip().split("\n")) <= 15
