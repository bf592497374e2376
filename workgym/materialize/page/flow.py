"""Blocks of prose set on pages: paragraphs, headings, lists, tables, rules, flowing from page to page."""

from __future__ import annotations

from workgym.materialize.look.fonts import Face
from workgym.materialize.look.look import Look
from workgym.materialize.marks import Marked
from workgym.materialize.page import paper
from workgym.materialize.page.columns import chunks, fitted
from workgym.materialize.page.typeset import LEFT, RIGHT, Line, Page, Piece, broken, inline_width
from workgym.materialize.prose import Block, Inline

INK = "1E252B"
"""Colour of text."""
FOOT = 74.0
"""Where the text of a page ends."""
_BODY, _LEADING = 10.0, 14.2
_HEADINGS = {1: (18.0, 23.0, 6.0, 8.0), 2: (12.5, 16.0, 12.0, 4.0), 3: (10.5, 14.0, 8.0, 3.0)}
"""Size, leading, space before and after, by level."""
_CELL, _CELL_LEADING, _PAD = 9.0, 12.0, 7.0


class Flow:
    """Blocks flowing over pages."""

    def __init__(self, face: Face, look: Look, top: float) -> None:
        self.face, self.look = face, look
        self.pages = [Page()]
        self.y = top
        self._start = 0

    @property
    def page(self) -> Page:
        """The page that is being filled."""
        return self.pages[-1]

    def turn(self) -> None:
        """A new page."""
        self.pages.append(Page())
        self.y = paper.NEXT_TOP

    def need(self, height: float) -> None:
        """A new page where so much does not fit on this one."""
        if self.y - height < FOOT:
            self.turn()

    def line(self, pieces: list[Piece], leading: float) -> None:
        """One visual line."""
        self.need(leading)
        self.y -= leading
        self.page.lines.append(Line(self.y, pieces))

    def add(self, block: Block, following: Block | None) -> None:
        """One block; ``following`` is the next one, for headings that stay with it."""
        if block.kind == "page":
            self.turn()
        elif block.kind == "rule":
            self.need(14)
            self.y -= 10
            self._rule(LEFT, RIGHT, self.y, self.look.accent, 0.7)
            self.y -= 6
        elif block.kind == "heading":
            self._heading(block, following)
        elif block.kind == "table":
            _Table(self, block).place()
        elif block.kind == "item":
            self._item(block, following)
        else:
            for part in broken(block.text, self.face, _BODY, RIGHT - LEFT):
                self.line([Piece(LEFT, part, _BODY, INK)], _LEADING)
            self.y -= 7

    def _rule(self, left: float, right: float, y: float, colour: str, width: float) -> None:
        self.page.drawings.append(lambda canvas: paper.rule(canvas, left, right, y, colour, width))

    def _dot(self, x: float, y: float) -> None:
        self.page.drawings.append(lambda canvas: paper.dot(canvas, x, y, self.look.accent))

    def _heading(self, block: Block, following: Block | None) -> None:
        size, leading, before, after = _HEADINGS[block.level]
        colour = self.look.accent if block.level < 3 else INK
        parts = broken(block.text, self.face, size, RIGHT - LEFT, bold=True)
        fresh = not self.page.lines
        self.need(leading * len(parts) + before + (60 if following is not None else 0))
        self.y -= 0 if fresh else before
        for part in parts:
            self.line([Piece(LEFT, part, size, colour, bold=True)], leading)
        self.y -= after

    def _item(self, block: Block, following: Block | None) -> None:
        left = LEFT + 6 + 16 * (block.level - 1)
        label = Marked("") if block.number is None else _label(block.number)
        indent = 12.0 if block.number is None else self.face.width("0" * len(str(block.number)) + ". ", False, _BODY)
        parts = broken(block.text, self.face, _BODY, RIGHT - left - indent)
        for at, part in enumerate(parts):
            if at == 0 and block.number is not None:
                bold = tuple((a + len(label.text), b + len(label.text)) for a, b in part.bold)
                self.line([Piece(left, Inline(label + part.text, bold), _BODY, INK)], _LEADING)
                continue
            self.line([Piece(left + indent, part, _BODY, INK)], _LEADING)
            if at == 0:
                self._dot(left + 3, self.y + 3.2)
        self.y -= 2.5 if following is not None and following.kind == "item" else 7


def _label(number: int) -> Marked:
    text = f"{number}. "
    return Marked(text).decorated(0, len(text) - 2)


class _Table:
    """A table on the flow; its heading row is repeated on every page."""

    def __init__(self, flow: Flow, block: Block) -> None:
        self.flow, self.block, self.look, self.face = flow, block, flow.look, flow.face
        self.widths = self._widths()
        self.left = LEFT
        self.right = LEFT + sum(self.widths)

    def _widths(self) -> list[float]:
        """Natural widths, stretched to a good part of the page, or squeezed where the words allow it."""
        columns = range(len(self.block.aligns))
        room = RIGHT - LEFT
        wanted, least = [], []
        for at in columns:
            cells = [
                (row[at], line < self.block.heads)
                for line, row in enumerate(self.block.rows)
                if self._span(line, at) == 1
            ] or [(Inline(Marked("")), False)]
            wanted.append(max(inline_width(cell, self.face, _CELL, bold) for cell, bold in cells) + 2 * _PAD + 1)
            words = [(word, bold) for cell, bold in cells for word in chunks(cell.text)]
            longest = max((self.face.width(word, bold, _CELL) for word, bold in words), default=10.0)
            least.append(min(longest + 2 * _PAD + 1, wanted[-1]))
        total = sum(wanted)
        if total <= room:
            goal = room if total > 0.5 * room else max(total, 0.5 * room)
            return [width + (goal - total) * width / total for width in wanted]
        return fitted(wanted, least, room)

    def _span(self, line: int, at: int) -> int:
        """How many columns a cell takes: those after it that are one with it count as its own."""
        end = at + 1
        while (line, end) in self.block.merged:
            end += 1
        return end - at

    def _room(self, line: int, at: int) -> float:
        return sum(self.widths[at : at + self._span(line, at)])

    def place(self) -> None:
        """Sets it, breaking between rows."""
        heads = self.block.heads
        rows = [self._row(line, row) for line, row in enumerate(self.block.rows)]
        heights = [len(row) * _CELL_LEADING + 6 for row in rows]
        self.flow.y -= 3
        self.flow.need(sum(heights[: heads + 2]))
        for line, row in enumerate(rows):
            if line >= heads and self.flow.y - heights[line] < FOOT:
                self._edge()
                self.flow.turn()
                for repeated in range(heads):
                    self._set(rows[repeated], repeated, heights[repeated])
            self._set(row, line, heights[line])
        self._edge()
        self.flow.y -= 14

    def _row(self, line: int, row: tuple[Inline, ...]) -> list[list[Inline | None]]:
        """The visual lines of a row: for each, the part of every cell."""
        broken_cells = [
            broken(cell, self.face, _CELL, self._room(line, at) - 2 * _PAD, bold=line < self.block.heads)
            for at, cell in enumerate(row)
        ]
        tallest = max(len(cell) for cell in broken_cells)
        return [
            [cell[at] if at < len(cell) and cell[at].text else None for cell in broken_cells] for at in range(tallest)
        ]

    def _set(self, lines: list[list[Inline | None]], number: int, height: float) -> None:
        head, flow = number < self.block.heads, self.flow
        top = flow.y
        self._ground(top, height, number)
        colour = INK
        if head:
            colour = "FFFFFF" if self.look.table == "filled" else self.look.accent
        y = top - 3
        for line in lines:
            y -= _CELL_LEADING
            pieces = []
            left = self.left
            for at, (part, width) in enumerate(zip(line, self.widths, strict=True)):
                if part is not None:
                    own = inline_width(part, self.face, _CELL, head)
                    slack = self._room(number, at) - 2 * _PAD - own
                    align = "center" if self._span(number, at) > 1 else self.block.aligns[at]
                    shift = {"left": 0.0, "right": slack, "center": slack / 2}[align]
                    pieces.append(Piece(left + _PAD + max(0.0, shift), part, _CELL, colour, bold=head))
                left += width
            if pieces:
                flow.page.lines.append(Line(y + 2.6, pieces))
        flow.y = top - height

    def _ground(self, top: float, height: float, number: int) -> None:
        """What lies under a row: its colour and its rules."""
        style, drawings = self.look.table, self.flow.page.drawings
        left, right, low = self.left, self.right, top - height
        fill = None
        if number < self.block.heads:
            fill = {"filled": self.look.accent, "banded": self.look.tint, "grid": "E7E9EC"}.get(style)
        elif style == "banded" and (number - self.block.heads) % 2 == 1:
            fill = "F5F6F8"
        if fill:
            drawings.append(lambda canvas: paper.ground(canvas, left, low, right - left, height, fill))
        if style == "grid":
            widths = [self._room(number, at) for at in range(len(self.widths)) if (number, at) not in self.block.merged]
            drawings.append(lambda canvas: paper.grid(canvas, left, low, widths, height))
        elif style == "lined" and number < self.block.heads:
            if number == 0:
                drawings.append(lambda canvas: paper.rule(canvas, left, right, top, self.look.accent, 1.1))
            drawings.append(lambda canvas: paper.rule(canvas, left, right, low, self.look.accent, 0.6))
        elif style != "lined":
            drawings.append(lambda canvas: paper.rule(canvas, left, right, low, "D5DADF", 0.5))

    def _edge(self) -> None:
        if self.look.table != "grid":
            left, right, y, colour = self.left, self.right, self.flow.y, self.look.accent
            self.flow.page.drawings.append(lambda canvas: paper.rule(canvas, left, right, y, colour, 0.9))
