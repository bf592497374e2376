"""A deliverable made to state other rows than the right ones, as somebody would hand it in who computed them so."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from workgym.documents import Fragment, TextEdit
from workgym.graph import Key, Relation, Values
from workgym.quality import papers
from workgym.quality.sound import Fact, Part, Sound, rewritten
from workgym.records import Scalar, Value
from workgym.verify.stated.asked import shown
from workgym.verify.stated.choices import options
from workgym.verify.stated.matching import Wanted

Edits = dict[str, list[TextEdit]]


def retold(sound: Sound, values: Values) -> tuple[dict[str, bytes], tuple[tuple[str, str], ...]]:
    """The workspace in which every stated unit says ``values``, and which units then say something wrong.

    Rows that are not there any more are removed, new ones added behind the last; a text keeps its sentences and says
    other numbers. A Word document whose decision is another one is written anew, since its reasons would be others.
    What a document cannot be made to say is left as it is. Raises EditRefused where a format refuses an edit.
    """
    edits: Edits = {}
    anew: dict[str, bytes] = {}
    concerns = []
    for part in sound.parts:
        rows, path = values[part.stated.unit], part.deliverable.path
        if path.endswith(".docx") and _decided(part, rows):
            mine = [other for other in sound.parts if other.deliverable.path == path]
            anew[path] = papers.stated_anew(mine, values)
            concerns.append(part.concern)
            continue
        changes = [(fact, new) for fact in part.facts if (new := _new(rows, fact)) is not None]
        told = _merged(rewritten(changes), _rows(sound, part, rows))
        if told:
            concerns.append(part.concern)
            edits = _merged(edits, told)
    files = sound.with_edits({path: mine for path, mine in edits.items() if path not in anew})
    return {**files, **anew}, tuple(dict.fromkeys(concerns))


def _new(rows: Relation, fact: Fact) -> Value:
    """What a fact has to say instead; None where it is right as it stands, or its row is gone."""
    value = rows.value(fact.row.key, fact.column)
    if value is None or right(fact.wanted, value) or (fact.stated.form == "prose" and not fact.wanted.type.numeric):
        return None
    return value


def right(wanted: Wanted, value: Value) -> bool:
    """Whether a value is right."""
    if wanted.type.numeric and isinstance(value, (int, Decimal)):
        return wanted.near(Decimal(value))
    return value in wanted.accepted


def _decided(part: Part, rows: Relation) -> bool:
    """Whether a choice that a text states is another one."""
    return part.stated.form == "prose" and any(
        not fact.wanted.type.numeric and rows.value(fact.row.key, fact.column) not in (None, *fact.wanted.accepted)
        for fact in part.facts
    )


def exchanged(sound: Sound, path: str, first: str, second: str) -> Edits:
    """Two names exchanged wherever a deliverable has them."""
    edits = []
    for fragment in sound.documents[path].fragments:
        text = fragment.text.replace(first, "\0").replace(second, first).replace("\0", second)
        if text != fragment.text and not fragment.hidden and fragment.formula is None:
            edits.append(TextEdit(at=fragment.at, expected=fragment.text, replacement=text))
    return {path: edits} if edits else {}


def other_option(sound: Sound, fact: Fact) -> Value:
    """Another option than the right one for a text or choice; None where there is none."""
    column = sound.package.hidden.graph.unit(fact.stated.unit).column(fact.column)
    known = options(sound.package.hidden.graph, sound.truth.rounded, column, fact.wanted.accepted)
    return next((option for option in known if option not in fact.wanted.accepted), None)


def _rows(sound: Sound, part: Part, rows: Relation) -> Edits:
    """Rows of a table that go and come."""
    if part.stated.form != "table" or not part.asked.parts:
        return {}
    path = part.deliverable.path
    lines = lines_of(sound, part)
    wanted = {row.key for row in part.asked.rows}
    gone = [line[0] for key, line in lines.items() if key not in rows.by_key]
    edits = [TextEdit(at=cell.at, expected=cell.text, replacement=None, mode="remove_row") for cell in gone]
    new = [key for key in rows.by_key if key not in wanted]
    staying = [key for key in lines if key in rows.by_key]
    if staying and new:
        first, last = staying[0], max(staying, key=lambda key: lines[key][0].row or 0)
        for key in new:
            cells = _cells(part, first, lines[first], rows, key)
            anchor = lines[last][0]
            edits.append(TextEdit(at=anchor.at, expected=anchor.text, replacement=None, mode="insert_row", cells=cells))
    return {path: edits} if edits else {}


def lines_of(sound: Sound, part: Part) -> dict[Key, list[Fragment]]:
    """The cells of each row of a table, by the row's key, in the order of the columns."""
    document = sound.documents[part.deliverable.path]
    at: dict[tuple[str, int], Key] = {}
    for fact in part.facts:
        spot = fact.spots[0].fragment
        if spot.table and spot.row:
            at[spot.table, spot.row] = fact.row.key
    for position, where in part.rows.items():
        if where.fragment.table and where.fragment.row:
            at[where.fragment.table, where.fragment.row] = part.asked.rows[position].key
    found: dict[Key, list[Fragment]] = {}
    for fragment in document.fragments:
        key = at.get((fragment.table or "", fragment.row or 0))
        if key is not None:
            found.setdefault(key, []).append(fragment)
    return found


def _cells(part: Part, like: Key, line: Sequence[Fragment], rows: Relation, key: Key) -> tuple[Scalar, ...]:
    """A new row with the cells where another one has them."""
    known = next(row for row in part.asked.rows if row.key == like)
    row = rows.by_key[key]
    cells: list[Scalar] = []
    columns = {fact.spots[0].fragment.column: fact.column for fact in part.facts if fact.row.key == like}
    for fragment in line:
        cells += [None] * ((fragment.column or 1) - 1 - len(cells))
        name = columns.get(fragment.column)
        if name is None:
            named = [
                reader.column.name
                for reader, value in zip(part.asked.readers, known.parts, strict=True)
                if value in reader.cell(fragment.text, fragment.value)
            ]
            name = named[0] if named else None
        value = None if name is None else row[rows.index[name]]
        kind = None if name is None else rows.unit.column(name).type
        cells.append(kind.dump(value) if kind and kind.numeric else shown(value) if name else None)
    return tuple(cells)


def _merged(first: Edits, second: Edits) -> Edits:
    """Both lists of edits, one for each place: the first that is made of it holds."""
    found = {path: list(edits) for path, edits in first.items()}
    for path, edits in second.items():
        mine = found.setdefault(path, [])
        taken = {edit.at for edit in mine if edit.mode == "set"}
        mine += [edit for edit in edits if edit.mode != "set" or edit.at not in taken]
    return found
