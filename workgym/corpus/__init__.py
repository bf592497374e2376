"""Corpora: from a task's id to its package.

``find(id)`` looks, in this order, in what ``add`` opened, in the entries of ``WORKGYM_CORPUS`` (paths, read at every
call), and among the families, which have every seed. Nothing is built until ``load``.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from workgym.corpus.ids import NAMESPACE, FamilyTask, bare, family_task
from workgym.corpus.sources import Families, Folder, IdList, Source, open_source, unknown
from workgym.errors import UsageError

if TYPE_CHECKING:
    from workgym.package import TaskPackage

__all__ = [
    "NAMESPACE",
    "Families",
    "FamilyTask",
    "Folder",
    "Found",
    "IdList",
    "Source",
    "add",
    "at",
    "bare",
    "family_task",
    "find",
    "folder",
    "has",
    "load",
    "named",
    "open_source",
    "remove",
]

_added: dict[Path, Source] = {}
_opened: dict[tuple[Path, int], Source] = {}


class Found(NamedTuple):
    """A task that is there."""

    name: str
    """Its id without the namespace."""
    source: Source
    """Who has it."""

    @property
    def home(self) -> Path | None:
        """The folder of its package, or None where it is built."""
        return self.source.path / self.name if isinstance(self.source, Folder) else None

    def load(self) -> TaskPackage:
        """Build or read it."""
        return self.source.load(self.name)

    def __str__(self) -> str:
        return str(self.home or self.name)


def add(path: Path | str) -> Source:
    """Open a corpus for this process. Raises UsageError where nothing is there."""
    where = Path(path).resolve()
    _added[where] = open_source(where)
    return _added[where]


def remove(path: Path | str) -> None:
    """Forget a corpus that was added."""
    _added.pop(Path(path).resolve(), None)


def find(task_id: str) -> Found:
    """Who has a task. Raises UsageError where nobody has, with what comes nearest."""
    name = bare(task_id)
    for source in (*_added.values(), *_from_environment(), Families()):
        if name in source:
            return Found(name, source)
    raise unknown(task_id)


def at(folder: Path | str) -> Found:
    """The package in a folder. Raises UsageError where there is none."""
    home = Path(folder).resolve()
    source = Folder(home.parent)
    if home.name not in source:
        raise UsageError(f"{folder}: no task package is there")
    return Found(home.name, source)


def folder(task: Path | str) -> Path | None:
    """The folder of a package that is named by its path; None for what is an id."""
    return Path(task) if isinstance(task, Path) or (Path(task) / "task.yaml").is_file() else None


def named(name: str) -> tuple[Found, ...]:
    """The tasks that a name stands for: a package's folder, an id, or a folder or file that holds many.

    Such a folder has packages, has ids (``ids.txt``), or is a factory's. Raises UsageError where nothing is there.
    """
    path = Path(name)
    if (path / "task.yaml").is_file():
        return (at(path) if path.name in ("", "..") else Found(path.name, Folder(path.parent)),)
    if not path.exists():
        return (find(name),)
    source = open_source(path)
    if isinstance(source, Folder):
        found = tuple(Found(one, source) for one in source)
    else:
        found = tuple(find(one) for one in source)
    if not found:
        raise UsageError(f"{name}: no task package is there", fix="give packages, a folder of some, or ids")
    return found


def has(task_id: str) -> bool:
    """Whether there is such a task; builds nothing."""
    try:
        find(task_id)
    except UsageError:
        return False
    return True


def load(task_id: str) -> TaskPackage:
    """The task of an id. Raises UsageError for an unknown one, and what building or reading it raises."""
    return find(task_id).load()


def _from_environment() -> list[Source]:
    sources = []
    for entry in filter(None, os.environ.get("WORKGYM_CORPUS", "").split(os.pathsep)):
        where = Path(entry).resolve()
        listing = where / "ids.txt" if (where / "ids.txt").is_file() else where
        if not listing.exists():
            raise UsageError(f"WORKGYM_CORPUS: {entry} is not there")
        key = (where, listing.stat().st_mtime_ns if listing.is_file() else 0)
        if key not in _opened:
            _opened[key] = open_source(where)
        sources.append(_opened[key])
    return sources
