"""``workgym report``: everything that a corpus and its making show, out of one folder.

What is read: packages, the factory's journal, probe reports, trajectories, the ledger, the comparison with evaluation
sets. What is missing leaves its part empty, so that a plain folder of packages or of trajectories has a report, too.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from workgym.corpus.hygiene import Report as Hygiene
from workgym.corpus.works import Works, works
from workgym.errors import UsageError
from workgym.evaluate.behaviour import Group, episodes, groups
from workgym.evaluate.byhand import by_hand
from workgym.evaluate.costs import Costs, costs
from workgym.evaluate.defects import DefectTable, alike, table
from workgym.evaluate.entries import JOURNAL, LEDGER, TASKS, entries
from workgym.evaluate.funnel import Funnel, Intents, Repairs, Selected, funnels, intents, repairs, selected
from workgym.evaluate.packages import Composition, composition, packages
from workgym.evaluate.rates import METHOD
from workgym.intents import Library
from workgym.intents.library import FILE as LIBRARY
from workgym.probe import REPORT
from workgym.probe.model import ProbeReport
from workgym.records import Record
from workgym.records.factory import FactoryEntry
from workgym.select.selection import NAME as SELECTION
from workgym.select.selection import Selection
from workgym.trajectory.store import EVENTS

HYGIENE = "hygiene.json"
"""Where a comparison with evaluation sets is looked for (``workgym check --against ... -o``)."""


class CorpusReport(Record):
    """What a corpus is, how it was made, and what was measured of it."""

    folder: str
    """The folder that was looked at, by its name."""
    composition: Composition
    """What the corpus is made of."""
    works: Works
    """How much distinct work its tasks are."""
    intents: int
    """Intents in the factory's journal; 0 where there is none."""
    library: Intents | None
    """What became of candidates for intents; None where no library is there."""
    defects: DefectTable
    """Rates of defects under the three conditions."""
    alike: DefectTable | None
    """The same for the intents alone that were measured under all three; None where there are none, or all were."""
    funnels: tuple[Funnel, ...]
    """Where tasks were lost."""
    selections: tuple[Selected, ...]
    """Where trajectories were lost."""
    repairs: Repairs
    """What repair did."""
    behaviour: tuple[Group, ...]
    """How agents behaved."""
    costs: Costs
    """What it cost."""
    hygiene: Hygiene | None
    """The comparison with evaluation sets; None where none was made."""
    unread: Mapping[str, str]
    """What could not be read, by path, with the reason."""
    method: str = METHOD
    """How intervals are made."""


class _Found(NamedTuple):
    """What lies in a folder."""

    packages: list[Path]
    trajectories: list[Path]
    probes: list[Path]
    selections: list[Path]
    ledgers: list[Path]
    library: Path | None


def report(
    folder: Path, *, hygiene: Path | None = None, progress: Callable[[str], None] = lambda line: None
) -> CorpusReport:
    """The report over a folder.

    Raises UsageError where nothing is there to be reported, and for a journal, a library, a selection or a comparison
    that is damaged.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder}: not a folder", fix="give what workgym build wrote (-o)")
    journal = entries(folder)
    progress("looking for packages and trajectories")
    found = _found(folder, journal)
    if not (journal or found.packages or found.trajectories or found.selections or found.library):
        raise UsageError(
            f"{folder}: neither a package, a trajectory, nor {JOURNAL} is there",
            fix="give what workgym build wrote (-o)",
        )
    tasks, broken = packages(found.packages, folder, progress)
    done, cut = episodes(_told(found.trajectories, progress), folder)
    probes, unread = _probes(folder, journal, found.probes)
    probed = journal or by_hand(probes, tasks)
    whole, shared = table(probed, probes), alike(probed, probes)
    return CorpusReport(
        folder=folder.resolve().name,
        composition=composition(tasks),
        works=works((folder / one.folder for one in tasks), progress),
        intents=len({entry.intent for entry in journal}),
        defects=whole,
        alike=table(shared, probes) if shared and len(shared) < len(probed) else None,
        library=None if found.library is None else intents(Library(found.library).stats()),
        funnels=funnels(journal),
        selections=tuple(
            selected(path.relative_to(folder).as_posix(), Selection.load(path)) for path in found.selections
        ),
        repairs=repairs(journal),
        behaviour=groups(done, _probing(folder, probes)),
        costs=costs(found.ledgers, journal),
        hygiene=_hygiene(folder, hygiene),
        unread={**broken, **cut, **unread},
    )


def _found(folder: Path, journal: tuple[FactoryEntry, ...]) -> _Found:
    """The corpus: what was kept of a factory's run, else every package; and all trajectories."""
    packages_there: list[Path] = []
    trajectories: list[Path] = []
    probes: list[Path] = []
    selections: list[Path] = []
    ledgers: list[Path] = []
    library = next((path for path in (folder / "intents", folder) if (path / LIBRARY).is_file()), None)
    for where, folders, names in os.walk(folder):
        folders.sort()
        if "task.yaml" in names:
            packages_there.append(Path(where))
            folders.clear()
        elif EVENTS in names:
            trajectories.append(Path(where))
            folders.clear()
        else:
            probes += [Path(where) / name for name in names if name == REPORT]
            selections += [Path(where) / name for name in names if name == SELECTION]
            ledgers += [Path(where) / name for name in names if name == LEDGER]
    if journal:
        kept = [folder / entry.package for entry in journal if entry.kept and entry.package and _trained(entry)]
        corpus = [path for path in packages_there if path.is_relative_to(folder / TASKS)]
        packages_there = corpus or [path for path in kept if (path / "task.yaml").is_file()]
    return _Found(packages_there, trajectories, probes, selections, ledgers, library)


def _trained(entry: FactoryEntry) -> bool:
    """Whether its task belongs to the corpus: direct ones are the baseline that is only measured."""
    return entry.condition == "planned"


def _told(paths: list[Path], progress: Callable[[str], None]) -> Iterator[Path]:
    for number, path in enumerate(paths, 1):
        if number % 100 == 1:
            progress(f"reading trajectory {number:,} of {len(paths):,}")
        yield path


def _probes(
    folder: Path, journal: tuple[FactoryEntry, ...], there: list[Path]
) -> tuple[dict[str, ProbeReport], dict[str, str]]:
    """Reports by path, those that entries name and all others, and by path why one cannot be read."""
    found: dict[str, ProbeReport] = {}
    broken: dict[str, str] = {}
    named = [run.report for entry in journal for run in entry.probes]
    for path in dict.fromkeys([*named, *(path.relative_to(folder).as_posix() for path in there)]):
        try:
            found[path] = ProbeReport.model_validate_json((folder / path).read_bytes())
        except (OSError, ValidationError) as error:
            broken[path] = " ".join(str(error).split())[:300]
    return found, broken


def _probing(folder: Path, probes: Mapping[str, ProbeReport]) -> frozenset[str]:
    """Folders of the trajectories that were probes."""
    root = folder.resolve()
    found = set()
    for path, probe in probes.items():
        if probe.trajectory is not None:
            where = (root / path).parent.joinpath(probe.trajectory).resolve()
            if where.is_relative_to(root):
                found.add(where.relative_to(root).as_posix())
    return frozenset(found)


def _hygiene(folder: Path, named: Path | None) -> Hygiene | None:
    path = named or folder / HYGIENE
    if named is None and not path.is_file():
        return None
    try:
        data = json.loads(path.read_bytes())
        return Hygiene.model_validate(data)
    except OSError as error:
        raise UsageError(
            f"{path}: {error.strerror}", fix="write it with workgym check --against DIR -o FILE"
        ) from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}: not what workgym check --against wrote", fix="write it anew (-o)") from error
