"""Printed forms of numbers: what a number in a text may mean, and whether it shows a value.

A known value is searched for; nothing is guessed from context. Every number in a text is read in
each way that its form allows (``1,234`` is 1234 or 1.234), together with its quantum ``q``, one unit
of its last printed digit. It shows the value ``v`` when one reading ``t`` has ``|t - v| <= q/2``,
also at 100 and 1/100 (percent) and at 1000 and a million (tables in thousands). Dates, times and
identifiers (``PO-1042``, ``1.2.3``) are not numbers; see :mod:`workgym.records.dates`.

By chance a value is shown somewhere among 300 numbers in 7.5 % of cases at two significant digits,
3.4 % at three, 0.9 % at four, and 0 % at five: ask for a label below four.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Literal, NamedTuple

from workgym.records.dates import (
    DateToken,
    TimeToken,
    date_candidates,
    dates,
    days,
    parse_date,
    parse_time,
    times,
)

__all__ = [
    "EXACT",
    "SCALES",
    "DateToken",
    "Number",
    "Reading",
    "TimeToken",
    "date_candidates",
    "dates",
    "days",
    "numbers",
    "parse_date",
    "parse_number",
    "parse_time",
    "shows",
    "significant",
    "times",
]


class Reading(NamedTuple):
    """One meaning of a printed number."""

    value: Decimal
    """The number, with sign, percent (as a fraction) and k/M/bn already applied."""
    quantum: Decimal
    """One unit of its last printed digit, on the same scale."""


class Number(NamedTuple):
    """A number in a text."""

    start: int
    """Where its digits start; sign, currency and bracket lie before."""
    end: int
    """One past its last digit; percent sign and unit lie after."""
    text: str
    """The digits as printed, separators included."""
    readings: tuple[Reading, ...]
    """What it may mean, the likeliest in English text first."""
    percent: bool = False
    """Whether a percent, per mille or basis-point sign follows."""
    currency: str = ""
    """The currency sign or code beside it, or empty."""
    joined: bool = False
    """Whether it spans plain spaces (``284 731,6``); its parts are then given as numbers of their own too."""


ONE = Decimal(1)
HALF = Decimal("0.5")
EXACT: tuple[Decimal, ...] = (ONE,)
"""The only scale for a cell that must state the value itself."""
SCALES: tuple[Decimal, ...] = (ONE, Decimal(100), Decimal("0.01"), Decimal(1000), Decimal(1_000_000))
"""What a printed number may have to be multiplied by: percent both ways, tables in thousands and millions."""

_CODES = (
    "USD|EUR|GBP|JPY|CNY|CHF|KRW|INR|CAD|AUD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN|ZAR"
    "|SGD|HKD|NZD|TRY|AED|SAR|THB|TWD|ILS|Rs|kr|zł"
)
_SUFFIX = {
    "k": 3, "thousand": 3, "tsd": 3, "m": 6, "mn": 6, "mm": 6, "mio": 6, "million": 6, "millions": 6,
    "b": 9, "bn": 9, "mrd": 9, "billion": 9, "billions": 9, "万": 4, "만": 4, "억": 8, "亿": 8, "조": 12,
}  # fmt: skip
_MAYBE_SCALED = ("m", "mn", "mm", "b")
_RATIO = {"%": 2, "percent": 2, "per cent": 2, "pct": 2, "‰": 3, "bp": 4, "bps": 4}
_BODY = re.compile(r"(?<![^\W\d])(?<!\d[.,])(?<!\d)\d+(?:[.,'\u00a0]\d+)*(?:[eE][+-]\d+)?|(?<![\w.,'])\.\d+")
_HEAD = re.compile(
    rf"(?P<cur>[$€£¥₩₹]|\b(?:{_CODES}))?[ \u00a0]?(?P<open>\(?)"
    r"(?P<sign>(?<![\w)\]])[-\u2212\u2013+])?(?P<inner>[$€£¥₩₹]?)$"
)
_TAIL = re.compile(
    r"(?:(?P<ratio>[ \u00a0]?(?:%|‰|(?:percent|per cent|pct|bps?)\b))"
    r"|[ \u00a0]?(?P<scale>(?:thousand|millions?|billions?|tsd|mio|mrd|mn|bn)\b"
    r"|(?<![ \u00a0])(?:[kmb]|mm)\b|[万만억亿조]))?"
    rf"(?P<minus>-(?![\w.-]))?(?P<close>\)?)(?:[ \u00a0]?(?P<cur>[$€£¥₩₹]|(?:{_CODES})\b))?",
    re.IGNORECASE,
)
_GLUED = re.compile(r"[^\W\d_]+\d")
_IDENTIFIER = re.compile(r"[^\W\d][\w-]*[-_]$")
_SCIENTIFIC = re.compile(r"[-+]?\d+(?:\.\d+)?[eE][-+]?\d{1,3}", re.ASCII)
_AROUND = re.compile(
    rf"[\s\u00a0]*\(?[-\u2212\u2013+]?[\s\u00a0]*(?:[$€£¥₩₹]|(?:{_CODES}))?[\s\u00a0]*[-\u2212\u2013+]?\(?[\s\u00a0]*"
    rf"(?:%|‰|percent|per cent|pct|bps?|thousand|millions?|billions?|tsd|mio|mrd|mn|bn|mm|[kmb万만억亿조])?"
    rf"[\s\u00a0]*-?\)?[\s\u00a0]*(?:[$€£¥₩₹]|(?:{_CODES}))?\)?[\s\u00a0]*",
    re.IGNORECASE,
)
_SPACED = re.compile(r"(?<![\w.,])\d{1,3}(?: \d{3})+(?:[.,]\d+)?(?![\d])")
_SPACES = "\u00a0\u202f\u2009"
_GROUPS = {
    mark: re.compile(rf"\d{{1,3}}(?:{mark}\d{{3}})+|\d{{1,2}}(?:{mark}\d{{2}})+{mark}\d{{3}}")
    for mark in (r"\.", ",", "'", "\u00a0")
}


_SIGNS = "$€£¥₩₹"
_CHAIN = frozenset("-_")
_BARE = frozenset(("", " ", "\n", "\t", "|", ";", ":", ",", "."))
_MONEY = frozenset(_SIGNS + "ABCDEFGHIJKLMNOPQRSTUVWXYZsrł")
_AHEAD = frozenset(_SIGNS + "%‰万만억亿조tTmMbBpP" + "".join(code[0] for code in _CODES.split("|")))


class _Fold(dict[int, int]):
    """NFKC for each character that stays one character; superscripts, fractions and the like stay as they are."""

    def __missing__(self, code: int) -> int:
        char = chr(code)
        folded = unicodedata.normalize("NFKC", char)
        kept = code
        if char in _SPACES:
            kept = 0xA0
        elif char == "\u2019":
            kept = 0x27
        elif len(folded) == 1 and not unicodedata.decomposition(char).startswith(("<super>", "<sub>", "<circle>")):
            digit = unicodedata.decimal(folded, None)
            kept = ord(folded) if digit is None else 0x30 + digit
        self[code] = kept
        return kept


_FOLD = _Fold()


def _plain(body: str, mark: str) -> Reading:
    whole, _, decimals = body.partition(mark)
    return Reading(Decimal(f"{whole}.{decimals}"), ONE.scaleb(-len(decimals)))


def _grouped(body: str, mark: str) -> bool:
    return _GROUPS["\\." if mark == "." else mark].fullmatch(body) is not None and body[0] != "0"


@lru_cache(maxsize=65536)
def _read(body: str) -> tuple[Reading, ...]:
    """The readings of bare digits with separators; empty where they form no number."""
    if body.isdecimal():
        return (Reading(Decimal(body), ONE),)
    if "e" in body or "E" in body:
        mantissa, _, exponent = body.lower().partition("e")
        return tuple(Reading(r.value.scaleb(int(exponent)), r.quantum.scaleb(int(exponent))) for r in _read(mantissa))
    if body[0] == ".":
        return (_plain("0" + body, "."),)
    marks = [char for char in body if not char.isdecimal()]
    kinds = list(dict.fromkeys(marks))
    last = marks[-1]
    if len(kinds) == 1:
        found = []
        if _grouped(body, last):
            found.append(Reading(Decimal(body.replace(last, "")), ONE))
        if len(marks) == 1 and last in ".,":
            found.append(_plain(body, last))
        if last == "." and len(found) == 2:
            found.reverse()
        return tuple(found)
    if len(kinds) == 2 and marks.count(last) == 1 and last in ".,":
        whole, _, decimals = body.rpartition(last)
        if _grouped(whole, kinds[0]):
            return (Reading(Decimal(whole.replace(kinds[0], "") + "." + decimals), ONE.scaleb(-len(decimals))),)
    return ()


def _moved(readings: tuple[Reading, ...], digits: int) -> tuple[Reading, ...]:
    return tuple(Reading(value.scaleb(digits), quantum.scaleb(digits)) for value, quantum in readings)


def _pieces(body: str) -> list[tuple[int, str]]:
    """The parts of digits that form no number together (``2,12.5,300``), cut at the commas; none for ``1.2.3``."""
    found, at = [], 0
    for piece in re.split(r"[,'\u00a0]", body):
        if piece and _read(piece):
            found.append((at, piece))
        at += len(piece) + 1
    return found if len(found) > 1 else []


def _dress(text: str, start: int, end: int, readings: tuple[Reading, ...]) -> Number:
    """The number with what stands around its digits applied: sign, brackets, currency, percent, scale word."""
    head = _HEAD.search(text[max(0, start - 8) : start])
    tail = _TAIL.match(text, end)
    assert head is not None  # both match the empty text
    assert tail is not None
    ratio, scale, sign = tail["ratio"], tail["scale"], head["sign"]
    if ratio:
        readings = _moved(readings, -_RATIO[ratio.strip(" \u00a0").lower()])
    elif scale:
        word = scale.lower()
        readings = _moved(readings, _SUFFIX[word]) + (readings if word in _MAYBE_SCALED else ())
    if (head["open"] and tail["close"] and not sign) or tail["minus"]:
        readings = tuple(Reading(-value, quantum) for value, quantum in readings) + readings
    elif sign and sign != "+":
        readings = tuple(Reading(-value, quantum) for value, quantum in readings)
    currency = head["cur"] or head["inner"] or tail["cur"] or ""
    return Number(start, end, text[start:end], readings, ratio is not None, currency)


def numbers(text: str) -> tuple[Number, ...]:
    """Every number in ``text``, in order of its start; offsets are those of ``text``."""
    folded = text if text.isascii() else text.translate(_FOLD)
    taken = [token[:2] for token in dates(folded)] + [token[:2] for token in times(folded)]
    found: list[Number] = []
    for match in _BODY.finditer(folded):
        start, end = match.span()
        before, after = folded[start - 1 : start], folded[end : end + 1]
        if taken and any(first <= start < last for first, last in taken):
            continue
        if before in _CHAIN and _IDENTIFIER.search(folded[max(0, start - 40) : start]):
            continue
        if after.isalpha() and _GLUED.match(folded, end):
            continue
        body = match[0]
        readings = _read(body)
        if not readings:
            found += [
                Number(start + at, start + at + len(piece), text[start + at : start + at + len(piece)], _read(piece))
                for at, piece in _pieces(body)
            ]
        elif before in _BARE and after in _BARE and not (before == " " and folded[start - 2 : start - 1] in _MONEY):
            ahead = folded[end + 1 : end + 2]
            if ahead in _AHEAD:
                found.append(_dress(folded, start, end, readings))
            else:
                found.append(Number(start, end, body, readings))
        else:
            found.append(_dress(folded, start, end, readings))
    if " " in folded:
        joined = [
            _spaced(text, match)
            for match in _SPACED.finditer(folded)
            if not any(a <= match.start() < b for a, b in taken)
        ]
        if joined:
            found = sorted(found + joined, key=lambda number: (number.start, number.joined))
    if folded is not text:
        found = [number._replace(text=text[number.start : number.end]) for number in found]
    return tuple(found)


def _spaced(text: str, match: re.Match[str]) -> Number:
    """A number grouped by plain spaces; it may as well be several numbers in a row."""
    digits = match[0].replace(" ", "").replace(",", ".")
    decimals = len(digits.partition(".")[2])
    before = text[match.start() - 1 : match.start()]
    value = Decimal(digits)
    if before in ("-", "\u2212"):
        value = -value
    reading = Reading(value, ONE.scaleb(-decimals))
    return Number(match.start(), match.end(), text[match.start() : match.end()], (reading,), joined=True)


def shows(
    number: Number, value: Decimal | int, tolerance: Decimal | None = None, *, scales: Sequence[Decimal] = SCALES
) -> bool:
    """Whether ``number`` may be a printed form of ``value``.

    ``tolerance`` is how far the printed number may be away, on the scale of ``value``; None means half of the
    number's own quantum. ``scales`` are tried on the printed number: ``EXACT`` for the number as it stands.
    """
    for printed, quantum in number.readings:
        for scale in scales:
            allowed = quantum * HALF * scale if tolerance is None else tolerance
            if abs(printed * scale - value) <= allowed:
                return True
    return False


def spans(number: Number, scale: Decimal) -> list[tuple[Decimal, Decimal]]:
    """From where to where the values are of which :func:`shows` says that ``number`` may be a printed form."""
    return [
        ((printed - quantum * HALF) * scale, (printed + quantum * HALF) * scale) for printed, quantum in number.readings
    ]


def significant(number: Number | Decimal | int) -> int:
    """Digits between the first and the last that is not zero: 1,200.00 has two, 12.50 three; at least 1."""
    digits = number.text if isinstance(number, Number) else format(Decimal(number), "f")
    bare = "".join(char for char in re.split("[eE]", digits)[0] if char.isdecimal())
    return max(1, len(bare.strip("0")))


def parse_number(text: str, decimal_mark: Literal[".", ","] | None = None) -> Decimal | None:
    """The number that ``text`` is as a whole, or None; sign, currency, percent and k/M/bn may stand with it.

    ``decimal_mark`` settles ``1.234``; without it a comma before three digits groups, and a point is decimal.
    """
    stripped = text.strip()
    if _SCIENTIFIC.fullmatch(stripped):
        return Decimal(stripped)
    found = numbers(stripped)
    joined = [number for number in found if number.joined]
    if len(joined) == 1 and joined[0].start == found[0].start and found[-1].end <= joined[0].end:
        found = tuple(joined)
    if len(found) != 1:
        return None
    number = found[0]
    before, after = stripped[: number.start], stripped[number.end :]
    if not _AROUND.fullmatch(before + after):
        return None
    if decimal_mark is not None and len(_read(number.text)) == 2 and decimal_mark not in number.text:
        bare = "".join(char for char in number.text if char.isdecimal())
        return parse_number(before + bare + after)
    if decimal_mark == "," and len(_read(number.text)) == 2:
        return parse_number(before + number.text.replace(",", ".") + after)
    return number.readings[0].value
