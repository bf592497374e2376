"""Where two computations disagree: both of them, and who has to look.

Three parties may speak of one value: the graph's query, a first script and a second one, written in another context.
Whoever stands alone against two has to look. Where nobody stands alone the question is open, and it is the builder's:
a task on which two careful readers come apart is not ready.
"""

from __future__ import annotations

from typing import Literal

from workgym.graph import SupportGraph
from workgym.records import DefectClass, Finding
from workgym.records.surface import parse_number
from workgym.verify import CheckResult

Owner = Literal["builder", "verifier"]
RULES = {
    "against the graph": "two independent scripts agree with each other and not with the graph",
    "with the graph": "another independent computation agrees with the graph",
    "apart": "the computations all differ, and the builder looks first",
    "alone": "one computation stands against the graph, and the builder looks first",
    "never ran": "no script came to an end, and whoever writes them looks first",
    "left out": "the graph's value was asked for and is not stated",
    "beyond": "a value is stated that grading does not look for, and the builder looks first",
}
"""How an owner is found, by the name of the rule."""


class Disagreement(Finding):
    """One difference between the graph and an independent computation."""

    owner: Owner
    """Who has to look first: ``builder`` of the task, or ``verifier``, the author of the independent script."""
    rule: str
    """Why it is theirs: one of ``RULES``."""
    query: str | None = None
    """The graph's computation: the SQL behind ``expected``; None where nothing is computed."""
    how: str | None = None
    """The independent computation behind ``found``, in one line; None where its script is the only account of it."""
    second: str | None = None
    """What a second independent script says, or None where there was none or it does not say."""
    halted: bool = False
    """Whether the script came to no result at all, so that nothing was compared."""


def differs(
    check: CheckResult, graph: SupportGraph, second: CheckResult | None, *, settled: bool, asked_twice: bool
) -> Disagreement:
    """The finding of one check of the graph that a script's deliverable fails.

    ``second`` is the same check of a second script's deliverable, None where it has none; ``settled`` says that a
    script agrees with the graph as a whole, ``asked_twice`` that a second one came to an end.
    """
    owner, rule = _owner(check, second, asked_twice)
    unit = graph.by_name.get(check.unit) if check.unit else None
    defect: DefectClass = "broken derivation" if check.kind == "fact" else "request under-specification"
    return Disagreement(
        check="independent",
        severity="soft" if settled else "hard",
        defect=defect,
        message=f"{check.name}: {_told(check)}",
        unit=check.unit,
        key=check.key,
        column=check.column,
        path=check.deliverable,
        at=check.place,
        expected=check.expected,
        found=check.found,
        owner=owner,
        rule=RULES[rule],
        query=None if unit is None else unit.query,
        second=None if second is None else second.found,
    )


def _told(check: CheckResult) -> str:
    if check.expected is not None:
        return f"the graph says {check.expected}, the script {check.found or 'nothing'}"
    return check.message


def _owner(check: CheckResult, second: CheckResult | None, asked_twice: bool) -> tuple[Owner, str]:
    if not asked_twice:
        return "builder", "alone"
    if second is None or second.state == "passed":
        return "verifier", "with the graph"
    if same(check.found, second.found):
        return "builder", "against the graph"
    return "builder", "apart"


def same(one: str | None, other: str | None) -> bool:
    """Whether two texts state the same: the same number, or the same words; two that say nothing do."""
    if one is None or other is None:
        return one is other
    number, another = parse_number(one), parse_number(other)
    if number is not None and another is not None:
        return number == another
    return " ".join(one.split()).casefold() == " ".join(other.split()).casefold()


def stopped(message: str, owner: Owner, rule: str, *, defect: DefectClass, settled: bool = False) -> Disagreement:
    """The finding of a script that came to no result."""
    return Disagreement(
        check="independent",
        severity="soft" if settled else "hard",
        defect=defect,
        message=message,
        owner=owner,
        rule=RULES[rule],
        halted=True,
    )
