"""From a final workspace to a verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from workgym.documents import Document
from workgym.graph import Deliverable, Stated
from workgym.package import TaskPackage
from workgym.trajectory import Trajectory
from workgym.verify.chosen.accepted import Judged as Accepted
from workgym.verify.chosen.accepted import accept
from workgym.verify.combine import Combiner, combiner, needs_judge, no_judge
from workgym.verify.files import Opened, open_deliverables, sound_document
from workgym.verify.guards import guarded
from workgym.verify.judging.licence import LicensedJudge
from workgym.verify.judging.rubric import Judged, judged, not_requested
from workgym.verify.model import CheckResult, CheckState, Scores, UnitScore, Verdict
from workgym.verify.stated import facts
from workgym.verify.stated.asked import Asked, asked
from workgym.verify.stated.facts import Outcome, Pages
from workgym.verify.telling import evidence
from workgym.verify.truth import Truth, truths


@dataclass(frozen=True)
class _Part:
    """One stated unit of one deliverable, with what came out; an outcome is None where there is nothing to judge."""

    deliverable: Deliverable
    stated: Stated
    outcome: Outcome | None
    state: CheckState
    message: str


def grade(
    package: TaskPackage,
    files: Mapping[str, bytes],
    *,
    combine: str = "code/1",
    judge: LicensedJudge | None = None,
    trajectory: Trajectory | None = None,
) -> Verdict:
    """Grade a copy of the final workspace: all its regular files, by path from its root.

    The deliverables are opened in a limited child; nothing of them is executed. Without a judge the same files give the
    same verdict. ``judge`` scores the rubric items, those about the process by ``trajectory``. Raises UsageError where
    there is no such combiner, or it needs a judge and none is given.
    """
    reward_of = combiner(combine)
    if judge is None and needs_judge(combine) and any(one.rubric for one in package.hidden.graph.deliverables):
        raise no_judge(combine)
    digest = package.digest
    opened = open_deliverables(package, files)
    guards = guarded(package, files, opened)
    pages: dict[str, Pages] = {
        path: Pages(document, guards.given[path])
        for path, one in opened.items()
        if path in guards.given and (document := one.document) is not None
    }
    answers = truths(package, digest)
    found = [tuple(_parts(package, opened, pages, truth)) for truth in answers]
    taken = [accept(package, opened, pages, truth) for truth in answers]
    best = max(range(len(found)), key=lambda at: (_merit(found[at], taken[at]), -at))
    parts, accepted, truth = found[best], taken[best], answers[best]
    said = not_requested(package) if judge is None else judged(package, files, opened, judge, trajectory)
    units = (*(_score(part, truth, package) for part in parts), *(one.score for one in accepted))
    scores = Scores(units=units, guards=guards.factors, rubric=said.scores)
    total = sum(unit.weight for unit in units) or 1.0
    checks = [*_file_checks(opened), *guards.checks]
    for part in parts:
        checks += evidence.unit_checks(
            part.deliverable, part.stated, _asked(part, truth, package), part.outcome, part.state, part.message,
            part.stated.weight / total,
        )  # fmt: skip
    shares = [check.model_copy(update={"weight": check.weight / total}) for one in accepted for check in one.checks]
    checks += shares
    unscored = any(check.state == "unscored" for check in checks) or _rests_on(said, scores, reward_of)
    checks += said.checks
    failed = any(check.state == "failed" for check in checks)
    return Verdict(
        task=package.id,
        package=digest,
        combiner=combine,
        state="unscored" if unscored else "failed" if failed else "passed",
        reward=0.0 if unscored else reward_of(scores),
        checks=tuple(checks),
        scores=scores,
        judge=said.record,
    )


def _rests_on(said: Judged, scores: Scores, reward_of: Combiner) -> bool:
    """Whether the reward could be another if the items that a judge could not score had 1 and not 0."""
    best = tuple(item.model_copy(update={"score": 1.0}) for item in said.missing)
    least, most = (
        reward_of(scores.model_copy(update={"rubric": (*scores.rubric, *rest)})) for rest in (said.missing, best)
    )
    return least != most


def _parts(
    package: TaskPackage, opened: Mapping[str, Opened], pages: dict[str, Pages], truth: Truth
) -> Iterator[_Part]:
    """What came out of each stated unit; documents that are taken apart stay in ``pages`` for the next truth."""
    for deliverable in package.hidden.graph.deliverables:
        one = opened[deliverable.path]
        for stated in deliverable.states:
            if one.document is None:
                yield _Part(deliverable, stated, None, one.state, one.message)
                continue
            try:
                if deliverable.path not in pages:
                    pages[deliverable.path] = Pages(one.document)
                outcome = facts.judge(pages[deliverable.path], deliverable, stated, truth, package)
            except Exception as error:  # noqa: BLE001 - the boundary: whatever a file does to us is judged by a sound one
                state, message = cause(package, deliverable, stated, truth, error)
                yield _Part(deliverable, stated, None, state, message)
            else:
                yield _Part(deliverable, stated, outcome, "passed", "")


def cause(
    package: TaskPackage, deliverable: Deliverable, stated: Stated, truth: Truth, error: Exception
) -> tuple[CheckState, str]:
    """A check that did not come out: failed where it does come out on the expert's deliverable, or a sound file."""
    message = f"what it says cannot be judged ({type(error).__name__})"
    sound = sound_document(package, deliverable.path)
    if sound is None:
        return "failed", message
    try:
        if isinstance(sound, Document):
            facts.judge(Pages(sound), deliverable, stated, truth, package)
            return "failed", message
    except Exception as ours:  # noqa: BLE001 - the same boundary
        return "unscored", f"{message}, and a sound one neither ({type(ours).__name__}: {ours})"
    return "unscored", f"{message}, and a sound one cannot be read"


def _asked(part: _Part, truth: Truth, package: TaskPackage) -> Asked:
    if part.outcome is not None:
        return part.outcome.asked
    return asked(package.hidden.graph.unit(part.stated.unit), part.stated, truth)


def _score(part: _Part, truth: Truth, package: TaskPackage) -> UnitScore:
    outcome = part.outcome
    return UnitScore(
        deliverable=part.deliverable.path,
        unit=part.stated.unit,
        weight=part.stated.weight,
        facts=len(_asked(part, truth, package).facts),
        right=outcome.right if outcome else 0,
        whole=outcome.whole if outcome else False,
    )


def _merit(parts: tuple[_Part, ...], accepted: tuple[Accepted, ...]) -> float:
    """The credit under one set of conventions, to find the best of them."""
    return sum(one.score.weight * one.score.credit for one in accepted) + sum(
        part.stated.weight
        * UnitScore(
            deliverable="", unit="", weight=1.0, facts=len(part.outcome.asked.facts), right=part.outcome.right,
            whole=part.outcome.whole,
        ).credit
        for part in parts
        if part.outcome is not None
    )  # fmt: skip


def _file_checks(opened: Mapping[str, Opened]) -> Iterator[CheckResult]:
    for path, one in opened.items():
        yield CheckResult(name=f"file {path}", kind="file", state=one.state, deliverable=path, message=one.message)
