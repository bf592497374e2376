"""What people put on paper by hand: a rubber stamp, and a signature, both drawn by us."""

from __future__ import annotations

import hashlib
import math

from reportlab.pdfgen.canvas import Canvas

from workgym.materialize.marks import Marked
from workgym.materialize.page.flow import Flow
from workgym.materialize.page.typeset import LEFT, RIGHT, Line, Piece, inline_width, rgb
from workgym.materialize.prose import Inline

_HEIGHT = 66.0
_STAMP, _SIGNED = 13.0, 8.0
_INKS = ("A93226", "1F4E9E", "5B3A8C")
_PEN = "1B2A5E"


def signed(flow: Flow, name: Marked, stamp: Marked, seed: str) -> None:
    """Closes the text with a signature over ``name`` on the left and a stamp on the right; either may be empty."""
    if not name and not stamp:
        return
    flow.need(_HEIGHT)
    top = flow.y
    if name:
        words = Inline(name)
        width = max(150.0, inline_width(words, flow.face, _SIGNED) + 12)
        strokes = _strokes(name.plain, width)
        flow.page.drawings.append(lambda canvas: _drawn(canvas, strokes, top - 40, width))
        flow.page.lines.append(Line(top - 53, [Piece(LEFT, words, _SIGNED, "5A6570")]))
    if stamp:
        _stamp(flow, stamp, top - 30, seed)
    flow.y = top - _HEIGHT


def _stamp(flow: Flow, stamp: Marked, y: float, seed: str) -> None:
    """A framed line of capitals, a little askew in pictures."""
    draws = hashlib.sha256(f"stamp:{seed}".encode()).digest()
    colour, words, size = _INKS[draws[0] % len(_INKS)], Inline(stamp), _STAMP
    while inline_width(words, flow.face, size, bold=True) > RIGHT - LEFT - 190 and size > 7:
        size -= 0.5
    width = inline_width(words, flow.face, size, bold=True)
    left = RIGHT - 18 - width

    def frame(canvas: Canvas) -> None:
        canvas.setStrokeColorRGB(*rgb(colour))
        for gap, line in ((9.0, 1.6), (5.5, 0.6)):
            canvas.setLineWidth(line)
            canvas.roundRect(left - gap, y - gap + 1, width + 2 * gap, size + 2 * gap - 5, 3, stroke=1, fill=0)

    tilt = -5.0 + draws[1] / 256 * 6
    flow.page.lines.append(Line(y, [Piece(left, words, size, colour, bold=True)], tilt=tilt, under=frame))


def _strokes(name: str, width: float) -> list[tuple[float, float]]:
    """Points of a scribble: a loop for each letter, higher for capitals, and a flourish at the end."""
    draws = hashlib.sha256(f"signature:{name}".encode()).digest()
    letters = [char for char in name if not char.isspace()][:16] or ["x"]
    step = min(9.0, (width - 40) / len(letters))
    points, x = list[tuple[float, float]](), 8.0
    for at, char in enumerate(letters):
        draw = draws[at % 32]
        tall = (24.0 if char.isupper() else 11.0 if char in "bdfhklt" else 5.0) + draw % 5
        deep = -9.0 if char in "fgjpqy" else -1.0 - draw % 3
        for part in range(8):
            turn = 2 * math.pi * part / 8
            reach = tall if math.sin(turn) >= 0 else -deep
            points.append((x + step * part / 8 + 0.5 * step * math.cos(turn + 0.6), 4 + reach * math.sin(turn) * 0.9))
        x += step * (1.5 if char.isupper() else 1.0)
    end = points[-1]
    tail = 30 + draws[31] % 30
    return [*points, (end[0] + 0.5 * tail, end[1] - 8), (end[0] + tail, end[1] + 2), (end[0] - 0.6 * x, -3.0)]


def _drawn(canvas: Canvas, points: list[tuple[float, float]], y: float, width: float) -> None:
    """The scribble as one smooth curve (Catmull-Rom as Bezier), over a fine rule."""
    canvas.setStrokeColorRGB(*rgb("9AA3AB"))
    canvas.setLineWidth(0.6)
    canvas.line(LEFT, y - 2, LEFT + width, y - 2)
    canvas.setStrokeColorRGB(*rgb(_PEN))
    canvas.setLineWidth(1.1)
    canvas.setLineCap(1)
    path = canvas.beginPath()
    path.moveTo(LEFT + points[0][0], y + points[0][1])
    whole = [points[0], *points, points[-1]]
    for at in range(1, len(whole) - 2):
        (x0, y0), (x1, y1), (x2, y2), (x3, y3) = whole[at - 1 : at + 3]
        path.curveTo(
            LEFT + x1 + (x2 - x0) / 6,
            y + y1 + (y2 - y0) / 6,
            LEFT + x2 - (x3 - x1) / 6,
            y + y2 - (y3 - y1) / 6,
            LEFT + x2,
            y + y2,
        )
    canvas.drawPath(path, stroke=1, fill=0)
    canvas.setLineCap(0)
