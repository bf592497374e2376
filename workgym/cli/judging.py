"""``calibrate``, and the judge and combiner that ``rollout`` and ``verify`` grade with."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from workgym.cli.named import many
from workgym.cli.output import Output
from workgym.errors import UsageError

if TYPE_CHECKING:
    from workgym.verify import Grader, Judge


def calibrate(arguments: Namespace, output: Output) -> int:
    """Examine a judge and keep its licence; 1 where it is refused."""
    from workgym.verify.judging.licence import calibrate as run
    from workgym.verify.judging.licence import licence_path

    judge = _judge(arguments)
    packages = [found.load() for found in many(arguments.task)]
    licence = run(judge, packages, progress=output.progress)
    path = licence.save(Path(arguments.out) if arguments.out else licence_path(judge.pin))
    output.done()
    found = licence.measures
    output.say(f"{judge.pin.model}: {'licensed' if licence.granted else 'REFUSED'}, licence {licence.id} in {path}")
    output.say(f"  {found.questions} questions on {len(licence.ladders)} units of {len(packages)} tasks")
    for name in ("accuracy", "monotonicity", "position", "leniency", "injection", "unanswered"):
        value, bound = getattr(found, name), getattr(licence.thresholds, name)
        least = name in ("accuracy", "monotonicity")
        shown = "not measured" if value is None else f"{value:.2f}"
        output.say(f"  {name}: {shown} (at {'least' if least else 'most'} {bound:.2f})")
    for reason in licence.reasons:
        output.say(f"  refused: {reason}")
    output.result({"id": licence.id, "file": str(path), **licence.model_dump(mode="json")})
    return 0 if licence.granted else 1


def grader(arguments: Namespace, output: Output) -> Grader | None:
    """The grader that the options ask for; None for the usual one. Raises UsageError before anything runs."""
    if arguments.judge is None and arguments.combine == "code/1":
        return None
    from workgym.verify import Grader, LicensedJudge
    from workgym.verify.combine import needs_judge, no_judge

    if needs_judge(arguments.combine) and arguments.judge is None:
        raise no_judge(arguments.combine)
    if arguments.judge is None:
        return Grader(arguments.combine)
    licence = Path(arguments.licence) if arguments.licence else None
    licensed = LicensedJudge.of(_judge(arguments), licence)
    if licensed.objection:
        output.progress(f"rubric items will be unscored: {licensed.objection}")
        output.done()
    return Grader(arguments.combine, licensed)


def _judge(arguments: Namespace) -> Judge:
    from pydantic import ValidationError

    from workgym import models
    from workgym.verify import Judge, Settings

    try:
        settings = Settings(samples=arguments.judge_samples, pages=arguments.judge_pages)
    except ValidationError as error:
        raise UsageError(f"--judge-samples {arguments.judge_samples}: write an odd number from 1 to 15") from error
    model = models.create(arguments.judge)
    if arguments.ledger:
        model = models.Ledgered(model, models.Ledger(Path(arguments.ledger)), stage="judge")
    return Judge(model, settings)
