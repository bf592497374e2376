"""What was done to a given file beside what was asked for, as records that all formats share."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from workgym.documents import Fragment

_PLAIN_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?")
_FLOAT = Decimal("1e-12")


class Damage(NamedTuple):
    """One place outside the declared areas that is not as it was given."""

    place: str
    """Where, in the file as it was handed in; as it was given where it is gone."""
    expected: str | None
    """What stood there; None where nothing did."""
    found: str | None
    """What stands there; None where it is gone."""
    message: str
    """What is wrong, as a part of a sentence."""
    beside: bool = False
    """Whether it is no content of its own but stands beside it: a comment, a chart, a picture, a name."""


class Compared(NamedTuple):
    """A file that was given, and what was handed in of it."""

    damage: tuple[Damage, ...]
    """What differs outside the declared areas, in reading order."""
    given: frozenset[str]
    """Places of the file as it was handed in that lie outside the areas: nothing that stands there is the solver's."""


def differs(given: Fragment | None, now: Fragment | None, *, loose: bool = False) -> bool:
    """Whether two pieces without formulas say different things: another value, or another text where it has none.

    How a number is displayed does not matter. ``loose``, for formats without types, takes ``10.50`` for ``10.5``.
    """
    if given is None or now is None:
        return bool((given or now) is not None and said(given or now))
    if isinstance(given.value, bool) or isinstance(now.value, bool):
        return given.value is not now.value
    if given.value is None and now.value is None:
        return said(given) != said(now) and not (loose and _same_number(said(given), said(now)))
    if given.value is None or now.value is None:
        return True
    return given.value != now.value and not _close(str(given.value), str(now.value))


def said(fragment: Fragment | None) -> str:
    """What a piece says, blanks collapsed."""
    return "" if fragment is None else " ".join(fragment.text.split())


def shown(fragment: Fragment | None) -> str | None:
    """A piece for people: its formula, or what it says; None for nothing."""
    if fragment is None:
        return None
    return f"={fragment.formula}" if fragment.formula is not None else said(fragment)[:200]


def _same_number(one: str, other: str) -> bool:
    both = _PLAIN_NUMBER.fullmatch(one) and _PLAIN_NUMBER.fullmatch(other)
    return bool(both) and Decimal(one) == Decimal(other)


def _close(one: str, other: str) -> bool:
    try:
        first, second = Decimal(one), Decimal(other)
    except InvalidOperation:
        return False
    return first.is_finite() and second.is_finite() and abs(first - second) <= _FLOAT * max(abs(first), abs(second))
