"""Work with many right answers as records: tables that are handed in, rules over them, and how good they must be.

A rule is a query over the handed tables of one deliverable, joined with units; the rows that it gives are violations.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Literal

from pydantic import Field, field_validator, model_validator

from workgym.records import Column, Record


class Handed(Record):
    """A table that a deliverable must contain. Its rows are the solver's own choice."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    """Name in queries; no unit has it."""
    columns: tuple[Column, ...] = Field(min_length=1)
    """Typed columns; a column's label is the heading that the request asks for."""
    key: tuple[str, ...] = Field(min_length=1)
    """The columns that name a row; no two rows have the same."""
    of: Mapping[str, str] = Field(default_factory=dict)
    """By column, the ``unit.column`` whose values it may have."""
    sheet: str | None = None
    """Sheet that the request names; None for any."""
    covers: str | None = None
    """A query over units whose rows must each be there, by columns of the same names; None for one row at least."""
    weight: float = Field(default=1.0, gt=0)
    """Share of the credit for a table that is there and whole."""

    @model_validator(mode="after")
    def _whole(self) -> Handed:
        names = [column.name for column in self.columns]
        for name in (*self.key, *self.of):
            if name not in names:
                raise ValueError(f"{name} is not a column of the table {self.name}")
        return self


class Acceptance(Record):
    """A rule that an acceptable answer keeps."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    """Name in verdicts."""
    says: str
    """What is wrong with a row that the query gives, as a sentence for a person."""
    query: str
    """A SELECT over handed tables and units; each row is a violation."""
    weight: float = Field(default=1.0, gt=0)
    """Share of the credit, relative to the other parts of the task."""


class Objective(Record):
    """How good an answer has to be that keeps all rules."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    """Name in verdicts."""
    says: str
    """What the number is, as a phrase."""
    query: str
    """A SELECT of one number over handed tables and units."""
    best: str
    """A SELECT of the best number, over units alone."""
    sense: Literal["min", "max"] = "min"
    """Which numbers are better."""
    gap: str = "0"
    """How far from the best is good: a percentage of it (``5%``) or an amount."""
    half: str | None = None
    """How far from the best still earns the half; None where nothing beyond ``gap`` earns."""
    weight: float = Field(default=1.0, gt=0)
    """Share of the credit, relative to the other parts of the task."""

    @field_validator("gap", "half")
    @classmethod
    def _distance(cls, written: str | None) -> str | None:
        if written is not None:
            try:
                sound = Decimal(written.removesuffix("%")) >= 0
            except InvalidOperation:
                sound = False
            if not sound:
                raise ValueError(f"{written!r} is no distance; write 5% or 20")
        return written

    def within(self, number: Decimal, best: Decimal, distance: str) -> bool:
        """Whether a number is as good as the best, but for a distance."""
        amount = Decimal(distance.removesuffix("%"))
        allowed = abs(best) * amount / 100 if distance.endswith("%") else amount
        return (number - best if self.sense == "min" else best - number) <= allowed
