"""What every writer gets and gives."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from workgym.materialize.scope import View
from workgym.plan import ArtifactSpec
from workgym.records import Anchor

_DAY = datetime.date(2026, 1, 1)


@dataclass(frozen=True, eq=False)
class Rendered:
    """A carrier as it is written."""

    path: str
    """Path from the solver's root."""
    content: bytes
    """Its bytes: the same for the same world, everywhere under one lock file."""
    noted: Callable[[], Iterable[Anchor]]
    """Works out its anchors, in reading order: a table's are as many as its cells, and not everybody looks at them."""

    @cached_property
    def anchors(self) -> tuple[Anchor, ...]:
        """Where its values, states and decor came to stand, in reading order."""
        return tuple(self.noted())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rendered):
            return NotImplemented
        return (self.path, self.content, self.anchors) == (other.path, other.content, other.anchors)

    def __hash__(self) -> int:
        return hash((self.path, self.content))


@dataclass(frozen=True)
class Job:
    """One carrier to be written by a writer."""

    path: str
    """Path from the solver's root."""
    title: str
    """What a person would call it; may be empty."""
    look: str
    """Seed of the look."""
    view: View
    """The names of its templates."""
    write: Callable[[ArtifactSpec, Job], Rendered]
    """Writes a carrier that lies within this one."""
    held: tuple[Mapping[str, Any], ...] = ()
    """What the front matter of a mail says that it carries: its ``attach`` list."""

    @property
    def today(self) -> datetime.date:
        """The date of the world, for metadata."""
        raw = self.view.scope.context.get("today")
        return _DAY if raw is None else datetime.date.fromisoformat(str(raw)[:10])

    def stamp(self, *parts: str) -> str:
        """A hexadecimal id that depends on the carrier's path and ``parts`` alone."""
        return hashlib.sha256("\0".join((self.path, *parts)).encode()).hexdigest()[:32]


def rendered(job: Job, content: bytes, anchors: Iterable[Anchor]) -> Rendered:
    """The result of a job of which all anchors are known."""
    known = tuple(anchors)
    return Rendered(job.path, content, lambda: known)
