"""Where tasks come from: families that build any seed, folders of packages, and lists of ids.

Opening a source is cheap: a folder is not listed, a list is read once (112,686 ids take some 10 ms), and no task is
built before it is loaded.
"""

from __future__ import annotations

import difflib
import functools
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from workgym import shelves
from workgym.corpus.ids import NAMESPACE, FamilyTask, bare, family_task
from workgym.errors import BlueprintError, UsageError

if TYPE_CHECKING:
    from workgym.authoring.blueprint import Blueprint
    from workgym.package import TaskPackage

TASKS = "tasks"
"""Where a factory's folder (``workgym build --author model -o DIR``) has its packages."""
IDS = "ids.txt"
"""A corpus folder's list of ids, one a line; lines that begin with ``#`` are comments."""


class Source(Protocol):
    """Something that has tasks, by bare id."""

    def __contains__(self, name: str) -> bool:
        """Whether it has the task; builds nothing."""

    def load(self, name: str) -> TaskPackage:
        """The task. Raises UsageError, BlueprintError or PackageError where it cannot be had."""


class Families:
    """Every seed of every family on the shelf."""

    def __contains__(self, name: str) -> bool:
        asked = family_task(name)
        return asked is not None and asked.family in shelves.names("envs") and _refused(asked) is None

    def load(self, name: str) -> TaskPackage:
        """Build the task."""
        from workgym.authoring import families

        asked = family_task(name)
        if asked is None:
            raise UsageError(f"{name!r} names no family and seed")
        return families.build(asked.family, asked.preset, asked.seed, asked.version)


class Folder:
    """A folder whose subfolders are task packages, each named by its id."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __contains__(self, name: str) -> bool:
        return (self.path / name / "task.yaml").is_file()

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(entry.parent.name for entry in self.path.glob("*/task.yaml")))

    def load(self, name: str) -> TaskPackage:
        """Read the package."""
        from workgym import package

        return package.load(self.path / name)


class IdList:
    """The ids of a file, in its order; their tasks are built by families."""

    def __init__(self, path: Path) -> None:
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{path}: {error}") from error
        if "#" in text:
            text = "\n".join(line for line in text.split("\n") if not line.startswith("#"))
        self._lines = text.split()
        self._families = Families()

    @functools.cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self._lines)

    def __contains__(self, name: str) -> bool:
        return name in self._known or f"{NAMESPACE}/{name}" in self._known

    def __iter__(self) -> Iterator[str]:
        return (line.removeprefix(f"{NAMESPACE}/") for line in self._lines)

    def __len__(self) -> int:
        return len(self._lines)

    def load(self, name: str) -> TaskPackage:
        """Build the task."""
        return self._families.load(name)


def open_source(path: Path | str) -> Folder | IdList:
    """The source at a path: a file of ids, a folder with ``ids.txt``, a folder of packages, or a factory's.

    Raises UsageError where nothing is there.
    """
    where = Path(path)
    if where.is_file():
        return IdList(where)
    if (where / IDS).is_file():
        return IdList(where / IDS)
    if where.is_dir():
        return Folder(_home(where))
    raise UsageError(f"{path}: neither a folder nor a file")


def _home(folder: Path) -> Path:
    """Where a folder's packages lie: in it, or in its ``tasks``."""
    inner = folder / TASKS
    made = inner.is_dir() and _holds(inner) and not _holds(folder)
    return inner if made else folder


def _holds(folder: Path) -> bool:
    return any(folder.glob("*/task.yaml"))


def unknown(task_id: str) -> UsageError:
    """The error for an id that no source has, with what comes nearest."""
    name = bare(task_id)
    asked = family_task(name)
    families = shelves.names("envs")
    if asked is None and name.partition(".")[0] in families:
        return UsageError(f"{task_id} names a family and no task", fix=f"add a seed: {NAMESPACE}/{name}-42")
    if asked is not None and asked.family in families:
        refused = _refused(asked)
        assert refused is not None  # the families have all others
        return refused
    if asked is None:
        return UsageError(
            f"unknown task {task_id!r}",
            fix="give its package's folder, or add its corpus: workgym.corpus.add(PATH), or WORKGYM_CORPUS",
        )
    near = difflib.get_close_matches(asked.family, families, n=3, cutoff=0.5) or families
    return UsageError(
        f"unknown family {asked.family!r}", fix=f"did you mean {' or '.join(near)}?" if near else "none is installed"
    )


def _refused(asked: FamilyTask) -> UsageError | None:
    """Why a family of the shelf has no task with this preset and version; None where it has, and where its file is
    wrong, of which whoever loads the task is told."""
    if asked.preset is None and asked.version is None:
        return None
    from workgym.authoring import families

    file = shelves.folder("envs", asked.family) / shelves.MANIFESTS["envs"]
    plan = _plan(asked.family, file, file.stat().st_mtime_ns)
    return None if plan is None else families.refusal(plan, asked.preset, asked.version)


@functools.lru_cache(maxsize=64)
def _plan(family: str, file: Path, stamp: int) -> Blueprint | None:
    """A family as it stands in its file of this time; None where that is wrong. A list has 100,000 ids to ask for."""
    from workgym.authoring import families

    try:
        return families.family(family).blueprint
    except BlueprintError:
        return None
