# Guest code of the expert: runs inside the sandbox, standard library only, never imports workgym.
"""Texts into values: numbers, rates, dates, times and rows as people write them. It is sent as the end of ``desk``."""

import datetime
import re
from decimal import Decimal, InvalidOperation

_NUMBER = re.compile(r"[-+\u2212]?\d[\d.,'\u2019\u00a0\u202f ]*")
_MONTHS = "january february march april may june july august september october november december".split()


def number(text):
    """The number in a text such as ``USD 1,234.50``, ``1.234,50``, ``(12.00)``, ``8.5 %``. Raises ValueError.

    The percent sign is not applied; see ``percent``. A single separator before exactly three digits groups
    thousands when it is a comma, and is a decimal point when it is a point.
    """
    text = str(text).strip()
    found = _NUMBER.findall(text)
    if len(found) != 1:
        raise ValueError(f"{text!r} is not one number")
    digits = re.sub(r"['\u2019\u00a0\u202f ]", "", found[0]).rstrip(".,").replace("\u2212", "-")
    if "," in digits and "." in digits:
        group, point = (",", ".") if digits.rfind(".") > digits.rfind(",") else (".", ",")
        whole, _, rest = digits.partition(point)
    else:
        group = "," if digits.count(",") > 1 or re.search(r",\d{3}$", digits) else "." if digits.count(".") > 1 else ""
        whole, _, rest = (digits, "", "") if group else digits.replace(",", ".").partition(".")
    if group and group in whole and not re.fullmatch(rf"[-+]?\d{{1,3}}(\{group}\d{{3}})+", whole):
        raise ValueError(f"{text!r} is not a number")
    digits = (whole.replace(group, "") if group else whole) + (f".{rest}" if rest else "")
    try:
        value = Decimal(digits)
    except InvalidOperation:
        raise ValueError(f"{text!r} is not a number") from None
    return -value if re.search(r"\(\s*[^()]*\d[^()]*\)", text) and value > 0 and "-" not in digits else value


def percent(text):
    """A rate as a fraction: ``8.5 %`` is 0.085; a text without the sign is taken as it stands."""
    value = number(text)
    return value / 100 if re.search(r"%|per ?cent", str(text)) else value


def date(text, day_first=None):
    """The date in a text: ISO, ``2 March 2026``, ``March 2, 2026``, ``2.3.2026``, ``2/3/2026``.

    Raises ValueError where there is none, or where day and month could change places and ``day_first`` does not say.
    """
    text = str(text)
    iso = re.search(r"(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)", text)
    if iso:
        return datetime.date(*map(int, iso.groups()))
    named = re.search(r"(\d{1,2})(?:st|nd|rd|th|\.)?(?: of)?[ \u00a0-]+([A-Za-z]{3,9})\.?,?[ \u00a0-]+(\d{4})", text)
    if named and _month(named[2]):
        return datetime.date(int(named[3]), _month(named[2]), int(named[1]))
    named = re.search(r"([A-Za-z]{3,9})\.?[ \u00a0]+(\d{1,2})(?:st|nd|rd|th)?,?[ \u00a0]+(\d{4})", text)
    if named and _month(named[1]):
        return datetime.date(int(named[3]), _month(named[1]), int(named[2]))
    plain = re.search(r"(?<!\d)(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?!\d)", text)
    if plain:
        first, second, year = int(plain[1]), int(plain[3]), int(plain[4])
        if plain[2] == "." or first > 12 or day_first:
            return datetime.date(year, second, first)
        if second > 12 or day_first is False or first == second:
            return datetime.date(year, first, second)
        raise ValueError(f"{text!r}: day and month could change places; say day_first")
    raise ValueError(f"{text!r} holds no date")


def clock(text):
    """The time of day in a text such as ``07:30`` or ``7:30 pm``. Raises ValueError."""
    found = re.search(r"(?<![\d:])(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\s*([ap])\.?m\b)?", str(text), re.I)
    if not found:
        raise ValueError(f"{text!r} holds no time")
    hour = int(found[1]) % 12 + (12 if found[4].lower() == "p" else 0) if found[4] else int(found[1])
    return datetime.time(hour, int(found[2]), int(found[3] or 0))


def records(rows, *headings, to_blank=False):
    """Rows as dicts under their headings: the first row that holds all of ``headings`` (any case) is the header.

    Without ``headings`` the first row with anything in it is. Empty rows are left out; with ``to_blank`` the first one
    below ends the table. Raises ValueError.
    """
    wanted = [heading.strip().lower() for heading in headings]
    for place, row in enumerate(rows):
        names = [cell.strip() for cell in row]
        lower = [name.lower() for name in names]
        if any(names) and all(heading in lower for heading in wanted):
            below = [[cell.strip() for cell in row] for row in rows[place + 1 :]]
            if to_blank:
                below = below[: next((at for at, cells in enumerate(below) if not any(cells)), None)]
            return [dict(zip(names, cells)) for cells in below if any(cells)]  # noqa: B905
    raise ValueError(f"no row has the headings {', '.join(headings)}")


def _month(word):
    fits = [place for place, name in enumerate(_MONTHS, 1) if name.startswith(word.lower())]
    return fits[0] if len(fits) == 1 else (fits[0] if word.lower() in ("jun", "jul", "mar", "may") else 0)
