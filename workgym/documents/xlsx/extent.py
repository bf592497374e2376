"""The extent that a sheet states of itself (``dimension``): engines trust it, so that it must cover every cell."""

from __future__ import annotations

from collections.abc import Iterable

from workgym.documents.xlsx.a1 import column_letters, split_reference


def grown(written: str, places: Iterable[tuple[int, int]]) -> str:
    """An extent like ``A1:D9`` that covers ``places`` (row and column) too; as it is where it does already."""
    first, _, last = written.partition(":")
    start, end = split_reference(first), split_reference(last or first)
    if start is None or end is None:
        return written
    rows, columns = [start[0], end[0]], [start[1], end[1]]
    for row, column in places:
        rows.append(row)
        columns.append(column)
    if (min(rows), min(columns), max(rows), max(columns)) == (*start, *end):
        return written
    return f"{column_letters(min(columns))}{min(rows)}:{column_letters(max(columns))}{max(rows)}"
