"""How well the task is graded: mutants that must fail, equivalents that must pass, and why a wrong value is wrong."""

from __future__ import annotations

import random
from collections import Counter

from workgym.check.sufficiency import cells, trials
from workgym.package import TaskPackage
from workgym.quality import office
from workgym.quality.equivalents import OFFICE, Equivalent
from workgym.quality.mutants import Mutant
from workgym.quality.rates import Rates, counted
from workgym.quality.sound import Sound
from workgym.quality.suite.apart import causes_apart, revise_apart
from workgym.quality.suite.bench import Bench, NotApplicable, Outcome
from workgym.quality.suite.card import reproducible
from workgym.rollout import Rollout, rollout

FALSE_ACCEPTS = 0.02
"""The largest share of mutants that may get away."""
NAMED = 0.95
"""The smallest share of mistakes whose cause must be named."""
CAUSES = {
    "beyond tolerance": ("last place",),
    "right value in the wrong row": ("other row",),
    "swapped entities": ("other row",),
    "stale value": ("superseded", "conflict"),
    "trap": ("trap", "superseded", "conflict", "convention", "left out"),
    "wrong sign": ("wrong sign",),
    "wrong unit": ("stated in another unit",),
}
"""Kinds of mutants, and the causes that are right for each."""
_ASKED = 2
"""Mutants of each kind whose causes are looked for."""


def rates(bench: Bench) -> Rates:
    """Mutants and equivalents graded; done once."""
    if not bench.size.mutants and bench.size.mutants is not None:
        raise NotApplicable("the size leaves it out")
    if bench.rates is None:
        sound = bench.reference
        left_out, saved = _saved(bench, sound)
        bench.rates = counted(bench.package, bench.mutants, (*bench.rewritten, *saved), None, left_out, bench.grade)
    return bench.rates


def _saved(bench: Bench, sound: Sound) -> tuple[dict[str, str], list[Equivalent]]:
    """What LibreOffice makes of the deliverables, or why it was not asked: it runs on our own expert's work only."""
    why = office.reason() if bench.size.office else "the size leaves it out"
    if not why and not _ours(bench):
        why = "the package is not one that a family of this installation gives"
    if why:
        return {OFFICE: why}, []
    made = office.saved({path: sound.files[path] for path in sound.handed_in})
    return {}, [
        Equivalent(OFFICE, path, "opened and saved", sound.with_files({path: content}))
        for path, content in made.items()
        if content is not None
    ]


def _ours(bench: Bench) -> bool:
    """Whether a family that is installed here gives this very package."""
    try:
        return not reproducible(bench).wrong
    except NotApplicable:
        return False


def mutants(bench: Bench) -> Outcome:
    """Typed mistakes in the expert's deliverables are seen: less than 2 in 100 get away."""
    found = rates(bench)
    total = sum(count.total for count in found.mutants)
    told = [f"{one.kind} in {one.deliverable} ({one.what}): {one.reason}" for one in found.false_accepts]
    over = found.false_accept_rate >= FALSE_ACCEPTS
    numbers = {
        "mutants": total,
        "kinds": len(found.mutants),
        "false accepts": round(found.false_accept_rate, 6),
        "below": FALSE_ACCEPTS,
    }
    return Outcome(tuple(told[:8]) if over else (), () if over else tuple(told), numbers)


def equivalents(bench: Bench) -> Outcome:
    """The same work said in another way passes with full reward."""
    found = rates(bench)
    total = sum(count.total for count in found.equivalents)
    if not total:
        raise NotApplicable("no deliverable is of a format that is said in another way")
    told = [f"{one.kind} in {one.deliverable} ({one.what}): {one.reason}" for one in found.false_rejects]
    notes = tuple(f"left out: {kind}: {why}" for kind, why in found.skipped.items())
    numbers = {
        "equivalents": total,
        "kinds": len(found.equivalents),
        "false rejects": round(found.false_reject_rate, 6),
    }
    return Outcome(tuple(told[:8]), notes, numbers)


def attribution(bench: Bench) -> Outcome:
    """The cause of a typed mistake is named from the wrong values alone."""
    _ = rates(bench)
    chosen = _asked_about(bench.mutants, bench.size.causes)
    if not chosen:
        raise NotApplicable("no mistake of a kind with one known cause can be made here")
    told = causes_apart(bench.package, [bench.graded(mutant.files) for mutant in chosen])
    bench.causes = tuple(causes[0] for causes in told if causes)
    wrong = []
    for mutant, causes in zip(chosen, told, strict=True):
        if not any(cause.kind in CAUSES[mutant.kind] for cause in causes):
            said = "; ".join(f"{cause.kind}: {cause.says}" for cause in causes[:2]) or "nothing"
            wrong.append(f"{mutant.kind} in {mutant.deliverable} ({mutant.what}): {said}")
    share = 1 - len(wrong) / len(chosen)
    numbers = {"mistakes": len(chosen), "named": round(share, 6), "at least": NAMED}
    return Outcome(tuple(wrong) if share < NAMED else (), () if share < NAMED else tuple(wrong), numbers)


def _asked_about(made: tuple[Mutant, ...], most: int | None) -> list[Mutant]:
    """Mutants with one known cause: the first of every kind, then the second; mistakes of stating in tables only."""
    turns: Counter[str] = Counter()
    ranked: list[tuple[int, int, Mutant]] = []
    for mutant in made:
        worked_out = mutant.kind in ("trap", "stale value")
        if mutant.kind in CAUSES and (worked_out or not mutant.deliverable.endswith((".docx", ".md", ".txt"))):
            turns[mutant.kind] += 1
            ranked.append((turns[mutant.kind], len(ranked), mutant))
    return [mutant for turn, _, mutant in sorted(ranked, key=lambda one: one[:2]) if turn <= _ASKED][:most]


def independent(bench: Bench) -> Outcome:
    """The expert depends on what it should: without a needed cell it stops and names it, with another it follows."""
    if not bench.size.cells:
        raise NotApplicable("the size leaves it out")
    _ = bench.reference
    known = cells(bench.package)
    if not known:
        raise NotApplicable("nothing that is handed in rests on a cell of a file")
    chosen = random.Random(f"{bench.package.id}/cells").sample(known, min(bench.size.cells, len(known)))

    def run(package: TaskPackage) -> Rollout:
        return rollout(package, "expert", sandbox=bench.sandbox)

    tried = [*trials(bench.package, chosen, run, revise_apart)]
    wrong = [f"{trial.kind} of {trial.cell}: {trial.said}" for trial in tried if not trial.ok]
    return Outcome(tuple(wrong), numbers={"cells": len(chosen), "trials": len(tried)})
