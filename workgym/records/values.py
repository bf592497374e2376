"""Typed values: what a column of an information unit may hold, and how it is written.

A value is ``str`` (text, choice), ``int`` (integer), ``Decimal`` (quantity, money, percent),
``datetime.date``, ``datetime.time``, or ``None`` where it is absent. A percent is kept as a
fraction: ``Decimal("0.085")`` is 8.5 %. In JSON decimals, dates and times are strings.
"""

from __future__ import annotations

import datetime
import re
from decimal import Decimal
from typing import Literal, get_args

from pydantic import model_validator

from workgym.records.base import Record

Value = str | int | Decimal | datetime.date | datetime.time | None
"""One typed value; None means that it is absent."""

Scalar = str | int | float | bool | None
"""What JSON can hold for a value."""

Kind = Literal["text", "integer", "quantity", "money", "percent", "date", "time", "choice"]
_WRITTEN = re.compile(r"^\s*([a-z]+)\s*(?:\((.*)\))?\s*$")


_DIGITS = 38
"""Digits before the point that a number may have, as a decimal of DuckDB: ``int("1e999999999")`` fills memory."""


class ColumnType(Record):
    """The type of a column, written ``money(USD, 2)``, ``quantity(h, 2)``, ``choice(DAP, FCA)``."""

    kind: Kind
    """Which of the eight kinds."""
    unit: str | None = None
    """Unit of a quantity (``pcs``, ``h``) or ISO currency of money; None for the other kinds."""
    places: int = 0
    """Decimal places that are kept; for a percent those of the percentage (1 keeps 8.5 %)."""
    options: tuple[str, ...] = ()
    """What a choice may be; empty for the other kinds."""

    @model_validator(mode="after")
    def _fits(self) -> ColumnType:
        if (self.kind in ("quantity", "money")) != (self.unit is not None):
            raise ValueError(f"{self.kind}: a unit belongs to quantity and money, and only there")
        if (self.kind == "choice") != bool(self.options):
            raise ValueError(f"{self.kind}: options belong to choice, and only there")
        return self

    @classmethod
    def parse(cls, written: str) -> ColumnType:
        """Read the written form. Raises ValueError with what is allowed."""
        match = _WRITTEN.match(written)
        if match is None or match[1] not in get_args(Kind):
            raise ValueError(f"unknown type {written!r}: use one of {', '.join(get_args(Kind))}")
        kind = match[1]
        words = [part.strip() for part in match[2].split(",")] if match[2] else []
        if kind == "choice":
            return cls(kind="choice", options=tuple(words))
        if kind in ("quantity", "money"):
            if not 1 <= len(words) <= 2 or (len(words) == 2 and not words[1].isdigit()):
                raise ValueError(f"{written!r}: write {kind}(unit) or {kind}(unit, places)")
            places = int(words[1]) if len(words) == 2 else (2 if kind == "money" else 0)
            return cls.model_validate({"kind": kind, "unit": words[0], "places": places})
        if kind == "percent":
            return cls(kind="percent", places=int(words[0]) if words else 2)
        if words:
            raise ValueError(f"{written!r}: {kind} takes no arguments")
        return cls.model_validate({"kind": kind})

    def __str__(self) -> str:
        if self.kind == "choice":
            return f"choice({', '.join(self.options)})"
        if self.kind in ("quantity", "money"):
            return f"{self.kind}({self.unit}, {self.places})"
        return f"percent({self.places})" if self.kind == "percent" else self.kind

    @property
    def numeric(self) -> bool:
        """Whether values of this type are numbers."""
        return self.kind in ("integer", "quantity", "money", "percent")

    @property
    def scale(self) -> int:
        """Decimal places of the stored number: two more than written for a percent."""
        return self.places + 2 if self.kind == "percent" else self.places

    @property
    def sql(self) -> str:
        """The DuckDB type that a column of this type must have."""
        if self.kind in ("quantity", "money", "percent"):
            return f"DECIMAL(18,{self.scale})"
        return {"text": "VARCHAR", "choice": "VARCHAR", "integer": "BIGINT", "date": "DATE", "time": "TIME"}[self.kind]

    def load(self, raw: object) -> Value:
        """A typed value from JSON, YAML or a database. Raises ValueError where it does not fit."""
        if raw is None:
            return None
        if self.kind in ("text", "choice"):
            if not isinstance(raw, str) or (self.options and raw not in self.options):
                raise ValueError(f"{raw!r} is not {self}")
            return raw
        if self.kind == "date":
            return raw if isinstance(raw, datetime.date) else datetime.date.fromisoformat(str(raw))
        if self.kind == "time":
            return raw if isinstance(raw, datetime.time) else datetime.time.fromisoformat(str(raw))
        try:
            number = Decimal(str(raw))
        except ArithmeticError:
            raise ValueError(f"{str(raw)[:40]!r} is not a number") from None
        if not number.is_finite():
            raise ValueError(f"{raw!r} is not a number")
        if number.adjusted() >= _DIGITS:
            raise ValueError(f"{str(raw)[:40]!r} is too large a number")
        if self.kind == "integer":
            if number != number.to_integral_value():
                raise ValueError(f"{raw!r} is not a whole number")
            return int(number)
        return number.quantize(Decimal(1).scaleb(-self.scale))

    def dump(self, value: Value) -> Scalar:
        """The JSON form of ``value``: exact, and read back equal by :meth:`load`."""
        if value is None or isinstance(value, (str, int)):
            return value
        if isinstance(value, Decimal):
            return format(value, "f")
        return value.isoformat()

    def show(self, value: Value) -> str:
        """The plain printed form: ``1,234.50``, ``8.5 %``, ``2026-03-02``, ``07:45``."""
        if value is None:
            return ""
        if self.kind == "percent":
            hundred = (Decimal(str(value)) * 100).normalize()
            return f"{hundred:f} %"
        if self.kind == "integer":
            return str(value)
        if isinstance(value, Decimal):
            return f"{value:,.{self.places}f}"
        if isinstance(value, datetime.time):
            return value.strftime("%H:%M")
        return str(value)

    @property
    def step(self) -> Decimal:
        """The smallest difference between two stored numbers of this type."""
        return Decimal(1).scaleb(-self.scale)


class Column(Record):
    """A named column of an information unit."""

    name: str
    """Name in queries: lower case, digits and underscores."""
    type: ColumnType
    """What its values are."""
    label: str | None = None
    """What people call it in a document; None means the name with spaces."""

    @property
    def title(self) -> str:
        """The label for people."""
        return self.label or self.name.replace("_", " ")


class Cell(Record):
    """One value of one row of one unit: the smallest thing that a check can speak about."""

    unit: str
    """Name of the information unit."""
    key: tuple[str, ...]
    """The row's key, each part in its JSON form as text; empty for a scalar unit."""
    column: str
    """Name of the column."""

    def __str__(self) -> str:
        row = f"[{', '.join(self.key)}]" if self.key else ""
        return f"{self.unit}{row}.{self.column}"
