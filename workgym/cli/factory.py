"""``build --author model``: intents through all stages of the factory."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from workgym.cli import asking
from workgym.cli.output import Output
from workgym.errors import UsageError
from workgym.records.factory import Condition

if TYPE_CHECKING:
    from workgym.engine import Crew, Intake, Settings, Summary

LEDGER = "ledger.sqlite"
_SHOWN = 5
"""Causes of stops that are told."""
_CONDITIONS: dict[str, tuple[Condition, ...]] = {
    "planned": ("planned",),
    "direct": ("direct",),
    "both": ("direct", "planned"),
}


def build(arguments: Namespace, output: Output) -> int:
    """Build tasks by a model; 1 where some have come to no end."""
    from workgym import engine

    _sound(arguments)
    out = Path(arguments.out)
    settings = _settings(arguments)
    crew = _crew(arguments, out, output)
    with engine.opened(crew, settings, out):
        return _built(arguments, output, out, settings, crew)


def _built(arguments: Namespace, output: Output, out: Path, settings: Settings, crew: Crew) -> int:
    from workgym import engine

    library = Path(arguments.intents) if arguments.intents else out / "intents"
    found = engine.intake(
        library,
        crew,
        occupations=arguments.occupations,
        count=arguments.count,
        seed=arguments.seed,
        make=not arguments.intents,
        workers=settings.at_once,
        progress=output.progress,
    )
    summary = engine.run(found.intents, crew, settings, out, again=arguments.again, progress=output.progress)
    output.done()
    _say(summary, out, output)
    _say_intents(found, library, output)
    spent = crew.ledger.spent()
    output.say(asking.told(spent))
    output.result(
        {
            "tasks": summary.kept,
            "waiting": summary.waiting,
            "intents": found.model_dump(mode="json", exclude={"intents"}) | {"admitted": len(found.intents)},
            "faults": sorted(summary.faults),
            "given_up": [f"{entry.intent}.{entry.condition}" for entry in summary.given_up],
            "entries": [entry.model_dump(mode="json") for entry in summary.entries],
            "spent": spent.model_dump(mode="json"),
        }
    )
    return 1 if summary.stopped or summary.waiting or found.stopped or not found.intents else 0


def _sound(arguments: Namespace) -> None:
    """Raises UsageError for numbers that are none, and for options that do not go together."""
    from workgym.engine.intake import MOST

    if arguments.at_once is not None and arguments.at_once < 1:
        raise UsageError(f"--at-once {arguments.at_once}: at least one task is in the works", fix="--at-once 2")
    asking.between(arguments, "count", 1, MOST)
    if arguments.intents and arguments.seed is not None and arguments.count is None:
        raise UsageError(
            "--seed does not go together with --intents unless it draws some of them",
            fix="say how many (--count), or leave it out",
        )


def _settings(arguments: Namespace) -> Settings:
    from workgym.engine import Settings
    from workgym.records.yaml12 import read_record

    read = read_record(Settings, arguments.settings) if arguments.settings else Settings()
    said = {"at_once": arguments.at_once, "conditions": _CONDITIONS.get(arguments.conditions)}
    return read.model_copy(update={name: value for name, value in said.items() if value is not None})


def _crew(arguments: Namespace, out: Path, output: Output) -> Crew:
    from workgym import models
    from workgym.engine import ROLES, Crew
    from workgym.records.yaml12 import read_yaml

    specs: dict[str, str] = dict.fromkeys(ROLES, arguments.model) if arguments.model else {}
    if arguments.crew:
        try:
            written = read_yaml(Path(arguments.crew).read_text(encoding="utf-8"), arguments.crew)
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{arguments.crew}: {getattr(error, 'strerror', None) or error}") from None
        if not isinstance(written, dict) or not all(isinstance(value, str) for value in written.values()):
            raise UsageError(f"{arguments.crew}: a mapping of roles to models is wanted", fix="builder: openai:NAME")
        unknown = [str(role) for role in written if role not in ROLES]
        if unknown:
            raise UsageError(f"{arguments.crew}: {unknown[0]} is no role", fix=f"use {', '.join(ROLES)}")
        specs |= written
    if not specs:
        raise UsageError("a model has to plan", fix="name one for all roles (--model), or one for each (--crew)")
    made = {spec: models.create(spec, tell=output.progress) for spec in dict.fromkeys(specs.values())}
    ledger = models.Ledger(Path(arguments.ledger) if arguments.ledger else out / LEDGER)
    return Crew({role: made[specs[role]] for role in ROLES if role in specs}, ledger, budget=asking.budget(arguments))


def _say(summary: Summary, out: Path, output: Output) -> None:
    ends = Counter(
        (entry.condition, entry.last.stage, entry.last.outcome, entry.last.reason)
        for entry in summary.entries
        if not entry.kept
    )
    if ends:
        rows = [(*end, count) for end, count in sorted(ends.items(), key=lambda item: (-item[1], item[0]))]
        output.table(("condition", "ended at", "how", "why", "tasks"), rows)
    if any(entry.last.outcome == "dropped" for entry in summary.entries):
        output.say(f"why a task was dropped: {out / 'work' / '<task>' / 'why.txt'}")
    causes = Counter(
        f"{entry.last.reason} at {entry.last.stage}: {entry.last.detail}"
        for entry in summary.stopped
        if entry.last.detail and entry.last.reason != "fault"
    )
    for cause, count in causes.most_common(_SHOWN):
        output.say(cause + (f" ({count} times)" if count > 1 else ""))
    output.say(
        f"{summary.kept} tasks in {out / 'tasks'}; of {summary.wanted} in all {summary.waiting} can still go on"
        + (", with the same command" if summary.waiting else "")
    )
    for trace, entry in summary.faults.items():
        output.say(f"a fault of workgym at {entry.last.stage}: {entry.last.detail}; {out / trace}")
    if summary.faults:
        output.say(f"{len(summary.faults)} faults in all; please report them, with these files")
    if summary.given_up:
        output.say(
            f"{len(summary.given_up)} given up after {summary.retries} later runs; to take them up once more: --again,"
            f" or delete {out / 'work' / '<task>' / 'stopped.json'}"
        )


def _say_intents(found: Intake, library: Path, output: Output) -> None:
    """How many there are, where they were made or are fewer than was asked for, and why."""
    wanted, there = found.wanted, len(found.intents)
    if found.tried or found.stopped:
        output.say(f"{there} of {wanted} intents were admitted, of {found.tried} candidates ({library})")
    elif wanted is not None and there < wanted:
        output.say(f"{there} of {wanted} intents are there ({library})")
    if found.stopped:
        output.say(f"stopped while intents were made: {found.stopped}; run again, and it goes on")
    elif found.tried and wanted is not None and there < wanted:
        output.say(f"no more candidates are made; why some were not admitted: workgym intents show {library}")
