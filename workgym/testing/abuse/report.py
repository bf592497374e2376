"""What came of the probes, and how it is printed."""

from __future__ import annotations

import textwrap
from typing import Literal

from workgym.records import Record

Outcome = Literal["held", "BROKEN", "FAILED", "open", "held anyway", "not tried", "not here", "own kernel"]
_BAD = ("BROKEN", "FAILED")


class Row(Record):
    """One probe on one backend."""

    theme: str
    """Which group of probes it stands in."""
    name: str
    """What was tried."""
    sound: str
    """What a sound sandbox answers."""
    rests: str
    """The flag that promises that it is stopped, or ``contract``, or ``nothing``."""
    outcome: Outcome
    """*held anyway* and *open* are of what nothing promises here; *FAILED* is a probe that did not run; *own kernel* is
    one that reached the guest's own kernel and no more."""
    evidence: str
    """What the guest, or the host, saw."""


class Report(Record):
    """All of them, and what was left over on the host afterwards."""

    backend: str
    """Name of the backend."""
    rows: tuple[Row, ...]
    """In order."""
    left: tuple[str, ...]
    """Processes, mounts, files, descriptors that are left over, a line each."""

    @property
    def wrong(self) -> tuple[str, ...]:
        """A line for each probe that broke out or did not run, and for each thing that is left over."""
        bad = tuple(f"{row.name}: {row.outcome}: {row.evidence}" for row in self.rows if row.outcome in _BAD)
        return (*bad, *(f"left over: {line}" for line in self.left))

    @property
    def sound(self) -> bool:
        """Whether the backend keeps what it promises."""
        return not self.wrong

    def counted(self) -> str:
        """How many of each outcome, in one line."""
        counts: dict[str, int] = {}
        for row in self.rows:
            counts[row.outcome] = counts.get(row.outcome, 0) + 1
        return ", ".join(f"{number} {outcome}" for outcome, number in counts.items())


def table(report: Report, width: int = 120) -> str:
    """A line or two for each probe: outcome, what it rests on, what was tried [what is sound], the evidence."""
    lines: list[str] = []
    theme = ""
    for row in report.rows:
        if row.theme != theme:
            theme = row.theme
            lines += ["", theme]
        head = f"  {row.outcome:<11} {row.rests:<18} {row.name} [{row.sound}]"
        lines.append(head)
        lines += textwrap.wrap(row.evidence, width, initial_indent=" " * 33, subsequent_indent=" " * 33, max_lines=2)
    rest = "\n".join(f"  {line}" for line in report.left) or "  nothing"
    lines += ["", "left over", rest, "", f"{report.backend}: {len(report.rows)} probes: {report.counted()}"]
    return "\n".join(lines[1:])
