"""The evidence: a check for each fact with what was expected, where, and what was found; and a verdict as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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


def summary(verdict: Verdict) -> str:
    """A verdict on a page: the score of each unit, then what failed, with place, expected and found."""
    lines = [f"{verdict.task}: {verdict.state}, reward {verdict.reward:g} by {verdict.combiner}"]
    for unit in verdict.scores.units:
        told = f"{unit.right} of {unit.facts} facts right" + ("" if unit.whole else ", not as asked beyond its facts")
        lines.append(f"  {unit.deliverable}: {unit.unit}: {told}, credit {unit.credit:g}")
    lines += [f"  guard {name}: times {value:g}" for name, value in sorted(verdict.scores.guards.items()) if value < 1]
    lines += _judged(verdict)
    wrong = [check for check in verdict.checks if check.state in ("failed", "unscored")]
    for check in wrong[:40]:
        parts = [f"expected {check.expected}" if check.expected else "", f"found {check.found}" if check.found else ""]
        told = ", ".join(part for part in parts if part)
        lines.append(f"  {check.state}: {check.name}" + (f" at {check.place}" if check.place else ""))
        lines += [f"      {plain(text)}" for text in (check.message, told) if text]
    if len(wrong) > 40:
        lines.append(f"  and {len(wrong) - 40} more")
    waiting = sum(check.state == "not requested" for check in verdict.checks)
    if waiting:
        lines.append(f"  not requested: {waiting} rubric items (no judge is configured)")
    return "\n".join(lines) + "\n"
