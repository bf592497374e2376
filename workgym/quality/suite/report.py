"""What the quality suite says of a task: one record for each check, and the report that the release gate reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from pydantic import Field

from workgym.package import Seal
from workgym.quality.attribution import Cause
from workgym.quality.rates import Rates
from workgym.records import Record, digest

SUITE = "workgym-qa/1"
"""Name and version of the suite; raised whenever a check, a severity or a threshold changes."""

Severity = Literal["error", "warning", "info"]
"""``error`` closes the release gate, ``warning`` wants a person's look, ``info`` only measures."""

State = Literal["passed", "failed", "not applicable", "not run"]
"""``not applicable``: the task offers nothing to check. ``not run``: it rests on a check that failed, or the size
leaves it out; the evidence says which."""

SizeName = Literal["ci", "release"]


class Size(Record):
    """How much is tried where a check has as many cases as one likes. None means all."""

    name: str
    """``ci`` or ``release``; another name for sizes of your own."""
    mutants: int | None
    """Mutants of each kind that are graded; 0 leaves mutants, equivalents and attribution out."""
    equivalents: int | None
    """Equivalents of each kind that are graded."""
    causes: int | None
    """Mutants whose cause is looked for, one of each kind first."""
    office: bool
    """Whether equivalents are also saved by LibreOffice, where it is installed."""
    carriers: int | None
    """Carriers that are withheld from the expert, one at a time; a seeded sample in the order of the graph."""
    cells: int | None
    """Needed cells that are taken out of the files, and changed in them, while the expert works."""
    copies: int | None
    """Inputs that are handed in as each deliverable, the largest first."""


SIZES: Mapping[SizeName, Size] = {
    "ci": Size(name="ci", mutants=1, equivalents=1, causes=3, office=False, carriers=3, cells=1, copies=2),
    "release": Size(
        name="release", mutants=None, equivalents=None, causes=14, office=True, carriers=None, cells=8, copies=None
    ),
}
"""What the names stand for: ``ci`` takes seconds, ``release`` minutes for a task."""


class QaCheck(Record):
    """How one check came out."""

    name: str
    """``area.what``: ``oracle.maximum``, ``floor.noop``."""
    severity: Severity
    """What a failure means."""
    state: State
    """How it came out."""
    says: str
    """What holds where it passed, as one sentence."""
    evidence: tuple[str, ...] = ()
    """What was found, or the reason where it is not applicable or was not run; one line each."""
    numbers: Mapping[str, float] = Field(default_factory=dict)
    """What was measured, by name; thresholds among them as ``at most`` or ``at least``."""


class MatrixCell(Record):
    """One stated unit while one carrier is withheld."""

    unit: str
    """``deliverable: unit``."""
    needs: bool
    """Whether the unit cannot be worked out, or comes out differently, without what stands in this carrier alone."""
    solved: bool
    """Whether the expert's deliverable still states it rightly."""


class MatrixRow(Record):
    """What became of the expert's work without one carrier."""

    carrier: str
    """Path of the carrier that was withheld."""
    role: Literal["needed", "distractor"]
    """What the graph calls it."""
    end: str
    """How the expert's run ended: ``closed``, ``blocked``, ..."""
    names_it: bool
    """Whether an expert that stopped says so of this very carrier."""
    cells: tuple[MatrixCell, ...]
    """Every stated unit."""


class QaReport(Record):
    """All that the suite found out about one task. The same package, suite and size give the same report and digest,
    times aside."""

    suite: str = SUITE
    """Name and version of the suite."""
    size: Size
    """How much was tried."""
    task: str
    """Id of the task."""
    package: str
    """Digest of the package."""
    checks: tuple[QaCheck, ...]
    """Every check, in the order of the suite."""
    matrix: tuple[MatrixRow, ...] = ()
    """The withheld-carrier matrix; empty where it was not run."""
    rates: Rates | None = None
    """Mutants and equivalents; None where they were not run."""
    causes: tuple[Cause, ...] = ()
    """What attribution said first of each mutant that it was asked about."""
    seconds: Mapping[str, float] = Field(default_factory=dict)
    """Wall time of each check; no part of the digest."""

    @property
    def digest(self) -> str:
        """sha256, in hexadecimal, over everything but the times."""
        return digest(self.model_dump(mode="json", exclude={"seconds"}))

    @property
    def passed(self) -> bool:
        """Whether the gate is open: no check of severity ``error`` failed."""
        return not self.failed("error")

    def failed(self, severity: Severity) -> tuple[QaCheck, ...]:
        """The checks of one severity that failed."""
        return tuple(check for check in self.checks if check.state == "failed" and check.severity == severity)

    def count(self, state: State) -> int:
        """How many checks came out in one way."""
        return sum(check.state == state for check in self.checks)

    def check(self, name: str) -> QaCheck:
        """The check of that name. Raises KeyError."""
        found = {check.name: check for check in self.checks}
        return found[name]

    def seal(self) -> Seal:
        """What goes into the package's hidden side."""
        return Seal(
            suite=self.suite,
            size=self.size.name,
            package=self.package,
            passed=self.passed,
            digest=self.digest,
            report=self.model_dump(mode="json"),
        )


def sealed(seal: Seal) -> QaReport | None:
    """The report of a seal; None where this version cannot read it, or it is not the one that was sealed."""
    try:
        report = QaReport.model_validate(seal.report)
    except ValueError:
        return None
    return report if report.digest == seal.digest else None


class CorpusReport(Record):
    """The reports of many tasks, and what holds for them together."""

    suite: str = SUITE
    """Name and version of the suite."""
    size: Size
    """How much was tried."""
    tasks: tuple[QaReport, ...] = ()
    """The reports, in the order of the targets."""
    refused: Mapping[str, str] = Field(default_factory=dict)
    """Targets that cannot be read, with the reason."""
    together: tuple[QaCheck, ...] = ()
    """Checks of the corpus as a whole."""

    @property
    def passed(self) -> bool:
        """Whether every task passes the gate, all could be read, and nothing is wrong with them together."""
        wrong = any(check.state == "failed" and check.severity == "error" for check in self.together)
        return not self.refused and not wrong and all(report.passed for report in self.tasks)

    @property
    def digest(self) -> str:
        """sha256, in hexadecimal, over the digests of the reports and the rest."""
        rest = self.model_dump(mode="json", exclude={"tasks"})
        return digest({**rest, "tasks": [report.digest for report in self.tasks]})


def counts(checks: Iterable[QaCheck]) -> dict[str, int]:
    """How many checks are in each state, failed ones by severity."""
    found: dict[str, int] = {}
    for check in checks:
        name = f"failed ({check.severity})" if check.state == "failed" else check.state
        found[name] = found.get(name, 0) + 1
    return found
