"""Tables of a word-processing document, in a company's look."""

from __future__ import annotations

from workgym.materialize.docx.text import Margin, paragraph
from workgym.materialize.look.look import Look
from workgym.materialize.page.columns import chunks, fitted
from workgym.materialize.prose import Align, Block, Inline

SHORT = 12
"""Rows up to which a table stays on one page; a longer one keeps its first and last few together."""

_JC = {"left": "left", "right": "right", "center": "center"}


def table(block: Block, number: int, look: Look, margin: Margin, room: int) -> str:
    """The table; ``t<number>`` is its place, ``room`` the width that it may take."""
    widths = _widths(block, room)
    grid = "".join(f'<w:gridCol w:w="{width}"/>' for width in widths)
    rows = []
    for line in range(len(block.rows)):
        header = "<w:tblHeader/>" if line < block.heads else ""
        cells = _row(block, line, widths, f"t{number}r{line + 1}", look, margin)
        rows.append(f"<w:tr><w:trPr><w:cantSplit/>{header}</w:trPr>{cells}</w:tr>")
    properties = f'<w:tblW w:w="{sum(widths)}" w:type="dxa"/>{_borders(look)}<w:tblLayout w:type="fixed"/>'
    return f"<w:tbl><w:tblPr>{properties}</w:tblPr><w:tblGrid>{grid}</w:tblGrid>{''.join(rows)}</w:tbl>"


def _row(block: Block, line: int, widths: list[int], at: str, look: Look, margin: Margin) -> str:
    columns, cells = range(len(widths)), []
    starts = [column for column in columns if (line, column) not in block.merged]
    for start, end in zip(starts, [*starts[1:], len(widths)], strict=True):
        held = _held(line, len(block.rows), block.heads)
        look_of = _Cell(look, line < block.heads, (line - block.heads) % 2 == 1, line + 1 == block.heads, held)
        align = "center" if end > start + 1 else block.aligns[start]
        place = f"{at}c{start + 1}"
        cells.append(look_of.xml(block.rows[line][start], place, sum(widths[start:end]), end - start, align, margin))
    return "".join(cells)


def _held(line: int, rows: int, heads: int) -> bool:
    """Whether a row stays on the page of the next one."""
    return line + 1 < rows and (rows <= SHORT or line < heads + 2 or line + 3 >= rows)


def _widths(block: Block, room: int) -> list[int]:
    """Column widths in twentieths of a point, by what the columns hold; narrow tables stay narrow."""
    columns = range(len(block.aligns))
    # a cell that goes over several columns has room enough
    rows = [
        ["" if {(line, at), (line, at + 1)} & block.merged else _shown(cell) for at, cell in enumerate(row)]
        for line, row in enumerate(block.rows)
    ]
    longest = [max(len(row[at]) for row in rows) for at in columns]
    wanted = [max(length, 5) * 124.0 + 330 for length in longest]
    total = sum(wanted)
    if total <= room:
        goal = room if total > 0.55 * room else max(total, 0.5 * room)
        return [int(width * goal / total) for width in wanted]
    words = [max((len(chunk) for row in block.rows for chunk in chunks(row[at].text)), default=0) for at in columns]
    least = [min(word * 130.0 + 330, width) for word, width in zip(words, wanted, strict=True)]
    return [int(width) for width in fitted(wanted, least, room)]


def _shown(cell: Inline) -> str:
    """What a cell shows, struck text included."""
    return cell.text.plain + "".join(change.text.plain for change in cell.changes if change.kind == "struck")


def _borders(look: Look) -> str:
    def edge(name: str, colour: str, size: int = 4) -> str:
        return f'<w:{name} w:val="single" w:sz="{size}" w:space="0" w:color="{colour}"/>'

    if look.table == "grid":
        names = ("top", "left", "bottom", "right", "insideH", "insideV")
        return f"<w:tblBorders>{''.join(edge(name, 'A6ADB4') for name in names)}</w:tblBorders>"
    if look.table == "lined":
        return f"<w:tblBorders>{edge('top', look.accent, 8)}{edge('bottom', look.accent, 8)}</w:tblBorders>"
    inner = edge("insideH", "D5DADF") if look.table == "filled" else ""
    return f"<w:tblBorders>{edge('bottom', look.accent)}{inner}</w:tblBorders>"


class _Cell:
    """How a cell looks: its ground, the colour of its letters, its lower edge; and whether the next row is held."""

    def __init__(self, look: Look, head: bool, odd: bool, last_head: bool, held: bool) -> None:
        self.head, self.held = head, "<w:keepNext/>" if held else ""
        self.shade = self.colour = self.edge = ""
        if head and look.table == "filled":
            self.shade, self.colour = look.accent, '<w:color w:val="FFFFFF"/>'
        elif head and look.table in ("banded", "grid"):
            self.shade, self.colour = look.tint, f'<w:color w:val="{look.accent}"/>'
        elif head:
            self.colour = f'<w:color w:val="{look.accent}"/>'
            line = f'<w:bottom w:val="single" w:sz="6" w:space="0" w:color="{look.accent}"/>'
            self.edge = f"<w:tcBorders>{line}</w:tcBorders>" if last_head else ""
        elif look.table == "banded" and odd:
            self.shade = "F5F6F8"

    def xml(self, text: Inline, at: str, width: int, span: int, align: Align, margin: Margin) -> str:
        """The cell."""
        joined = f'<w:gridSpan w:val="{span}"/>' if span > 1 else ""
        fill = f'<w:shd w:val="clear" w:color="auto" w:fill="{self.shade}"/>' if self.shade else ""
        ground = f'{joined}{self.edge}{fill}<w:vAlign w:val="{"bottom" if self.head else "top"}"/>'
        runs = margin.text(text, at, self.colour, bold=self.head)
        said = paragraph(f'<w:pStyle w:val="TableText"/>{self.held}<w:jc w:val="{_JC[align]}"/>', runs)
        return f'<w:tc><w:tcPr><w:tcW w:w="{width}" w:type="dxa"/>{ground}</w:tcPr>{said}</w:tc>'
