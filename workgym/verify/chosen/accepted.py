"""Handed tables in a verdict: a score and checks for each table, rule and objective."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from workgym.documents import Document
from workgym.graph import Acceptance, Deliverable, Handed, Objective
from workgym.package import TaskPackage
from workgym.verify.chosen.acceptance import Answer, Outcome, judge
from workgym.verify.chosen.handed import Read, Wrong
from workgym.verify.files import Opened, sound_document
from workgym.verify.model import CheckResult, CheckState, UnitScore
from workgym.verify.stated.asked import shown
from workgym.verify.stated.facts import Pages
from workgym.verify.telling.evidence import listed
from workgym.verify.truth import Truth

Part = Handed | Acceptance | Objective
_EACH = 20
"""Violations of one part with a check of their own; the rest are counted in the last."""


@dataclass(frozen=True)
class Judged:
    """One table, rule or objective, and how it came out."""

    score: UnitScore
    """What it earned."""
    checks: tuple[CheckResult, ...]
    """Each violation, or one check that there is none; their weights are shares of ``score.weight``."""


def accept(
    package: TaskPackage, opened: Mapping[str, Opened], pages: dict[str, Pages], truth: Truth
) -> tuple[Judged, ...]:
    """Every table, rule and objective of every deliverable."""
    found: list[Judged] = []
    for deliverable in package.hidden.graph.deliverables:
        if not deliverable.handed:
            continue
        one = opened[deliverable.path]
        if one.document is None:
            found += [_unread(deliverable, part, one.state, one.message) for part in parts(deliverable)]
            continue
        try:
            if deliverable.path not in pages:
                pages[deliverable.path] = Pages(one.document)
            outcome = judge(pages[deliverable.path].sheets, deliverable, truth, package)
        except Exception as error:  # noqa: BLE001 - the boundary: whatever a file does to us is judged by a sound one
            state, message = _cause(package, deliverable, truth, f"it cannot be judged ({type(error).__name__})")
            found += [_unread(deliverable, part, state, message) for part in parts(deliverable)]
        else:
            found += _judged(package, deliverable, outcome, truth)
    return tuple(found)


def parts(deliverable: Deliverable) -> tuple[Part, ...]:
    """All that earns by handed tables."""
    return (*deliverable.handed, *deliverable.accepts, *deliverable.objectives)


def _cause(package: TaskPackage, deliverable: Deliverable, truth: Truth, message: str) -> tuple[CheckState, str]:
    """Failed where a sound deliverable can be judged, or there is none to try; else our side is the cause."""
    sound = sound_document(package, deliverable.path)
    if sound is None:
        return "failed", message
    try:
        if isinstance(sound, Document):
            tried = judge(Pages(sound).sheets, deliverable, truth, package)
            if not any(answer.error for answer in tried.answers.values()):
                return "failed", message
    except Exception as ours:  # noqa: BLE001 - the same boundary
        message = f"{message} ({type(ours).__name__})"
    return "unscored", f"{message}, and a sound one neither"


def _judged(package: TaskPackage, deliverable: Deliverable, outcome: Outcome, truth: Truth) -> Iterator[Judged]:
    broken = [name for name, answer in outcome.answers.items() if answer.error]
    if broken:
        why = f"{broken[0]} cannot be judged: {outcome.answers[broken[0]].error}"
        state, message = _cause(package, deliverable, truth, why)
        yield from (_unread(deliverable, part, state, message) for part in parts(deliverable))
        return
    lacking: list[str] = []
    for table in outcome.tables:
        wrong = [*table.wrong, *_uncovered(table, outcome.answers.get(table.table.name, Answer()))]
        lacking += [table.table.name] if wrong else []
        yield _part(deliverable, table.table, wrong, table.table.name)
    breaks: list[str] = []
    for rule in deliverable.accepts:
        answer = outcome.answers[rule.name]
        wrong = list(_violations(rule, answer, outcome.tables))
        breaks += [rule.name] if wrong else []
        if lacking and not wrong:
            wrong = [Wrong(None, None, f"it does not count while the table {lacking[0]} is not whole")]
        yield _part(deliverable, rule, wrong, rule.says, more=answer.count - len(answer.rows))
    for goal in deliverable.objectives:
        yield _objective(deliverable, goal, outcome, [*lacking, *breaks])


def _uncovered(table: Read, answer: Answer) -> Iterator[Wrong]:
    for row in answer.rows:
        what = ", ".join(f"{name} {shown(value)}" for name, value in zip(answer.columns, row, strict=True))
        yield Wrong(None, None, f"no row for {what}")


def _violations(rule: Acceptance, answer: Answer, tables: tuple[Read, ...]) -> Iterator[Wrong]:
    for row in answer.rows:
        said = dict(zip(answer.columns, row, strict=True))
        told = ", ".join(f"{name} {shown(value)}" for name, value in said.items())
        yield Wrong(_place(said, tables), told, rule.says)


def _place(said: Mapping[str, object], tables: tuple[Read, ...]) -> str | None:
    """Where the row of a violation stands: the first that has the key, or as much of it as the violation says."""
    for table in tables:
        names = [column.name for column in table.table.columns]
        key = [name for name in table.table.key if name in said]
        for row, place in zip(table.rows, table.places, strict=True):
            if key and all(row[names.index(name)] == said[name] for name in key):
                return place
    return None


def _objective(deliverable: Deliverable, goal: Objective, outcome: Outcome, broken: list[str]) -> Judged:
    number, best = outcome.answers[goal.name].number, outcome.answers[f"best.{goal.name}"].number
    if broken:
        says = f"it does not count while {broken[0]} does not hold"
        return _part(deliverable, goal, [Wrong(None, None if number is None else f"{number}", says)], goal.says)
    if number is None or best is None:
        return _part(deliverable, goal, [Wrong(None, None, "it gives no number")], goal.says)
    if goal.within(number, best, goal.gap):
        return _part(deliverable, goal, [], goal.says)
    half = goal.half is not None and goal.within(number, best, goal.half)
    says = f"{goal.says} is beyond the gap of {goal.gap}" + (f", within {goal.half}: half of it" if half else "")
    return _part(deliverable, goal, [Wrong(None, f"{number}", says)], f"{best} within {goal.gap}", half=half)


def _part(
    deliverable: Deliverable, part: Part, wrong: list[Wrong], expected: str, *, more: int = 0, half: bool = False
) -> Judged:
    score = UnitScore(
        deliverable=deliverable.path, unit=part.name, weight=part.weight, facts=1, right=int(half or not wrong),
        whole=not wrong,
    )  # fmt: skip
    if not wrong:
        return Judged(score, (_check(deliverable, part, "passed", expected, Wrong(None, None, ""), part.weight),))
    told = wrong[:_EACH]
    rest = len(wrong) - len(told) + more
    checks = [
        _check(deliverable, part, "failed", expected, one, part.weight / len(told), number)
        for number, one in enumerate(told, 1)
    ]
    if rest:
        checks[-1] = checks[-1].model_copy(update={"message": f"{checks[-1].message}; and {rest} more"})
    return Judged(score, tuple(checks))


def _unread(deliverable: Deliverable, part: Part, state: CheckState, message: str) -> Judged:
    score = UnitScore(deliverable=deliverable.path, unit=part.name, weight=part.weight, facts=1, right=0, whole=False)
    return Judged(score, (_check(deliverable, part, state, None, Wrong(None, None, message), part.weight),))


def _check(
    deliverable: Deliverable, part: Part, state: CheckState, expected: str | None, wrong: Wrong, weight: float,
    number: int = 1,
) -> CheckResult:  # fmt: skip
    kind = "table" if isinstance(part, Handed) else "rule" if isinstance(part, Acceptance) else "objective"
    return CheckResult(
        name=f"{kind} {part.name} in {deliverable.path}" + (f", violation {number}" if number > 1 else ""),
        kind="structure",
        state=state,
        unit=part.name,
        deliverable=deliverable.path,
        place=wrong.place,
        expected=expected if isinstance(part, Objective) else None,
        found=None if wrong.found is None else listed([wrong.found]),
        message=wrong.says,
        weight=weight,
    )
