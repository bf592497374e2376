"""What is on a pdf page besides its text: letterhead with logo, header, footer, rules and grounds."""

from __future__ import annotations

from reportlab.pdfgen.canvas import Canvas

from workgym.materialize.look.fonts import Face
from workgym.materialize.look.letterhead import Letterhead
from workgym.materialize.look.logo import shapes
from workgym.materialize.look.look import Look
from workgym.materialize.marks import Marked
from workgym.materialize.page.typeset import HEIGHT, LEFT, RIGHT, WIDTH, Line, Page, Piece, broken, inline_width, rgb
from workgym.materialize.prose import Inline

NEXT_TOP = HEIGHT - 70.0
"""Where the text starts on the second page and those after it."""
_GREY, _LOGO, _SMALL = "5A6570", 34.0, 7.5


def first_top(head: Letterhead) -> float:
    """Where the text starts on the first page."""
    return _letterhead_end(head) - 24.0 if head.company else HEIGHT - 70.0


def _letterhead_end(head: Letterhead) -> float:
    """Where the letterhead ends: its rule, or the edge of its band."""
    lines = len([line for line in head.lines if line])
    if head.look.head == "band":
        return HEIGHT - 70.0 - 11.0 * lines
    return HEIGHT - 40.0 - max(_LOGO, _first_line(head) + 11.0 * (lines - 1)) - 11.0


def _first_line(head: Letterhead) -> float:
    """How far below the top of the logo the address stands: beside it, or, where all is centred, under it."""
    return _LOGO + 10.0 if head.look.head == "centre" else 29.0


def frame(page: Page, head: Letterhead, face: Face, number: int, of: int) -> None:
    """Adds letterhead, header, footer and page number to a page."""
    if head.company and number == 1:
        _letterhead(page, head, face)
    running = head.header or (head.company if number > 1 else Marked(""))
    if running:
        line = Inline(running)
        page.lines.append(Line(HEIGHT - 24, [Piece(RIGHT - inline_width(line, face, 8), line, 8, _GREY)]))
    page.drawings.append(lambda canvas: rule(canvas, LEFT, RIGHT, 58, "C9CFD5", 0.5))
    text = f"Page {number} of {of}"
    count = Inline(Marked(text).decorated(5, len(text)))
    place = RIGHT - inline_width(count, face, _SMALL)
    for at, part in enumerate(broken(Inline(head.footer), face, _SMALL, place - LEFT - 24)):
        pieces = [Piece(LEFT, part, _SMALL, _GREY)] if part.text else []
        pieces += [Piece(place, count, _SMALL, _GREY)] if at == 0 else []
        page.lines.append(Line(46 - 10 * at, pieces))


def _letterhead(page: Page, head: Letterhead, face: Face) -> None:
    look, name = head.look, Inline(head.company)
    band = look.head == "band"
    size = 15.0
    while inline_width(name, face, size, bold=True) > RIGHT - LEFT - _LOGO - 12:
        size -= 1
    lines = [line for line in head.lines if line]
    end = _letterhead_end(head)
    top = HEIGHT - (40.0 if not band else 34.0)
    title = inline_width(name, face, size, bold=True)
    ink, soft = ("FFFFFF", "FFFFFF") if band else (look.accent, _GREY)
    if band:
        page.drawings.append(lambda canvas: ground(canvas, 0, end, WIDTH, HEIGHT - end, look.accent))
    if look.head == "right":
        logo_x, name_x = RIGHT - _LOGO, RIGHT - _LOGO - 10 - title
    elif look.head == "centre":
        logo_x = (WIDTH - title - _LOGO - 10) / 2
        name_x = logo_x + _LOGO + 10
    else:
        logo_x, name_x = LEFT, LEFT + _LOGO + 10
    page.drawings.append(lambda canvas: logo(canvas, look, logo_x, top - _LOGO, _LOGO, white=band))
    base = top - 15 if lines and look.head != "centre" else top - 22
    page.lines.append(Line(base, [Piece(name_x, name, size, ink, bold=True)]))
    for at, line in enumerate(lines):
        small = Inline(line)
        width = inline_width(small, face, 8)
        x = {"right": RIGHT - _LOGO - 10 - width, "centre": (WIDTH - width) / 2}.get(look.head, name_x)
        if look.head == "centre":
            x = max(LEFT, x)
        page.lines.append(Line(top - _first_line(head) - 11 * at, [Piece(x, small, 8, soft)]))
    if not band:
        page.drawings.append(lambda canvas: rule(canvas, LEFT, RIGHT, end, look.accent, 1.2))


def logo(canvas: Canvas, look: Look, x: float, y: float, size: float, white: bool) -> None:
    """The logo in a square of ``size`` at ``x``, ``y``."""
    for shape in shapes(look, white):
        canvas.setFillColorRGB(*rgb(shape.colour))
        points = [(x + px * size, y + py * size) for px, py in shape.points]
        if shape.radius is not None:
            canvas.circle(*points[0], shape.radius * size, stroke=0, fill=1)
            continue
        path = canvas.beginPath()
        path.moveTo(*points[0])
        for point in points[1:]:
            path.lineTo(*point)
        path.close()
        canvas.drawPath(path, stroke=0, fill=1)


def rule(canvas: Canvas, left: float, right: float, y: float, colour: str, width: float) -> None:
    """A horizontal line."""
    canvas.setStrokeColorRGB(*rgb(colour))
    canvas.setLineWidth(width)
    canvas.line(left, y, right, y)


def ground(canvas: Canvas, x: float, y: float, width: float, height: float, colour: str) -> None:
    """A filled rectangle."""
    canvas.setFillColorRGB(*rgb(colour))
    canvas.rect(x, y, width, height, stroke=0, fill=1)


def grid(canvas: Canvas, left: float, low: float, widths: list[float], height: float) -> None:
    """The frames of a row's cells."""
    canvas.setStrokeColorRGB(*rgb("A6ADB4"))
    canvas.setLineWidth(0.5)
    x = left
    for width in widths:
        canvas.rect(x, low, width, height, stroke=1, fill=0)
        x += width


def dot(canvas: Canvas, x: float, y: float, colour: str) -> None:
    """A bullet; drawn, so that the text layer holds the text alone."""
    canvas.setFillColorRGB(*rgb(colour))
    canvas.circle(x, y, 1.5, stroke=0, fill=1)
