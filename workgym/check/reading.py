"""What the checks look at: every visible file read by the independent reader, with its anchors beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from workgym import documents
from workgym.check.pictures import located, page_of
from workgym.documents import Document, Fragment
from workgym.documents.image.recognition import Words, recognised, shows_pictures, with_words
from workgym.errors import MissingExtra, Unreadable
from workgym.package import TaskPackage
from workgym.package.pages import seen, unreachable
from workgym.records import Anchor
from workgym.records.surface import Number, dates, numbers, times

Span = tuple[int, int]
_POINT = re.compile(r"\s*\d{1,2}[.)](?=\s)")
"""The number of a point in a list."""


@dataclass(frozen=True)
class Token:
    """A number, date or time that is printed in a visible file."""

    path: str
    fragment: Fragment
    span: Span
    text: str
    number: Number | None
    """The number, or None for a date or a time."""
    anchors: tuple[Anchor, ...]
    """The anchors that cover it; none for a loose one."""


class Visible:
    """The solver's view of a package, read once, in this process: whose package it is decides which one that is."""

    def __init__(self, package: TaskPackage, words: Words | None = None) -> None:
        """``words`` are those of its pictures, where they were recognised before; None to do it here."""
        self.package = package
        files = {"request.md": package.request.encode(), **package.files}
        self.read: Mapping[str, Document | Unreadable] = {
            within: found for path, content in files.items() for within, found in _in_process(path, content, words)
        } | {path: _shown(path, content) for path, content in package.external.items()}
        """What each file says, each file within one and each page of the offline site, or why it cannot be read."""

    @cached_property
    def unreachable(self) -> frozenset[str]:
        """Pages that no web tool shows."""
        return unreachable(self.package.pages)

    @cached_property
    def documents(self) -> dict[str, Document]:
        """Files that can be read, by path."""
        return {path: document for path, document in self.read.items() if isinstance(document, Document)}

    @cached_property
    def fragments(self) -> dict[tuple[str, str], Fragment]:
        """Fragments by path and place."""
        return {
            (path, fragment.at): fragment
            for path, document in self.documents.items()
            for fragment in document.fragments
        }

    @cached_property
    def anchors(self) -> dict[tuple[str, str], list[Anchor]]:
        """Anchors by path and place, spans left out; in a picture at the place where they were recognised."""
        found: dict[tuple[str, str], list[Anchor]] = {}
        for anchor in map(self.standing, self.package.hidden.anchors):
            found.setdefault((anchor.place.path, anchor.place.base), []).append(anchor)
        return found

    def standing(self, anchor: Anchor) -> Anchor:
        """An anchor as it stands: where text was recognised in a picture, at the nearest place that shows it."""
        document = self.documents.get(anchor.place.path)
        if document is None or page_of(anchor) not in document.recognised:
            return anchor
        return located(document, anchor) or anchor

    def guessed(self, path: str, fragment: Fragment) -> bool:
        """Whether a text was recognised in a picture, so that a sign of it may be wrong."""
        return fragment.table is not None and fragment.table in self.documents[path].recognised

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """Every number, date and time of every visible file."""
        return tuple(token for path, document in self.documents.items() for token in self._tokens(path, document))

    @cached_property
    def _paths(self) -> re.Pattern[str] | None:
        """Paths of files that are there or are to be handed in, where a figure is in them; None where in none."""
        deliverables = (one.path for one in self.package.hidden.graph.deliverables)
        paths = [path for path in (*deliverables, *self.package.files) if any(map(str.isdigit, path))]
        names = {part for path in paths for part in (path, path.rpartition("/")[2])}
        every = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
        return re.compile(rf"(?<![\w/.]){every and f'(?:{every})'}(?![\w/])") if names else None

    def _tokens(self, path: str, document: Document) -> Iterator[Token]:
        for fragment in document.fragments:
            if not any(map(str.isdigit, fragment.text)):
                continue
            anchors = self.anchors.get((path, fragment.at), [])
            spans: list[tuple[Span, Number | None]] = [((day.start, day.end), None) for day in dates(fragment.text)]
            spans += [((time.start, time.end), None) for time in times(fragment.text)]
            spans += [((number.start, number.end), number) for number in numbers(fragment.text) if not number.joined]
            named = _names(fragment, self._paths)
            for span, number in spans:
                if any(start <= span[0] and span[1] <= end for start, end in named):
                    continue
                covering = tuple(anchor for anchor in anchors if covers(anchor, span))
                yield Token(path, fragment, span, fragment.text[span[0] : span[1]], number, covering)


def _names(fragment: Fragment, paths: re.Pattern[str] | None) -> list[Span]:
    """Where a text names a file, or numbers the point of a list: a figure there says nothing of the work."""
    found = [] if paths is None else [match.span() for match in paths.finditer(fragment.text)]
    point = _POINT.match(fragment.text) if fragment.table is None else None
    return [*found, point.span()] if point else found


def covers(anchor: Anchor, span: Span) -> bool:
    """Whether an anchor of the same fragment covers a span of it."""
    own = anchor.place.span
    return own is None or (own[0] <= span[0] and span[1] <= own[1])


def _in_process(path: str, content: bytes, words: Words | None) -> Iterator[tuple[str, Document | Unreadable]]:
    try:
        whole = _whole(path, content, words)
    except Unreadable as error:
        yield path, error
        return
    for document in whole.whole():
        yield document.path, document
        for refusal in document.refused:
            yield refusal.path, Unreadable(refusal.path, refusal.reason, refusal.detail)


def _shown(path: str, content: bytes) -> Document | Unreadable:
    """A page as web tools show it: its comments and what browsers hide are not seen by anybody."""
    try:
        page = documents.read(path, content)
    except Unreadable as error:
        return error
    return page.model_copy(update={"fragments": seen(page)})


def _whole(path: str, content: bytes, words: Words | None) -> Document:
    whole = documents.read(path, content)
    if not shows_pictures(whole):
        return whole
    try:
        return recognised(whole, content) if words is None else with_words(whole, words)
    except MissingExtra:
        return whole  # its pages stay pictures, and what should stand there is reported as unproved


def slice_at(fragment: Fragment, anchor: Anchor) -> str:
    """The text of an anchor's place as it stands in the file."""
    span = anchor.place.span
    return fragment.text if span is None else fragment.text[span[0] : span[1]]
