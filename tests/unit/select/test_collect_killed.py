"""kill -9 and Ctrl-C at random moments: the same table in the end, and no stored reply is asked for again."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from workgym.model import Usage
from workgym.models import Ledger
from workgym.select.jobs import read_table
from workgym.testing.endpoint import Endpoint
from workgym.trajectory import Trajectory

CHILD = """
import signal
import sys
from pathlib import Path
from workgym.models import Ledger
from workgym.select import Longest, Teacher, Teachers, collect, makers, task_refs
from workgym.testing import DummySandbox, grade

signal.signal(signal.SIGINT, signal.default_int_handler)  # a test that runs in the background ignores it
tasks, out, url = sys.argv[1:]
spec = f"openai:m?base_url={url}&key_env=NO_SUCH_KEY"
two = (Teacher(name="a", harness="react", model=spec), Teacher(name="b", harness="react", model=spec + "&name=b"))
teachers = Teachers(teachers=two, rollouts=2, longest=Longest(rollouts=1))
ledger = Ledger(Path(out) / "ledger.sqlite")
print("ready", flush=True)
came = collect(
    task_refs([tasks]), teachers, out, models=makers(teachers, ledger), at_once=3, sandbox=DummySandbox, grade=grade,
    progress=lambda line: print(line, flush=True),
)
print("left", came.left, flush=True)
"""


def answer(body: dict[str, Any]) -> str | dict[str, Any]:
    said = [message for message in body["messages"] if message["role"] == "assistant"]
    if len(said) < 2:
        return {"tool": "read_file", "arguments": {"path": ("rent.txt", "power.txt")[len(said)]}}
    if len(said) == 2:
        amounts = [int(message["content"].split()[-1]) for message in body["messages"] if message["role"] == "tool"]
        return {"tool": "write_file", "arguments": {"path": "sum.txt", "content": str(sum(amounts))}}
    return "It is done."


def start(tasks: Path, out: Path, url: str) -> subprocess.Popen[str]:
    out.mkdir(exist_ok=True)
    command = [sys.executable, "-c", CHILD, str(tasks), str(out), url]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None and child.stdout.readline() == "ready\n"
    return child


def finish(child: subprocess.Popen[str]) -> None:
    said, _ = child.communicate(timeout=240)
    assert child.returncode == 0 and said.endswith("left 0\n")


def stored(out: Path) -> int:
    if not (out / "ledger.sqlite").exists():
        return 0
    base = sqlite3.connect(out / "ledger.sqlite", timeout=60)
    try:
        found: int = base.execute("select count(*) from calls where reply is not null").fetchone()[0]
        return found
    finally:
        base.close()


def stop(child: subprocess.Popen[str], out: Path, replies: int, after: float, how: signal.Signals) -> None:
    """End it once so many more replies are stored, and ``after`` seconds later."""
    wanted = stored(out) + replies
    while stored(out) < wanted and child.poll() is None:
        time.sleep(0.005)
    time.sleep(after)
    child.send_signal(how)
    child.communicate(timeout=120)


def test_the_table_is_the_same_however_often_it_is_killed(toy_tasks: Any, tmp_path: Path, full_size: bool) -> None:
    kills, draw = 30 if full_size else 2, random.Random(11)
    toy_tasks(4 * kills if full_size else 8)
    tasks, out, plain = tmp_path / "tasks", tmp_path / "killed", tmp_path / "plain"
    with Endpoint(lambda body, _: answer(body), delay=0.02, usage=Usage(prompt=10, completion=3)) as endpoint:
        finish(start(tasks, plain, endpoint.url))
        calls = len(endpoint.bodies)
        endpoint.bodies.clear()
        killed = 0
        for _ in range(kills):
            child = start(tasks, out, endpoint.url)
            stop(child, out, draw.randrange(1, 12), draw.random() * 0.1, signal.SIGKILL)
            killed += child.returncode == -signal.SIGKILL
        finish(start(tasks, out, endpoint.url))
        sent = len(endpoint.bodies)
        finish(start(tasks, out, endpoint.url))
        assert len(endpoint.bodies) == sent, "all of it was done"
    assert killed >= kills - 1, "it was at work"
    assert (out / "rollouts.jsonl").read_bytes() == (plain / "rollouts.jsonl").read_bytes()
    assert (out / "assignment.jsonl").read_bytes() == (plain / "assignment.jsonl").read_bytes()
    spent = Ledger(out / "ledger.sqlite").spent()
    assert spent.calls == calls and sent - calls <= spent.repeats <= 3 * killed, "in flight: once for each kill"
    rows = list(read_table(out))
    assert Counter(row.teacher for row in rows) == {"a": len(rows) / 2, "b": len(rows) / 2}
    for row in rows:
        kinds = [line["event"] for line in Trajectory.open(out / str(row.rollout.trajectory)).lines()]
        assert kinds.count("episode") == kinds.count("verdict") == kinds.count("end") == 1
    folders = sum(1 for folder in out.glob("toy-*/*") if folder.is_dir())
    assert folders == len(rows), "nothing is left over"


def test_ctrl_c_keeps_what_is_finished(toy_tasks: Any, tmp_path: Path) -> None:
    toy_tasks(8)
    out = tmp_path / "out"
    with Endpoint(lambda body, _: answer(body), delay=0.03) as endpoint:
        child = start(tmp_path / "tasks", out, endpoint.url)
        stop(child, out, 24, 0.0, signal.SIGINT)
        assert child.returncode == -signal.SIGINT, "Python's own end of an interrupt, and no abort"
        kept = list(read_table(out))
        assert 0 < len(kept) < 16 and all(row.done for row in kept)
        assert kept == sorted(kept, key=lambda row: (row.task, row.teacher, row.seed)), "the table is in order"
        finish(start(tmp_path / "tasks", out, endpoint.url))
    assert len(list(read_table(out))) == 16
