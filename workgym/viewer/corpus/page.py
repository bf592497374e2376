"""A corpus's report as one self-contained page: in light, in dark and on paper, with nothing fetched and no script.

Everything that comes from a task, a model or a file is escaped.
"""

from __future__ import annotations

from html import escape

from workgym.evaluate import CorpusReport
from workgym.evaluate.limits import LIMITS, USES
from workgym.evaluate.published import REPAIRED
from workgym.viewer.corpus.contents import contents, overlap, unread
from workgym.viewer.corpus.defects import defects
from workgym.viewer.corpus.making import behaviour, cost, lost
from workgym.viewer.corpus.pieces import section, tile, words
from workgym.viewer.corpus.sheet import SHEET

_PARTS = (
    ("defects", "Defects"),
    ("funnel", "Where tasks were lost"),
    ("behaviour", "How agents behave"),
    ("cost", "Cost"),
    ("corpus", "The corpus"),
    ("hygiene", "Overlap with evaluation sets"),
    ("limits", "Use and limits"),
)


def page(found: CorpusReport) -> str:
    """The page."""
    links = "".join(f"<a href='#{name}'>{escape(title)}</a>" for name, title in _PARTS)
    body = [
        f"<header><p class='eyebrow'>workgym report</p><h1>{escape(found.folder)}</h1>",
        f"<p class='lead'>{escape(str(found.works))}. What the tasks are, how they were made, and what was measured of "
        f"them.</p><nav>{links}</nav></header>",
        _tiles(found),
        section("defects", "Defects", defects(found)),
        section("funnel", "Where tasks were lost", lost(found)),
        section("behaviour", "How agents behave", behaviour(found)),
        section("cost", "Cost", cost(found)),
        section("corpus", "The corpus", contents(found)),
        section("hygiene", "Overlap with evaluation sets", overlap(found)),
        section("limits", "Use and limits", words(USES), words(LIMITS)),
        unread(found),
        f"<footer><p>{escape(found.method)}</p><p>Published figures are those of the WorkFactory report, of other "
        "tasks, models and probes: they show the order of size.</p></footer>",
    ]
    return SHEET.replace("{{title}}", f"{escape(found.folder)} - workgym report").replace("{{body}}", "".join(body))


def _tiles(found: CorpusReport) -> str:
    hard = found.defects.rows[-1].hard
    made = found.composition
    usd = found.costs.by_condition.get("planned")
    kept, tried = (0, 0) if usd is None else (usd.kept, usd.entries)
    shown = [
        (f"{made.tasks:,}", "tasks"),
        (f"{found.works.distinct:,}", "distinct work, by graph"),
        (f"{sum(one.covered for one in made.coverage.levels if one.level == 'major')} of 23", "SOC major groups"),
        (f"{len(made.formats):,}", "file formats given"),
        (f"{kept:,} of {tried:,}" if tried else "no journal", "planned intents became a task"),
        (hard[REPAIRED].share, "with a hard defect, after repair"),
        ("not known" if usd is None or usd.usd_each is None else f"{usd.usd_each:,.4f}", "USD for a kept task"),
        (_clean(found), "evaluation sets"),
    ]
    return f"<div class='tiles'>{''.join(tile(*one) for one in shown)}</div>"


def _clean(found: CorpusReport) -> str:
    if found.hygiene is None:
        return "not compared"
    return "nothing reused" if found.hygiene.passed else "not clean"
