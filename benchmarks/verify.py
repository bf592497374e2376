"""``python -m benchmarks.verify``: verdicts a second on one core, where their time goes, beside a grader of one page.

For each family a task in its default preset and three hand-ins: the expert's, the same with formulas in place of
values (nothing cached, so they have to be recalculated), and one with a mistake. Each is graded over and over, warm:
the answers are computed once for a task and kept, as in training, where many rollouts hand in work on one task; what
the first verdict on a task costs beside is a column of its own.

The parts are the same public functions that grading calls, timed by themselves: *reading* (deliverables to documents,
in a limited child process), *recalculation* (formulas to values, timed in this process and taken off the reading),
*matching* (facts looked for in the documents, under all conventions), *guards* (inputs, stray files, types, damage) and
*answers* (the package's digest, by which the kept answers are found). The *rest* is the evidence and the record.

The peer is what people write: openpyxl, python-docx and csv in the grader's own process, each cell of the expert's
file compared with the hand-in's by position, each number of a text looked for. It is measured in the same process,
turns alternating. It opens untrusted files without a wall, knows no tolerance, no formula without a cached value and no
other order of columns, and says nothing of why: the ratio is what all this costs. ``right`` tells how many of the three
hand-ins each of them scores as it should: 1 for the first two, less for the third.
"""

from __future__ import annotations

import csv
import io
import os
import re
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import docx
import openpyxl

from workgym.authoring import families
from workgym.documents import recalculate
from workgym.package import TaskPackage
from workgym.quality import Sound, equivalents, mutants, sound
from workgym.verify import grade
from workgym.verify.files import Opened, open_deliverables
from workgym.verify.guards import guarded
from workgym.verify.stated import facts
from workgym.verify.truth import Truth, truths

SEED = 7
TURNS = 15
Files = Mapping[str, bytes]
Work = Callable[[], Any]


class Split(NamedTuple):
    """Milliseconds of one verdict by what takes them."""

    whole: float
    reading: float
    recalculation: float
    matching: float
    guards: float
    answers: float

    @property
    def rest(self) -> float:
        return max(0.0, self.whole - sum(self[1:]))


def milliseconds(work: Work) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def medians(*works: Work) -> list[float]:
    """The median of each, turns alternating."""
    for work in works:
        work()
    turns = [[milliseconds(work) for work in works] for _ in range(TURNS)]
    return [statistics.median(column) for column in zip(*turns, strict=True)]


def matched(package: TaskPackage, opened: Mapping[str, Opened], answers: tuple[Truth, ...]) -> None:
    """Every fact of every stated unit, under every set of conventions."""
    pages = {path: facts.Pages(one.document) for path, one in opened.items() if one.document is not None}
    for truth in answers:
        for deliverable in package.hidden.graph.deliverables:
            for stated in deliverable.states:
                if deliverable.path in pages:
                    facts.judge(pages[deliverable.path], deliverable, stated, truth, package)


def recalculated(package: TaskPackage, files: Files) -> None:
    for deliverable in package.hidden.graph.deliverables:
        content = files.get(deliverable.path)
        if content is not None and deliverable.path.endswith(".xlsx"):
            recalculate(content, path=deliverable.path)


def split(package: TaskPackage, files: Files, peer: Work) -> tuple[Split, float]:
    """One verdict taken apart, and the peer's time."""
    answers = truths(package, package.digest)
    opened = open_deliverables(package, files)
    whole, naive, reading, formulas, matching, guards, kept = medians(
        lambda: grade(package, files),
        peer,
        lambda: open_deliverables(package, files),
        lambda: recalculated(package, files),
        lambda: matched(package, opened, answers),
        lambda: guarded(package, files, opened),
        lambda: truths(package, package.digest),
    )
    formulas = min(formulas, reading)
    return Split(whole, reading - formulas, formulas, matching, guards, kept), naive


# -- the peer ------------------------------------------------------------------------------------------------------

_NUMBER = re.compile(r"\d[\d,.]*\d|\d")


def naive(golden: Files, files: Files) -> float:
    """The mean share of cells or numbers of the expert's files that a hand-in has."""
    shares = [naive_file(path, content, files.get(path)) for path, content in golden.items()]
    return sum(shares) / len(shares)


def naive_file(path: str, golden: bytes, given: bytes | None) -> float:
    if given is None:
        return 0.0
    try:
        wanted, found = (naive_values(path, content) for content in (golden, given))
    except Exception:  # noqa: BLE001 - as graders of one page do
        return 0.0
    right = sum(same(found.get(at), value) for at, value in wanted.items())
    return right / len(wanted) if wanted else 1.0


def same(found: Any, wanted: Any) -> bool:
    if isinstance(found, (int, float)) and isinstance(wanted, (int, float)):
        return abs(found - wanted) < 0.005
    return bool(found == wanted)


def naive_values(path: str, content: bytes) -> dict[Any, Any]:
    if path.endswith(".xlsx"):
        book = openpyxl.load_workbook(io.BytesIO(content), data_only=True)
        return {
            (sheet.title, cell.coordinate): cell.value for sheet in book for row in sheet.iter_rows() for cell in row
        }
    if path.endswith(".docx"):
        word = docx.Document(io.BytesIO(content))
        texts = [paragraph.text for paragraph in word.paragraphs]
        texts += [cell.text for table in word.tables for row in table.rows for cell in row.cells]
        return {number: True for text in texts for number in _NUMBER.findall(text)}
    text = content.decode("utf-8")
    if path.endswith(".csv"):
        return {
            (at, row): cell for row, cells in enumerate(csv.reader(io.StringIO(text))) for at, cell in enumerate(cells)
        }
    return dict.fromkeys(_NUMBER.findall(text), True)


# -- the table -----------------------------------------------------------------------------------------------------


def hand_ins(reference: Sound) -> dict[str, Files]:
    """The expert's, the same in formulas, and one with a mistake."""
    wrong = next(mutant for mutant in mutants(reference) if mutant.kind == "beyond tolerance")
    found: dict[str, Files] = {"expert": reference.files, "wrong": wrong.files}
    formulas = [one for one in equivalents(reference) if one.kind == "formulas"]
    if formulas:
        found["formulas"] = formulas[0].files
    return found


def first_verdict(package: TaskPackage) -> float:
    """What the first verdict on a task costs beside: its digest, and its answers worked out."""
    return milliseconds(lambda: truths(package, package.digest))


def main() -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    head = ("hand-in", "ms", "per s", "read", "recalc", "match", "guards", "answers", "rest", "peer ms", "ratio")
    print(f"{head[0]:<34}" + "".join(f"{name:>9}" for name in head[1:]))
    for family in families.names():
        package = families.build(family, None, SEED)
        first = first_verdict(package)
        reference = sound(package)
        paths = [deliverable.path for deliverable in package.hidden.graph.deliverables]
        golden = {path: reference.files[path] for path in paths}
        right, right_peer, told = 0, 0, hand_ins(reference)
        for name, files in told.items():
            spent, peer = split(package, files, lambda golden=golden, files=files: naive(golden, files))
            shares = (*spent[1:], spent.rest)
            print(
                f"{f'{family}, {name}':<34}{spent.whole:>9.1f}{1000 / spent.whole:>9.1f}"
                + "".join(f"{share / spent.whole:>9.0%}" for share in shares)
                + f"{peer:>9.1f}{spent.whole / peer:>8.2f}x",
                flush=True,
            )
            right += (grade(package, files).reward == 1.0) == (name != "wrong")
            right_peer += (naive(golden, files) == 1.0) == (name != "wrong")
        print(
            f"  the first verdict on a task takes {first:.0f} ms more; right: workgym {right} of {len(told)}, "
            f"peer {right_peer} of {len(told)}",
            flush=True,
        )


if __name__ == "__main__":
    sys.exit(main())
