"""Prose out of a document: paragraphs, and the sentences of a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from workgym.documents.model import Document, Fragment

_SENTENCE = re.compile(r"(?<=[.!?;])[\"')\]]*\s+(?=[\"'(\[]?[A-Z0-9ÄÖÜÀ-Þ])")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|no|nr|approx|incl|excl|vs|etc|dr|mr|mrs|ms|st|art|sec|p|pp|fig|ca|co|ltd|inc)|\b[A-Z])\.$",
    re.IGNORECASE,
)


def paragraphs(document: Document) -> Iterator[tuple[tuple[Fragment, ...], str]]:
    """Prose outside grids: the fragments of each paragraph, and its text; lines are joined up to a blank one."""
    prose = [fragment for fragment in document.fragments if not fragment.hidden]
    if document.kind.flow != "lines":
        for fragment in prose:
            if fragment.table is None:
                yield (fragment,), fragment.text
        return
    run: list[Fragment] = []
    for fragment in prose:
        number = re.fullmatch(r"(?:p\d+)?l(\d+)", fragment.at)
        tabular = len(fragment.edges) > 1 or (document.kind.grids == "markdown" and fragment.table is not None)
        if run and (number is None or tabular or not _follows(run[-1], fragment)):
            yield tuple(run), _joined(run)
            run = []
        if number is None and not tabular:
            yield (fragment,), fragment.text
        elif not tabular:
            run.append(fragment)
    if run:
        yield tuple(run), _joined(run)


def _follows(before: Fragment, fragment: Fragment) -> bool:
    """Whether a line goes on with the paragraph of the line before it."""
    page, _, number = before.at.rpartition("l")
    next_page, _, next_number = fragment.at.rpartition("l")
    starts = re.match(r"\s*(?:#|[-*+•] |\d+[.)] |>|\|)", fragment.text) is not None or before.text.lstrip().startswith(
        "#"
    )
    return page == next_page and int(next_number) == int(number) + 1 and not starts


def _joined(run: Iterable[Fragment]) -> str:
    return " ".join(fragment.text.strip() for fragment in run)


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text; usual abbreviations, initials and numbers do not end one."""
    parts: list[str] = []
    for piece in _SENTENCE.split(text.strip()):
        if parts and _ABBREVIATION.search(parts[-1]):
            parts[-1] += " " + piece
        elif piece:
            parts.append(piece)
    return tuple(parts)
