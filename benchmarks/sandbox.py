"""``python -m benchmarks.sandbox``: what a sandbox costs, warm, beside the other ways of having one.

Four things are timed: *start* (from nothing to a sandbox with five files and a first answer), *echo* (a shell call),
*workbook* (reading a sheet of 2,000 rows and 12 columns into text) and *episode* (create, five files, ten calls of
which two are Python and one writes a workbook, collect, destroy; two at a time). The peers are the same tool server
started cold in bubblewrap; the same behind docker; what people write with docker's command line (``docker run`` for a
sandbox, ``docker exec`` for each call, workbooks read by openpyxl); SWE-ReX and inspect-ai, see ``sandbox_peers``.
Turns alternate at random in one process, so that a busy machine slows all alike: ratios travel, milliseconds are of
this machine. Where a daemon does not answer or lacks the guest image, it says so.

The second pair of columns is processor time, of all that works on it: that of the control group in which this runs,
which is the whole machine where nobody made one. On a busy machine, run it in a group of its own together with the
daemon (``dockerd --cgroup-parent`` for its containers). Medians; what the kernel still does after an end counts for
what comes next.

Two episodes go before, so that the warm process has seen what is used, as it has in any run of more. ``--many`` and
``--row`` ask something else: how many sandboxes there may be, at once or one after another (``sandbox_many``).
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import threading
import time
from pathlib import Path

from benchmarks import sandbox_many
from benchmarks.sandbox_peers import peers
from benchmarks.sandbox_ways import FILES, Executed, Served, Way
from workgym.sandbox import available, zygote
from workgym.sandbox.bubblewrap import Bubblewrap

Taken = tuple[float, float]
"""Milliseconds on the clock, and of processors."""
Times = dict[str, dict[str, list[Taken]]]


def ways() -> dict[str, Way]:
    """What can be measured here; a line for what cannot."""
    found: dict[str, Way] = {"warm": Served(Bubblewrap), "cold bubblewrap": Served(lambda: Bubblewrap(warm=False))}
    reason = available()["docker"]
    if reason:
        print(f"docker is not measured: {reason}")
        return found | peers(None)
    from workgym.sandbox.docker import Docker, image_name

    found |= {"docker, tool server": Served(Docker), "docker run and exec": Executed(image_name())}
    return found | peers(image_name())


def used() -> float:
    """Seconds of processors that the control group of this process has used, and all groups below it."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, kinds, path = line.split(":", 2)
        if "cpuacct" in kinds.split(","):
            return int(Path(f"/sys/fs/cgroup/cpuacct{path}/cpuacct.usage").read_text()) / 1e9
    stat = Path(f"/sys/fs/cgroup{path}/cpu.stat").read_text()
    return int(stat.split()[1]) / 1e6


def took(way: Way, act: str) -> Taken:
    before, begun = used(), time.perf_counter()
    said = getattr(way, act)()
    wall = (time.perf_counter() - begun) * 1000
    return wall if said is None else said, (used() - before) * 1000


def turn(way: Way) -> dict[str, Taken]:
    """One sandbox: its start, a call of each kind that it has seen once before where that helps, its end."""
    taken = {"start": took(way, "start")}
    if way.remembers:
        way.echo(), way.workbook()
    taken |= {act: took(way, act) for act in ("echo", "workbook")}
    way.stop()
    return taken


def episode(way: Way) -> None:
    way.start()
    for _ in range(7):
        way.echo()
    for act in (way.python, way.python, way.write):
        act()
    way.stop()


def rate(kind: Way, episodes: int, at_once: int) -> Taken:
    """Milliseconds for each of so many episodes, so many at a time: on the clock, and of processors."""

    def work(way: Way) -> None:
        for _ in range(episodes):
            episode(way)

    own = [kind.again() for _ in range(at_once)]
    threads = [threading.Thread(target=work, args=(way,)) for way in own]
    before, begun = used(), time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wall, processors = time.perf_counter() - begun, used() - before
    for way in own:
        way.close()
    return wall * 1000 / (at_once * episodes), processors * 1000 / (at_once * episodes)


def told(what: str, found: dict[str, Taken]) -> None:
    """A line for each way, with its ratios to the warm one."""
    wall, processors = found["warm"]
    for name, (clock, cpu) in found.items():
        print(
            f"{what:<10} {name:<22} {clock:>9.2f} ms {clock / wall:>7.1f}x   "
            f"cpu {cpu:>9.2f} ms {cpu / processors if processors else 0:>7.1f}x",
            flush=True,
        )


def turns(known: dict[str, Way], wanted: int, minutes: float | None) -> Times:
    """What so many turns of each way took, or as many as fit into the time; a line every tenth of them."""
    times: Times = {name: {} for name in known}
    draw, begun = random.Random(1), time.monotonic()
    for number in range(wanted):
        if minutes is not None and time.monotonic() - begun > 60 * minutes:
            break
        for name in draw.sample(list(known), len(known)):
            try:
                taken = turn(known[name])
            except RuntimeError as error:
                print(f"{name} is left out after {number} turns: {error}"[:300])
                del known[name], times[name]
                continue
            for what, each in taken.items():
                times[name].setdefault(what, []).append(each)
        if (number + 1) % max(1, wanted // 10) == 0:
            print(f"{number + 1} turns, load average {os.getloadavg()[0]:.2f}", file=sys.stderr, flush=True)
    print(f"medians of {len(times['warm']['start'])} turns of each")
    return times


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sandbox")
    parser.add_argument("--turns", type=int, default=40, help="sandboxes of each kind (default 40)")
    parser.add_argument("--episodes", type=int, default=10, help="whole episodes of each of two threads (default 10)")
    parser.add_argument("--many", type=int, metavar="N", help="open so many at once, and tell what each takes")
    parser.add_argument("--row", type=int, metavar="N", help="so many episodes in a row: does anything grow?")
    parser.add_argument("--minutes", type=float, help="time for the turns, or for --row (default 10 there, else none)")
    chosen = parser.parse_args()
    if (reason := available()["bubblewrap"]) or (reason := zygote.reason()):
        raise SystemExit(f"warm starts do not work here: {reason}")
    if chosen.many or chosen.row:
        sound = not chosen.many or sandbox_many.many(chosen.many, FILES)
        sound = (not chosen.row or sandbox_many.row(chosen.row, FILES, chosen.minutes or 10.0)) and sound
        raise SystemExit(0 if sound else 1)
    known = ways()
    for _ in range(2):
        episode(known["warm"])
        turn(known["warm"])
    zygote.settle()
    print(f"load average {os.getloadavg()[0]:.2f}", flush=True)
    times = turns(known, chosen.turns, chosen.minutes)
    for what in ("start", "echo", "workbook"):
        told(
            what,
            {
                name: (
                    statistics.median(wall for wall, _ in each[what]),
                    statistics.median(cpu for _, cpu in each[what]),
                )
                for name, each in times.items()
            },
        )
    told("episode", {name: rate(way, chosen.episodes, 2) for name, way in known.items()})
    for way in known.values():
        way.close()
    print(f"load average {os.getloadavg()[0]:.2f}")


if __name__ == "__main__":
    main()
