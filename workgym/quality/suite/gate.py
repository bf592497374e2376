"""The release gate: a package may go out when the suite's report that is sealed in it says so, and is about it."""

from __future__ import annotations

from workgym.package import TaskPackage
from workgym.quality.suite.policy import NAMES
from workgym.quality.suite.report import SUITE, QaReport, sealed


def whole(report: QaReport) -> bool:
    """Whether a report leaves out no check of the suite."""
    return {check.name for check in report.checks} >= set(NAMES)


def standing(package: TaskPackage, size: str | None = None) -> QaReport | None:
    """The sealed report, where it still holds: whole, of this suite, content and, where one is named, size."""
    seal = package.hidden.qa
    if seal is None or seal.suite != SUITE or seal.package != package.digest or size not in (None, seal.size):
        return None
    report = sealed(seal)
    return report if report is not None and whole(report) else None


def gate(package: TaskPackage, size: str | None = None) -> str | None:
    """Why a package may not be released, in one line; None where it may.

    ``size`` asks for a report of that size; a full one (``release``) stands for a small one, too.
    """
    seal = package.hidden.qa
    if seal is None:
        return "no report of the quality suite is sealed in it"
    report = standing(package)
    if report is None:
        if seal.suite != SUITE or seal.package != package.digest:
            return "its report is of another suite or content"
        return "its seal is not that of the report" if sealed(seal) is None else "its report leaves checks out"
    if size is not None and report.size.name not in (size, "release"):
        return f"its report is of the size {report.size.name}, not {size}"
    failed = [check.name for check in report.failed("error")]
    return f"{', '.join(failed)} failed" if failed else None
