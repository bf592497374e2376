"""What packages are, read lightly: their cards and origins, not their graphs and values."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from workgym.errors import PackageError, WorkgymError
from workgym.intents.coverage import Coverage, coverage
from workgym.package.model import Origin, TaskCard
from workgym.records import Record, by_ending
from workgym.records.soc import soc
from workgym.records.yaml12 import read_yaml


class Package(Record):
    """One task of a corpus."""

    folder: str
    """Its folder, from the report's."""
    card: TaskCard
    """What is public about it."""
    origin: Origin
    """Where it came from."""
    files: Mapping[str, int]
    """Bytes of the files that the solver starts with, by path."""
    words: int
    """Words of the request."""
    revisions: int
    """Accepted revisions."""
    earlier: tuple[str, ...]
    """Digests of the states that revisions have replaced."""
    sealed: bool
    """Whether it carries a report of the quality suite."""

    @property
    def author(self) -> str:
        """Who wrote it: ``family supplier-selection``, ``model NAME (planned)``, ``real files``."""
        if self.origin.author == "blueprint":
            return f"family {self.origin.family}" if self.origin.family else "blueprint"
        if self.origin.author == "model":
            how = f" ({self.origin.condition})" if self.origin.condition else ""
            return f"model {self.origin.builder or 'unknown'}{how}"
        return self.origin.author


class Range(Record):
    """How a number is spread over tasks."""

    least: int
    """The smallest."""
    median: int
    """Half of them are at most this."""
    most: int
    """The largest."""
    total: int
    """The sum."""

    @classmethod
    def of(cls, numbers: Sequence[int]) -> Range:
        """The range of some numbers; zeros for none."""
        ordered = sorted(numbers) or [0]
        return cls(least=ordered[0], median=ordered[len(ordered) // 2], most=ordered[-1], total=sum(ordered))


class Composition(Record):
    """What a corpus is made of."""

    tasks: int
    """Its tasks."""
    authors: Mapping[str, int]
    """Tasks by author, the most frequent first."""
    formats: Mapping[str, int]
    """Files that solvers start with, by format."""
    deliverables: Mapping[str, int]
    """Files that are asked for, by format."""
    files: Range
    """Files of a task."""
    bytes: Range
    """Bytes of a task's files."""
    words: Range
    """Words of a request."""
    licences: Mapping[str, int]
    """Tasks by licence."""
    modalities: Mapping[str, int]
    """Tasks by modality."""
    sealed: int
    """Tasks with a report of the quality suite."""
    revised: int
    """Tasks that were repaired."""
    probed_by: Mapping[str, int]
    """Tasks by the model that probed them; ``nobody`` for the others."""
    occupations: Mapping[str, int]
    """Tasks by SOC code as it is written."""
    coverage: Coverage
    """What of SOC 2018 is covered."""
    outside_soc: int
    """Tasks whose code is no detailed occupation of SOC 2018."""
    canary: str
    """The canary of the first task, as an example; empty for no task."""


def packages(
    folders: Sequence[Path], root: Path, progress: Callable[[str], None] = lambda line: None
) -> tuple[tuple[Package, ...], dict[str, str]]:
    """All that can be read, and by folder why one cannot."""
    found: list[Package] = []
    broken: dict[str, str] = {}
    for number, folder in enumerate(folders, 1):
        if number % 100 == 1:
            progress(f"reading package {number:,} of {len(folders):,}")
        name = folder.relative_to(root).as_posix()
        try:
            found.append(_package(folder, name))
        except (WorkgymError, OSError, ValueError, RecursionError) as error:
            broken[name] = " ".join(str(error).split())
    return tuple(found), broken


def _package(folder: Path, name: str) -> Package:
    hidden = folder / "hidden"
    try:
        card = TaskCard.model_validate(read_yaml((folder / "task.yaml").read_text("utf-8"), f"{name}/task.yaml"))
        origin = Origin.model_validate(json.loads((hidden / "origin.json").read_text("utf-8")))
    except ValidationError as error:
        first = error.errors()[0]
        raise PackageError(f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}") from error
    history = [json.loads(path.read_text("utf-8")) for path in sorted((hidden / "history").glob("*.json"))]
    files = [path for path in sorted((folder / "files").rglob("*")) if path.is_file() and not path.is_symlink()]
    return Package(
        folder=name,
        card=card,
        origin=origin,
        files={path.relative_to(folder / "files").as_posix(): path.stat().st_size for path in files},
        words=len((folder / "request.md").read_text("utf-8", "replace").split()),
        revisions=len(history),
        earlier=tuple(str(entry.get("before", "")) for entry in history if isinstance(entry, dict)),
        sealed=(hidden / "qa.json").is_file(),
    )


def composition(found: Sequence[Package]) -> Composition:
    """What they are together."""
    detailed = {one.code for one in soc().level("detailed")}
    occupations = Counter(one.card.occupation for one in found)
    known = Counter({code: count for code, count in occupations.items() if code in detailed})
    return Composition(
        tasks=len(found),
        authors=_ranked(one.author for one in found),
        formats=_ranked(_format(path) for one in found for path in one.files),
        deliverables=_ranked(_format(given.path) for one in found for given in one.card.deliverables),
        files=Range.of([len(one.files) for one in found]),
        bytes=Range.of([sum(one.files.values()) for one in found]),
        words=Range.of([one.words for one in found]),
        licences=_ranked(one.card.licence for one in found),
        modalities=_ranked(one.card.modality for one in found),
        sealed=sum(one.sealed for one in found),
        revised=sum(one.revisions > 0 for one in found),
        probed_by=_ranked(one.origin.probed_by or "nobody" for one in found),
        occupations=dict(sorted(occupations.items())),
        coverage=coverage(known),
        outside_soc=len(found) - known.total(),
        canary=found[0].card.canary if found else "",
    )


def _format(path: str) -> str:
    known = by_ending(path)
    return known.name if known is not None else path.rpartition(".")[2].lower()[:12] if "." in path else "none"


def _ranked(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items(), key=lambda item: (-item[1], item[0])))
