"""Premises as a solver may get them wrong: the superseded file, the losing side of a conflict, another option.

Each :class:`Premise` names the rows that stand in place of the right ones; what then comes out is computed from the
graph, so that a stale figure is the one that a solver who fell for it would state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from workgym.errors import GraphError
from workgym.graph import Column, InfoUnit, Key, Relation, Values, columns_read, evaluating, needed, provided
from workgym.graph.traps import trapped
from workgym.package import TaskPackage
from workgym.records import Value

PremiseKind = Literal[
    "superseded", "conflict", "trap", "convention", "left out", "neighbour's", "dropped row", "unit slip"
]
_NEIGHBOURS = 8
"""Rows of a unit up to which each is given the values of the others: rates of a few people, not vouchers of a month."""


@dataclass(frozen=True)
class Premise:
    """Wrong premises."""

    kind: PremiseKind
    """What kind of mistake it is."""
    says: str
    """The mistake as the end of a sentence: ``used the draft forecast``."""
    given: Mapping[str, Relation]
    """The rows that stand in place of the right ones, by unit."""
    row: Key = ()
    """The key of the only row that differs; empty where it is not one row."""


def stale(package: TaskPackage) -> Iterator[Premise]:
    """Rows of superseded units, and of the side that loses a documented conflict, in place of those that hold."""
    graph, values = package.hidden.graph, package.hidden.values
    pairs: dict[tuple[str, str], PremiseKind] = {}
    for unit in graph.units:
        if unit.superseded_by is not None:
            pairs[unit.superseded_by, unit.name] = "superseded"
    for conflict in graph.conflicts:
        pairs.setdefault(conflict.between, "conflict")
    for (winner, loser), kind in sorted(pairs.items()):
        rows = _in_place(graph.unit(winner), values, graph.unit(loser))
        if rows is not None:
            old, new = graph.unit(loser).content, graph.unit(winner).content
            yield Premise(kind, f"it rests on {old} in place of {new}", {winner: rows})


def _in_place(winner: InfoUnit, values: Values, loser: InfoUnit) -> Relation | None:
    """The loser's rows as the winner's, by key; None where they cannot stand there, or make no difference."""
    alike = {column.name: column.type for column in loser.columns}
    if winner.name not in values or loser.name not in values or not winner.columns:
        return None
    if any(alike.get(column.name) != column.type for column in winner.columns) or winner.key != loser.key:
        return None
    mine, other = values[winner.name], values[loser.name]
    names = [column.name for column in winner.columns]
    theirs = {key: tuple(row[other.index[name]] for name in names) for key, row in other.by_key.items()}
    rows = Relation(winner, tuple(theirs.get(key, row) for key, row in mine.by_key.items()))
    return None if rows.rows == mine.rows else rows


def traps(package: TaskPackage) -> Iterator[Premise]:
    """The traps that the graph declares."""
    hidden = package.hidden
    with evaluating(hidden.graph) as evaluator:
        for trap in hidden.graph.traps:
            try:
                rows = trapped(evaluator, hidden.graph, hidden.values, trap)
            except GraphError:
                continue
            yield Premise("trap", f"it {trap.name}", {name: rows[name] for name in trap.given})


def conventions(package: TaskPackage) -> Iterator[Premise]:
    """Every other option of each rule that is a single choice."""
    graph, values = package.hidden.graph, package.hidden.values
    for unit in graph.relations("provided", "external"):
        if not unit.rule or len(unit.columns) != 1 or unit.key or unit.name not in needed(graph):
            continue
        for option in unit.columns[0].type.options:
            if values[unit.name].rows != ((option,),):
                right = values[unit.name].rows[0][0]
                says = f"it takes {option!r}, not {right!r}, for {unit.content}"
                yield Premise("convention", says, {unit.name: Relation(unit, ((option,),))})


def outcome(package: TaskPackage, premise: Premise) -> Values | None:
    """What comes out under wrong premises; None where nothing can be computed of them."""
    graph, values = package.hidden.graph, package.hidden.values
    with evaluating(graph) as evaluator:
        try:
            return evaluator.evaluate({**provided(graph, values), **premise.given})
        except GraphError:
            return None


SLIPS: Mapping[str, Decimal] = {
    "a thousand times as large": Decimal(1000),
    "a thousandth": Decimal("0.001"),
    "a hundred times as large": Decimal(100),
    "a hundredth": Decimal("0.01"),
    "twelve times as large": Decimal(12),
    "a twelfth": Decimal(1) / 12,
    "sixty times as large": Decimal(60),
    "a sixtieth": Decimal(1) / 60,
}
"""How units are mistaken: thousands, percent and cents, months of a year, minutes of an hour."""
_SCALES = ("a thousand times as large", "a thousandth", "a hundred times as large", "a hundredth")
_YEARS = ("twelve times as large", "a twelfth")
_USUAL = {
    "money": (*_SCALES, *_YEARS),
    "percent": (*_SCALES[2:], *_YEARS),
    "quantity": (*_SCALES[:2], *_YEARS, "sixty times as large", "a sixtieth"),
}
"""Which of these premises of a kind are subject to."""


def left_out(package: TaskPackage) -> Iterator[Premise]:
    """Amounts taken as nothing: all of a column, or that of one row (the freight that nobody looked up)."""
    for relation, column in _amounts(package):
        unit = relation.unit
        at = relation.index[column.name]
        nothing = column.type.load(0)
        if unit.key:
            rows = tuple((*row[:at], nothing, *row[at + 1 :]) for row in relation.rows)
            yield Premise("left out", f"it leaves out {unit.content}", {unit.name: Relation(unit, rows)})
        for key, row in relation.by_key.items():
            if row[at] != nothing:
                who = f" of {', '.join(key)}" if key else ""
                one = {unit.name: relation.with_value(key, column.name, nothing)}
                yield Premise("left out", f"it leaves out {column.title}{who} ({unit.content})", one, key)


def neighbours(package: TaskPackage) -> Iterator[Premise]:
    """The value of another row in place of a row's own: the freight of the supplier a line above."""
    for relation, column in _amounts(package):
        unit, at = relation.unit, relation.index[column.name]
        if not unit.key or len(relation.rows) > _NEIGHBOURS:
            continue
        for key, row in relation.by_key.items():
            others: dict[Value, list[str]] = {}
            for other, theirs in relation.by_key.items():
                if theirs[at] != row[at]:
                    others.setdefault(theirs[at], []).append(", ".join(other))
            for value, whose in others.items():
                says = f"it takes for {', '.join(key)} the {column.title} of {' or '.join(whose)} ({unit.content})"
                yield Premise("neighbour's", says, {unit.name: relation.with_value(key, column.name, value)}, key)


def dropped(package: TaskPackage) -> Iterator[Premise]:
    """One row of a needed unit not used at all."""
    for name in sorted(needed(package.hidden.graph)):
        relation = package.hidden.values[name]
        if relation.unit.key and len(relation.rows) > 1:
            for key in relation.by_key:
                says = f"it lacks {', '.join(key)} of {relation.unit.content}"
                yield Premise("dropped row", says, {name: relation.without(key)}, key)


def slipped(package: TaskPackage) -> Iterator[Premise]:
    """A column of numbers in another unit."""
    for relation, column in _amounts(package):
        unit, at = relation.unit, relation.index[column.name]
        for what, factor in SLIPS.items():
            if what not in _USUAL[column.type.kind]:
                continue
            changed = [_times(column, row[at], factor) for row in relation.rows]
            if None not in changed:
                rows = tuple((*row[:at], new, *row[at + 1 :]) for row, new in zip(relation.rows, changed, strict=True))
                says = f"it takes {column.title} ({unit.content}) as {what}"
                yield Premise("unit slip", says, {unit.name: Relation(unit, rows)})


def _times(column: Column, value: Value, factor: Decimal) -> Value:
    try:
        return column.type.load(Decimal(str(value)) * factor)
    except (ValueError, ArithmeticError):
        return None


def _amounts(package: TaskPackage) -> Iterator[tuple[Relation, Column]]:
    """Columns of amounts that queries read, with their rows."""
    graph, values = package.hidden.graph, package.hidden.values
    read = columns_read(graph)
    for name in sorted(needed(graph)):
        for column in graph.unit(name).value_columns:
            if column.name in read.get(name, ()) and column.type.kind in ("money", "quantity", "percent"):
                yield values[name], column


def likely(package: TaskPackage) -> Iterator[Premise]:
    """The wrong premises that people come to most, the likeliest kinds first."""
    for source in (stale, traps, conventions, left_out, neighbours):
        yield from source(package)


def unlikely(package: TaskPackage) -> Iterator[Premise]:
    """The others; there are many of them."""
    for source in (dropped, slipped):
        yield from source(package)


def near(package: TaskPackage, premises: Iterable[Premise], wrong: Iterable[Key]) -> list[Premise]:
    """Without premises that are one row of an entity of which nothing is wrong.

    They are known not to matter only where each wrong value is of an entity that the unit has rows of.
    """
    values, keys = package.hidden.values, [{*key} for key in dict.fromkeys(wrong)]
    some = {part for key in keys for part in key}
    within: dict[str, bool] = {}
    found = []
    for premise in premises:
        (name, *_) = premise.given
        if name not in within:
            parts = {part for key in values[name].by_key for part in key}
            within[name] = all(key & parts for key in keys)
        if not premise.row or not within[name] or not some.isdisjoint(premise.row):
            found.append(premise)
    return found
