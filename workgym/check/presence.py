"""Presence: each file can be read, and each value stands where it should."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal

from workgym.check.pictures import page_of, same
from workgym.check.reading import Visible, slice_at
from workgym.documents import Fragment
from workgym.documents.image.recognition import available
from workgym.errors import Unreadable
from workgym.graph import columns_read, needed
from workgym.materialize.forms import words
from workgym.records import Anchor, Cell, ColumnType, DefectClass, Finding, Value
from workgym.records.surface import date_candidates, numbers, parse_time, shows

_STRUCK = re.compile(r"\.del\d+$")
"""The place of text that a tracked change struck: it is there to be seen, and says nothing any more."""


def readable(view: Visible) -> Iterator[Finding]:
    """Every visible file can be read, and every formula in it carries its value."""
    for path, document in view.read.items():
        if isinstance(document, Unreadable):
            yield Finding(
                check="readable",
                severity="hard",
                defect="executability defect",
                path=path,
                message=f"cannot be read: {document.reason}: {document.detail}",
            )
        elif not document.fragments and not document.pictures and not document.members:
            yield Finding(
                check="readable",
                severity="hard",
                defect="executability defect",
                path=path,
                message="there is nothing in it",
            )
        elif document.uncached:
            yield Finding(
                check="readable",
                severity="hard",
                defect="executability defect",
                path=path,
                at=document.uncached[0],
                message="a formula carries no cached value",
            )
        elif document.pictures:
            yield Finding(
                check="readable",
                severity="soft",
                defect="executability defect",
                path=path,
                at=document.pictures[0],
                message=f"it shows a picture, and {unread()}: what stands there besides values is not looked at",
            )


def presence(view: Visible) -> Iterator[Finding]:
    """Each needed cell is found at its places, as printed there, and each place shows the cell's value."""
    hidden = view.package.hidden
    standing: dict[Cell, list[Anchor]] = {}
    wrong: dict[Cell, list[tuple[Anchor, str | None]]] = {}
    unproved: dict[Cell, Anchor] = {}
    for anchor in map(view.standing, hidden.anchors):
        if anchor.cell is None:
            continue
        document = view.documents.get(anchor.place.path)
        if document is not None and page_of(anchor) in document.pictures:
            unproved.setdefault(anchor.cell, anchor)
            continue
        fragment = view.fragments.get((anchor.place.path, anchor.place.base))
        found = None if fragment is None else slice_at(fragment, anchor)
        if found is not None and _stands(view, anchor, fragment, found):
            if not _STRUCK.search(anchor.place.base) and anchor.place.path not in view.unreachable:
                standing.setdefault(anchor.cell, []).append(anchor)
        else:
            wrong.setdefault(anchor.cell, []).append((anchor, found))
    for cell, places in wrong.items():
        for anchor, found in places:
            yield _missing(view, cell, anchor, found, standing.get(cell, []))
    for cell, anchor in unproved.items():
        yield _unproved(cell, anchor, cell in standing)
    for cell in _needed_cells(view):
        if cell not in standing and cell not in wrong and cell not in unproved:
            yield Finding(
                check="presence",
                severity="hard",
                defect="broken derivation",
                unit=cell.unit,
                key=cell.key,
                column=cell.column,
                message=f"{cell} is needed and stands in no visible file",
            )


def _needed_cells(view: Visible) -> Iterator[Cell]:
    graph = view.package.hidden.graph
    read = columns_read(graph)
    for name in sorted(needed(graph)):
        relation = view.package.hidden.values[name]
        for key in relation.by_key:
            for column in relation.unit.columns:
                if column.name in read.get(name, ()) or column.name in relation.unit.key:
                    yield Cell(unit=name, key=key, column=column.name)


def _stands(view: Visible, anchor: Anchor, fragment: Fragment | None, found: str) -> bool:
    if fragment is None or anchor.cell is None:
        return False
    if view.guessed(anchor.place.path, fragment):
        if not same(found, anchor.printed):
            return False
        found = anchor.printed
    if _plain(found) != _plain(anchor.printed):
        return False
    if anchor.kind != "value":
        return True
    relation = view.package.hidden.values[anchor.cell.unit]
    if anchor.cell.key not in relation.by_key:
        return False
    value = relation.value(anchor.cell.key, anchor.cell.column)
    return prints(relation.unit.column(anchor.cell.column).type, value, found)


def prints(kind: ColumnType, value: Value, text: str) -> bool:
    """Whether ``text`` is a printed form of ``value``."""
    if value is None:
        return False
    if kind.kind in ("text", "choice"):
        return _plain(str(value)).casefold() == _plain(text).casefold()
    if kind.kind == "date":
        return value in date_candidates(text)
    if kind.kind == "time":
        return value == parse_time(text)
    exact = Decimal(str(value))
    return any(shows(number, exact) for number in numbers(text)) or _plain(text).casefold() == _told(kind, value)


def _told(kind: ColumnType, value: Value) -> str | None:
    """A number in English words, or None where it is none that templates tell in words."""
    try:
        return words(value, kind).casefold()
    except (TypeError, ValueError):
        return None


def _unproved(cell: Cell, anchor: Anchor, elsewhere: bool) -> Finding:
    """A value of a picture that nobody looked at: never passed, and hard where it stands nowhere else."""
    return Finding(
        check="presence",
        severity="soft" if elsewhere else "hard",
        defect="executability defect",
        unit=cell.unit,
        key=cell.key,
        column=cell.column,
        path=anchor.place.path,
        at=anchor.place.at,
        expected=anchor.printed,
        message=f"{cell} stands in a picture, and {unread()}: unproved, not passed",
    )


def unread() -> str:
    """Why pictures were not looked at."""
    return "it could not be recognised" if available() else "it cannot be read without workgym[ocr]"


def _missing(view: Visible, cell: Cell, anchor: Anchor, found: str | None, elsewhere: list[Anchor]) -> Finding:
    defect: DefectClass = "broken derivation"
    if elsewhere and found:
        same = any(other.place.path == anchor.place.path for other in elsewhere)
        defect = "self-inconsistency" if same else "cross-file inconsistency"
    if not found:
        here = ""
    elif _plain(found) != _plain(anchor.printed):
        here = f": {found[:80]!r} stands there and not {anchor.printed[:80]!r}"
    else:
        here = f": {found[:80]!r} does not show {_whole(view, cell)}"
    stands = f"; it stands as {elsewhere[0].printed!r} at {elsewhere[0].place}" if elsewhere else ""
    return Finding(
        check="presence",
        severity="hard",
        defect=defect,
        unit=cell.unit,
        key=cell.key,
        column=cell.column,
        path=anchor.place.path,
        at=anchor.place.at,
        expected=anchor.printed,
        found=found,
        message=f"{cell} is not found where it should stand{here}{stands}",
    )


def _whole(view: Visible, cell: Cell) -> str:
    """A value as it would be shown in full."""
    relation = view.package.hidden.values[cell.unit]
    if cell.key not in relation.by_key:
        return "a row that is there"
    value = relation.value(cell.key, cell.column)
    return "an empty cell" if value is None else relation.unit.column(cell.column).type.show(value)


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split())
