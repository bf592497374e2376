"""Rows of records (JSON, YAML, XML): which column is which path within a row, and which rows are neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from workgym.documents.model import Document
from workgym.documents.patches import Target
from workgym.errors import EditRefused
from workgym.records import Scalar


def columns(document: Document, table: str) -> dict[str, int]:
    """Column, from 1, by the path within a row: ``/amount`` for ``/orders/3/amount`` in the grid ``/orders``."""
    found: dict[str, int] = {}
    for fragment in document.fragments:
        if fragment.table == table and fragment.column is not None:
            _, mark, rest = fragment.at[len(table) + 1 :].partition("/")
            found[mark + rest] = fragment.column
    return found


def new_values(
    path: str, target: Target, row: str, leaves: Mapping[str, str], known: Mapping[str, int]
) -> dict[str, Scalar]:
    """What a copy of ``row`` holds: a value for each of its ``leaves`` (path within the row by place).

    ``known`` is the column of each path within a row; there are none where rows are single values. Raises
    :class:`EditRefused` where a cell has no place in the copy.
    """
    cells = target.edit.cells
    if not known and list(leaves) == [row]:
        if len(cells) != 1:
            raise EditRefused(f"{path} {row}: the new element is one value, not {len(cells)}")
        return {row: cells[0]}
    if not known:
        raise EditRefused(f"{path} {row}: no row of a table stands there")
    placed = {known[within] for within in leaves.values() if within in known}
    lost = next((number for number, cell in enumerate(cells, 1) if cell is not None and number not in placed), None)
    if lost is not None:
        raise EditRefused(f"{path} {row} has no column {lost}: a new row has the columns of the one before it")
    wanted = {at: known.get(within, 0) for at, within in leaves.items()}
    return {at: cells[number - 1] if 0 < number <= len(cells) else None for at, number in wanted.items()}


def runs(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Numbers as runs, from the first to the last of each."""
    found: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if found and found[-1][1] == number - 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found
