"""A given file and what was handed in of it: what differs outside the areas that may be changed.

No damage are: values of formulas that are still the same, rows that an insertion inside an area pushed down, another
number format, a remark that was added. All else outside the areas is: a value, a formula, a text, whether it is to be
seen, a sheet that came or went, a comment, chart or picture that got lost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from workgym.documents import Document, Fragment
from workgym.documents.xlsx.a1 import column_letters
from workgym.graph import LAST, Area
from workgym.verify.edited import flow, trees
from workgym.verify.edited.book import lost
from workgym.verify.edited.damage import Compared, Damage
from workgym.verify.edited.field import Field
from workgym.verify.edited.formulas import Moved
from workgym.verify.edited.tables import Place, Table, damaged, matched, standing
from workgym.verify.stated.matching import normal

_UNMOVED = Moved({})


def compare(areas: Sequence[Area], given: Document, now: Document, before: bytes, after: bytes) -> Compared:
    """Compare a file, read as it was given and as it was handed in; ``before`` and ``after`` are its bytes."""
    if given.format in ("json", "yaml"):
        old, new = trees.pointers(given.fragments), trees.pointers(now.fragments)
        return Compared(tuple(trees.damaged(old, new, areas)), frozenset(trees.standing(old, new, areas)))
    if given.kind.grids == "sheets" or given.format in ("csv", "tsv"):
        return _sheets(areas, given, now, before, after)
    text = flow.pieces(given)
    aligned = flow.aligned(text, flow.pieces(now), flow.Passages(text, [one for one in areas if not one.table]))
    old_tables, new_tables = _tables(given), _tables(now)
    matches = [
        matched(old_tables[name], new_tables[other], Field(old_tables[name].cells, _of(areas, name)))
        for name, other in aligned.tables
    ]
    damage = [*aligned.damage, *(one for match in matches for one in damaged(match, _UNMOVED, loose=False))]
    damage += lost(given, now, before, after, _UNMOVED)
    return Compared(tuple(damage), aligned.given | {at for match in matches for at in standing(match)})


def unresolved(areas: Mapping[str, Area], given: Document) -> tuple[str, ...]:
    """The areas, as they are written, that name a sheet, a table, a heading or a place that is not in the file."""
    found = _tables(given)
    text = flow.pieces(given)
    missing = []
    for written, one in areas.items():
        if one.kind == "pointer":
            continue  # a part of a tree may be yet to come
        if one.kind in ("places", "section", "end"):
            there = not flow.Passages(text, [one]).missing
        else:
            table = next((table for name, table in found.items() if _named(one, name)), None)
            there = _whole(one) if table is None else not Field(table.cells, [one]).missing
        missing += [] if there else [written]
    return tuple(missing)


def lasting(areas: Mapping[str, Area], given: Document) -> tuple[str, ...]:
    """The areas as they are written, and those at an open end once more by number.

    They hold where a user hands the file over again with what the solver has added by then: that stays the solver's.
    """
    found = _tables(given)
    last = max((int(piece.at[1:]) for piece in flow.pieces(given) if piece.at[1:].isdecimal()), default=0)
    written = list(areas)
    for one in areas.values():
        name = next((name for name in found if _named(one, name)), None)
        lead = f"{one.table}!" if one.table else ""
        field = Field(found[name].cells if name is not None else {}, [])
        if one.kind == "rows":
            written.append(f"{lead}{field.last_row + 1}:")
        elif one.kind == "columns":
            written.append(f"{lead}r1c{field.last_column + 1}:r{LAST}c16384")
        elif one.kind == "end":
            letter = "l" if given.kind.flow == "lines" else "p"
            written.append(f"{letter}{last + 1}:{LAST}")
    return tuple(dict.fromkeys(written))


def _sheets(areas: Sequence[Area], given: Document, now: Document, before: bytes, after: bytes) -> Compared:
    old, new = _tables(given), _tables(now)
    matches = [
        matched(table, new[name], Field(table.cells, _of(areas, name))) for name, table in old.items() if name in new
    ]
    shifts = {match.given.name.casefold(): match.shift for match in matches}
    moved = Moved({name: shift for name, shift in shifts.items() if shift is not None})
    damage = list(_came_and_went(areas, old, new))
    damage += [one for match in matches for one in damaged(match, moved, loose=given.format in ("csv", "tsv"))]
    damage += lost(given, now, before, after, moved)
    return Compared(tuple(damage), frozenset(at for match in matches for at in standing(match)))


def _came_and_went(areas: Sequence[Area], old: Mapping[str, Table], new: Mapping[str, Table]) -> Iterator[Damage]:
    for name in old:
        if name not in new and not any(map(_whole, _of(areas, name))):
            yield Damage(name, name, None, "the sheet is gone, or has another name")
    for name in new:
        if name not in old and not _of(areas, name):
            yield Damage(name, None, name, "there was no such sheet")


def _tables(document: Document) -> dict[str, Table]:
    """Tables by name, with every cell, the hidden ones too."""
    if document.kind.flow == "lines":
        return {}
    cells: dict[str, dict[int, dict[int, Fragment]]] = {}
    for fragment in document.fragments:
        if fragment.table is not None and fragment.row is not None and fragment.column is not None:
            cells.setdefault(fragment.table, {}).setdefault(fragment.row, {})[fragment.column] = fragment
    return {name: Table(name, rows, _place(document, name)) for name, rows in cells.items()}


def _place(document: Document, table: str) -> Place:
    if document.format == "xlsx":
        return lambda row, column: f"{table}!{column_letters(column)}{row}"
    lead = {"sqlite": f"{table}!", "csv": "", "tsv": ""}.get(document.format, table)
    return lambda row, column: f"{lead}r{row}c{column}"


def _of(areas: Sequence[Area], table: str) -> list[Area]:
    return [one for one in areas if _named(one, table)]


def _named(one: Area, table: str) -> bool:
    return normal(one.table) == normal(table) or (table in ("csv", "tsv") and not one.table)


def _whole(one: Area) -> bool:
    """Whether all of a table may be changed, so that it may come and go."""
    return one.kind == "cells" and (one.first, one.last) == ((1, 1), (LAST, LAST))
