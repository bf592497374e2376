"""The rollouts of a collection on disk: which there are to be, where each lies, and which are done.

::

    OUT/assignment.jsonl                    a teacher for each task
    OUT/<task>/<teacher>-<seed>/            a trajectory, and rollout.json beside its log once it is done
    OUT/rollouts.jsonl                      the table: a line for each rollout that is done
    OUT/ledger.sqlite                       every reply of the models, unless another ledger was named
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from workgym.errors import UsageError
from workgym.records import Record, canonical
from workgym.records.whole import write_whole
from workgym.rollout import Rollout
from workgym.select.tasks import TaskRef
from workgym.select.teachers import Teacher

ASSIGNMENT, TABLE, ROW, LEDGER = "assignment.jsonl", "rollouts.jsonl", "rollout.json", "ledger.sqlite"


class Row(Record):
    """One line of the table."""

    task: str
    """Id of the task without the namespace."""
    teacher: str
    """Name of the teacher."""
    seed: int
    """Seed of the rollout; it tells those of one task apart."""
    rollout: Rollout
    """What came of it; the trajectory's folder is told from the table's."""

    @property
    def folder(self) -> str:
        """Where it lies, from the collection's folder."""
        return f"{self.task}/{self.teacher}-{self.seed}"

    @property
    def brief(self) -> Row:
        """The same without the verdict's evidence, which is most of it."""
        return self.model_copy(update={"rollout": self.rollout.model_copy(update={"evidence": None})})

    @property
    def done(self) -> bool:
        """Whether it need not be run again: it was graded, and neither our side nor a budget cut it off."""
        cut = self.rollout.fault in ("model", "sandbox") or self.rollout.end == "budget"
        return not cut and self.rollout.verdict != "unscored"


class Job(NamedTuple):
    """One rollout that is to be."""

    task: TaskRef
    """Its task."""
    teacher: Teacher
    """Who does it."""
    seed: int
    """Its seed."""

    @property
    def folder(self) -> str:
        """Where it lies, from the collection's folder."""
        return f"{self.task.id}/{self.teacher.name}-{self.seed}"

    def row(self, out: Path, harness: str, model: str | None) -> Row | None:
        """Its line where it is done.

        Raises UsageError where it was done by another harness or model under this teacher's name.
        """
        try:
            row = Row.model_validate_json((out / self.folder / ROW).read_bytes())
        except (OSError, ValidationError):
            return None
        if not row.done:
            return None
        was, now = (row.rollout.harness, row.rollout.model), (harness, model)
        if was != now:
            raise UsageError(
                f"{out / self.folder}: {self.teacher.name} was {was[0]} with {was[1]}, and is {now[0]} with {now[1]}",
                fix="give this teacher another name, or collect into another folder",
            )
        return row

    def clear(self, out: Path) -> Path:
        """An empty place for it: what was begun there and never finished is removed."""
        folder = out / self.folder
        if folder.exists():
            shutil.rmtree(folder)
        folder.parent.mkdir(parents=True, exist_ok=True)
        return folder

    def keep(self, out: Path, result: Rollout) -> Row:
        """Write its line beside its log. Where no log could be begun there is none, and it stays to be done."""
        told = result.model_copy(update={"trajectory": self.folder if result.trajectory is not None else None})
        row = Row(task=self.task.id, teacher=self.teacher.name, seed=self.seed, rollout=told)
        if result.trajectory is not None:
            write_whole(Path(result.trajectory) / ROW, row.model_dump_json() + "\n", durable=True)
        return row


def write_table(out: Path, rows: Iterable[Row]) -> Path:
    """The table of these rollouts, in the order of tasks, teachers and seeds; its file.

    Lines are taken from beside the logs, one at a time: with their evidence, those of a large corpus are gigabytes.
    """
    torn = out / f".{TABLE}.part"  # one name: who holds the folder is alone in it
    with open(torn, "wb") as file:
        for row in sorted(rows, key=lambda row: (row.task, row.teacher, row.seed)):
            whole = out / row.folder / ROW
            told = row.rollout.trajectory is not None and whole.is_file()
            file.write(whole.read_bytes() if told else (row.model_dump_json() + "\n").encode())
    os.replace(torn, out / TABLE)
    return out / TABLE


def append_row(out: Path, row: Row) -> None:
    """Add a line, for whoever looks at the table meanwhile; it is put in order when the collection ends."""
    with open(out / TABLE, "a", encoding="utf-8") as file:
        file.write(row.model_dump_json() + "\n")


def read_table(out: Path) -> Iterator[Row]:
    """The lines of a table, one by one; none where there is no table, and no torn last one.

    Raises UsageError for a line that is damaged.
    """
    if not (out / TABLE).is_file():
        return
    with open(out / TABLE, "rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.endswith(b"\n"):
                return
            try:
                yield Row.model_validate_json(line)
            except ValidationError as error:
                raise UsageError(f"{out / TABLE}:{number}: {error.errors()[0]['msg']}") from None


def read_assignment(out: Path) -> dict[str, str]:
    """The teacher of each task, as it was dealt before; empty where nothing was."""
    try:
        lines = (out / ASSIGNMENT).read_text(encoding="utf-8").split("\n")[:-1]
    except FileNotFoundError:
        return {}
    found = {}
    for number, line in enumerate(lines, 1):
        try:
            entry = json.loads(line)
            found[str(entry["task"])] = str(entry["teacher"])
        except (ValueError, TypeError, KeyError):
            raise UsageError(f"{out / ASSIGNMENT}:{number}: a task and its teacher are wanted") from None
    return found


def write_assignment(out: Path, dealt: Mapping[str, str]) -> None:
    """Keep an assignment; tasks that were dealt before and are not asked for this time stay in it."""
    whole = read_assignment(out) | dict(dealt)
    lines = (canonical({"task": task, "teacher": teacher}) for task, teacher in sorted(whole.items()))
    write_whole(out / ASSIGNMENT, "".join(f"{line}\n" for line in lines))
