"""Charts on pages and in pictures: columns, bars, lines and pies in a company's colours, with the values printed.

Every value stands beside its mark as text, so that a reader finds it: labels that are near to one another in height
share a baseline, as lines of a page have to. There are no axes with numbers that no unit holds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise

from reportlab.pdfgen.canvas import Canvas

from workgym.materialize.carrier import Job
from workgym.materialize.look.letterhead import declared
from workgym.materialize.marks import Marked
from workgym.materialize.page import paper
from workgym.materialize.page.flow import INK, Flow
from workgym.materialize.page.typeset import LEFT, RIGHT, Line, Piece, inline_width, rgb
from workgym.materialize.prose import Inline
from workgym.materialize.scope import Fault, Row, near
from workgym.materialize.tree import Tree

KEYS = ("kind", "rows", "x", "y", "title")
"""What a chart says of itself."""
_GREY, _SIZE, _STEP, _GAP = "5A6570", 8.5, 12.0, 10.0
_HIGH, _DEEP = 190.0, 17.0
_MOST = 40


@dataclass(frozen=True)
class _Series:
    """One colour of a chart."""

    name: Marked
    colour: str
    values: tuple[tuple[Decimal, Marked] | None, ...]
    """For each category the number and its printed form; None where there is none."""


class _Chart:
    """One chart that is being set; its lines are gathered by their heights."""

    def __init__(self, flow: Flow, names: list[Marked], series: list[_Series]) -> None:
        self.flow, self.names, self.series = flow, names, series
        self.look, self.face = flow.look, flow.face
        self.lines: dict[float, list[Piece]] = {}

    def write(self, x: float, y: float, text: Marked, size: float = _SIZE, at: float = 0.0, colour: str = INK) -> None:
        """A text at a height; ``at`` is the part of its width that lies left of ``x``."""
        words = Inline(text)
        left = x - at * inline_width(words, self.face, size)
        self.lines.setdefault(round(y, 2), []).append(Piece(left, words, size, colour))

    def wide(self, text: Marked, size: float = _SIZE) -> float:
        """Its width."""
        return inline_width(Inline(text), self.face, size)

    def draw(self, drawing: Callable[[Canvas], None]) -> None:
        """Something that is no text."""
        self.flow.page.drawings.append(drawing)

    def box(self, x: float, y: float, width: float, height: float, colour: str) -> None:
        """A filled rectangle; a negative width or height lies to the other side."""
        left, low = min(x, x + width), min(y, y + height)
        self.draw(lambda canvas: paper.ground(canvas, left, low, abs(width), abs(height), colour))

    def reach(self) -> tuple[Decimal, Decimal]:
        """The least and the greatest of zero and all values."""
        values = [entry[0] for one in self.series for entry in one.values if entry is not None]
        low, high = min([Decimal(0), *values]), max([Decimal(0), *values])
        return low, high if high > low else low + 1

    def legend(self, top: float) -> float:
        """Names of the colours, where there is more than one; the height below it."""
        if len(self.series) < 2:
            return top
        x = LEFT
        for one in self.series:
            self.box(x, top - 12, 8, 8, one.colour)
            self.write(x + 13, top - 11.5, one.name, colour=_GREY)
            x += 13 + self.wide(one.name) + 22
        if x - 22 > RIGHT:
            raise Fault("chart: the names of its series do not fit on a line: take fewer or shorter ones")
        return top - 24

    def closed(self) -> None:
        """Hands its lines to the page."""
        self.flow.page.lines += [Line(y, pieces) for y, pieces in self.lines.items()]


def words(job: Job, spec: Mapping[str, object]) -> list[Marked]:
    """All that a chart prints, for choosing its fonts. Raises Fault for what it does not say."""
    for key in KEYS[:-1]:
        if key not in spec:
            raise Fault(f"chart: {key} is needed; it has {', '.join(KEYS)}")
    tree = Tree(job.path, job.view)
    columns = _columns_of(spec["y"])
    rows = tree.rows(spec["rows"], "chart.rows")
    shown = [tree.shown(row.bound(column)) for row in rows for column in (str(spec["x"]), *columns.values())]
    return [Marked(str(spec.get("title", ""))), *map(Marked, columns), *shown]


def place(flow: Flow, job: Job, spec: Mapping[str, object]) -> None:
    """A chart at the height that the flow has reached. Raises Fault for what cannot be drawn."""
    tree = Tree(job.path, job.view)
    kind = str(spec["kind"])
    if kind not in _KINDS:
        raise Fault(f"chart: unknown kind {kind!r}: {near(kind, list(_KINDS))}")
    rows = tree.rows(spec["rows"], "chart.rows")
    if not 1 <= len(rows) <= _MOST:
        raise Fault(f"chart: it has {len(rows)} rows; 1 to {_MOST} can be shown")
    chart = _Chart(flow, [tree.shown(row.bound(str(spec["x"]))) for row in rows], _series(flow, tree, rows, spec["y"]))
    tall, drawn = _KINDS[kind]
    title = declared(Marked(str(spec.get("title", ""))))
    legend = 24.0 if len(chart.series) > 1 and kind != "pie" else 0.0
    height = tall(chart) + legend + (24 if title else 0)
    flow.need(height)
    top = flow.y
    if title:
        flow.line([Piece(LEFT, Inline(title), 11.0, flow.look.accent, bold=True)], 15)
        flow.y -= 9
    drawn(chart, flow.y if kind == "pie" else chart.legend(flow.y))
    chart.closed()
    flow.y = top - height - 12


def _columns_of(source: object) -> dict[str, str]:
    """Columns by the names of their series."""
    if isinstance(source, Mapping):
        pairs = [(str(name), str(column)) for name, column in source.items()]
    else:
        listed = source if isinstance(source, list) else [source]
        pairs = [(str(column).replace("_", " ").capitalize(), str(column)) for column in listed]
    if not 1 <= len(dict(pairs)) == len(pairs) <= 4:
        raise Fault("chart: y names 1 to 4 different columns")
    return dict(pairs)


def _series(flow: Flow, tree: Tree, rows: list[Row], source: object) -> list[_Series]:
    made = []
    for at, (name, column) in enumerate(_columns_of(source).items()):
        values: list[tuple[Decimal, Marked] | None] = []
        for row in rows:
            bound = row.bound(column)
            if bound.value is not None and not bound.type.numeric:
                raise Fault(f"chart: column {column} holds no numbers")
            values.append(None if bound.value is None else (Decimal(str(bound.value)), tree.shown(bound)))
        made.append(_Series(declared(Marked(name)), _shade(flow.look.accent, at, 4), tuple(values)))
    return made


def _shade(accent: str, at: int, of: int) -> str:
    """The accent for the first, and ever paler ones after it."""
    part = 0.75 * at / max(of - 1, 1)
    channels = (int(accent[place : place + 2], 16) for place in (0, 2, 4))
    return "".join(f"{round(channel + (255 - channel) * part):02X}" for channel in channels)


def _bars(chart: _Chart, top: float) -> None:
    left = LEFT + max(chart.wide(name) for name in chart.names) + _GAP
    values = [entry[1] for one in chart.series for entry in one.values if entry is not None]
    room = RIGHT - left - max((chart.wide(value) for value in values), default=0.0) - _GAP
    if room < 120:
        raise Fault("chart: its labels are too long to leave room for bars")
    low, high = chart.reach()
    scale = room / float(high - low)
    zero = left - float(low) * scale
    y = top
    for at, name in enumerate(chart.names):
        for number, one in enumerate(chart.series):
            y -= _DEEP
            if number == 0:
                chart.write(left - _GAP, y + 4, name, at=1.0)
            entry = one.values[at]
            if entry is not None:
                length = float(entry[0]) * scale
                chart.box(zero, y + 1.5, length, _DEEP - 5, one.colour)
                chart.write(zero + max(length, 0.0) + 5, y + 4, entry[1])
        y -= 5
    chart.draw(lambda canvas: _upright(canvas, zero, y, top))


def _columns(chart: _Chart, top: float) -> None:
    slot, base, heights = _frame(chart, top, len(chart.series))
    wide = 0.72 * slot / len(chart.series)
    for at in range(len(chart.names)):
        for number, one in enumerate(chart.series):
            entry = one.values[at]
            if entry is not None:
                left = LEFT + slot * (at + 0.14) + wide * number
                end = heights(entry[0])
                chart.box(left, heights(Decimal(0)), wide - 2, end - heights(Decimal(0)), one.colour)
                chart.write(
                    left + wide / 2 - 1, _row(base, end, entry[0] < 0), entry[1], _size(chart, wide - _GAP), 0.5
                )


def _lines(chart: _Chart, top: float) -> None:
    slot, base, heights = _frame(chart, top, 1)
    taken: dict[int, set[float]] = {}
    for one in sorted(chart.series, key=lambda one: sum(entry[0] for entry in one.values if entry is not None)):
        places = [
            (LEFT + slot * (at + 0.5), heights(entry[0])) for at, entry in enumerate(one.values) if entry is not None
        ]
        chart.draw(lambda canvas, places=places, one=one: _polyline(canvas, places, one.colour))  # type: ignore[misc]
        for at, entry in enumerate(one.values):
            if entry is not None:
                y = _row(base, heights(entry[0]) + 3, False)
                while y in taken.setdefault(at, set()):
                    y += _STEP
                taken[at].add(y)
                chart.write(LEFT + slot * (at + 0.5), y, entry[1], _size(chart, slot - _GAP), 0.5)


def _frame(chart: _Chart, top: float, beside: int) -> tuple[float, float, Callable[[Decimal], float]]:
    """The width of a category, the lowest height of labels, and the height of a number; with the names below."""
    slot = (RIGHT - LEFT) / len(chart.names)
    shown = [entry[1] for one in chart.series for entry in one.values if entry is not None]
    size = _size(chart, slot * (0.72 if beside > 1 else 1.0) / beside - _GAP)
    narrow = min((slot / beside * (0.72 if beside > 1 else 1.0)), slot) - _GAP
    if max((chart.wide(text, size) for text in shown), default=0.0) > narrow:
        raise Fault("chart: its values do not fit side by side: use `kind: bar`")
    names = 6.5 if max(chart.wide(name) for name in chart.names) > slot - _GAP else _SIZE
    if max(chart.wide(name, names) for name in chart.names) > slot - _GAP:
        raise Fault("chart: its names do not fit side by side: use `kind: bar`")
    low, high = chart.reach()
    bottom = top - _HIGH
    below = 2 * _STEP if low < 0 else 0.0
    scale = (_HIGH - below - 3 * _STEP - 10) / float(high - low)

    def height(value: Decimal) -> float:
        return bottom + 20 + below + float(value - low) * scale

    for at, name in enumerate(chart.names):
        chart.write(LEFT + slot * (at + 0.5), bottom + 6, name, names, 0.5, _GREY)
    zero = height(Decimal(0))
    chart.draw(lambda canvas: paper.rule(canvas, LEFT, RIGHT, zero, "9AA3AB", 0.8))
    return slot, bottom + 22, height


def _size(chart: _Chart, room: float) -> float:
    """The size at which all values fit into a width; the least one where they do not."""
    widest = max((chart.wide(entry[1], 1.0) for one in chart.series for entry in one.values if entry), default=1.0)
    return max(6.0, min(_SIZE, math.floor(2 * room / widest) / 2)) if widest else _SIZE


def _row(base: float, end: float, below: bool) -> float:
    """The baseline of a label at the end of a mark: one of a few heights, so that near labels share it."""
    steps = math.floor((end - 10 - base) / _STEP) if below else math.ceil((end + 2.5 - base) / _STEP)
    return round(base + _STEP * max(steps, 0), 2)


def _pie(chart: _Chart, top: float) -> None:
    if len(chart.series) > 1:
        raise Fault("chart: a pie has one column")
    parts = [(name, entry) for name, entry in zip(chart.names, chart.series[0].values, strict=True) if entry]
    whole = sum(entry[0] for _, entry in parts)
    if any(entry[0] < 0 for _, entry in parts) or not whole:
        raise Fault("chart: a pie has no negative parts, and not only zeros")
    radius, start = 72.0, 90.0
    centre = (LEFT + radius + 12, top - radius - 8)
    right = min(RIGHT, LEFT + 2 * radius + 76 + max(chart.wide(name) + chart.wide(e[1]) for name, e in parts) + 60)
    for at, (name, entry) in enumerate(parts):
        sweep = 360.0 * float(entry[0] / whole)
        colour = _shade(chart.look.accent, at, len(parts))
        chart.draw(lambda canvas, a=start, b=sweep, c=colour: _wedge(canvas, centre, radius, a - b, b, c))  # type: ignore[misc]
        start -= sweep
        y = top - 22 - 16 * at
        chart.box(LEFT + 2 * radius + 48, y - 1, 8, 8, colour)
        chart.write(LEFT + 2 * radius + 64, y, name)
        chart.write(right, y, entry[1], at=1.0)
    if LEFT + 2 * radius + 64 + max(chart.wide(name) + chart.wide(e[1]) for name, e in parts) + _GAP > RIGHT:
        raise Fault("chart: its names are too long for a pie: use `kind: bar`")


def _upright(canvas: Canvas, x: float, low: float, high: float) -> None:
    canvas.setStrokeColorRGB(*rgb("9AA3AB"))
    canvas.setLineWidth(0.8)
    canvas.line(x, low, x, high)


def _polyline(canvas: Canvas, places: list[tuple[float, float]], colour: str) -> None:
    canvas.setStrokeColorRGB(*rgb(colour))
    canvas.setFillColorRGB(*rgb(colour))
    canvas.setLineWidth(1.8)
    for (x0, y0), (x1, y1) in pairwise(places):
        canvas.line(x0, y0, x1, y1)
    for x, y in places:
        canvas.circle(x, y, 2.6, stroke=0, fill=1)


def _wedge(canvas: Canvas, centre: tuple[float, float], radius: float, start: float, sweep: float, colour: str) -> None:
    canvas.setFillColorRGB(*rgb(colour))
    canvas.setStrokeColorRGB(1, 1, 1)
    canvas.setLineWidth(1.0)
    (x, y), reach = centre, radius
    if sweep >= 359.999:
        canvas.circle(x, y, reach, stroke=0, fill=1)
        return
    canvas.wedge(x - reach, y - reach, x + reach, y + reach, start, sweep, stroke=1, fill=1)


def _bars_high(chart: _Chart) -> float:
    return len(chart.names) * (_DEEP * len(chart.series) + 5)


def _pie_high(chart: _Chart) -> float:
    return max(160.0, 16.0 * len(chart.names) + 20)


_KINDS: Mapping[str, tuple[Callable[[_Chart], float], Callable[[_Chart, float], None]]] = {
    "column": (lambda chart: _HIGH, _columns),
    "bar": (_bars_high, _bars),
    "line": (lambda chart: _HIGH, _lines),
    "pie": (_pie_high, _pie),
}
