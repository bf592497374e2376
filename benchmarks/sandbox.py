"""``python -m benchmarks.sandbox``: what a sandbox costs, warm, beside the other ways of having one.

Four things are timed: *start* (from nothing to the first answer of a tool), *echo* (a shell call), *workbook* (reading
a sheet of 2,000 rows and 12 columns into text) and *episode* (create, five files, ten calls of which two are Python and
one writes a workbook, collect, destroy). The peers are the same tool server started cold in bubblewrap; the same behind
docker; and what people write with docker's command line: ``docker run`` for a sandbox, ``docker exec`` for each call,
workbooks read by openpyxl. Turns alternate at random in one process, so that a busy machine slows all alike: ratios
travel, milliseconds are of this machine. Where a daemon does not answer or lacks the guest image, it says so.

Two episodes go before, so that the warm process has seen what is used, as it has in any run of more. ``--many`` and
``--row`` ask something else: how many sandboxes there may be, at once or one after another (``sandbox_many``).
"""

from __future__ import annotations

import argparse
import io
import random
import statistics
import subprocess
import threading
import time
from collections.abc import Callable

import openpyxl

from benchmarks import sandbox_many
from workgym.records import ToolCall
from workgym.sandbox import Sandbox, available, zygote
from workgym.sandbox.bubblewrap import Bubblewrap

PACKS = ("files", "shell", "office")
READ = ToolCall(tool="read_workbook", arguments={"path": "ledger.xlsx"})
SCRIPT = (
    "import openpyxl, sys\n"
    "sheet = openpyxl.load_workbook('/work/ledger.xlsx', read_only=True, data_only=True).active\n"
    "text = '\\n'.join('\\t'.join(map(str, row)) for row in sheet.iter_rows(values_only=True))\n"
    "sys.stdout.write(text[:20000])\n"
)
WRITE = "import openpyxl\nbook = openpyxl.Workbook()\nbook.active.append([1, 2, 3])\nbook.save('out.xlsx')\n"
Times = dict[str, dict[str, list[float]]]


def ledger() -> bytes:
    """A workbook of one sheet, 2,000 x 12."""
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Ledger")
    for row in range(2000):
        sheet.append([f"item {row}", *(row * column for column in range(11))])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


FILES = {"ledger.xlsx": ledger(), **{f"in/{n}.csv": b"id,amount\n" + b"1,10.50\n" * 6000 for n in range(4)}}


class Served:
    """A sandbox of ours."""

    def __init__(self, make: Callable[[], Sandbox]) -> None:
        self.make = make

    def start(self) -> None:
        self.box = self.make()
        self.box.open(FILES, PACKS)
        self.do("list_files")

    def do(self, name: str, **arguments: str) -> None:
        self.check(ToolCall(tool=name, arguments=arguments))

    def check(self, call: ToolCall) -> None:
        result = self.box.call(call)
        if result.is_error:
            raise SystemExit(f"{self.box.name}: {call.tool}: {result.text}")

    def echo(self) -> None:
        self.do("bash", command="echo hi")

    def workbook(self) -> None:
        self.check(READ)

    def python(self) -> None:
        self.do("python", code="print(sum(range(100)))")

    def write(self) -> None:
        self.do("python", code=WRITE)

    def stop(self) -> None:
        self.box.halt()
        if "in/0.csv" not in self.box.collect():
            raise SystemExit(f"{self.box.name}: the workspace is not whole")
        self.box.close()


class Executed:
    """A container, and a command line of docker's for all that is done in it."""

    def __init__(self, image: str) -> None:
        self.image = image

    def start(self) -> None:
        held = ["run", "-d", "--rm", "--network", "none", "--workdir", "/work", "--entrypoint", "sleep"]
        self.name = docker(*held, self.image, "1000").strip().decode()
        for path, content in FILES.items():
            self.run("sh", "-c", f"mkdir -p /work/in && cat > /work/{path}", given=content)

    def run(self, *command: str, given: bytes | None = None) -> bytes:
        return docker("exec", *(("-i",) if given else ()), self.name, *command, given=given)

    def echo(self) -> None:
        self.run("echo", "hi")

    def workbook(self) -> None:
        self.run("/opt/guest/bin/python", "-c", SCRIPT)

    def python(self) -> None:
        self.run("/opt/guest/bin/python", "-c", "print(sum(range(100)))")

    def write(self) -> None:
        self.run("/opt/guest/bin/python", "-c", WRITE)

    def stop(self) -> None:
        self.run("tar", "-C", "/work", "-c", ".")
        docker("rm", "-f", self.name)


Way = Served | Executed


def docker(*arguments: str, given: bytes | None = None) -> bytes:
    done = subprocess.run(["docker", *arguments], input=given, capture_output=True, check=True)
    return done.stdout


def ways() -> dict[str, Way]:
    """What can be measured here; a line for what cannot."""
    found: dict[str, Way] = {"warm": Served(Bubblewrap), "cold bubblewrap": Served(lambda: Bubblewrap(warm=False))}
    reason = available()["docker"]
    if reason:
        print(f"docker is not measured: {reason}")
        return found
    from workgym.sandbox.docker import Docker, image_name

    return {**found, "docker, tool server": Served(Docker), "docker run and exec": Executed(image_name())}


def milliseconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return (time.perf_counter() - begun) * 1000


def turn(way: Way) -> dict[str, float]:
    """One sandbox: its start, a call of each kind that it has seen once before, its end."""
    taken = {"start": milliseconds(way.start)}
    way.echo(), way.workbook()
    taken |= {"echo": milliseconds(way.echo), "workbook": milliseconds(way.workbook)}
    way.stop()
    return taken


def episode(way: Way) -> None:
    way.start()
    for _ in range(7):
        way.echo()
    for act in (way.python, way.python, way.write):
        act()
    way.stop()


def rate(kind: Way, episodes: int, at_once: int) -> float:
    """Whole episodes a second, so many at a time."""

    def work() -> None:
        way = again(kind)
        for _ in range(episodes):
            episode(way)

    threads = [threading.Thread(target=work) for _ in range(at_once)]
    begun = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return at_once * episodes / (time.perf_counter() - begun)


def again(way: Way) -> Way:
    """Another one of the same kind, for another thread."""
    return Served(way.make) if isinstance(way, Served) else Executed(way.image)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sandbox")
    parser.add_argument("--turns", type=int, default=40, help="sandboxes of each kind (default 40)")
    parser.add_argument("--episodes", type=int, default=10, help="whole episodes of each of two threads (default 10)")
    parser.add_argument("--many", type=int, metavar="N", help="open so many at once, and tell what each takes")
    parser.add_argument("--row", type=int, metavar="N", help="so many episodes in a row: does anything grow?")
    parser.add_argument("--minutes", type=float, default=10.0, help="time for --row (default 10)")
    chosen = parser.parse_args()
    if (reason := available()["bubblewrap"]) or (reason := zygote.reason()):
        raise SystemExit(f"warm starts do not work here: {reason}")
    if chosen.many or chosen.row:
        sound = not chosen.many or sandbox_many.many(chosen.many, FILES)
        sound = (not chosen.row or sandbox_many.row(chosen.row, FILES, chosen.minutes)) and sound
        raise SystemExit(0 if sound else 1)
    known = ways()
    for _ in range(2):
        episode(known["warm"])
        turn(known["warm"])
    zygote.settle()
    times: Times = {name: {} for name in known}
    draw = random.Random(1)
    for _ in range(chosen.turns):
        for name in draw.sample(list(known), len(known)):
            for what, took in turn(known[name]).items():
                times[name].setdefault(what, []).append(took)
    for what in ("start", "echo", "workbook"):
        warm = statistics.median(times["warm"][what])
        for name in known:
            median = statistics.median(times[name][what])
            print(f"{what:<10} {name:<20} {median:>9.2f} ms {median / warm:>8.1f}x")
    rates = {name: rate(way, chosen.episodes, 2) for name, way in known.items()}
    for name, found in rates.items():
        print(f"{'episode':<10} {name:<20} {found:>9.2f} /s {rates['warm'] / found:>8.1f}x")


if __name__ == "__main__":
    main()
