"""Many sandboxes at once, and many one after another: what each takes, and whether anything grows.

``python -m benchmarks.sandbox --many 500`` and ``--row 10000``. Exit code 1 where one of them does not answer, or
memory or descriptors did not stay flat.
"""

from __future__ import annotations

import os
import resource
import statistics
import time
from collections.abc import Mapping
from pathlib import Path

from workgym.records import ToolCall
from workgym.sandbox import Sandbox, state, zygote
from workgym.sandbox.bubblewrap import Bubblewrap

PACKS = ("files", "shell", "office")
ECHO = ToolCall(tool="bash", arguments={"command": "echo hi; echo x > made.txt"})
LIST = ToolCall(tool="list_files", arguments={})
READ = ToolCall(tool="read_workbook", arguments={"path": "in/ledger.xlsx"})
GROWTH_MIB = 24
"""More than this of growth, after the first tenth, is not flat."""


def many(number: int, files: Mapping[str, bytes]) -> bool:
    """Open so many at once, and have each work; whether all answered and nothing is left."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    _once(files)
    free, descriptors, begun = available(), _descriptors(), time.monotonic()
    boxes: list[Sandbox] = []
    try:
        for _ in range(number):
            box = Bubblewrap()
            boxes.append(box)
            box.open(files, PACKS)
        print(f"{number} open after {time.monotonic() - begun:.1f} s")
        _told("open", number, free, boxes)
        wrong = sum(box.call(LIST).is_error or box.call(ECHO).text != "hi\n" for box in boxes)
        _told("after a list and a shell call", number, free, boxes)
        some = boxes[:: max(1, number // 50)]
        wrong += sum(box.call(READ).is_error for box in some)
        print(f"{'':<6}of {len(some)} that read a workbook: {_counted(some):.1f} MiB each in its control group")
        wrong += sum(not box.answers() for box in boxes)
        print(f"{number - wrong} of {number} answer; {_descriptors() - descriptors} descriptors")
    finally:
        begun = time.monotonic()
        for box in boxes:
            box.close()
    print(f"closed after {time.monotonic() - begun:.1f} s")
    return not wrong and not list(state.own().glob("work*"))


def row(number: int, files: Mapping[str, bytes], minutes: float) -> bool:
    """So many episodes one after another, as far as they fit into the time; whether memory and descriptors are flat."""
    for _ in range(50):
        _episode(files)
    zygote.settle()
    print(f"{'episodes':>9} {'a second':>9} {'memory MiB':>11} {'zygote MiB':>11} {'descriptors':>12}")
    begun, seen, done = time.monotonic(), [], 0
    while done < number and time.monotonic() - begun < 60 * minutes:
        for _ in range(max(1, number // 20)):
            _episode(files)
            done += 1
        seen.append((_memory("self"), sum(map(_memory, _zygotes())), _descriptors()))
        here, there, open_files = seen[-1]
        rate = done / (time.monotonic() - begun)
        print(f"{done:>9} {rate:>9.1f} {here:>11.1f} {there:>11.1f} {open_files:>12}", flush=True)
    first, last = seen[min(1, len(seen) - 1)], seen[-1]
    flat = last[0] - first[0] < GROWTH_MIB and last[1] - first[1] < GROWTH_MIB and last[2] == first[2]
    print(f"{done} episodes: memory and descriptors {'stayed flat' if flat else 'GREW'}")
    return flat


def _once(files: Mapping[str, bytes]) -> None:
    """What all have in common is made with the first ones."""
    for _ in range(3):
        with Bubblewrap() as box:
            box.open(files, PACKS)
            for call in (LIST, ECHO, READ):
                box.call(call)
    zygote.settle()


def _episode(files: Mapping[str, bytes]) -> None:
    with Bubblewrap() as box:
        box.open(files, PACKS)
        if box.call(LIST).is_error or box.call(ECHO).text != "hi\n":
            raise SystemExit("a sandbox does not answer as it should")
        box.changed()
        box.halt()
        if box.collect().get("made.txt") != b"x\n":
            raise SystemExit("a workspace is not whole")


def _told(when: str, number: int, free: int, boxes: list[Sandbox]) -> None:
    each = (free - available()) / number
    print(
        f"{'':<6}{when}: {each:.1f} MiB each by the memory that is free, {_counted(boxes):.1f} MiB in its control group"
    )


def _counted(boxes: list[Sandbox]) -> float:
    """Median of what the control groups count; nothing where there are none."""
    found = [box.memory() for box in boxes if isinstance(box, Bubblewrap)]
    return statistics.median(found) / 2**20 if found else 0.0


def available() -> int:
    """MiB that this machine can still give."""
    with open("/proc/meminfo") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")) >> 10


def _descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def _memory(process: str) -> float:
    """MiB of a process, what it shares with others counted by parts."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def _zygotes() -> list[str]:
    """The process that forks guests, and its slots: all below the first process that this one has noted."""
    waiting = [name.split("-")[1] for name in os.listdir(state.own()) if name.startswith("process-")]
    found = []
    while waiting:
        found.append(waiting.pop())
        for task in Path(f"/proc/{found[-1]}/task").glob("*/children"):
            waiting += task.read_text().split()
    return found
