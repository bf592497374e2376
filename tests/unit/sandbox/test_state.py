"""Folders of living and dead processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from workgym.errors import SandboxError
from workgym.sandbox import state

HERE = Path(__file__).parents[3]


def run(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, "WORKGYM_STATE": str(folder)}
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=HERE, env=variables, check=False
    )


def test_what_a_killed_process_left_is_removed_and_the_living_keep_theirs(tmp_path: Path) -> None:
    dead = run(
        "import os, signal\nfrom workgym.sandbox import state\n"
        "print(state.folder('work'), flush=True)\nos.kill(os.getpid(), signal.SIGKILL)\n",
        tmp_path,
    )
    left = Path(dead.stdout.strip())
    assert left.is_dir() and not state.alive(left.parent)
    (left / "file").write_text("x")
    cleaner = run(
        "from workgym.sandbox import state\nmine = state.folder('work')\n"
        "print(state.clean(), mine.is_dir(), state.alive(state.own()))\n",
        tmp_path,
    )
    assert cleaner.stdout.strip() == f"[{left.parent.name!r}] True True", cleaner.stderr
    assert list(tmp_path.iterdir()) == []


def test_own_folder_is_alive_and_not_cleaned() -> None:
    mine = state.folder("work")
    assert state.alive(state.own())
    state.clean()
    assert mine.is_dir()
    mine.rmdir()


def test_somebody_elses_folder_is_refused(tmp_path: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can make a folder of somebody else")
    other = tmp_path / "other"
    other.mkdir()
    os.chown(other, 12345, 12345)
    asked = run("from workgym.sandbox import state\nstate.root()", other)
    assert SandboxError.__name__ in asked.stderr and "WORKGYM_STATE" in asked.stderr
