"""What a task of each preset of each shipped family costs on one core: built, checked, solved once by its expert.

``python -m benchmarks.build [SEEDS]``. The process and what it starts stay on one core; one task of each preset goes
before the clock starts, as it does in a corpus. Processor time is this process's own; the expert also works in a
sandbox, so its run is told as wall time. Other work on that core makes walls longer (and, through caches, processor
time): ``chrt -r 1 python -m benchmarks.build`` goes before it, where one may. Each line has medians over the seeds, and
ratios to ``python -c 'import pandas'`` on the same core, in turn with the tasks.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass

from workgym import sandbox
from workgym.authoring import families
from workgym.check import check
from workgym.package import TaskPackage
from workgym.rollout import rollout

BOUND, WITH_EXPERT = 0.5, 1.0
"""Seconds a task may take, without the expert and with one run of it."""
_FIRST = 10_000


@dataclass(frozen=True)
class Cost:
    """Seconds that one task took."""

    build: float
    check: float
    """Processor time, as ``build``."""
    wall: float
    """Build and check by the clock."""
    expert: float | None
    """The expert's run by the clock; None where there is no sandbox."""
    peer: float


def cost(family: str, preset: str, seed: int, *, expert: bool) -> Cost:
    """One task. Raises AssertionError where it fails a check, or its expert fails."""
    start, wall = time.process_time(), time.perf_counter()
    package = families.build(family, preset, seed)
    built = time.process_time()
    report = check(package, trusted=True)
    checked, after = time.process_time(), time.perf_counter()
    assert not any(finding.severity == "hard" for finding in report.findings), report.findings
    solved = _solved(package) if expert else None
    return Cost(built - start, checked - built, after - wall, solved, _peer())


def _solved(package: TaskPackage) -> float:
    start = time.perf_counter()
    run = rollout(package, "expert")
    assert run.reward == 1.0, run
    return time.perf_counter() - start


def _peer() -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import pandas"], check=True)
    return time.perf_counter() - start


def line(name: str, costs: list[Cost]) -> str:
    """One row of the table."""

    def median(of: list[float]) -> float:
        return statistics.median(of)

    cpu = median([one.build + one.check for one in costs])
    wall, peer = median([one.wall for one in costs]), median([one.peer for one in costs])
    row = f"{name:<29} {median([c.build for c in costs]):>7.3f} {median([c.check for c in costs]):>7.3f}"
    row += f" {cpu:>7.3f} {wall:>7.3f} {wall / peer:>7.2f}x"
    runs = [one.expert for one in costs if one.expert is not None]
    if not runs:
        return f"{row}   {'within' if wall < BOUND else 'OVER'} {BOUND} s"
    whole = median([one.wall + one.expert for one in costs if one.expert is not None])
    held = wall < BOUND and whole < WITH_EXPERT
    return f"{row} {median(runs):>7.3f} {whole:>7.3f}   {'within' if held else 'OVER'} {BOUND} and {WITH_EXPERT} s"


def main(seeds: int) -> None:
    core = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    reason = sandbox.available()["bubblewrap"]
    print(f"{seeds} seeds, seconds a task, all on core {core}" + (f"; no expert: {reason}" if reason else ""))
    print(f"{'':<29} {'build':>7} {'check':>7} {'both':>7} {'wall':>7} {'pandas':>8} {'expert':>7} {'whole':>7}")
    for family in families.names():
        for preset in families.family(family).blueprint.presets:
            cost(family, preset, _FIRST, expert=not reason)
            costs = [cost(family, preset, _FIRST + 1 + at, expert=not reason) for at in range(seeds)]
            print(line(f"{family}.{preset}", costs), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
