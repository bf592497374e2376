"""Teachers, and which of them is given which task.

An assignment is dealt like cards: tasks stand in an order that a seed settles, kind of work by kind of work, and each
goes to the teacher that is furthest behind its share. So shares hold to within one task over the whole, and nearly so
in each kind. What was dealt before stays, so that a corpus may grow while it is rolled out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal, Self

from pydantic import Field, model_validator

from workgym.errors import UsageError
from workgym.model import Model, card
from workgym.records import Record, digest
from workgym.select.tasks import TaskRef


class Teacher(Record):
    """A model in a harness."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    """What folders and tables call it."""
    harness: str
    """Name of the harness."""
    model: str | None = None
    """SPEC of the model, as for ``--model``; None for a harness that needs none."""
    share: float = Field(default=1.0, gt=0)
    """Its part of the tasks, against the sum of all shares."""


class Longest(Record):
    """More rollouts where they take the most turns, so that a judge can choose among them.

    Source: WorkFactory, selective rejection sampling of the longest 5 % by turns. It does not say how many rollouts
    these have.
    """

    share: float = Field(default=0.05, ge=0, le=1)
    """Part of the tasks that counts as the longest, by the turns of their first rollout."""
    rollouts: int = Field(default=4, ge=1)
    """Rollouts of each of them, the first included; 1 for none beside it."""


class Teachers(Record):
    """``--teachers FILE``: who rolls out what."""

    teachers: tuple[Teacher, ...] = Field(min_length=1)
    """Who there is."""
    independent_of: Literal["builder", "nobody"] = "builder"
    """``builder``: no task goes to the model that planned it, by name."""
    rollouts: int = Field(default=1, ge=1)
    """Rollouts of each task, all by its one teacher."""
    longest: Longest = Longest()
    """The tasks that get more."""

    @model_validator(mode="after")
    def _told_apart(self) -> Self:
        twice = [name for name, count in Counter(one.name for one in self.teachers).items() if count > 1]
        if twice:
            raise ValueError(f"two teachers are called {twice[0]}")
        return self


def assign(
    tasks: Sequence[TaskRef],
    teachers: Teachers,
    *,
    seed: int = 0,
    models: Mapping[str, Model | None] | None = None,
    kept: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """The name of a teacher for each task, by the task's id; the same arguments give the same.

    ``models`` are the teachers' models by teacher, for names beyond their SPEC. Of ``kept``, an earlier assignment,
    what went to teachers that are still there stays; it counts in full, tasks that are not asked for now included.
    Raises UsageError where a task has no teacher but its builder.
    """
    names = {one.name: _names(one, (models or {}).get(one.name)) for one in teachers.teachers}
    dealt = {task.id: (kept or {}).get(task.id) for task in tasks}
    given = Counter(name for name in (kept or {}).values() if name in names)
    total = sum(one.share for one in teachers.teachers)
    independent = teachers.independent_of == "builder"
    barred_of = {
        task.id: {name for name, own in names.items() if independent and task.builder and _plain(task.builder) in own}
        for task in tasks
    }
    # Who may not go everywhere is dealt first, so that the others can make up for it.
    for task in sorted(tasks, key=lambda task: (not barred_of[task.id], task.stratum, digest([seed, task.id]))):
        barred = barred_of[task.id]
        held = dealt[task.id]
        if held in names and held not in barred:
            continue
        able = [one for one in teachers.teachers if one.name not in barred]
        if not able:
            raise UsageError(
                f"{task.id} was planned by {task.builder}, and no other model is a teacher",
                fix="add a teacher, or write independent_of: nobody",
            )
        if held in names:
            given[str(held)] -= 1
        count = given.total() + 1
        behind = {one.name: one.share / total * count - given[one.name] for one in able}
        best = max(able, key=lambda one: (round(behind[one.name], 9), digest([seed, task.id, one.name])))
        dealt[task.id] = best.name
        given[best.name] += 1
    return {task.id: str(dealt[task.id]) for task in tasks}


def _names(teacher: Teacher, model: Model | None) -> frozenset[str]:
    known = [teacher.model, None if model is None else model.name, None if model is None else card(model).model]
    return frozenset(_plain(name) for name in known if name)


def _plain(name: str) -> str:
    """A model's name without provider, vendor, options and capitals: ``openai:z-ai/GLM-5.3?...`` is ``glm-5.3``."""
    return name.partition("?")[0].rpartition(":")[2].rpartition("/")[2].casefold()
