"""All checks of recorded verdicts, in strata, and the sample that is drawn from them for people to label.

Strata are family, kind of check, and state: rare ones are drawn more densely than common ones (in proportion to the
square root of their size, and at least once), and the estimates are weighted back.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from workgym import corpus
from workgym.errors import UsageError, WorkgymError
from workgym.quality.recorded import last_verdict
from workgym.records import digest
from workgym.trajectory import Trajectory, WorkspaceEvent
from workgym.verify import Verdict

_DRAW = re.compile(r"d([0-9a-f]{12})-n(\d+)-s(-?\d+)")


class Stratum(NamedTuple):
    """What an item is like; the state is never shown to who labels it."""

    family: str
    """Family of the task, or what its id begins with."""
    kind: str
    """Kind of check."""
    state: str
    """``passed`` or ``failed``."""


class Item(NamedTuple):
    """One check of one recorded verdict."""

    id: str
    """Its name in a file of labels: a digest of what was handed in, of the verdict and of the check's name."""
    stratum: Stratum
    """What it is like."""
    folder: Path
    """The trajectory."""
    check: str
    """Name of the check."""


@dataclass
class Population:
    """All checks that passed or failed, of verdicts on hand-ins that differ."""

    strata: dict[Stratum, list[Item]] = field(default_factory=dict)
    """Items by stratum, in the order of their ids."""
    verdicts: int = 0
    """Verdicts that they are from."""
    left: Counter[str] = field(default_factory=Counter)
    """What is left out, by reason."""
    broken: dict[Path, str] = field(default_factory=dict)
    """Trajectories that cannot be read, with the reason."""

    @property
    def size(self) -> int:
        """How many items there are."""
        return sum(map(len, self.strata.values()))

    @property
    def digest(self) -> str:
        """What a draw rests on: it is another one where an item is."""
        return digest(sorted(item.id for items in self.strata.values() for item in items))[:12]


class Draw(NamedTuple):
    """How a sample was drawn, as a file of labels says it."""

    population: str
    """Digest of the population."""
    sample: int
    """How many items were asked for."""
    seed: int
    """Seed of the draw."""

    def __str__(self) -> str:
        return f"d{self.population}-n{self.sample}-s{self.seed}"

    @classmethod
    def parse(cls, text: str) -> Draw | None:
        """What ``str`` wrote; None where it is none."""
        found = _DRAW.fullmatch(text)
        return None if found is None else cls(found[1], int(found[2]), int(found[3]))


def population(folders: Iterable[Path]) -> Population:
    """The checks of all verdicts in trajectories. One that is broken is told and loses no other."""
    found = Population()
    seen: set[str] = set()
    for folder in folders:
        try:
            _add(found, seen, folder)
        except WorkgymError as error:
            found.broken[folder] = str(error)
        except Exception as error:  # noqa: BLE001 - the boundary: a log on disk may hold anything
            found.broken[folder] = f"{folder}: the trajectory cannot be read ({type(error).__name__}: {error})"
    found.strata = {stratum: sorted(items) for stratum, items in sorted(found.strata.items())}
    return found


def _add(found: Population, seen: set[str], folder: Path) -> None:
    trajectory = Trajectory.open(folder)
    event = last_verdict(trajectory)
    if event is None:
        found.left["trajectories without a verdict"] += 1
        return
    try:
        verdict = Verdict.model_validate(event.record)
    except ValidationError:  # ended before it was graded, over its limits, or by somebody else's grader
        found.left["verdicts without checks"] += 1
        return
    digests = [dict(workspace.digests) for workspace in trajectory.of(WorkspaceEvent)][-1:]
    identity = digest({"task": verdict.task, "files": digests, "verdict": event.record})
    if identity in seen:
        found.left["verdicts on a hand-in that another one is on"] += 1
        return
    seen.add(identity)
    found.verdicts += 1
    family = family_of(verdict.task)
    for check in verdict.checks:
        if check.state not in ("passed", "failed"):
            found.left[f"checks {check.state}"] += 1
            continue
        stratum = Stratum(family, check.kind, check.state)
        name = f"i{digest({'verdict': identity, 'check': check.name})[:12]}"
        found.strata.setdefault(stratum, []).append(Item(name, stratum, folder, check.name))


def family_of(task_id: str) -> str:
    """The family of a task; for a package of its own what its id begins with."""
    known = corpus.family_task(task_id.removeprefix(f"{corpus.NAMESPACE}/"))
    return known.family if known is not None else task_id.rpartition("/")[0] or task_id


def sample(there: Population, count: int, seed: int) -> dict[str, Item]:
    """A stratified sample by the items' ids, in their order: the same for the same population, count and seed.

    Raises UsageError where there is nothing to draw, or fewer items are asked for than there are strata.
    """
    if not there.size:
        raise UsageError("there is no verdict with checks to audit", fix="give trajectories that rollout graded")
    if count < len(there.strata):
        raise UsageError(
            f"--sample {count} is fewer than the {len(there.strata)} strata of family, kind of check and state",
            fix=f"draw at least {len(there.strata)}",
        )
    drawn: dict[str, Item] = {}
    for stratum, most in allocation({name: len(items) for name, items in there.strata.items()}, count).items():
        chance = random.Random(f"{seed}/{'/'.join(stratum)}")
        drawn |= {item.id: item for item in chance.sample(there.strata[stratum], most)}
    return dict(sorted(drawn.items()))


def allocation(sizes: Mapping[Stratum, int], count: int) -> dict[Stratum, int]:
    """How many of each stratum: one each, then in proportion to the square root of their size."""
    given = dict.fromkeys(sizes, 0)
    for _ in range(min(count, sum(sizes.values()))):
        room = [name for name in sizes if given[name] < sizes[name]]
        best = max(room, key=lambda name: math.inf if not given[name] else math.sqrt(sizes[name]) / given[name])
        given[best] += 1
    return given
