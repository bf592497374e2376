"""Widths of table columns: what they want, squeezed fairly into the room there is."""

from __future__ import annotations

from workgym.materialize.marks import Marked

TIGHT = 40
"""A column is at least so wide that a printed value of at most so many characters is not broken over lines."""


def fitted(wanted: list[float], least: list[float], room: float) -> list[float]:
    """Widths that add up to ``room`` at most: narrow columns keep theirs, wide ones share what is left."""
    order = sorted(range(len(wanted)), key=lambda at: wanted[at])
    widths, left = dict[int, float](), room
    for number, at in enumerate(order):
        owed = sum(least[other] for other in order[number + 1 :])
        fair = max(least[at], left / (len(order) - number))
        widths[at] = min(wanted[at], fair, max(least[at], left - owed))
        left -= widths[at]
    scale = min(1.0, room / sum(widths.values()))
    return [widths[at] * scale for at in range(len(wanted))]


def chunks(text: Marked) -> list[str]:
    """The stretches of a text that are not broken over lines: words, and printed values as a whole."""
    tight = [(s.start, s.end) for s in text.spans if s.kind != "state" and s.end - s.start <= TIGHT]
    found, start, plain = [], 0, text.plain
    for at, char in enumerate(plain):
        if char in " \n\t" and not any(a < at < b for a, b in tight):
            found.append(plain[start:at])
            start = at + 1
    return [chunk for chunk in [*found, plain[start:]] if chunk]
