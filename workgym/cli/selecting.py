"""``select``: which of many trajectories are worth learning from, and why the others are not."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from workgym.cli import asking
from workgym.cli.output import Output
from workgym.errors import UsageError

if TYPE_CHECKING:
    from workgym.select import Selection

_SHOWN = 20


def select(arguments: Namespace, output: Output) -> int:
    """Filter trajectories; 1 where none is kept, or a judge could not decide."""
    from workgym import models
    from workgym.quality.recorded import trajectories
    from workgym.records.yaml12 import read_record
    from workgym.select import Config
    from workgym.select import select as run
    from workgym.select.selection import target

    if not 0 <= arguments.replay <= 1:
        raise UsageError(f"--replay {arguments.replay}: a share from 0 to 1 is wanted")
    config = read_record(Config, arguments.config) if arguments.config else Config()
    out = target(arguments.out)
    limits = asking.budget(arguments)
    judge = models.create(arguments.judge) if arguments.judge else None
    ledger = models.Ledger(Path(arguments.ledger) if arguments.ledger else ":memory:")
    if judge is not None and (limits is not None or arguments.ledger):
        judge = models.Ledgered(judge, ledger, stage="select", budget=limits)
    made = run(
        trajectories(arguments.runs),
        config,
        out=out,
        judge=judge,
        replayed=arguments.replay,
        progress=output.progress,
    )
    made.save(out)
    output.done()
    _say(made, out, output)
    output.result(_summary(made, out))
    return 0 if made.kept and not made.undecided else 1


def _say(made: Selection, out: Path, output: Output) -> None:
    output.say(f"{len(made.kept)} of {len(made.entries)} trajectories are kept; all reasons in {out}")
    rows = [(stage.stage, stage.dropped, stage.flagged, stage.left) for stage in made.funnel]
    output.table(("stage", "drops", "drops in all", "left"), [("found", "", "", len(made.entries)), *rows])
    for entry in made.dropped[:_SHOWN]:
        output.say(f"{entry.trajectory}: {'; '.join(entry.reasons)}")
    if len(made.dropped) > _SHOWN:
        output.say(f"and {len(made.dropped) - _SHOWN} more")
    states = Counter(contest.state for contest in made.contests)
    if states:
        told = ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
        output.say(f"the longest {made.config.longest.share:.0%} of the tasks: {told}; {_pairs(made)}")
    if made.replayed:
        output.say(f"{made.replayed} were run again")


def _outcomes(made: Selection) -> dict[str, int]:
    found = Counter(one.outcome for contest in made.contests for one in contest.comparisons)
    return dict(sorted(found.items()))


def _pairs(made: Selection) -> str:
    found = _outcomes(made)
    told = ", ".join(f"{count} {outcome}" for outcome, count in found.items())
    return f"{sum(found.values())} pairs compared{f' ({told})' if told else ''}"


def _summary(made: Selection, out: Path) -> dict[str, object]:
    return {
        "file": str(out),
        "found": len(made.entries),
        "kept": [entry.trajectory for entry in made.kept],
        "dropped": [{"trajectory": one.trajectory, "reasons": list(one.reasons)} for one in made.dropped],
        "funnel": [stage.model_dump(mode="json") for stage in made.funnel],
        "contests": dict(sorted(Counter(contest.state for contest in made.contests).items())),
        "pairs": _outcomes(made),
        "undecided": made.undecided,
        "replayed": made.replayed,
        "judge": made.judge,
    }
