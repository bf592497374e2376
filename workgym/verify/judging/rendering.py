"""What a judge sees of a deliverable: the text that a person reads, tables as tables, and pictures of its pages.

What nobody sees (hidden sheets, comments, white text, metadata) is left out and counted. A text over the limit is shown
by its beginning and its end, and the judge is told how much is missing. Nothing is ever shown by its name alone: who
has nothing to see is not asked, see ``rubric``.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from workgym.documents import Document
from workgym.documents.model import Fragment
from workgym.model import ImageBlock
from workgym.verify.judging.fence import cleared

LONGEST = 60_000
"""Characters of one deliverable or process that a judge is shown; some 15,000 tokens."""
_HEAD = 0.75
_FORMULA = 120
_NAMED = frozenset({"json", "yaml", "xml", "eml", "mbox", "ics", "vcf", "zip", "pdf"})
"""Formats whose labels are names of what they hold (keys, headers, fields), not styles."""


@dataclass(frozen=True)
class View:
    """What a judge is shown of one file, or of the process."""

    text: str
    """The text; what was left out is said at its place."""
    note: str
    """How much of it is shown, and how, for the judge and for the verdict."""
    pictures: tuple[ImageBlock, ...] = ()
    """Pages in order; empty where there are none or the judge takes none."""
    tripwires: tuple[str, ...] = ()
    """Sentences that speak to a grader: withheld where they stood in the text, or found in what is hidden."""

    @property
    def empty(self) -> bool:
        """Whether there is nothing to see."""
        return not self.text.strip() and not self.pictures


def view(document: Document, *, withhold: bool = True, longest: int = LONGEST) -> View:
    """The text of a document that was read, and of the files that it holds."""
    lines: list[str] = []
    unseen: list[str] = []
    for one in document.whole():
        if one is not document:
            lines.append(f"--- {one.path}")
        lines += _lines([fragment for fragment in one.fragments if not fragment.hidden], named=one.format in _NAMED)
        unseen += [fragment.text for fragment in one.fragments if fragment.hidden]
    hidden = cleared("\n".join(unseen)).found
    shown = bounded("\n".join(lines), withhold=withhold, longest=longest)
    note = shown.note + (f"; {len(unseen)} hidden pieces are left out" if unseen else "")
    refused = sum(len(one.refused) for one in document.whole())
    note += f"; {refused} files within it cannot be read" if refused else ""
    return View(shown.text, note, (), tuple(dict.fromkeys((*shown.tripwires, *hidden))))


def bounded(text: str, *, withhold: bool = True, longest: int = LONGEST) -> View:
    """A text within the limit, in whole lines where they are short enough; what speaks to a grader taken out."""
    clear, found = cleared(text)
    if withhold:
        text = clear
    if len(text) <= longest:
        return View(text, f"all {len(text):,} characters are shown", (), found)
    head, tail = int(longest * _HEAD), longest - int(longest * _HEAD)
    first = text[:head].rpartition("\n")[0] or text[:head]
    last = text[-tail:].partition("\n")[2] or text[-tail:]
    gone = len(text) - len(first) - len(last)
    note = f"of {len(text):,} characters the first {len(first):,} and the last {len(last):,} are shown"
    return View(f"{first}\n[... {gone:,} characters are left out here ...]\n{last}", note, (), found)


def _lines(fragments: list[Fragment], *, named: bool) -> Iterator[str]:
    """A line for each paragraph and for each row of a table, whose cells stand between bars."""
    for (table, row), group in itertools.groupby(fragments, key=lambda fragment: (fragment.table, fragment.row)):
        pieces = list(group)
        if table is None or row is None:
            yield from (_said(piece, piece.text, named) for piece in pieces)
            continue
        yield f"[{table} {row}] {' | '.join(_cells(pieces, named))}"


def _said(piece: Fragment, text: str, named: bool) -> str:
    """A piece with its name where its format gives it one, a heading as one."""
    if named:
        return f"{piece.label}: {text}" if piece.label else text
    return f"# {text}" if (piece.label or "").lower().startswith(("heading", "title")) else text


def _cells(pieces: list[Fragment], named: bool) -> Iterator[str]:
    """The cells of a row; an empty one stands for those that are missing before a cell, however many there are."""
    next_one = 1
    for piece in pieces:
        if (piece.column or next_one) > next_one:
            yield ""
        text = " ".join(piece.text.split())
        text = _said(piece, text, named)
        yield f"{text} (={piece.formula[:_FORMULA]})" if piece.formula else text
        next_one = (piece.column or next_one) + 1
