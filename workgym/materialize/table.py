"""Tables of content trees: columns of contents, ready to be written in any format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from workgym.materialize.bound import Bound
from workgym.materialize.marks import Marked
from workgym.materialize.scope import Fault, near
from workgym.materialize.strip import Strip

Content = Bound | Marked | int | float | bool | None
"""What one cell holds: a value in its own form, a text, or plain data (decor) as the tree gives it."""
_DIGITS = 15
"""Digits of a number that every double gives back as it was (IEEE 754)."""


@dataclass
class Table:
    """A grid of contents."""

    head: list[Content] = field(default_factory=list)
    """Headings; empty for none."""
    columns: list[Sequence[Content]] = field(default_factory=list)
    """The body by columns, all as long as ``height``; as many as headings where there are any."""
    height: int = 0
    """Rows of the body."""
    formats: list[str | None] = field(default_factory=list)
    """Number format for each column; None for that of the value's type."""
    widths: list[float | None] = field(default_factory=list)
    """Width of each column in characters; None for what the content needs."""
    labels: list[str] = field(default_factory=list)
    """Headings as plain text, by which totals and charts name columns."""
    sums: list[int] = field(default_factory=list)
    """Columns that the totals row adds up; empty for no such row."""
    total_label: str = "Total"
    """What the totals row is called."""
    title: Marked | None = None
    """A line above it."""
    notes: list[Marked] = field(default_factory=list)
    """Lines to the right of it."""
    beside: bool = False
    """Whether it stands to the right of the table before it."""
    pairs: bool = False
    """Whether it is labels and values."""
    mixed: bool = False
    """Whether the cells of a column may be of different types."""
    options: list[Mapping[str, Any]] = field(default_factory=list)
    """What the tree says about each column besides its value; empty for nothing, and for tables without columns."""
    spec: Mapping[str, Any] = field(default_factory=dict)
    """The table as the tree writes it, for what only some writers know: ``groups``, ``units``, ``mess``."""

    @classmethod
    def of_rows(cls, rows: Sequence[Sequence[Content]], width: int, **more: Any) -> Table:
        """A table from the rows of its body, all of one ``width``."""
        columns: list[Sequence[Content]] = [[row[at] for row in rows] for at in range(width)]
        usual = {"formats": [None] * width, "widths": [None] * width}
        return cls(columns=columns, height=len(rows), **(usual | more))

    def at(self, heading: object) -> int:
        """The column that a heading names. Raises Fault."""
        if heading not in self.labels:
            raise Fault(f"there is no column {heading!r}: {near(str(heading), self.labels)}")
        return self.labels.index(str(heading))

    def rows(self) -> Iterable[tuple[Content, ...]]:
        """The body by rows."""
        return zip(*self.columns, strict=True) if self.columns else [()] * self.height


def number(content: Content) -> Decimal | None:
    """A content as the number that a sheet would hold, or None where it would hold something else."""
    if isinstance(content, Bound) and content.printed is None and content.type.numeric and content.value is not None:
        return content.value if isinstance(content.value, Decimal) else Decimal(str(content.value))
    if isinstance(content, (int, float)) and not isinstance(content, bool):
        return Decimal(str(content))
    return None


def holds_number(column: Sequence[Content]) -> bool:
    """Whether any cell of a column would hold a number."""
    if isinstance(column, Strip):
        return column.type.numeric and any(value is not None for value in column.values)
    return any(number(content) is not None for content in column)


def exact(figure: Decimal) -> float:
    """A number as the double that sheets and JSON keep. Raises Fault where it would lose digits."""
    written = str(figure)
    double = float(written)
    if (len(written) > _DIGITS or "E" in written) and Decimal(repr(double)) != figure:
        raise Fault(f"{figure} has more digits than a cell keeps: choose a form, and it is written as text")
    return double
