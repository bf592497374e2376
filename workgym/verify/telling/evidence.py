"""The evidence: a check for each fact with what was expected, where, and what was found; and a verdict as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from workgym.graph import Deliverable, Stated
from workgym.verify.model import CheckResult, CheckState, Verdict
from workgym.verify.stated.asked import Asked, AskedRow, shown
from workgym.verify.stated.facts import Outcome
from workgym.verify.stated.sights import Sight
from workgym.verify.telling.columns import plain

_SHOWN = 12


def listed(items: Sequence[str], most: int = _SHOWN) -> str:
    """Several findings in one line, the first of them in full."""
    rest = len(items) - most
    return "; ".join(items[:most]) + (f"; and {rest} more" if rest > 0 else "")


def unit_checks(
    deliverable: Deliverable,
    stated: Stated,
    asked: Asked,
    outcome: Outcome | None,
    state: CheckState,
    message: str,
    weight: float,
) -> Iterator[CheckResult]:
    """A check for each fact of a unit, then its structure. ``weight`` is the unit's share of the reward."""
    share = weight / max(1, len(asked.facts))
    positions = {id(row): position for position, row in enumerate(asked.rows)}
    for row, column in asked.facts:
        sight = outcome.sights.get((positions[id(row)], column)) if outcome else None
        came_out: CheckState = state if outcome is None else "passed" if sight and sight.state == "right" else "failed"
        yield CheckResult(
            name=f"{_cell(asked, row, column)} in {deliverable.path}",
            kind="fact",
            state=came_out,
            unit=asked.unit.name,
            key=row.key,
            column=column,
            deliverable=deliverable.path,
            place=sight.place if sight else None,
            expected=row.values[column].shown if column else ", ".join(map(shown, row.parts)),
            found=sight.found if sight else None,
            message=message if outcome is None else "" if came_out == "passed" else _why(asked, row, column, sight),
            weight=share,
        )
    yield from _structure(deliverable, stated, asked, outcome, state, message)


def _structure(
    deliverable: Deliverable, stated: Stated, asked: Asked, outcome: Outcome | None, state: CheckState, message: str
) -> Iterator[CheckResult]:
    looks = []
    if deliverable.exact_rows and asked.parts and (stated.form == "table" or not asked.columns):
        extras = [f"{extra.place}: {extra.text}" for extra in outcome.extras] if outcome else []
        looks.append(("no other rows", extras, "there are rows that were not asked for"))
    if deliverable.live_formulas and stated.form == "table":
        looks.append(("formulas", list(outcome.typed_in) if outcome else [], "computed cells hold no formula"))
    if stated.sheet is not None and stated.form == "table" and deliverable.path.endswith((".xlsx", ".xlsm")):
        places = sorted(outcome.elsewhere) if outcome else []
        looks.append((f"on the sheet {stated.sheet}", places, "it stands on another sheet than the one asked for"))
    if stated.cites:
        looks.append(("sources", list(outcome.uncited) if outcome else [], "these files are not named as sources"))
    for name, found, says in looks:
        failed = bool(found)
        yield CheckResult(
            name=f"{name}: {asked.unit.name} in {deliverable.path}",
            kind="structure",
            state=state if outcome is None else "failed" if failed else "passed",
            unit=asked.unit.name,
            deliverable=deliverable.path,
            found=listed(found) or None,
            message=message if outcome is None else says if failed else "",
        )


def _cell(asked: Asked, row: AskedRow, column: str | None) -> str:
    key = f"[{', '.join(row.key)}]" if row.key else ""
    return f"{asked.unit.name}{key}" + (f".{column}" if column else "")


def _why(asked: Asked, row: AskedRow, column: str | None, sight: Sight | None) -> str:
    who = ", ".join(map(shown, row.parts))
    what = asked.label(column) if column else asked.unit.content
    if sight is None:
        if asked.stated.form == "prose":
            return f"nothing says {what}" + (f" of {who}" if who else "")
        return f"no row for {who} under {what!r}" if column else f"no row for {who}"
    return f"{what}{f' of {who}' if who else ''}: {sight.message}"


def _judged(verdict: Verdict) -> Iterator[str]:
    """Who judged the rubric items, what came of them, and who tried to talk to the judge."""
    judge = verdict.judge
    if judge is None:
        return
    given = [item.score for item in verdict.scores.rubric]
    asked = sum(check.kind == "rubric" for check in verdict.checks)
    mean = f", mean {sum(given) / len(given):.2f}" if given else ""
    by = f"licence {judge.licence}" if judge.licence else "NO LICENCE"
    yield f"  rubric: {len(given)} of {asked} items scored{mean}, by {judge.pin.model} ({by})"
    if len(given) < asked:
        yield f"  UNSCORED: {asked - len(given)} rubric items could not be judged, which is not a score of 0"
    for name, found in sorted(judge.tripwires.items()):
        yield f"  tripwire: {name} speaks to the judge (withheld from it): {plain(listed(found, 2))}"


def _alike(checks: Iterable[CheckResult]) -> list[list[CheckResult]]:
    """Checks in their order; those of one file that all fail for the file's sake stand together."""
    groups: dict[object, list[CheckResult]] = {}
    for number, check in enumerate(checks):
        whole = check.deliverable is not None and check.place is None and check.found is None
        groups.setdefault((check.state, check.deliverable, check.message) if whole else number, []).append(check)
    return list(groups.values())


def _told(checks: Sequence[CheckResult]) -> Iterator[str]:
    first = checks[0]
    if len(checks) > 1:
        yield f"  {first.state}: {len(checks)} checks of {first.deliverable}, {first.name} and so on"
        yield f"      {plain(first.message)}"
        return
    told = _values(first.expected, first.found)
    yield f"  {first.state}: {first.name}" + (f" at {first.place}" if first.place else "")
    yield from (f"      {plain(text)}" for text in (first.message, told) if text)


def _values(expected: str | None, found: str | None) -> str:
    return ", ".join([f"expected {expected}"] * bool(expected) + [f"found {found}"] * bool(found))


def failing(record: object, most: int = 3) -> str:
    """The first checks that a verdict's record says are wrong, in one line."""
    checks = record.get("checks", ()) if isinstance(record, dict) else ()
    wrong = [check for check in checks if check["state"] in ("failed", "unscored")]
    parts = [
        (check, ", ".join(filter(None, (check["message"], _values(check["expected"], check["found"])))))
        for check in wrong
    ]
    return listed([f"{check['name']}: {plain(told)}" for check, told in parts], most) or str(record)[:200]


def summary(verdict: Verdict) -> str:
    """A verdict on a page: the score of each unit, then what failed, with place, expected and found."""
    lines = [f"{verdict.task}: {verdict.state}, reward {verdict.reward:g} by {verdict.combiner}"]
    for unit in verdict.scores.units:
        beside = "" if unit.whole or not unit.right else "; other rows, sheet, formulas or sources are not as asked"
        told = f"{unit.right} of {unit.facts} facts right, credit {unit.credit:g}{beside}"
        lines.append(f"  {unit.deliverable}: {unit.unit}: {told}")
    lines += [f"  guard {name}: times {value:g}" for name, value in sorted(verdict.scores.guards.items()) if value < 1]
    lines += _judged(verdict)
    wrong = _alike(check for check in verdict.checks if check.state in ("failed", "unscored"))
    for checks in wrong[:40]:
        lines += _told(checks)
    if len(wrong) > 40:
        lines.append(f"  and {sum(map(len, wrong[40:]))} more")
    waiting = sum(check.state == "not requested" for check in verdict.checks)
    if waiting:
        lines.append(f"  not requested: {waiting} rubric items (no judge is configured)")
    return "\n".join(lines) + "\n"
