"""Cell references: ``B7`` and back, and a place ``Demand!B7`` split into sheet and cell."""

from __future__ import annotations

import re

_REF = re.compile(r"\$?([A-Za-z]{1,3})\$?([1-9]\d{0,6})")
_NUMBERS: dict[str, int] = {}
_LETTERS: dict[int, str] = {}


def column_number(letters: str) -> int:
    """``A`` is 1, ``AA`` is 27."""
    number = _NUMBERS.get(letters)
    if number is None:
        number = 0
        for letter in letters.upper():
            number = number * 26 + ord(letter) - 64
        _NUMBERS[letters] = number
    return number


def column_letters(number: int) -> str:
    """1 is ``A``, 27 is ``AA``."""
    letters = _LETTERS.get(number)
    if letters is None:
        letters, rest = "", number
        while rest:
            rest, last = divmod(rest - 1, 26)
            letters = chr(65 + last) + letters
        _LETTERS[number] = letters
    return letters


def split_reference(reference: str) -> tuple[int, int] | None:
    """Row and column of ``B7``, or None where it is no cell."""
    match = _REF.fullmatch(reference)
    return (int(match[2]), column_number(match[1])) if match else None


def split_place(at: str) -> tuple[str, int, int] | None:
    """Sheet, row and column of ``Demand!B7``, or None where it is no such place."""
    sheet, mark, reference = at.rpartition("!")
    place = split_reference(reference)
    return (sheet, *place) if mark and place else None
