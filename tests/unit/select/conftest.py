"""Tasks that cost nothing to roll out, and planted rollouts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from workgym.package import save
from workgym.select import TaskRef, task_refs
from workgym.testing import toy_task
from workgym.testing.planted.scenes import Scene, work

ToyTasks = Callable[..., tuple[TaskRef, ...]]
Scenes = Callable[..., Scene]


@pytest.fixture
def toy_tasks(tmp_path: Path) -> ToyTasks:
    """Toy tasks in packages of their own; ``builder`` is the model that planned them."""

    def make(count: int, builder: str = "", turns: int = 250) -> tuple[TaskRef, ...]:
        home = tmp_path / "tasks"
        for number in range(count):
            toy = toy_task(rent=str(30 + number), turns=turns)
            origin = toy.hidden.origin.model_copy(update={"author": "model", "builder": builder})
            named = toy.card.model_copy(update={"id": f"workfactory/toy-{number:02}"})
            task = toy.with_hidden(origin=origin)
            save(
                type(task)(card=named, request=task.request, files=task.files, hidden=task.hidden),
                home / f"toy-{number:02}",
            )
        return task_refs([str(home)])

    return make


@pytest.fixture
def scenes(tmp_path: Path) -> Scenes:
    """Scenes to act, each in a folder of its own."""
    made: list[Scene] = []

    def make(seed: int = 1, suppliers: int = 4, **options: object) -> Scene:
        made.append(Scene(tmp_path / f"scene-{len(made)}", work(seed, suppliers), **options))  # type: ignore[arg-type]
        return made[-1]

    return make
