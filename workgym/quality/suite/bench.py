"""What the checks of one task share: its construction report, the expert's recorded run, the files as they read.

Everything is made when it is first asked for, once. Nothing that evaluates the package's queries on the host runs
before the graph was checked, and the same evaluations rehearsed, in a limited child.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from workgym import sandbox as sandboxes
from workgym import verify
from workgym.check import check
from workgym.documents import Document, Fragment, read_all
from workgym.env import OfficeEnv, SandboxMaker
from workgym.errors import ChildFailed, Unreadable
from workgym.harness import Harness
from workgym.package import TaskPackage
from workgym.quality.attribution import Cause
from workgym.quality.equivalents import Equivalent
from workgym.quality.mutants import Mutant
from workgym.quality.rates import Rates
from workgym.quality.sound import Sound
from workgym.quality.suite import apart
from workgym.quality.suite.report import MatrixRow, Size
from workgym.records import CheckReport
from workgym.replay import ReplayReport, replay
from workgym.rollout import Rollout, rollout
from workgym.sandbox.contract import Limits, Sandbox
from workgym.trajectory import Trajectory
from workgym.verify import Verdict

_COMPUTABLE = {"compiles", "acyclic", "truth"}
"""Construction checks without which nothing of the graph is evaluated outside the child."""
Grade = Callable[[TaskPackage, Mapping[str, bytes]], Verdict]
"""The grader that is examined."""


class Unmet(Exception):
    """A check cannot run: it rests on one that failed, or the size leaves it out. The reason is its text."""


class NotApplicable(Exception):
    """The task offers nothing to check. The reason is its text."""


class Outcome(NamedTuple):
    """What one check found."""

    wrong: tuple[str, ...] = ()
    """What is wrong, a line each; the check passes where there is none."""
    notes: tuple[str, ...] = ()
    """Evidence that is not wrong."""
    numbers: Mapping[str, float] = {}
    """What was measured."""


class Expert(NamedTuple):
    """The expert's run."""

    run: Rollout
    """What came of it."""
    folder: Path
    """Its trajectory."""


@dataclass
class Bench:
    """One task under examination."""

    package: TaskPackage
    """The task."""
    size: Size
    """How much is tried."""
    folder: Path
    """A temporary folder: trajectories, copies for other processes."""
    sandbox: str | SandboxMaker = "bubblewrap"
    """Where the expert and the controls work."""
    grade: Grade = verify.grade
    """The grader that is examined."""
    matrix: tuple[MatrixRow, ...] = ()
    """The withheld-carrier matrix, once it was made."""
    rates: Rates | None = None
    """Mutants and equivalents, once they were graded."""
    causes: tuple[Cause, ...] = ()
    """What attribution said, once it was asked."""

    @cached_property
    def construction(self) -> CheckReport:
        """The construction checks, in a limited child."""
        return check(self.package)

    @cached_property
    def _rehearsed(self) -> apart.Rehearsal | ChildFailed:
        try:
            return apart.rehearse(self.package)
        except ChildFailed as error:
            return error

    @property
    def rehearsal(self) -> apart.Rehearsal:
        """What the graph says of the task. Raises Unmet where it cannot be evaluated safely."""
        report = self.construction
        if not set(report.ran) >= _COMPUTABLE or any(
            finding.severity == "hard" and finding.check in _COMPUTABLE for finding in report.findings
        ):
            raise Unmet("construction.evaluates failed")
        if isinstance(self._rehearsed, ChildFailed):
            raise Unmet("construction.evaluates failed")
        return self._rehearsed

    @property
    def overran(self) -> str | None:
        """Why the graph cannot be evaluated within limits; None where it can, or a check says that already."""
        try:
            _ = self.rehearsal
        except Unmet:
            return str(self._rehearsed) if "_rehearsed" in vars(self) else None
        return None

    def graded(self, files: Mapping[str, bytes]) -> Verdict:
        """The verdict on a workspace, given files and deliverables together."""
        _ = self.rehearsal
        return self.grade(self.package, files)

    def handed_in(self, deliverables: Mapping[str, bytes]) -> Verdict:
        """The verdict on a workspace with some deliverables and the inputs as they were given."""
        return self.graded({**self.package.files, **deliverables})

    def run(self, harness: str | Harness, package: TaskPackage | None = None, out: Path | None = None) -> Rollout:
        """One rollout on the task, or on another one; it is graded as the task."""
        _ = self.rehearsal
        given = package or self.package

        def judged(_: TaskPackage, files: Mapping[str, bytes]) -> Verdict:
            kept = {path: content for path, content in self.package.files.items() if path not in given.files}
            return self.grade(self.package, {**kept, **files})

        return rollout(given, harness, sandbox=self.sandbox, out=out, grade=judged)

    def environment(self, package: TaskPackage | None = None, out: Path | None = None) -> OfficeEnv:
        """An environment of the task; the caller closes it."""
        return OfficeEnv(package=package or self.package, sandbox=self.sandbox, grade=self.grade, out=out)

    def new_sandbox(self) -> Sandbox:
        """A sandbox that was not opened."""
        return self.sandbox() if callable(self.sandbox) else sandboxes.create(self.sandbox, Limits())

    def inside(self, program: str) -> Any:
        """What a program returns that is run in the guest at the begin of an episode; each is run once."""
        if program not in self._inside:
            _ = self.rehearsal
            env = self.environment()
            try:
                env.reset(seed=0)
                self._inside[program] = json.loads(env.script(program))
            finally:
                env.close()
        return self._inside[program]

    @cached_property
    def _inside(self) -> dict[str, Any]:
        return {}

    @cached_property
    def expert(self) -> Expert:
        """The expert's recorded run. Raises Unmet where the task has no expert script."""
        if self.package.hidden.expert is None:
            raise Unmet("the package has no expert script")
        run = self.run("expert", out=self.folder / "expert")
        return Expert(run, Path(run.trajectory or self.folder / "expert"))

    @cached_property
    def replayed(self) -> ReplayReport:
        """The expert's recorded calls, executed again."""
        return replay(self.expert.folder, package=self.package, sandbox=self.sandbox, grade=self.grade)

    @cached_property
    def work(self) -> dict[str, bytes]:
        """The final workspace of the expert."""
        return Trajectory.open(self.expert.folder).handed_in(dict(self.package.files))

    @cached_property
    def reference(self) -> Sound:
        """The task with deliverables that get full credit. Raises Unmet where the expert's do not."""
        if self.expert.run.reward != 1.0:
            raise Unmet("oracle.maximum failed")
        return Sound(self.package, self.work, self.graded(self.work))

    @cached_property
    def mutants(self) -> tuple[Mutant, ...]:
        """Typed mistakes in the expert's deliverables, as many of each kind as the size asks for."""
        return apart.mutants_apart(self.reference, self.size.mutants)

    @cached_property
    def rewritten(self) -> tuple[Equivalent, ...]:
        """The expert's deliverables said in another way, as many of each kind as the size asks for."""
        return apart.equivalents_apart(self.reference, self.size.equivalents)

    @property
    def outputs(self) -> tuple[str, ...]:
        """Paths of the deliverables."""
        return tuple(one.path for one in self.package.hidden.graph.deliverables)

    @cached_property
    def public(self) -> Mapping[str, bytes]:
        """All that a solver is given or can find: the request, the files and the pages, by path."""
        return {"request.md": self.package.request.encode(), **self.package.shown}

    @cached_property
    def documents(self) -> Mapping[str, Document]:
        """The public files as they read, and files within them, by path."""
        found: dict[str, Document] = {}
        for whole in read_all(self.public).values():
            if not isinstance(whole, Unreadable):
                found |= {document.path: document for document in whole.whole()}
        return found

    def fragments(self) -> Iterator[tuple[str, Fragment]]:
        """Every piece of text of the public files, with the path of its file."""
        for path, document in self.documents.items():
            for fragment in document.fragments:
                yield path, fragment
