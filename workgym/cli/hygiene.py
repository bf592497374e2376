"""``check --against``: a corpus beside evaluation sets, and the queue of pairs that people decide."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from workgym.cli.output import Output
from workgym.errors import UsageError
from workgym.records import pretty
from workgym.records.whole import write_whole

if TYPE_CHECKING:
    from workgym.corpus.hygiene import Report, Settings

_SHOWN = 40


def against(arguments: Namespace, output: Output) -> int:
    """Compare; 1 where evaluation data was reused, or a request could not be compared."""
    from workgym.corpus import hygiene
    from workgym.corpus.hygiene import queue

    if arguments.expert:
        raise UsageError("--expert: with --against nothing is solved", fix="run workgym check twice")
    settings = _settings(arguments)
    path = Path(arguments.queue) if arguments.queue else None
    known = queue.read(path) if path else {}
    output.progress("looking for what is to be compared")
    ours = hygiene.ours(arguments.task)
    theirs = hygiene.theirs(arguments.against, apart_from=arguments.task, columns=settings.columns)
    found = hygiene.compare(
        ours,
        theirs,
        decisions=known,
        settings=settings,
        cache=Path(arguments.cache) if arguments.cache else ":memory:",
        progress=output.progress,
    )
    said = []
    if path is not None:
        left = queue.write(path, known, hygiene.nearest(found.matches, arguments.nearest))
        kept = sum(bool(entry.decision) for entry in known.values())
        said.append(f"{path}: {left:,} pairs wait for a decision, {kept:,} are decided")
    if arguments.out:
        write_whole(Path(arguments.out), pretty(found.model_dump(mode="json")))
        said.append(f"{arguments.out} holds all pairs")
    output.done()
    _print(output, found)
    for line in said:
        output.say(line)
    output.result({**found.model_dump(mode="json"), "passed": found.passed})
    return 0 if found.passed else 1


def _settings(arguments: Namespace) -> Settings:
    from pydantic import ValidationError

    from workgym.corpus.hygiene import Settings

    try:
        return Settings(hard=arguments.copy, columns=tuple(arguments.column or ()))
    except ValidationError as error:
        raise UsageError(f"--copy {arguments.copy}: not a share", fix="write a number above 0, at most 1") from error


def _print(output: Output, found: Report) -> None:
    there = found.compared
    output.say(f"{found.tasks:,} tasks against {found.theirs}: {'nothing was reused' if found.passed else 'NOT CLEAN'}")
    rows = [
        (what, f"{there[f'ours {what}']:,}", f"{there[f'theirs {what}']:,}")
        for what in ("requests", "files", "texts", "rows")
    ]
    output.table(("compared", "corpus", "evaluation"), rows)
    for name, count in found.counts.items():
        output.say(f"{count:,} {'pairs that people called different' if name == 'different' else name}")
    for match in found.matches[:_SHOWN]:
        output.say(f"  {match.severity} {match.pair} {match}")
    if len(found.matches) > _SHOWN:
        output.say(f"  and {len(found.matches) - _SHOWN:,} more (-o FILE, --json)")
    for what, unread in (("NOT COMPARED", found.unread_requests), ("only bytes compared", found.unread)):
        for name, reason in list(unread.items())[:_SHOWN]:
            output.say(f"  {what}: {name}: {reason}")
        if len(unread) > _SHOWN:
            output.say(f"  {what}: {len(unread) - _SHOWN:,} more (-o FILE, --json)")
