"""Oracle and floors: the expert earns all, and who does not do the work earns nothing, or next to nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from math import prod

from workgym.quality.suite import attempts
from workgym.quality.suite.attempts import Attempt
from workgym.quality.suite.bench import Bench, NotApplicable, Outcome, Unmet
from workgym.verify import UnitScore, failing
from workgym.verify.stated.asked import asked
from workgym.verify.truth import truths

FLOORS: Mapping[str, float] = {"floor": 0.0, "blind": 0.05, "echo": 0.05, "spam": 0.1, "copies": 0.05, "guess": 0.25}
"""The most that an attempt may earn, by kind. A guess may hit: what counts is what guessing earns on average."""
TURNS = 0.5
"""The largest share of the turn limit that the expert may take: whoever is slower than it needs room."""


def oracle(bench: Bench) -> Outcome:
    """The expert, who sees the solver's view only, reaches the maximum."""
    if bench.package.hidden.expert is None:
        return Outcome(("the package has no expert script",))
    run = bench.expert.run
    numbers = {"reward": run.reward, "turns": float(run.turns)}
    if run.reward == 1.0 and run.verdict == "passed":
        return Outcome(numbers=numbers)
    why = run.blocked["what"] if run.blocked else run.error or failing(run.evidence)
    return Outcome((f"reward {run.reward:g}, {run.verdict}, {run.end}: {why}",), numbers=numbers)


def room(bench: Bench) -> Outcome:
    """The expert needs no more than half of the turns."""
    if bench.expert.run.blocked:
        raise Unmet("oracle.maximum failed")
    taken, limit = bench.expert.run.turns, bench.package.card.limits.turns
    wrong = () if taken <= limit * TURNS else (f"it takes {taken} of {limit} turns",)
    files = [content for path, content in bench.work.items() if path in bench.outputs]
    return Outcome(wrong, numbers={"turns": taken, "limit": limit, "bytes handed in": sum(map(len, files))})


def noop(bench: Bench) -> Outcome:
    """Who submits at once earns nothing."""
    run = bench.run("noop")
    wrong = () if run.reward == 0.0 and run.verdict == "failed" else (f"reward {run.reward:g}, {run.verdict}",)
    return Outcome(wrong, numbers={"reward": run.reward})


def floor(kind: str, make: Callable[[Bench], Iterable[Attempt]]) -> Callable[[Bench], Outcome]:
    """A check that no attempt of a kind earns more than it may, and none is left unscored."""

    def run(bench: Bench) -> Outcome:
        _ = bench.rehearsal
        most = FLOORS[kind]
        rewards: list[float] = []
        wrong = []
        for attempt in make(bench):
            verdict = bench.handed_in(attempt.deliverables)
            rewards.append(verdict.reward)
            if verdict.reward > most or verdict.state == "unscored":
                full = [unit.unit for unit in verdict.scores.units if unit.credit == 1.0]
                earned = f" (full credit: {', '.join(full)})" if full else ""
                wrong.append(f"{attempt.what}: reward {verdict.reward:g}, {verdict.state}{earned}")
        if not rewards:
            raise NotApplicable("no deliverable is of a format in which this can be written")
        return Outcome(tuple(wrong[:8]), numbers={"best": max(rewards), "attempts": len(rewards), "at most": most})

    return run


def guessing(bench: Bench) -> Outcome:
    """What uniform guessing of every choice earns on average, numbers and dates unknown; and what listing all names
    with one option for every choice earns at its best."""
    expected, odds = expected_guess(bench)
    rewards = [bench.handed_in(attempt.deliverables).reward for attempt in attempts.guesses(bench)]
    mean = sum(rewards) / len(rewards) if rewards else 0.0
    most = FLOORS["guess"]
    wrong = [
        f"{what} earns {value:.3f} on average"
        for what, value in (("guessing every choice", expected), ("one option for every choice", mean))
        if value > most
    ]
    numbers = {
        "expected": round(expected, 6),
        "mean": round(mean, 6),
        "best": max(rewards, default=0.0),
        "at most": most,
    }
    return Outcome(tuple(wrong), tuple(odds), numbers)


def expected_guess(bench: Bench) -> tuple[float, list[str]]:
    """The expected reward of uniform guessing, and the odds of each decision, as lines.

    A fact that is a choice or a name is right with one over the number of its options, any other never. Credits are
    those of ``UnitScore``: 1 for all facts of a unit, else half of the share of right ones.
    """
    total = earned = 0.0
    odds = []
    _ = bench.rehearsal
    graph = bench.package.hidden.graph
    truth = truths(bench.package, bench.package.digest)[0]
    half = UnitScore(deliverable="", unit="", weight=1.0, facts=2, right=1, whole=True).credit * 2
    for deliverable in graph.deliverables:
        for stated in deliverable.states:
            wanted = asked(graph.unit(stated.unit), stated, truth)
            chances = [_chance(bench, stated.unit, column) for _, column in wanted.facts]
            share, whole = (sum(chances) / len(chances), prod(chances)) if chances else (0.0, 0.0)
            total += stated.weight
            earned += stated.weight * (whole + half * (share - whole))
            for column in wanted.columns:
                if known := attempts.options(bench, stated.unit, column):
                    odds.append(f"{stated.unit}.{column.name} in {deliverable.path}: 1 of {len(known)}")
    return (earned / total if total else 0.0), odds


def _chance(bench: Bench, unit: str, column: str | None) -> float:
    if column is None:
        return 0.0
    known = attempts.options(bench, unit, bench.package.hidden.graph.unit(unit).column(column))
    return 1 / len(known) if known else 0.0


def copied(bench: Bench) -> Iterator[Attempt]:
    """Inputs as deliverables, as many as the size asks for."""
    return attempts.copies(bench, bench.size.copies)
