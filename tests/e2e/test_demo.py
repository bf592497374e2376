"""``workgym demo`` as a newcomer runs it: a process of its own, an empty home."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from workgym.authoring import families


def test_demo(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"}
    done = subprocess.run(
        [sys.executable, "-m", "workgym", "demo", "--json", "-o", str(tmp_path / "out")],
        capture_output=True,
        text=True,
        env=env,
        cwd=tmp_path,
        timeout=400,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    result = json.loads(done.stdout)
    assert result["holds"] and len(result["tasks"]) == len(families.names())
    for task in result["tasks"]:
        assert (task["checks"], task["expert"], task["noop"]) == (True, 1.0, 0.0)
        assert {item["class"] for item in task["defects"]} == {"broken derivation", "cross-file inconsistency"}
        assert all(item["found_by_checks"] and item["found_by_expert"] for item in task["defects"])
        assert all(item["repaired"] and item["expert_after"] == 1.0 for item in task["defects"])
    page = (tmp_path / "out/report.html").read_text(encoding="utf-8")
    assert page.count("<svg") == len(result["tasks"])
    fetched = set(re.findall(r"(?:src|href)=['\"]([^'\"#]+)", page))
    assert not fetched and "<script" not in page, fetched


def test_demo_says_what_it_needs(tmp_path: Path) -> None:
    """Without bubblewrap there is one line with the remedy, and exit code 2."""
    bare = tmp_path / "bin"
    bare.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "workgym", "demo", "-o", str(tmp_path / "out")],
        capture_output=True,
        text=True,
        env={"PATH": str(bare), "HOME": str(tmp_path)},
        cwd=tmp_path,
        timeout=60,
    )
    assert done.returncode == 2
    assert done.stderr.strip().splitlines()[-1].startswith("workgym: ")
    assert "bubblewrap" in done.stderr and "Traceback" not in done.stderr
