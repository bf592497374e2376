"""Words of a page put together to lines, for every format that has pages: text layers and recognised pictures."""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter
from typing import NamedTuple

from workgym.documents.model import Fragment, piece

_WIDE = 0.8  # of the line's height: between a stretched word space (0.6) and the padding of a narrow cell (1.1)

_LEFT, _BASE = itemgetter(0), itemgetter(2)


class Word(NamedTuple):
    """Characters that stand together; lengths in points, ``base`` from the foot of the page."""

    left: float
    right: float
    base: float
    height: float
    text: str


class Line(NamedTuple):
    """What stands on one baseline, and the left and right edge of each of its parts."""

    text: str
    edges: tuple[tuple[float, float], ...]


def lines(words: Iterable[Word]) -> list[Line]:
    """Visual lines from the top; words belong together whose baselines differ by less than a third of their height."""
    rows: list[list[Word]] = []
    top, tall = float("inf"), 0.0
    # From the left, then from the top: sorting keeps the order of what is equal.
    for word in sorted(sorted(words, key=_LEFT), key=_BASE, reverse=True):
        height = word[3] if word[3] < tall else tall
        if top - word[2] < 0.34 * (height if height > 1.0 else 1.0):
            rows[-1].append(word)
        else:
            rows.append([word])
            top, tall = word[2], word[3]
    return [_joined(sorted(row, key=_LEFT)) for row in rows]


def fragments(words: Iterable[Word], page: int) -> list[Fragment]:
    """The lines of a page, ``p1l14``."""
    return [
        piece(f"p{page}l{row}", line.text, f"p{page}", row, None, edges=line.edges)
        for row, line in enumerate(lines(words), 1)
    ]


def _joined(row: list[Word]) -> Line:
    start, end, _, tall, first = row[0]
    texts, edges = [first], []
    for left, right, _, height, text in row[1:]:
        gap = left - end
        if gap > _WIDE * (height if height > tall else tall):
            texts.append("  ")
            edges.append((round(start, 1), round(end, 1)))
            start = left
        elif gap > -0.2 * height:
            texts.append(" ")
        texts.append(text)
        end, tall = right, height
    edges.append((round(start, 1), round(end, 1)))
    return Line("".join(texts), tuple(edges))
