"""``rollout`` of many tasks: who does which, several at once, and where it went on."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from workgym.cli import asking
from workgym.cli.judging import grader
from workgym.cli.output import Output
from workgym.errors import UsageError
from workgym.records import WebAccess

if TYPE_CHECKING:
    from workgym.select import Collected, Teachers


def is_many(arguments: Namespace) -> bool:
    """Whether it is a collection that is asked for, and not one rollout."""
    several = arguments.teachers, arguments.rollouts, arguments.at_once, arguments.longest
    if len(arguments.task) > 1 or any(value is not None for value in several):
        return True
    path = Path(arguments.task[0])
    return path.exists() and not (path / "task.yaml").is_file()


def collect(arguments: Namespace, output: Output) -> int:
    """Roll out many tasks; 1 where some are still to be done."""
    from workgym.models import Ledger
    from workgym.select import collect as run
    from workgym.select import makers, task_refs
    from workgym.select.jobs import LEDGER

    teachers = _teachers(arguments)
    out = Path(arguments.out)
    tasks = task_refs(arguments.task)
    asks = any(one.model for one in teachers.teachers)
    limits = asking.budget(arguments)
    if not asks and (limits is not None or (arguments.ledger and arguments.judge is None)):
        raise UsageError("a ledger and a budget are for a model", fix="give one (--model)")
    ledger = Ledger(Path(arguments.ledger) if arguments.ledger else out / LEDGER if asks else ":memory:")
    before = ledger.spent()
    output.progress(f"{len(tasks)} tasks, {len(teachers.teachers)} teachers")
    came = run(
        tasks,
        teachers,
        out,
        models=makers(teachers, ledger, limits),
        at_once=arguments.at_once or 2,
        seed=arguments.seed,
        sandbox=arguments.sandbox,
        grade=grader(arguments, output),
        web=web_access(arguments.web_failures),
        progress=output.progress,
    )
    output.done()
    _say(came, output)
    took = ledger.spent() if asks else None
    if took is not None:
        output.say(asking.told(took) + f"; {took.calls - before.calls} calls this time")
    output.result(_summary(came) | ({} if took is None else {"spent": took.model_dump(mode="json")}))
    return 1 if came.left or came.failed else 0


def web_access(written: str | None) -> WebAccess | None:
    """``0.15,0.44`` as shares of searches and of fetches that fail. Raises UsageError."""
    if written is None:
        return None
    try:
        search, fetch = map(float, written.split(","))
        return WebAccess(search_failures=search, fetch_failures=fetch)
    except ValueError:
        fix = "write two shares from 0 to below 1, of searches and of fetches: 0.15,0.44"
        raise UsageError(f"--web-failures {written}: not two shares", fix=fix) from None


def _teachers(arguments: Namespace) -> Teachers:
    """Who rolls out: the file's teachers, or the one that the options name. Raises UsageError."""
    from workgym.records.yaml12 import read_record
    from workgym.select import Longest, Teacher, Teachers

    if (arguments.teachers is None) == (arguments.harness is None):
        raise UsageError("a rollout has a harness (--harness), or its teachers stand in a file (--teachers)")
    if arguments.teachers is not None and arguments.model is not None:
        raise UsageError("teachers bring their models along", fix="leave --model out")
    if arguments.teachers is not None:
        who = read_record(Teachers, arguments.teachers)
    else:
        one = Teacher(name=arguments.harness, harness=arguments.harness, model=arguments.model)
        who = Teachers(teachers=(one,), independent_of="nobody", longest=Longest(rollouts=1))
    for name in ("rollouts", "at_once", "longest"):
        asked = getattr(arguments, name)
        if asked is not None and asked < 1:
            raise UsageError(f"--{name.replace('_', '-')} {asked}: at least 1 is wanted")
    if arguments.rollouts is not None:
        who = who.model_copy(update={"rollouts": arguments.rollouts})
    if arguments.longest is not None:
        who = who.model_copy(update={"longest": Longest(share=who.longest.share, rollouts=arguments.longest)})
    return who


def _say(came: Collected, output: Output) -> None:
    ends = Counter(row.rollout.end for row in came.rows)
    states = Counter(row.rollout.verdict for row in came.rows)
    told = ", ".join(f"{count} {name}" for name, count in sorted(states.items()))
    output.say(f"{len(came.rows)} rollouts ({came.kept} were done before): {told or 'none'}; table in {came.table}")
    if ends:
        output.say(f"  ended: {', '.join(f'{count} {name}' for name, count in sorted(ends.items()))}")
    for folder, why in came.failed:
        output.say(f"  {folder}: NOT BEGUN: {why}")
    if came.stopped:
        output.say(f"stopped: {came.stopped}")
    if came.left:
        output.say(f"{came.left} are still to be done: the same command goes on with them")


def _summary(came: Collected) -> dict[str, object]:
    scored = [row.rollout.reward for row in came.rows if row.rollout.verdict != "unscored"]
    return {
        "table": str(came.table),
        "rollouts": len(came.rows),
        "kept": came.kept,
        "left": came.left,
        "stopped": came.stopped,
        "failed": [{"rollout": folder, "why": why} for folder, why in came.failed],
        "verdicts": dict(sorted(Counter(row.rollout.verdict for row in came.rows).items())),
        "ends": dict(sorted(Counter(row.rollout.end for row in came.rows).items())),
        "mean_reward": sum(scored) / len(scored) if scored else None,
    }
