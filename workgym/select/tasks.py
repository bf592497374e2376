"""Tasks by name, many at once, and cheaply: what an assignment has to know of each, without building or reading it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from workgym import corpus
from workgym.corpus import Folder, IdList, bare, family_task
from workgym.errors import UsageError


class TaskRef(NamedTuple):
    """A task that is there."""

    id: str
    """Its id without the namespace."""
    folder: Path | None
    """Folder of its package; None where its id builds it."""
    stratum: str
    """Its kind of work, within which teachers are balanced: a family, an occupation, or what made it."""
    builder: str
    """The model that planned it; empty where none did."""


def task_refs(names: Iterable[str]) -> tuple[TaskRef, ...]:
    """The tasks of package folders, of folders or files that hold many, and of ids, in the order given.

    Raises UsageError for what is none, for an empty folder, and where one id stands for two places.
    """
    found: dict[str, TaskRef] = {}
    for ref in (ref for name in names for ref in _named(name)):
        known = found.setdefault(ref.id, ref)
        if known.folder != ref.folder:
            raise UsageError(f"{ref.id} is in {known.folder or 'a family'} and in {ref.folder or 'a family'}")
    return tuple(found.values())


def _named(name: str) -> Iterator[TaskRef]:
    path = Path(name)
    if (path / "task.yaml").is_file():
        yield _packaged(path)
        return
    if not path.exists():
        task = corpus.find(name)
        yield _packaged(task.home) if task.home is not None else _built(task.name)
        return
    source = corpus.open_source(path)
    refs = [_packaged(source.path / one) for one in source] if isinstance(source, Folder) else _listed(source)
    if not refs:
        raise UsageError(f"{name}: no task package is there", fix="give packages, a folder of some, or ids")
    yield from refs


def _listed(source: IdList) -> list[TaskRef]:
    for one in source:
        corpus.find(one)
    return [_built(one) for one in source]


def _built(name: str) -> TaskRef:
    asked = family_task(bare(name))
    return TaskRef(bare(name), None, asked.family if asked is not None else "", "")


def _packaged(folder: Path) -> TaskRef:
    where = folder.resolve()
    origin = _origin(where / "hidden/origin.json")
    intent = origin.get("intent") or {}
    kind = origin.get("family") or intent.get("role", {}).get("occupation") or origin.get("author") or ""
    return TaskRef(where.name, where, str(kind), str(origin.get("builder") or ""))


def _origin(file: Path) -> dict[str, Any]:
    """Where a package came from. Raises UsageError where it does not say: then nobody knows whose task it is."""
    try:
        origin = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{file}: {error}") from None
    if not isinstance(origin, dict):
        raise UsageError(f"{file}: an object is wanted")
    return origin
