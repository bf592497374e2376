"""``python -m benchmarks.select``: what the filters of a selection find, from where on, how fast, and in what memory.

First the planted rollouts of ``workgym.testing.planted`` (one fault each; sound ones that come close to a fault): found
and false alarms by filter. Then faults by degree, for who sets thresholds: how often each is found when so much of a
rollout is repeated, missing or invented. Last a collection of 2,000, of 8 to 120 calls each: trajectories a second, on
the clock and by this process's own processor time (deliverables are read in a child beside it), and its memory. All are
synthetic: they show what the filters do, not how common faults are.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from workgym.select import select
from workgym.testing.planted import FAULTS, SOUND, plant
from workgym.testing.planted.moves import done, explore, message, write
from workgym.testing.planted.scenes import BOOK, Scene, work

EACH = 20
"""Rollouts for each degree."""
WORDS = (
    "offer price total units freight delivery terms contract supplier currency discount quality risk warranty stock "
    "season demand forecast margin tariff invoice payment deadline volume minimum region transport storage insurance "
    "audit reserve penalty option review approval budget department manager quarter report figure table source note"
).split()
Degree = Callable[[Scene, Random, float], Path]


def sentence(draw: Random, words: int = 24) -> str:
    """Words without a name or a number, as no two sentences have them."""
    return " ".join(draw.choice(WORDS) for _ in range(words)) + "."


def reasoning(scene: Scene, draw: Random, share: float) -> Path:
    """So many of the messages say what an earlier one said, every fifth word exchanged."""
    said = [sentence(draw)]
    for number in range(20):
        if draw.random() < share:
            text = " ".join(draw.choice(WORDS) if at % 5 == 4 else word for at, word in enumerate(said[0].split()))
        else:
            text = sentence(draw)
            said.append(text)
        scene.call("read_file", {"path": "offers/remarks.txt", "from_line": number}, f"line {number}", thought=text)
    write(scene)
    return done(scene)


def verbatim(scene: Scene, draw: Random, share: float) -> Path:
    """So many of the messages are an earlier one, word by word."""
    first = sentence(draw)
    for number in range(20):
        text = first if draw.random() < share else sentence(draw)
        scene.call("read_file", {"path": "offers/remarks.txt", "from_line": number}, f"line {number}", thought=text)
    write(scene)
    return done(scene)


def calls(scene: Scene, draw: Random, share: float) -> Path:
    """So many of the calls ask again what was answered."""
    asked: list[int] = []
    for number in range(20):
        line = draw.choice(asked) if asked and draw.random() < share else number
        asked.append(line)
        scene.call("read_file", {"path": "offers/remarks.txt", "from_line": line}, f"line {line}")
    write(scene)
    return done(scene)


def thin(scene: Scene, draw: Random, share: float) -> Path:
    """So many of the rows are missing."""
    explore(scene)
    rows = scene.job.rows
    write(scene, sheets={"Comparison": rows[: 1 + round((1 - share) * (len(rows) - 1))]})
    return done(scene)


def invented(scene: Scene, draw: Random, share: float) -> Path:
    """So many of ten numbers in the last message stand nowhere."""
    explore(scene)
    write(scene)
    true = [one.total for one in scene.job.offers]
    told = [
        draw.randrange(10**6, 10**7) / 100 if number < 10 * share else true[number % len(true)] for number in range(10)
    ]
    return done(scene, message(scene.job) + " In detail: " + "; ".join(f"{value:,.2f} USD" for value in told) + ".")


DEGREES: dict[str, tuple[str, Degree]] = {
    "messages repeated, every fifth word another": ("repeated_reasoning", reasoning),
    "messages repeated word by word": ("repeated_reasoning", verbatim),
    "calls repeated": ("repeated_calls", calls),
    "rows missing": ("thin_deliverables", thin),
    "numbers invented": ("unsupported_claims", invented),
}
SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9)


def planted(home: Path) -> None:
    """Found and false alarms by filter."""
    found = plant(home, sound=80, each=20, seed=9_000)
    pairs = list(zip(found.values(), select(list(found)).entries, strict=True))
    print(f"{'filter':<22} {'planted':>8} {'found':>6} {'recall':>7} {'alarms on 80 sound':>19}")
    for name in FAULTS:
        own = [entry for fault, entry in pairs if fault == name]
        hit = sum(name in entry.dropped_by for entry in own)
        alarms = sum(name in entry.dropped_by for fault, entry in pairs if fault == SOUND)
        print(f"{name:<22} {len(own):>8} {hit:>6} {hit / len(own):>7.2f} {alarms:>19}")


def degrees(home: Path) -> None:
    """How often a fault of some degree is found."""
    print(f"\n{'dropped, of ' + str(EACH):<46}" + "".join(f"{share:>7.0%}" for share in SHARES))
    for what, (name, act) in DEGREES.items():
        told = []
        for share in SHARES:
            folders = []
            for number in range(EACH):
                scene = Scene(home / f"{act.__name__}-{share}-{number}", work(number, suppliers=8))
                folders.append(act(scene, Random(number), share))
            told.append(sum(name in entry.dropped_by for entry in select(folders).entries))
        print(f"{what:<46}" + "".join(f"{count:>7}" for count in told), flush=True)


def many(home: Path, count: int) -> None:
    """Trajectories a second, and memory."""
    folders: list[Path] = []
    total = 0
    for number in range(count):
        draw = Random(number)
        scene = Scene(home / f"{number:05}", work(number % 40, suppliers=6), seed=number)
        explore(scene)
        for line in range(draw.randrange(112)):
            text = f"{line}: {sentence(draw, 40)}"
            scene.call("read_file", {"path": BOOK, "from_line": line}, text, thought=sentence(draw))
        write(scene)
        total += scene.calls
        folders.append(done(scene))
    before, start, busy = memory(), time.perf_counter(), time.process_time()
    made = select(folders)
    took, busy = time.perf_counter() - start, time.process_time() - busy
    tasks = len({entry.task_id for entry in made.entries})
    print(f"\n{count:,} trajectories of {total / count:.0f} calls, {tasks} tasks: {len(made.kept):,} are kept")
    print(
        f"a second: {count / took:.0f} on the clock, {count / busy:.0f} by processor time ({took:.1f} s, {busy:.1f} s)"
    )
    print(f"{memory():.0f} MB at most, {before:.0f} MB before")


def memory() -> float:
    """Largest resident size so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.select")
    parser.add_argument("--count", type=int, default=2_000, help="trajectories of the last part (2,000)")
    arguments = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        planted(Path(folder) / "planted")
        degrees(Path(folder) / "degrees")
        many(Path(folder) / "many", arguments.count)


if __name__ == "__main__":
    main()
