"""``check``."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

from workgym.cli.named import many
from workgym.cli.output import Output
from workgym.errors import UsageError
from workgym.package import TaskPackage
from workgym.records import CheckReport


def check(arguments: Namespace, output: Output) -> int:
    """Run the checks; 1 where one of them finds something hard."""
    if arguments.against:
        from workgym.cli.hygiene import against

        return against(arguments, output)
    if arguments.column:
        raise UsageError("--column names a column of evaluation sets", fix="name them, too: --against DIR")
    from workgym.check import check as run
    from workgym.check.sufficiency import sufficiency
    from workgym.verify import answer_sets

    reports = []
    for package, expert in _packages(arguments, output):
        report = run(package)
        if expert and report.passed:
            output.progress(f"the expert works on {package.id}")
            findings = (*report.findings, *sufficiency(package))
            report = report.model_copy(update={"ran": (*report.ran, "sufficiency"), "findings": findings})
        output.done()
        _print(output, report)
        sets = answer_sets(package) if report.passed else None
        entry = {**report.model_dump(mode="json"), "passed": report.passed, "answer_sets": sets}
        reports.append(entry)
    output.result(reports)
    return 0 if all(entry["passed"] for entry in reports) else 1


def _packages(arguments: Namespace, output: Output) -> Iterator[tuple[TaskPackage, bool]]:
    """What is checked, and whether the expert is to solve it: as he does tasks of a family that is being written."""
    from workgym.authoring import families

    for name in arguments.task:
        if (Path(name) / "family.yaml").is_file():
            output.progress(f"checking {name}")
            yield from ((package, True) for package in families.samples(Path(name)))
            continue
        for found in many([name]):
            output.progress(f"checking {found}")
            yield found.load(), arguments.expert


def _print(output: Output, report: CheckReport) -> None:
    hard = sum(finding.severity == "hard" for finding in report.findings)
    said = f"passes {len(report.ran)} checks" if report.passed else f"does not pass: {hard} hard findings"
    solved = report.passed and "sufficiency" in report.ran
    output.say(f"{report.task_id}: {said}" + (", expert 1.0" if solved else ""))
    for finding in report.findings:
        output.say(f"  {finding.severity} [{finding.defect}] {finding}")
