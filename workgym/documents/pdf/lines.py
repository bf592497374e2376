"""Words of a page put together to lines, for every format that has pages: text layers and recognised pictures."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from workgym.documents.model import Fragment, piece

_WIDE = 0.8  # of the line's height: between a stretched word space (0.6) and the padding of a narrow cell (1.1)


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
    for word in sorted(words, key=lambda word: (-word.base, word.left)):
        if rows and rows[-1][0].base - word.base < 0.34 * max(min(rows[-1][0].height, word.height), 1.0):
            rows[-1].append(word)
        else:
            rows.append([word])
    return [_joined(sorted(row, key=lambda word: word.left)) for row in rows]


def fragments(words: Iterable[Word], page: int) -> list[Fragment]:
    """The lines of a page, ``p1l14``."""
    return [
        piece(f"p{page}l{row}", line.text, f"p{page}", row, None, edges=line.edges)
        for row, line in enumerate(lines(words), 1)
    ]


def _joined(row: list[Word]) -> Line:
    text, edges = row[0].text, [(row[0].left, row[0].right)]
    for before, word in pairwise(row):
        gap = word.left - before.right
        if gap > _WIDE * max(before.height, word.height):
            text += "  " + word.text
            edges.append((word.left, word.right))
        else:
            text += (" " if gap > -0.2 * word.height else "") + word.text
            edges[-1] = (edges[-1][0], word.right)
    return Line(text, tuple((round(left, 1), round(right, 1)) for left, right in edges))
