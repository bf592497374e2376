"""Mistakes as people make them, to be planted in what an expert hands in, and whether their causes are named.

No list that attribution searches is read here: a mistake is a few cells of a deliverable with other values, worked out
of what the task's files state. What counts as named is a cause of the right kind (and premise) that has the wrong facts
among its checks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import pytest

from workgym.authoring import families
from workgym.documents import TextEdit
from workgym.quality import Sound, attribute, sound
from workgym.quality.retold import lines_of
from workgym.quality.sound import rewritten
from workgym.records import Value
from workgym.verify import grade

At = tuple[str, str, tuple[str, ...], str]
"""Deliverable, unit, key and column."""
Cells = dict[At, Value]


@dataclass(frozen=True)
class Expected:
    """A cause that has to be named."""

    kinds: str
    """Its kind; several by a bar where the same mistake has several names."""
    facts: tuple[At, ...]
    """Wrong facts that have to be among its checks."""
    units: str = ""
    """A premise that has to be among its units; several by a bar."""


@dataclass(frozen=True)
class Mistake:
    """What was done, to which cells, and what should be said of it."""

    what: str
    cells: Mapping[At, Value]
    expected: tuple[Expected, ...]
    rows: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    """Rows that are taken out: deliverable, unit and key."""

    def __add__(self, other: Mistake) -> Mistake:
        cells, rows = {**self.cells, **other.cells}, self.rows + other.rows
        return Mistake(f"{self.what}; and {other.what}", cells, self.expected + other.expected, rows)


def rounded(value: Any, places: int = 2) -> Decimal:
    return Decimal(value).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


def exchanged(value: Decimal) -> Decimal:
    """Two neighbouring digits exchanged: the first two from the left, after the first, that differ."""
    digits = list(str(value))
    at = next(n for n in range(1, len(digits) - 1) if "." not in digits[n : n + 2] and digits[n] != digits[n + 1])
    digits[at], digits[at + 1] = digits[at + 1], digits[at]
    return Decimal("".join(digits))


def table(task: Sound, unit: str) -> list[dict[str, Any]]:
    """Rows of a unit as dictionaries of values."""
    relation = task.package.hidden.values[unit]
    return [dict(zip(relation.index, row, strict=True)) for row in relation.rows]


def one(task: Sound, unit: str) -> dict[str, Any]:
    return table(task, unit)[0]


def handed_in(task: Sound, mistake: Mistake) -> dict[str, bytes]:
    """The workspace with a mistake in it."""
    facts = {(*part.concern, fact.row.key, fact.column): fact for part in task.parts for fact in part.facts}
    edits = rewritten((facts[at], value) for at, value in mistake.cells.items())
    parts = {part.concern: part for part in task.parts}
    for path, unit, key in mistake.rows:
        cell = lines_of(task, parts[path, unit])[key][0]
        edits.setdefault(path, []).append(TextEdit(at=cell.at, expected=cell.text, replacement=None, mode="remove_row"))
    return task.with_edits(edits)


def short_of(task: Sound, mistake: Mistake) -> tuple[list[str], str]:
    """What should be named and is not, with what is said instead; and the kinds and premises that are named."""
    verdict = grade(task.package, handed_in(task, mistake))
    checks = {
        (check.deliverable, check.unit, check.key, check.column): check
        for check in verdict.checks
        if check.kind == "fact"
    }
    causes = attribute(task.package, verdict)
    wrong = []
    for expected in mistake.expected:
        facts = {checks[at].name for at in expected.facts if checks[at].state == "failed"}
        assert facts, mistake.what
        if not any(
            cause.kind in expected.kinds.split("|")
            and (not expected.units or {*expected.units.split("|")} & {*cause.units})
            and facts <= {*cause.checks}
            for cause in causes
        ):
            said = "; ".join(f"{cause.kind} {cause.units}: {cause.says} {cause.checks}" for cause in causes)
            wrong.append(
                f"{mistake.what}: wanted {expected.kinds} {expected.units} for {sorted(facts)}, and was told {said}"
            )
    if len(causes) > len(mistake.expected):
        wrong.append(f"{mistake.what}: more is said than was done: {causes}")
    return wrong, ", ".join(" ".join((cause.kind, *cause.units)) for cause in causes)


class Planting:
    """What the tests of the families share."""

    Mistake, Expected = Mistake, Expected
    table, one, rounded, exchanged = (
        staticmethod(table),
        staticmethod(one),
        staticmethod(rounded),
        staticmethod(exchanged),
    )

    def show(self, task: Sound, mistakes: list[Mistake]) -> None:
        """Ten mistakes or more, of which 95 in 100 are named; prints the table."""
        assert len(mistakes) >= 10
        wrong = []
        for mistake in mistakes:
            said, causes = short_of(task, mistake)
            wrong += [said] if said else []
            wanted = ", ".join(f"{one.kinds} {one.units}".strip() for one in mistake.expected)
            print(f"{'named' if not said else 'NOT  '} {mistake.what} | {wanted} | {causes}")
        print(f"{len(mistakes) - len(wrong)} of {len(mistakes)} named: {task.package.id}")
        assert len(wrong) <= 0.05 * len(mistakes), wrong


@pytest.fixture(scope="session")
def planting() -> Planting:
    """How to plant mistakes."""
    return Planting()


@pytest.fixture(scope="module")
def task(request: pytest.FixtureRequest) -> Sound:
    """A task with what its expert hands in: family, preset and seed."""
    family, preset, seed = str(request.param).split()
    return sound(families.build(family, preset, int(seed)))
