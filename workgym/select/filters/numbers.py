"""Whether a number of a message stands in what was read or handed in, as it is or rounded."""

from __future__ import annotations

import bisect
from collections.abc import Iterable
from decimal import Decimal
from functools import cached_property

from workgym.records.surface import HALF, SCALES, Number, dates, numbers, significant, times

_SCALES = (*SCALES, Decimal("0.001"), Decimal("0.000001"))
_LONGEST = 18
"""Digits beyond which a number is an identifier."""


def told(text: str, digits: int) -> list[Number]:
    """Numbers of a message that state something: of enough digits, no dates, times, years or identifiers."""
    taken = [(token.start, token.end) for token in dates(text)] + [(token.start, token.end) for token in times(text)]
    found = [one for one in numbers(text) if not any(start < one.end and one.start < end for start, end in taken)]
    return [one for one in found if digits <= significant(one) <= _LONGEST and not _year(one)]


def _year(number: Number) -> bool:
    return number.text.isdecimal() and len(number.text) == 4 and 1900 <= int(number.text) <= 2100


class Known:
    """Numbers that stand in texts."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = tuple(dict.fromkeys(texts))

    @cached_property
    def _values(self) -> list[float]:
        values = {float(reading.value) for text in self._texts for one in numbers(text) for reading in one.readings}
        return sorted(values | {-value for value in values})

    def shows(self, number: Number) -> bool:
        """Whether the number is one of them: as printed, or rounded, in thousands, as a percentage."""
        for value, quantum in number.readings:
            for scale in _SCALES:
                middle, half = float(value * scale), float(quantum * HALF * scale)
                half += abs(middle) * 1e-12
                at = bisect.bisect_left(self._values, middle - half)
                if at < len(self._values) and self._values[at] <= middle + half:
                    return True
        return False
