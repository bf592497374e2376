"""Headings of a table on a sheet, in one row or two, with a row of units; and where a table came to stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workgym.documents.xlsx.a1 import column_letters
from workgym.materialize.bound import Bound
from workgym.materialize.layout import Laid
from workgym.materialize.scope import Fault
from workgym.materialize.table import Table
from workgym.materialize.xlsx.cells import Cells
from workgym.materialize.xlsx.style import Styles

_WIDE = 8
"""Columns of a table that is not wide yet."""
_SHORT = 7
"""Letters of a heading that stays on one line."""
_LINE = 15
"""Height of a line, in points."""


@dataclass
class Placed:
    """A table and where it stands; rows and columns from 0."""

    laid: Laid
    """Its contents."""
    top: int
    """The row of its title or headings."""
    first: int
    """The first row below its headings."""
    last: int
    """The last row of its body, a totals row aside."""
    left: int
    """Its first column."""
    rows: dict[int, int]
    """Where each row of the body stands."""

    @property
    def table(self) -> Table:
        """The table itself."""
        return self.laid.table

    def column(self, at: int) -> int:
        """Where a column of the table stands."""
        return self.left + self.laid.place(at)

    @property
    def right(self) -> int:
        """The first column behind it and its notes."""
        return self.left + self.laid.width + (2 if self.table.notes else 0)

    def area(self, at: int) -> str:
        """The cells of a column below its headings: ``B4:B9``."""
        letters = column_letters(self.column(at) + 1)
        first, last = f"{letters}{self.first + 1}", f"{letters}{self.last + 1}"
        return first if first == last else f"{first}:{last}"


class Heads:
    """Writes headings on one sheet."""

    def __init__(self, cells: Cells, styles: Styles) -> None:
        self.cells, self.styles = cells, styles

    def write(self, placed: Placed, row: int, right: list[bool]) -> int:
        """The headings, a row of groups above and one of units below where there are any; returns the row behind."""
        table = placed.table
        groups = _groups(table)
        if groups:
            self._grouped(placed, row, right, groups)
            row += 1
        else:
            self.labels(placed, row, right)
        row += 1
        units = table.spec.get("units", False)
        if not units:
            return row
        wanted = units if isinstance(units, Mapping) else {}
        for heading in wanted:
            table.at(heading)
        for at, label in enumerate(table.labels):
            said = wanted.get(label, "") if wanted else _unit(table, at)
            text = self.cells.tree.text(said, "units")
            if at == 0 and text:
                raise Fault("units: the first column has none")
            style = self.styles.unit(right[at], at > 0)
            if text:
                self.cells.text(row, placed.column(at), text, style)
            else:
                self.cells.sheet.write_blank(row, placed.column(at), None, style)
        return row + 1

    def labels(self, placed: Placed, row: int, right: list[bool]) -> None:
        """The row of headings; in a wide table long ones take two lines."""
        wide = len(placed.table.head) > _WIDE
        for at, head in enumerate(placed.table.head):
            code = self.styles.code([head])
            style = self.styles.head(code, right=right[at], inner=at > 0)
            self.cells.content(row, placed.column(at), head, style, code, widen=not wide)
            if wide:
                self.cells.widen(placed.column(at), _folded(self.cells.tree.shown(head).plain))
        if wide:
            self.cells.sheet.set_row(row, 2 * _LINE)

    def _grouped(self, placed: Placed, row: int, right: list[bool], groups: dict[int, tuple[str, int]]) -> None:
        """Two rows of headings: groups are merged over their columns, other headings over both rows."""
        inside = {at + step for at, (_, width) in groups.items() for step in range(width)}
        for at, head in enumerate(placed.table.head):
            column = placed.column(at)
            code = self.styles.code([head])
            if at in groups:
                text, width = groups[at]
                wide = self.styles.group(wide=True)
                if width > 1:
                    self.cells.sheet.merge_range(row, column, row, column + width - 1, "", wide)
                self.cells.text(row, column, self.cells.tree.text(text, "groups"), wide)
            if at in inside:
                self.cells.content(row + 1, column, head, self.styles.head(code, right=right[at], inner=at > 0), code)
                continue
            style = self.styles.head(code, right=right[at], inner=at > 0)
            self.cells.sheet.merge_range(row, column, row + 1, column, "", style)
            self.cells.content(row, column, head, style, code)


def _folded(text: str) -> str:
    """A text in two lines of about the same length, where it has a blank and is long enough."""
    blanks = [at for at, char in enumerate(text) if char == " "]
    if len(text) <= _SHORT or not blanks:
        return text
    middle = min(blanks, key=lambda at: abs(2 * at - len(text)))
    return f"{text[:middle]}\n{text[middle + 1 :]}"


def _groups(table: Table) -> dict[int, tuple[str, int]]:
    """The groups of headings: first column to name and number of columns. Raises Fault."""
    wanted = table.spec.get("groups", {})
    if not isinstance(wanted, Mapping):
        raise Fault("groups: a mapping from a name to the headings under it is needed")
    found: dict[int, tuple[str, int]] = {}
    for name, headings in wanted.items():
        columns = [table.at(heading) for heading in headings]
        if not columns or columns != list(range(columns[0], columns[0] + len(columns))):
            raise Fault(f"groups.{name}: headings of columns that stand side by side are needed, in their order")
        found[columns[0]] = (str(name), len(columns))
    if sum(width for _, width in found.values()) != len(
        {at + step for at, (_, width) in found.items() for step in range(width)}
    ):
        raise Fault("groups: a heading belongs to one of them")
    return found


def _unit(table: Table, at: int) -> str:
    """The unit of measure of a column's values, empty where they have none."""
    column = table.columns[at]
    types = [content.type for content in column if isinstance(content, Bound) and content.cells]
    if not types or len(set(map(str, types))) > 1 or at == 0:
        return ""
    return "%" if types[0].kind == "percent" else types[0].unit or ""
