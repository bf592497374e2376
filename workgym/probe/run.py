"""One probe: a run on what a solver sees, its diagnosis, the grounds looked up, defects told from mistakes."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from workgym import harness as harnesses
from workgym.env import SandboxMaker
from workgym.errors import Unstructured, UsageError
from workgym.harness import Harness
from workgym.model import Model
from workgym.package import SolverView, TaskPackage, view
from workgym.probe.diagnosis import diagnose, judged, prompt_digests, regrounded
from workgym.probe.evidence import Evidence
from workgym.probe.grounds import checked
from workgym.probe.model import ProbeReport, Problem, Rejected
from workgym.probe.transcript import LONGEST, transcript
from workgym.records import pretty
from workgym.records.whole import write_whole
from workgym.rollout import Rollout, rollout
from workgym.trajectory import Redactor, Trajectory
from workgym.trajectory.store import EVENTS

REPORT, RUN = "probe.json", "run"
"""The report's file and the trajectory's folder, within a probe's folder."""


def probe(
    package: TaskPackage,
    *,
    harness: str | Harness,
    model: Model | None,
    diagnoser: Model,
    out: Path | None,
    seed: int = 0,
    sandbox: str | SandboxMaker = "bubblewrap",
    seen: Sequence[ProbeReport] = (),
    longest: int = LONGEST,
) -> ProbeReport:
    """Let ``harness`` and ``model`` attempt a task, and let ``diagnoser`` say what is wrong with the task.

    Report and trajectory are kept in ``out`` (nowhere where it is None); a probe that is there already is not made
    again, and what one that was interrupted left there is removed. ``seen`` are probes that a repair of this task
    was decided on: the new one is then *held out* from them, and has to differ from each in model or seed. ``longest``
    is the limit of the transcript in characters. A run that broke, and a diagnosis that never fitted its form, give a
    report with ``error`` set, which says nothing about the task. Raises UsageError for a harness that sees hidden
    content, for a probe that is not held out and for a folder that holds another probe, and what models raise.
    """
    loaded = harnesses.of(harness)
    if loaded.manifest.oracle:
        raise UsageError(
            f"the harness {loaded.manifest.name} sees what is hidden: it is no probe",
            fix="take one that acts for a model",
        )
    asked = ProbeReport(
        task_id=package.id,
        package=package.digest,
        harness=loaded.manifest.name,
        model=None if model is None else model.name,
        seed=seed,
        diagnoser=diagnoser.name,
        prompts=prompt_digests(),
        held_out=bool(seen),
    )
    held_out(seen, model=asked.model, seed=seed)
    kept = None if out is None else _kept(out, asked)
    if kept is not None:
        return kept
    with tempfile.TemporaryDirectory(prefix="workgym-probe-") as scratch:
        run = rollout(package, harness, model=model, out=(out or Path(scratch)) / RUN, seed=seed, sandbox=sandbox)
        found = _found(view(package), run, diagnoser, longest)
    report = asked.model_copy(update=_said(run, kept=out is not None) | found)
    if out is not None:
        save(report, out)
    return report


def examine(
    seen: SolverView, trajectory: Trajectory, diagnoser: Model, *, sample: int = 0, longest: int = LONGEST
) -> tuple[tuple[Problem, ...], tuple[Rejected, ...], str]:
    """The judged problems of a recorded run, those rejected, and how much of it was shown.

    Problems whose grounds do not hold go back once, for other grounds of the same claims. It is given nothing but a
    solver's view and the log. Raises Unstructured, ReplayError, and what the model raises.
    """
    evidence = Evidence.of(seen, trajectory)
    told = transcript(trajectory, longest=longest)
    accepted: list[Problem] = []
    doubtful: list[Rejected] = []
    for reported in diagnose(diagnoser, seen, told, sample=sample):
        problem, wrong = checked(reported, evidence)
        if wrong is None:
            accepted.append(problem)
        else:
            doubtful.append(Rejected(problem, wrong))
    rejected: list[Rejected] = []
    for first, again in zip(doubtful, regrounded(diagnoser, seen, told, doubtful, sample=sample), strict=True):
        problem, wrong = checked(again, evidence)
        if wrong is None:
            accepted.append(problem)
        else:
            then = f"asked again, {wrong}" if again.grounds else "withdrawn"
            rejected.append(Rejected(first.problem, f"{first.why}; {then}"))
    return judged(diagnoser, evidence, told, accepted, sample=sample), tuple(rejected), told.note


def held_out(seen: Sequence[ProbeReport], *, model: str | None, seed: int) -> None:
    """Raises UsageError where a probe by this model and seed is one that a repair was decided on."""
    for report in seen:
        if (report.model, report.seed) == (model, seed):
            raise UsageError(
                f"{report.task_id}: a repair has seen a probe by {model} with seed {seed}",
                fix="measure with another seed or another model",
            )


def probed(package: TaskPackage, report: ProbeReport) -> TaskPackage:
    """The package that says which model probed it.

    Raises UsageError where the report is of another package, says nothing about it, or no model acted.
    """
    if report.package != package.digest:
        raise UsageError(f"the report is of another state of {report.task_id} than this package")
    if report.model is None or not report.measured:
        raise UsageError(f"{package.id}: no model has probed it ({report.error or 'the harness acted without one'})")
    return package.with_hidden(origin=package.hidden.origin.model_copy(update={"probed_by": report.model}))


def save(report: ProbeReport, out: Path) -> Path:
    """Write a report into a folder, whole or not at all; its file."""
    write_whole(out / REPORT, pretty(report.model_dump(mode="json")))
    return out / REPORT


def load(folder: Path) -> ProbeReport:
    """The report of a folder, or of a file. Raises UsageError where there is none."""
    path = folder / REPORT if folder.is_dir() else folder
    try:
        return ProbeReport.model_validate_json(path.read_bytes())
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}", fix="give the folder of a probe") from None
    except ValueError as error:
        raise UsageError(f"{path}: this is no report of a probe: {str(error).splitlines()[0]}") from None


def _kept(out: Path, asked: ProbeReport) -> ProbeReport | None:
    """The report of this very probe, where the folder holds one that says something; the folder is free otherwise."""
    if (out / REPORT).is_file():
        there = load(out)
        told = ("package", "harness", "model", "seed", "diagnoser", "prompts", "held_out")
        other = [name for name in told if getattr(there, name) != getattr(asked, name)]
        if other:
            raise UsageError(f"{out}: the probe there differs from this one in {other[0]}", fix="give another folder")
        if there.measured:
            return there
    if (out / RUN / EVENTS).is_file():
        shutil.rmtree(out / RUN)
    return None


def _said(run: Rollout, *, kept: bool) -> dict[str, Any]:
    """What a report says of the run."""
    trajectory = None if run.trajectory is None or not kept else Path(run.trajectory).name
    told = {"turns": run.turns, "end": run.end, "state": run.verdict, "reward": run.reward, "error": run.error}
    return {**told, "trajectory": trajectory}


def _found(seen: SolverView, run: Rollout, diagnoser: Model, longest: int) -> dict[str, Any]:
    """What the diagnosis adds to a report."""
    if run.error is not None or run.trajectory is None:
        return {}
    redactor = Redactor(tuple(diagnoser.secrets))
    try:
        problems, rejected, shown = examine(
            seen, Trajectory.open(run.trajectory), diagnoser, sample=run.seed, longest=longest
        )
    except Unstructured as error:
        return {"error": f"no diagnosis: {redactor.text(str(error))}"}
    return {"problems": problems, "rejected": rejected, "shown": shown}
