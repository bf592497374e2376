"""Printed forms: a value written after an example, dates and numbers in words, independent of any locale."""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from workgym.records import ColumnType, Value

SYMBOLS = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "CHF": "Fr."}
_EXAMPLE = re.compile(r"^(?P<pre>[^\d]*?)(?P<number>\d(?:[\d.,'\u2019 \u00a0\u202f]*\d)?)(?P<post>[^\d]*)$")
_THOUSAND = re.compile(r"^1(?P<group>[,.'\u2019 \u00a0\u202f]?)234(?:(?P<point>[.,])\d+)?$")
_SMALL = re.compile(r"^\d{1,3}(?:(?P<point>[.,])(?P<decimals>\d+))?$")
_CODE = re.compile(r"[A-Z]{3}")
_SYMBOL = re.compile(r"[$€£¥]|Fr\.")

_MONTHS = {
    "en": "January February March April May June July August September October November December".split(),
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split(),
}
_DAYS = {
    "en": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(),
    "de": "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag".split(),
}
_SHORT_DAY = {"en": 3, "de": 2}
_FIELD = re.compile(r"%(-?)([a-zA-Z%])")
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
_TENS = "_ _ twenty thirty forty fifty sixty seventy eighty ninety".split()


class FormError(TypeError):
    """A form that does not suit the value."""


def number(value: Value) -> Decimal:
    """``value`` as a decimal. Raises FormError where it is no number."""
    if isinstance(value, (int, Decimal)) and not isinstance(value, bool):
        return Decimal(value)
    raise FormError(f"{value!r} is no number")


def _digits(amount: Decimal, places: int, group: str, point: str) -> str:
    """``amount`` with exactly ``places`` decimals. Raises FormError where digits would be lost."""
    rounded = amount.quantize(Decimal(1).scaleb(-places))
    if rounded != amount:
        raise FormError(f"{amount} does not fit into {places} decimals: a printed value must be exact")
    whole, _, fraction = f"{abs(rounded):,.{places}f}".partition(".")
    return whole.replace(",", group) + (point + fraction if fraction else "")


def _signed(amount: Decimal, digits: str, pre: str, post: str) -> str:
    if pre.startswith("(") and post.endswith(")"):
        return f"{pre}{digits}{post}" if amount < 0 else f"{pre[1:]}{digits}{post[:-1]}"
    return f"{'-' if amount < 0 else ''}{pre}{digits}{post}"


def _split(example: str) -> tuple[str, str, str]:
    match = _EXAMPLE.match(example)
    if match is None:
        raise FormError(f"{example!r} is no example of a number: write it like '1,234.50'")
    return match["pre"], match["number"], match["post"]


def amount(value: Value, type_: ColumnType, example: str = "1,234.50") -> str:
    """A number after an example of it, which is some form of 1234 or 1234.50."""
    pre, sample, post = _split(example)
    style = _THOUSAND.match(sample)
    if style is None:
        raise FormError(f"{example!r} is no example: write the number 1234.50 or 1234 in the form you want")
    places = type_.places if style["point"] else 0
    exact = number(value)
    return _signed(exact, _digits(exact, places, style["group"], style["point"] or "."), pre, post)


def money(value: Value, type_: ColumnType, example: str = "1,234.50 USD") -> str:
    """An amount with the column's own currency, as code or symbol after the example."""
    if type_.kind != "money" or type_.unit is None:
        raise FormError(f"a {type_.kind} has no currency: use amount")
    unit, symbol = type_.unit, SYMBOLS.get(type_.unit)
    with_code = _CODE.sub(unit, example)
    if _SYMBOL.search(with_code):
        if symbol is None:
            raise FormError(f"there is no symbol for {unit}: write its code")
        with_code = _SYMBOL.sub(symbol, with_code)
    elif with_code == example and unit not in example:
        raise FormError(f"{example!r} shows no currency: use amount, or write it like '1,234.50 {unit}'")
    return amount(value, type_, with_code)


def quantity(value: Value, type_: ColumnType, example: str = "1,200 pcs") -> str:
    """A number with the column's own unit of measure where the example has one, and the column's own decimals."""
    if type_.kind != "quantity" or type_.unit is None:
        raise FormError(f"a {type_.kind} has no unit of measure: use amount")
    pre, sample, post = _split(example)
    style = _THOUSAND.match(sample if "234" in sample else sample.replace("200", "234", 1))
    if style is None:
        raise FormError(f"{example!r} is no example: write the number 1200 in the form you want")
    point = style["point"] or ("," if style["group"] == "." else ".")
    space = post[: len(post) - len(post.lstrip())]
    exact = number(value)
    digits = _digits(exact, type_.places, style["group"], point)
    return _signed(exact, digits, pre, f"{space}{type_.unit}" if post.strip() else "")


def percent(value: Value, type_: ColumnType, example: str = "8.5 %") -> str:
    """A fraction as a percentage; the example says point, spacing and the least number of decimals."""
    pre, sample, post = _split(example)
    style = _SMALL.match(sample)
    if style is None or ("%" not in pre + post and "percent" not in post):
        raise FormError(f"{example!r} is no example of a percentage: write it like '8.5 %'")
    hundred = (number(value) * 100).normalize()
    exponent = hundred.as_tuple().exponent
    needed = max(0, -exponent) if isinstance(exponent, int) else 0
    least = len(style["decimals"]) if style["decimals"] and style["decimals"].endswith("0") else 0
    return _signed(hundred, _digits(hundred, max(needed, least), "", style["point"] or "."), pre, post)


def date(value: Value, form: str = "%-d %B %Y", lang: str = "en") -> str:
    """A date after strftime's fields; names in English or German. Raises FormError for another field."""
    if isinstance(value, str):
        try:
            value = datetime.date.fromisoformat(value[:10])
        except ValueError:
            raise FormError(f"{value!r} is no ISO date") from None
    if not isinstance(value, datetime.date):
        raise FormError(f"{value!r} is no date")
    if lang not in _MONTHS:
        raise FormError(f"no names of months in {lang!r}: use en or de")
    day = value
    fields = {
        "d": f"{day.day:02d}",
        "m": f"{day.month:02d}",
        "Y": f"{day.year:04d}",
        "y": f"{day.year % 100:02d}",
        "B": _MONTHS[lang][day.month - 1],
        "b": _MONTHS[lang][day.month - 1][:3],
        "A": _DAYS[lang][day.weekday()],
        "a": _DAYS[lang][day.weekday()][: _SHORT_DAY[lang]],
        "V": f"{day.isocalendar().week:02d}",
    }
    return _fill(form, fields, "a date: d m Y y B b A a V")


def time(value: Value, form: str = "%H:%M") -> str:
    """A time of day after strftime's fields H I M S p."""
    if not isinstance(value, datetime.time):
        raise FormError(f"{value!r} is no time of day")
    fields = {
        "H": f"{value.hour:02d}",
        "I": f"{value.hour % 12 or 12:02d}",
        "M": f"{value.minute:02d}",
        "S": f"{value.second:02d}",
        "p": "am" if value.hour < 12 else "pm",
    }
    return _fill(form, fields, "a time: H I M S p")


def _fill(form: str, fields: dict[str, str], known: str) -> str:
    def put(match: re.Match[str]) -> str:
        if match[2] == "%":
            return "%"
        if match[2] not in fields:
            raise FormError(f"%{match[2]} is no field of {known}")
        return fields[match[2]].lstrip("0") or "0" if match[1] else fields[match[2]]

    return _FIELD.sub(put, form)


def plain(value: Value, type_: ColumnType) -> str:
    """The exact form of JSON: ``1234.50``, ``0.085``, ISO dates; times as ``07:45``."""
    return "" if value is None else plainly(type_)(value)


def plainly(type_: ColumnType) -> Callable[[Any], str]:
    """What gives the exact form of a type's values, for many of them; of none that is absent."""
    by_kind: dict[str, Callable[[Any], str]] = {"date": datetime.date.isoformat, "time": _clock}
    return by_kind.get(type_.kind, str if type_.kind in ("text", "choice", "integer") else _decimal)


def _clock(value: datetime.time) -> str:
    return value.strftime("%H:%M:%S" if value.second else "%H:%M")


def _decimal(value: Decimal) -> str:
    """The same as ``format(value, "f")``, which takes three times as long as a text that has no exponent."""
    written = str(value)
    return format(value, "f") if "E" in written else written


def words(value: Value, type_: ColumnType) -> str:
    """A whole number up to 9999 in English words; a percentage as ``8.5 percent``; other values as they are."""
    if type_.kind == "percent":
        return percent(value, type_, "8.5 percent")
    exact = number(value)
    if exact != exact.to_integral_value() or not 0 <= exact <= 9999:
        raise FormError(f"{exact} is not told in words: only whole numbers from 0 to 9999 are")
    return _spell(int(exact))


def _spell(count: int) -> str:
    if count < 20:
        return _ONES[count]
    if count < 100:
        return _TENS[count // 10] + (f"-{_ONES[count % 10]}" if count % 10 else "")
    size, word = (1000, "thousand") if count >= 1000 else (100, "hundred")
    rest = count % size
    link = "" if not rest else (" and " if rest < 100 else " ")
    return f"{_spell(count // size)} {word}{link}{_spell(rest) if rest else ''}"


def slug(text: str) -> str:
    """``text`` as it may stand in a file name: lower case, ASCII where there is a plain letter, ``_`` between words."""
    flat = text.replace("ß", "ss").replace("ø", "o").replace("Ø", "O").replace("ł", "l").replace("Ł", "L")
    flat = unicodedata.normalize("NFKD", flat)
    return re.sub(r"[^a-z0-9]+", "_", flat.encode("ascii", "ignore").decode().lower()).strip("_")
