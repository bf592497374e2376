"""``report``: a corpus and its making as a page, as JSON, and as a data card."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from workgym.cli.output import Output
from workgym.records import pretty
from workgym.records.whole import write_whole

if TYPE_CHECKING:
    from workgym.evaluate import CorpusReport


def report(arguments: Namespace, output: Output) -> int:
    """Write the report; 1 where something that lies there could not be read."""
    from workgym.evaluate import card
    from workgym.evaluate import report as run
    from workgym.viewer.corpus import page

    folder = Path(arguments.folder)
    found = run(folder, hygiene=Path(arguments.hygiene) if arguments.hygiene else None, progress=output.progress)
    out = Path(arguments.out) if arguments.out else folder / "report"
    written = {out / "report.html": page(found), out / "report.json": pretty(found.model_dump(mode="json"))}
    written[Path(arguments.card) if arguments.card else out / "card.md"] = card(found)
    for path, text in written.items():
        write_whole(path, text)
    output.done()
    _print(output, found)
    output.say(f"written: {', '.join(map(str, written))}")
    output.result({**found.model_dump(mode="json"), "written": [str(path) for path in written]})
    return 1 if found.unread else 0


def _print(output: Output, found: CorpusReport) -> None:
    from workgym.evaluate.published import CONDITIONS

    output.say(str(found.works))
    if any(one.measured for one in found.defects.conditions.values()):
        rows = [(row.defect, *(str(row.rates[name]) for name in CONDITIONS)) for row in found.defects.rows]
        output.table(("share of tasks with", *CONDITIONS), rows)
    for funnel in found.funnels:
        output.say(f"{funnel.condition}: {funnel.kept:,} of {funnel.entries:,} intents became a task")
    for name, one in found.costs.by_condition.items():
        usd = "not known" if one.usd_each is None else f"{one.usd_each:.4f} USD"
        output.say(f"{name}: cost of a kept task {usd}, {one.tokens:,} tokens in all")
    if found.hygiene is None:
        output.say("not compared with an evaluation set (workgym check --against)")
    for path, reason in list(found.unread.items())[:20]:
        output.say(f"NOT READ: {path}: {reason}")
