"""What a family file says of work with many right answers: handed tables, rules over them, objectives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from workgym.records import ColumnType, Record


def _typed(columns: Mapping[str, str]) -> Mapping[str, str]:
    for name, written in columns.items():
        try:
            ColumnType.parse(written)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from error
    return columns


ColumnTypes = Annotated[Mapping[str, str], AfterValidator(_typed)]
"""Names of columns with their types as a family writes them; a type that there is not is refused by its column."""


class HandedSpec(Record):
    """A table that is handed in, with rows of the solver's choice."""

    columns: ColumnTypes
    """Types by column."""
    key: tuple[str, ...]
    """Columns that name a row."""
    labels: Mapping[str, str] = Field(default_factory=dict)
    """Headings that the request asks for, where they are not the columns' names."""
    of: Mapping[str, str] = Field(default_factory=dict)
    """By column, the ``unit.column`` whose values it may have."""
    sheet: str | None = None
    """Sheet that the request names."""
    covers: str | None = None
    """What must be there at least: ``unit`` or ``unit where ...``, by its key."""
    weight: float = Field(default=1.0, gt=0)
    """Share of the credit."""


class RuleSpec(Record):
    """A rule over handed tables."""

    says: str
    """What is wrong with a row that the query gives."""
    sql: str
    """A SELECT of violations."""
    weight: float = Field(default=1.0, gt=0)
    """Share of the credit."""


class ObjectiveSpec(Record):
    """How good the tables must be."""

    says: str
    """What the number is."""
    sql: str
    """A SELECT of one number."""
    best: str | int | float
    """The best one: a number, ``unit.column`` or a SELECT over units."""
    sense: Literal["min", "max"] = "min"
    """Which numbers are better."""
    gap: str | int | float = "0"
    """How far from the best is good: ``5%`` or an amount."""
    half: str | int | float | None = None
    """How far from it still earns the half."""
    weight: float = Field(default=1.0, gt=0)
    """Share of the credit."""
