"""What a table is once it is found: cells with their places, a grid with its headings, what stands around a cell."""

from __future__ import annotations

from functools import lru_cache

from workgym.documents.model import Fragment
from workgym.records import Record
from workgym.records.surface import parse_date, parse_number, parse_time


class GridCell(Record):
    """A cell of a grid."""

    text: str
    """What it says."""
    fragment: Fragment
    """The fragment that it is, or is a part of."""
    row: int
    """Its row, as its fragment counts."""
    column: int
    """Its column from 1, as its fragment counts; found by position in lines of a page or of Markdown."""
    span: tuple[int, int] | None = None
    """The characters of the fragment that it takes, or None for all of them."""

    @property
    def at(self) -> str:
        """Its place, with a span where it is a part of a line."""
        return self.fragment.at if self.span is None else f"{self.fragment.at}[{self.span[0]}:{self.span[1]}]"


class Grid(Record):
    """One table."""

    name: str
    """Name of what holds it: a sheet, ``t1``, ``p1``, ``csv``, a JSON pointer."""
    titles: tuple[str, ...] = ()
    """Lines above it that belong to no column."""
    header: tuple[GridCell, ...] = ()
    """The row of column headings (its lowest one), or empty where there is none."""
    above: tuple[GridCell, ...] = ()
    """Cells of further heading rows above ``header``."""
    units: tuple[GridCell, ...] = ()
    """The row of units below ``header``, or empty where there is none."""
    rows: tuple[tuple[GridCell, ...], ...] = ()
    """The rows below the header, cells from left to right; empty cells are left out."""
    notes: tuple[str, ...] = ()
    """Lines below it that belong to no column."""

    def heading(self, column: int) -> tuple[str, ...]:
        """The headings over a column, the outermost first, a unit last."""
        outer = [cell for cell in self.above if cell.column <= column]
        found = [max(outer, key=lambda cell: (cell.row, cell.column)).text] if outer else []
        under = (*self.header, *self.units)
        return tuple(dict.fromkeys((*found, *(cell.text for cell in under if cell.column == column))))

    def column(self, heading: str) -> int | None:
        """The column under a heading, letter case and blanks aside, or None."""
        wanted = folded(heading)
        return next((cell.column for cell in self.header if folded(cell.text) == wanted), None)

    def cell(self, row: int, column: int) -> GridCell | None:
        """The cell in a row and column as their fragments count, or None where it is empty."""
        return next((cell for cells in self.rows for cell in cells if (cell.row, cell.column) == (row, column)), None)


class RowContext(Record):
    """What stands around a fragment."""

    row: tuple[str, ...] = ()
    """The other texts of its row; for JSON also the keys on the way to it."""
    headings: tuple[str, ...] = ()
    """Column headings over it, and the label that the format gives it."""
    titles: tuple[str, ...] = ()
    """Titles of its grid: lines above it, the sheet's name."""
    lines: tuple[str, ...] = ()
    """Outside a grid: the line or paragraph itself and the nearest one above it."""

    @property
    def texts(self) -> tuple[str, ...]:
        """All of it, the nearest first."""
        return (*self.row, *self.headings, *self.lines, *self.titles)


def folded(text: str) -> str:
    """``text`` for comparisons: letter case and blanks aside."""
    return " ".join(text.casefold().split())


@lru_cache(maxsize=8192)
def _is_data(text: str) -> bool:
    return parse_number(text) is not None or parse_date(text) is not None or parse_time(text) is not None


def typed(cell: GridCell) -> bool:
    """Whether a cell holds a number, date or time, or a formula, rather than a text."""
    return cell.fragment.value is not None or cell.fragment.formula is not None or _is_data(cell.text)
