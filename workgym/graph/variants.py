"""Variants of a query: the same work by another convention, one operator of the syntax tree changed at a time.

Two people who read the same papers round at different places, take a limit as passed when it is reached, count the
first day or not. Each such choice that a query makes is turned around here; what then comes out differently rests on
a convention, and somebody has to state it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, cast

from sqlglot import exp

from workgym.graph import sql
from workgym.graph.model import SupportGraph
from workgym.graph.origins import Origins, origins

Kind = Literal["rounding", "limit", "days", "term"]
"""What a choice is about: where numbers are rounded, whether a limit belongs to what it bounds, which days between two
dates count, whether the day on which a number of days begins is the first of them."""

_OTHER: Mapping[type[exp.Binary], type[exp.Binary]] = {
    exp.LT: exp.LTE,
    exp.LTE: exp.LT,
    exp.GT: exp.GTE,
    exp.GTE: exp.GT,
}
_SIGNS: Mapping[type[exp.Binary], str] = {exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="}


@dataclass(frozen=True)
class Variant:
    """One query that follows another convention."""

    unit: str
    """The derived unit whose query it is."""
    kind: Kind
    """What the choice is about."""
    says: str
    """What is changed, as a phrase: ``a <= b instead of a < b``."""
    query: str
    """The changed query; its numbers may be of another type than the unit declares."""
    reads: frozenset[tuple[str, str]]
    """(unit, column) of what the changed operator looks at, as far as it can be told."""
    mixed: bool = False
    """Whether one rounding is left out and the others are kept: who rounds nowhere on the way, as most do, does not
    come to the same."""


def variants(graph: SupportGraph, unit: str) -> tuple[Variant, ...]:
    """All variants of the query of one derived unit, in the order of the text.

    Not varied: what a ``case`` on a rule unit chooses, since that rule is stated; rounding that a rule unit prescribes;
    comparisons with 0 and 1, of texts, of places in an order, of counts with counts and of a column with itself in
    another row, which bound nothing.
    """
    return _variants(origins(graph), unit)


@lru_cache(maxsize=2048)
def _variants(source: Origins, unit: str) -> tuple[Variant, ...]:
    tree = sql.parse(unit, source.query(unit))
    nodes = list(tree.walk())
    found: list[Variant] = []
    for at, node in enumerate(nodes):
        for kind, says, change in _changes(source, unit, node):
            copy = tree.copy()
            twin = next(other for number, other in enumerate(copy.walk()) if number == at)
            change(twin)
            reads = source.reads(unit, node)
            mixed = change is _later
            found.append(Variant(unit, kind, says, copy.sql("duckdb"), reads, mixed))
    return tuple(found)


_Change = tuple[Kind, str, Callable[[exp.Expr], None]]


def _changes(source: Origins, unit: str, node: exp.Expr) -> Iterator[_Change]:
    if isinstance(node, exp.LT | exp.LTE | exp.GT | exp.GTE):
        if _bounds(source, unit, node.left, node.right):
            yield "limit", f"{_short(node.left)} {_SIGNS[_OTHER[type(node)]]} {_short(node.right)}", _flip
    elif isinstance(node, exp.Between):
        low, high = node.args["low"], node.args["high"]
        for end, change in ((low, _open_below), (high, _open_above)):
            if _bounds(source, unit, node.this, end):
                yield "limit", f"{_short(end)} left out of {_short(node)}", change
    elif _days(source, unit, node):
        if not _inside(node, (*_OTHER, exp.Between, exp.EQ, exp.NEQ)):
            one = _counted(node)
            yield "days", f"{_short(node)} {'without the' if one else 'and'} one more day", _fewer if one else _more
    elif isinstance(node, exp.Add | exp.Sub) and _term(source, unit, node):
        if not _inside(node, (*_OTHER, exp.Between, exp.EQ, exp.NEQ)):
            first = _first_counts(node)
            yield "term", f"one day {'more' if first else 'fewer'} in {_short(node)}", _farther if first else _nearer
    elif source.graph.unit(unit).rounding is None and not source.chosen(unit, node):
        yield from _roundings(source, unit, node)


def _roundings(source: Origins, unit: str, node: exp.Expr) -> Iterator[_Change]:
    places = _places(node)
    if places is None or (isinstance(node.parent, exp.Round) or _places(node.parent) == places):
        return
    inner = node
    while isinstance(inner, exp.Cast | exp.Round | exp.Paren):
        inner = inner.this
    if isinstance(inner, exp.Column | exp.Literal):
        return
    yield "rounding", f"{_short(inner)} not rounded to {places} places", _later
    if any(_rounds_parts(source, unit, part, places) for part in _parts(inner)):
        yield (
            "rounding",
            f"each part of {_short(inner)} rounded to {places} places",
            lambda twin: _earlier(twin, places),
        )


def _short(node: exp.Expr) -> str:
    text = node.sql("duckdb")
    return text if len(text) <= 80 else f"{text[:76]} ..."


def _bounds(source: Origins, unit: str, one: exp.Expr, other: exp.Expr) -> bool:
    """Whether one side bounds the other, so that people may ask what happens just there."""
    sides = (one, other)
    if any(isinstance(side.unnest(), exp.Literal) for side in sides):
        return False
    if any(source.kind(unit, side) == "text" or source.ranks(unit, side) for side in sides):
        return False
    if all(source.counts(unit, side) for side in sides):
        return False
    reads = [source.reads(unit, side) for side in sides]
    return not (reads[0] and reads[0] == reads[1])


def _flip(node: exp.Expr) -> None:
    binary = cast("exp.Binary", node)
    node.replace(_OTHER[type(binary)](this=binary.left.copy(), expression=binary.right.copy()))


def _open_below(node: exp.Expr) -> None:
    _open(node, exp.GT, exp.LTE)


def _open_above(node: exp.Expr) -> None:
    _open(node, exp.GTE, exp.LT)


def _open(node: exp.Expr, below: type[exp.Binary], above: type[exp.Binary]) -> None:
    """The same range with other ends."""
    low = below(this=node.this.copy(), expression=node.args["low"].copy())
    high = above(this=node.this.copy(), expression=node.args["high"].copy())
    node.replace(exp.Paren(this=exp.And(this=low, expression=high)))


def _days(source: Origins, unit: str, node: exp.Expr) -> bool:
    """Whether it counts the days between two dates."""
    if isinstance(node, exp.DateDiff):
        named = node.args.get("unit")
        return named is None or str(named.name).casefold() in ("day", "days")
    return isinstance(node, exp.Sub) and source.kind(unit, node.left) == source.kind(unit, node.right) == "date"


def _term(source: Origins, unit: str, node: exp.Binary) -> bool:
    """Whether it goes from a date so many days on or back as a given unit says, and not on from there but for a day."""
    day, number = node.left, node.right
    if isinstance(node, exp.Add) and source.kind(unit, number) == "date":
        day, number = number, day
    while isinstance(number, exp.Cast | exp.Paren):
        number = number.this
    if source.kind(unit, day) != "date" or source.kind(unit, number) != "number" or not isinstance(number, exp.Column):
        return False
    read = source.reads(unit, number)
    given = all(source.graph.unit(name).status in ("provided", "external") for name, _ in read)
    return bool(read) and given and (not isinstance(_outside(node), exp.Add | exp.Sub) or _first_counts(node))


def _first_counts(node: exp.Binary) -> bool:
    """Whether the query counts the first day: one is taken off what is added, or added to what is taken off."""
    outside = _outside(node)
    one = exp.Sub if isinstance(node, exp.Add) else exp.Add
    return isinstance(outside, one) and isinstance(outside.right, exp.Literal) and outside.right.this == "1"


def _outside(node: exp.Expr) -> exp.Expr | None:
    parent = node.parent
    while isinstance(parent, exp.Paren | exp.Cast):
        parent = parent.parent
    return parent


def _nearer(node: exp.Expr) -> None:
    """The first of the days is the one from which they are counted."""
    _shift(node, exp.Sub if isinstance(node, exp.Add) else exp.Add)


def _farther(node: exp.Expr) -> None:
    _shift(node, exp.Add if isinstance(node, exp.Add) else exp.Sub)


def _shift(node: exp.Expr, by: type[exp.Binary]) -> None:
    node.replace(exp.Paren(this=by(this=exp.Paren(this=node.copy()), expression=exp.Literal.number(1))))


def _counted(node: exp.Expr) -> bool:
    """Whether both ends are counted: one is added."""
    parent = node.parent
    while isinstance(parent, exp.Paren):
        parent = parent.parent
    return isinstance(parent, exp.Add) and any(
        isinstance(side, exp.Literal) and side.this == "1" for side in (parent.left, parent.right)
    )


def _more(node: exp.Expr) -> None:
    node.replace(exp.Paren(this=exp.Add(this=node.copy(), expression=exp.Literal.number(1))))


def _fewer(node: exp.Expr) -> None:
    node.replace(exp.Paren(this=exp.Sub(this=exp.Paren(this=node.copy()), expression=exp.Literal.number(1))))


def _places(node: exp.Expr | None) -> int | None:
    """To how many places a node rounds; None where it does not round."""
    if isinstance(node, exp.Round):
        decimals = node.args.get("decimals")
        if decimals is None:
            return 0
        return int(decimals.this) if isinstance(decimals, exp.Literal) else None
    if isinstance(node, exp.Cast) and node.to.this == exp.DataType.Type.DECIMAL:
        sizes = node.to.expressions
        return int(sizes[1].this.this) if len(sizes) > 1 else 0
    return None


def _double(node: exp.Expr) -> exp.Cast:
    return exp.Cast(this=node, to=exp.DataType.build("double"))


def _later(node: exp.Expr) -> None:
    """It is not rounded there, nor by what stands around it in the same query."""
    around = node.parent
    while around is not None and not isinstance(around, exp.Query):
        if isinstance(around, exp.Cast) and around.to.this == exp.DataType.Type.DECIMAL:
            around.set("to", exp.DataType.build("double"))
        around = around.parent
    inner = node
    while _places(inner) is not None:
        inner = inner.this
    node.replace(_double(inner.copy()))


def _parts(node: exp.Expr) -> Iterator[exp.Expr]:
    """What is added up to give a number: terms of a sum, arguments of ``sum``."""
    if isinstance(node, exp.Paren):
        yield from _parts(node.this)
    elif isinstance(node, exp.Add | exp.Sub):
        yield from _parts(node.left)
        yield from _parts(node.right)
    elif isinstance(node, exp.Sum):
        yield node.this
    elif isinstance(node, exp.Window) and isinstance(node.this, exp.Sum):
        yield node.this.this
    elif isinstance(node.parent, exp.Add | exp.Sub | exp.Paren):
        yield node


def _rounds_parts(source: Origins, unit: str, part: exp.Expr, places: int) -> bool:
    """Whether a part may have more digits than that."""
    if isinstance(part, exp.Column | exp.Literal):
        scale = source.scale(unit, part)
        return scale is None or scale > places
    return _places(part) is None


def _earlier(node: exp.Expr, places: int) -> None:
    inner = node
    while isinstance(inner, exp.Cast | exp.Round | exp.Paren):
        inner = inner.this
    for part in list(_parts(inner)):
        rounded = exp.Round(this=part.copy(), decimals=exp.Literal.number(places))
        part.replace(exp.Cast(this=rounded, to=exp.DataType.build(f"decimal(18,{places})", dialect="duckdb")))


def _inside(node: exp.Expr, kinds: tuple[type[exp.Expr], ...]) -> bool:
    here = node.parent
    while here is not None and not isinstance(here, exp.Query):
        if isinstance(here, kinds):
            return True
        here = here.parent
    return False
