"""What a verdict found for each stated fact, beside what is right; and mistakes that may explain it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Literal

from workgym.graph import Key
from workgym.package import TaskPackage
from workgym.quality.premises import PremiseKind
from workgym.records import ColumnType, Value
from workgym.records.surface import numbers
from workgym.verify import CheckResult, Verdict
from workgym.verify.stated.matching import normal

CauseKind = (
    PremiseKind
    | Literal[
        "missing row", "not stated", "other row", "other column", "wrong sign", "stated in another unit", "last place"
    ]
    | Literal["mistyped", "rounded off", "other source", "follows"]
)
_HALF = Decimal("0.5000005")
_DIGITS = 3


@dataclass(frozen=True)
class Finding:
    """A fact of a verdict with what was found."""

    check: CheckResult
    kind: ColumnType
    places: int
    right: Value
    tabled: bool = True

    @property
    def name(self) -> str:
        """Of its check."""
        return self.check.name

    @property
    def at(self) -> tuple[str, Key, str]:
        """Unit, key and column."""
        return str(self.check.unit), self.check.key, str(self.check.column)

    @property
    def row(self) -> tuple[str | None, str, Key]:
        """The row that it stands in: deliverable, unit and key."""
        return self.check.deliverable, str(self.check.unit), self.check.key

    @property
    def step(self) -> Decimal:
        """One unit of the last place that was asked for."""
        return Decimal(1).scaleb(-(self.places + 2 if self.kind.kind == "percent" else self.places))

    @property
    def wrong(self) -> bool:
        """Whether the check failed."""
        return self.check.state == "failed"

    @cached_property
    def number(self) -> Decimal | None:
        """What was found, where it is one number."""
        tokens = list(numbers(self.check.found or ""))
        return tokens[0].readings[0].value if len(tokens) == 1 and isinstance(self.right, (int, Decimal)) else None

    @cached_property
    def error(self) -> Decimal | None:
        """By how much it is wrong; what is not there counts as nothing. None where it is no number."""
        if not isinstance(self.right, (int, Decimal)):
            return None
        if self.check.found is None:
            return -Decimal(self.right)
        return None if self.number is None else self.number - Decimal(self.right)

    @cached_property
    def telling(self) -> bool:
        """Whether a mistake that gives what was found is hardly one by chance: a number of three or more digits."""
        return self.number is not None and abs(self.number) >= self.step * 10 ** (_DIGITS - 1)

    def found(self, value: Value) -> bool:
        """Whether what was found is a value, as far as it is printed."""
        text = self.check.found
        if text is None or value is None:
            return False
        if not isinstance(value, (int, Decimal)):
            return normal(text) == normal(self.kind.show(value))
        return any(
            abs(number - Decimal(value)) <= max(self.step, quantum) * _HALF
            for token in self._tokens
            for number, quantum in token[:1]
        )

    @cached_property
    def _tokens(self) -> tuple[tuple[tuple[Decimal, Decimal], ...], ...]:
        return tuple(tuple(token.readings) for token in numbers(self.check.found or ""))

    def is_right(self, value: Value) -> bool:
        """Whether a value is the right one, within the tolerance."""
        if isinstance(value, (int, Decimal)) and isinstance(self.right, (int, Decimal)):
            return abs(Decimal(value) - Decimal(self.right)) <= self.step * _HALF
        return value == self.right


@dataclass(frozen=True)
class Candidate:
    """A mistake, and the wrong values that it may explain."""

    kind: CauseKind
    """What kind of mistake it is."""
    says: str
    """One sentence, without its capital and full stop."""
    units: tuple[str, ...]
    """The premises that would be wrong."""
    explains: frozenset[str]
    """Names of the failed checks that it gives."""
    against: int = 0
    """Right values that it would have changed, had it been made in all of the deliverables that are wrong."""
    local: bool = False
    """Whether it is made only in the values that it explains."""


def findings(package: TaskPackage, verdict: Verdict) -> Iterator[Finding]:
    """Every fact of a verdict, in its order."""
    graph, values = package.hidden.graph, package.hidden.values
    asked = {
        (deliverable.path, stated.unit): stated for deliverable in graph.deliverables for stated in deliverable.states
    }
    for check in verdict.checks:
        if (
            check.kind == "fact"
            and check.unit is not None
            and check.column is not None
            and check.deliverable is not None
        ):
            kind = graph.unit(check.unit).column(check.column).type
            stated = asked[check.deliverable, check.unit]
            places = stated.places.get(check.column, kind.places)
            right = values[check.unit].value(check.key, check.column)
            yield Finding(check, kind, places, right, stated.form == "table")
