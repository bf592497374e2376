"""Leaks and shortcuts: nothing that the solver has to work out stands in a visible file.

A leak is a statement, not a number: a derived cell's value where no provided cell accounts for it,
under its label where it is short, or a membership or verdict told in words.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from workgym.check.reading import Token, Visible
from workgym.documents import Fragment
from workgym.graph import InfoUnit, Relation, Values, evaluating, needed, provided
from workgym.graph.inquiry import Inquiry, inquire, moving
from workgym.package import TaskPackage
from workgym.package.pages import unreachable
from workgym.records import Anchor, Cell, Finding
from workgym.records.surface import SCALES, significant, spans

_LONG = 4
"""Significant digits from which a match is no chance (0.9 % among 300 numbers; 3.4 % at three)."""
_THOUSAND = 1000
"""The scale from which a number of one digit shows nothing: 1 is not 1,305 in thousands."""
_YEAR = re.compile(r"(?:19|20)\d\d")
"""Four bare digits that letters are dated with: among the pays of a period one of them is near by chance."""
_COMMON = frozenset(
    "the of and or for in to by per a an net total amount number year month day cost price unit".split()
)


def leak(view: Visible) -> Iterator[Finding]:
    """No derived unit is printed by a template, no derived number stands there, no verdict or membership is stated."""
    hidden = view.package.hidden
    yield from _printed(view)
    passed = _provided_numbers(view)
    printed = Printed(token for token in view.tokens if not _accounted(token))
    for unit in hidden.graph.relations("derived"):
        relation = hidden.values[unit.name]
        yield from _numbers(unit, relation, printed, passed)
        if not unit.key:
            yield from _verdict(view, unit, relation)
        else:
            yield from _membership(view, unit, relation)


def _printed(view: Visible) -> Iterator[Finding]:
    """A template that prints a derived unit gives it away, whatever else stands there."""
    graph = view.package.hidden.graph
    for anchor in view.package.hidden.anchors:
        if anchor.cell is not None and graph.unit(anchor.cell.unit).status == "derived":
            yield Finding(
                check="leak",
                severity="hard",
                defect="leakage or shortcut",
                unit=anchor.cell.unit,
                key=anchor.cell.key,
                column=anchor.cell.column,
                path=anchor.place.path,
                at=anchor.place.at,
                found=anchor.printed,
                message=f"{anchor.cell} is to be worked out, and the template prints it",
            )


def _accounted(token: Token) -> bool:
    return any(anchor.kind == "value" for anchor in token.anchors)


def _provided_numbers(view: Visible) -> set[Decimal]:
    hidden = view.package.hidden
    return {
        Decimal(str(value))
        for unit in hidden.graph.relations("provided", "external")
        for row in hidden.values[unit.name].rows
        for column, value in zip(unit.columns, row, strict=True)
        if column.type.numeric and value is not None
    }


def _numbers(unit: InfoUnit, relation: Relation, printed: Printed, passed: set[Decimal]) -> Iterator[Finding]:
    named = {column.name: _words(column.title) or {column.title.casefold()} for column in unit.columns}
    for key, row in relation.by_key.items():
        for column, value in zip(unit.columns, row, strict=True):
            if not column.type.numeric or column.name in unit.key or Decimal(str(value)) in passed or not value:
                continue
            for token, long in printed.of(Decimal(str(value))):
                if long or _labelled(token.fragment.text, named[column.name], key):
                    yield Finding(
                        check="leak",
                        severity="hard",
                        defect="leakage or shortcut",
                        unit=unit.name,
                        key=key,
                        column=column.name,
                        path=token.path,
                        at=token.fragment.at,
                        found=token.text,
                        message=f"{unit.name} {', '.join(key)}: {column.title}, which is {column.type.show(value)}, "
                        f"is printed for the solver to copy: {token.text!r} in {token.fragment.text[:120]!r}",
                    )


class Printed:
    """Tokens by what they may show: of the hundreds of a task a value is shown by few."""

    def __init__(self, tokens: Iterable[Token]) -> None:
        self._tokens = [(token, _long(token)) for token in tokens]
        self._ranges = []
        for scale in SCALES:  # a 0 or a 1 in millions may show much, and would hide that in ones it does not
            ranges = sorted(
                (*span, at)
                for at, (token, _) in enumerate(self._tokens)
                if token.number is not None and (scale < _THOUSAND or significant(token.number) > 1)
                for span in spans(token.number, scale)
            )
            lows, highs, places = zip(*ranges, strict=True) if ranges else ((), (), ())
            self._ranges.append((lows, highs, tuple(itertools.accumulate(highs, max)), places))

    def of(self, value: Decimal) -> list[tuple[Token, bool]]:
        """Those that may be a printed form of a value, in their order, and whether each has many digits."""
        found = set()
        for lows, highs, highest, places in self._ranges:
            last = bisect_right(lows, value)
            while last and highest[last - 1] >= value:
                last -= 1
                if highs[last] >= value:
                    found.add(places[last])
        return [self._tokens[at] for at in sorted(found)]


def _long(token: Token) -> bool:
    """Whether a number has so many digits that one like it stands there for no other reason."""
    return token.number is not None and significant(token.number) >= _LONG and not _YEAR.fullmatch(token.text)


def _labelled(text: str, words: set[str], key: tuple[str, ...]) -> bool:
    folded = text.casefold()
    return all(part.casefold() in folded for part in key) and any(word in folded for word in words)


def _words(label: str) -> set[str]:
    return set(re.findall(r"[^\W\d_]{4,}", label.casefold())) - _COMMON


def _verdict(view: Visible, unit: InfoUnit, relation: Relation) -> Iterator[Finding]:
    for column, value in zip(unit.columns, relation.rows[0], strict=True):
        if column.type.kind not in ("text", "choice"):
            continue
        stated = str(value).casefold()
        words = distinctive(view, f"{column.title} {unit.name.replace('_', ' ')}")
        options = [option.casefold() for option in column.type.options]
        for path, fragment in _prose(view):
            folded = fragment.text.casefold()
            if options and all(option in folded for option in options):
                continue  # it says what may be chosen, not what is
            if stated in folded and any(_stem(word) in folded.replace(stated, "") for word in words):
                yield Finding(
                    check="leak",
                    severity="hard",
                    defect="leakage or shortcut",
                    unit=unit.name,
                    column=column.name,
                    path=path,
                    at=fragment.at,
                    found=fragment.text[:120],
                    message=f"the text states {unit.name}",
                )


def distinctive(view: Visible, label: str) -> set[str]:
    """The words of a label that no provided unit goes by: ``recommended`` of *recommended supplier*."""
    ordinary = {
        word
        for unit in view.package.hidden.graph.units
        if unit.status != "derived"
        for word in _words(f"{unit.entity} {unit.name.replace('_', ' ')} {' '.join(c.title for c in unit.columns)}")
    }
    return _words(label) - ordinary


def _stem(word: str) -> str:
    return word[: max(5, len(word) - 3)]


def _prose(view: Visible) -> Iterator[tuple[str, Fragment]]:
    for path, document in view.documents.items():
        for fragment in document.fragments:
            yield path, fragment


def _membership(view: Visible, unit: InfoUnit, relation: Relation) -> Iterator[Finding]:
    """A table that lists just the rows that the solver has to select, under their name."""
    keys = {key[0].casefold() for key in relation.by_key}
    words = _words(unit.name.replace("_", " "))
    if (
        len(keys) < 2
        or not words
        or any(column.type.numeric and column.name not in unit.key for column in unit.columns)
    ):
        return
    if any(keys == given for given in _given(view, unit)):
        return  # it has a row for each of a given table: nothing is selected
    for path, document in view.documents.items():
        tables: dict[str, set[str]] = {}
        for fragment in document.fragments:
            if fragment.table is not None:
                tables.setdefault(fragment.table, set()).add(fragment.text.strip().casefold())
        for name, texts in tables.items():
            others = _keys_of(view, unit) - keys
            if keys <= texts and not others & texts and any(word in f"{name} {path}".casefold() for word in words):
                yield Finding(
                    check="leak",
                    severity="hard",
                    defect="leakage or shortcut",
                    unit=unit.name,
                    path=path,
                    at=name,
                    message=f"a table lists just the rows of {unit.name}",
                )


def _keys_of(view: Visible, unit: InfoUnit) -> set[str]:
    return set().union(*_given(view, unit))


def _given(view: Visible, unit: InfoUnit) -> Iterator[set[str]]:
    """The keys of each given unit that is keyed by the same thing."""
    hidden = view.package.hidden
    for other in hidden.graph.relations("provided", "external"):
        if unit.key and unit.key[0] in other.key:
            position = other.key.index(unit.key[0])
            yield {key[position].casefold() for key in hidden.values[other.name].by_key}


def shortcut(view: Visible) -> Iterator[Finding]:
    """Without any one carrier that is called needed, the work cannot be done; else it is not needed."""
    hidden = view.package.hidden
    with evaluating(hidden.graph) as evaluator:
        (found,) = inquire(evaluator, hidden.values, [unneeded(view.package)])
    yield from found


def unneeded(package: TaskPackage) -> Inquiry:
    """What :func:`shortcut` asks, for who asks more."""
    hidden = package.hidden
    graph = hidden.graph
    gone = unreachable(package.pages)
    only = only_in((a for a in hidden.anchors if a.place.path not in gone), needed(graph))
    given = provided(graph, hidden.values)
    needed_files = [c for c in graph.carriers if c.kind in ("reference", "external") and c.role == "needed"]

    def told(moved: Sequence[bool]) -> Iterator[Finding]:
        for carrier, missed in zip(needed_files, moved, strict=True):
            if not missed:
                yield Finding(
                    check="shortcut",
                    severity="soft",
                    defect="leakage or shortcut",
                    path=carrier.path,
                    message="everything can be worked out without this file, though it is not called a distractor",
                )

    return moving(hidden.values, [withheld(given, only.get(carrier.path, ())) for carrier in needed_files], told)


def only_in(anchors: Iterable[Anchor], wanted: frozenset[str]) -> dict[str, list[Cell]]:
    """Cells of some units that stand in one carrier alone, by the path of that carrier."""
    places: dict[Cell, set[str]] = {}
    for anchor in anchors:
        if anchor.cell is not None and anchor.cell.unit in wanted:
            places.setdefault(anchor.cell, set()).add(anchor.place.file)
    only: dict[str, list[Cell]] = {}
    for cell, paths in places.items():
        if len(paths) == 1:
            only.setdefault(next(iter(paths)), []).append(cell)
    return only


def withheld(given: Values, cells: Iterable[Cell]) -> dict[str, Relation]:
    """Rows without some cells: a key takes its row along."""
    rows = dict(given)
    for cell in cells:
        relation = rows[cell.unit]
        if cell.key not in relation.by_key:
            continue
        if cell.column in relation.unit.key:
            rows[cell.unit] = relation.without(cell.key)
        else:
            rows[cell.unit] = relation.with_value(cell.key, cell.column, None)
    return rows
