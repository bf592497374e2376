"""What a check has to say: one finding for each place where something does not hold."""

from __future__ import annotations

from typing import Literal

from workgym.records.base import Record

DefectClass = Literal[
    "broken derivation",
    "request under-specification",
    "leakage or shortcut",
    "self-inconsistency",
    "cross-file inconsistency",
    "executability defect",
]
"""The six classes of WorkFactory's taxonomy."""


class Finding(Record):
    """One thing that a check found, with the evidence for it."""

    check: str
    """Name of the check: ``presence``, ``leak``, ..."""
    severity: Literal["hard", "soft"]
    """``hard`` blocks the work or spoils the grading; ``soft`` is a warning."""
    defect: DefectClass
    """Which of the six classes."""
    message: str
    """One sentence for a person."""
    unit: str | None = None
    """The information unit concerned, or None."""
    key: tuple[str, ...] = ()
    """Key of the row concerned; empty for a scalar or for the whole unit."""
    column: str | None = None
    """The column concerned, or None for the whole row."""
    path: str | None = None
    """The carrier concerned, or None where no file is."""
    at: str | None = None
    """The place in that carrier, or None."""
    expected: str | None = None
    """What should be there, or None."""
    found: str | None = None
    """What is there, or None."""

    @property
    def cell(self) -> str:
        """``unit[key].column`` as far as they are known; empty where no unit is concerned."""
        key = f"[{', '.join(self.key)}]" if self.key else ""
        return f"{self.unit}{key}{'.' + self.column if self.column else ''}" if self.unit else ""

    def __str__(self) -> str:
        place = " ".join(part for part in (self.path, self.at) if part)
        where = "; ".join(part for part in (self.cell, place) if part and part not in self.message)
        return f"{self.check}: {self.message}" + (f" ({where})" if where else "")


class CheckReport(Record):
    """The outcome of a set of checks on one task."""

    task_id: str
    """Id of the task."""
    ran: tuple[str, ...]
    """Names of the checks that ran, in their order."""
    findings: tuple[Finding, ...] = ()
    """All that they found."""

    @property
    def passed(self) -> bool:
        """Whether nothing hard was found."""
        return not any(finding.severity == "hard" for finding in self.findings)
