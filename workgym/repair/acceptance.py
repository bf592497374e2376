"""When a revision is accepted: contract, checks, preservation review, expert. One code for all revisers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from workgym.check import check
from workgym.errors import MutationError, SandboxError
from workgym.mutation import Revision, apply
from workgym.package import TaskPackage
from workgym.records import CheckReport
from workgym.repair.outcome import Fate, Try

if TYPE_CHECKING:
    from workgym.env import SandboxMaker
    from workgym.rollout import Rollout

MOST_SAID = 20
"""Findings that a reviser is told."""
WRONG = 5
"""Facts that an expert got wrong that a reviser is told."""
Objection = Callable[[TaskPackage], str | None]
"""The revised package in, a reason against it out, or None."""
Author = Callable[[TaskPackage], TaskPackage | None]
"""The revised package in; out with an expert script written anew from its visible side that solves it, or None."""


class Reviewed(NamedTuple):
    """What a preservation review says."""

    preserved: bool
    """Whether the task is still the one that was intended."""
    reasons: tuple[str, ...]
    """Why, as lines."""


Review = Callable[[TaskPackage, TaskPackage], Reviewed]
"""The package before and after in, a verdict out."""


class Attempt(NamedTuple):
    """A revision that was tried."""

    record: Try
    """What became of it."""
    package: TaskPackage | None
    """The revised package where it was accepted."""
    report: CheckReport | None
    """Its checks where it was accepted."""


def attempt(
    package: TaskPackage,
    revision: Revision,
    *,
    review: Review | None = None,
    expert: Objection | None = None,
    author: Author | None = None,
) -> Attempt:
    """Apply a revision, and accept it where everything holds afterwards.

    In this order, since each asks for more than the one before: the mutator's contract (nothing derived is stated
    included), all construction checks, ``review`` for whether the task is preserved, ``expert`` for whether it can be
    done. An expert script may hang on words that the revision replaced: where it objects, ``author`` writes one anew.
    The history's last entry then says what it was accepted on.
    """

    def discarded(fate: Fate, reason: str, said: tuple[str, ...]) -> Attempt:
        return Attempt(Try(fate=fate, reason=reason, revision=revision, said=said), None, None)

    try:
        revised = apply(package, revision)
    except MutationError as error:
        return discarded("contract", str(error), (str(error),))
    report = check(revised)
    hard = [str(finding) for finding in report.findings if finding.severity == "hard"]
    if hard:
        more = (f"and {len(hard) - MOST_SAID} more",) if len(hard) > MOST_SAID else ()
        return discarded("checks", f"the revised task does not pass: {hard[0]}", (*hard[:MOST_SAID], *more))
    found = None if review is None else review(package, revised)
    if found is not None and not found.preserved:
        return discarded("preservation review", f"the task is not preserved: {found.reasons[0]}", found.reasons)
    against = None if expert is None else expert(revised)
    renewed = None if against is None or author is None else author(revised)
    if against is not None and renewed is None:
        return discarded("expert", against, (against,))
    revised, solved = renewed or revised, "an expert written anew" if renewed else "expert"
    reasons = () if found is None else found.reasons
    accepted_on = (*report.ran, *(("preservation review",) if found else ()), *((solved,) if expert else ()))
    *earlier, last = revised.hidden.history
    noted = last.model_copy(update={"accepted_on": accepted_on, "review": reasons})
    whole = revised.with_hidden(history=(*earlier, noted), checks=report)
    solves = f", {'the expert' if solved == 'expert' else solved} solves it" if expert else ""
    on = "all checks pass" + (", the task is preserved" if found else "") + solves
    return Attempt(Try(fate="accepted", reason=on, revision=revision, said=reasons), whole, report)


def objection(package: TaskPackage, *, sandbox: str | SandboxMaker = "bubblewrap") -> str | None:
    """What the expert's run has against a repaired task, or None. Raises SandboxError where no sandbox can be had."""
    from workgym.rollout import rollout

    run = rollout(package, "expert", sandbox=sandbox)
    if run.end == "sandbox failed" and run.turns == 0:  # which says nothing about the repair
        raise SandboxError(run.error or "no sandbox could be had")
    return None if run.reward == 1.0 else f"the expert, a script for the task as it was, does not solve it: {_why(run)}"


def _why(run: Rollout) -> str:
    """What became of an expert's run that earned nothing."""
    if run.blocked:
        return f"it stopped for want of {run.blocked['what']}"
    if run.error:
        return run.error
    checks = run.evidence.get("checks", ()) if isinstance(run.evidence, dict) else ()
    wrong = [f"{one['name']}: {one.get('message') or one['state']}" for one in checks if one["state"] == "failed"]
    more = f"; and {len(wrong) - WRONG} more" if len(wrong) > WRONG else ""
    return "; ".join(wrong[:WRONG]) + more if wrong else f"{run.verdict}, reward {run.reward}"
