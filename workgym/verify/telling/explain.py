"""A verdict on one page, for somebody who never saw the task: what was asked, what it earned, what is wrong and why.

However large the verdict, the page has at most 60 lines of 100 columns: what failed alike stands together with
examples, what costs most first, and what does not fit is counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Protocol

from workgym.package import TaskPackage
from workgym.verify.model import CheckResult, UnitScore, Verdict
from workgym.verify.telling.columns import cut, padded, wrapped
from workgym.verify.telling.failures import Group, groups
from workgym.verify.telling.ladder import ladder

WIDTH, LINES = 100, 60
_UNITS, _CAUSES, _STEPS, _ITEMS, _NOTES, _HELD, _PLACES = 12, 4, 4, 3, 3, 4, 2
_GUARD, _VALUE, _ITEM, _LEAST = "guard ", 20, 40, 8


class Reason(Protocol):
    """Why facts are wrong, as ``workgym.quality.attribute`` says it."""

    @property
    def kind(self) -> str:
        """The kind of mistake."""

    @property
    def says(self) -> str:
        """One sentence."""

    @property
    def checks(self) -> tuple[str, ...]:
        """Names of the checks that it explains."""


def explain(
    package: TaskPackage, verdict: Verdict, why: Sequence[Reason] = (), *, notes: Sequence[str] = (), more: str = ""
) -> str:
    """The page. ``why`` are the causes of what is wrong, ``notes`` lines for its head, ``more`` how to see the rest."""
    wrong = groups(package, verdict)
    head = [*_head(package, verdict, notes), "", *_earned(verdict)]
    guards, reasons, judge = list(_guards(verdict)), list(_why(verdict, why)), list(_judge(verdict))
    end = [*_ladder(verdict)]
    foot = ["", _foot(verdict, more)]
    if LINES - sum(map(len, (head, guards, reasons, end, judge, foot))) < _LEAST:
        guards, reasons, judge = _within(guards, 7), _within(reasons, 7), _within(judge, 6)
    room = LINES - sum(map(len, (head, guards, reasons, end, judge, foot)))
    return "\n".join([*head, *guards, *reasons, *_wrong(wrong, room), *end, *judge, *foot]) + "\n"


def _within(lines: list[str], most: int) -> list[str]:
    """The first lines, and that there are more."""
    return lines if len(lines) <= most else [*lines[: most - 1], "  and more"]


def _head(package: TaskPackage, verdict: Verdict, notes: Sequence[str]) -> Iterator[str]:
    if verdict.state == "unscored":
        yield cut(f"UNSCORED by {verdict.combiner}: our side is the cause, and this is no score of 0", WIDTH)
    else:
        yield cut(f"{verdict.state.upper()}: reward {verdict.reward:g} of 1 by {verdict.combiner}", WIDTH)
    yield cut(f"task: {verdict.task}", WIDTH)
    yield cut(f"      {package.card.title}", WIDTH)
    yield from wrapped(package.request, WIDTH, 3, first="asked: ", rest="       ")
    yield from (cut(note, WIDTH) for note in notes[:_NOTES])


def _earned(verdict: Verdict) -> Iterator[str]:
    """What each unit of each deliverable earned: those that lack most where not all can be shown."""
    total = sum(unit.weight for unit in verdict.scores.units) or 1.0
    yield f"{padded('WHAT EACH PART EARNED', 60)}{'facts right':>15}{'credit':>9}{'of reward':>12}"
    shown = list(verdict.scores.units)
    if len(shown) > _UNITS:
        lost = sorted(shown, key=lambda unit: unit.weight * (unit.credit - 1))[: _UNITS - 1]
        shown = [unit for unit in shown if any(unit is one for one in lost)]
    for unit in shown:
        yield _unit(unit, total)
    rest = [unit for unit in verdict.scores.units if not any(unit is one for one in shown)]
    if rest:
        full = sum(unit.credit == 1 for unit in rest)
        share = sum(unit.weight for unit in rest) / total
        yield cut(f"  and {len(rest)} more parts, {full} of them with full credit, {share:.0%} of the reward", WIDTH)


def _unit(unit: UnitScore, total: float) -> str:
    right = f"{unit.right} of {unit.facts}" + ("" if unit.whole else " *")
    name = padded(f"  {unit.deliverable}: {unit.unit}", 60)
    return f"{name}{cut(right, 14):>15}{unit.credit:>9.2f}{unit.weight / total:>12.0%}"


def _guards(verdict: Verdict) -> Iterator[str]:
    if any(unit.credit < 1 for unit in verdict.scores.units):
        starred = any(not unit.whole for unit in verdict.scores.units)
        star = "; * more is wrong than facts" if starred else ""
        yield f"  credit: 1 where all is as asked, else half the share of right facts{star}"
    held = [f"{name} {'holds' if value == 1 else f'x {value:g}'}" for name, value in verdict.scores.guards.items()]
    yield cut(f"guards, which multiply: {', '.join(held) or 'none'}", WIDTH)
    wrong = [check for check in verdict.checks if check.kind == "guard" and check.state != "passed"]
    whole = [check for check in wrong if check.name.startswith(_GUARD)]
    for check in whole[:_HELD]:
        told = f"{check.name.removeprefix(_GUARD)}: {check.message}: {check.found or 'not said'}"
        yield from wrapped(told, WIDTH, 2, first="  ", rest="    ")
    places = [check for check in wrong if not check.name.startswith(_GUARD)]
    for check in places[:_PLACES]:
        was, now = (cut(text or "nothing", _VALUE) for text in (check.expected, check.found))
        yield cut(f"    {check.name}: {check.message} (was {was}, is {now})", WIDTH)
    if len(places) > _PLACES:
        yield f"    and {len(places) - _PLACES} more places"


def _why(verdict: Verdict, why: Sequence[Reason]) -> Iterator[str]:
    if not why:
        return
    wrong = sum(check.kind == "fact" and check.state != "passed" for check in verdict.checks)
    yield from ("", "WHY (the mistake that gives exactly what was found)")
    for number, cause in enumerate(why[:_CAUSES], 1):
        share = f"{len(cause.checks)} of {wrong} facts that are not right" if wrong else "no fact is wrong"
        yield from wrapped(f"{cause.kind}: {cause.says} ({share})", WIDTH, 2, first=f"  {number}. ", rest="     ")
    if len(why) > _CAUSES:
        rest = sum(len(cause.checks) for cause in why[_CAUSES:])
        yield f"  and {len(why) - _CAUSES} more causes of {rest} facts"


def _wrong(found: Sequence[Group], room: int) -> Iterator[str]:
    """What failed, within ``room`` lines: examples of as many groups as fit, then those that have none."""
    if not found:
        return
    yield from ("", "WHAT IS WRONG (what costs most first; before guards)")
    room -= 2
    each = next((most for most in (3, 2, 1, 0) if sum(1 + min(most, len(one.examples)) for one in found) <= room), 0)
    short = room - 1 if sum(1 + min(each, len(one.examples)) for one in found) > room else room
    left = short
    for at, group in enumerate(found):
        if not left:
            rest = sum(one.count for one in found[at:])
            yield f"  and {len(found) - at} more of that kind, {rest} checks"
            return
        lost = f", costs {100 * group.lost:.3g} %" if group.lost else ""
        yield f"  {cut(group.says, WIDTH - 2 - len(lost))}{lost}"
        left -= 1
        for example in group.examples[: min(each, left)]:
            yield cut(f"      {example}", WIDTH)
            left -= 1


def _ladder(verdict: Verdict) -> Iterator[str]:
    steps = ladder(verdict, _STEPS)
    if not steps:
        return
    unscored = verdict.state == "unscored"
    yield from ("", f"WHAT WOULD HAVE EARNED THE REST{' (of what could be scored)' if unscored else ''}")
    for number, step in enumerate(steps):
        yield f"  {padded(('' if number == 0 else 'and ') + step.what, 84)}  -> {step.reward:.4g}"


def _judge(verdict: Verdict) -> Iterator[str]:
    items = [check for check in verdict.checks if check.kind == "rubric"]
    judge = verdict.judge
    if not items:
        return
    yield ""
    if judge is None:
        yield f"JUDGE: none was asked; {len(items)} rubric items are not requested (--judge)"
        return
    given = [item.score for item in verdict.scores.rubric]
    mean = f", mean {sum(given) / len(given):.2f}" if given else ""
    by = f"licence {judge.licence}" if judge.licence else "NO LICENCE"
    yield cut(f"JUDGE: {judge.pin.model} ({by}) scored {len(given)} of {len(items)} items{mean}", WIDTH)
    yield from _items([check for check in items if check.state != "passed"])
    for path, found in sorted(judge.tripwires.items())[:1]:
        yield cut(f"  {path} speaks to the judge, which was not shown it: {'; '.join(found)}", WIDTH)


def _items(wrong: Sequence[CheckResult]) -> Iterator[str]:
    for check in sorted(wrong, key=lambda check: check.state != "unscored")[:_ITEMS]:
        score = "UNSCORED" if check.score is None else f"{check.score:g}"
        item = f"  {score}: {check.name}: {cut(check.expected or '', _ITEM)} "
        yield from wrapped(f"- {check.message}", WIDTH, 2, first=item, rest="    ")
    if len(wrong) > _ITEMS:
        unscored = sum(check.state == "unscored" for check in wrong)
        yield f"  and {len(wrong) - _ITEMS} more ({unscored} unscored in all, which is not a score of 0)"


def _foot(verdict: Verdict, more: str) -> str:
    counts = Counter(check.state for check in verdict.checks)
    told = ", ".join(f"{count} {state}" for state, count in counts.items())
    return cut(f"{len(verdict.checks)} checks ({told})" + (f"; all of them: {more}" if more else ""), WIDTH)
