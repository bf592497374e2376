"""One task through the suite."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Collection
from pathlib import Path

from workgym import verify
from workgym.env import SandboxMaker
from workgym.errors import SandboxUnavailable, UsageError, WorkgymError
from workgym.package import TaskPackage
from workgym.quality.suite.bench import Bench, Grade, NotApplicable, Outcome, Unmet
from workgym.quality.suite.policy import NAMES, POLICY, Check
from workgym.quality.suite.report import SIZES, QaCheck, QaReport, Size, State


def examine(
    package: TaskPackage,
    size: Size = SIZES["ci"],
    *,
    sandbox: str | SandboxMaker = "bubblewrap",
    grade: Grade = verify.grade,
    only: Collection[str] = (),
    progress: Callable[[str], None] = lambda line: None,
) -> QaReport:
    """Run every check on a task, or those in ``only`` (names, or areas such as ``card``).

    A check that cannot be carried out fails, with the error as its evidence. Raises UsageError for an unknown check,
    and SandboxUnavailable where the sandbox cannot work on this machine.
    """
    chosen = [check for check in POLICY if not only or {check.name, check.name.partition(".")[0]} & set(only)]
    known = {*NAMES, *(name.partition(".")[0] for name in NAMES)}
    unknown = sorted(set(only) - known)
    if unknown:
        raise UsageError(f"there is no check {unknown[0]}", fix=f"name one of {', '.join(NAMES)}, or an area")
    checks, seconds = [], {}
    with tempfile.TemporaryDirectory(prefix="workgym-qa-") as name:
        bench = Bench(package, size, Path(name), sandbox=sandbox, grade=grade)
        for number, check in enumerate(chosen, 1):
            progress(f"{package.id}: {number}/{len(chosen)} {check.name}")
            started = time.monotonic()
            checks.append(carried_out(check, bench))
            seconds[check.name] = round(time.monotonic() - started, 3)
    return QaReport(
        size=size,
        task=package.id,
        package=package.digest,
        checks=tuple(checks),
        matrix=bench.matrix,
        rates=bench.rates,
        causes=bench.causes,
        seconds=seconds,
    )


def carried_out(check: Check, bench: Bench) -> QaCheck:
    """One check on one task: the one place where what it raises is classified."""
    state: State
    try:
        outcome = check.run(bench)
        state = "failed" if outcome.wrong else "passed"
    except NotApplicable as reason:
        outcome, state = Outcome(notes=(str(reason),)), "not applicable"
    except Unmet as reason:
        outcome, state = Outcome(notes=(str(reason),)), "not run"
    except SandboxUnavailable:
        raise
    except WorkgymError as error:
        outcome, state = Outcome(wrong=(f"it could not be carried out: {error}",)), "failed"
    evidence = tuple(line.replace(str(bench.folder), "") for line in (*outcome.wrong, *outcome.notes))
    return QaCheck(
        name=check.name,
        severity=check.severity,
        state=state,
        says=check.says,
        evidence=evidence,
        numbers=dict(outcome.numbers),
    )
