"""Repair by a model: a reviser proposes typed edits, a reviewer says whether the task is preserved.

What is refused goes back to the reviser with the reasons, in one conversation, up to a number of rounds; a task has no
more than these. Source: WorkFactory, execution-based repair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from workgym.check import check
from workgym.errors import MutationError, Unstructured
from workgym.model import Message, Model, ModelRequest
from workgym.models import Asker
from workgym.package import TaskPackage
from workgym.records import CheckReport
from workgym.repair.acceptance import Attempt, Author, Objection, Review, Reviewed, attempt, objection
from workgym.repair.forms import Preservation, Proposal
from workgym.repair.outcome import RepairOutcome, Try
from workgym.repair.showing import PROMPTS, hard, review, speaking, task, told

if TYPE_CHECKING:
    from workgym.env import SandboxMaker


def mend(
    package: TaskPackage,
    problems: Sequence[object],
    *,
    reviser: Model,
    reviewer: Model,
    rounds: int = 3,
    expert: bool = False,
    solver: Model | None = None,
    solver_rounds: int = 3,
    sandbox: str | SandboxMaker = "bubblewrap",
) -> RepairOutcome:
    """Repair a task by a model; the package given is never changed.

    ``problems`` are lines, or what a probe reported (class, what, blocks, grounds); what the checks find is added to
    them. Each of at most ``rounds`` proposals is tried as :func:`.acceptance.attempt` says, with a preservation review
    by ``reviewer``, which sees neither problems nor findings, and (``expert``) a run of the task's expert script in
    ``sandbox``, where it has one. Where that script does not solve the revised task, ``solver`` writes one anew from
    the visible side, in ``solver_rounds`` replies: scripts hang on the words that they were written for. Raises
    SandboxError where none can be had, and what a model raises (ModelError, BudgetSpent) but replies that fit no form:
    those are refused.
    """
    if rounds < 1:
        raise ValueError(f"a repair takes at least one round, not {rounds}")
    report, given = check(package), package
    package = replace(package, ours=False)  # whatever a model's edits make of it is evaluated apart
    lines = (*map(told, problems), *hard(report))
    if not lines:
        return RepairOutcome(given, False, "nothing needs repair", report)
    judge = reviewing(reviewer)
    asker: Asker[Proposal] = Asker(reviser, Proposal)
    messages = [Message.of("system", PROMPTS["reviser"].render()), Message.of("user", task(package, lines))]
    runs = partial(objection, sandbox=sandbox) if expert and package.hidden.expert is not None else None
    author = None if runs is None or solver is None else writing(solver, solver_rounds, sandbox)
    tries: list[Try] = []
    for _ in range(rounds):
        try:
            answer = asker.ask(ModelRequest(messages=tuple(messages)))
        except Unstructured as error:
            tries.append(Try(fate="no proposal", reason=str(error)))
            break
        proposal, reply = answer.value, answer.reply
        if not proposal.edits:
            tries.append(Try(fate="no proposal", reason=f"the reviser knows no repair: {proposal.reasons}"))
            break
        tried = _tried(package, proposal, lines, judge, runs, author)
        tries.append(tried.record)
        if tried.package is not None and tried.report is not None:
            return RepairOutcome(tried.package, True, tried.record.reason, tried.report, tuple(tries))
        reasons = "\n".join(f"- {line}" for line in tried.record.said)
        messages += [reply.message(), Message.of("user", PROMPTS["refused"].render(reasons=reasons))]
    return _discarded(given, report, tries)


def _tried(
    package: TaskPackage,
    proposal: Proposal,
    lines: tuple[str, ...],
    judge: Review,
    runs: Objection | None,
    author: Author | None,
) -> Attempt:
    try:
        revision = proposal.revision(lines)
    except MutationError as error:
        return Attempt(Try(fate="contract", reason=str(error), said=(str(error),)), None, None)
    return attempt(package, revision, review=judge, expert=runs, author=author)


def _discarded(package: TaskPackage, report: CheckReport, tries: list[Try]) -> RepairOutcome:
    times = "after one proposal" if len(tries) == 1 else f"after {len(tries)} proposals"
    return RepairOutcome(package, False, f"discarded {times}: {tries[-1].reason}", report, tuple(tries))


def writing(model: Model, rounds: int, sandbox: str | SandboxMaker) -> Author:
    """An expert script by a model that sees the revised task's visible side alone, where it agrees with the graph."""

    from workgym.check.independent import solve

    def author(revised: TaskPackage) -> TaskPackage | None:
        solution = solve(revised, model, rounds=rounds, scripts=1, sandbox=sandbox)
        return solution.package if solution.agreed else None

    return author


def reviewing(model: Model) -> Review:
    """A preservation review by a model; replies that fit no form are no approval."""
    asker: Asker[Preservation] = Asker(model, Preservation)

    def judge(before: TaskPackage, after: TaskPackage) -> Reviewed:
        spoken = speaking(after)
        if spoken:
            return Reviewed(False, (f"the new text speaks to whoever reviews it: {spoken[0]}",))
        asked = (Message.of("system", PROMPTS["reviewer"].render()), Message.of("user", review(before, after)))
        try:
            said = asker.ask(ModelRequest(messages=asked)).value
        except Unstructured as error:
            return Reviewed(False, (f"the reviewer gave no verdict: {error}",))
        answers = {
            "the same work": said.same_work,
            "the answers are left to the solver": said.answers_left,
            "the texts are natural": said.natural,
            "preserved": said.preserved,
        }
        verdicts = ", ".join(f"{what}: {'yes' if yes else 'no'}" for what, yes in answers.items())
        return Reviewed(said.accepted, (said.reasons, f"{model.name}: {verdicts}"))

    return judge
