"""The tasks that a command's words stand for."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from workgym import corpus
from workgym.errors import UsageError
from workgym.package import TaskPackage, load


def task(name: str) -> TaskPackage:
    """The package of one task, by its folder or its id. Raises UsageError for a folder that holds some."""
    single(name)
    return load(Path(name)) if (Path(name) / "task.yaml").is_file() else corpus.load(name)


def single(name: str) -> None:
    """Raises UsageError for a folder that is no task itself, and says where its tasks are."""
    if Path(name).is_dir() and not (Path(name) / "task.yaml").is_file():
        held = corpus.named(name)
        raise UsageError(f"{name}: one task is wanted, and {len(held)} are there", fix=f"name one, as {held[0]}")


def many(names: Iterable[str]) -> list[corpus.Found]:
    """The tasks that some names stand for, in their order. Raises UsageError where nothing is there."""
    return [found for name in names for found in corpus.named(name)]
