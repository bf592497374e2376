"""Nothing derived is stated: what a repair newly writes is compared with what the solver has to work out.

The check of leaks (``workgym.check.leak``) looks at whole tasks, in which numbers meet by chance, and asks for four
digits or a label. Here only the few texts are looked at that were not there before, and three digits do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import NamedTuple

from workgym.documents import Fragment, read
from workgym.errors import Unreadable
from workgym.graph import SupportGraph
from workgym.package import TaskPackage
from workgym.records import Anchor, ColumnType, Value
from workgym.records.surface import DateToken, Number, dates, numbers, shows, significant

_LONG = 3
"""Significant digits from which a number is no chance in a text of a few lines; a shorter one needs its label."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_SHORTEST = 3
"""Characters of a derived text or choice that is looked for."""


class Derived(NamedTuple):
    """A derived cell, as it may be given away."""

    name: str
    """The cell, for messages."""
    key: tuple[str, ...]
    """Its row's key, in small letters."""
    titles: tuple[str, ...]
    """The words of its column's title and of its unit's name."""
    value: Value
    """Its value."""
    type: ColumnType
    """Its type."""
    premises: frozenset[str]
    """The units that it rests on, however far behind."""


class Told(NamedTuple):
    """A text that was not there before."""

    path: str
    fragment: Fragment
    anchors: tuple[Anchor, ...]
    """The provided values that it prints."""
    numbers: tuple[Number, ...]
    """Its numbers but those that the file had before."""
    dates: tuple[DateToken, ...]
    """Its dates but those that the file had before."""
    known: str
    """All that the file said before, in small letters."""


class Given(NamedTuple):
    """What is provided, and what of it a revision brought."""

    passed: Mapping[str, frozenset[Value]]
    """The values of each provided unit."""
    brought: frozenset[str]
    """Units that have a cell which was not there before, or had another value."""

    def excuses(self, unit: str, one: Derived) -> bool:
        """Whether a value that a unit holds may be a derived one all the same: it was there, or is a premise of it.

        A query may pass a premise through unchanged; a fact that is brought and happens to equal a result tells it.
        """
        return unit not in self.brought or unit in one.premises


def stated(before: TaskPackage, after: TaskPackage) -> Iterator[str]:
    """What a revision newly states that is to be worked out, each as one line."""
    derived = tuple(_derived(after))
    given = _given(before, after)
    for told in _new(before, after):
        for one in derived:
            passed = any(one.value in values and given.excuses(unit, one) for unit, values in given.passed.items())
            if not passed and _states(told, one, given):
                yield f"{told.path} {told.fragment.at}: it states {one.name}, which is to be worked out"


def _states(told: Told, one: Derived, given: Given) -> bool:
    covering = [anchor for anchor in told.anchors if anchor.cell and given.excuses(anchor.cell.unit, one)]
    folded = told.fragment.text.casefold()
    if isinstance(one.value, int | Decimal):
        return any(
            shows(number, one.value, scales=(Decimal(1), Decimal(100), Decimal("0.01")))
            and (_no_chance(number) or any(label in folded for label in (*one.key, *one.titles)))
            and not _covered(told, covering, number.start, number.end)
            for number in told.numbers
        )
    if isinstance(one.value, str):
        said = one.value.casefold()
        places = [match.span() for match in re.finditer(rf"(?<!\w){re.escape(said)}(?!\w)", folded)]
        told_here = any(not _covered(told, covering, *span) for span in places)
        return len(said) >= _SHORTEST and told_here and said not in told.known and _means(one, folded, said)
    return any(
        one.value in token.values and not _covered(told, covering, token.start, token.end) for token in told.dates
    )


def _means(one: Derived, text: str, said: str) -> bool:
    """Whether a text that has the words of a derived cell speaks of that cell: options that are listed are none."""
    around = text.replace(said, "")
    if one.key:
        return all(part in around for part in one.key)
    if one.type.kind == "text":
        return True
    others = [option.casefold() for option in one.type.options if option != one.value]
    return any(title in around for title in one.titles) and not any(option in around for option in others)


def _no_chance(number: Number) -> bool:
    return significant(number) >= _LONG and not _YEAR.fullmatch(number.text)


def _covered(told: Told, anchors: list[Anchor], start: int, end: int) -> bool:
    spans = [anchor.place.span or (0, len(told.fragment.text)) for anchor in anchors]
    return any(first <= start and end <= last for first, last in spans)


def _new(before: TaskPackage, after: TaskPackage) -> Iterator[Told]:
    old = {"request.md": before.request.encode(), **before.files}
    anchors: dict[tuple[str, str], list[Anchor]] = {}
    for anchor in after.hidden.anchors:
        if anchor.kind == "value":
            anchors.setdefault((anchor.place.path, anchor.place.base), []).append(anchor)
    for path, content in {"request.md": after.request.encode(), **after.files}.items():
        if old.get(path) == content:
            continue
        old_texts = {fragment.text for _, fragment in _texts(path, old.get(path, b""))}
        known = "\n".join(old_texts)
        had = {token.text for token in numbers(known)} | {known[t.start : t.end] for t in dates(known)}
        for (inner, at), fragment in _texts(path, content):
            text = fragment.text
            if text not in old_texts:
                new_numbers = tuple(number for number in numbers(text) if number.text not in had)
                new_dates = tuple(token for token in dates(text) if text[token.start : token.end] not in had)
                printed = tuple(anchors.get((inner, at), ()))
                yield Told(inner, fragment, printed, new_numbers, new_dates, known.casefold())


def _texts(path: str, content: bytes) -> Iterator[tuple[tuple[str, str], Fragment]]:
    try:
        whole = read(path, content)
    except Unreadable:
        return
    for document in whole.whole():
        for fragment in document.fragments:
            yield (document.path, fragment.at), fragment


def _derived(package: TaskPackage) -> Iterator[Derived]:
    for unit in package.hidden.graph.relations("derived"):
        relation, premises = package.hidden.values[unit.name], _premises(package.hidden.graph, unit.name)
        for key, row in relation.by_key.items():
            for column, value in zip(unit.columns, row, strict=True):
                if column.name not in unit.key and value:
                    title = re.findall(r"[^\W\d_]{4,}", f"{column.title} {unit.name}".replace("_", " ").casefold())
                    parts = tuple(part.casefold() for part in key)
                    cell = f"{unit.name}[{', '.join(key)}].{column.name}" if key else f"{unit.name}.{column.name}"
                    yield Derived(cell, parts, tuple(title), value, column.type, premises)


def _premises(graph: SupportGraph, unit: str) -> frozenset[str]:
    found: set[str] = set()
    waiting = [unit]
    while waiting:
        name = waiting.pop()
        new = {edge.premise for edge in graph.supports if edge.unit == name} - found
        found |= new
        waiting += new
    return frozenset(found)


def _given(before: TaskPackage, after: TaskPackage) -> Given:
    passed: dict[str, frozenset[Value]] = {}
    brought: set[str] = set()
    for unit in after.hidden.graph.relations("provided", "external"):
        relation, old = after.hidden.values[unit.name], before.hidden.values.get(unit.name)
        if old is None or any(old.by_key.get(key) != row for key, row in relation.by_key.items()):
            brought.add(unit.name)
        passed[unit.name] = frozenset(
            value
            for row in relation.rows
            for column, value in zip(unit.columns, row, strict=True)
            if column.type.kind not in ("text", "choice")
        )
    return Given(passed, frozenset(brought))
