"""``intents``: make, count and show what somebody wants done; import what is known of occupations."""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from workgym.cli import asking, given
from workgym.cli.output import Output
from workgym.errors import BudgetSpent, UsageError

if TYPE_CHECKING:
    from workgym.intents import Job, Library, Stats
    from workgym.models import Ledgered

LEDGER = "ledger.sqlite"
_MODEL = "openai:NAME, mailbox:FOLDER, recorded:PATH, scripted:FILE or a YAML file"


def arguments(command: ArgumentParser) -> None:
    """The grammar of ``intents``."""
    as_json = ArgumentParser(add_help=False)
    as_json.add_argument("--json", action="store_true", default=SUPPRESS, help="print the result as JSON")
    verbs = command.add_subparsers(dest="what", metavar="COMMAND", required=True)
    _make_arguments(verbs.add_parser("make", parents=[as_json], help="fill a library; run again, it goes on"))
    stats = verbs.add_parser("stats", parents=[as_json], help="what a library holds, and what of SOC 2018 it covers")
    stats.add_argument("library", metavar="DIR")
    stats.set_defaults(run="intents:stats")
    show = verbs.add_parser("show", parents=[as_json], help="all candidates of a library, or one with its review")
    show.add_argument("library", metavar="DIR")
    show.add_argument("intent", metavar="ID", nargs="?", help="id of an intent, or a slot")
    show.set_defaults(run="intents:show")
    onet = verbs.add_parser("import-onet", parents=[as_json], help="read a download of the O*NET database (CC BY 4.0)")
    onet.add_argument("download", metavar="ZIP|DIR", help="its tab-separated texts")
    onet.add_argument("-o", "--out", metavar="FILE", required=True, help="JSON that `make --onet` reads")
    onet.set_defaults(run="intents:import_onet")


def _make_arguments(make: ArgumentParser) -> None:
    make.add_argument("library", metavar="DIR", help="folder of the library")
    source = make.add_mutually_exclusive_group()
    source.add_argument("--occupations", metavar="CODES", help="SOC codes or their beginnings: 13-20,29-1 (all)")
    source.add_argument("--skills", metavar="DIR", help="compose documented skills: markdown files")
    source.add_argument("--artifacts", metavar="DIR", help="infer goals from real files: a folder for each matter")
    source.add_argument("--chains", action="store_true", help="go on from intents of the library: whole next tasks")
    make.add_argument("--count", type=int, default=20, metavar="N", help="candidates to make (20)")
    make.add_argument("--seed", type=given.seed, default=0, metavar="S", help="seed of what is drawn (0)")
    make.add_argument("--gaps", action="store_true", help="occupations that the library covers least")
    make.add_argument("--onet", metavar="FILE", help="what import-onet wrote: tells the model tasks and skills")
    make.add_argument("--model", metavar="SPEC", required=True, help=_MODEL)
    make.add_argument("--judge", metavar="SPEC", help="model that reviews (the same one, in a fresh context)")
    make.add_argument("--threshold", type=int, default=4, metavar="T", help="score that each aspect needs, of 5 (4)")
    make.add_argument("--at-once", type=int, default=4, metavar="N", help="intents in the works at the same time (4)")
    make.add_argument("--ledger", metavar="FILE", help=f"where replies are kept (DIR/{LEDGER})")
    make.add_argument("--budget-tokens", type=int, metavar="N", help="stop when so many tokens are spent")
    make.add_argument("--budget-usd", metavar="X", help="stop when so many US dollars are spent")
    make.set_defaults(run="intents:make")


def make(arguments: Namespace, output: Output) -> int:
    """Fill a library; 1 where a budget ended it."""
    from workgym.intents import Library, fill

    _sound(arguments)
    library = Library(arguments.library)
    maker, judge = _models(arguments, output)
    jobs = list(_jobs(arguments, library, maker))
    left = sum(job.slot not in library.slots for job in jobs)
    found: Counter[str] = Counter()
    stopped = ""
    try:
        for entry in fill(library, jobs, judge, threshold=arguments.threshold, workers=arguments.at_once):
            found[entry.status] += 1
            output.progress(f"{found.total()}/{left} {entry}")
    except BudgetSpent as error:
        stopped = error.message
    output.done()
    parts = ", ".join(f"{number} {status}" for status, number in found.most_common()) or "nothing was left to make"
    there = len(jobs) - left
    output.say(f"{library.folder}: {parts}" + (f"; {there} of {len(jobs)} were decided before" if there else ""))
    if stopped:
        output.say(f"stopped: {stopped}; run again with a larger budget, and it goes on")
    told = library.stats()
    output.say(_covered(told))
    if credit := {entry.intent.provenance.get("onet", "") for entry in library.entries() if entry.intent} - {""}:
        output.say("\n".join(sorted(credit)))
    spent = maker.ledger.spent()
    output.say(asking.told(spent))
    output.result(
        {
            "library": str(library.folder),
            "made": dict(found),
            "before": there,
            "stopped": stopped,
            "stats": told.model_dump(mode="json"),
            "spent": spent.model_dump(mode="json"),
        }
    )
    return 1 if stopped else 0


def _sound(arguments: Namespace) -> None:
    for name, least, most in (("count", 1, 10**7), ("threshold", 1, 5), ("at_once", 1, 256)):
        asking.between(arguments, name, least, most)
    if (arguments.gaps or arguments.onet) and (arguments.skills or arguments.artifacts or arguments.chains):
        raise UsageError("--gaps and --onet are for occupations", fix="leave them out, or give --occupations")


def _models(arguments: Namespace, output: Output) -> tuple[Ledgered, Ledgered]:
    from workgym import models

    maker = models.create(arguments.model, tell=output.progress)
    judge = maker if arguments.judge is None else models.create(arguments.judge, tell=output.progress)
    folder = Path(arguments.library)
    if not arguments.ledger:
        folder.mkdir(parents=True, exist_ok=True)
    ledger = models.Ledger(Path(arguments.ledger) if arguments.ledger else folder / LEDGER)
    limit = asking.budget(arguments)
    return (
        models.Ledgered(maker, ledger, stage="intents", budget=limit),
        models.Ledgered(judge, ledger, stage="reviews", budget=limit),
    )


def _jobs(arguments: Namespace, library: Library, maker: Ledgered) -> Iterator[Job]:
    from workgym.intents import jobs

    seed, count = arguments.seed, arguments.count
    if arguments.skills:
        return jobs.of_skills(maker, Path(arguments.skills), count=count, seed=seed)
    if arguments.artifacts:
        return jobs.of_artifacts(maker, Path(arguments.artifacts), count=count, seed=seed)
    if arguments.chains:
        return jobs.of_chains(maker, library, count=count, seed=seed)
    return jobs.of_occupations(
        maker,
        arguments.occupations,
        count=count,
        seed=seed,
        gaps=library if arguments.gaps else None,
        onet=Path(arguments.onet) if arguments.onet else None,
    )


def stats(arguments: Namespace, output: Output) -> int:
    """What a library holds; 1 where that is nothing."""
    told = _library(arguments).stats()
    output.say(_covered(told))
    for name, title in (
        ("statuses", "candidates"),
        ("sources", "sources"),
        ("short", "rejected for"),
        ("reasons", "dropped for"),
        ("scores", "mean scores"),
        ("formats", "files wanted"),
        ("models", "written by"),
    ):
        counts: dict[str, float] = getattr(told, name)
        if counts:
            output.say(f"{title}: " + ", ".join(f"{key or 'unknown'} {number:,}" for key, number in counts.items()))
    output.say()
    rows = [
        (group.code[:2], group.title, group.intents, f"{group.covered}/{group.total}") for group in told.coverage.groups
    ]
    output.table(("SOC", "major group", "intents", "occupations"), rows)
    output.result(told.model_dump(mode="json"))
    return 0 if told.intents else 1


def _covered(told: Stats) -> str:
    levels = ", ".join(f"{share.covered} of {share.total} {share.level}" for share in told.coverage.levels)
    return f"{told.intents:,} intents; SOC 2018 covered: {levels}"


def show(arguments: Namespace, output: Output) -> int:
    """All candidates, or one."""
    library = _library(arguments)
    if arguments.intent is None:
        entries = list(library.entries())
        rows = [(entry.intent.id if entry.intent else "-", entry.slot, entry.status, entry.about) for entry in entries]
        output.table(("intent", "slot", "status", "what"), rows)
        output.result([entry.model_dump(mode="json") for entry in entries])
        return 0
    entry = library.entry(arguments.intent)
    output.say(f"{entry.slot}: {entry.status}" + (f", {entry.why}" if entry.why else ""))
    if entry.intent is not None:
        from workgym.intents.drafting import shown
        from workgym.records.soc import soc

        code = entry.intent.role.occupation
        output.say(f"{entry.intent.id}, {code} {soc().all[code].title}\n\n{shown(entry.intent)}\n")
    for opinion in entry.review.opinions if entry.review else ():
        output.say(f"{opinion.aspect} {opinion.score}: {opinion.reasons}")
    for key, value in entry.intent.provenance.items() if entry.intent else ():
        output.say(f"{key}: {value}")
    output.result(entry.model_dump(mode="json"))
    return 0


def import_onet(arguments: Namespace, output: Output) -> int:
    """Read a download of O*NET into one file."""
    from workgym.intents import import_onet as read

    found = read(Path(arguments.download))
    found.write(Path(arguments.out))
    tasks = sum(len(one.tasks) for one in found.occupations.values())
    output.say(f"{arguments.out}: {len(found.occupations)} of 867 occupations, {tasks:,} tasks")
    if found.unknown:
        output.say(f"not in SOC 2018, left out: {', '.join(found.unknown[:10])}{' ...' if found.unknown[10:] else ''}")
    output.say(found.attribution)
    output.result(
        {
            "file": arguments.out,
            "release": found.release,
            "occupations": len(found.occupations),
            "tasks": tasks,
            "unknown": found.unknown,
            "attribution": found.attribution,
        }
    )
    return 0


def _library(arguments: Namespace) -> Library:
    from workgym.intents import Library

    if not Path(arguments.library).is_dir():
        raise UsageError(f"{arguments.library}: there is no such library", fix="make one: workgym intents make DIR")
    return Library(arguments.library)
