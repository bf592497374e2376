"""Text for a terminal: counted in columns, cut to a width, and without what a terminal would obey."""

from __future__ import annotations

import re
import unicodedata

_CUT = "..."
_LONGEST = 4000
_PIECES = re.compile(r"\S+|\s+")


def plain(text: str) -> str:
    """One line of what can be shown: control characters, line ends and marks of direction are blanks."""
    shown = "".join(char if char.isprintable() else " " for char in text[:_LONGEST])
    return " ".join(shown.split())


def columns(text: str) -> int:
    """How many columns a line takes, at most: wide characters (Chinese, Japanese, Korean) take two."""
    return sum(2 if unicodedata.east_asian_width(char) in "WFA" and char > "\u2000" else 1 for char in text)


def cut(text: str, width: int) -> str:
    """A text within ``width`` columns, led by the blanks that lead it; dots stand for its end where it is longer."""
    text = " " * (len(text) - len(text.lstrip(" "))) + plain(text)
    if columns(text) <= width:
        return text
    return _fitting(text, width - len(_CUT)).rstrip() + _CUT[: max(0, width)]


def padded(text: str, width: int) -> str:
    """A text cut to ``width`` columns and filled up with blanks."""
    short = cut(text, width)
    return short + " " * (width - columns(short))


def wrapped(text: str, width: int, most: int, *, first: str = "", rest: str = "") -> list[str]:
    """A text in at most ``most`` lines of ``width`` columns, the first and the others with what leads them."""
    lines: list[str] = []
    left = plain(text)
    while left and len(lines) < most:
        lead = rest if lines else first
        room = width - columns(lead)
        if columns(left) <= room or len(lines) == most - 1:
            lines.append(lead + cut(left, room))
            break
        taken = _start(left, room)
        lines.append(lead + taken.rstrip())
        left = left[len(taken) :].lstrip()
    return lines


def _start(text: str, room: int) -> str:
    """As many whole words as fit; the beginning of the first where it alone is too long."""
    taken, used = "", 0
    for piece in _PIECES.findall(text):
        used += columns(piece)
        if used > room:
            break
        taken += piece
    if taken.strip():
        return taken
    return _fitting(text, room) or text[:1]


def _fitting(text: str, room: int) -> str:
    """The beginning of a text that takes no more than ``room`` columns."""
    for at, char in enumerate(text):
        room -= columns(char)
        if room < 0:
            return text[:at]
    return text
