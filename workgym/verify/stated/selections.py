"""Selections: rows that have to be there, and no others beside them."""

from __future__ import annotations

from dataclasses import dataclass, field

from workgym.verify.stated.asked import Asked
from workgym.verify.stated.keys import Head, Marks, extra, key_cell, key_columns, keys, off_sheet, together
from workgym.verify.stated.sheets import Sheet, Spot
from workgym.verify.stated.sights import Extra, Found, Sight


@dataclass
class _Run:
    """A table as far as it names rows asked for."""

    off: int
    turned: bool
    hits: list[tuple[int, Spot]] = field(default_factory=list)
    """Position of the row asked for, and a cell of its key."""
    extras: list[Extra] = field(default_factory=list)


def selected(oriented: list[Sheet], marks: dict[int, Marks], asked: Asked) -> Found:
    """Look for the rows; the table that names the most of them counts, and its other rows are too many."""
    runs = [run for sheet in oriented if (run := _run(sheet, marks[id(sheet)], asked)).hits]
    if not runs:
        return Found()
    off = min(run.off for run in runs)
    fullest = max(
        (run for run in runs if run.off == off),
        key=lambda run: (len({position for position, _ in run.hits}), -len(run.extras), not run.turned),
    )
    found = Found(extras=fullest.extras)
    for position, key in fullest.hits:
        found.sights.setdefault((position, None), Sight("right", key.at, key.text))
    return found


def _run(sheet: Sheet, marks: Marks, asked: Asked) -> _Run:
    run = _Run(off_sheet(sheet, asked), sheet.turned)
    head = Head(0, 0, 1 << 30, "", (0, 0, 0), {})
    columns = key_columns(sheet, marks, asked, head)
    keyed = [column for column in columns if column is not None]
    hits: list[int] = []
    others: dict[int, list[Extra]] = {}
    for row, parts in keys(sheet, marks, asked, head, columns):
        cells = sheet.rows[row]
        if keyed and key_cell(cells, keyed).given:
            continue
        position = None if parts is None else asked.by_parts.get(parts)
        if position is not None:
            hits.append(row)
            run.hits.append((position, key_cell(cells, keyed)))
        elif keyed and all(column in cells for column in keyed):
            others[row] = extra(asked, cells, columns)
    run_rows = together(sheet, hits)
    for row, extras in others.items():
        heading = row - 1 not in run_rows and all(spot.value is None for spot in sheet.rows[row].values())
        if row in run_rows and not heading:
            run.extras += extras
    return run
