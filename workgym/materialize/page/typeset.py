"""Setting text on pages: breaking lines, and pages as lists of visual lines and drawings.

A visual line is what a reader of the text layer finds on one baseline: its parts, left to right, with two spaces
between parts that stand wide apart.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from reportlab.pdfgen.canvas import Canvas
from reportlab.pdfgen.textobject import PDFTextObject

from workgym.materialize.look.fonts import Face, Run
from workgym.materialize.marks import Marked
from workgym.materialize.prose import Inline

WIDTH, HEIGHT = 595.0, 842.0
"""A4, in points."""
LEFT, RIGHT = 64.0, WIDTH - 64.0
_CLOSING = frozenset("、。，．：；！？）」』】〉》〕’”)]}.,:;!?ーぁぃぅぇぉっゃゅょァィゥェォッャュョ々 ")
"""Characters that no line begins with."""
_SPACES = re.compile(r"[ \t]{2,}|\t")


@dataclass(frozen=True, slots=True)
class Piece:
    """A text at a place of a line."""

    x: float
    text: Inline
    size: float
    colour: str
    bold: bool = False


@dataclass(slots=True)
class Line:
    """What stands on one baseline."""

    y: float
    pieces: list[Piece]
    tilt: float = 0.0
    """Degrees by which it stands askew in pictures; upright where it is text."""
    under: Callable[[Canvas], None] | None = None
    """What is drawn with it, and stands askew with it."""

    def marked(self) -> Marked:
        """Its text as a reader finds it."""
        joined = Marked("")
        for at, piece in enumerate(sorted(self.pieces, key=lambda piece: piece.x)):
            joined = joined + Marked("  ") + piece.text.text if at else piece.text.text
        return joined


@dataclass(slots=True)
class Page:
    """One page."""

    lines: list[Line] = field(default_factory=list)
    drawings: list[Callable[[Canvas], None]] = field(default_factory=list)

    def reading(self) -> Iterator[Marked]:
        """The texts of its lines, from the top."""
        for line in sorted(self.lines, key=lambda line: -line.y):
            yield line.marked()


@lru_cache(maxsize=64)
def rgb(colour: str) -> tuple[float, float, float]:
    """Six hexadecimal digits as three parts of one."""
    red, green, blue = (round(int(colour[at : at + 2], 16) / 255, 4) for at in (0, 2, 4))
    return red, green, blue


def single_spaced(inline: Inline) -> Inline:
    """With one space where there are several: a text layer keeps no more."""
    if not _SPACES.search(inline.text.text):
        return inline
    parts, places, last = Marked(""), [], 0
    for match in _SPACES.finditer(inline.text.text):
        parts = parts + inline.text.slice(last, match.start()) + Marked(" ")
        places.append((match.end(), match.end() - match.start() - 1))
        last = match.end()
    parts = parts + inline.text.slice(last, len(inline.text.text))

    def moved(at: int) -> int:
        return at - sum(lost for end, lost in places if end <= at)

    return Inline(parts, tuple((moved(start), moved(end)) for start, end in inline.bold))


def cut(inline: Inline, start: int, end: int) -> Inline:
    """Characters ``start`` to ``end`` of it."""
    bold = tuple((max(a, start) - start, min(b, end) - start) for a, b in inline.bold if a < end and b > start)
    return Inline(inline.text.slice(start, end), bold)


def inline_width(inline: Inline, face: Face, size: float, bold: bool = False) -> float:
    """Its width on one line."""
    return sum(face.width(text, bold or strong, size) for text, strong in inline.runs())


def broken(inline: Inline, face: Face, size: float, width: float, bold: bool = False) -> list[Inline]:
    """Its lines at a width. Breaks at spaces outside printed values, then inside them, then anywhere."""
    inline = single_spaced(inline)
    lines: list[Inline] = []
    start = 0
    for paragraph in inline.text.text.split("\n"):
        part = cut(inline, start, start + len(paragraph))
        lines += _broken(part, face, size, width, bold)
        start += len(paragraph) + 1
    return lines


def _broken(inline: Inline, face: Face, size: float, width: float, bold: bool) -> list[Inline]:
    text = inline.text.text
    reach = [0.0]
    for run, strong in inline.runs():
        for char in run:
            reach.append(reach[-1] + face.width(char, bold or strong, size))
    if reach[-1] <= width:
        return [inline]
    values = [(span.start, span.end) for span in inline.text.spans if span.kind != "state"]
    tight = [(a, b) for a, b in values if reach[b] - reach[a] <= width]
    spaces = [at for at, char in enumerate(text) if char == " " or _between(text, at)]
    good = [at for at in spaces if not any(a < at < b for a, b in tight)]
    lines, start = list[Inline](), 0
    while start < len(text) and reach[-1] - reach[start] > width:
        end = 0
        for candidates in (good, spaces, range(1, len(text))):
            behind = bisect_right(candidates, width, key=lambda at: reach[at] - reach[start])
            end = candidates[behind - 1] if behind else 0
            if end > start:
                break
        end = max(end, start + 1)
        lines.append(cut(inline, start, end))
        start = end + (text[end : end + 1] == " ")
    return [*lines, cut(inline, start, len(text))] if start < len(text) else lines


def _unspaced(char: str) -> bool:
    return "\u2e80" <= char <= "\u9fff" or "\uf900" <= char <= "\uffef"


def _set(text: PDFTextObject, run: Run, size: float, colour: str) -> None:
    """One run; a font without a bold one is thickened by drawing its outlines."""
    text.setFont(run.font, size)
    if run.thickened:
        text.setStrokeColorRGB(*rgb(colour))
        text._code.append(f"{size / 30:.3f} w")  # reportlab has no call for the width of a text's outlines
        text.setTextRenderMode(2)
    text.textOut(run.text)
    if run.thickened:
        text.setTextRenderMode(0)


def _between(text: str, at: int) -> bool:
    """Whether a line may break before a character because ideographs or kana stand there, which know no spaces."""
    return at > 0 and text[at] not in _CLOSING and any(map(_unspaced, text[at - 1 : at + 1]))


def draw(canvas: Canvas, page: Page, face: Face, askew: bool = False) -> None:
    """Puts a page on the canvas: drawings below, then the lines from the top; ``askew`` with the tilt of each."""
    for drawing in page.drawings:
        drawing(canvas)
    for line in sorted(page.lines, key=lambda line: -line.y):
        tilted = askew and line.tilt != 0
        if tilted:
            middle = line.pieces[0].x + inline_width(line.pieces[0].text, face, line.pieces[0].size, bold=True) / 2
            canvas.saveState()
            canvas.translate(middle, line.y)
            canvas.rotate(line.tilt)
            canvas.translate(-middle, -line.y)
        if line.under is not None:
            line.under(canvas)
        for piece in line.pieces:
            _write(canvas, piece, line.y, face)
        if tilted:
            canvas.restoreState()
    canvas.showPage()


def _write(canvas: Canvas, piece: Piece, y: float, face: Face) -> None:
    text = canvas.beginText(piece.x, y)
    text.setFillColorRGB(*rgb(piece.colour))
    for stretch, strong in piece.text.runs():
        for run in face.runs(stretch, strong or piece.bold):
            _set(text, run, piece.size * face.scale, piece.colour)
    canvas.drawText(text)
