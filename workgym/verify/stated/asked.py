"""What one deliverable must state of one unit, ready to be looked for: rows, the parts of their keys, wanted values."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from workgym.graph import Column, InfoUnit, Key, Stated
from workgym.records import Scalar, Value
from workgym.records.surface import dates, numbers, times
from workgym.verify.stated.matching import Wanted, cell_dates, cell_readings, cell_time, folded, normal
from workgym.verify.truth import Truth

_LONGEST = 120
_FOUR = re.compile(r"(?<!\d)\d{4}(?!\d)", re.ASCII)
_FORM = re.compile(
    r"[ ,]+(?:ltd|limited|inc|incorporated|llc|plc|gmbh|ag|bv|nv|"
    r"ab|sa|sas|srl|spa|oy|as|co|corp|corporation|company)\.?$"
)


@dataclass(frozen=True)
class AskedRow:
    """One row that has to be stated."""

    key: Key
    """The row's key in the unit."""
    parts: tuple[Value, ...]
    """The values that name it in the deliverable."""
    values: Mapping[str, Wanted]
    """Wanted values by column; empty where the presence of the row is what is asked for."""


@dataclass(frozen=True)
class Asked:
    """What has to be stated of one unit."""

    unit: InfoUnit
    """The unit."""
    stated: Stated
    """Where and how."""
    parts: tuple[Column, ...]
    """The columns that name a row; empty for a scalar."""
    columns: tuple[Column, ...]
    """The columns whose values are facts; empty where the rows themselves are (a selection)."""
    rows: tuple[AskedRow, ...]
    """The rows."""

    def label(self, column: str) -> str:
        """What a column is called in the deliverable."""
        return self.stated.labels.get(column) or self.unit.column(column).title

    @property
    def facts(self) -> tuple[tuple[AskedRow, str | None], ...]:
        """Every row with every column that is a fact; with None where the row itself is."""
        names: list[str | None] = [column.name for column in self.columns]
        return tuple((row, name) for row in self.rows for name in names or [None])

    @cached_property
    def readers(self) -> tuple[KeyReader, ...]:
        """A reader for each part of the key."""
        return tuple(
            KeyReader(column, tuple(dict.fromkeys(row.parts[at] for row in self.rows)))
            for at, column in enumerate(self.parts)
        )

    @cached_property
    def by_parts(self) -> dict[tuple[Value, ...], int]:
        """Position of each row by the values that name it."""
        return {row.parts: position for position, row in enumerate(self.rows)}

    @cached_property
    def said(self) -> dict[str, frozenset[str]]:
        """What columns may say in words, as it is compared: options of a choice, and texts that are wanted."""
        return {
            column.name: frozenset(map(normal, column.type.options))
            | {normal(str(text)) for row in self.rows for text in row.values[column.name].accepted}
            for column in self.columns
            if column.type.kind in ("text", "choice")
        }


def asked(unit: InfoUnit, stated: Stated, truth: Truth) -> Asked:
    """What a deliverable must state of ``unit``, by one consistent answer."""
    relation = truth.rows(unit.name)
    named = [unit.column(name) for name in unit.key if name in stated.labels]
    parts = [unit.column(name) for name in unit.key]
    if 0 < len(named) < len(parts) and _distinct(relation.rows, [relation.index[column.name] for column in named]):
        parts = named
    columns = tuple(column for column in unit.value_columns if column.name in stated.labels)
    rows = tuple(
        AskedRow(
            key=key,
            parts=tuple(row[relation.index[part.name]] for part in parts),
            values={
                column.name: Wanted(
                    column.type,
                    truth.accepted(unit.name, key, column.name),
                    stated.places.get(column.name, column.type.places),
                )
                for column in columns
            },
        )
        for key, row in relation.by_key.items()
    )
    return Asked(unit, stated, tuple(parts), columns, rows)


def _distinct(rows: Iterable[tuple[Value, ...]], places: list[int]) -> bool:
    named = [tuple(row[place] for place in places) for row in rows]
    return len(set(named)) == len(named)


class KeyReader:
    """Finds the values of one part of a key in cells and sentences.

    Names of firms are found without their legal form too, where that is still one firm.
    """

    def __init__(self, column: Column, domain: tuple[Value, ...]) -> None:
        self.column = column
        self.domain = domain
        self.texts: dict[str, Value] = {}
        self._pattern: re.Pattern[str] | None = None
        if column.type.kind in ("text", "choice"):
            self._name(domain)
        self._set = set(domain)
        self._seen: dict[tuple[str, Scalar], tuple[Value, ...]] = {}

    def _name(self, domain: tuple[Value, ...]) -> None:
        self.texts = {normal(str(value)): value for value in domain}
        short: dict[str, list[Value]] = {}
        for text, value in list(self.texts.items()):
            short.setdefault(_FORM.sub("", text), []).append(value)
        for text, values in short.items():
            if len(values) == 1 and len(text) > 2:
                self.texts.setdefault(text, values[0])
        options = sorted((text for text in self.texts if text), key=len, reverse=True)
        if options:
            self._pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, options))})(?!\w)")

    def cell(self, text: str, value: Scalar) -> tuple[Value, ...]:
        """The values of the domain that a cell is as a whole: none, one, or two dates."""
        if len(text) > _LONGEST:
            return ()
        known = self._seen.get((text, value))
        if known is None:
            known = self._seen[text, value] = self._cell(text, value)
        return known

    def _cell(self, text: str, value: Scalar) -> tuple[Value, ...]:
        kind = self.column.type.kind
        if kind in ("text", "choice"):
            found = self.texts.get(normal(text))
            return () if found is None else (found,)
        if kind == "date":
            return tuple(day for day in cell_dates(text, value) if day in self._set)
        if kind == "time":
            moment = cell_time(text, value)
            return (moment,) if moment in self._set else ()
        return self._number(text, value)

    def _number(self, text: str, value: Scalar) -> tuple[Value, ...]:
        readings = {reading.value for reading in cell_readings(text, value, self.column.type)}
        found = [known for known in self.domain if isinstance(known, (int, Decimal)) and known in readings]
        if not found and value is None and self.column.type.kind == "integer":  # Year 1 (2026), FY2026
            found = [known for known in {int(digits) for digits in _FOUR.findall(text)} if known in self._set]
        return tuple(found) if len(found) == 1 else ()

    def inside(self, text: str) -> tuple[tuple[int, int, Value], ...]:
        """Every value of the domain that is named in a text, with its span."""
        kind = self.column.type.kind
        if kind in ("text", "choice"):
            if self._pattern is None:
                return ()
            found = self._pattern.finditer(folded(text))
            return tuple((match.start(), match.end(), self.texts[match[0]]) for match in found)
        if kind == "date":
            return tuple(
                (token.start, token.end, day) for token in dates(text) for day in token.values[:1] if day in self._set
            )
        if kind == "time":
            return tuple((token.start, token.end, token.value) for token in times(text) if token.value in self._set)
        return tuple(
            (number.start, number.end, known)
            for number in numbers(text)
            for known in self.domain
            if isinstance(known, (int, Decimal)) and any(reading.value == known for reading in number.readings[:1])
        )


def shown(value: Value) -> str:
    """A part of a key for people."""
    return value.isoformat() if isinstance(value, (datetime.date, datetime.time)) else str(value)
