"""A factory's output folder with known numbers: every stage, outcome, condition, defect class and kind of call once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from workgym.authoring import families
from workgym.intents import Library, Review
from workgym.intents.reviewing import ASPECTS
from workgym.model import ModelReply, TextBlock, Usage
from workgym.models import Ledger
from workgym.models.budget import Spent
from workgym.models.ledger import Entry
from workgym.package import TaskPackage, save
from workgym.probe.model import Ground, ProbeReport, Problem
from workgym.records import DefectClass, Intent, pretty
from workgym.records.factory import Condition, FactoryEntry, ProbeRun, RepairRun, StageOutcome, Taken
from workgym.select.config import Config
from workgym.select.selection import Entry as SelectionEntry
from workgym.select.selection import Selection
from workgym.trajectory import (
    CallEvent,
    EndEvent,
    EpisodeEvent,
    MessageEvent,
    ObservationEvent,
    TrajectoryWriter,
    VerdictEvent,
)

DIRECT = {
    "broken derivation": (10, 6),
    "request under-specification": (4, 1),
    "leakage or shortcut": (2, 2),
    "self-inconsistency": (3, 0),
    "cross-file inconsistency": (12, 5),
    "executability defect": (1, 1),
}
"""Of 40 direct tasks: with a defect of the class, and with a hard one."""
PLANNED = {
    "broken derivation": (3, 1),
    "request under-specification": (0, 0),
    "leakage or shortcut": (2, 1),
    "self-inconsistency": (4, 0),
    "cross-file inconsistency": (9, 6),
    "executability defect": (2, 2),
}
"""Of 36 planned tasks that came to the probe, before repair."""
REPAIRED = {
    "broken derivation": (1, 0),
    "request under-specification": (0, 0),
    "leakage or shortcut": (0, 0),
    "self-inconsistency": (3, 0),
    "cross-file inconsistency": (2, 1),
    "executability defect": (0, 0),
}
"""Of 30 that were kept and measured."""
INTENTS = 40


def packages() -> list[TaskPackage]:
    """Five tasks as a model would have planned them: three of one work, two of another."""
    made = []
    for number, family in enumerate(["supplier-selection"] * 3 + ["overtime-payroll"] * 2):
        package = families.build(family, "easy", number)
        hidden = package.hidden
        origin = hidden.origin.model_copy(
            update={
                "author": "model",
                "family": "",
                "condition": "planned",
                "builder": "builder-1",
                "probed_by": "prober-1",
            }
        )
        card = package.card.model_copy(update={"id": f"workfactory/{family}-i-{number:012x}-v1"})
        made.append(replace(package, card=card, hidden=replace(hidden, origin=origin)))
    return made


def fill(out: Path) -> Path:
    """Write everything; the folder."""
    for package in packages():
        save(package, out / "tasks" / package.id.rpartition("/")[2])
    lines = [entry.model_dump_json() for entry in (*_direct(out), *_planned(out))]
    (out / "factory.jsonl").write_text("\n".join(lines) + "\n" + '{"intent": "torn', encoding="utf-8")
    write_ledger(out / "ledger.sqlite", [("builder-1", "plan", 4_000_000), ("prober-1", "probe", None)])
    write_ledger(out / "rollouts" / "ledger.sqlite", [("builder-1", "plan", 2_000_000)])
    _trajectories(out / "rollouts")
    _library(out / "intents")
    _selection(out / "selected")
    return out


def _direct(out: Path) -> Iterable[FactoryEntry]:
    plans = _plans(DIRECT)
    for number in range(INTENTS):
        path = _report(out, f"work/i-{number:012x}.direct/probe-0", plans.get(number, ()))
        yield _entry(
            number,
            "direct",
            [_passed("plan"), _passed("checks"), _skipped("solution"), _passed("probe"), _skipped("repair")],
            probes=(ProbeRun(report=path, when="before repair", held_out=False),),
        )


def _planned(out: Path) -> Iterable[FactoryEntry]:
    before, after = _plans(PLANNED), _plans(REPAIRED)
    for number in range(INTENTS):
        if number >= 36:
            yield _entry(number, "planned", _lost_early(number), package=None)
            continue
        probes = [
            ProbeRun(
                report=_report(out, f"work/i-{number:012x}.planned/probe-0", before.get(number, ())),
                when="before repair",
                held_out=False,
            )
        ]
        stages = [_passed("plan", 2), _passed("checks"), _passed("solution"), _passed("verifier"), _passed("probe")]
        if number >= 32:
            lost = StageOutcome(stage="repair", outcome="dropped", reason="no repair accepted", rounds=3)
            gone = RepairRun(
                outcome="discarded",
                rounds=3,
                refused=("contract", "checks", "contract"),
                classes=("cross-file inconsistency",),
            )
            yield _entry(number, "planned", [*stages, lost], probes=tuple(probes), repair=gone)
            continue
        mended = number % 4 == 0
        probes.append(
            ProbeRun(  # what repair answered to: it measures nothing
                report=_report(out, f"work/i-{number:012x}.planned/probe-1", ()), when="after repair", held_out=False
            )
        )
        held = _report(
            out,
            f"work/i-{number:012x}.planned/measure",
            after.get(number, ()),
            error="no reply fitted" if number >= 30 else None,
        )
        probes.append(ProbeRun(report=held, when="after repair", held_out=True))
        repair = RepairRun(
            outcome="accepted" if mended else "not needed",
            rounds=1 if mended else 0,
            classes=("executability defect",) if mended else (),
            mistaken=("problem 1: quotes.csv says it",) if number == 1 else (),
        )
        ends = [_passed("repair"), _passed("measure")]
        yield _entry(number, "planned", [*stages, *ends], probes=tuple(probes), repair=repair)


def _lost_early(number: int) -> list[StageOutcome]:
    if number == 36:
        return [StageOutcome(stage="plan", outcome="stopped", reason="budget spent")]
    if number == 37:
        lost = StageOutcome(stage="solution", outcome="dropped", reason="disagreement of the builder")
        return [_passed("plan"), _passed("checks"), lost]
    reason = "compile: literal in a derived query" if number == 38 else "compile: cycle"
    return [StageOutcome(stage="plan", outcome="dropped", reason=reason, rounds=8)]


def _passed(stage: str, rounds: int = 1) -> StageOutcome:
    return StageOutcome.model_validate({"stage": stage, "outcome": "passed", "rounds": rounds})


def _skipped(stage: str) -> StageOutcome:
    return StageOutcome.model_validate({"stage": stage, "outcome": "skipped"})


def _entry(
    number: int,
    condition: Condition,
    stages: list[StageOutcome],
    *,
    probes: tuple[ProbeRun, ...] = (),
    repair: RepairRun | None = None,
    package: str | None = "work/package",
) -> FactoryEntry:
    priced = Taken(stage="plan", model="builder-1", calls=2, prompt=9000, completion=1000, nano=5_000_000)
    unpriced = Taken(stage="probe", model="prober-1", calls=10, prompt=40_000, completion=2000, uncounted=1, nano=None)
    return FactoryEntry(
        intent=f"i-{number:012x}",
        condition=condition,
        occupation="13-1023",
        source="occupation",
        stages=tuple(stages),
        package=package,
        probes=probes,
        repair=repair,
        taken=(priced, unpriced) if condition == "direct" else (priced,),
    )


def _plans(counts: dict[str, tuple[int, int]]) -> dict[int, list[tuple[DefectClass, bool]]]:
    """Which defects each task has: those of every class in the first tasks."""
    plans: dict[int, list[tuple[DefectClass, bool]]] = {}
    for defect, (some, hard) in counts.items():
        for number in range(some):
            plans.setdefault(number, []).append((defect, number < hard))  # type: ignore[arg-type]
    return plans


def _report(out: Path, folder: str, defects: Iterable[tuple[DefectClass, bool]], error: str | None = None) -> str:
    problems = [
        Problem(
            defect=defect,
            what="the total is not the sum",
            blocks="the comparison",
            grounds=(Ground(call=1, source="a.csv", quote="12"),),
            verdict="defect",
            severity="hard" if hard else "soft",
        )
        for defect, hard in defects
    ]
    mistake = problems[:1] and [problems[0].model_copy(update={"verdict": "mistake", "severity": "hard"})]
    report = ProbeReport(
        task_id="workfactory/x",
        package="0" * 64,
        harness="react",
        model="prober-1",
        seed=0,
        diagnoser="diagnoser-1",
        turns=5,
        end="closed",
        state="passed",
        reward=1.0,
        error=error,
        problems=(*problems, *mistake),
    )
    (out / folder).mkdir(parents=True)
    (out / folder / "probe.json").write_text(pretty(report.model_dump(mode="json")), encoding="utf-8")
    return f"{folder}/probe.json"


GOALS = (
    "Compare the quotes of four haulage firms for the autumn deliveries and say which one should have the contract.",
    "Write the minutes of the safety meeting in the paint shop and list who has to do what until the next one.",
    "Work out from the shift plan how many nurses the ward needs at weekends in the summer holidays.",
)
"""Of three intents the last is rejected, the first proposed twice; a fourth candidate comes to nothing."""


def _library(folder: Path) -> None:
    library = Library(folder)
    role = {
        **dict.fromkeys(("title", "industry", "size", "seniority", "trigger", "stakes"), "x"),
        "occupation": "13-1023",
    }
    for number, goal in enumerate((*GOALS, GOALS[0])):
        intent = Intent.model_validate(
            {
                "source": "occupation",
                "role": role,
                "goal": goal,
                "wanted": [{"what": "w", "format": "docx"}],
                "provenance": {"slot": f"s-{number}"},
            }
        )
        opinions = [{"reasons": "r", "aspect": aspect, "score": 5 if number != 2 else 3} for aspect in ASPECTS]
        review = {"intent": intent.id, "opinions": opinions, "model": "judge-1", "prompt": ""}
        library.add(intent, Review.model_validate(review))
    library.drop("s-9", "form: no goal")


def _selection(folder: Path) -> None:
    entries = [
        SelectionEntry(trajectory=f"t{number}", dropped_by=("outcome",) if number < 2 else ()) for number in range(6)
    ]
    Selection(config=Config(), entries=tuple(entries)).save(folder)


def write_ledger(path: Path, calls: list[tuple[str, str, int | None]]) -> None:
    """A reply of 1,100 tokens for each (model, stage, price)."""
    ledger = Ledger(path)
    for number, (model, stage, nano) in enumerate(calls):
        entry = Entry(f"k{number}", f"r{number}", model, stage)
        assert ledger.claim(entry) is None
        usage = Usage(prompt=1000, completion=100)
        reply = ModelReply(model=model, blocks=(TextBlock(text="yes"),), stop="end", usage=usage)
        took = Spent(calls=1, prompt=1000, completion=100, reckoned=1100, nano=nano or 0, unpriced=int(nano is None))
        ledger.keep(entry, reply.model_dump_json(), took, nano)
    if len(calls) > 1:
        assert ledger.claim(Entry("k0", "r0", "builder-1", "plan")) is not None
    ledger.close()


CALLS = (
    *[("bash", False)] * 9,
    ("bash", True),
    ("python", True),
    *[("python", False)] * 9,
    *[("web_search", False)] * 4,
    ("web_search", True),
    *[("web_fetch", True)] * 2,
    *[("web_fetch", False)] * 3,
    *[("read_file", False)] * 10,
)
"""Calls of each trajectory: 2 of 20 programs fail, 1 of 5 searches, 2 of 5 fetches, no other."""


def _trajectories(folder: Path) -> None:
    for number in range(4):
        end = "turns" if number == 0 else "closed"
        with TrajectoryWriter(folder / f"task-{number}" / "teacher-0", durable=False) as log:
            log.append(
                EpisodeEvent(
                    task_id=f"workfactory/task-{number}",
                    task_digest="",
                    harness="stirrup-style",
                    model="teacher-1",
                    sandbox="none",
                    turns=250,
                    workspace="",
                )
            )
            usage = Usage(prompt=1000 * (number + 1), completion=500) if number else Usage(completion=500)
            blocks = (TextBlock(text="x" * 3000),)
            log.append(MessageEvent(segment=0, role="assistant", blocks=blocks, usage=usage))
            for index, (tool, wrong) in enumerate(CALLS, 1):
                log.append(CallEvent(index=index, segment=0, tool=tool, arguments={}))
                log.append(ObservationEvent(index=index, text="x" * 3000, is_error=wrong, workspace=""))
            log.append(VerdictEvent(state="failed" if number == 0 else "passed", reward=float(number > 0)))
            log.append(EndEvent(reason=end))
