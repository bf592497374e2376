"""How a corpus was made, on the page: where tasks were lost, how agents behaved, what it cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from workgym.evaluate import CorpusReport
from workgym.evaluate.behaviour import Group
from workgym.evaluate.card import money, number
from workgym.evaluate.costs import Costs
from workgym.evaluate.funnel import Funnel, Intents, Selected, Step
from workgym.evaluate.published import BEHAVIOUR
from workgym.viewer.corpus.pieces import bars, rate, says, table, words

_KINDS = ("code", "search", "fetch", "other")


def lost(found: CorpusReport) -> str:
    """The funnels, and what repair did."""
    if not (found.funnels or found.library or found.selections):
        return says("No journal of a factory is there.")
    did = found.repairs
    parts = [_library(found.library)] if found.library else []
    parts += [_funnel(one) for one in found.funnels]
    if did.looked_at:
        told = (
            f"Of {did.looked_at:,} tasks that came to repair, {did.not_needed:,} needed none, {did.accepted:,} have an "
            f"accepted revision and {did.discarded:,} were discarded; {did.proposed:,} revisions were proposed."
        )
        if did.mistaken:
            told += (
                f" Problems that a probe called blocking and the graph shows mistaken: {did.mistaken:,}; no repair "
                "answers them, and the rates above count them all the same."
            )
        parts.append(f"<h3>Repair</h3>{says(told)}<div class='pairs'>")
        parts.append(f"<div class='box'><h3>Tasks by class repaired</h3>{bars(did.classes)}</div>")
        parts.append(f"<div class='box'><h3>Why proposals were discarded</h3>{bars(did.refused)}</div></div>")
    return "".join([*parts, *(_selected(one) for one in found.selections)])


def _library(one: Intents) -> str:
    scores = ", ".join(f"{name} {score:.2f}" for name, score in one.scores.items())
    return (
        f"<h3>Intents: {one.step.passed:,} of {one.step.reached:,} candidates were admitted</h3>"
        f"<div class='box funnel'>{_step(one.step, one.step.reached)}</div>"
        f"<div class='pairs'><div class='box'><h3>Admitted, by source</h3>{bars(one.sources)}</div>"
        f"<div class='box'><h3>Rejected, by what fell short</h3>{bars(one.short)}</div></div>"
        + (says(f"Mean scores of the review: {scores}.", "note") if scores else "")
    )


def _selected(one: Selected) -> str:
    steps = "".join(_step(step, one.trajectories) for step in one.steps)
    judge = f"; compared by {one.judge}" if one.judge else ""
    undecided = f", {one.undecided:,} of them undecided" if one.undecided else ""
    contests = f" Rollouts of {one.contests:,} of the longest tasks were compared{undecided}{judge}." * bool(
        one.contests
    )
    return (
        f"<h3>Trajectories: {one.kept:,} of {one.trajectories:,} were selected</h3>"
        + (f"<div class='box funnel'>{steps}</div>" if steps else "")
        + says(f"{one.path}.{contests}", "note")
    )


def _funnel(one: Funnel) -> str:
    steps = "".join(_step(step, one.entries) for step in one.steps)
    return (
        f"<h3>{escape(one.condition.capitalize())}: {one.kept:,} of {one.entries:,} intents became a task</h3>"
        f"<div class='box funnel'>{steps}</div>"
    )


def _step(step: Step, all_of: int) -> str:
    dropped, stopped = sum(step.dropped.values()), sum(step.stopped.values())
    flow = "".join(
        f"<{tag} style='width:{count / max(1, all_of) * 100:.2f}%'></{tag}>"
        for tag, count in (("i", step.passed), ("u", dropped), ("s", stopped))
    )
    skipped = f"; nothing was to be done for {step.skipped:,}" if step.skipped else ""
    told = f"{step.passed:,} of {step.reached:,} went on{skipped}"
    lost = f"<p class='lost'>{_reasons('dropped', step.dropped)}</p>" if dropped else ""
    stay = f"<p class='stay'>{_reasons('stopped', step.stopped)}</p>" if stopped else ""
    return (
        f"<div class='step'><b>{escape(step.stage)}</b><div class='flow'>{flow}</div>"
        f"<div><p>{told}</p>{lost}{stay}</div></div>"
    )


def _reasons(what: str, counts: Mapping[str, int]) -> str:
    if len(counts) == 1:
        return f"{what} {sum(counts.values()):,}: {escape(next(iter(counts)))}"
    told = ", ".join(f"{escape(name)} {count:,}" for name, count in list(counts.items())[:8])
    more = len(counts) - 8
    return f"{what} {sum(counts.values()):,}: {told}" + (f", and {more} other reasons" if more > 0 else "")


def behaviour(found: CorpusReport) -> str:
    """Turns and tokens by model and harness, and shares of runs and calls with their intervals."""
    if not found.behaviour:
        return says("No trajectory is there.")
    head = ("who", "for", "runs", "turns: mean", "median", "most", "tokens")
    return (
        says(
            "Turns are calls of tools and replies without one; tokens are those that a run read and wrote, on average."
        )
        + table(head, [_group(one) for one in found.behaviour], range(2, 7))
        + "<h3>Limit hits, and calls that failed</h3>"
        + _shares(found.behaviour)
        + says(
            "Limit hit is a share of runs, solved one of those that were graded, the others are shares of calls. The "
            "band is the interval, the dot the rate. Calls of one run are alike: their bands are rather too narrow.",
            "note",
        )
        + "<h3>Published, of students</h3>"
        + words((name, text) for name, text in BEHAVIOUR.items() if name != "cost")
    )


def _group(one: Group) -> tuple[str, ...]:
    return (
        _who(one),
        one.use,
        f"{one.episodes:,}",
        f"{one.mean_turns:.1f}",
        f"{one.median_turns:g}",
        f"{one.longest:,}",
        number(one.mean_tokens),
    )


def _who(one: Group) -> str:
    return f"{one.model or 'no model'}, {one.harness}"


def _shares(groups: Sequence[Group]) -> str:
    """A line for each group: its shares as bars, all of one scale."""
    shares = [(one.limit_hit, one.solved, *(one.failures[kind] for kind in _KINDS)) for one in groups]
    scale = min(1.0, max((each.high or 0.0 for line in shares for each in line), default=1.0) * 1.05) or 1.0
    titles = "".join(
        f"<th>{escape(name)}</th>" for name in ("", "limit hit", "solved", *(f"{kind} failed" for kind in _KINDS))
    )
    lines = "".join(
        f"<tr><th>{escape(_who(one))}, {one.use}</th>{''.join(f'<td>{rate(each, scale)}</td>' for each in line)}</tr>"
        for one, line in zip(groups, shares, strict=True)
    )
    return f"<div class='box'><table class='rates'><thead><tr>{titles}</tr></thead><tbody>{lines}</tbody></table></div>"


def cost(found: CorpusReport) -> str:
    """What a task costs, and what each stage took."""
    there = found.costs
    parts = []
    if there.by_condition:
        told = f"For each task that was kept, those that were dropped being paid for, too. {there.basis}"
        parts += [says(told), _tasks(there)]
    if there.stages:
        told = "" if there.usd is None else f"In all {there.usd:,.4f} USD were paid. "
        unknown = f"Prices of {', '.join(there.unpriced)} are not known, and not guessed." if there.unpriced else ""
        parts += ["<h3>By stage, from the ledgers</h3>", _stages(there), says(told + unknown, "note")]
    if not parts:
        return says("No ledger and no journal are there.")
    return "".join(parts) + says(f"Published: {BEHAVIOUR['cost']}.", "note")


def _tasks(there: Costs) -> str:
    head = ("planned", "intents", "tasks kept", "replies a task", "tokens a task", "USD a task")
    rows = [
        (
            name,
            f"{one.entries:,}",
            f"{one.kept:,}",
            *map(number, (one.calls_each, one.tokens_each)),
            money(one.usd_each),
        )
        for name, one in there.by_condition.items()
    ]
    return table(head, rows, range(1, 6))


def _stages(there: Costs) -> str:
    head = ("stage", "model", "calls", "stored", "failed", "tokens read", "tokens written", "USD")
    rows = []
    for one in there.stages:
        counts = (one.calls, one.stored, one.failures, one.prompt, one.completion)
        rows.append((one.stage, one.model, *(f"{count:,}" for count in counts), money(one.usd)))
    return table(head, rows, range(2, 8))
