"""Where the papers speak of conventions: words for rounding, limits and counted days, beside what they are about."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from workgym.check.reading import Visible
from workgym.documents import Document, Fragment, paragraphs, sentences
from workgym.graph.variants import Kind

_ROUNDING = (
    r"round(?:s|ed|ing|ings)?|unrounded|half[- ]up|half (?:a )?cents?|nearest|truncat\w*|cut off|fractions?|"
    r"(?:started|full|whole) (?:cents?|pence|euros?|dollars?|pounds?|hours?|half|quarters?|days?|units?|pieces?)"
)
_LIMIT = (
    r"(?:more|less|fewer|longer|shorter|later|earlier|higher|lower|greater|smaller|larger|older|younger|other) than|"
    r"at (?:least|most|the latest|the earliest)|minimum|maximum|on or (?:before|after)|"
    r"or (?:more|less|fewer|later|earlier|above|below|over|under|longer|shorter|higher|lower)|"
    r"and (?:above|below|over|under|more|less|including)|above|below|beyond|over|under|past|exceed\w*|reach\w*|up to|"
    r"until|till|through|throughout|by|within|before|after|since|from|inclu\w+|exclu\w+|first day|last day|"
    r"too late|in time|on time|limit(?:ed)? to|fewer|no longer"
)
_DAYS = (
    r"inclu\w+|exclu\w+|both days|counting|counted|first day|last day|between|nights?|elapsed|calendar days?|"
    r"from .{1,60}? (?:to|until|through|till)|each day|day (?:after|before)|daily|(?:per|a) day|"
    r"days? (?:since|after|before|from|of|passed)"
)
_SAID: Mapping[Kind, str] = {"rounding": _ROUNDING, "limit": _LIMIT, "days": _DAYS}
_WORDS: Mapping[Kind, re.Pattern[str]] = {
    kind: re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE) for kind, words in _SAID.items()
}
_STEM = 5
"""Letters by which a word is known again, and fewest that it has."""
_SHARED: Mapping[Kind, int] = {"rounding": 1, "limit": 2, "days": 2}
"""Words that a sentence shares with what a choice is about, to be taken as speaking of it: few speak of rounding."""


class Block(NamedTuple):
    """A paragraph or a grid."""

    path: str
    at: str
    """Place of its first piece."""
    text: str
    """What it says; of a grid what is printed in it from no unit: headings and notes."""
    units: frozenset[str]
    """The units that are printed there."""
    grid: bool


class Papers:
    """Everything that the solver can read, paragraph by paragraph."""

    def __init__(self, view: Visible) -> None:
        self._view = view

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """All paragraphs and grids, file by file, in their order."""
        return tuple(block for path, document in self._view.documents.items() for block in self._of(path, document))

    def _of(self, path: str, document: Document) -> Iterator[Block]:
        seen = [fragment for fragment in document.fragments if not fragment.hidden]
        place = {fragment.at: number for number, fragment in enumerate(seen)}
        grids: dict[str, list[Fragment]] = {}
        in_prose: set[str] = set()
        found: list[tuple[int, Block]] = []
        for fragments, text in paragraphs(document):
            in_prose |= {fragment.at for fragment in fragments}
            units = frozenset().union(*(self._units(path, fragment) for fragment in fragments))
            found.append((place[fragments[0].at], Block(path, fragments[0].at, text, units, False)))
        for fragment in seen:
            if fragment.at not in in_prose:
                grids.setdefault(fragment.table or "", []).append(fragment)
        for grid in grids.values():
            units = frozenset().union(*(self._units(path, fragment) for fragment in grid))
            free = " | ".join(one.text for one in grid if not self._units(path, one))
            found.append((place[grid[0].at], Block(path, grid[0].at, free, units, True)))
        return (block for _, block in sorted(found, key=lambda one: one[0]))

    def _units(self, path: str, fragment: Fragment) -> frozenset[str]:
        anchors = self._view.anchors.get((path, fragment.at), ())
        return frozenset(anchor.cell.unit for anchor in anchors if anchor.cell is not None)

    def decides(self, kind: Kind, units: Collection[str], about: str) -> bool:
        """Whether some text speaks of a convention where it is looked for.

        That is a paragraph in which one of these units is printed; a grid that prints one (its headings and notes),
        with the paragraphs around it; and any sentence that shares words with ``about``.
        """
        spoken, stems = _WORDS[kind], _stems(about)
        for at, block in enumerate(self.blocks):
            if not block.units.isdisjoint(units):
                wide = block.grid or kind == "rounding"
                beside = self.blocks[max(at - 1, 0) : at + 2] if wide else (block,)
                if any(one.path == block.path and spoken.search(one.text) for one in beside):
                    return True
            elif not block.grid and spoken.search(block.text):
                for sentence in sentences(block.text):
                    if spoken.search(sentence) and len(stems & _stems(sentence)) >= _SHARED[kind]:
                        return True
        return False

    def speak(self, kind: Kind) -> bool:
        """Whether anything that the solver can read has a word for such a convention."""
        return any(_WORDS[kind].search(block.text) for block in self.blocks)


def _stems(text: str) -> frozenset[str]:
    return frozenset(word[:_STEM] for word in re.findall(r"[^\W\d_]{5,}", text.casefold()))
