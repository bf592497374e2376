"""``python -m benchmarks.defects``: how many planted defects are found, by whom, and what becomes of them.

For each class of the taxonomy at least 40 defects, planted over all families and presets and over every way that the
class has, in turn; and 100 sound tasks. A column each:

* *checks*: the defect is found, by any finding that blocks; *class*: by a finding of the class that was planted;
* *seen*: the same, among ways that code can see at all; the others are listed below the table, with the reason;
* *expert*: the expert script, which knows no graph, stops or hands in something else than the truth. It reads neither
  what the request adds nor what gives results away, so that it is a second opinion on premises only;
* *repaired*: a reviser that knows the sound form proposes typed edits, and they are accepted: contract, all checks, the
  expert; *discarded*: it proposed, and something was against it; the rest was not proposed for.

False alarms are sound tasks with a finding that blocks. Seeds are fixed; ``--each N`` and ``--sound N`` set the sizes.
The bounds are printed last, and the exit code is 1 where one is missed: in each class a share of the defects that code
can see is found, no sound task raises an alarm, and a run that is to plant ``FEWEST`` of each class does plant them.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from workgym.authoring import families
from workgym.check import check
from workgym.defects import INJECTIONS, Kind, Planted, plant
from workgym.package import TaskPackage
from workgym.records import CheckReport, DefectClass
from workgym.repair import attempt, objection, restorer
from workgym.rollout import rollout

FIRST_SEED, SOUND_SEED = 7_000, 8_000
RECALL = 0.95
"""The least share found, in each class, of the defects planted in ways that code can see."""
ALARMS = 0
"""The most sound tasks' findings that block."""
FEWEST = 40
"""The fewest defects of each class, where ``--each`` asks for as many."""


@dataclass
class Tally:
    """What came of the defects of one class, or of one way to plant them."""

    counts: Counter[str] = field(default_factory=Counter)
    formats: Counter[str] = field(default_factory=Counter)
    presets: set[tuple[str, str]] = field(default_factory=set)

    def share(self, name: str, among: str = "injected") -> str:
        """A count, and its share of another."""
        whole = self.counts[among]
        return f"{self.counts[name]:>3} {self.counts[name] / whole:>4.0%}" if whole else "  -     "


def tasks(first: int) -> Iterator[tuple[str, str, int]]:
    """Family, preset and seed: every preset of every family, with one seed after the other."""
    cases = [(name, preset) for name in families.names() for preset in families.family(name).blueprint.presets]
    for seed in itertools.count(first):
        yield from ((name, preset, seed) for name, preset in cases)


def planted(defect: DefectClass, each: int, first: int) -> Iterator[tuple[TaskPackage, Planted, str, str]]:
    """Defects of a class: its ways in turn, each on the next task that has a place for it."""
    kinds = INJECTIONS[defect]
    made = 0
    for number, (family, preset, seed) in enumerate(tasks(first)):
        sound = families.build(family, preset, seed)
        rest = [*kinds[made % len(kinds) :], *kinds[: made % len(kinds)]]
        for kind in rest:
            found = plant(sound, defect, kind, random.Random(f"{sound.id}/{kind.name}/{number}"))
            if found is not None:
                yield sound, found, family, preset
                made += 1
                break
        if made >= each:
            return


def hard(report: CheckReport) -> bool:
    return not report.passed


def judge(sound: TaskPackage, one: Planted) -> Counter[str]:
    """What is found of one defect, and what repair makes of it."""
    report = check(one.package)
    found = Counter(injected=1, seen=int(one.kind.seen))
    found["checks"] = int(hard(report))
    classes = {finding.defect for finding in report.findings if finding.severity == "hard"}
    found["class"] = int(one.defect in classes)
    found["seen found"] = int(one.kind.seen and one.defect in classes)
    run = rollout(one.package, "expert")
    found["expert"] = int(run.blocked is not None or run.reward < 1.0)
    revision = restorer(sound)(one.package, report)
    if revision is not None:
        done = attempt(one.package, revision, expert=objection)
        found["repaired" if done.package is not None else "discarded"] = 1
    return found


def formats(one: Planted) -> set[str]:
    return {path.rpartition(".")[2] for edit in one.revision.edits for path in _paths(one, edit)}


def _paths(one: Planted, edit: object) -> set[str]:
    path = getattr(edit, "path", None)
    if path is not None:
        return {str(path)}
    cell = getattr(edit, "cell", None)
    return {a.place.path for a in one.package.hidden.anchors if a.cell is not None and a.cell == cell}


def false_alarms(count: int) -> list[str]:
    """Findings that block, of sound tasks."""
    alarms = []
    for number, (family, preset, seed) in enumerate(itertools.islice(tasks(SOUND_SEED), count), 1):
        report = check(families.build(family, preset, seed))
        alarms += [f"{report.task_id}: {finding}" for finding in report.findings if finding.severity == "hard"]
        progress(f"sound tasks: {number} of {count}")
    return alarms


def progress(line: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)
    elif line.endswith("0 of 100") or "injected" in line:
        print(line, file=sys.stderr, flush=True)


def measure(each: int) -> tuple[dict[DefectClass, Tally], dict[tuple[DefectClass, Kind], Tally]]:
    """Plant and judge; a tally for each class and for each way."""
    classes: dict[DefectClass, Tally] = {}
    ways: dict[tuple[DefectClass, Kind], Tally] = {}
    for place, defect in enumerate(INJECTIONS):
        for number, (sound, one, family, preset) in enumerate(planted(defect, each, FIRST_SEED + 100 * place), 1):
            found = judge(sound, one)
            for tally in (classes.setdefault(defect, Tally()), ways.setdefault((defect, one.kind), Tally())):
                tally.counts += found
                tally.formats.update(formats(one))
                tally.presets.add((family, preset))
            if number % 10 == 0 or sys.stderr.isatty():
                progress(f"{defect}: {number} of {each} injected")
    return classes, ways


def table(title: str, rows: list[tuple[str, Tally]]) -> None:
    heads = ("injected", "checks", "class", "seen", "expert", "repaired", "discarded")
    print(f"{title:<60} {heads[0]:>8}  " + "  ".join(f"{head:<8}" for head in heads[1:]))
    for name, tally in rows:
        shares = [tally.share("checks"), tally.share("class"), tally.share("seen found", "seen")]
        shares += [tally.share("expert"), tally.share("repaired"), tally.share("discarded")]
        print(f"{name:<60} {tally.counts['injected']:>8}  " + "  ".join(f"{share:<8}" for share in shares))


def missed(classes: Mapping[DefectClass, Tally], alarms: int, each: int) -> list[str]:
    """A line for each bound that does not hold."""
    lines = []
    for defect in INJECTIONS:
        counts = classes[defect].counts if defect in classes else Counter[str]()
        seen, found, planted = counts["seen"], counts["seen found"], counts["injected"]
        if not seen:
            lines.append(f"{defect}: nothing was planted that code can see")
        elif found < RECALL * seen:
            lines.append(f"{defect}: {found} of {seen} were found, {found / seen:.1%}; at least {RECALL:.0%} is wanted")
        if planted < FEWEST <= each:
            lines.append(f"{defect}: {planted} were planted; at least {FEWEST} are wanted")
    if alarms > ALARMS:
        lines.append(f"{alarms} false alarms; at most {ALARMS} are wanted")
    return lines


def main() -> int:
    """Print what is found; 1 where a bound is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.defects")
    parser.add_argument("--each", type=int, default=42, help="defects of each class (42)")
    parser.add_argument("--sound", type=int, default=100, help="sound tasks (100)")
    arguments = parser.parse_args()
    start = time.process_time()
    alarms = false_alarms(arguments.sound)
    classes, ways = measure(arguments.each)
    progress("")
    print()
    table("class", list(classes.items()))
    print()
    table("way", [(f"{defect}: {kind.name}", tally) for (defect, kind), tally in ways.items()])
    cases = {case for tally in classes.values() for case in tally.presets}
    whole = sum((tally.formats for tally in classes.values()), Counter[str]())
    print(f"\nfamilies and presets: {', '.join(sorted('.'.join(case) for case in cases))}")
    print(f"formats of the carriers: {', '.join(f'{name} {count}' for name, count in whole.most_common())}")
    for defect, kinds in INJECTIONS.items():
        for kind in kinds:
            if not kind.seen:
                print(f"not to be seen by code: {defect}: {kind.name}: {kind.why}")
    print(f"false alarms: {len(alarms)} on {arguments.sound} sound tasks")
    for line in alarms:
        print(f"  {line}")
    print(f"{time.process_time() - start:.0f} s of processor time here")
    wanted = f"at least {RECALL:.0%} of what code can see found in each class, at most {ALARMS} false alarms"
    fewest = f", at least {FEWEST} of each class" if arguments.each >= FEWEST else ""
    lines = missed(classes, len(alarms), arguments.each)
    print(f"bounds: {wanted}{fewest}: {'MISSED' if lines else 'kept'}")
    for line in lines:
        print(f"  {line}")
    return 1 if lines else 0


if __name__ == "__main__":
    raise SystemExit(main())
