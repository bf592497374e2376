"""The data card of a corpus, as markdown: what it is, what was measured, and what it must not be taken for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from workgym.evaluate.defects import DefectTable
from workgym.evaluate.limits import LIMITS, USES
from workgym.evaluate.published import CONDITIONS
from workgym.evaluate.rates import Rate
from workgym.evaluate.report import CorpusReport
from workgym.records.soc import soc

_MOST = 30
_UNREAD = 10


def card(found: CorpusReport) -> str:
    """The data card."""
    parts = [
        f"# Data card: {found.folder}",
        _what(found),
        "## Size",
        _size(found),
        "## Occupations",
        _occupations(found),
        "## Files",
        _files(found),
        "## Who made it",
        _makers(found),
        "## Defects",
        _defects(found),
        "## Where tasks were lost",
        _funnels(found),
        "## Overlap with evaluation sets",
        _hygiene(found),
        "## Cost",
        _cost(found),
        "## Use",
        _listed(USES),
        "## Limits",
        _listed(LIMITS),
        f"---\n\nWritten by `workgym report`. {found.method}",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _what(found: CorpusReport) -> str:
    said = f"Tasks of office work with their workspaces, each with a hidden graph that grades it. {found.works}."
    if found.unread:
        said += f" {len(found.unread):,} packages, reports or trajectories could not be read and are not in it."
    return said


def _size(found: CorpusReport) -> str:
    made = found.composition
    rows = [
        ("tasks", f"{made.tasks:,}"),
        ("distinct work (support graphs without names, values and order)", f"{found.works.distinct:,}"),
        ("tasks of the most repeated work", f"{found.works.largest:,}"),
        ("tasks without a graph to tell by", f"{len(found.works.without) + len(found.works.refused):,}"),
        ("files of a task: least, median, most", _range(made.files.least, made.files.median, made.files.most)),
        ("bytes of its files: least, median, most", _range(made.bytes.least, made.bytes.median, made.bytes.most)),
        ("words of a request: least, median, most", _range(made.words.least, made.words.median, made.words.most)),
        ("tasks with a report of the quality suite", f"{made.sealed:,}"),
        ("tasks that were repaired", f"{made.revised:,}"),
    ]
    return table(("", ""), rows)


def _range(*numbers: int) -> str:
    return ", ".join(f"{number:,}" for number in numbers)


def _occupations(found: CorpusReport) -> str:
    there = found.composition.coverage
    levels = ", ".join(f"{one.covered} of {one.total} {one.level}" for one in there.levels)
    rows = [(one.code, one.title, f"{one.intents:,}", f"{one.covered} of {one.total}") for one in there.groups]
    lines = [f"SOC 2018: {levels} groups and occupations have a task."]
    if found.composition.outside_soc:
        lines.append(f"{found.composition.outside_soc:,} tasks name no detailed occupation and are not in the table.")
    busiest = sorted(found.composition.occupations.items(), key=lambda item: (-item[1], item[0]))[:10]
    named = ", ".join(f"{_title(code)} ({code}): {count:,}" for code, count in busiest)
    if named:
        lines.append(f"Most frequent: {named}.")
    return " ".join(lines) + "\n\n" + table(("group", "title", "tasks", "occupations covered"), rows)


def _title(code: str) -> str:
    known = soc().all.get(code)
    return known.title if known is not None else "unknown"


def _files(found: CorpusReport) -> str:
    made = found.composition
    formats = [*dict.fromkeys([*made.formats, *made.deliverables])]
    rows = [(name, f"{made.formats.get(name, 0):,}", f"{made.deliverables.get(name, 0):,}") for name in formats]
    return table(("format", "given", "asked for"), rows)


def _makers(found: CorpusReport) -> str:
    made = found.composition
    lines = [f"- Authors: {_counted(made.authors)}."]
    lines.append(f"- Probed by: {_counted(made.probed_by)}.")
    teachers = [group for group in found.behaviour if group.use == "rollouts"]
    told = [f"{one.model or 'no model'} in {one.harness} ({one.episodes:,} trajectories)" for one in teachers]
    lines.append(f"- Trajectories: {'; '.join(told) or 'none'}.")
    lines.append(f"- Modality: {_counted(made.modalities)}.")
    lines.append(f"- Licences: {_counted(made.licences)}.")
    if made.canary:
        lines.append(f"- Canary: each task has its own, made from its id. One of them: `{made.canary}`.")
    return "\n".join(lines)


def _counted(counts: Mapping[str, int]) -> str:
    shown = [f"{name}: {count:,}" for name, count in islice(counts.items(), _MOST)]
    more = len(counts) - len(shown)
    return ("; ".join(shown) or "none") + (f"; and {more} more" if more > 0 else "")


def _defects(found: CorpusReport) -> str:
    if not any(one.measured for one in found.defects.conditions.values()):
        return "Not measured: no diagnosed probe is there."
    parts = ["Share of tasks with at least one defect of a class, as a probe found them.", _rates(found.defects)]
    if found.alike is not None:
        parts += ["The same for the intents that were measured under all three conditions:", _rates(found.alike)]
    return "\n\n".join(parts)


def _rates(there: DefectTable) -> str:
    rows = [[row.defect, *(_rate(row.rates[name]) for name in CONDITIONS)] for row in there.rows]
    for name, value in (("tasks measured", "measured"), ("tasks to be measured", "reached")):
        rows.append([name, *(f"{getattr(there.conditions[column], value):,}" for column in CONDITIONS)])
    return table(("", *CONDITIONS), rows)


def _rate(rate: Rate) -> str:
    return rate.share if rate.value is None else f"{rate.share} ({rate.interval})"


def _funnels(found: CorpusReport) -> str:
    parts = []
    if found.library is not None:
        step = found.library.step
        parts.append(f"Intents: {step.passed:,} of {step.reached:,} admitted ({_counted(step.dropped)}).")
    for funnel in found.funnels:
        rows = [
            (step.stage, f"{step.reached:,}", f"{step.passed:,}", _counted(step.dropped), _counted(step.stopped))
            for step in funnel.steps
        ]
        parts.append(f"{funnel.condition}: {funnel.entries:,} intents, {funnel.kept:,} tasks kept.")
        parts.append(table(("stage", "reached", "went on", "dropped", "stopped"), rows))
    for one in found.selections:
        lost = _counted({step.stage: sum(step.dropped.values()) for step in one.steps})
        parts.append(f"Trajectories: {one.kept:,} of {one.trajectories:,} selected ({lost}).")
    return "\n\n".join(parts) or "No journal of a factory is there."


def _hygiene(found: CorpusReport) -> str:
    there = found.hygiene
    if there is None:
        return "NOT COMPARED with any evaluation set (`workgym check CORPUS --against DIR -o hygiene.json`)."
    sizes = ", ".join(
        f"{there.compared[f'ours {what}']:,} {what} beside {there.compared[f'theirs {what}']:,}"
        for what in ("requests", "files", "texts", "rows")
    )
    lines = [f"Compared with {there.theirs}: {sizes}.", f"Pairs: {_counted(there.counts)}."]
    lines.append("Nothing was reused." if there.passed else f"NOT CLEAN: {len(there.hard):,} pairs are copies.")
    if there.unread_requests:
        named = list(there.unread_requests.items())[:_UNREAD]
        told = "; ".join(_cell(f"{name}: {why}") for name, why in named)
        lines.append(f"NOT COMPARED: {len(there.unread_requests):,} requests or tables of them ({told}).")
    if there.unread:
        lines.append(f"Of {len(there.unread):,} files only the bytes were compared.")
    return " ".join(lines)


def _cost(found: CorpusReport) -> str:
    rows = [
        (
            name,
            f"{one.entries:,}",
            f"{one.kept:,}",
            number(one.calls_each),
            number(one.tokens_each),
            money(one.usd_each),
        )
        for name, one in found.costs.by_condition.items()
    ]
    if not rows:
        return "No journal of a factory is there."
    head = ("planned", "intents", "tasks kept", "replies a task", "tokens a task", "USD a task")
    said = f"\n\n{found.costs.basis}"
    said += f" Prices of {', '.join(found.costs.unpriced)} are not known." if found.costs.unpriced else ""
    return table(head, rows) + said


def number(value: float | None) -> str:
    """A number for people; ``-`` where there is none."""
    return "-" if value is None else f"{value:,.{0 if value >= 100 else 1}f}"


def money(value: float | None) -> str:
    """US dollars for people; words where a price is not known."""
    return "not known" if value is None else f"{value:,.4f}"


def _listed(items: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"- **{title}**: {text}" for title, text in items)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines)


def _cell(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")
