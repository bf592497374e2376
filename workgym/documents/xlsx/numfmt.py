"""Spreadsheet number formats: what a cell shows, and whether its number is a date.

The common part of ECMA-376 part 1, 18.8.31: sections with their conditions, digit placeholders, percent, thousands,
scaling commas, exponents, literals, colours and currencies in brackets, dates, times and elapsed time, and what a
format makes of texts. A fraction (``# ?/?``) is shown as General. Rounding is half away from zero on the 15 digits that
a spreadsheet keeps.
"""

from __future__ import annotations

import datetime
import operator
import re
from collections.abc import Callable
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
_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)\s*(-?\d{1,15}(?:\.\d{1,15})?)")
_FIFTEEN = Context(prec=15, rounding=ROUND_HALF_UP)
_ELEVEN = Context(prec=11, rounding=ROUND_HALF_UP)
_FARTHEST = 400
"""Power of ten beyond which no spreadsheet has numbers; written out they would be as long as that."""
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
    condition: tuple[str, Decimal] | None
    """The numbers that it is for: ``>=`` and a limit; None where that follows from its place."""

    @property
    def silent(self) -> bool:
        """Whether it shows nothing of any content."""
        return all(kind == "condition" or (kind == "literal" and not text.strip()) for kind, text in self.tokens)


def tidy(raw: str) -> Decimal:
    """The number in a cell, at the 15 significant digits that spreadsheets keep. Raises ValueError."""
    try:
        number = Decimal(raw)
    except InvalidOperation as error:
        raise ValueError(f"{raw[:40]!r} is not a number") from error
    if not number.is_finite() or abs(number.adjusted()) > _FARTHEST:
        raise ValueError(f"{raw[:40]!r} is not a number")
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
            elif _CONDITION.fullmatch(text):
                sections[-1].append(("condition", text))
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
        match = next((_CONDITION.fullmatch(text) for name, text in tokens if name == "condition"), None)
        condition = None if match is None else (match[1], Decimal(match[2]))
        digits, exponent = core.count("0"), mantissa != pattern
        made.append(_Section(tuple(tokens), kind, places, "," in core, digits, shift, exponent, condition))
    return tuple(made)


@lru_cache(maxsize=1024)
def _parted(code: str) -> tuple[tuple[_Section, ...], _Section | None]:
    """The sections for numbers, and the one for texts; that is the fourth, or a last one with nothing but ``@``."""
    sections = _sections(code)
    if len(sections) > 3:
        return sections[:3], sections[3]
    if sections[-1].kind == "text":
        return sections[:-1] or sections, sections[-1]
    return sections, None


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
    if section.shift:
        value = value.scaleb(section.shift)
    if section.exponent:
        mantissa, _, exponent = f"{value:.{section.decimals}E}".partition("E")
        return f"{mantissa}E{exponent[0]}{exponent[1:].zfill(2)}"
    if value.adjusted() > 60:
        return general(value)
    step = _step(section.decimals)
    rounded = value if value.same_quantum(step) else value.quantize(step, ROUND_HALF_UP, _WIDE)
    text = f"{rounded:,f}" if section.grouped else f"{rounded:f}"
    if section.digits == 1:
        return text
    whole, point, decimals = text.partition(".")
    if section.digits == 0 and whole == "0":
        whole = ""
    elif len(whole) < section.digits:
        whole = whole.zfill(section.digits)
    return whole + point + decimals


_WIDE = Context(prec=120)


@lru_cache(maxsize=64)
def _step(decimals: int) -> Decimal:
    return Decimal(1).scaleb(-decimals)


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


_HOLDS: dict[str, Callable[[Decimal, Decimal], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq, "<>": operator.ne,
}  # fmt: skip


def _chosen(value: Decimal, sections: tuple[_Section, ...]) -> tuple[_Section, str]:
    """The section for a number, and the sign that stands before it: one that is for negative numbers only has none."""
    if not any(section.condition for section in sections):
        at = 1 if value < 0 and len(sections) > 1 else 2 if value == 0 and len(sections) > 2 else 0
        return sections[at], "-" if value < 0 and at == 0 else ""
    positive = False
    for section in sections:
        if section.condition is not None:
            sign, limit = section.condition
            if _HOLDS[sign](value, limit):
                return section, "-" if value < 0 and not (sign in ("<", "<=", "=") and limit <= 0) else ""
            positive = positive or (sign in (">", ">=") and limit <= 0)
    rest = next((section for section in sections if section.condition is None), sections[-1])
    return rest, "-" if value < 0 and not positive else ""


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


@lru_cache(maxsize=1024)
def _simple(code: str) -> tuple[_Section, str, str] | None:
    """The only section of a format that has one group of digits and at most literals and percent signs around it."""
    section, *others = _sections(code)
    kinds, texts = [kind for kind, _ in section.tokens], [text for _, text in section.tokens]
    if others or section.kind != "number" or "/" in texts or kinds.count("digits") != 1:
        return None
    if set(kinds) - {"digits", "literal", "percent"}:
        return None
    at = kinds.index("digits")
    return section, "".join(texts[:at]), "".join(texts[at + 1 :])


def is_plain(code: str) -> bool:
    """Whether what the format shows gets longer only as numbers of one sign lie farther from 0."""
    simple = _simple(code)
    return simple is not None and not simple[0].exponent


def display(value: Decimal, code: str, *, from_1904: bool = False) -> str:
    """What a cell with this number and this format shows."""
    if code == "General":
        return general(value)
    simple = _simple(code)
    if simple is not None:
        section, before, behind = simple
        return f"{'-' if value < 0 else ''}{before}{_number(abs(value), section)}{behind}".strip()
    section, sign = _chosen(value, _parted(code)[0])
    value = abs(value)
    if section.kind in ("date", "time", "datetime", "elapsed"):
        when = moment(value, from_1904=from_1904)
        if when is None or (sign and section.kind != "elapsed"):
            return "####"
        return sign + _clock(section, value, when)
    if section.kind == "text" or any(kind == "literal" and text == "/" for kind, text in section.tokens):
        return sign + general(value)
    groups = [text for kind, text in section.tokens if kind == "digits"]
    written = _spread(value, groups) if _is_mask(section, groups) else [_number(value, section)]
    shown = []
    for kind, text in section.tokens:
        if kind == "digits":
            shown.append(written.pop(0) if written else "")
        elif kind == "general":
            shown.append(general(value))
        elif kind == "percent":
            shown.append("%")
        elif kind == "literal":
            shown.append(text)
    return (sign + "".join(shown)).strip()


def _is_mask(section: _Section, groups: list[str]) -> bool:
    """Whether the digits of a number are dealt out to several groups (``000-00-0000``)."""
    return len(groups) > 1 and not section.shift and all(set(group) <= set("0#?") for group in groups)


def _spread(value: Decimal, groups: list[str]) -> list[str]:
    """The digits of a whole number for each group, the first taking what is left."""
    digits = f"{value.quantize(Decimal(1), ROUND_HALF_UP, _WIDE):f}" if value.adjusted() <= 60 else general(value)
    digits = digits.lstrip("0").zfill("".join(groups).count("0"))
    found = []
    for group in reversed(groups[1:]):
        found.append(digits[max(0, len(digits) - len(group)) :])
        digits = digits[: max(0, len(digits) - len(group))]
    return [digits, *reversed(found)]


def text(content: str, code: str) -> str:
    """What a cell with this text and this format shows."""
    section = None if code == "General" else _parted(code)[1]
    if section is None:
        return content
    made = "".join(content if kind == "at" else piece for kind, piece in section.tokens if kind in ("at", "literal"))
    return content if made.strip() == content.strip() else made.strip()


@lru_cache(maxsize=1024)
def silent(code: str) -> tuple[bool, bool]:
    """Whether a format shows nothing of some numbers, and whether it shows nothing of texts."""
    numbers, texts = _parted(code)
    return any(section.silent for section in numbers), texts is not None and texts.silent
