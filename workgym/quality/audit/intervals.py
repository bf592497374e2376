"""Shares with intervals: of a sample, of a stratified sample, and of a ratio between two of them.

Sources: E. B. Wilson, JASA 22 (1927) 209; L. D. Brown, T. T. Cai, A. DasGupta, Statistical Science 16 (2001) 101, for
its ends where few count; L. Kish, Survey Sampling (1965), for the effective size of a weighted sample.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

Z = 1.959963984540054
"""97.5th percentile of the normal distribution: two-sided intervals of 95 %."""
_ONE_SIDED = 0.05
_FEW = {1: 0.051293, 2: 0.177681, 3: 0.272563}
"""For 1, 2 and 3 counts: the 5th percentile of the gamma distribution of that shape, for each count. Wilson's interval
begins too high there."""

METHOD = (
    "Intervals are 95 %: Wilson's, as modified for one to three counts by Brown, Cai and DasGupta; for shares over "
    "several strata, which are weighted by their size, the same with the effective size of the sample (Kish's, or that "
    "of the estimated variance where it is smaller), corrected for the part of the population that was drawn. A count "
    "of zero gives a one-sided bound of 95 %. Rates against the labels take the ends of both intervals that they are "
    "made of, and are wide."
)
"""How the figures are made, for whoever reads them."""


class Part(NamedTuple):
    """One stratum in a share."""

    size: int
    """Items in the population."""
    seen: int
    """Items of it that have a label; at least 1."""
    hits: int
    """Those of them that count."""


class Share(NamedTuple):
    """A share of a population, from 0 to 1."""

    value: float
    """The estimate."""
    low: float
    """Lower end of its interval."""
    high: float
    """Upper end."""
    hits: int
    """Items in the sample that count."""
    seen: int
    """Items in the sample."""
    size: int
    """Items in the population."""

    def __str__(self) -> str:
        if self.low == self.high:
            return f"{self.value:.2%} (all were looked at)"
        if self.hits == 0:
            return f"{self.value:.2%} (at most {self.high:.2%})"
        if self.hits == self.seen:
            return f"{self.value:.2%} (at least {self.low:.2%})"
        return f"{self.value:.2%} ({self.low:.2%} to {self.high:.2%})"


def wilson(hits: float, seen: float) -> tuple[float, float]:
    """Wilson's interval for ``hits`` of ``seen``; the counts may be effective ones."""
    share, square = hits / seen, Z * Z
    centre = (share + square / (2 * seen)) / (1 + square / seen)
    half = Z / (1 + square / seen) * math.sqrt(share * (1 - share) / seen + square / (4 * seen * seen))
    return max(0.0, centre - half), min(1.0, centre + half)


def share(parts: Sequence[Part]) -> Share:
    """The share over all strata, each weighted by its size. Raises ValueError where there is none."""
    size, seen, hits = (sum(column) for column in zip(*parts, strict=True))
    weights = [part.size / size for part in parts]
    value = min(1.0, sum(weight * part.hits / part.seen for weight, part in zip(weights, parts, strict=True)))
    spread = [weight**2 * (1 - part.seen / part.size) for weight, part in zip(weights, parts, strict=True)]
    unit = sum(one / part.seen for one, part in zip(spread, parts, strict=True))
    if unit == 0:  # every item was looked at
        return Share(value, value, value, hits, seen, size)
    effective = 1 / unit
    variance = sum(
        one * part.hits * (part.seen - part.hits) / part.seen**2 / max(1, part.seen - 1)
        for one, part in zip(spread, parts, strict=True)
    )
    if hits == 0:
        return Share(0.0, 0.0, 1 - _ONE_SIDED ** (1 / effective), hits, seen, size)
    if hits == seen:
        return Share(1.0, _ONE_SIDED ** (1 / effective), 1.0, hits, seen, size)
    if variance > 0 and len(parts) > 1:
        effective = min(effective, value * (1 - value) / variance)
    low, high = wilson(value * effective, effective)
    low = min(low, value * _FEW.get(hits, 1.0))
    high = max(high, 1 - (1 - value) * _FEW.get(seen - hits, 1.0))
    return Share(value, low, high, hits, seen, size)


def against(mine: Share, other: Share) -> Share | None:
    """``mine`` as a share of both together, by numbers of items; None where both are nothing.

    Its interval comes from the ends of both, so that it is wider than it has to be.
    """
    here, there = mine.value * mine.size, other.value * other.size
    if here + there == 0:
        return None
    low = _part(mine.low * mine.size, other.high * other.size)
    high = _part(mine.high * mine.size, other.low * other.size)
    seen = mine.hits + other.hits
    return Share(here / (here + there), low, high, mine.hits, seen, round(here + there))


def _part(here: float, there: float) -> float:
    return here / (here + there) if here + there else 0.0


def kappa(both_yes: float, only_first: float, only_second: float, both_no: float) -> float | None:
    """Cohen's kappa of two yes-or-no ratings, from counts or weights; None where chance alone would always agree."""
    total = both_yes + only_first + only_second + both_no
    first, second = (both_yes + only_first) / total, (both_yes + only_second) / total
    chance = first * second + (1 - first) * (1 - second)
    return None if math.isclose(chance, 1.0) else ((both_yes + both_no) / total - chance) / (1 - chance)
