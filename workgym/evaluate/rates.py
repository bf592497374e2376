"""A share of tasks, with its interval: the one form of every rate in a report."""

from __future__ import annotations

from workgym.quality.audit.intervals import Part, share
from workgym.records import Record

_ENDLESS = 10**12
"""What was looked at is a sample of all tasks that could be made so; no correction for a finite population."""

METHOD = (
    "Intervals are 95 % (Wilson, modified for one to three counts as by Brown, Cai and DasGupta). Where nothing was "
    "found the upper bound is the exact one-sided one of 95 %, close to three divided by the number of tasks; where "
    "everything was, the lower one likewise. They say how far chance reaches, not whether the probe sees every defect."
)
"""How the figures are made, for whoever reads them."""


class Rate(Record):
    """So many of so many."""

    hits: int
    """Those that count."""
    of: int
    """All that were looked at; 0 where none was, and then nothing is known."""
    value: float | None
    """The share, from 0 to 1; None where nothing is known."""
    low: float | None
    """Lower end of the interval; None where nothing is known."""
    high: float | None
    """Upper end; for no hits the upper bound."""

    @classmethod
    def count(cls, hits: int, of: int) -> Rate:
        """The rate of ``hits`` in ``of``."""
        if of == 0:
            return cls(hits=0, of=0, value=None, low=None, high=None)
        found = share([Part(_ENDLESS, of, hits)])
        return cls(hits=hits, of=of, value=hits / of, low=found.low, high=found.high)

    @property
    def interval(self) -> str:
        """The interval in words; empty where nothing is known."""
        if self.value is None or self.low is None or self.high is None:
            return ""
        if self.hits == 0:
            return f"at most {percent(self.high)}"
        if self.hits == self.of:
            return f"at least {percent(self.low)}"
        return f"{percent(self.low)} to {percent(self.high)}"

    @property
    def share(self) -> str:
        """The share in words."""
        return "not measured" if self.value is None else percent(self.value)

    def __str__(self) -> str:
        return self.share if self.value is None else f"{self.share} ({self.interval}; {self.hits:,} of {self.of:,})"


def percent(share: float) -> str:
    """A share for people: to a tenth of a percent, below one percent to a hundredth."""
    return f"{share:.2%}" if 0 < share < 0.01 else f"{share:.1%}"
