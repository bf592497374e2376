"""Collecting teacher trajectories: many rollouts, several at once, which go on after any stop where they were.

A rollout is done when its line lies beside its log. One that was cut off, by kill -9 too, is begun again in the same
place, and its replies come from the ledger. What our side spoilt (a model or a sandbox that failed, a verdict that
could not be had) and what a budget cut off is run again the next time, too.
"""

from __future__ import annotations

import contextlib
import math
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from workgym import harness as harnesses
from workgym.env import OfficeEnv
from workgym.errors import SandboxUnavailable, UsageError, WorkgymError
from workgym.records import WebAccess
from workgym.records.alone import alone
from workgym.rollout import Rollout, rollout
from workgym.select.jobs import (
    ROW,
    TABLE,
    Job,
    Row,
    append_row,
    read_assignment,
    read_table,
    write_assignment,
    write_table,
)
from workgym.select.makers import ModelMaker
from workgym.select.stopping import Stoppable, Stopped
from workgym.select.tasks import TaskRef
from workgym.select.teachers import Teachers, assign

if TYPE_CHECKING:
    from workgym.env import Grader, SandboxMaker

GRACE = 10.0
"""Seconds that an interrupt waits for rollouts that are under way; what is left of them ends with the process."""
IN_A_ROW = 8
"""Rollouts in a row that a model or a sandbox spoils, after which a collection stops: the endpoint is gone, say."""


@dataclass
class Collected:
    """What came of a collection."""

    table: Path
    """The table's file."""
    rows: tuple[Row, ...] = ()
    """Its lines of what was asked for, without the evidence of their verdicts."""
    kept: int = 0
    """How many of them were done before."""
    failed: tuple[tuple[str, str], ...] = ()
    """Rollouts that could not be begun, by folder, and why: a task that cannot be built, say."""
    left: int = 0
    """Rollouts that are still to be done: spoilt by our side, or not begun before it stopped."""
    stopped: str = ""
    """Why it stopped early; empty where it did not."""


@dataclass
class _Crew:
    """What the workers of one collection share."""

    out: Path
    models: Mapping[str, ModelMaker]
    sandbox: str | SandboxMaker
    grade: Grader | None
    web: WebAccess | None
    jobs: deque[Job] = field(default_factory=deque)
    ended: queue.Queue[tuple[Job, Row | BaseException] | None] = field(default_factory=queue.Queue)
    """What came of each job, and None for each worker that went home."""
    stop: threading.Event = field(default_factory=threading.Event)
    """Set where rollouts that are under way are to end, too."""

    def work(self) -> None:
        """Do jobs until none is left."""
        while True:
            try:
                job = self.jobs.popleft()
            except IndexError:
                self.ended.put(None)
                return
            try:
                row = job.keep(self.out, self._run(job))
                if row.rollout.end == "budget":
                    self.jobs.clear()  # at once: the next one would be cut off at its first question
                self.ended.put((job, row))
            except Stopped:
                continue
            except BaseException as error:  # noqa: BLE001 - the main thread decides what it means
                self.ended.put((job, error))

    def _run(self, job: Job) -> Rollout:
        folder = job.clear(self.out)
        model = self.models[job.teacher.name]()
        make = partial(OfficeEnv, sandbox=self.sandbox, grade=self.grade, web=self.web)
        env = make(job.task.id) if job.task.folder is None else make(package=job.task.folder)
        try:
            model = None if model is None else Stoppable(model, self.stop)
            return rollout(env, job.teacher.harness, model=model, out=folder, seed=job.seed)
        finally:
            env.close()


def collect(
    tasks: Sequence[TaskRef],
    teachers: Teachers,
    out: Path | str,
    *,
    models: Mapping[str, ModelMaker],
    at_once: int = 2,
    seed: int = 0,
    sandbox: str | SandboxMaker = "bubblewrap",
    grade: Grader | None = None,
    web: WebAccess | None = None,
    progress: Callable[[str], None] = lambda line: None,
) -> Collected:
    """Roll every task out by its teacher, ``at_once`` at a time, and write the table.

    ``models`` gives each teacher's model, by teacher (``makers``); ``seed`` settles the assignment, and is the seed of
    the first rollout of each task; ``web`` says how well web tools work, in place of what the tasks say. Raises
    UsageError for a harness or a model that cannot be had, and SandboxUnavailable; what was done by then is kept.
    KeyboardInterrupt ends it soon, and the table is written.
    """
    out = Path(out)
    first = {one.name: models[one.name]() for one in teachers.teachers}
    who: dict[str, tuple[str, str | None]] = {}
    for one in teachers.teachers:
        manifest, model = harnesses.load(one.harness).manifest, first[one.name]
        if manifest.needs_model and model is None:
            raise UsageError(f"{one.name}: the harness {one.harness} acts through a model", fix="give it one")
        who[one.name] = manifest.name, None if model is None else model.name
    with alone(out):
        dealt = assign(tasks, teachers, seed=seed, models=first, kept=read_assignment(out))
        write_assignment(out, dealt)
        by_name = {one.name: one for one in teachers.teachers}

        def jobs(numbers: range, among: Collection[str]) -> list[Job]:
            chosen = [task for task in tasks if task.id in among]
            return [Job(task, by_name[dealt[task.id]], seed + number) for number in numbers for task in chosen]

        run = _Run(_Crew(out, models, sandbox, grade, web), who, progress)
        try:
            run.do(jobs(range(teachers.rollouts), dealt), at_once)
            if not run.stopped and teachers.longest.rollouts > teachers.rollouts:
                more = range(teachers.rollouts, teachers.longest.rollouts)
                run.do(jobs(more, _longest(run.asked_rows(), teachers.longest.share, seed)), at_once)
        finally:
            write_table(out, run.rows.values())
    return run.collected()


class _Run:
    """The main thread's side: what is to be done, and what has come of it."""

    def __init__(self, crew: _Crew, who: Mapping[str, tuple[str, str | None]], progress: Callable[[str], None]) -> None:
        """``who`` are harness and model of each teacher, as records name them."""
        self.crew, self.who, self.progress = crew, who, progress
        self.rows = {row.folder: row.brief for row in read_table(crew.out) if _there(crew.out, row)}
        self.failed: dict[str, str] = {}
        self.stopped = ""
        self._asked: set[str] = set()
        self._error: BaseException | None = None
        self._kept = self._ended = self._spoilt = self._workers = 0

    def do(self, jobs: Sequence[Job], at_once: int) -> None:
        """Do those that are not done yet."""
        self._asked |= {job.folder for job in jobs}
        there = ((job.folder, job.row(self.crew.out, *self.who[job.teacher.name])) for job in jobs)
        done = {folder: row.brief for folder, row in there if row is not None}
        self._kept += len(done)
        self.rows |= done
        write_table(self.crew.out, self.rows.values())
        self.crew.jobs.extend(job for job in jobs if job.folder not in done)
        self._workers = min(at_once, len(self.crew.jobs))
        for _ in range(self._workers):
            # Daemons: a model may think for minutes, and an interrupt does not wait for it.
            threading.Thread(target=self.crew.work, daemon=True).start()
        try:
            self._follow(None)
        except BaseException:
            self.crew.jobs.clear()
            self.crew.stop.set()
            with contextlib.suppress(queue.Empty):
                self._follow(time.monotonic() + GRACE)
            raise
        if self._error is not None:
            raise self._error

    def _follow(self, until: float | None) -> None:
        """Take what comes until every worker went home. Raises queue.Empty where that lasts too long."""
        while self._workers:
            came = self.crew.ended.get(timeout=None if until is None else max(0.0, until - time.monotonic()))
            if came is None:
                self._workers -= 1
            else:
                self._take(*came)
            if self.stopped:
                self.crew.jobs.clear()

    def _take(self, job: Job, came: Row | BaseException) -> None:
        self._ended += 1
        if isinstance(came, Row):
            self._note(job, came)
        elif isinstance(came, WorkgymError) and not isinstance(came, UsageError | SandboxUnavailable):
            self.failed[job.folder] = " ".join(str(came).split())
            self.progress(f"{self._count()} {job.folder}: NOT BEGUN: {self.failed[job.folder]}")
        else:  # what its user has to put right first, or a mistake of ours
            self._error, self.stopped = self._error or came, str(came) or type(came).__name__

    def _note(self, job: Job, row: Row) -> None:
        self.rows[job.folder] = row.brief
        append_row(self.crew.out, row)
        self._spoilt = 0 if row.done else self._spoilt + 1
        told = row.rollout
        if told.end == "budget":
            self.stopped = "the budget is spent"
        elif self._spoilt >= IN_A_ROW:
            self.stopped = f"{IN_A_ROW} rollouts in a row were spoilt: {told.error or told.verdict}"
        score = told.verdict if told.verdict == "unscored" else f"{told.verdict} {told.reward:.3f}"
        self.progress(f"{self._count()} {job.folder}: {score}, {told.turns} turns, {told.end}")

    def _count(self) -> str:
        return f"{self._kept + self._ended}/{len(self._asked)}"

    def asked_rows(self) -> list[Row]:
        """Lines of what was asked for, those that are to be done again included."""
        return [self.rows[folder] for folder in sorted(self._asked & self.rows.keys())]

    def collected(self) -> Collected:
        """The result."""
        rows = tuple(self.asked_rows())
        done = sum(row.done for row in rows)
        return Collected(
            table=self.crew.out / TABLE,
            rows=rows,
            kept=self._kept,
            failed=tuple(sorted(self.failed.items())),
            left=len(self._asked) - done - len(self.failed),
            stopped=self.stopped,
        )


def _there(out: Path, row: Row) -> bool:
    """Whether what a line tells of still lies there; a kill may have come between clearing its place and the table."""
    return row.rollout.trajectory is None or (out / row.folder / ROW).is_file()


def _longest(rows: Iterable[Row], share: float, seed: int) -> frozenset[str]:
    """The tasks whose first rollout took the most turns; at least one where the share is not zero."""
    first = sorted((row for row in rows if row.seed == seed), key=lambda row: (-row.rollout.turns, row.task))
    return frozenset(row.task for row in first[: math.ceil(round(share * len(first), 9))])
