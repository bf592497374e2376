"""``V_LLM``: every rubric item of a task put to a judge, one at a time, with the evidence for what came of it.

A file that was not handed in, cannot be read, shows nothing or has pages that cannot be drawn fails its items without
a question, where a sound one does better in this process; where a sound one does not either, they are *unscored*. So
are items that the judge could not be asked about: no licence, no answer, no trajectory. An answer that came and cannot
be used is the deliverable's doing only if the same question about a sound file gets one that can.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from workgym.documents import Document
from workgym.errors import ReplayError, SandboxError, Unreadable
from workgym.graph import Deliverable, RubricItem
from workgym.package import TaskPackage
from workgym.trajectory import Trajectory
from workgym.verify.files import Opened, sound_document, sound_file
from workgym.verify.judging.judge import Answered, Judge
from workgym.verify.judging.licence import LicensedJudge
from workgym.verify.judging.pages import pages
from workgym.verify.judging.process import process_view
from workgym.verify.judging.questions import ask_of
from workgym.verify.judging.rendering import View, view
from workgym.verify.model import CheckResult, CheckState, JudgeRecord, RubricScore

PROCESS = "process"
"""The name under which a verdict tells what was shown of the process."""
_ALIVE = View("CALL 1: list_files {}\nANSWER 1: nothing is here\nHANDED IN: ", "all of it is shown")


@dataclass(frozen=True)
class Judged:
    """What came of all rubric items of a task."""

    checks: tuple[CheckResult, ...]
    """One for each item."""
    scores: tuple[RubricScore, ...] = ()
    """Those that were scored."""
    missing: tuple[RubricScore, ...] = ()
    """Those that were requested and could not be, as if they had 0: to see whether the reward rests on them."""
    record: JudgeRecord | None = None
    """Who judged; None where nobody did."""


@dataclass(frozen=True)
class _Sight:
    """What a judge is shown, or why it is not asked."""

    view: View | None
    state: CheckState = "passed"
    message: str = ""


def not_requested(package: TaskPackage) -> Judged:
    """The items as they stand where no judge is configured."""
    checks = [
        _check(deliverable, number, item, "not requested", "no judge is configured")
        for deliverable, number, item in _items(package)
    ]
    return Judged(tuple(checks))


def judged(
    package: TaskPackage,
    files: Mapping[str, bytes],
    opened: Mapping[str, Opened],
    licensed: LicensedJudge,
    trajectory: Trajectory | None,
) -> Judged:
    """Put every rubric item to the judge. Raises UsageError where its model is not configured."""
    judge, objection = licensed.judge, licensed.objection
    sights: dict[str, _Sight] = {}
    checks: list[CheckResult] = []
    scores: list[RubricScore] = []
    missing: list[RubricScore] = []
    for deliverable, number, item in _items(package):
        name = PROCESS if item.about == "process" else deliverable.path
        if name not in sights:
            look = _process(trajectory) if name == PROCESS else _deliverable(package, files, opened[name], judge)
            sights[name] = look
        check = _one(package, deliverable, number, item, sights[name], judge, objection)
        checks.append(check)
        given = RubricScore(deliverable=deliverable.path, number=number, score=check.score or 0.0)
        (missing if check.score is None else scores).append(given)
    views = {name: sight.view for name, sight in sights.items() if sight.view is not None}
    record = JudgeRecord(
        pin=judge.pin,
        licence=None if objection or licensed.licence is None else licensed.licence.id,
        shown={name: shown.note for name, shown in views.items()},
        tripwires={name: shown.tripwires for name, shown in views.items() if shown.tripwires},
    )
    return Judged(tuple(checks), tuple(scores), tuple(missing), record)


def _items(package: TaskPackage) -> Iterator[tuple[Deliverable, int, RubricItem]]:
    for deliverable in package.hidden.graph.deliverables:
        for number, item in enumerate(deliverable.rubric, 1):
            yield deliverable, number, item


def _check(
    deliverable: Deliverable,
    number: int,
    item: RubricItem,
    state: CheckState,
    message: str,
    came: Answered | None = None,
) -> CheckResult:
    return CheckResult(
        name=f"rubric {number} of {deliverable.path}",
        kind="rubric",
        state=state,
        deliverable=deliverable.path,
        expected=item.item,
        message=message,
        score={"passed": 1.0, "failed": 0.0}.get(state) if came is None or came.score is None else came.score,
        answers=() if came is None else came.answers,
    )


def _one(
    package: TaskPackage,
    deliverable: Deliverable,
    number: int,
    item: RubricItem,
    sight: _Sight,
    judge: Judge,
    objection: str,
) -> CheckResult:
    if sight.view is None:
        return _check(deliverable, number, item, sight.state, sight.message)
    if objection:
        return _check(deliverable, number, item, "unscored", objection)
    came = judge.ask(ask_of(package, item, [sight.view]))
    if came.fault == "unusable" and _answers_about_a_sound_one(package, deliverable, item, judge):
        again = judge.ask(ask_of(package, item, [sight.view]))
        came = replace(again, answers=(*came.answers, *again.answers))
        if came.fault == "unusable":
            message = f"the judge cannot answer about it, and does about a sound one: {came.why}"
            return _check(deliverable, number, item, "failed", message, came)
    if came.score is None:
        tried = f"no answer after {len(came.answers)} attempts" if came.fault == "error" else "no usable answer"
        return _check(deliverable, number, item, "unscored", f"the judge gave {tried}: {came.why}", came)
    if came.score == 1.0:
        return _check(deliverable, number, item, "passed", "", came)
    return _check(deliverable, number, item, "failed", f"the judge gave {came.score:g}: {_reason(came)}", came)


def _reason(came: Answered) -> str:
    """The first answer that gave the median."""
    raw = next(answer.raw for answer in came.answers if answer.score == came.score)
    return " ".join(raw.split())[:300]


def _answers_about_a_sound_one(package: TaskPackage, deliverable: Deliverable, item: RubricItem, judge: Judge) -> bool:
    if item.about == "process":
        return judge.ask(ask_of(package, item, [_ALIVE])).score is not None
    sound = sound_document(package, deliverable.path)
    if not isinstance(sound, Document):
        return False
    return judge.ask(ask_of(package, item, [view(sound)])).score is not None


def _process(trajectory: Trajectory | None) -> _Sight:
    if trajectory is None:
        return _Sight(None, "unscored", "there is no trajectory to judge the process by: keep one (-o)")
    try:
        seen = process_view(trajectory)
    except ReplayError as error:
        return _Sight(None, "unscored", f"the trajectory cannot be read: {error.message}")
    return _Sight(seen)


def _deliverable(package: TaskPackage, files: Mapping[str, bytes], one: Opened, judge: Judge) -> _Sight:
    if one.document is None:
        return _Sight(None, one.state, one.message)
    seen = view(one.document)
    if judge.settings.pages:
        try:
            drawn = pages(one.path, files[one.path])
        except (Unreadable, SandboxError) as error:
            state: CheckState = "failed" if isinstance(error, Unreadable) and _draws(package, one.path) else "unscored"
            return _Sight(None, state, f"the pages of {one.path} cannot be shown: {error.message}")
        seen = replace(seen, pictures=drawn.pictures, note=f"{seen.note}; {drawn.note}")
    if not seen.empty:
        return _Sight(seen)
    sound = sound_document(package, one.path)
    sees = isinstance(sound, Document) and not view(sound).empty
    return _Sight(None, "failed" if sees else "unscored", f"{one.path} shows nothing that could be judged")


def _draws(package: TaskPackage, path: str) -> bool:
    """Whether the pages of a sound file of that name can be drawn."""
    content = sound_file(package, path)
    try:
        return content is not None and bool(pages(path, content))
    except (Unreadable, SandboxError):
        return False
