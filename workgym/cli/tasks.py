"""``build``, ``list`` and ``show``."""

from __future__ import annotations

import gc
from argparse import Namespace
from pathlib import Path
from typing import Any

from workgym import corpus, shelves
from workgym.authoring import families
from workgym.authoring.standing import built, standing
from workgym.cli.named import task
from workgym.cli.output import Output
from workgym.corpus.works import works
from workgym.errors import UsageError, WorkgymError
from workgym.package import TaskPackage, load, save


def seeds(written: str) -> list[int]:
    """``7``, ``0-99`` or ``1,4,9`` as numbers. Raises UsageError."""
    found: list[int] = []
    for part in written.split(","):
        first, dash, last = part.partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()) or int(last or first) < int(first):
            raise UsageError(f"--seeds {written}: not a list of seeds", fix="write 7, 0-99 or 1,4,9")
        found += range(int(first), int(last or first) + 1)
    return found


def build(arguments: Namespace, output: Output) -> int:
    """Make packages; those that are there already are kept, so that an interrupted run goes on where it was.

    One is made anew where its family changed, and left with a word where somebody has worked on it.
    """
    _apart(arguments)
    if arguments.author == "model":
        from workgym.cli import factory

        return factory.build(arguments, output)
    if not arguments.family:
        raise UsageError("which family?", fix="workgym list names them; or --author model")
    from workgym.check import check
    from workgym.defects import inject

    out = Path(arguments.out)
    wanted = [job for name in arguments.family for job in _jobs(name, arguments.seeds or "0")]
    rows: list[dict[str, Any]] = []
    for number, (name, preset, seed) in enumerate(wanted, 1):
        source = families.family(name)
        identity = families.task_id(name, preset, seed, source.blueprint.version)
        folder = out / identity.rpartition("/")[2]
        output.progress(f"{number}/{len(wanted)} {identity}")
        there = standing(folder, identity, source.source)
        state = there.state
        if (state == "left" and arguments.replace) or (state == "kept" and arguments.inject):
            state = "outdated"
        package = there.package
        if state in ("free", "outdated"):
            package = families.build(name, preset, seed)
            if arguments.inject:
                package = inject(package, arguments.inject)
            package = built(package.with_hidden(checks=check(package, trusted=True)))
            save(package, folder)
            if not gc.get_freeze_count():
                gc.freeze()  # what the first task loaded is here to stay: to search it took a tenth of the time
        report = None if package is None else package.hidden.checks
        rows.append(
            {
                "id": identity,
                "folder": str(folder),
                "kept": state == "kept",
                "rebuilt": state == "outdated",
                "left": there.why if state == "left" else None,
                "passed": report is not None and report.passed,
                "worlds": 0 if package is None else package.hidden.origin.worlds,
            }
        )
    output.done()
    return _told(rows, arguments, output)


def _told(rows: list[dict[str, Any]], arguments: Namespace, output: Output) -> int:
    """What a build says at its end; its exit code."""
    short = [row for row in rows if not row["passed"] and row["left"] is None]
    left = [row for row in rows if row["left"] is not None]
    for row in short:
        output.say(f"{row['id']}: does not pass; workgym check {row['folder']}")
    for row in left:
        output.say(f"{row['folder']}: left as it is: {row['left']}; build into another folder (-o), or --replace it")
    counts = [f"{sum(row['kept'] for row in rows)} were there"]
    rebuilt = sum(row["rebuilt"] for row in rows)
    counts += [f"{rebuilt} built anew, the family or the way to build having changed"] if rebuilt else []
    counts += [f"{len(left)} left as they are"] if left else []
    drawn = sum(row["worlds"] for row in rows)
    accepted = sum(row["worlds"] > 0 for row in rows) / drawn if drawn else 0.0
    output.say(
        f"{len(rows)} tasks in {arguments.out} ({'; '.join(counts)}), {sum(row['passed'] for row in rows)} pass all "
        f"checks; {accepted:.0%} of {drawn} worlds were accepted"
    )
    output.result({"tasks": rows, "accepted": accepted})
    return 1 if left or (short and not arguments.inject) else 0


_OF_FAMILIES = ("seeds", "inject", "replace")
_OF_MODELS = (
    *("intents", "occupations", "count", "seed", "model", "budget_tokens", "budget_usd", "crew", "ledger"),
    *("conditions", "settings", "at_once", "again"),
)


def _apart(arguments: Namespace) -> None:
    """Raises UsageError for what the author of the tasks has no use for."""
    author, other = ("model", "blueprint") if arguments.author == "model" else ("blueprint", "model")
    if author == "model" and arguments.family:
        raise UsageError(f"a model plans from intents, not from {arguments.family[0]}", fix="--occupations 13-20")
    for name in _OF_FAMILIES if author == "model" else _OF_MODELS:
        given = getattr(arguments, name)
        if given is not None and given is not False:
            option = f"--{name.replace('_', '-')}"
            meant = "; the seeds of a family are --seeds" if option == "--seed" else ""
            raise UsageError(
                f"{option} does not go together with --author {author}",
                fix=f"leave it out, or give --author {other}{meant}",
            )


def _jobs(name: str, written: str) -> list[tuple[str, str, int]]:
    if "/" in name:
        said = corpus.family_task(corpus.bare(name))
        if said is None:
            raise UsageError(f"{name} is no task of a family", fix="write workfactory/<family>[.<preset>]-<seed>")
        family, preset, wanted, version = said.family, said.preset or "", [said.seed], said.version
    else:
        family, _, preset = name.partition(".")
        wanted, version = seeds(written), None
    blueprint = families.family(family).blueprint
    wrong = families.refusal(blueprint, preset, version)
    if wrong is not None:
        raise wrong
    return [(family, preset or blueprint.default, seed) for seed in wanted]


def listing(arguments: Namespace, output: Output) -> int:
    """What there is."""
    if arguments.folder:
        return _packages(Path(arguments.folder), output)
    rows = []
    for name in families.names():
        blueprint = families.family(name).blueprint
        rows.append((name, " ".join(blueprint.presets), blueprint.occupation, blueprint.title))
    output.say("Families (any seed is a task):")
    output.table(("family", "presets", "occupation", "work"), rows)
    harnesses, packs = shelves.names("harnesses"), shelves.names("tools")
    output.say(f"\nHarnesses: {', '.join(harnesses)}\nTool packs: {', '.join(packs)}")
    keys = ("family", "presets", "occupation", "title")
    output.result(
        {"families": [dict(zip(keys, row, strict=True)) for row in rows], "harnesses": harnesses, "tools": packs}
    )
    return 0


def _packages(folder: Path, output: Output) -> int:
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder")
    folders = [one.home for one in corpus.named(str(folder)) if one.home is not None]
    there = works(folders)
    rows: list[tuple[object, ...]] = []
    broken = 0
    for path in folders:
        try:
            package = load(path)
        except WorkgymError as error:
            rows.append((path.name, "-", f"broken: {error}", "-", "-"))
            broken += 1
            continue
        report = package.hidden.checks
        state = "not checked" if report is None else "passes" if report.passed else "does not pass"
        rows.append((path.name, len(package.files), state, _sealed(package), there.of.get(path.name, "-")[:8]))
    head = ("package", "files", "checks", "qa", "work")
    output.table(head, rows)
    output.say(f"\n{there}")
    output.result([dict(zip(head, row, strict=True)) for row in rows])
    return 1 if broken else 0


def _sealed(package: TaskPackage) -> str:
    """What the quality suite's seal says: gate, size, digest of the report; or that it is about other content."""
    seal = package.hidden.qa
    if seal is None:
        return "-"
    from workgym.quality.suite import SUITE, gate, standing

    if seal.suite != SUITE or seal.package != package.digest:
        return "out of date"
    if standing(package) is None:
        return "not valid"
    return f"{'passes' if gate(package) is None else 'does not pass'} ({seal.size}) {seal.digest[:12]}"


def show(arguments: Namespace, output: Output) -> int:
    """One task, from its author's side."""
    from workgym.cli.repairing import history as tell
    from workgym.verify import answer_sets

    package = task(arguments.task)
    if arguments.svg:
        from workgym.viewer import graph_svg

        Path(arguments.svg).write_text(graph_svg(package), encoding="utf-8")
    history = [entry.model_dump(mode="json") for entry in package.hidden.history]
    output.result(
        {
            "card": package.card.model_dump(mode="json"),
            "request": package.request,
            "files": {path: len(content) for path, content in package.files.items()},
            "pages": [card.model_dump(mode="json") | {"url": card.url} for card in package.pages],
            "graph": package.hidden.graph.model_dump(mode="json"),
            "answer_sets": answer_sets(package),
            "history": history,
        }
    )
    if arguments.history:
        tell(package, output)
        return 0
    output.say(f"{package.id}\n{package.card.title} ({package.card.role})\n\n{package.request}")
    output.table(
        ("file", "bytes", "role"),
        [
            (carrier.path, len(package.files.get(carrier.path, b"")), carrier.role)
            for carrier in package.hidden.graph.carriers
            if carrier.kind == "reference"
        ],
    )
    if package.pages:
        roles = {carrier.path: carrier.role for carrier in package.hidden.graph.carriers}
        output.say()
        output.table(
            ("page", "published", "state", "role"),
            [(card.url, card.published or "-", card.state, roles.get(card.path, "-")) for card in package.pages],
        )
    output.say()
    edges: dict[str, list[str]] = {}
    for edge in package.hidden.graph.supports:
        edges.setdefault(edge.unit, []).append(edge.premise)
    output.table(
        ("unit", "status", "rows", "rests on"),
        [
            (
                unit.name,
                unit.status if unit.role == "needed" else unit.role,
                len(package.hidden.values[unit.name].rows) if unit.name in package.hidden.values else "-",
                ", ".join(edges.get(unit.name, ())),
            )
            for unit in package.hidden.graph.units
        ],
    )
    admitted = answer_sets(package)
    if admitted > 1:
        output.say(f"\n{admitted} sets of answers are admissible: a convention is left open")
    return 0
