"""Laying slides out: what stands where, and how large, so that all of it fits; what does not goes on the next one.

Text becomes smaller down to a size that a room can read. What still does not fit goes on a further slide with the same
title and a number; a table goes on there under its heading row. What fits nowhere is an error, never an overflow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from workgym.materialize.look.look import Look
from workgym.materialize.marks import Marked
from workgym.materialize.page.columns import fitted
from workgym.materialize.pptx.deck import Chart, Slide
from workgym.materialize.pptx.split import GAP, Unit, divided, height_of, runs, short, stretches
from workgym.materialize.pptx.text import LEADING, Meter
from workgym.materialize.prose import Block, Inline
from workgym.materialize.scope import Fault

SIZES = (20, 18, 16, 14, 12)
"""Points of running text, the first that fits being taken, the last only where a table is too wide at all others;
slides that are split are set in ``_SPLIT``."""
_SPLIT = 16
CELLS = {20: 16, 18: 14, 16: 12, 14: 11, 12: 9}
"""Points of the text of tables, by that of running text."""
PADDING, MARGIN = 4.5, 8.0
"""Of a table's cell: above and below the text, and beside it."""
_GUTTER, _TITLES = 28.0, (30, 26, 22, 18)
_SHARE = 0.47


class Box(NamedTuple):
    """A rectangle on the slide, in points."""

    x: float
    y: float
    width: float
    height: float


@dataclass(slots=True)
class Part:
    """A text or a table at its place; a text is a list of blocks, a table one block with its widths."""

    box: Box
    size: int
    blocks: list[Block]
    widths: list[float] = field(default_factory=list)
    heights: list[float] = field(default_factory=list)


@dataclass(slots=True)
class Page:
    """A slide as it is shown."""

    title: Inline
    title_size: int
    parts: list[Part] = field(default_factory=list)
    charts: list[tuple[Chart, Box]] = field(default_factory=list)
    notes: list[Inline] = field(default_factory=list)
    hidden: bool = False


class Fitter:
    """Lays slides out in the room that a look leaves."""

    def __init__(self, look: Look, title: Box, body: Box) -> None:
        self.look, self.title, self.body = look, title, body
        self.heading, self.text = Meter(look.heading_font), Meter(look.body_font)

    def pages(self, slide: Slide) -> list[Page]:
        """The slides that one becomes. Raises Fault for what fits on none."""
        blocks = numbered(slide.blocks)
        found = self._together(slide, blocks) or self._apart(slide, blocks)
        for number, page in enumerate(found, 1):
            if number > 1:
                page.title = _counted(slide.title, number)
            page.title_size = self._title_size(page.title)
            page.hidden = slide.hidden
        found[0].notes = slide.notes
        return found

    def title_size(self, title: Inline, sizes: Sequence[int], width: float, lines: int) -> int | None:
        """The largest size at which a title takes at most so many lines, or None."""
        scale = 1.2 if self.look.upper else 1.0
        for size in sizes:
            if self.heading.lines(title, size * scale, width, bold=True) <= lines:
                return size
        return None

    def _title_size(self, title: Inline) -> int:
        one = self.title_size(title, _TITLES[:2], self.title.width, 1)
        size = one or self.title_size(title, _TITLES[2:], self.title.width, 2)
        if size is None:
            raise Fault(f"the title {short(title)} is too long for a slide")
        return size

    def _together(self, slide: Slide, blocks: list[Block]) -> list[Page] | None:
        """All on one slide, text at the left and charts at the right, or None where it does not fit."""
        if len(slide.charts) > 2 or any(block.kind in ("rule", "page") for block in blocks):
            return None
        width = self.body.width * (_SHARE if slide.charts else 1.0) if blocks else 0.0
        page = Page(slide.title, 0)
        if blocks:
            fitting = self._fitting(blocks, width)
            if fitting is None:
                return None
            page.parts = self._placed(*fitting, width)
        left = width + _GUTTER if blocks else 0.0
        page.charts = self._charted(slide.charts, left, stacked=bool(blocks))
        return [page]

    def _apart(self, slide: Slide, blocks: list[Block]) -> list[Page]:
        """Text and tables over as many slides as they need, then two charts on each."""
        found: list[Page] = []
        width, room = self.body.width, self.body.height
        for stretch in stretches(blocks):
            fitting = self._fitting(stretch, width)
            units, size = fitting or self._small(stretch, width)
            for page in divided(units, room):
                found.append(Page(slide.title, 0, self._placed(page, size, width)))
        for at in range(0, len(slide.charts), 2):
            charts = self._charted(slide.charts[at : at + 2], 0.0, stacked=False)
            found.append(Page(slide.title, 0, charts=charts))
        return found

    def _fitting(self, blocks: Sequence[Block], width: float) -> tuple[list[Unit], int] | None:
        """The units of blocks at the largest size at which they fit one slide, and that size; or None."""
        wide = False
        for size in SIZES:
            if size == SIZES[-1] and not wide:
                return None
            try:
                units = list(self._units(blocks, size, width))
            except Fault:  # a table that is too wide at this size
                wide = True
                continue
            wide = False
            if height_of(units) <= self.body.height:
                return units, size
        return None

    def _small(self, blocks: Sequence[Block], width: float) -> tuple[list[Unit], int]:
        """The units of blocks that go over several slides, and their size. Raises Fault for too wide a table."""
        for size in (size for size in SIZES if SIZES[-1] < size <= _SPLIT):
            try:
                return list(self._units(blocks, size, width)), size
            except Fault:
                continue
        return list(self._units(blocks, SIZES[-1], width)), SIZES[-1]

    def _charted(self, charts: Sequence[Chart], left: float, stacked: bool) -> list[tuple[Chart, Box]]:
        x, y, width, height = self.body
        x, width, count = x + left, width - left, len(charts)
        if not count:
            return []
        if stacked:
            high = (height - GAP * (count - 1)) / count
            return [(chart, Box(x, y + at * (high + GAP), width, high)) for at, chart in enumerate(charts)]
        wide = (width - _GUTTER * (count - 1)) / count
        return [(chart, Box(x + at * (wide + _GUTTER), y, wide, height)) for at, chart in enumerate(charts)]

    def _units(self, blocks: Sequence[Block], size: int, width: float) -> Iterator[Unit]:
        for block in blocks:
            if block.kind != "table":
                yield Unit(block, None, self._block_height(block, size, width))
                continue
            widths = self.widths(block, CELLS[size], width)
            for at in range(len(block.rows)):
                yield Unit(block, at, self._row_height(block, at, CELLS[size], widths))

    def _block_height(self, block: Block, size: int, width: float) -> float:
        style = style_of(block, size)
        lines = self.text.lines(block.text, style.size, width - style.left, style.bold)
        return style.before + lines * style.size * LEADING + style.after

    def widths(self, block: Block, size: int, room: float) -> list[float]:
        """Widths of the columns of a table. Raises Fault where its words do not fit."""
        columns = range(len(block.aligns))

        def widest(measure: str, at: int) -> float:
            lines = [line for line in range(len(block.rows)) if spread(block, line, at) == 1]
            cells = [(block.rows[line][at], line < block.heads) for line in lines]
            if measure == "all":
                return max(
                    (self.text.width(c.text.plain, size, bold or bool(c.bold)) for c, bold in cells), default=0.0
                )
            return max((self.text.longest(cell, size, bold) for cell, bold in cells), default=0.0)

        wanted = [max(widest("all", at), 3.0 * size) + 2 * MARGIN + 2 for at in columns]
        least = [min(widest("word", at) + 2 * MARGIN + 2, 0.6 * room) for at in columns]
        if sum(least) > room:
            raise Fault(f"a table of {len(block.aligns)} columns is too wide for a slide: {short(block.rows[0][0])}")
        total = sum(wanted)
        if total <= room:
            goal = room if total > 0.4 * room else max(1.25 * total, 0.5 * room)
            return [width * goal / total for width in wanted]
        return fitted(wanted, least, room)

    def _row_height(self, block: Block, at: int, size: int, widths: list[float]) -> float:
        lines = [
            self.text.lines(cell, size, sum(widths[column : column + wide]) - 2 * MARGIN, bold=at < block.heads)
            for column, cell in enumerate(block.rows[at])
            if (wide := spread(block, at, column))
        ]
        return max(lines) * size * LEADING + 2 * PADDING

    def _placed(self, units: list[Unit], size: int, width: float) -> list[Part]:
        """The units as parts, one below the other; a table that goes on has its heading row again."""
        parts: list[Part] = []
        top = self.body.y
        for stretch in runs(units):
            first = stretch[0]
            height = sum(unit.height for unit in stretch)
            box = Box(self.body.x, top, width, height)
            if first.row is None:
                parts.append(Part(box, size, [unit.block for unit in stretch]))
            else:
                rows = tuple(first.block.rows[unit.row or 0] for unit in stretch)
                widths = self.widths(first.block, CELLS[size], width)
                heights = [unit.height for unit in stretch]
                box = box._replace(width=sum(widths))
                parts.append(Part(box, CELLS[size], [replace(first.block, rows=rows)], widths, heights))
            top += height + GAP
        return parts


def spread(block: Block, row: int, column: int) -> int:
    """How many columns a cell of a table takes: 0 where it is covered by the one to its left."""
    if (row, column) in block.merged:
        return 0
    end = column + 1
    while (row, end) in block.merged:
        end += 1
    return end - column


class Style(NamedTuple):
    """How a block of text is set, in points."""

    size: int
    bold: bool
    left: float
    before: float
    after: float


def style_of(block: Block, size: int) -> Style:
    """How a block is set where running text has ``size`` points."""
    if block.kind == "heading":
        return Style(size if block.level == 3 else size + 1, True, 0.0, 4.0, size * 0.25)
    if block.kind == "note":
        return Style(11, False, 0.0, 0.0, 3.0)
    if block.kind == "item":
        small = size - (0, 2, 3)[block.level - 1]
        return Style(small, False, 22.0 * block.level, 0.0, size * (0.4 if block.level == 1 else 0.25))
    return Style(size, False, 0.0, 0.0, size * 0.45)


def numbered(blocks: Sequence[Block]) -> list[Block]:
    """The blocks with the numbers that the items of lists really have, and footnotes with theirs in front."""
    found: list[Block] = []
    reached: dict[int, int] = {}
    for block in blocks:
        if block.kind == "note":
            label = Marked(f"[{block.number}] ")
            found.append(replace(block, text=Inline(label.decorated(1, len(label.text) - 2) + block.text.text)))
            continue
        if block.kind != "item":
            reached = {}
        elif block.number is None:
            reached = {level: at for level, at in reached.items() if level < block.level}
        else:
            number = reached[block.level] + 1 if block.level in reached else block.number
            reached = {level: at for level, at in reached.items() if level < block.level} | {block.level: number}
            block = replace(block, number=number)
        found.append(block)
    return found


def _counted(title: Inline, number: int) -> Inline:
    mark = Marked(f" ({number})")
    return Inline(title.text + mark.decorated(2, len(mark.text) - 1), title.bold)
