"""The table of defects on the page: each rate with its interval as a bar, and what was published beside it."""

from __future__ import annotations

from html import escape

from workgym.evaluate import CorpusReport
from workgym.evaluate.defects import ANY, HARD, DefectTable, Row
from workgym.evaluate.published import CONDITIONS
from workgym.viewer.corpus.pieces import rate, says


def defects(found: CorpusReport) -> str:
    """The table, who measured it, and the same for the intents that all conditions share."""
    parts = [
        says(
            "Share of tasks in which a probe found at least one defect of a class, hard or soft. A probe does the task "
            "from what a solver sees, and its diagnosis never sees a graph; after repair only a held-out probe counts, "
            "on which nothing was decided."
        ),
        _rates(found.defects),
        says("The band is the interval, the dot the rate, the red stroke the published figure.", "note"),
    ]
    by_probes: dict[tuple[str, ...], list[str]] = {}
    for name, there in found.defects.conditions.items():
        by_probes.setdefault(there.probes, []).append(name)
    for probes, names in by_probes.items():
        if probes:
            parts.append(says(f"Probed ({', '.join(names)}): {'; '.join(probes)}.", "note"))
    if found.alike is not None:
        count = found.alike.conditions[CONDITIONS[0]].measured
        parts += [f"<h3>The same {count:,} intents under all three conditions</h3>", _rates(found.alike)]
    return "".join(parts)


def _rates(there: DefectTable) -> str:
    scale = _scale(there)
    head = "".join(
        f"<th class='c{place}'><i class='key'></i>{escape(name)}</th>" for place, name in enumerate(CONDITIONS, 1)
    )
    lines = "".join(_line(row, scale) for row in there.rows)
    basis = [
        ("tasks measured", [one.measured for one in there.conditions.values()]),
        ("tasks to be measured", [one.reached for one in there.conditions.values()]),
        ("intents planned so", [one.entries for one in there.conditions.values()]),
    ]
    lines += "".join(
        f"<tr class='base'><th>{name}</th>{''.join(f'<td>{count:,}</td>' for count in counts)}</tr>"
        for name, counts in basis
    )
    top = f"<thead><tr><th></th>{head}</tr></thead>"
    return f"<div class='box'><table class='rates'>{top}<tbody>{lines}</tbody></table></div>"


def _line(row: Row, scale: float) -> str:
    cells = []
    for place, name in enumerate(CONDITIONS, 1):
        hard = row.hard[name]
        more = "" if row.defect == HARD or not hard.hits else f", {hard.hits:,} hard"
        cells.append(f"<td class='c{place}'>{rate(row.rates[name], scale, row.published.get(name), more)}</td>")
    total = " class='total'" if row.defect == ANY else ""
    return f"<tr{total}><th>{escape(row.defect)}</th>{''.join(cells)}</tr>"


def _scale(there: DefectTable) -> float:
    """Where bars end: a little beyond the largest thing that is shown."""
    shown = [one.high for row in there.rows for one in row.rates.values() if one.high is not None]
    shown += [one.value for row in there.rows for one in row.published.values()]
    return min(1.0, max(shown, default=1.0) * 1.05) or 1.0
