"""How facts stand in a deliverable: what every way of looking for them reports."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

Fact = tuple[int, str | None]
"""Position of a row, and a column; None for the row itself."""


class Sight(NamedTuple):
    """How one fact stands in a deliverable."""

    state: Literal["right", "wrong", "missing"]
    """What it is."""
    place: str | None = None
    """Where it was looked at."""
    found: str | None = None
    """What stands there."""
    message: str = ""
    """What is wrong, as a part of a sentence."""
    formula: bool = False
    """Whether a formula computes it."""
    sure: bool = True
    """Whether the place is certainly meant: under the very label asked for."""


class Extra(NamedTuple):
    """A row beyond those asked for."""

    place: str
    """Where it stands."""
    text: str
    """What it says in the columns of the key."""


@dataclass
class Found:
    """What the tables of a deliverable say about one unit."""

    sights: dict[Fact, Sight] = field(default_factory=dict)
    """By fact; what is not there is stated nowhere."""
    extras: list[Extra] = field(default_factory=list)
    """Rows beyond those asked for, in the tables that count."""
