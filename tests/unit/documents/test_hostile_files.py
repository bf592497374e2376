"""Every format under attack: each file is read within the limits or refused in one clear line, with little memory and soon.

The files are made in the modules ``hostile_*``; each passes the limited child, as a stranger's file does.
"""

from __future__ import annotations

import resource
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from workgym.documents import Document, read_all
from workgym.errors import Unreadable
from workgym.sandbox import child

from . import hostile_zips
from .hostile import CASES, READ, Case, sound

assert hostile_zips
MEMORY = 512 << 20
SECONDS = 60


class Watch:
    """The largest memory that a limited child took beyond what it began with."""

    def __init__(self) -> None:
        self.peak = 0
        self._ended = threading.Event()

    def look(self) -> None:
        warm = child._warm.process.pid if child._warm else 0
        while not self._ended.wait(0.004):
            if not warm and child._warm:
                warm = child._warm.process.pid
            try:
                for pid in Path(f"/proc/{warm}/task/{warm}/children").read_text().split():
                    status = Path(f"/proc/{pid}/status").read_text()
                    data = {line.partition(":")[0]: line.split()[1] for line in status.splitlines() if "kB" in line}
                    self.peak = max(self.peak, int(data["VmHWM"]) << 10)
            except (OSError, KeyError, IndexError):
                pass


@contextmanager
def watched() -> Iterator[Watch]:
    watch = Watch()
    thread = threading.Thread(target=watch.look)
    thread.start()
    try:
        yield watch
    finally:
        watch._ended.set()
        thread.join()


def cases() -> list[object]:
    return [pytest.param(case, False, id=case.name) for case in CASES] + [
        pytest.param(case, True, id=f"{case.name}-recalculated")
        for case in CASES
        if case.path.endswith((".xlsx", ".xlsm"))
    ]


@pytest.mark.parametrize(("case", "recalculated"), cases())
def test_hostile(case: Case, recalculated: bool) -> None:
    began = time.monotonic()
    content = case.make()
    made = time.monotonic() - began
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with watched() as watch:
        began = time.monotonic()
        outcome = read_all({case.path: content}, recalculated=recalculated)[case.path]
        took = time.monotonic() - began
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - own) >> 10
    if isinstance(outcome, Document):
        said, how = f"read {len(outcome.fragments)} {len(outcome.members)} {len(outcome.refused)}", READ
    else:
        said, how = str(outcome), outcome.reason
    with open("/tmp/wg/hz/table.txt", "a") as table:
        print(
            f"{case.name[:60]:60} {'R' if recalculated else ' '} {len(content) >> 10:6}K made {made:5.1f} took {took:5.1f} child {watch.peak >> 20:5} parent +{grown:5} {said[:160]!r} {'' if how in case.outcomes else '!!!!'}",
            file=table,
        )
    assert took < SECONDS
    assert how in case.outcomes, said
    if isinstance(outcome, Unreadable):
        assert "\n" not in said and len(said) < 300 and said.isprintable()
