"""Spreadsheet number formats: what a cell shows, and whether its number is a date.

The common part of ECMA-376 part 1, 18.8.31: sections, digit placeholders, percent, thousands, scaling commas,
exponents, literals, colours and currencies in brackets, dates, times and elapsed time. A fraction (``# ?/?``) is
shown as General. Rounding is half away from zero on the 15 digits that a spreadsheet keeps.
"""

from __future__ import annotations

import datetime
import re
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from functools import lru_cache
from typing import Literal, NamedTuple

BUILT_IN = {
    0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00",
    12: "# ?/?", 13: "# ??/??", 14: "m/d/yyyy", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM",
    19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss", 22: "m/d/yyyy h:mm",
    37: "#,##0_);(#,##0)", 38: "#,##0_);[Red](#,##0)", 39: "#,##0.00_);(#,##0.00)",
    40: "#,##0.00_);[Red](#,##0.00)", 41: "#,##0_);(#,##0);\\-_)", 42: '"$"#,##0_);("$"#,##0);"$"\\-_)',
    43: "#,##0.00_);(#,##0.00);\\-_)", 44: '"$"#,##0.00_);("$"#,##0.00);"$"\\-_)', 45: "mm:ss",
    46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0", 49: "@",
}  # fmt: skip
"""Formats that a workbook refers to by number only."""

FormatKind = Literal["number", "date", "time", "datetime", "elapsed", "text"]
_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|_(?P<pad>.)|\*(?P<fill>.)|\[(?P<bracket>[^\]]*)\]'
    r"|(?P<general>General)|(?P<ampm>AM/PM|A/P)|(?P<date>y+|m+|d+|h+|s+(?:\.0+)?)"
    r"|(?P<digits>[0#?][0#?,.]*(?:E[+-][0#?]+)?|\.[0#?]+)"
    r"|(?P<percent>%)|(?P<at>@)|(?P<other>.)",
    re.IGNORECASE | re.S,
)
_ELAPSED = re.compile(r"h+|m+|s+", re.IGNORECASE)
_FIFTEEN = Context(prec=15, rounding=ROUND_HALF_UP)
_ELEVEN = Context(prec=11, rounding=ROUND_HALF_UP)
_EPOCH = datetime.datetime(1899, 12, 30)
_MONTHS = "January February March April May June July August September October November December".split()
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()


class _Section(NamedTuple):
    """One of the up to four parts of a format."""

    tokens: tuple[tuple[str, str], ...]
    kind: FormatKind
    decimals: int
    grouped: bool
    digits: int
    shift: int
    exponent: bool


def tidy(raw: str) -> Decimal:
    """The number in a cell, at the 15 significant digits that spreadsheets keep. Raises ValueError."""
    try:
        number = Decimal(raw)
    except InvalidOperation as error:
        raise ValueError(f"{raw!r} is not a number") from error
    if not number.is_finite():
        raise ValueError(f"{raw!r} is not a number")
    return number if len(raw) < 16 else _FIFTEEN.plus(number).normalize()


def _tokens(code: str) -> list[list[tuple[str, str]]]:
    sections: list[list[tuple[str, str]]] = [[]]
    for match in _TOKEN.finditer(code):
        kind, text = match.lastgroup or "other", match[match.lastgroup or 0]
        if kind == "other" and text == ";":
            sections.append([])
        elif kind in ("quoted", "escaped", "other"):
            sections[-1].append(("literal", text))
        elif kind == "pad":
            sections[-1].append(("literal", " "))
        elif kind == "bracket":
            if text.startswith("$"):
                sections[-1].append(("literal", text[1:].partition("-")[0]))
            elif _ELAPSED.fullmatch(text):
                sections[-1].append(("elapsed", text.lower()))
        elif kind != "fill":
            sections[-1].append((kind, text))
    return sections


def _minutes(tokens: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """``m`` next to hours or seconds means minutes."""
    found = list(tokens)
    timed = [i for i, (kind, _) in enumerate(found) if kind in ("date", "elapsed")]
    for at, i in enumerate(timed):
        kind, text = found[i]
        if kind == "date" and text[0] in "mM" and len(text) <= 2:
            before = found[timed[at - 1]][1][0].lower() if at else ""
            after = found[timed[at + 1]][1][0].lower() if at + 1 < len(timed) else ""
            if before == "h" or after == "s":
                found[i] = ("minute", text)
    return found


@lru_cache(maxsize=1024)
def _sections(code: str) -> tuple[_Section, ...]:
    made = []
    for raw in _tokens(code):
        tokens = _minutes(raw)
        kinds = {kind for kind, _ in tokens}
        letters = "".join(text[0].lower() for kind, text in tokens if kind == "date")
        clock = bool(kinds & {"minute", "ampm"}) or "h" in letters or "s" in letters
        kind: FormatKind = "number"
        if "elapsed" in kinds:
            kind = "elapsed"
        elif "date" in kinds or "minute" in kinds:
            days = any(letter in letters for letter in "ymd")
            kind = "datetime" if days and clock else "date" if days else "time"
        elif "at" in kinds and "digits" not in kinds:
            kind = "text"
        pattern = next((text for name, text in tokens if name == "digits"), "")
        mantissa = re.split("[eE]", pattern)[0]
        whole, _, decimals = mantissa.partition(".")
        core = whole.rstrip(",")
        scaling = len(whole) - len(core) + len(decimals) - len(decimals.rstrip(","))
        shift = 2 * sum(1 for name, _ in tokens if name == "percent") - 3 * scaling
        places = len(decimals.rstrip(","))
        made.append(_Section(tuple(tokens), kind, places, "," in core, core.count("0"), shift, mantissa != pattern))
    return tuple(made)


def kind(code: str) -> FormatKind:
    """What a number under this format is."""
    return _sections(code)[0].kind


def general(value: Decimal) -> str:
    """A number under ``General``: up to 11 digits, an exponent from 1E+11 on."""
    if value == value.to_integral_value() and abs(value) < 10**11:
        return str(int(value))
    rounded = _ELEVEN.plus(value)
    if rounded and not -5 <= rounded.adjusted() < 11:
        mantissa, _, exponent = f"{rounded:.5E}".partition("E")
        return f"{mantissa.rstrip('0').rstrip('.')}E{exponent[0]}{exponent[1:].zfill(2)}"
    plain = f"{rounded:f}"
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def _number(value: Decimal, section: _Section) -> str:
    value = value.scaleb(section.shift)
    if section.exponent:
        mantissa, _, exponent = f"{value:.{section.decimals}E}".partition("E")
        return f"{mantissa}E{exponent[0]}{exponent[1:].zfill(2)}"
    if value.adjusted() > 60:
        return general(value)
    rounded = value.quantize(Decimal(1).scaleb(-section.decimals), ROUND_HALF_UP, _WIDE)
    text = f"{rounded:,.{section.decimals}f}" if section.grouped else f"{rounded:.{section.decimals}f}"
    whole, point, decimals = text.partition(".")
    if section.digits == 0 and whole == "0":
        whole = ""
    elif len(whole) < section.digits:
        whole = whole.zfill(section.digits)
    return whole + point + decimals


_WIDE = Context(prec=120)


def moment(value: Decimal, *, from_1904: bool = False) -> datetime.datetime | None:
    """The date and time of a serial number, to the millisecond, or None where it has none."""
    if not 0 <= value < 2_958_466:
        return None
    if from_1904:
        value += 1462
    elif value < 60:
        value += 1
    return _EPOCH + datetime.timedelta(milliseconds=int((value * 86_400_000).to_integral_value(ROUND_HALF_UP)))


def _date_part(letters: str, when: datetime.datetime, half: bool) -> str:
    letter, width = letters[0].lower(), len(letters)
    if letter == "y":
        return f"{when.year:04d}" if width > 2 else f"{when.year % 100:02d}"
    if letter == "m":
        name = _MONTHS[when.month - 1]
        return [str(when.month), f"{when.month:02d}", name[:3], name, name[0]][min(width, 5) - 1]
    if letter == "d":
        name = _DAYS[when.weekday()]
        return [str(when.day), f"{when.day:02d}", name[:3], name][min(width, 4) - 1]
    if letter == "h":
        hour = (when.hour % 12 or 12) if half else when.hour
        return f"{hour:02d}" if width > 1 else str(hour)
    whole, point, tail = letters.partition(".")
    second = f"{when.second:02d}" if len(whole) > 1 else str(when.second)
    return second + (f".{when.microsecond // 1000:03d}"[: 1 + len(tail)] if point else "")


def _clock(section: _Section, value: Decimal, when: datetime.datetime) -> str:
    half = any(kind == "ampm" for kind, _ in section.tokens)
    seconds = int((value * 86400).to_integral_value(ROUND_HALF_UP))
    shown = []
    for kind, text in section.tokens:
        if kind == "date":
            shown.append(_date_part(text, when, half))
        elif kind == "minute":
            shown.append(f"{when.minute:02d}" if len(text) > 1 else str(when.minute))
        elif kind == "elapsed":
            shown.append(str(seconds // {"h": 3600, "m": 60, "s": 1}[text[0]]).zfill(len(text)))
        elif kind == "ampm":
            shown.append("AM" if when.hour < 12 else "PM")
        elif kind == "literal":
            shown.append(text)
    return "".join(shown)


def display(value: Decimal, code: str, *, from_1904: bool = False) -> str:
    """What a cell with this number and this format shows."""
    if code == "General":
        return general(value)
    sections = _sections(code)
    section, sign = sections[0], ""
    if value < 0:
        section, sign = (sections[1], "") if len(sections) > 1 else (section, "-")
        value = -value
    elif value == 0 and len(sections) > 2:
        section = sections[2]
    if section.kind in ("date", "time", "datetime", "elapsed"):
        when = moment(value, from_1904=from_1904)
        return (
            sign + _clock(section, value, when)
            if when is not None and not (sign and section.kind != "elapsed")
            else "####"
        )
    if section.kind == "text" or any(kind == "literal" and text == "/" for kind, text in section.tokens):
        return sign + general(value)
    shown, done = [], False
    for kind, text in section.tokens:
        if kind == "digits":
            shown.append("" if done else _number(value, section))
            done = True
        elif kind == "general":
            shown.append(general(value))
        elif kind == "percent":
            shown.append("%")
        elif kind == "literal":
            shown.append(text)
    return (sign + "".join(shown)).strip()
