"""A small world of units, and carriers of every format over it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest

from workgym.graph.model import InfoUnit
from workgym.graph.relation import Relation
from workgym.materialize import Scope
from workgym.records import Column, ColumnType

Row = Iterable[object]


def relation(name: str, columns: Mapping[str, str], key: tuple[str, ...], rows: Iterable[Row]) -> Relation:
    """A provided unit with its rows."""
    made = tuple(Column(name=column, type=ColumnType.parse(written)) for column, written in columns.items())
    unit = InfoUnit(name=name, content=name, entity="x", scope="here", status="provided", columns=made, key=key)
    return Relation.load(unit, [dict(zip(columns, row, strict=True)) for row in rows])


def world(*extra: Relation, context: Mapping[str, Any] | None = None, select: Any = None) -> Scope:
    """Quotes, freight, a rate, shifts, and what the test adds."""
    days = [f"2026-03-0{day}" for day in (2, 3, 4)]
    units = [
        relation(
            "quote",
            {"supplier": "text", "price": "money(USD, 2)", "terms": "choice(DAP, FCA)", "valid": "date"},
            ("supplier",),
            [
                ["Nordpak GmbH", "1234.50", "DAP", "2026-06-30"],
                ["Brüder Köhler & Söhne", "0.93", "FCA", "2026-07-01"],
                ["Acme | Packing *Intl*", "-17.00", "FCA", "2026-05-31"],
            ],
        ),
        relation(
            "freight",
            {"supplier": "text", "per_unit": "money(USD, 2)"},
            ("supplier",),
            [["Acme | Packing *Intl*", "0.09"]],
        ),
        relation("rate", {"rate": "percent(2)"}, (), [["0.085"]]),
        relation("timing", {"timing": "choice(end of year, middle of year)"}, (), [["middle of year"]]),
        relation(
            "shift",
            {"who": "text", "day": "date", "start": "time", "hours": "quantity(h, 2)", "breaks": "integer"},
            ("who", "day"),
            [
                [who, day, start, hours, 1]
                for who, start, hours in (("Ines Roth", "07:45", "7.75"), ("Paul Ek", "14:00", "8.00"))
                for day in days
                if (who, day) != ("Paul Ek", "2026-03-03")
            ],
        ),
        *extra,
    ]
    facts = {"today": "2026-03-20", "buyer": "Ines Roth", "firm": {"name": "Hollmann", "street": "Kanalstrasse 14"}}
    return Scope(values={unit.unit.name: unit for unit in units}, context=context or facts, select=select)


@pytest.fixture(name="world", scope="session")
def _world() -> Callable[..., Scope]:
    return world


@pytest.fixture(name="relation", scope="session")
def _relation() -> Callable[..., Relation]:
    return relation


@pytest.fixture
def scope() -> Scope:
    """The world without additions."""
    return world()
