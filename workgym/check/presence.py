"""Presence and loose text: each value stands where it should, and nothing stands that nobody declared."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal

from workgym.check.pictures import page_of, same
from workgym.check.reading import Visible, covers, slice_at
from workgym.documents import Fragment
from workgym.documents.image.recognition import available
from workgym.errors import Unreadable
from workgym.graph import columns_read, needed
from workgym.materialize.forms import words
from workgym.records import Anchor, Cell, ColumnType, DefectClass, Finding, Value
from workgym.records.surface import date_candidates, numbers, parse_time, shows

_TRANSPORT = frozenset({"mime-version", "content-type", "content-transfer-encoding", "message-id"})
"""Mail headers that say how a message travels; no one writes or reads them."""
_PROPER = re.compile(r"[A-Z]\w+\W+(?:\w+\W+)*[A-Z]\w|\w{3,}.*\d{3}|\d{3}.*\w{3,}")
"""What makes a text a name rather than words of the language: two capitalized words, or a word with digits."""
_FORMAT = frozenset({"calendar.VERSION"})
"""Places that say in which format a file is written."""
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
            if not _STRUCK.search(anchor.place.base):
                standing.setdefault(anchor.cell, []).append(anchor)
        else:
            wrong.setdefault(anchor.cell, []).append((anchor, found))
    for cell, places in wrong.items():
        for anchor, found in places:
            yield _missing(cell, anchor, found, standing.get(cell, []))
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


def _missing(cell: Cell, anchor: Anchor, found: str | None, elsewhere: list[Anchor]) -> Finding:
    defect: DefectClass = "broken derivation"
    if elsewhere and found:
        same = any(other.place.path == anchor.place.path for other in elsewhere)
        defect = "self-inconsistency" if same else "cross-file inconsistency"
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
        message=f"{cell} is not found where it should stand{stands}",
    )


def loose(view: Visible) -> Iterator[Finding]:
    """No number, date or time stands outside every anchor, and no name of a needed cell is repeated undeclared.

    A graph without relations declares nothing, and says nothing of what is not declared.
    """
    if not view.package.hidden.graph.relations():
        return
    for token in view.tokens:
        travels = (token.fragment.label or "").casefold() in _TRANSPORT or token.fragment.at in _FORMAT
        if not token.anchors and not travels:
            message = f"{token.text!r} belongs to no unit and is not declared"
            yield _loose(token.path, token.fragment, message, soft=view.guessed(token.path, token.fragment))
    names, texts = _names(view), _texts(view)
    for (path, at), fragment in view.fragments.items():
        anchors = view.anchors.get((path, at), [])
        repeated = [
            match for match in names.finditer(fragment.text) if not any(covers(a, match.span()) for a in anchors)
        ]
        if repeated and not fragment.at.startswith("property."):
            message = f"{repeated[0][0]!r} names a row of a unit and is not declared"
            yield _loose(path, fragment, message, soft=view.guessed(path, fragment))
        elif fragment.table is not None and not anchors and _plain(fragment.text).casefold() in texts:
            message = f"{fragment.text!r} repeats a unit's value and is not declared"
            yield _loose(path, fragment, message, soft=view.guessed(path, fragment))


def _names(view: Visible) -> re.Pattern[str]:
    """The names of rows of needed units: texts in keys that are proper names or codes."""
    found = {
        part
        for name in needed(view.package.hidden.graph)
        for key in view.package.hidden.values[name].by_key
        for part, column in zip(key, view.package.hidden.values[name].unit.key, strict=True)
        if view.package.hidden.graph.unit(name).column(column).type.kind == "text" and _PROPER.search(part)
    }
    longest_first = sorted(found, key=lambda text: (-len(text), text))
    return (
        re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, longest_first)) + r")(?!\w)")
        if found
        else re.compile(r"(?!)")
    )


def _texts(view: Visible) -> set[str]:
    """Texts and choices of needed cells: a cell of a table that holds one of them says something."""
    found = set()
    for name in needed(view.package.hidden.graph):
        relation = view.package.hidden.values[name]
        for position, column in enumerate(relation.unit.columns):
            if column.type.kind in ("text", "choice"):
                found |= {_plain(str(row[position])).casefold() for row in relation.rows if row[position]}
    return {text for text in found if len(text) > 2}


def _loose(path: str, fragment: Fragment, message: str, *, soft: bool = False) -> Finding:
    """``soft`` where the text is no more than what was recognised in a picture."""
    return Finding(
        check="loose",
        severity="soft" if soft else "hard",
        defect="self-inconsistency",
        path=path,
        at=fragment.at,
        found=fragment.text[:120],
        message=message,
    )


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split())
