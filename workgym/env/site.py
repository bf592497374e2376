"""The offline site of a task as its web tools see it: a search index, and pages as text.

Ranking is BM25 (Robertson and Zaragoza, *The Probabilistic Relevance Framework*, 2009) with ``k1 = 1.2`` and
``b = 0.75`` over the words of title and text, a word of the title counting as often as three of the text. Equal scores
stand in the order of the paths, so that the same query always has the same answer. Words of grammar find nothing where
there are others, and pages that fit far worse than the best are no results: a site of a few pages would else answer
every query with all of them, as it did under ranking 1, with which old logs are run again. No address is ever a path of
the host: what is asked for is looked up among the pages, and nowhere else.
"""

from __future__ import annotations

import functools
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from workgym.documents import Document, read, read_all
from workgym.errors import Unreadable
from workgym.package import TaskPackage
from workgym.package.pages import body
from workgym.records import PageCard

_K1, _B = 1.2, 0.75
_TITLE = 3
_FAR = 0.1
"""Share of the best page's score below which a page is no result."""
_WORD = re.compile(r"\w+")
_SNIPPET = 240
_SCHEME = re.compile(r"https?://", re.IGNORECASE)
_LINES = 2_000
"""Lines of a page among which an excerpt is looked for."""


class Hit(NamedTuple):
    """One result of a search."""

    card: PageCard
    """The page."""
    snippet: str
    """The line of it that has most of the words that were looked for; empty for a page without text."""


class _Entry(NamedTuple):
    """One page in the index."""

    card: PageCard
    lines: tuple[str, ...]
    words: Counter[str]
    length: int


class Site:
    """Pages that were read, and the index over them."""

    def __init__(self, pages: Iterable[PageCard], documents: Mapping[str, Document | Unreadable]) -> None:
        """``documents`` holds every page by its path; one that cannot be read is found by its title."""
        self._entries = tuple(_entry(card, documents.get(card.path)) for card in pages)
        self._by_path = {entry.card.path: entry for entry in self._entries}
        self._containing = Counter(word for entry in self._entries for word in entry.words)
        self._mean = sum(entry.length for entry in self._entries) / max(1, len(self._entries))

    def search(self, query: str, most: int, ranking: int = 2) -> tuple[Hit, ...]:
        """The pages that fit a query best, at most so many; those without any of its words are left out.

        ``ranking`` is one of ``WebAccess.ranking``.
        """
        wanted = tuple(dict.fromkeys(words(query)))
        if ranking > 1:
            wanted = tuple(word for word in wanted if word not in _GRAMMAR) or wanted
        scored = [(self._score(entry, wanted), entry) for entry in self._entries]
        least = _FAR * max((score for score, _ in scored), default=0.0) if ranking > 1 else 0.0
        found = sorted(
            (one for one in scored if one[0] > 0 and one[0] >= least), key=lambda one: (-one[0], one[1].card.path)
        )
        return tuple(Hit(entry.card, _snippet(entry, wanted)) for _, entry in found[:most])

    def page(self, url: str) -> PageCard | None:
        """The card of an address as people write it: with or without a scheme, an ending, a slash; None for no page."""
        address = url.strip()
        scheme = _SCHEME.match(address)
        bare = address[scheme.end() if scheme else 0 :].partition("#")[0]
        host, slash, rest = bare.partition("/")
        path = f"{host.lower().removeprefix('www.')}{slash}{rest}".rstrip("/")
        for candidate in (path, f"{path}.html", f"{path}/index.html"):
            if candidate in self._by_path:
                return self._by_path[candidate].card
        return None

    def text(self, path: str) -> str:
        """The text of a page; empty where it cannot be read."""
        return "\n".join(self._by_path[path].lines)

    def _score(self, entry: _Entry, wanted: tuple[str, ...]) -> float:
        score = 0.0
        for word in wanted:
            often = entry.words[word]
            if often:
                rare = math.log(
                    1 + (len(self._entries) - self._containing[word] + 0.5) / (self._containing[word] + 0.5)
                )
                score += rare * often * (_K1 + 1) / (often + _K1 * (1 - _B + _B * entry.length / self._mean))
        return score


def words(text: str) -> list[str]:
    """The words of a text as they are compared: letters and digits without case, accents and a plural's s."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(char for char in plain if not unicodedata.combining(char)) if not plain.isascii() else plain
    return [word[:-1] if len(word) > 3 and word[-1] == "s" != word[-2] else word for word in _WORD.findall(bare)]


_GRAMMAR = frozenset(
    words(
        "a an and any are as at be been but by can did do does each every for from had has have how i if in into is it "
        "its may must no not of on or our shall should so than that the their there these they this those to under was "
        "we were what when where which who whose why will with would you your"
    )
)
"""Words of English that say nothing of what a page is about."""


def _entry(card: PageCard, document: Document | Unreadable | None) -> _Entry:
    lines = body(document) if isinstance(document, Document) else ()
    counted = Counter(words("\n".join(lines)))
    for word in words(card.title):
        counted[word] += _TITLE
    return _Entry(card, lines, counted, counted.total())


def _snippet(entry: _Entry, wanted: tuple[str, ...]) -> str:
    """The first of the lines with most of the words, cut to a length; what only repeats the title comes last."""
    title, looked = set(words(entry.card.title)), set(wanted)
    best, most = "", -2
    for line in entry.lines[:_LINES]:
        found = set(words(line[:2000]))
        here = len(looked & found) if found - title else -1
        if here > most and found:
            best, most = line, here
    text = " ".join(best.split())
    return text if len(text) <= _SNIPPET else f"{text[:_SNIPPET].rpartition(' ')[0] or text[:_SNIPPET]} ..."


def site(package: TaskPackage) -> Site:
    """The site of a package; read once for the same pages. What somebody else wrote is read in a limited child."""
    return _read(tuple(sorted(package.external.items())), package.pages, package.ours)


@functools.lru_cache(maxsize=8)
def _read(pages: tuple[tuple[str, bytes], ...], cards: tuple[PageCard, ...], ours: bool) -> Site:
    if not ours:
        return Site(cards, read_all(dict(pages)))
    found: dict[str, Document | Unreadable] = {}
    for path, content in pages:
        try:
            found[path] = read(path, content)
        except Unreadable as error:
            found[path] = error
    return Site(cards, found)
