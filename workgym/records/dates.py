"""Printed forms of dates and times, as offices write them.

``dates`` and ``times`` find them in a text, with every reading that the form allows: ``3/2/2026``
has two, ``2 March 2026`` has one. ``parse_date`` and ``parse_time`` take a text that is one as a
whole, and answer only where there is a single reading. Years of two digits are of this century.
"""

from __future__ import annotations

import datetime
import re
from typing import NamedTuple

_MONTHS = (
    ("january", "jan", "januar", "janvier"),
    ("february", "feb", "februar", "février"),
    ("march", "mar", "märz", "mars"),
    ("april", "apr", "avril"),
    ("may", "mai"),
    ("june", "jun", "juni", "juin"),
    ("july", "jul", "juli", "juillet"),
    ("august", "aug", "août"),
    ("september", "sep", "sept", "septembre"),
    ("october", "oct", "oktober", "okt", "octobre"),
    ("november", "nov", "novembre"),
    ("december", "dec", "dezember", "dez", "décembre"),
)
_MONTH = {name: number for number, names in enumerate(_MONTHS, 1) for name in names}
_NAME = "|".join(sorted(_MONTH, key=len, reverse=True))
_YEAR = r"(?:19|20)\d\d"
_DATE = re.compile(
    rf"(?<![\w.,/:-])(?:"
    rf"(?P<y1>{_YEAR})(?P<s1>[-/.])(?P<m1>\d\d?)(?P=s1)(?P<d1>\d\d?)(?=T\d|(?![\w/-]))"
    rf"|(?P<a>\d\d?)(?P<s2>[./-])(?P<b>\d\d?)(?P=s2)(?P<y2>{_YEAR}|\d\d)(?![\w/-]|\.\d)"
    rf"|(?P<d3>\d\d?)(?:st|nd|rd|th|\.)?[ \u00a0-]?(?:of )?(?P<m3>{_NAME})\b\.?,?[ \u00a0-]?"
    rf"(?P<y3>{_YEAR}|\d\d(?=$|[^\w.:]))(?!\w)"
    rf"|(?P<m4>{_NAME})\.?[ \u00a0](?P<d4>\d\d?)(?:st|nd|rd|th)?,?[ \u00a0](?P<y4>{_YEAR})(?!\w)"
    rf")",
    re.IGNORECASE,
)
_DAY = re.compile(
    rf"(?<![\w.,/:-])(?P<d>\d\d?)(?:st|nd|rd|th|\.)?[ \u00a0-]?(?:of )?(?:{_NAME})\b"
    rf"|(?<!\w)(?:{_NAME})\.?[ \u00a0](?P<e>\d\d?)(?:st|nd|rd|th)?(?!\w|[.,]\d)",
    re.IGNORECASE,
)
_NUMERIC = re.compile(r"\d[-/.]\d\d?[-/.]\d")
_MONTHLY = re.compile(r"jan|feb|m[aä]r|apr|ma[iy]|ju[nil]|aug|sep|o[ck]t|nov|de[cz]|avr|f[eé]v|aoû|déc", re.IGNORECASE)
_TIME = re.compile(
    r"(?<![\w:.,])(?P<h>[01]?\d|2[0-4]):(?P<m>[0-5]\d)(?::(?P<s>[0-5]\d)(?:\.\d+)?)?"
    r"(?:[ \u00a0]?(?P<ap>[ap])\.?m\b\.?)?(?![\w:])"
    r"|(?<=T)(?P<h2>[01]\d|2[0-3]):(?P<m2>[0-5]\d)(?::(?P<s2>[0-5]\d)(?:\.\d+)?)?",
    re.IGNORECASE,
)
_WEEKDAY = re.compile(
    r"^(?:mon|tue|wed|thu|fri|sat|sun|mo|di|mi|do|fr|sa|so)(?:day|sday|nesday|rsday|urday)?\.?,?[ \u00a0]+",
    re.IGNORECASE,
)
_CLOCK_TAIL = re.compile(r"^(?:[T ,]+(?:\d\d?:\d\d(?::\d\d(?:\.\d+)?)?)(?:Z| ?[+-]\d\d:?\d\d)?)?$")


class DateToken(NamedTuple):
    """A date in a text: ``text[start:end]``, and what it may mean, the likeliest first."""

    start: int
    """First character."""
    end: int
    """One past the last character."""
    values: tuple[datetime.date, ...]
    """One date, or two where day and month could change places."""


class TimeToken(NamedTuple):
    """A time of day in a text."""

    start: int
    """First character."""
    end: int
    """One past the last character."""
    value: datetime.time
    """The time; ``24:00`` is midnight."""


def _make(year: str, *orders: tuple[int, int]) -> tuple[datetime.date, ...]:
    full = int(year) if len(year) == 4 else 2000 + int(year)
    found: list[datetime.date] = []
    for month, day in orders:
        try:
            made = datetime.date(full, month, day)
        except ValueError:
            continue
        if made not in found:
            found.append(made)
    return tuple(found)


def _values(match: re.Match[str]) -> tuple[datetime.date, ...]:
    if match["y1"]:
        return _make(match["y1"], (int(match["m1"]), int(match["d1"])))
    if match["a"]:
        first, second = int(match["a"]), int(match["b"])
        if match["s2"] == ".":
            return _make(match["y2"], (second, first))
        if match["s2"] == "-" and len(match["y2"]) == 2:
            return ()
        return _make(match["y2"], (first, second), (second, first))
    if match["d3"]:
        return _make(match["y3"], (_MONTH[match["m3"].lower()], int(match["d3"])))
    return _make(match["y4"], (_MONTH[match["m4"].lower()], int(match["d4"])))


def dates(text: str) -> tuple[DateToken, ...]:
    """Every date in ``text``, in order."""
    if _NUMERIC.search(text) is None and _MONTHLY.search(text) is None:
        return ()
    found = []
    for match in _DATE.finditer(text):
        values = _values(match)
        if values:
            found.append(DateToken(match.start(), match.end(), values))
    return tuple(found)


def days(text: str) -> tuple[tuple[int, int], ...]:
    """Where the number of a day stands beside its month, with a year or without: ``30 October``, ``May 3rd``."""
    if _MONTHLY.search(text) is None:
        return ()
    return tuple(match.span("d" if match["d"] else "e") for match in _DAY.finditer(text))


def times(text: str) -> tuple[TimeToken, ...]:
    """Every time of day in ``text`` that is written with a colon, in order."""
    if ":" not in text:
        return ()
    found = []
    for match in _TIME.finditer(text):
        hour, minute = int(match["h"] or match["h2"]), int(match["m"] or match["m2"])
        second = int(match["s"] or match["s2"] or 0)
        half = (match["ap"] or "").lower()
        if half:
            if not 1 <= hour <= 12:
                continue
            hour = hour % 12 + (12 if half == "p" else 0)
        if hour == 24:
            if minute or second:
                continue
            hour = 0
        found.append(TimeToken(match.start(), match.end(), datetime.time(hour, minute, second)))
    return tuple(found)


def date_candidates(text: str) -> tuple[datetime.date, ...]:
    """What a text that is a date as a whole may mean: none, one, or two dates.

    A weekday before it and a time after it are allowed; ``20260302`` is read too.
    """
    stripped = _WEEKDAY.sub("", text.strip())
    if len(stripped) >= 8 and stripped[:8].isdecimal() and (len(stripped) == 8 or stripped[8] == "T"):
        return _make(stripped[:4], (int(stripped[4:6]), int(stripped[6:8])))
    match = _DATE.match(stripped)
    if match is None or not _CLOCK_TAIL.match(stripped[match.end() :]):
        return ()
    return _values(match)


def parse_date(text: str) -> datetime.date | None:
    """The date that ``text`` is as a whole, or None where it is none or could be two."""
    found = date_candidates(text)
    return found[0] if len(found) == 1 else None


def parse_time(text: str) -> datetime.time | None:
    """The time of day that ``text`` is as a whole, or None."""
    stripped = text.strip()
    match = _TIME.match(stripped)
    if match is None or match.end() != len(stripped):
        return None
    found = times(stripped)
    return found[0].value if found else None
