"""Recorded rollouts that nobody rolled out: logs written event by event through the writer, for who reads them.

The work is always of one kind: offers of some suppliers lie in text files, and a comparison (``comparison.xlsx``) and a
memo (``memo.md``) are to be handed in. A ``Scene`` keeps the workspace, so that what a log says of it is true.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any, Literal, NamedTuple

import openpyxl

from workgym.model import Block, ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock
from workgym.records import FileChange, digest
from workgym.trajectory import (
    CallEvent,
    EndEvent,
    EpisodeEvent,
    MessageEvent,
    ObservationEvent,
    SegmentEvent,
    TrajectoryWriter,
    UserEvent,
    VerdictEvent,
    WorkspaceEvent,
    normal_digest,
    workspace_digest,
)
from workgym.verify import CheckResult, Scores, UnitScore, Verdict
from workgym.verify.combine import combiner

BOOK, MEMO = "comparison.xlsx", "memo.md"
_NAMES = "Alder Birch Cedar Elm Hazel Larch Maple Rowan Spruce Willow".split()
_KINDS = "Mills Works Trading Supply Metals".split()


class Offer(NamedTuple):
    """One supplier's offer."""

    supplier: str
    """Who offers."""
    units: int
    """How many units."""
    price: float
    """Price of a unit."""

    @property
    def total(self) -> float:
        """What all units cost."""
        return round(self.units * self.price, 2)


class Work(NamedTuple):
    """One task with its answer."""

    task: str
    """Id of the task."""
    offers: tuple[Offer, ...]
    """The offers, one a file."""

    @property
    def files(self) -> dict[str, bytes]:
        """What the solver starts with."""
        return {
            f"offers/{one.supplier.split()[0].lower()}.txt": (
                f"Offer of {one.supplier}\nUnits: {one.units}\nPrice per unit: {one.price:.2f} USD\n"
            ).encode()
            for one in self.offers
        }

    @property
    def best(self) -> Offer:
        """The cheapest offer."""
        return min(self.offers, key=lambda one: one.total)

    @property
    def rows(self) -> list[list[Any]]:
        """The comparison, headings first."""
        return [["Supplier", "Units", "Price", "Total"]] + [[*one, one.total] for one in self.offers]

    @property
    def memo(self) -> str:
        """A memo that says what is asked for."""
        best, rest = self.best, sorted(one.total for one in self.offers)
        return (
            f"# Recommendation\n\nWe should buy from {best.supplier}: {best.units:,} units at {best.price:.2f} USD, "
            f"{best.total:,.2f} USD in all, lowest of {len(self.offers)} offers. The next is {rest[1]:,.2f} USD.\n"
        )


def work(seed: int, suppliers: int = 5) -> Work:
    """The task of a seed."""
    draw = Random(seed)
    names = draw.sample(_NAMES, suppliers)
    offers = [
        Offer(f"{name} {draw.choice(_KINDS)}", draw.randrange(800, 9_000), draw.randrange(210, 9_900) / 100)
        for name in names
    ]
    return Work(f"workfactory/offers-{seed:06}-v1", tuple(offers))


def book(sheets: Mapping[str, list[list[Any]]]) -> bytes:
    """A workbook of some sheets."""
    made = openpyxl.Workbook()
    made.remove(made.active)
    for name, rows in sheets.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
    stream = io.BytesIO()
    made.save(stream)
    return stream.getvalue()


class Scene:
    """A log that is written as if somebody acted."""

    def __init__(self, folder: Path, job: Work, *, model: str = "openai:teacher", seed: int = 0) -> None:
        self.job, self.seed = job, seed
        self.files = dict(job.files)
        self._given = dict(job.files)
        self._log = TrajectoryWriter(folder, durable=False)
        self.folder = folder
        self.calls = 0
        self._package = digest([job.task, "package"])
        self._log.append(
            EpisodeEvent(
                task_id=job.task,
                task_digest=self._package,
                harness="react",
                model=model,
                seed=seed,
                sandbox="none",
                turns=250,
                workspace=self._state(),
            )
        )
        self._log.append(SegmentEvent(segment=0, parent=None, reason="request"))
        self._read("system", "You do office work with the tools that you have.")
        self._read("user", f"Please compare the offers in offers/ in {BOOK} and recommend one in {MEMO}.")

    def say(self, text: str, thought: str = "") -> None:
        """A reply without a call, which ends nothing yet."""
        self._speak([*self._thought(thought), TextBlock(text=text)])

    def call(
        self,
        tool: str,
        arguments: dict[str, Any],
        answer: str,
        *,
        say: str = "",
        thought: str = "",
        error: bool = False,
        wrote: Mapping[str, bytes] | None = None,
        violation: str | None = None,
        refused: bool = False,
    ) -> None:
        """A reply with one call, its answer, and the files that it wrote."""
        self.calls += 1
        name = f"call-{self.calls}"
        spoken: list[Block] = [TextBlock(text=say)] if say else []
        self._speak([*self._thought(thought), *spoken, ToolCallBlock(id=name, name=tool, arguments=arguments)])
        self._log.append(
            CallEvent(index=self.calls, segment=0, id=name, tool=tool, arguments=arguments, refused=refused)
        )
        changes = tuple(self._write(path, content) for path, content in (wrote or {}).items())
        self._answer(answer, error, changes, violation)
        result = ToolResultBlock(id=name, text=answer, is_error=error)
        self._log.append(MessageEvent(segment=0, role="tool", blocks=(result,)))

    def hand_over(self, message: str, *, kept: Mapping[str, bytes] | None = None) -> None:
        """The last reply, and what was handed in; ``kept`` is what the log says of it where that is a lie."""
        self._speak([TextBlock(text=message)])
        self.calls += 1
        self._log.append(CallEvent(index=self.calls, segment=0, tool="", arguments={"reply": message}))
        self._log.append(UserEvent(segment=0, message=message, closes=True))
        self._answer("The work is handed in.", False, (), None)
        files = self.files | dict(kept or {})
        held = {path: self._log.blob(content) for path, content in files.items() if self._given.get(path) != content}
        digests = {path: hashlib.sha256(content).hexdigest() for path, content in sorted(files.items())}
        self._log.append(WorkspaceEvent(digests=digests, kept=held))

    def grade(self, right: int | None = None, *, reward: float | None = None, end: str = "closed") -> Path:
        """The verdict and the end: ``right`` of the comparison's facts hold, all where it is None."""
        facts = 3 * len(self.job.offers)
        got = facts if right is None else right
        units = (
            UnitScore(deliverable=BOOK, unit="offers", weight=1.0, facts=facts, right=got, whole=got == facts),
            UnitScore(deliverable=MEMO, unit="recommended", weight=1.0, facts=2, right=2, whole=True),
        )
        scores = Scores(units=units, guards={"inputs": 1.0, "stray": 1.0, "types": 1.0})
        state: Literal["passed", "failed"] = "passed" if got == facts else "failed"
        checks = tuple(
            CheckResult(
                name=f"file {path}", kind="file", state="passed" if path in self.files else "failed", deliverable=path
            )
            for path in (BOOK, MEMO)
        )
        verdict = Verdict(
            task=self.job.task,
            package=self._package,
            combiner="code/1",
            state=state,
            reward=combiner("code/1")(scores),
            checks=checks if state == "failed" else tuple(one.model_copy(update={"state": "passed"}) for one in checks),
            scores=scores,
        )
        told = verdict.reward if reward is None else reward
        self._log.append(VerdictEvent(state=state, reward=told, record=verdict.record))
        return self.close(end)

    def unscored(self) -> Path:
        """An end that could not be graded."""
        self._log.append(VerdictEvent(state="unscored", reward=0.0, record={"error": "the grader stopped"}))
        return self.close("closed")

    def close(self, end: str | None = None) -> Path:
        """The end of the log, of the episode too where there is one; its folder."""
        if end is not None:
            self._log.append(EndEvent(reason=end))
        self._log.close()
        return self.folder

    def _thought(self, text: str) -> list[Block]:
        return [ReasoningBlock(text=text)] if text else []

    def _speak(self, blocks: list[Block]) -> None:
        self._log.append(MessageEvent(segment=0, role="assistant", blocks=tuple(blocks), model="teacher", stop="end"))

    def _read(self, role: Any, text: str) -> None:
        self._log.append(MessageEvent(segment=0, role=role, blocks=(TextBlock(text=text),)))

    def _answer(self, text: str, error: bool, changes: tuple[FileChange, ...], violation: str | None) -> None:
        self._log.append(
            ObservationEvent(
                index=self.calls,
                text=text,
                is_error=error,
                violation=violation,
                changes=changes,
                workspace=self._state(),
            )
        )

    def _write(self, path: str, content: bytes) -> FileChange:
        change: Any = "modified" if path in self.files else "added"
        self.files[path] = content
        return FileChange(path=path, change=change, digest=hashlib.sha256(content).hexdigest(), size=len(content))

    def _state(self) -> str:
        return workspace_digest({path: normal_digest(path, content) for path, content in self.files.items()})
