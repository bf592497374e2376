"""What a filter says of one trajectory."""

from __future__ import annotations

from collections.abc import Iterable

from workgym.records import Record

_SHOWN = 8


class Evidence(Record):
    """One thing that was found."""

    what: str
    """What it is, in one sentence; never a value that is hidden from the solver."""
    calls: tuple[int, ...] = ()
    """Numbers of the calls that show it; empty where no call does."""


class Score(Record):
    """The score of one filter."""

    filter: str
    """Name of the filter, as the configuration has it."""
    score: float
    """0 to 1; 1 where nothing was found."""
    passed: bool
    """Whether it is as high as the configuration wants it."""
    reason: str
    """Why it is not 1, in one sentence; empty where it is."""
    evidence: tuple[Evidence, ...] = ()
    """What was found, at most 8 of it."""


def scored(name: str, score: float, least: float, reason: str, evidence: Iterable[Evidence] = ()) -> Score:
    """A score to six places; what stands exactly on the threshold passes."""
    rounded = round(min(1.0, max(0.0, score)), 6)
    return Score(
        filter=name,
        score=rounded,
        passed=rounded >= round(least, 6),
        reason=reason if rounded < 1 else "",
        evidence=tuple(evidence)[:_SHOWN],
    )
