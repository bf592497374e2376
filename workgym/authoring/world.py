"""Seeded worlds: the draws of a family, before any unit exists.

Every column has a stream of its own, named by family, seed, attempt, table and column, so that a new
column does not shift the others. Python's ``random.Random`` gives the same numbers on every platform.
"""

from __future__ import annotations

import datetime
import random
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from workgym.authoring import names
from workgym.records import Column, ColumnType, Value

Table = tuple[tuple[Column, ...], list[tuple[Value, ...]]]
"""Columns and rows of a drawn table."""

_KINDS = (
    "company",
    "city",
    "person",
    "street",
    "uniform",
    "sequence",
    "choice",
    "weighted",
    "integer",
    "decimal",
    "date",
)


class DrawError(ValueError):
    """A draw that cannot be made; the message says what is wrong."""


def draw_table(stream: str, rows: int, columns: Mapping[str, Any], taken: dict[str, set[Value]] | None = None) -> Table:
    """One table of the world. Raises DrawError with the column's name.

    ``taken`` are the names, by kind, that the world has so far; distinct ones differ from them too, and all are added:
    the buyer is none of the suppliers.
    """
    taken = {} if taken is None else taken
    drawn: list[list[Value]] = []
    types: list[Column] = []
    for name, written in columns.items():
        rng = random.Random(f"{stream}/{name}")
        kind, options = _normal(name, written)
        sqltype, one = _drawer(name, kind, options, rng)
        try:
            others = taken.setdefault(kind, set()) if kind in ("company", "person", "city") else set[Value]()
            values = (
                _distinct(name, one, rows, others, kind)
                if options.get("distinct")
                else [one(index) for index in range(rows)]
            )
            others.update(values)
        except DrawError:
            raise
        except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError) as error:
            raise DrawError(f"{name}: {kind}: {options['of']!r} does not fit: {error}") from error
        types.append(Column(name=name, type=sqltype))
        drawn.append(values)
    return tuple(types), [tuple(column[index] for column in drawn) for index in range(rows)]


def _normal(name: str, written: Any) -> tuple[str, dict[str, Any]]:
    """``company`` and ``{company: distinct}`` and ``{integer: [1, 9], step: 2}`` in one form."""
    if isinstance(written, str):
        written = {written: None}
    if not isinstance(written, dict) or not written:
        raise DrawError(f"{name}: a draw is one of {', '.join(_KINDS)}")
    kind = next(iter(written))
    if kind not in _KINDS:
        raise DrawError(f"{name}: unknown draw {kind}; use one of {', '.join(_KINDS)}")
    options = {key: value for key, value in written.items() if key != kind}
    unknown = set(options) - {"step", "places", "distinct", "trade"}
    if unknown:
        raise DrawError(f"{name}: unknown option {sorted(unknown)[0]}")
    argument = written[kind]
    if argument == "distinct":
        options["distinct"], argument = True, None
    return kind, {**options, "of": argument}


_NAMESAKES: dict[str, Callable[[Value], str]] = {
    "person": lambda value: str(value).split()[-1],
    "company": lambda value: str(value).split()[0],
}
"""By kind of name, what namesakes share: in a file of papers they look like a finding."""


def _distinct(name: str, one: Callable[[int], Value], rows: int, others: set[Value], kind: str) -> list[Value]:
    """Values that differ, and from ``others``; no namesakes while the tables of names have enough."""
    seen: list[Value] = []
    for told in (_NAMESAKES.get(kind, str), str):
        known = {told(value) for value in (*others, *seen)}
        for _ in range(rows * 200):
            if len(seen) == rows:
                break
            value = one(len(seen))
            if told(value) not in known:
                known.add(told(value))
                seen.append(value)
    if len(seen) < rows:
        raise DrawError(f"{name}: cannot draw {rows} distinct values")
    return seen


def _drawer(
    name: str, kind: str, options: dict[str, Any], rng: random.Random
) -> tuple[ColumnType, Callable[[int], Value]]:
    of = options["of"]
    text = ColumnType(kind="text")
    if kind == "company" and options.get("trade"):
        return text, lambda index: _company(rng, options["trade"])
    if kind in _NAMES:
        return text, lambda index: _NAMES[kind](rng)
    if kind == "uniform":
        return ColumnType(kind="quantity", unit="u", places=9), lambda index: Decimal(rng.randrange(10**9)).scaleb(-9)
    if kind == "sequence":
        return ColumnType(kind="integer"), lambda index: int(of or 1) + index
    try:
        if kind == "choice":
            return _typed_choice(of), lambda index: _scalar(rng.choice(of))
        if kind == "weighted":
            return text, lambda index: rng.choices(list(of), weights=list(of.values()))[0]
        low, high = of
        if kind == "integer":
            step = int(options.get("step", 1))
            return ColumnType(kind="integer"), lambda index: rng.randrange(int(low), int(high) + 1, step)
        if kind == "decimal":
            places = int(options.get("places", 2))
            ends = [int(Decimal(str(end)).scaleb(places)) for end in (low, high)]
            decimal = ColumnType(kind="quantity", unit="u", places=places)
            return decimal, lambda index: Decimal(rng.randint(*ends)).scaleb(-places)
        start, end = (datetime.date.fromisoformat(str(day)) for day in of)
        return ColumnType(
            kind="date"
        ), lambda index: start + datetime.timedelta(days=rng.randint(0, (end - start).days))
    except (TypeError, ValueError, IndexError, ArithmeticError) as error:
        raise DrawError(f"{name}: {kind}: {of!r} does not fit: {error}") from error


def _typed_choice(options: list[Any]) -> ColumnType:
    if any(isinstance(option, bool | str) for option in options):
        return ColumnType(kind="text")
    if all(isinstance(option, int) for option in options):
        return ColumnType(kind="integer")
    return ColumnType(kind="quantity", unit="u", places=6)


def _scalar(value: Any) -> Value:
    return Decimal(str(value)) if isinstance(value, float) else value


def _company(rng: random.Random, trade: Sequence[str] = names.FIRM_LAST) -> str:
    return f"{rng.choice(names.FIRM_FIRST)} {rng.choice(trade)} {rng.choice(names.FIRM_FORM)}"


_NAMES: dict[str, Callable[[random.Random], str]] = {
    "company": _company,
    "city": lambda rng: rng.choice(names.CITIES),
    "person": lambda rng: f"{rng.choice(names.GIVEN)} {rng.choice(names.FAMILY)}",
    "street": lambda rng: f"{rng.randint(2, 180)} {rng.choice(names.STREETS)}",
}
