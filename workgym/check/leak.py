"""Leaks and shortcuts: nothing that the solver has to work out stands in a visible file.

A leak is a statement, not a number: a derived cell's value where no provided cell accounts for it,
under its label where it is short, or a membership or verdict told in words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal

from workgym.check.reading import Token, Visible
from workgym.documents import Fragment
from workgym.graph import InfoUnit, Relation, Values, evaluating, needed, provided
from workgym.graph.checks import moves
from workgym.records import Anchor, Cell, Finding
from workgym.records.surface import shows, significant

_LONG = 4
"""Significant digits from which a match is no chance (0.9 % among 300 numbers; 3.4 % at three)."""
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
    tokens = [token for token in view.tokens if token.number is not None and not _accounted(token)]
    for unit in hidden.graph.relations("derived"):
        relation = hidden.values[unit.name]
        yield from _numbers(unit, relation, tokens, passed)
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


def _numbers(unit: InfoUnit, relation: Relation, tokens: list[Token], passed: set[Decimal]) -> Iterator[Finding]:
    for key, row in relation.by_key.items():
        for column, value in zip(unit.columns, row, strict=True):
            if not column.type.numeric or column.name in unit.key or Decimal(str(value)) in passed or not value:
                continue
            exact = Decimal(str(value))
            for token in tokens:
                number = token.number
                if number is None or not shows(number, exact):
                    continue
                long = significant(number) >= _LONG and not _YEAR.fullmatch(token.text)
                if long or _labelled(token.fragment.text, unit, column.title, key):
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
                        message=f"{unit.name} {', '.join(key)}: {column.title} is printed for the solver to copy",
                    )


def _labelled(text: str, unit: InfoUnit, title: str, key: tuple[str, ...]) -> bool:
    folded = text.casefold()
    words = _words(title) or {title.casefold()}
    return all(part.casefold() in folded for part in key) and any(word in folded for word in words)


def _words(label: str) -> set[str]:
    return set(re.findall(r"[^\W\d_]{4,}", label.casefold())) - _COMMON


def _verdict(view: Visible, unit: InfoUnit, relation: Relation) -> Iterator[Finding]:
    for column, value in zip(unit.columns, relation.rows[0], strict=True):
        if column.type.kind not in ("text", "choice"):
            continue
        stated = str(value).casefold()
        words = distinctive(view, f"{column.title} {unit.name.replace('_', ' ')}")
        for path, fragment in _prose(view):
            folded = fragment.text.casefold()
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
    hidden = view.package.hidden
    found = set()
    for other in hidden.graph.relations("provided", "external"):
        if unit.key and unit.key[0] in other.key:
            position = other.key.index(unit.key[0])
            found |= {key[position].casefold() for key in hidden.values[other.name].by_key}
    return found


def shortcut(view: Visible) -> Iterator[Finding]:
    """Without any one carrier that is called needed, the work cannot be done; else it is not needed."""
    hidden = view.package.hidden
    graph = hidden.graph
    wanted = needed(graph)
    only = only_in(hidden.anchors, wanted)
    given = provided(graph, hidden.values)
    needed_files = [c for c in graph.carriers if c.kind == "reference" and c.role == "needed"]
    worlds = [withheld(given, only.get(carrier.path, ())) for carrier in needed_files]
    with evaluating(graph) as evaluator:
        moved = moves(hidden.values, evaluator, worlds)
    for carrier, missed in zip(needed_files, moved, strict=True):
        if not missed:
            yield Finding(
                check="shortcut",
                severity="soft",
                defect="leakage or shortcut",
                path=carrier.path,
                message="everything can be worked out without this file, though it is not called a distractor",
            )


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
