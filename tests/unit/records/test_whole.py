"""A file is the old one or the new one."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from workgym.records.whole import write_whole


def test_the_old_or_the_new(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "x.json"
    write_whole(target, "one\n")
    seen = set()
    over = threading.Event()

    def look() -> None:
        while not over.is_set():
            seen.add(target.read_bytes())

    looker = threading.Thread(target=look)
    looker.start()
    for number in range(200):
        write_whole(target, b"%d" % number * 1000)
    over.set()
    looker.join()
    assert seen <= {b"one\n", *(b"%d" % number * 1000 for number in range(200))}
    assert [path.name for path in target.parent.iterdir()] == ["x.json"] and target.stat().st_mode & 0o777 == 0o644


def test_what_fails_leaves_the_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "x"
    write_whole(target, "old")
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        write_whole(target, "new", durable=True)
    assert target.read_text() == "old" and len(list(tmp_path.iterdir())) == 1


def test_a_kill_leaves_one_of_both(tmp_path: Path) -> None:
    target = tmp_path / "x"
    source = "import sys, pathlib; from workgym.records.whole import write_whole\n"
    source += (
        "print('go', flush=True)\nwhile True:\n  for c in 'ab': write_whole(pathlib.Path(sys.argv[1]), c * 100000)\n"
    )
    writer = subprocess.Popen([sys.executable, "-c", source, str(target)], stdout=subprocess.PIPE)
    assert writer.stdout is not None and writer.stdout.readline() == b"go\n"
    while not target.exists():
        pass
    writer.kill()
    writer.communicate()
    assert target.read_text() in ("a" * 100000, "b" * 100000)
