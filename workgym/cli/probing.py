"""``probe``."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from workgym.cli import asking
from workgym.cli.named import many
from workgym.cli.output import Output

if TYPE_CHECKING:
    from workgym.model import Model
    from workgym.probe import ProbeReport, Triage


def probe(arguments: Namespace, output: Output) -> int:
    """Probe tasks and diagnose them; 1 where a defect blocks one, or one could not be diagnosed."""
    from workgym.probe import probe as run
    from workgym.probe import triage

    model, diagnoser = _models(arguments, output)
    out = Path(arguments.out)
    tasks = many(arguments.task)
    reports: list[ProbeReport] = []
    triages: list[Triage] = []
    for number, one in enumerate(tasks, 1):
        package = one.load()
        output.progress(f"{number}/{len(tasks)} {arguments.harness} attempts {package.id}")
        found = run(
            package,
            harness=arguments.harness,
            model=model,
            diagnoser=diagnoser,
            out=out / package.id.rpartition("/")[2],
            seed=arguments.seed,
            sandbox=arguments.sandbox,
        )
        reports.append(found)
        if found.problems and package.hidden.graph.units:
            triages.append(triage(package, found))
    output.done()
    output.table(("task", "turns", "end", "hard", "soft", "rejected", "classes"), [_row(one) for one in reports])
    for report in reports:
        _tell(output, report)
    for seen in triages:
        _tell_triage(output, seen)
    took = asking.spent(diagnoser)
    if took is not None:
        output.say(asking.told(took))
    told = [
        {**one.model_dump(mode="json"), "hard": one.hard, "classes": one.classes, "measured": one.measured}
        for one in reports
    ]
    sorted_out = [one.model_dump(mode="json") for one in triages]
    output.result(
        {"probes": told, "triage": sorted_out} | ({} if took is None else {"spent": took.model_dump(mode="json")})
    )
    return 1 if any(one.hard or not one.measured for one in reports) else 0


def _row(report: ProbeReport) -> tuple[object, ...]:
    hard = sum(one.hard for one in report.problems)
    soft = len(report.defects) - hard
    counts = (hard, soft, len(report.rejected)) if report.measured else ("-", "-", "-")
    return report.task_id, report.turns, report.end, *counts, ", ".join(report.classes)


def _tell(output: Output, report: ProbeReport) -> None:
    if report.error is not None:
        output.say(f"{report.task_id}: not diagnosed: {report.error}")
    for problem in report.problems:
        output.say(f"{report.task_id}: {problem.severity} {problem.verdict} {problem}")
        output.say(f"  {problem.why}")
    for rejected in report.rejected:
        output.say(f"{report.task_id}: rejected: {rejected.problem.what} ({rejected.why})")


def _tell_triage(output: Output, seen: Triage) -> None:
    """What the graph says of the problems: for repair, in no figure above."""
    counts = ", ".join(f"{len(seen.of(says))} {says}" for says in ("confirmed", "mistaken", "silent"))
    output.say(f"{seen.task_id}: for repair alone, by the graph: {counts}")
    for one in seen.sightings:
        for line in one.by if one.says == "mistaken" else ():
            output.say(f"  problem {one.problem + 1} is mistaken: {line}")


def _models(arguments: Namespace, output: Output) -> tuple[Model | None, Model]:
    """Solver and diagnoser, behind one ledger with one budget where they are asked for.

    Raises UsageError for what names no model, and for a budget that cannot be kept.
    """
    from workgym import models

    limits = asking.budget(arguments)
    diagnoser = models.create(arguments.diagnoser, tell=output.progress)
    model = None if arguments.model is None else models.create(arguments.model, tell=output.progress)
    if limits is None and not arguments.ledger:
        return model, diagnoser
    ledger = models.Ledger(Path(arguments.ledger) if arguments.ledger else ":memory:")
    booked = models.Ledgered(diagnoser, ledger, stage="diagnosis", budget=limits)
    return None if model is None else models.Ledgered(model, ledger, stage="probe", budget=limits), booked
