"""What a corpus is, on the page: occupations, files, authors, overlap with evaluation sets, and what was not read."""

from __future__ import annotations

from html import escape

from workgym.evaluate import CorpusReport
from workgym.viewer.corpus.pieces import badge, bars, says, section, table

_SHOWN = 25


def contents(found: CorpusReport) -> str:
    """What its tasks are."""
    made = found.composition
    if not made.tasks:
        return says("No package is there.")
    groups = {f"{one.code[:2]} {one.title}": one.intents for one in made.coverage.groups if one.intents}
    levels = ", ".join(f"{one.covered} of {one.total} {one.level}" for one in made.coverage.levels)
    outside = f" {made.outside_soc:,} tasks name no detailed occupation." if made.outside_soc else ""
    ranges = [
        ("files of a task", made.files),
        ("bytes of its files", made.bytes),
        ("words of a request", made.words),
    ]
    rows = [(name, *(f"{each:,}" for each in (one.least, one.median, one.most, one.total))) for name, one in ranges]
    boxes = [
        ("Authors", made.authors),
        ("Probed by", made.probed_by),
        ("Files that solvers start with", made.formats),
        ("Files that are asked for", made.deliverables),
    ]
    return (
        says(f"SOC 2018: {levels} groups and occupations have a task.{outside}")
        + f"<div class='box list'>{bars(dict(sorted(groups.items())), 23)}</div>"
        + table(("", "least", "median", "most", "in all"), rows, range(1, 5))
        + "<div class='pairs'>"
        + "".join(f"<div class='box'><h3>{escape(title)}</h3>{bars(counts)}</div>" for title, counts in boxes)
        + "</div>"
        + says(
            f"{made.sealed:,} tasks carry a report of the quality suite, {made.revised:,} were repaired. Licences: "
            f"{', '.join(made.licences)}. Each task carries a canary of its own, as: {made.canary}",
            "note",
        )
    )


def overlap(found: CorpusReport) -> str:
    """What of it stands in evaluation sets, too."""
    there = found.hygiene
    if there is None:
        return f"<p>{badge('not compared', 'wait')}</p>" + says(
            "No comparison is there: workgym check CORPUS --against DIR -o hygiene.json makes one."
        )
    mark = badge("nothing was reused", "good") if there.passed else badge("not clean", "bad")
    sizes = [
        (what, f"{there.compared[f'ours {what}']:,}", f"{there.compared[f'theirs {what}']:,}")
        for what in ("requests", "files", "texts", "rows")
    ]
    pairs = [
        (f"{one.severity}: {one.kind}", one.ours, one.theirs, f"{one.reason}{'; ' * bool(one.by)}{one.by}")
        for one in there.matches[:_SHOWN]
    ]
    parts = [f"<p>{mark}</p>", says(f"Against {there.theirs}."), table(("", "corpus", "evaluation"), sizes, (1, 2))]
    if there.counts:
        parts += ["<h3>Pairs</h3>", f"<div class='box list'>{bars(there.counts)}</div>"]
    if pairs:
        parts += [f"<div class='long'>{table(('', 'corpus', 'evaluation', 'why'), pairs)}</div>"]
    if len(there.matches) > _SHOWN:
        parts.append(says(f"and {len(there.matches) - _SHOWN:,} more in the JSON", "note"))
    if there.unread_requests:
        rows = list(there.unread_requests.items())[:_SHOWN]
        parts += ["<h3>Not compared</h3>", f"<div class='long two'>{table(('evaluation', 'why'), rows)}</div>"]
        if len(there.unread_requests) > _SHOWN:
            parts.append(says(f"and {len(there.unread_requests) - _SHOWN:,} more in the JSON", "note"))
    if there.unread:
        parts.append(says(f"Of {len(there.unread):,} files only the bytes were compared.", "note"))
    return "".join(parts)


def unread(found: CorpusReport) -> str:
    """What could not be read; nothing where everything was."""
    if not found.unread:
        return ""
    rows = list(found.unread.items())[:_SHOWN]
    more = says(f"and {len(found.unread) - _SHOWN:,} more in the JSON", "note") if len(found.unread) > _SHOWN else ""
    return section(
        "unread", "What could not be read", says("None of it is in any figure."), table(("", "why"), rows), more
    )
