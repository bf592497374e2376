"""``verify``: recorded workspaces graded again, one or thousands, and a verdict on one page."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workgym.cli.judging import grader
from workgym.cli.output import Output
from workgym.errors import WorkgymError

if TYPE_CHECKING:
    from workgym.quality import Cause
    from workgym.quality.recorded import Drift, Recorded
    from workgym.verify import Grader


def verify(arguments: Namespace, output: Output) -> int:
    """Grade again; 1 where a reward is below one, 2 where something could not be graded at all."""
    from workgym.quality.recorded import trajectories
    from workgym.verify import Grader

    graded = grader(arguments, output) or Grader()
    folders = trajectories(arguments.trajectory)
    if len(arguments.trajectory) == 1 and folders == (Path(arguments.trajectory[0]),):
        return _single(folders[0], graded, arguments, output)
    return _several(folders, graded, arguments, output)


def _single(folder: Path, graded: Grader, arguments: Namespace, output: Output) -> int:
    from workgym.quality.recorded import load, regraded
    from workgym.verify import summary

    one = load(folder)
    drift = regraded(one, graded)
    causes = _causes(one, drift) if arguments.explain else ()
    if arguments.explain:
        output.say(_page(one, drift, causes))
    else:
        output.say(summary(drift.now) + "".join(f"  {line}\n" for line in drift.lines))
    output.result(drift.now.record | _why(causes))
    return 0 if drift.now.reward == 1.0 else 1


def _several(folders: tuple[Path, ...], graded: Grader, arguments: Namespace, output: Output) -> int:
    from workgym.quality.recorded import load, outcome, regraded

    rows: list[dict[str, Any]] = []
    for number, folder in enumerate(folders, 1):
        output.progress(f"{number}/{len(folders)} {folder}")
        try:
            one = load(folder)
        except WorkgymError as error:
            output.done()
            message = " ".join(str(error).split())
            output.say(f"{folder}: NOT GRADED: {message}")
            rows.append({"trajectory": str(folder), "error": message})
            continue
        drift = regraded(one, graded)
        output.done()
        causes = _causes(one, drift) if arguments.explain else ()
        told = "; ".join(drift.lines) or "as recorded"
        output.say(f"{folder}: {drift.now.task}: {outcome(drift.now.state, drift.now.reward)} ({told})")
        if arguments.explain:
            output.say(_page(one, drift, causes))
        evidence = {"verdict": drift.now.record | _why(causes)} if output.as_json else {}
        rows.append(_row(folder, one, drift) | evidence)
    _total(rows, output)
    output.result(rows)
    if any("error" in row for row in rows):
        return 2
    return 0 if all(row["reward"] == 1.0 for row in rows) else 1


def _row(folder: Path, one: Recorded, drift: Drift) -> dict[str, Any]:
    """What a program reads of one of several."""
    before = drift.before
    return {
        "trajectory": str(folder),
        "task": drift.now.task,
        "harness": one.episode.harness,
        "model": one.episode.model,
        "before": None if before is None else {"state": before.state, "reward": before.reward},
        "state": drift.now.state,
        "reward": drift.now.reward,
        "drift": list(drift.lines),
        "moved": drift.moved,
    }


def _total(rows: list[dict[str, Any]], output: Output) -> None:
    """A last line: how many came out how; the mean leaves out what is unscored, which is no score."""
    graded = [row for row in rows if "error" not in row]
    states = Counter(row["state"] for row in graded)
    told = [f"{count} {state}" for state, count in sorted(states.items())]
    told += [f"{len(rows) - len(graded)} NOT GRADED"] if len(graded) < len(rows) else []
    scored = [row["reward"] for row in graded if row["state"] != "unscored"]
    mean = f"; mean reward {sum(scored) / len(scored):.4g} of {len(scored)} scored" if scored else ""
    moved = sum(row["moved"] for row in graded)
    output.say(f"{len(rows)} trajectories: {', '.join(told)}{mean}; {moved} came out otherwise than recorded")


def _causes(one: Recorded, drift: Drift) -> tuple[Cause, ...]:
    from workgym.quality import attribute

    return attribute(one.package, drift.now)


def _why(causes: tuple[Cause, ...]) -> dict[str, Any]:
    return {"why": [cause.model_dump(mode="json") for cause in causes]} if causes else {}


def _page(one: Recorded, drift: Drift, causes: tuple[Cause, ...]) -> str:
    from workgym.verify import explain

    by = one.episode.harness + (f" with {one.episode.model}" if one.episode.model else "")
    notes = (f"by: {by}", *drift.lines)
    return explain(one.package, drift.now, causes, notes=notes, more=f"workgym verify {one.trajectory.folder} --json")
