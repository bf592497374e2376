"""The failures of a verdict, together where they are alike: ``7 of 12 rows of npv under 'NPV'``, with examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from workgym.package import TaskPackage
from workgym.verify.model import CheckResult, Verdict
from workgym.verify.telling.columns import cut, plain

_LONG, _WHO, _EXAMPLES = 30, 44, 3


@dataclass(frozen=True)
class Group:
    """Checks that failed alike."""

    says: str
    """What failed, in one line."""
    examples: tuple[str, ...]
    """The first of them: place, expected, found."""
    lost: float
    """Share of the reward that they cost, before guards."""
    count: int
    """How many there are."""


def groups(package: TaskPackage, verdict: Verdict) -> tuple[Group, ...]:
    """What failed or is unscored, what costs most first. Guards and rubric items are told elsewhere."""
    unread = {check.deliverable for check in verdict.checks if check.kind == "file" and check.state != "passed"}
    found: list[Group] = []
    by_place: dict[tuple[str | None, str | None, str | None], list[CheckResult]] = {}
    for check in verdict.checks:
        if check.kind == "file" and check.state != "passed":
            found.append(_file(check, verdict))
        elif check.kind in ("fact", "structure") and check.deliverable not in unread:
            alone = check.kind == "structure" and not check.weight  # what has a weight is a part with its violations
            name = check.name if alone else check.column
            by_place.setdefault((check.deliverable, check.unit, name), []).append(check)
    labels, lost = _labels(package), _lost(verdict)
    wrong_facts = Counter((check.deliverable, check.unit) for check in verdict.checks if _is_wrong(check, "fact"))
    for (deliverable, unit, _), alike in by_place.items():
        wrong = [check for check in alike if check.state in ("failed", "unscored")]
        of_unit, cost = wrong_facts[deliverable, unit], lost.get((deliverable, unit), 0.0)
        if wrong and wrong[0].kind == "structure":
            found.append(_structure(wrong, 0.0 if of_unit else cost))
        elif wrong:
            found.append(_facts(wrong, len(alike), labels, cost * len(wrong) / of_unit))
    return tuple(sorted(found, key=lambda group: -group.lost))


def _is_wrong(check: CheckResult, kind: str) -> bool:
    return check.kind == kind and check.state in ("failed", "unscored")


def _lost(verdict: Verdict) -> dict[tuple[str | None, str | None], float]:
    """Share of the reward that each unit of each deliverable lacks."""
    total = sum(unit.weight for unit in verdict.scores.units) or 1.0
    return {(one.deliverable, one.unit): one.weight * (1 - one.credit) / total for one in verdict.scores.units}


def _file(check: CheckResult, verdict: Verdict) -> Group:
    """A deliverable that is not there or cannot be read, with all that it had to state."""
    lost = sum(share for (path, _), share in _lost(verdict).items() if path == check.deliverable)
    facts = sum(one.kind == "fact" and one.deliverable == check.deliverable for one in verdict.checks)
    state = "" if check.state == "failed" else f" ({check.state.upper()})"
    return Group(f"{check.message}{state}: nothing of its {facts} facts can be seen", (), lost, 1 + facts)


def _structure(wrong: Sequence[CheckResult], lost: float) -> Group:
    first = wrong[0]
    says = first.message if len(wrong) == 1 else f"{first.message.rstrip('.')} ({len(wrong)} times)"
    return Group(
        f"{first.name}: {says}", tuple(_seen(check) for check in wrong if check.found)[:_EXAMPLES], lost, len(wrong)
    )


def _seen(check: CheckResult) -> str:
    place = f"at {cut(check.place, _LONG)}: " if check.place else ""
    return f"e.g. {place}{plain(check.found or '')}"


def _facts(
    wrong: Sequence[CheckResult], of: int, labels: Mapping[tuple[str | None, str | None], str], lost: float
) -> Group:
    first = wrong[0]
    missing = sum(check.found is None for check in wrong)
    label = labels.get((first.unit, first.column)) or first.column or "the row itself"
    where = f"{first.unit}, {label!r}, in {first.deliverable}"
    unscored = sum(check.state == "unscored" for check in wrong)
    parts = ((len(wrong) - missing, "wrong"), (missing, "not found"), (unscored, "UNSCORED"))
    how = ", ".join(f"{count} {word}" for count, word in parts if count)
    says = f"{where}: {how}" if of == 1 else f"{len(wrong)} of {of} rows of {where}: {how}"
    ordered = sorted(wrong, key=lambda check: check.found is None)
    return Group(says, tuple(_example(check, label) for check in ordered[:_EXAMPLES]), lost, len(wrong))


def _example(check: CheckResult, label: str) -> str:
    place = f"at {cut(check.place, _LONG)}: " if check.place else ""
    who = f"{cut(', '.join(check.key), _WHO)}: " if check.key else ""
    told = f"{who}{place}expected {cut(check.expected or 'none', _LONG)}, found {cut(check.found or 'nothing', _LONG)}"
    reason = check.message.partition(": ")[2] if check.message.startswith(label) else ""
    return told if reason in ("", "another value") else f"{told} ({reason})"


def _labels(package: TaskPackage) -> dict[tuple[str | None, str | None], str]:
    """What each column of each unit is called in the deliverables."""
    return {(unit, column): label for unit, column, label in _named(package)}


def _named(package: TaskPackage) -> Iterator[tuple[str, str, str]]:
    for deliverable in package.hidden.graph.deliverables:
        for stated in deliverable.states:
            for column, label in stated.labels.items():
                yield stated.unit, column, label
