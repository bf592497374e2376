"""``check`` and ``repair``."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from workgym.cli.output import Output
from workgym.cli.tasks import task
from workgym.errors import UsageError
from workgym.package import load, save
from workgym.records import CheckReport


def check(arguments: Namespace, output: Output) -> int:
    """Run the checks; 1 where one of them finds something hard."""
    from workgym.check import check as run
    from workgym.check.sufficiency import sufficiency
    from workgym.verify import answer_sets

    reports = []
    for name in arguments.task:
        output.progress(f"checking {name}")
        package = task(name)
        report = run(package)
        if arguments.expert and report.passed:
            output.progress(f"the expert works on {package.id}")
            found = (*report.findings, *sufficiency(package))
            report = report.model_copy(update={"ran": (*report.ran, "sufficiency"), "findings": found})
        output.done()
        _print(output, report)
        sets = answer_sets(package) if report.passed else None
        entry = {**report.model_dump(mode="json"), "passed": report.passed, "answer_sets": sets}
        reports.append(entry)
    output.result(reports)
    return 0 if all(entry["passed"] for entry in reports) else 1


def _print(output: Output, report: CheckReport) -> None:
    hard = sum(finding.severity == "hard" for finding in report.findings)
    said = f"passes {len(report.ran)} checks" if report.passed else f"does not pass: {hard} hard findings"
    solved = report.passed and "sufficiency" in report.ran
    output.say(f"{report.task_id}: {said}" + (", expert 1.0" if solved else ""))
    for finding in report.findings:
        output.say(f"  {finding.severity} [{finding.defect}] {finding}")


def repair(arguments: Namespace, output: Output) -> int:
    """Repair a family's package from its sound form; 1 where no repair is accepted."""
    from workgym.authoring import families
    from workgym.pipeline import objection
    from workgym.repair import repair as run
    from workgym.repair import restorer

    package = load(Path(arguments.package))
    origin = package.hidden.origin
    if not origin.family:
        raise UsageError(f"{package.id} is of no family: there is no sound form to restore from")
    output.progress(f"building {package.id} anew, to compare")
    sound = families.build(origin.family, origin.preset, origin.seed, origin.version)
    output.progress(f"repairing {package.id}")
    outcome = run(package, restorer(sound), accept=None if arguments.no_expert else objection)
    output.done()
    target = Path(arguments.out or arguments.package)
    if outcome.accepted:
        save(outcome.package, target)
        last = outcome.package.hidden.history[-1]
        output.say(f"{package.id}: repaired ({last.why}); {outcome.reason}; written to {target}")
    else:
        output.say(f"{package.id}: {outcome.reason}")
    output.result(
        {
            "id": package.id,
            "accepted": outcome.accepted,
            "reason": outcome.reason,
            "folder": str(target) if outcome.accepted else None,
            "report": outcome.report.model_dump(mode="json"),
        }
    )
    return 0 if outcome.accepted or outcome.report.passed else 1
