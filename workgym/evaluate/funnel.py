"""Where intents, tasks and trajectories are lost: by stage and reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import get_args

from workgym.intents import Stats
from workgym.records import Record
from workgym.records.factory import STAGES, Condition, FactoryEntry
from workgym.select.selection import Selection

_LOST = {"rejected": "the review", "duplicate": "a near-duplicate", "dropped": "nothing came of it"}


class Step(Record):
    """One stage of the funnel."""

    stage: str
    """Its name."""
    reached: int
    """What came to it, those included for which it was not asked for."""
    passed: int
    """Those that went on."""
    skipped: int = 0
    """Those of them for which it was not asked for, or had nothing to do."""
    dropped: Mapping[str, int] = {}
    """Those that ended here, by reason, the most frequent first."""
    stopped: Mapping[str, int] = {}
    """Those that a budget or a failure of ours stopped here, by reason: a later run goes on with them."""
    rounds: int = 0
    """Attempts of all together; 0 where they are not counted."""


class Funnel(Record):
    """All stages under one condition."""

    condition: Condition
    """How the tasks were planned."""
    entries: int
    """Intents that were planned so."""
    kept: int
    """Tasks that neither a drop nor a stop ended before they were measured."""
    steps: tuple[Step, ...]
    """The stages that any of them came to, in their order."""


class Intents(Record):
    """What became of what models proposed as intents."""

    step: Step
    """Candidates, and why some are not in the library."""
    short: Mapping[str, int]
    """Rejected ones by the aspects of the review that fell short; one may count for several."""
    sources: Mapping[str, int]
    """Admitted ones by source."""
    scores: Mapping[str, float]
    """Mean score of all that were reviewed, by aspect."""


class Selected(Record):
    """What one selection of trajectories came to."""

    path: str
    """Its file, from the report's folder."""
    judge: str | None
    """The model that compared deliverables; None for none."""
    trajectories: int
    """What it looked at."""
    kept: int
    """What it kept."""
    contests: int
    """Tasks whose rollouts were compared with each other."""
    undecided: int
    """Those of them that a judge was to decide, and could not."""
    steps: tuple[Step, ...]
    """Each filter that dropped something, in their order."""


class Repairs(Record):
    """What repair did."""

    looked_at: int
    """Tasks that came to it."""
    not_needed: int
    """Tasks that nothing blocked."""
    accepted: int
    """Tasks with an accepted revision."""
    discarded: int
    """Tasks that no revision mended."""
    proposed: int
    """Revisions that were proposed."""
    refused: Mapping[str, int]
    """Why proposals were discarded, the most frequent reason first."""
    classes: Mapping[str, int]
    """Tasks by the defect classes that their repair answered."""
    mistaken: int = 0
    """Problems that a probe called blocking and the graph shows mistaken: no repair answers them, rates count them."""


def funnels(entries: Sequence[FactoryEntry]) -> tuple[Funnel, ...]:
    """A funnel for each condition that occurs."""
    return tuple(_funnel(condition, own) for condition in get_args(Condition) if (own := _of(entries, condition)))


def _of(entries: Sequence[FactoryEntry], condition: str) -> list[FactoryEntry]:
    return [entry for entry in entries if entry.condition == condition]


def _funnel(condition: Condition, entries: Sequence[FactoryEntry]) -> Funnel:
    steps = []
    for stage in STAGES:
        here = [one for entry in entries for one in entry.stages if one.stage == stage]
        if not here:
            continue
        steps.append(
            Step(
                stage=stage,
                reached=len(here),
                passed=sum(one.outcome in ("passed", "skipped") for one in here),
                skipped=sum(one.outcome == "skipped" for one in here),
                dropped=_counted(one.reason for one in here if one.outcome == "dropped"),
                stopped=_counted(one.reason for one in here if one.outcome == "stopped"),
                rounds=sum(one.rounds for one in here if one.outcome != "skipped"),
            )
        )
    kept = sum(entry.kept for entry in entries)
    return Funnel(condition=condition, entries=len(entries), kept=kept, steps=tuple(steps))


def intents(stats: Stats) -> Intents:
    """What a library says."""
    lost = {_LOST[name]: count for name, count in stats.statuses.items() if name != "admitted"}
    step = Step(stage="intents", reached=sum(stats.statuses.values()), passed=stats.intents, dropped=_ranked(lost))
    return Intents(step=step, short=_ranked(stats.short), sources=_ranked(stats.sources), scores=stats.scores)


def selected(path: str, found: Selection) -> Selected:
    """What a selection says."""
    lost = [one for one in found.funnel if one.dropped]
    return Selected(
        path=path,
        judge=found.judge,
        trajectories=len(found.entries),
        kept=len(found.kept),
        contests=len(found.contests),
        undecided=found.undecided,
        steps=tuple(
            Step(
                stage=one.stage.replace("_", " "),
                reached=one.left + one.dropped,
                passed=one.left,
                dropped={"not good enough": one.dropped},
            )
            for one in lost
        ),
    )


def repairs(entries: Sequence[FactoryEntry]) -> Repairs:
    """What repair did to the tasks that came to it."""
    runs = [entry.repair for entry in entries if entry.repair is not None]
    outcomes = Counter(run.outcome for run in runs)
    return Repairs(
        looked_at=len(runs),
        not_needed=outcomes["not needed"],
        accepted=outcomes["accepted"],
        discarded=outcomes["discarded"],
        proposed=sum(run.rounds for run in runs),
        refused=_counted(code for run in runs for code in run.refused),
        classes=_counted(defect for run in runs for defect in run.classes),
        mistaken=sum(len(run.mistaken) for run in runs),
    )


def _counted(reasons: Iterable[str]) -> dict[str, int]:
    return _ranked(Counter(reason or "no reason given" for reason in reasons))


def _ranked(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
