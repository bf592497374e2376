"""Whether a person can see text: its colour on what lies behind it, and its size."""

from __future__ import annotations

import re

WHITE, BLACK = "FFFFFF", "000000"
SMALLEST = 4
"""Points below which text is a speck."""
NARROWEST = 0.3
"""Characters below which a column shows nothing."""
_HEX = re.compile(r"(?:[0-9A-Fa-f]{2})?([0-9A-Fa-f]{6})")
_APART = 24  # of 255 in one channel: F2F2F2 on white cannot be read, D9D9D9 can with effort


def colour(written: str | None) -> str | None:
    """``RRGGBB`` of ``RRGGBB`` or ``AARRGGBB``; None for anything else (``auto``)."""
    match = _HEX.fullmatch(written or "")
    return match[1].upper() if match else None


def unseen(ink: str | None, paper: str | None) -> bool:
    """Whether two colours are too much alike to read one on the other; what is not known can be read."""
    if ink is None or paper is None:
        return False
    return all(abs(int(ink[at : at + 2], 16) - int(paper[at : at + 2], 16)) < _APART for at in (0, 2, 4))
