"""``qa``: the quality suite on tasks and corpora, and the seals that the release gate reads."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from workgym import corpus
from workgym.cli.output import Output
from workgym.errors import PackageError, UsageError
from workgym.package import TaskCard, load, seal
from workgym.records import pretty
from workgym.records.whole import write_whole

if TYPE_CHECKING:
    from workgym.quality.suite import CorpusReport, QaCheck, QaReport, Size

_WIDTH = 150


@dataclass
class _Round:
    """One run of the command: what was examined so far."""

    arguments: Namespace
    output: Output
    size: Size
    known: Mapping[str, QaReport]
    """Reports of an earlier run, by package digest."""
    reports: list[QaReport] = field(default_factory=list)
    cards: list[TaskCard] = field(default_factory=list)
    refused: dict[str, PackageError] = field(default_factory=dict)
    kept: int = 0

    def take(self, name: str, folder: Path | None, before: str) -> None:
        """Examine one task, or keep what is known of it; one that cannot be read is noted."""
        from workgym.quality.suite import examine, standing

        asked = self.arguments
        try:
            package = load(folder) if folder else corpus.load(name)
        except PackageError as error:
            self.refused[name] = error
            return
        self.cards.append(package.card)
        anew = asked.again or asked.only
        found = None if anew else standing(package, self.size.name) or self.known.get(package.digest)
        if found is not None and found.size == self.size:
            self.kept += 1
        else:
            only = tuple(asked.only or ())
            told = partial(self._progress, before)
            found = examine(package, self.size, sandbox=asked.sandbox, only=only, progress=told)
            if folder and not only:
                seal(folder, found.seal())
        self.reports.append(found)

    def _progress(self, before: str, line: str) -> None:
        self.output.progress(before + line)

    def report(self, together: Sequence[QaCheck] = ()) -> CorpusReport:
        """The report as far as it goes."""
        from workgym.quality.suite import CorpusReport

        told = {name: " ".join(str(error).split()) for name, error in self.refused.items()}
        return CorpusReport(size=self.size, tasks=tuple(self.reports), refused=told, together=tuple(together))


def qa(arguments: Namespace, output: Output) -> int:
    """Examine tasks; 1 where one does not pass the gate. What is finished is kept, and found again by its digest."""
    from workgym.quality.suite import together

    size, names = _size(arguments), _targets(arguments.target)
    out = Path(arguments.out) if arguments.out else None
    run = _Round(arguments, output, size, {} if arguments.again or arguments.only else _known(out, size))
    try:
        for number, (name, folder) in enumerate(names, 1):
            run.take(name, folder, f"{number}/{len(names)} " if len(names) > 1 else "")
            if out is not None and folder is None:
                write_whole(
                    out, pretty(run.report().model_dump(mode="json"))
                )  # a task without a folder is found again there alone
    finally:
        if out is not None and run.reports:
            write_whole(out, pretty(run.report().model_dump(mode="json")))
    if not run.reports and run.refused:
        raise next(iter(run.refused.values()))
    whole = run.report(together(run.cards))
    output.done()
    _print(output, whole, arguments.verbose)
    if run.kept:
        output.say(f"{run.kept} of {len(names)} were examined before, and are kept (--again examines them anew)")
    if out is not None:
        write_whole(out, pretty(whole.model_dump(mode="json")))
        output.say(f"{out} holds the evidence, hidden values among it")
    output.result({**whole.model_dump(mode="json"), "passed": whole.passed, "digest": whole.digest, "kept": run.kept})
    return 0 if whole.passed else 1


def _size(arguments: Namespace) -> Size:
    from workgym.quality.suite import SIZES

    size = SIZES[arguments.size]
    if arguments.most is None:
        return size
    if arguments.most < 0:
        raise UsageError(f"--most {arguments.most}: not a number of cases", fix="write 0 or more")
    few = {
        name: arguments.most if getattr(size, name) is None else min(getattr(size, name), arguments.most)
        for name in ("mutants", "equivalents", "causes", "carriers", "cells", "copies")
    }
    return size.model_copy(update={**few, "name": f"{size.name}, at most {arguments.most}"})


def _targets(written: Sequence[str]) -> list[tuple[str, Path | None]]:
    """Every task that is meant: name and folder, or an id without one. Raises UsageError where nothing is there."""
    found: list[tuple[str, Path | None]] = []
    for name in written:
        folder = Path(name)
        if (folder / "task.yaml").is_file():
            found.append((name, folder))
        elif folder.is_dir():
            found += [(str(one), one.home) for one in corpus.named(name)]
        else:
            corpus.find(name)
            found.append((name, None))
    return found


def _known(out: Path | None, size: Size) -> dict[str, QaReport]:
    """Whole reports of an earlier run in the same file, by package digest."""
    from workgym.quality.suite import SUITE, CorpusReport, whole

    if out is None or not out.is_file():
        return {}
    try:
        earlier = CorpusReport.model_validate_json(out.read_bytes())
    except ValueError:
        raise UsageError(
            f"{out}: is there, and no report of the suite", fix="name another file, or remove it"
        ) from None
    return {one.package: one for one in earlier.tasks if one.suite == SUITE and one.size == size and whole(one)}


def _print(output: Output, found: CorpusReport, verbose: bool) -> None:
    if len(found.tasks) == 1 and not found.refused:
        _task(output, found.tasks[0], verbose)
        return
    rows = [
        (
            report.task.rpartition("/")[2],
            "open" if report.passed else "CLOSED",
            report.count("passed"),
            len(report.failed("error")),
            len(report.failed("warning")),
            report.count("not applicable"),
            report.count("not run"),
            ", ".join(check.name for check in (*report.failed("error"), *report.failed("warning"))),
        )
        for report in found.tasks
    ]
    output.table(("task", "gate", "passed", "errors", "warnings", "n/a", "not run", "failed"), rows)
    for name, why in found.refused.items():
        output.say(f"{name}: {why}")
    for check in found.together:
        if check.state == "failed":
            output.say(f"{check.name}: {'; '.join(check.evidence)}")
    tally: dict[str, int] = {}
    for report in found.tasks:
        for check in (*report.failed("error"), *report.failed("warning")):
            tally[check.name] = tally.get(check.name, 0) + 1
    passing = sum(report.passed for report in found.tasks)
    output.say()
    for name, count in sorted(tally.items(), key=lambda one: (-one[1], one[0])):
        output.say(f"{name} failed in {count} of {len(found.tasks)}")
    refused = f", {len(found.refused)} cannot be read" if found.refused else ""
    output.say(f"{passing} of {len(found.tasks)} tasks pass the gate ({found.size.name}){refused}")


def _task(output: Output, report: QaReport, verbose: bool) -> None:
    """One task: its checks by area, the matrix, and the counts."""
    from workgym.quality.suite import counts, whole

    output.say(f"{report.task}  ({report.suite}, {report.size.name})\n")
    rows = [(check.name, _state(check), check.says, _numbers(check)) for check in report.checks]
    output.table(("check", "", "holds where it passes", "measured"), rows)
    for check in report.checks:
        if check.evidence and (check.state != "passed" or verbose):
            output.say(f"\n{check.name}: {check.state}")
            for line in check.evidence:
                output.say(f"  {' '.join(line.split())[: _WIDTH if not verbose else None]}")
    if report.matrix:
        _matrix(output, report)
    if verbose and report.rates is not None:
        output.say(f"\n{report.rates.table().rstrip()}")
    said = ", ".join(f"{count} {name}" for name, count in counts(report.checks).items())
    output.say(f"\n{len(report.checks)} checks: {said}")
    if whole(report):
        output.say(f"the gate is {'open' if report.passed else 'CLOSED'}; report {report.digest[:12]}")
    else:
        output.say("only these checks were asked for: the gate needs all")


def _state(check: QaCheck) -> str:
    if check.state == "failed":
        return check.severity.upper()
    return {"passed": "ok", "not applicable": "n/a", "not run": "not run"}[check.state]


def _numbers(check: QaCheck) -> str:
    return ", ".join(f"{name} {value:,.12g}" for name, value in check.numbers.items())


def _matrix(output: Output, report: QaReport) -> None:
    """Carrier by stated unit: what the graph says, and what the expert made of it."""
    units = [cell.unit for cell in report.matrix[0].cells]
    output.say("\nwithheld from the expert, and what became of each unit (rests on it / solved without it)\n")
    for number, unit in enumerate(units, 1):
        output.say(f"  {number}  {unit}")
    output.say()
    signs = {(True, False): "rests", (True, True): "SHORTCUT", (False, True): "free", (False, False): "-"}
    rows = [
        (row.carrier, row.role, row.end, *(signs[cell.needs, cell.solved] for cell in row.cells))
        for row in report.matrix
    ]
    output.table(("withheld", "role", "expert", *(str(number) for number in range(1, len(units) + 1))), rows)
