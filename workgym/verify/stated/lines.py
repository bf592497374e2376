"""A document as sentences and rows, each with what is over it: what facts in prose are looked for in."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

from workgym.documents import Document, paragraphs, sentences
from workgym.verify.stated.matching import is_error
from workgym.verify.stated.scenes import other_scene
from workgym.verify.stated.sheets import Sheet

LINES = 5_000
"""Sentences, and rows of tables, that are looked at."""
LENGTH = 4_000
"""Characters of a sentence that are looked at."""


class Line(NamedTuple):
    """A sentence, or a row of a table read as one."""

    at: str
    """The place of its paragraph or row."""
    text: str
    """What it says, normalised."""
    about: str
    """Its paragraph and the heading over it, normalised: where a label may stand."""
    carried: str
    """What the paragraph says before it, for the entity that it goes on about."""
    head: str | None = None
    """For a row of a table the headings of it; None for a sentence."""
    other: bool = False
    """Whether it is a row of a table that is titled as another scenario, version or time."""


_DASHES = str.maketrans("\u2019\u2018\u2011\u2010\u2212\u2013\u2014", "''-----")


def plain(text: str) -> str:
    """A sentence as it is searched: NFKC, dashes and quotes plain, blanks collapsed."""
    return " ".join(unicodedata.normalize("NFKC", text.translate(_DASHES)).split())


def lines(document: Document, sheets: Iterable[Sheet], given: frozenset[str] = frozenset()) -> tuple[Line, ...]:
    """Every sentence and every row of a table, in that order; of what was ``given`` before, by place, the headings."""
    found: list[Line] = []
    heading = ""
    for fragments, text in paragraphs(document):
        whole = plain(text[:LENGTH])
        styled = (fragments[0].label or "").casefold().startswith(("heading", "title")) or text.lstrip().startswith("#")
        headed = styled or (len(whole) < 80 and whole[-1:] not in ".!?")
        before = ""
        told = (headed and not any(map(str.isdigit, whole))) or not all(one.at in given for one in fragments)
        for sentence in sentences(text) if told else ():
            said = plain(sentence[:LENGTH])
            found.append(Line(fragments[0].at, said, f"{heading[:200]} {whole}", before))
            before = f"{before} {said}"[-LENGTH:]
        heading = whole if headed else heading
        if len(found) > LINES:
            break
    for sheet in sheets:
        top = " ".join(plain(spot.text[:80]) for _, spot in zip(range(40), sheet.cells.values(), strict=False))
        lead = plain(" ".join(sheet.lead)[:LENGTH])
        other = any(other_scene(title, "") for title in (*sheet.lead, sheet.name))
        small = len(sheet.cells) <= 400  # a small table may stand on its side
        for cells in (*sheet.rows.values(), *(sheet.columns.values() if small else ())):
            if len(found) > 2 * LINES or all(one.given for one in cells.values()):
                continue
            row = " | ".join(plain(one.text[:LENGTH]) for one in cells.values() if not is_error(one.text))[:LENGTH]
            found.append(
                Line(next(iter(cells.values())).at, row, f"{lead} {top} {row}"[:LENGTH], "", sheet.head, other)
            )
    return tuple(found)
