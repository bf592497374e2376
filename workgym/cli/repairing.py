"""``repair``, and the history that ``show --history`` prints."""

from __future__ import annotations

from argparse import Namespace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from workgym.cli import asking
from workgym.cli.named import single
from workgym.cli.output import Output
from workgym.errors import UsageError
from workgym.package import HistoryEntry, TaskPackage, load, save

if TYPE_CHECKING:
    from workgym.model import Model
    from workgym.probe import Sorted
    from workgym.repair import RepairOutcome


def repair(arguments: Namespace, output: Output) -> int:
    """Repair a package, by a model or from its family's sound form; 1 where no repair is accepted."""
    single(arguments.package)
    package = load(Path(arguments.package))
    mistaken: tuple[str, ...] = ()
    if arguments.reviser is None and arguments.reviewer is None:
        unused = arguments.problems or arguments.solver or arguments.ledger or asking.budget(arguments)
        if unused:
            said = "problems, a solver, ledger and budget are for repair by models"
            raise UsageError(said, fix="name them: --reviser and --reviewer")
        outcome, asked = _restored(package, arguments, output), None
    else:
        outcome, asked, mistaken = _mended(package, arguments, output)
    output.done()
    for line in mistaken:
        output.say(f"{package.id}: not given to the reviser, the graph shows it mistaken: {line}")
    target = Path(arguments.out or arguments.package)
    if outcome.accepted:
        save(outcome.package, target)
        last = outcome.package.hidden.history[-1]
        output.say(f"{package.id}: repaired ({last.why}); {outcome.reason}; written to {target}")
    else:
        output.say(f"{package.id}: {outcome.reason}")
    for number, one in enumerate(outcome.tries, 1):
        if one.fate != "accepted":
            output.say(f"  proposal {number} was discarded, {one.fate}: {one.reason}")
    took = asking.spent(asked)
    if took is not None:
        output.say(asking.told(took))
    output.result(
        {
            "id": package.id,
            "accepted": outcome.accepted,
            "reason": outcome.reason,
            "folder": str(target) if outcome.accepted else None,
            "tries": [one.model_dump(mode="json") for one in outcome.tries],
            "mistaken": list(mistaken),
            "report": outcome.report.model_dump(mode="json"),
        }
        | ({} if took is None else {"spent": took.model_dump(mode="json")})
    )
    needless = not outcome.tries and outcome.report.passed
    return 0 if outcome.accepted or needless else 1


def _restored(package: TaskPackage, arguments: Namespace, output: Output) -> RepairOutcome:
    from workgym.authoring import families
    from workgym.repair import objection, restorer
    from workgym.repair import repair as run

    origin = package.hidden.origin
    if not origin.family:
        raise UsageError(
            f"{package.id} is of no family: there is no sound form to restore from",
            fix="let models repair it: --reviser and --reviewer",
        )
    output.progress(f"building {package.id} anew, to compare")
    sound = families.build(origin.family, origin.preset, origin.seed, origin.version)
    output.progress(f"repairing {package.id}")
    return run(
        package, restorer(sound), accept=None if arguments.no_expert else partial(objection, sandbox=arguments.sandbox)
    )


def _mended(package: TaskPackage, arguments: Namespace, output: Output) -> tuple[RepairOutcome, Model, tuple[str, ...]]:
    """What became of it, the model that was asked, and what was not given to it."""
    from workgym import sandbox
    from workgym.repair import mend

    if arguments.reviser is None or arguments.reviewer is None:
        raise UsageError("one model proposes, another one reviews", fix="name both: --reviser and --reviewer")
    if arguments.rounds < 1:
        raise UsageError(f"--rounds {arguments.rounds}: a repair takes at least one")
    problems, mistaken = _problems(Path(arguments.problems), package) if arguments.problems else ((), ())
    reviser, reviewer, solver = _models(arguments)
    expert = package.hidden.expert is not None and not arguments.no_expert
    if expert:
        sandbox.try_out(arguments.sandbox)  # before a model is paid
    output.progress(f"{reviser.name} repairs {package.id}")
    outcome = mend(
        package,
        problems,
        reviser=reviser,
        reviewer=reviewer,
        rounds=arguments.rounds,
        expert=expert,
        solver=solver,
        sandbox=arguments.sandbox,
    )
    return outcome, reviser, mistaken


def _problems(path: Path, package: TaskPackage) -> Sorted:
    """What blocks the work, as a probe's report says, and what of it the graph shows mistaken.

    Raises UsageError where the report says nothing of this package.
    """
    from pydantic import ValidationError

    from workgym.probe import ProbeReport, to_repair

    try:
        report = ProbeReport.model_validate_json(path.read_bytes())
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    except ValidationError as error:
        raise UsageError(f"{path}: no report of a probe: {error.errors()[0]['msg']}") from error
    if report.package != package.digest:
        raise UsageError(f"{path}: the probe was of {report.task_id} with other content", fix="probe this package")
    return to_repair(package, report)


def _models(arguments: Namespace) -> tuple[Model, Model, Model | None]:
    """Reviser, reviewer and, where one is named, solver."""
    from workgym import models

    limits = asking.budget(arguments)
    reviser, reviewer = models.create(arguments.reviser), models.create(arguments.reviewer)
    solver = models.create(arguments.solver) if arguments.solver else None
    if limits is None and not arguments.ledger:
        return reviser, reviewer, solver
    ledger = models.Ledger(Path(arguments.ledger) if arguments.ledger else ":memory:")
    return (
        models.Ledgered(reviser, ledger, stage="repair", budget=limits),
        models.Ledgered(reviewer, ledger, stage="review", budget=limits),
        solver and models.Ledgered(solver, ledger, stage="solution", budget=limits),
    )


def history(package: TaskPackage, output: Output) -> None:
    """What was revised and why, with a diff of the text of each file."""
    if not package.hidden.history:
        output.say("never revised")
    for entry in package.hidden.history:
        purpose = f"{entry.purpose}: " if entry.purpose else ""
        output.say(f"{entry.before[:12]} -> {entry.after[:12]}: {purpose}{entry.why}")
        for finding in entry.findings:
            output.say("    answers " + finding.replace("\n", "\n    "))
        for edit in entry.edits:
            output.say(f"    edit {_edit(edit)}")
        _files(entry, output)
        for reason in entry.review:
            output.say(f"    review: {reason}")
        if entry.accepted_on:
            output.say(f"    accepted on {', '.join(entry.accepted_on)}")


def _edit(edit: object) -> str:
    from pydantic import TypeAdapter, ValidationError

    from workgym.mutation import Edit

    try:
        return str(TypeAdapter[Edit](Edit).validate_python(edit))
    except ValidationError:  # of a package from a version with other edits
        return str(edit)


def _files(entry: HistoryEntry, output: Output) -> None:
    for path, lines in entry.changes.items():
        output.say(f"    {path}")
        for line in lines:
            output.say(f"      {line}")
