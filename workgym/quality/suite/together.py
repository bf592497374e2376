"""What holds for the tasks of a corpus together: no two are one, and none gives another one away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from workgym.package import TaskCard
from workgym.quality.suite.report import QaCheck, Severity
from workgym.records import digest


def together(cards: Sequence[TaskCard]) -> tuple[QaCheck, ...]:
    """The checks of a corpus. Empty for less than two tasks."""
    return tuple(_checked(cards, *one) for one in _CHECKS) if len(cards) > 1 else ()


def _ids(cards: Sequence[TaskCard]) -> Iterator[str]:
    yield from _twice({card.id: card.id for card in cards}, [card.id for card in cards], "the id")


def _canaries(cards: Sequence[TaskCard]) -> Iterator[str]:
    yield from _twice({card.canary: card.id for card in cards}, [card.canary for card in cards], "the canary of")


def _contents(cards: Sequence[TaskCard]) -> Iterator[str]:
    seen = [digest(dict(card.digests)) for card in cards]
    yield from _twice(dict(zip(seen, (card.id for card in cards), strict=True)), seen, "all that the solver sees of")


def _twice(names: Mapping[str, str], seen: Sequence[str], what: str) -> Iterator[str]:
    for one, count in Counter(seen).items():
        if count > 1:
            yield f"{what} {names[one]} is that of {count} tasks"


_CHECKS: tuple[tuple[str, Severity, str, Callable[[Sequence[TaskCard]], Iterator[str]]], ...] = (
    ("corpus.ids", "error", "every task has an id of its own", _ids),
    ("corpus.canaries", "error", "every task has a canary of its own", _canaries),
    ("corpus.contents", "error", "no two tasks show the solver the same", _contents),
)


def _checked(
    cards: Sequence[TaskCard],
    name: str,
    severity: Severity,
    says: str,
    find: Callable[[Sequence[TaskCard]], Iterator[str]],
) -> QaCheck:
    wrong = tuple(find(cards))
    return QaCheck(
        name=name,
        severity=severity,
        state="failed" if wrong else "passed",
        says=says,
        evidence=wrong,
        numbers={"tasks": len(cards)},
    )
