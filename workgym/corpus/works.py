"""How much distinct work a corpus is: tasks by the fingerprint of their support graphs.

A thousand seeds of one template are a thousand tasks and one work. Graphs of packages are a stranger's: their queries
are parsed in a limited child process.
"""

from __future__ import annotations

import json
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from workgym.errors import ChildFailed, WorkgymError
from workgym.graph import SupportGraph
from workgym.graph.fingerprint import fingerprint
from workgym.records import Record
from workgym.sandbox import child

GRAPH = "hidden/graph.json"
_CHILD = "workgym.corpus.works:fingerprints_json"
_LIMITS = child.JobLimits(memory_mib=1024, cpu_seconds=120, wall_seconds=900.0)
_BATCH, _BATCH_BYTES, _LARGEST = 100, 16 * 2**20, 32 * 2**20


class Works(Record):
    """The distinct work of some tasks."""

    of: Mapping[str, str]
    """Fingerprint by task, for tasks that have one."""
    without: tuple[str, ...] = ()
    """Tasks whose graph derives nothing, as those that were planned without one: of their work nothing is known."""
    refused: Mapping[str, str] = {}
    """Tasks whose graph cannot be read, with the reason."""

    @cached_property
    def sizes(self) -> Counter[str]:
        """How many tasks each work has."""
        return Counter(self.of.values())

    @property
    def tasks(self) -> int:
        """All tasks."""
        return len(self.of) + len(self.without) + len(self.refused)

    @property
    def distinct(self) -> int:
        """Different works among the tasks that have a graph."""
        return len(self.sizes)

    @property
    def largest(self) -> int:
        """Tasks of the work that is repeated most; 0 for no task."""
        return max(self.sizes.values(), default=0)

    def __str__(self) -> str:
        said = f"{self.tasks:,} tasks, {self.distinct:,} distinct piece{'s' * (self.distinct != 1)} of work"
        if self.distinct and self.largest > 1:
            said += f" (one of them stands behind {self.largest:,})"
        unknown = len(self.without) + len(self.refused)
        return said + (f"; {unknown:,} without a graph to tell by" if unknown else "")


def works(folders: Iterable[Path], progress: Callable[[str], None] = lambda line: None) -> Works:
    """The distinct work of the packages in some folders, by the folders' names."""
    of: dict[str, str] = {}
    without: list[str] = []
    refused: dict[str, str] = {}
    done = 0
    for batch in _batches(folders, refused):
        for name, said in _asked(batch).items():
            if said is None:
                without.append(name)
            elif "fingerprint" in said:
                of[name] = said["fingerprint"]
            else:
                refused[name] = said["refused"]
        done += len(batch)
        progress(f"{done:,} graphs compared")
    return Works(of=of, without=tuple(without), refused=refused)


def _batches(folders: Iterable[Path], refused: dict[str, str]) -> Iterator[dict[str, bytes]]:
    batch: dict[str, bytes] = {}
    size = 0
    for folder in folders:
        path = folder / GRAPH
        try:
            found = path.lstat()
            if not stat.S_ISREG(found.st_mode) or found.st_size > _LARGEST:
                raise OSError("no file that is read")
            batch[folder.name] = path.read_bytes()
        except OSError as error:
            refused[folder.name] = f"{GRAPH}: {error.strerror or error}".lower()
            continue
        size += len(batch[folder.name])
        if len(batch) == _BATCH or size > _BATCH_BYTES:
            yield batch
            batch, size = {}, 0
    if batch:
        yield batch


def _asked(batch: Mapping[str, bytes]) -> dict[str, dict[str, str] | None]:
    try:
        answer: dict[str, Any] = child.run(_CHILD, None, files=batch, limits=_LIMITS)
    except ChildFailed as error:
        if len(batch) > 1:
            return {name: _asked({name: content})[name] for name, content in batch.items()}
        return {name: {"refused": f"{GRAPH}: {error.kind}, {error.detail}"} for name in batch}
    return answer


def fingerprints_json(_: None, files: Mapping[str, bytes]) -> dict[str, dict[str, str] | None]:
    """What the child runs: by task its fingerprint, None, or why there is none."""
    return {name: _one(content) for name, content in files.items()}


def _one(content: bytes) -> dict[str, str] | None:
    try:
        found = fingerprint(SupportGraph.model_validate(json.loads(content)))
    except ValidationError as error:
        return {"refused": f"{GRAPH}: {error.errors()[0]['msg']}"}
    except (WorkgymError, ValueError, RecursionError) as error:
        return {"refused": f"{GRAPH}: {str(error) or type(error).__name__}"}
    return None if found is None else {"fingerprint": found}
