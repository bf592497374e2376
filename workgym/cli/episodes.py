"""``rollout`` and ``replay``."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from workgym.cli import asking, collecting
from workgym.cli.judging import grader
from workgym.cli.named import task
from workgym.cli.output import Output
from workgym.errors import UsageError


def rollout(arguments: Namespace, output: Output) -> int:
    """Run a harness on a task; 1 where the reward is below one. Many are :mod:`.collecting`."""
    from workgym.rollout import rollout as run

    if collecting.is_many(arguments):
        return collecting.collect(arguments, output)
    (name,) = arguments.task
    if arguments.harness is None:
        raise UsageError("a rollout has a harness", fix="name one (--harness), or teachers in a file (--teachers)")
    asked = asking.model(arguments, stage="rollout", tell=output.progress)
    grade = grader(arguments, output)
    output.progress(f"building {name}")
    package = task(name)
    output.progress(f"{arguments.harness} works on {package.id}")
    result = run(
        package,
        arguments.harness,
        model=asked,
        out=Path(arguments.out),
        sandbox=arguments.sandbox,
        seed=arguments.seed,
        grade=grade,
        web=collecting.web_access(arguments.web_failures),
    )
    output.done()
    output.say(f"{result.task_id}: {result.harness} took {result.turns} turns, {result.end}")
    output.say(f"{result.verdict}, reward {result.reward:.3f}; trajectory in {result.trajectory}")
    for line in (result.error, result.blocked and f"blocked: {result.blocked['what']}"):
        if line:
            output.say(line)
    took = asking.spent(asked)
    if took is not None:
        output.say(asking.told(took))
    output.result(result.model_dump(mode="json") | ({} if took is None else {"spent": took.model_dump(mode="json")}))
    return 0 if result.reward == 1.0 else 1


def replay(arguments: Namespace, output: Output) -> int:
    """Run a trajectory again; 1 where it comes out differently, or was cut off before its end."""
    from workgym.replay import replay as run

    folder = Path(arguments.trajectory)
    if arguments.until is not None:
        env = run(folder, until=arguments.until, sandbox=arguments.sandbox)
        try:
            state = env.unwrapped
            output.say(f"{state.package.id} after call {arguments.until}: {state.turns_left} turns left")
            output.say(str(env.render() or ""))
            output.result({"id": state.package.id, "turns_left": state.turns_left, "workspace": state.workspace})
        finally:
            env.close()
        return 0
    report = run(folder, sandbox=arguments.sandbox)
    said = "exactly as recorded" if report.exact else f"first divergence at {report.divergence}"
    if report.exact and not report.complete:
        said += ", as far as it goes: the episode has no end"
    output.say(f"{report.task_id}: {report.matched} of {report.calls} calls came out the same; {said}")
    output.result({**report.model_dump(mode="json"), "exact": report.exact})
    return 0 if report.exact and report.complete else 1
