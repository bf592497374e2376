"""What becomes of each hostile file, in how much memory and time: ``python -m tests.unit.documents.hostile_table``.

Words behind it choose files by name. All of it takes some ten minutes; ``pytest -s`` prints the same lines.
"""

from __future__ import annotations

import ctypes
import gc
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from workgym.documents import Document, read_all
from workgym.errors import Unreadable
from workgym.sandbox import child

from . import (
    hostile_books,
    hostile_data,
    hostile_databases,
    hostile_full,
    hostile_pages,
    hostile_papers,
    hostile_zips,
)
from .hostile import CASES, Case

MAKERS = (hostile_books, hostile_data, hostile_databases, hostile_full, hostile_pages, hostile_papers, hostile_zips)
"""The modules that register the files."""


class Measured(NamedTuple):
    """A hostile file that was read, or refused."""

    outcome: Document | Unreadable
    child: int
    """Bytes of memory that the limited child took at most, what it shares with its parent included."""
    host: int
    """Bytes by which this process grew at most while it sent the file and took the answer."""
    seconds: float

    @property
    def said(self) -> str:
        """The outcome in a few words."""
        if isinstance(self.outcome, Document):
            return f"read, {sum(len(one.fragments) for one in self.outcome.whole()):,} pieces"
        return f"{self.outcome.reason}: {self.outcome.detail}"


class _Watch:
    """The largest memory that a limited child took, looked at every few milliseconds."""

    def __init__(self) -> None:
        self.peak = 0
        self.ended = threading.Event()

    def look(self) -> None:
        while not self.ended.wait(0.005):
            if child._warm is not None:
                warm = child._warm.process.pid
                for pid in _content(f"/proc/{warm}/task/{warm}/children").split():
                    self.peak = max(self.peak, _status(pid, "VmHWM"))


def _content(file: str) -> str:
    try:
        return Path(file).read_text()
    except OSError:
        return ""  # that process has ended


def _status(pid: str, field: str) -> int:
    """Bytes of a field of a process's status; 0 where there is none."""
    found = (line.split()[1] for line in _content(f"/proc/{pid}/status").splitlines() if line.startswith(field))
    return int(next(found, "0")) << 10


@contextmanager
def _watched() -> Iterator[_Watch]:
    watch = _Watch()
    thread = threading.Thread(target=watch.look)
    thread.start()
    try:
        yield watch
    finally:
        watch.ended.set()
        thread.join()


@lru_cache(maxsize=1)
def _made(make: Callable[[], bytes]) -> bytes:
    """A file, kept until another is made: making it takes longer than refusing it under another name or way."""
    return make()


def measured(case: Case, *, recalculated: bool) -> Measured:
    """Read a hostile file as a stranger's, and what it took; elsewhere than on Linux, memory is 0."""
    content = _made(case.make)
    gc.collect()
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5")  # the peak counts anew from here
    before, began = _status("self", "VmRSS"), time.monotonic()
    with _watched() as watch:
        outcome = read_all({case.path: content}, recalculated=recalculated)[case.path]
    return Measured(outcome, watch.peak, max(0, _status("self", "VmHWM") - before), time.monotonic() - began)


def ways(case: Case) -> tuple[bool, ...]:
    """Whether it is recalculated: workbooks are read both ways."""
    return (False, True) if case.path.endswith((".xlsx", ".xlsm")) else (False,)


def row(case: Case, recalculated: bool, made: Measured) -> str:
    """A line of the table."""
    name = f"{case.name}{' recalculated' if recalculated else ''}"
    took = f"{made.child / 1e6:8.0f} {made.host / 1e6:7.0f} {made.seconds:7.1f}"
    return f"{name[:70]:70} {took}  {ascii(made.said)[1:-1][:110]}"


def main(words: list[str]) -> None:
    """Print the table."""
    print(f"{'file':70} {'child MB':>8} {'host MB':>7} {'seconds':>7}  outcome")
    for case in CASES:
        if all(word in case.name for word in words):
            for recalculated in ways(case):
                print(row(case, recalculated, measured(case, recalculated=recalculated)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
