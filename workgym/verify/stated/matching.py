"""Whether what stands somewhere is a given value: numbers within a tolerance, dates, times, texts and choices.

A number is right within half a unit of the places asked for, plus a hair for binary fractions. A number shortened by
a scale word (``$284.7K``) must besides be written finely enough: one unit of its last digit no more than one unit of
the places asked for. A currency sign or code beside a number must be that of its column. Nothing is guessed: a text
that may be read in two ways (``1.234``) is right where one of them is.
"""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import lru_cache

from workgym.records import ColumnType, Scalar, Value
from workgym.records.surface import Number, Reading, date_candidates, numbers, parse_number, parse_time, significant

_HALF = Decimal("0.5000005")
_FLOAT = Decimal("1e-12")
_ONE = Decimal(1)
_HUNDRED = Decimal(100)
_SIGNS = {
    "$": ("USD", "CAD", "AUD", "SGD", "HKD", "NZD", "MXN", "TWD", "BRL"), "€": ("EUR",), "£": ("GBP",),
    "¥": ("JPY", "CNY"), "₩": ("KRW",), "₹": ("INR",), "Rs": ("INR",), "kr": ("SEK", "NOK", "DKK"), "zł": ("PLN",),
}  # fmt: skip
_CODE = re.compile(
    r"(?<![A-Za-z])(USD|EUR|GBP|JPY|CNY|CHF|KRW|INR|CAD|AUD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN|ZAR|SGD|HKD|NZD|TRY)(?![a-z])"
    r"|[$€£¥₩₹]"
)
_SPACE = re.compile(r"\s+")
_MARKS = str.maketrans({"’": "'", "‘": "'", "`": "'", "‐": "-", "‑": "-", "–": "-", "—": "-", "−": "-", "\u00a0": " "})
_EDGE = " \t\n.,;:!*_\"'“”„|"
_ERROR = re.compile(r"#(?:REF!|DIV/0!|VALUE!|NAME\?|N/A|NUM!|NULL!|SPILL!|CALC!|CYCLE!|ERROR!)")


@dataclass(frozen=True)
class Wanted:
    """A value that has to stand somewhere."""

    type: ColumnType
    """Its type."""
    accepted: tuple[Value, ...]
    """What is right, the value to show first."""
    places: int
    """Decimal places asked for; for a percent those of the percentage."""

    @property
    def step(self) -> Decimal:
        """One unit of the last place asked for, on the scale of the value."""
        return _ONE.scaleb(-(self.places + 2 if self.type.kind == "percent" else self.places))

    @property
    def shown(self) -> str:
        """The value for people, to the places asked for."""
        value = self.accepted[0]
        if isinstance(value, Decimal):
            return self.type.show(value.quantize(min(self.step, _ONE)) if self.step < 1 else round(value, 0))
        return self.type.show(value)

    @property
    def digits(self) -> int:
        """How many significant digits the value has at the places asked for; 9 where it is no number."""
        value = self.accepted[0]
        if isinstance(value, Decimal):
            rounded = value.quantize(self.step)
            return significant(abs(rounded)) if self.places > 0 else len(str(abs(int(rounded))))
        return len(str(abs(value))) if isinstance(value, int) else 9

    def near(self, number: Decimal) -> bool:
        """Whether a number is one of the accepted values, within the tolerance."""
        for value in self.accepted:
            if not isinstance(value, (int, Decimal)):
                continue
            true = Decimal(value)
            allowed = 0 if self.type.kind == "integer" else self.step * _HALF + abs(true) * _FLOAT
            if abs(number - true) <= allowed:
                return True
        return False


@lru_cache(maxsize=16384)
def normal(text: str) -> str:
    """A text as it is compared: NFKC, case-folded, blanks collapsed, typographic marks plain, bare at its edges."""
    plain = unicodedata.normalize("NFKC", text.translate(_MARKS)).translate(_MARKS)
    return _SPACE.sub(" ", folded(plain)).strip(_EDGE)


def folded(text: str) -> str:
    """A text case-folded character by character, so that its length and its offsets stay."""
    whole = text.casefold()
    if len(whole) == len(text):
        return whole
    return "".join(fold if len(fold := char.casefold()) == 1 else char for char in text)


LONGEST = 400
"""Characters of a cell that may be a value; longer ones are text to read."""


def is_error(text: str) -> bool:
    """Whether a cell shows a formula error."""
    return _ERROR.fullmatch(text.strip()) is not None


def currencies(text: str) -> frozenset[str]:
    """ISO codes that the currency signs and codes in a text may mean."""
    return frozenset(code for match in _CODE.finditer(text) for code in _SIGNS.get(match[0], (match[0],)))


def _other_currency(kind: ColumnType, sign: str) -> bool:
    return bool(sign) and kind.kind == "money" and kind.unit not in _SIGNS.get(sign, (sign,)) and kind.unit != sign


def shows(text: str, value: Scalar, wanted: Wanted, scale: Decimal = _ONE) -> bool:
    """Whether a cell, its displayed ``text`` and typed ``value``, states the wanted value and nothing else.

    ``scale`` is what its heading multiplies by: 1000 for ``USD thousands``.
    """
    kind = wanted.type.kind
    if len(text) > LONGEST:
        return False
    if wanted.type.numeric:
        return any(_number_fits(reading, text, wanted, scale) for reading in cell_readings(text, value, wanted.type))
    if kind == "date":
        return bool(set(cell_dates(text, value)) & set(wanted.accepted))
    if kind == "time":
        return cell_time(text, value) in wanted.accepted
    said = normal(text)
    if said in {normal(str(option)) for option in wanted.accepted}:
        return True
    named = {option for option in wanted.type.options if re.search(rf"(?<!\w){re.escape(normal(option))}(?!\w)", said)}
    return bool(named) and named <= set(wanted.accepted)


def rounds_to(readings: Iterable[Reading], wanted: Wanted, scale: Decimal = _ONE) -> bool:
    """Whether a number is the wanted one written too coarsely: 302,000 or 302K for 301,696."""
    for value, quantum in readings:
        zeros = value.normalize().as_tuple().exponent if value else 0
        coarse = max(quantum, _ONE.scaleb(zeros)) if isinstance(zeros, int) and 0 < zeros < 20 else quantum
        if any(abs(value * scale - Decimal(true)) <= coarse * scale * _HALF for true in wanted.accepted):  # type: ignore[arg-type]
            return True
    return False


def _number_fits(reading: Reading, text: str, wanted: Wanted, scale: Decimal) -> bool:
    if reading.quantum > 1 and reading.quantum > wanted.step:
        return False
    number = reading.value * scale
    if wanted.near(number):
        return True
    return wanted.type.kind == "percent" and "%" not in text and wanted.near(number / _HUNDRED)


def cell_readings(text: str, value: Scalar, kind: ColumnType) -> tuple[Reading, ...]:
    """The numbers that a cell may mean as a whole; none where it is no number, an error, or of another currency."""
    if foreign(text, kind) or is_error(text):  # the 0 of #DIV/0! is no number
        return ()
    if isinstance(value, int) and not isinstance(value, bool):
        return (Reading(Decimal(value), Decimal(0)),)
    if isinstance(value, str) and (number := _decimal(value)) is not None:
        return (Reading(number, Decimal(0)),)
    if kind.unit == "h" and (clock := _clock(text)) is not None:
        return (Reading(clock, Decimal(0)),)
    whole = parse_number(text)
    found = numbers(text.strip())
    joined = [number for number in found if number.joined]
    chosen = joined[:1] if joined and len(joined) + 1 <= len(found) else list(found)
    if len(chosen) != 1:
        return ()
    readings = chosen[0].readings
    if not readings and whole is not None:
        return (Reading(whole, Decimal(0)),)
    if whole is not None and whole < 0:  # in a cell of its own (1,234.50) is a negative number
        return tuple(reading for reading in readings if reading.value <= 0)
    return readings


def foreign(text: str, kind: ColumnType) -> bool:
    """Whether a text names currencies and that of an amount of money is not among them."""
    found = currencies(text) if kind.kind == "money" else frozenset()
    return bool(found) and kind.unit not in found


def _decimal(text: str) -> Decimal | None:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _clock(text: str) -> Decimal | None:
    """Hours that are written as hours and minutes, ``7:45``."""
    match = re.fullmatch(r"\s*(\d{1,4}):([0-5]\d)(?::([0-5]\d))?\s*h?\s*", text)
    if match is None:
        return None
    return Decimal(match[1]) + (Decimal(match[2]) + Decimal(match[3] or 0) / 60) / 60


def cell_dates(text: str, value: Scalar) -> tuple[datetime.date, ...]:
    """The dates that a cell may mean: none, one, or two where day and month could change places."""
    if isinstance(value, str):
        try:
            return (datetime.datetime.fromisoformat(value).date(),)
        except ValueError:
            pass
    return date_candidates(text)


def cell_time(text: str, value: Scalar) -> datetime.time | None:
    """The time of day that a cell is, or None."""
    if isinstance(value, str):
        try:
            return datetime.time.fromisoformat(value)
        except ValueError:
            pass
    return parse_time(text)


def number_shows(number: Number, wanted: Wanted) -> bool:
    """Whether a number in a sentence is the wanted value, finely enough."""
    if _other_currency(wanted.type, number.currency):
        return False
    percent = wanted.type.kind == "percent"
    if number.percent and not percent:
        return False
    readings: Iterable[Reading] = number.readings
    return any(wanted.near(value) and not (quantum > 1 and quantum > wanted.step) for value, quantum in readings)
