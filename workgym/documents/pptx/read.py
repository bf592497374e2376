"""Presentations, read from their OOXML parts; what is not read: pictures, sounds, equations, charts of newer kinds.

``s3p2`` is the second paragraph on slide 3 in reading order, the title being ``s3p1``, empty ones counted; ``s3t1r2c1``
a table cell; ``s3n1`` a paragraph of the speaker notes; ``s3f1`` one of date, footer and the like; ``s3c1r3c2`` the
second column of the third row of a chart's data (names of the series in row 1, categories in column 1), ``s3c1`` the
chart's title, ``s3c1a1`` a title of an axis, ``s3c1l1`` a label; ``s3d1`` a text of a diagram. Hidden: all of a hidden
slide, notes, shapes that are off or beside the slide, what merged cells cover, comments (``s3.comment1``), descriptions
of pictures (``s3.about1``), letters that nobody can see (``s3p2.vanished``, see :mod:`.sight`), what is typed on
masters and layouts (``master1``), properties, and by a raw sweep what stands in any other part (:mod:`..ooxml.sweep`).
Slide numbers and dates that fill themselves in are nothing that anybody wrote. ``label`` is the kind of placeholder
that a paragraph stands in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from workgym.documents.archive import Element, office_file
from workgym.documents.limits import LIMITS, check
from workgym.documents.model import Document, Fragment
from workgym.documents.ooxml.charts import ChartCell, Point, chart_cells, rich_texts
from workgym.documents.ooxml.properties import properties
from workgym.documents.ooxml.sweep import sweep
from workgym.documents.pptx.sight import shown
from workgym.documents.pptx.slides import (
    FOOTERS,
    A,
    Deck,
    P,
    Shape,
    Slide,
    body_of,
    body_text,
    cells,
    paragraphs,
    speck,
    texts,
)
from workgym.errors import Unreadable
from workgym.records import Scalar

_DIAGRAM_POINT = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}pt"
_MASTERS = tuple(f"ppt/{kind}s/{kind}" for kind in ("slideMaster", "slideLayout", "notesMaster", "handoutMaster"))
_QUIET = ("docProps/", "ppt/diagrams/")
"""Parts that are read elsewhere, or repeat what others say."""


class Piece(NamedTuple):
    """A place of a presentation, and where it is in the parts."""

    at: str
    part: str
    element: Element
    """A paragraph, a cell, or a text body."""
    text: str
    hidden: bool
    label: str | None = None
    table: str | None = None
    row: int | None = None
    column: int | None = None
    merged: tuple[int, int] = (1, 1)
    owner: Element | None = None
    """What goes when the place is removed as a row: a paragraph, or the row of a table."""
    data: ChartCell | None = None
    """Of a chart's data."""


def pieces(deck: Deck, slide: Slide) -> Iterator[Piece]:
    """All places of a slide and its notes, empty ones too, in reading order."""
    count: Counter[str] = Counter()
    for shape in deck.shapes(slide.part, slide.root):
        hidden = slide.hidden or shape.hidden
        if shape.kind == "text":
            letter = "f" if shape.place in FOOTERS else "p"
            yield from _lines(slide, slide.part, shape, letter, count, hidden)
        elif shape.kind == "table":
            count["t"] += 1
            yield from _table(slide, shape, f"s{slide.number}t{count['t']}", hidden)
        elif shape.kind == "chart":
            part = deck.chart(slide.part, shape)
            count["c"] += 1
            if part is not None:
                yield from _chart(part, deck.load(part), f"s{slide.number}c{count['c']}", hidden)
        elif shape.kind == "diagram":
            yield from _diagram(deck, slide, shape, count, hidden)
    for part in deck.related(slide.part, "notesSlide")[:1]:
        for shape in deck.shapes(part, deck.load(part)):
            if shape.kind == "text" and shape.place not in (*FOOTERS, "sldImg"):
                yield from _lines(slide, part, shape, "n", count, True)


def _lines(slide: Slide, part: str, shape: Shape, letter: str, count: Counter[str], hidden: bool) -> Iterator[Piece]:
    for paragraph in paragraphs(body_of(shape)):
        count[letter] += 1
        text = "".join(text for _, text in texts(paragraph))
        at = f"s{slide.number}{letter}{count[letter]}"
        yield Piece(at, part, paragraph, text, hidden, label=shape.place, owner=paragraph)


def _table(slide: Slide, shape: Shape, name: str, hidden: bool) -> Iterator[Piece]:
    table = shape.element.find(f".//{A}tbl")
    for row, column, cell, owner in cells(table) if table is not None else ():
        at, text = f"{name}r{row}c{column}", body_text(cell.find(f"{A}txBody"))
        behind = any(cell.get(mark) in ("1", "true") for mark in ("hMerge", "vMerge"))
        merged = max(1, int(cell.get("rowSpan", "1"))), max(1, int(cell.get("gridSpan", "1")))
        yield Piece(
            at, slide.part, cell, text, hidden or behind, None, name, row, column, (1, 1) if behind else merged, owner
        )


def _chart(part: str, root: Element, name: str, hidden: bool) -> Iterator[Piece]:
    count: Counter[str] = Counter()
    for letter, rich in rich_texts(root):
        count[letter] += 1
        yield Piece(f"{name}{letter}{count[letter] if letter else ''}", part, rich, body_text(rich), hidden)
    for cell in sorted(chart_cells(root), key=lambda cell: (cell.row, cell.column)):
        at = f"{name}r{cell.row}c{cell.column}"
        first = cell.points[0]
        yield Piece(at, part, first.leaf, first.text, hidden, table=name, row=cell.row, column=cell.column, data=cell)


def _diagram(deck: Deck, slide: Slide, shape: Shape, count: Counter[str], hidden: bool) -> Iterator[Piece]:
    part = deck.diagram(slide.part, shape)
    for point in deck.load(part).iter(_DIAGRAM_POINT) if part is not None else ():
        for paragraph in point.iter(f"{A}p"):
            text = "".join(text for _, text in texts(paragraph))
            if text.strip() and part is not None:
                count["d"] += 1
                yield Piece(f"s{slide.number}d{count['d']}", part, paragraph, text, hidden)


def read(path: str, content: bytes) -> Document:
    """Read a presentation. Raises :class:`Unreadable`."""
    archive = office_file(path, content)
    try:
        deck = Deck(archive)
        fragments = list(_fragments(deck))
        fragments += properties(archive)
        fragments += sweep(archive, {*deck.opened, *(name for name in archive.names() if name.startswith(_QUIET))})
    except (ValueError, ArithmeticError, RecursionError) as error:
        raise Unreadable(path, "corrupt", f"its structure is damaged ({error})") from error
    check(path, len(fragments), LIMITS.lines, "paragraphs and cells")
    return Document(path=path, format="pptx", fragments=tuple(fragments))


def _fragments(deck: Deck) -> Iterator[Fragment]:
    seen, path = 0, deck.archive.path
    for slide in shown(deck):
        for piece in pieces(deck, slide):
            seen += 1
            check(path, seen, LIMITS.cells, "paragraphs and cells")
            if piece.text.strip():
                yield Fragment(
                    at=piece.at,
                    text=piece.text,
                    value=None if piece.data is None else _typed(piece.data.points[0]),
                    table=piece.table,
                    row=piece.row,
                    column=piece.column,
                    label=piece.label,
                    merged=piece.merged,
                    hidden=piece.hidden,
                )
            small = _vanished(piece)
            if small:
                yield Fragment(at=f"{piece.at}.vanished", text=small, hidden=True)
        yield from _asides(deck, slide)
    typed = 0
    for part in (name for name in deck.archive.names() if name.startswith(_MASTERS)):
        for shape in deck.shapes(part, deck.load(part)):
            text = body_text(body_of(shape)) if shape.place in (None, *FOOTERS) else ""
            if text.strip():
                typed += 1
                yield Fragment(at=f"master{typed}", text=text, hidden=True)


def _typed(point: Point) -> Scalar:
    """The number or date of a point, as cells of workbooks have it."""
    number = point.value
    if number is None or point.day is not None:
        return point.day
    return int(number) if number == int(number) and abs(number) < 10**15 else f"{number:f}"


def _vanished(piece: Piece) -> str:
    if piece.data is not None:
        return ""
    return "".join(run.findtext(f"{A}t") or "" for run in piece.element.iter(f"{A}r") if speck(run))


def _asides(deck: Deck, slide: Slide) -> Iterator[Fragment]:
    """Comments, of the old kind and the new one with replies, and what is said about pictures."""
    number = 0
    for part in deck.related(slide.part, "comments"):
        for node in deck.load(part).iter():
            kind = node.tag.rpartition("}")[2]
            if kind not in ("cm", "reply"):
                continue
            body = next((child for child in node if child.tag.endswith("}txBody")), None)
            text = node.findtext(f"{P}text") or body_text(body)
            if text.strip():
                number += 1
                yield Fragment(at=f"s{slide.number}.comment{number}", text=text, hidden=True)
    notes = [shape.note for shape in deck.shapes(slide.part, slide.root) if shape.note]
    for place, note in enumerate(notes, 1):
        yield Fragment(at=f"s{slide.number}.about{place}", text=note, hidden=True)
