"""``make bench``: what workgym costs, beside something everybody knows, measured in the same run.

Each line has the median here, the median of the peer, and their ratio; turns alternate, so that a busy machine slows
both. Absolute times are of this machine, ratios travel. Beside it, each as ``python -m benchmarks.NAME``: ``build``
(tasks on one core), ``documents`` (office files), ``sandbox``, ``verify`` (verdicts), ``dedup`` (near-duplicates),
``defects`` (what checks find), ``factory`` (tasks planned by a model), ``select`` (filters of trajectories).
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import gymnasium

import workgym
from workgym import corpus, sandbox
from workgym.authoring import families
from workgym.check import check
from workgym.records import ToolCall

IDS = 112_686
"""As many tasks as WorkFactory has."""
Work = Callable[[], object]


def milliseconds(work: Work) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def compare(what: str, ours: Work, peer_name: str, peer: Work, turns: int = 15) -> None:
    """Print one line of the table."""
    ours(), peer()
    pairs = [(milliseconds(ours), milliseconds(peer)) for _ in range(turns)]
    here, there = (statistics.median(column) for column in zip(*pairs, strict=True))
    print(f"{what:<44} {here:>9.2f} ms   {peer_name:<32} {there:>9.2f} ms   {here / there:>7.2f}x", flush=True)


def command(*arguments: str) -> Work:
    return lambda: subprocess.run([sys.executable, *arguments], check=True, capture_output=True)


def python(code: str) -> Work:
    return command("-c", code)


def make(name: str) -> None:
    gymnasium.make(name).close()


def seeds() -> Iterator[int]:
    yield from range(10_000, 20_000)


@contextmanager
def many_ids() -> Iterator[Path]:
    """A file with ids of as many tasks as the largest published corpus."""
    names = families.names()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ids.txt"
        path.write_text("".join(f"workfactory/{names[i % len(names)]}-{i:06}\n" for i in range(IDS)))
        yield path


def episode() -> None:
    """A sandbox from nothing to nothing, with one call."""
    box = sandbox.create("bubblewrap")
    box.open({"notes/todo.txt": b"call the plant\n"}, ("files",))
    try:
        box.call(ToolCall(tool="list_files"))
    finally:
        box.close()


def main() -> None:
    compare("import workgym", python("import workgym"), "python -c pass", python("pass"))
    compare("workgym --help", command("-m", "workgym", "--help"), "import gymnasium", python("import gymnasium"))
    with many_ids() as path:
        compare(f"open a list of {IDS:,} ids", lambda: corpus.add(path), "read it as text", lambda: path.read_text())
        last = path.read_text().split()[-1]
        compare(
            "gym.make of the last of them", lambda: make(last), "gym.make('CartPole-v1')", lambda: make("CartPole-v1")
        )
        corpus.remove(path)
    for name in families.names():
        numbers = seeds()
        compare(
            f"build and check, {name}",
            lambda name=name, numbers=numbers: check(families.build(name, None, next(numbers)), trusted=True),
            "python -c 'import pandas'",
            python("import pandas"),
            turns=5,
        )
    reason = sandbox.available()["bubblewrap"]
    if reason:
        print(f"bubblewrap: {reason}")
        return
    bare = ["bwrap", "--ro-bind", "/", "/", "--unshare-all", "true"]
    compare("sandbox: open, one call, close", episode, "bwrap true", lambda: subprocess.run(bare, check=True))
    box = sandbox.create("bubblewrap")
    box.open({"notes/todo.txt": b"call the plant\n"}, ("files",))
    try:
        call = ToolCall(tool="read_file", arguments={"path": "notes/todo.txt"})
        compare("one tool call", lambda: box.call(call), "subprocess: true", lambda: subprocess.run(["true"]), turns=60)
    finally:
        box.close()
    for family in families.names():
        compare(
            f"expert's rollout, {family}",
            lambda family=family: workgym.rollout(f"workfactory/{family}-000042", "expert"),
            "python -c 'import pandas'",
            python("import pandas"),
            turns=5,
        )


if __name__ == "__main__":
    main()
