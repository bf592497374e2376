"""The independent solution: a model writes ``solve.py`` from what a solver sees, and its deliverables are graded.

The author is told how a run of the script failed and what it was blocked by, which a solver sees as well; never what
grading said. Where a script that came to its end disagrees with the graph, a second author writes another one in a
context of its own: who stands alone of the three has to look (see ``findings``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workgym.check.independent.findings import Disagreement, differs, stopped
from workgym.check.independent.running import Ran, line, run
from workgym.check.independent.writing import Writer
from workgym.model import Model
from workgym.package import SolverView, TaskPackage, view
from workgym.verify import CheckResult

if TYPE_CHECKING:
    from workgym.env import SandboxMaker

MOST = 200
"""Differences of one script that are reported one by one."""


@dataclass(frozen=True)
class Attempt:
    """One author's work."""

    script: str | None
    """The last script that could be run, or None."""
    ran: Ran | None
    """Its run, or None where nothing could be run."""
    rounds: int
    """Replies of the author."""

    @property
    def agrees(self) -> bool:
        """Whether its deliverables pass all of the graph's checks."""
        done = self.ran is not None and self.ran.end == "done"
        return done and self.ran is not None and self.ran.verdict is not None and self.ran.verdict.state == "passed"

    @property
    def end(self) -> str:
        """``done``, ``blocked``, ``failed``, or ``unwritten`` where there was no script at all."""
        return "unwritten" if self.ran is None else self.ran.end

    @property
    def wrong(self) -> dict[str, CheckResult]:
        """The graph's checks that do not pass, by name; empty where it did not come to its end."""
        if self.ran is None or self.ran.end != "done" or self.ran.verdict is None:
            return {}
        return {check.name: check for check in self.ran.verdict.checks if check.state in ("failed", "unscored")}


@dataclass(frozen=True)
class Solution:
    """What came of the independent solution."""

    script: str | None
    """The script that agrees, else the last one that was run, or None."""
    agreed: bool
    """Whether a script's deliverables pass all of the graph's checks."""
    findings: tuple[Disagreement, ...]
    """Each difference, with its owner; soft where another script agrees with the graph."""
    package: TaskPackage
    """With the script as its expert and its deliverables where they agree; else the package as it was."""
    attempts: tuple[Attempt, ...]
    """The authors' work, in order."""


def solve(
    package: TaskPackage,
    model: Model,
    *,
    rounds: int = 3,
    scripts: int = 2,
    sandbox: str | SandboxMaker = "bubblewrap",
) -> Solution:
    """Let a model solve a task from its visible side. ``rounds`` are replies of one author, ``scripts`` authors.

    Raises what the model raises, and SandboxError where no sandbox can be had.
    """
    shown = view(package)
    attempts: list[Attempt] = []
    for number in range(scripts):
        attempts.append(_attempt(package, shown, model, number, rounds, sandbox))
        if attempts[-1].agrees:
            break
    last = attempts[-1]
    found = tuple(_findings(package, attempts))
    script = next((one.script for one in reversed(attempts) if one.script is not None), None)
    if not last.agrees or last.ran is None:
        return Solution(script, False, found, package, tuple(attempts))
    wanted = {card.path for card in package.card.deliverables}
    handed = {path: content for path, content in last.ran.files.items() if path in wanted}
    solved = package.with_hidden(expert=last.script, expert_files=handed, qa=None)
    return Solution(last.script, True, found, solved, tuple(attempts))


def _attempt(
    package: TaskPackage, shown: SolverView, model: Model, number: int, rounds: int, sandbox: str | SandboxMaker
) -> Attempt:
    writer = Writer(shown, model, role="role", entry="solve", sample=number)
    script, ran, stop = None, None, ""
    for left in range(rounds, 0, -1):
        written, _ = writer.script(left)
        if written is None:
            continue
        if written == script and ran is not None and ran.end == "blocked":
            return Attempt(script, ran, rounds - left + 1)  # it stands by what it said
        script, ran = written, run(package, written, sandbox)
        if ran.end == "done" and ran.files:
            return Attempt(script, ran, rounds - left + 1)
        if ran.end == "blocked" and ran.said == stop:
            return Attempt(script, ran, rounds - left + 1)
        if ran.end == "blocked":
            stop = ran.said
            writer.tell("blocked", ran.said, left - 1)
        elif ran.end == "failed":
            writer.tell("failed", ran.said, left - 1)
        else:
            writer.tell("unwritten", "It wrote no file and changed none.", left - 1)
    return Attempt(script, ran, rounds)


def _findings(package: TaskPackage, attempts: list[Attempt]) -> list[Disagreement]:
    """What the authors that do not agree with the graph have against it, and who has to look."""
    settled = attempts[-1].agrees
    found: list[Disagreement] = []
    done = [one for one in attempts if one.end == "done"]
    graph = package.hidden.graph
    first, second = (*done, None, None)[:2]
    if first is not None:
        wrong = {} if second is None else second.wrong
        for check in list(first.wrong.values())[:MOST]:
            other = wrong.get(check.name)
            found.append(differs(check, graph, other, settled=settled, asked_twice=second is not None))
        if not settled:  # where only the second differs the first agrees with the graph
            rest = [check for name, check in wrong.items() if name not in first.wrong]
            found += [differs(check, graph, None, settled=True, asked_twice=True) for check in rest[:MOST]]
    blocked = [one for one in attempts if one.end == "blocked" and one.ran is not None]
    for one in blocked:
        found.append(_blocked(one, settled, len(blocked) == len(attempts) > 1))
    broken = [one for one in attempts if one.end in ("failed", "unwritten")]
    if broken and not done and not blocked:
        said = line(broken[-1].ran.said) if broken[-1].ran is not None else "no reply held a script"
        message = f"no independent script came to its end: {said}"
        found.append(stopped(message, "verifier", "never ran", defect="executability defect"))
    if not found and not settled:
        message = "what an independent script left cannot be graded"
        found.append(stopped(message, "verifier", "never ran", defect="executability defect"))
    return found


def _blocked(one: Attempt, settled: bool, both: bool) -> Disagreement:
    assert one.ran is not None
    said = one.ran.said.splitlines()[0] if one.ran.said.strip() else "it does not say why"
    message = f"an independent script stops, for want of a premise: {said[:500]}"
    if settled:
        return stopped(message, "verifier", "with the graph", defect="broken derivation", settled=True)
    rule = "against the graph" if both else "alone"
    return stopped(message, "builder", rule, defect="broken derivation")
