"""Where the papers speak of conventions: words for rounding, limits and counted days, beside what they are about."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from workgym.check.reading import Visible
from workgym.documents import Document, Fragment, paragraphs, sentences
from workgym.graph.variants import Kind

_ROUNDING = (
    r"round(?:s|ed|ing|ings| to| up| down| off| it| each| only)|unrounded|half[- ]up|half (?:a )?cents?|nearest|"
    r"truncat\w*|cut off|fractions?|(?:started|full|whole) (?:cents?|pence|euros?|dollars?|hours?|half|quarters?)"
)
_LIMIT = (
    r"(?:more|less|fewer|longer|shorter|later|earlier|higher|lower|greater|smaller|larger|older|younger) than|"
    r"at (?:least|most|the latest|the earliest)|minimum|maximum|on or (?:before|after)|exceed\w*|"
    r"or (?:more|less|fewer|later|earlier|above|below|over|under|longer|shorter|higher|lower)|"
    r"and (?:above|below|over|under|more|less|including)|inclu(?:sive|ded)|exclu(?:sive|ded)|(?:too|no) (?:late|longer)"
)
_DAYS = (
    r"inclu(?:sive|ding|des?|ded)|exclu(?:sive|ding|ded)|both days|counting|counted|between|nights?|elapsed|"
    r"calendar days?"
)
_TERM = (
    r"inclu(?:sive|ding|des?|ded)|exclu(?:sive|ding|ded)|counted|counting|not count|elapsed|first day|"
    r"days (?:after|before|following|since|later|earlier)"
)
_BESIDE: Mapping[Kind, str] = {
    "rounding": _ROUNDING,
    "limit": rf"{_LIMIT}|above|below|beyond|over|under|past|reach\w*|up to|until|till|through\w*|by|within|before|"
    r"after|since|from|first day|last day|on time|in time|fewer|later|earlier",
    "days": rf"{_DAYS}|from .{{1,60}}? (?:to|until|through|till)|(?:first|last) day|day (?:after|before)|"
    r"days? (?:since|after|before|from|passed)",
    "term": rf"{_TERM}|days (?:of|from|prior|ahead|net)|net|counts?|after|following",
}
_FREE: Mapping[Kind, str] = {"rounding": _ROUNDING, "limit": _LIMIT, "days": _DAYS, "term": _TERM}


def _words(said: Mapping[Kind, str]) -> Mapping[Kind, re.Pattern[str]]:
    return {kind: re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE) for kind, words in said.items()}


_SPOKEN_BESIDE, _SPOKEN_FREELY = _words(_BESIDE), _words(_FREE)
"""Words that speak of a choice in a sentence that prints what it is about, and fewer that do so in any other."""
_ON_THE_WAY = re.compile(r"\b(?:each|only|nothing|on the way|intermediate|unrounded|before (?:it|they|any)\w*)\b", re.I)
"""What tells where something is rounded from how precisely a result is wanted, which each request says."""
_STEM = 5
"""Letters by which a word is known again, and fewest that it has."""
_SHARED: Mapping[Kind, int] = {"rounding": 1, "limit": 2, "days": 1, "term": 2}
"""Words that a sentence shares with what a choice is about, to be taken as speaking of it; many speak of limits."""
_EVERYDAY = frozenset(
    "about above after again along among before being below could during every first their there these those through "
    "under until which while whose would other later earlier still since where whether number value which".split()
)


class Block(NamedTuple):
    """A paragraph or a grid."""

    path: str
    text: str
    """What it says; of a grid what is printed in it from no unit: headings and notes."""
    printed: Mapping[str, tuple[str, ...]]
    """By ``unit.column``, the texts in which it is printed there."""
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
            found.append((place[fragments[0].at], Block(path, text, self._printed(path, fragments), False)))
        for fragment in seen:
            if fragment.at not in in_prose:
                grids.setdefault(fragment.table or "", []).append(fragment)
        for grid in grids.values():
            free = " | ".join(one.text for one in grid if (path, one.at) not in self._view.anchors)
            found.append((place[grid[0].at], Block(path, free, self._printed(path, grid), True)))
        return (block for _, block in sorted(found, key=lambda one: one[0]))

    def _printed(self, path: str, fragments: Sequence[Fragment]) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for anchor in (one for fragment in fragments for one in self._view.anchors.get((path, fragment.at), ())):
            if anchor.cell is not None:
                where = f"{anchor.cell.unit}.{anchor.cell.column}"
                found.setdefault(where, []).append(_plain(anchor.printed))
        return {where: tuple(dict.fromkeys(texts)) for where, texts in found.items()}

    def decides(self, kind: Kind, columns: Collection[str], about: str) -> bool:
        """Whether some text speaks of a convention where it is looked for.

        That is a sentence that prints one of these columns (``unit.column``); a grid that prints one (its headings and
        notes), and the paragraphs around it; and any sentence that shares words with ``about``. What a request says of
        the precision of results is no word on where they are rounded.
        """
        stems = _stems(about)
        for at, block in enumerate(self.blocks):
            texts = [text for column in columns for text in block.printed.get(column, ())]
            if block.grid:
                beside = [one.text for one in self.blocks[max(at - 1, 0) : at + 2] if one.path == block.path]
                if texts and any(_SPOKEN_FREELY[kind].search(text) for text in beside):
                    return True
            elif any(self._speaks(kind, one, block.path, texts, stems) for one in sentences(_plain(block.text))):
                return True
        return False

    def _speaks(self, kind: Kind, sentence: str, path: str, texts: Collection[str], stems: frozenset[str]) -> bool:
        if kind == "rounding" and path == "request.md" and not _ON_THE_WAY.search(sentence):
            return False
        if any(text in sentence or sentence in text for text in texts):
            return _SPOKEN_BESIDE[kind].search(sentence) is not None
        return _SPOKEN_FREELY[kind].search(sentence) is not None and len(stems & _stems(sentence)) >= _SHARED[kind]

    def speak(self, kind: Kind) -> bool:
        """Whether anything that the solver can read has a word for such a convention."""
        return any(_SPOKEN_BESIDE[kind].search(block.text) for block in self.blocks)


def _plain(text: str) -> str:
    return " ".join(text.split())


def _stems(text: str) -> frozenset[str]:
    words = re.findall(r"[^\W\d_]{5,}", text.casefold())
    return frozenset(word[:_STEM] for word in words if word not in _EVERYDAY)
