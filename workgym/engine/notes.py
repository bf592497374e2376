"""What a task's folder keeps of how it was made, so that a person can see why it was dropped.

::

    plan.json                    what was wrong with each draft, as its builder was told
    solution.json                what became of the independent scripts, and each difference with both computations
    verifier.json                the same of the independent verifier
    solution-1.py, verifier-1.py the scripts, by author or by round
    repair.json                  each proposal of a repair, and what became of it
    why.txt                      of a dropped task: all that its last stage found, to be read

A file is there where it has something to say: a draft that was corrected, a script that differs. They hold answers:
they lie beside the package, never in it, nothing reads them back, and nothing of them is told to a model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from workgym.authoring.planner import Drop, Planned, Round
from workgym.check.independent import Attempt, Disagreement, Solution, Verifier
from workgym.graph import SupportGraph
from workgym.records import CheckReport, Record, pretty
from workgym.records.factory import Condition, Stage, StageOutcome
from workgym.records.whole import write_whole
from workgym.repair import Try
from workgym.trajectory import Redactor

WHY = "why.txt"
"""The page of a dropped task."""
Verified = tuple[Verifier, tuple[Disagreement, ...]]
"""A verifier, and what comparing it with the graph found."""


class Planning(Record):
    """``plan.json``."""

    dropped: Drop | None
    """Why there is no task; None where there is one."""
    rounds: tuple[Round, ...]
    """What was wrong with each draft, oldest first."""


class Script(Record):
    """One independent script."""

    file: str | None
    """Its file, beside this one; None where no reply held a script."""
    end: Literal["agrees", "differs", "blocked", "failed", "halted", "unwritten"]
    """It came to its end and agrees with the graph or not; it stopped for a premise or failed (``halted``: one of the
    two, as ``said`` tells); or there is none."""
    said: str = ""
    """What it stopped for, or how it failed, in its own words; empty where it came to its end."""


class Comparing(Record):
    """``solution.json`` and ``verifier.json``."""

    scripts: tuple[Script, ...]
    """The scripts, in their order."""
    findings: tuple[Disagreement, ...]
    """Where they differ from the graph (of the verifier's, the last one): what both say, and who has to look."""
    queries: Mapping[str, str]
    """The graph's computations by unit: of those that differ first, then of the derived units that they rest on."""


class Mending(Record):
    """One repair."""

    problems: tuple[str, ...]
    """What blocked the work before it."""
    tries: tuple[Try, ...]
    """Its proposals; none where it was one more than are made."""


class Repairing(Record):
    """``repair.json``."""

    repairs: tuple[Mending, ...]
    """All that the task needed, in their order."""


class Notes:
    """The notes on one task, in its folder."""

    def __init__(self, home: Path, redactor: Redactor) -> None:
        self._home, self._redactor = home, redactor
        self._page: dict[Stage, list[str]] = {}
        self._repairs: list[Mending] = []

    def planned(self, planned: Planned) -> None:
        """How planning went."""
        if planned.rounds or planned.dropped is not None:
            self._keep("plan", Planning(dropped=planned.dropped, rounds=planned.rounds))
        for number, one in enumerate(planned.rounds, 1):
            self._tell("plan", f"draft {number}, {one.stage}", *(f"  {line}" for line in one.lines), "")

    def checked(self, report: CheckReport) -> None:
        """What the checks found."""
        self._tell("checks", *(str(finding) for finding in report.findings if finding.severity == "hard"))

    def solved(self, solution: Solution) -> None:
        """What the independent scripts came to."""
        if solution.findings:
            ends = [(one.script, _end(one), "" if one.ran is None else one.ran.said) for one in solution.attempts]
            self._compare("solution", ends, solution.findings, solution.package.hidden.graph)

    def verified(self, tries: Sequence[Verified], graph: SupportGraph) -> None:
        """What the verifier's scripts came to, on a task with this graph."""
        findings = tries[-1][1]
        if findings or len(tries) > 1:
            ends = [(made.script, *_outcome(found)) for made, found in tries]
            self._compare("verifier", ends, findings, graph)

    def mended(self, problems: Sequence[object], tries: Sequence[Try]) -> None:
        """What blocked the work, and what was proposed to repair it."""
        self._repairs.append(one := Mending(problems=tuple(map(str, problems)), tries=tuple(tries)))
        self._keep("repair", Repairing(repairs=tuple(self._repairs)))
        told = (f"proposal {number}, {one.fate}: {one.reason}" for number, one in enumerate(tries, 1))
        self._tell("repair", "what blocks the work", *(f"  {line}" for line in one.problems), *told, "")

    def dropped(self, task: str, condition: Condition, last: StageOutcome) -> None:
        """The page that says why."""
        head = [f"{task}, {condition}: dropped at {last.stage}: {last.reason}", last.detail, ""]
        text = "\n".join([*head, *self._page.get(last.stage, [])]).rstrip()
        self._write(WHY, self._redactor.text(f"{text}\n"))

    def _compare(
        self,
        stage: Literal["solution", "verifier"],
        ends: Sequence[_Ended],
        findings: tuple[Disagreement, ...],
        graph: SupportGraph,
    ) -> None:
        self._page[stage], scripts = [], []
        for number, (source, end, said) in enumerate(ends, 1):
            file = None if source is None else f"{stage}-{number}.py"
            if file is not None and source is not None:
                self._write(file, self._redactor.text(source))
            scripts.append(Script(file=file, end=end, said=said))
            self._tell(stage, f"{file or 'no script'}: {end}", *(f"    {line}" for line in said.splitlines()))
        queries = _queries(findings, graph)
        self._keep(stage, Comparing(scripts=tuple(scripts), findings=findings, queries=queries))
        self._tell(stage, "", *_read(findings, queries))

    def _keep(self, stage: Stage, record: Record) -> None:
        told = self._redactor.json(record.model_dump(mode="json"))
        self._write(f"{stage}.json", pretty(told))

    def _write(self, file: str, text: str) -> None:
        write_whole(self._home / file, text.encode("utf-8", "backslashreplace"))

    def _tell(self, stage: Stage, *lines: str) -> None:
        self._page.setdefault(stage, []).extend(lines)


_End = Literal["agrees", "differs", "blocked", "failed", "halted", "unwritten"]
_Ended = tuple[str | None, _End, str]


def _end(one: Attempt) -> _End:
    if one.agrees:
        return "agrees"
    ends: dict[str, _End] = {"done": "differs", "blocked": "blocked", "failed": "failed", "unwritten": "unwritten"}
    return ends[one.end]


def _outcome(found: tuple[Disagreement, ...]) -> tuple[_End, str]:
    if any(one.halted for one in found):
        return "halted", found[0].message
    return ("differs" if any(one.severity == "hard" for one in found) else "agrees"), ""


def _queries(findings: Sequence[Disagreement], graph: SupportGraph) -> dict[str, str]:
    """The queries of the units that differ, then those of what they rest on, in the graph's order."""
    differ = list(dict.fromkeys(one.unit for one in findings if one.unit in graph.by_name))
    behind = {name for unit in differ for name in graph.behind(unit)}.difference(differ)
    names = [*differ, *(unit.name for unit in graph.units if unit.name in behind)]
    return {name: query for name in names if (query := graph.unit(name).query) is not None}


def _read(findings: Sequence[Disagreement], queries: Mapping[str, str]) -> Iterator[str]:
    """Each difference with what both say, and the graph's computations, each once."""
    for number, one in enumerate(findings, 1):
        yield f"{number}. {'a warning: ' if one.severity == 'soft' else ''}{one.message}"
        place = " ".join(part for part in (one.path, one.at) if part)
        how = one.how and f"by {one.how}"
        second = one.second and f"a second script says {one.second}"
        yield "   " + "; ".join(part for part in (place, how, second, one.rule) if part)
    if queries:
        yield from ("", "the graph's queries:")
    for unit, query in queries.items():
        yield from (f"  {unit}", *(f"    {line}" for line in query.strip().splitlines()))
