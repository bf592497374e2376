"""Equivalents: the expert's deliverables said in another way, which a verdict has to let pass with full reward."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from workgym.documents import TextEdit, edit, recalculate
from workgym.quality import books, lists, office, papers
from workgym.quality.sound import Fact, Sound, Spot

FORMATS = ("General", "0.0000", "#,##0.000;[Red]-#,##0.000", "#,##0.00_);(#,##0.00)")
"""Number formats that show no less than the asked-for places."""
OFFICE = "saved by LibreOffice"
"""The kind that a program of this machine makes."""
RETOLD = ("table for text", "list for table")
"""Kinds that say anew what is stated, and nothing else."""
REARRANGED = ("column order", "row order", "sheet name", "commentary", "formulas", *RETOLD)
"""Kinds that move, add or leave out what stands beside the values."""
NOTES = (
    "Prepared from the papers in this folder, and checked a second time before it was handed in.",
    "Questions about single figures are welcome; the way they were worked out is the one that the papers ask for.",
)
"""Commentary that states no fact."""


@dataclass(frozen=True)
class Equivalent:
    """A final workspace that is as good as the expert's."""

    kind: str
    """What differs."""
    deliverable: str
    """Path of the deliverable that differs."""
    what: str
    """What was done, for a person."""
    files: Mapping[str, bytes]
    """The whole workspace."""


Made = Iterator[tuple[str, str, bytes]]
"""Path, what was done, and the file."""


def equivalents(sound: Sound, left_out: Collection[str] = ()) -> Iterator[Equivalent]:
    """Every equivalent of a task, kind by kind; kinds that the task offers no place for give none."""
    for kind, rewrite in REWRITES.items():
        for path, what, content in () if kind in left_out else rewrite(sound):
            if content != sound.files[path] and not _unlike(sound, kind, path):
                yield Equivalent(kind, path, what, sound.with_files({path: content}))


def _unlike(sound: Sound, kind: str, path: str) -> bool:
    """Whether that is none for this file: what was given may not be rearranged, nor sources be left out."""
    mine = [part for part in sound.parts if part.deliverable.path == path]
    edited = any(part.deliverable.edits for part in mine)
    return (kind in REARRANGED and edited) or (kind in RETOLD and any(part.stated.cites for part in mine))


def skipped() -> Mapping[str, str]:
    """Kinds that cannot be made on this machine, with the reason."""
    why = office.reason()
    return {OFFICE: why} if why else {}


def _books(sound: Sound) -> tuple[str, ...]:
    return tuple(path for path in sound.handed_in if path.endswith(".xlsx"))


def _papers(sound: Sound) -> tuple[str, ...]:
    return tuple(path for path in sound.handed_in if path.endswith(".docx"))


def _lists(sound: Sound) -> tuple[str, ...]:
    return tuple(path for path in sound.handed_in if path.endswith(".csv"))


def _numbers(sound: Sound, path: str) -> dict[str, tuple[Fact, Spot]]:
    """Cells of a workbook with typed numbers that are facts."""
    return {
        fact.spots[0].fragment.at: (fact, fact.spots[0])
        for part in sound.parts
        for fact in part.facts
        if fact.deliverable.path == path and fact.wanted.type.numeric and fact.spots[0].fragment.value is not None
    }


def number_format(sound: Sound) -> Made:
    """Numbers of workbooks shown in other ways."""
    for path in _books(sound):
        if places := _numbers(sound, path):
            for form in FORMATS:
                yield path, form, books.formatted(sound.files[path], places, form)


def locale(sound: Sound) -> Made:
    """``1.234,50`` for 1,234.50, and a no-break space between thousands where there are no decimals."""
    for path in sound.handed_in:
        pieces: dict[str, list[tuple[int, int, str]]] = {}
        texts = {}
        for part in sound.parts:
            if part.deliverable.path != path:
                continue
            for fact in part.facts:
                for spot in fact.spots if fact.wanted.type.kind in ("money", "quantity") else ():
                    local = continental(fact, spot)
                    if local is not None:
                        pieces.setdefault(spot.fragment.at, []).append((spot.start, spot.end, local))
                        texts[spot.fragment.at] = spot.fragment.text
        said = {at: _said(texts[at], mine) for at, mine in pieces.items()}
        if not said:
            continue
        if path.endswith(".xlsx"):
            yield path, "numbers as texts with decimal commas", books.with_cells(sound.files[path], said)
        else:
            edits = [TextEdit(at=at, expected=texts[at], replacement=text) for at, text in said.items()]
            yield path, "numbers with decimal commas", edit(path, sound.files[path], edits)


def continental(fact: Fact, spot: Spot) -> str | None:
    """A number as it is written in most of Europe; None where that could be read in two ways."""
    places = fact.wanted.places
    value = fact.value
    if places == 3 or not isinstance(value, Decimal):
        return None
    plain = f"{abs(value):,.{places}f}"
    if not places:
        return plain.replace(",", "\u00a0")
    return plain.replace(",", "\0").replace(".", ",").replace("\0", ".")


def _said(text: str, pieces: list[tuple[int, int, str]]) -> str:
    for start, end, new in sorted(set(pieces), reverse=True):
        text = text[:start] + new + text[end:]
    return text


def column_order(sound: Sound) -> Made:
    """Tables with their columns in reverse order."""
    for path in _books(sound):
        if not books.has_formulas(sound.files[path]):
            yield path, "columns reversed", books.mirrored(sound.files[path])
    for path in _papers(sound):
        made = papers.mirrored(sound.files[path])
        if made is not None:
            yield path, "columns of tables reversed", made
    for path in _lists(sound):
        yield path, "columns reversed", lists.mirrored(sound.files[path])


def row_order(sound: Sound) -> Made:
    """Tables from their last row up."""
    for path in _books(sound):
        if not books.has_formulas(sound.files[path]):
            yield path, "rows reversed", books.upended(sound.files[path])
    for path in _papers(sound):
        made = papers.upended(sound.files[path])
        if made is not None:
            yield path, "rows of tables reversed", made
    for path in _lists(sound):
        yield path, "rows reversed", lists.upended(sound.files[path])


def sheet_name(sound: Sound) -> Made:
    """Another name for sheets that the request does not name."""
    for path in _books(sound):
        named = {part.stated.sheet for part in sound.parts if part.deliverable.path == path}
        used = {at.rpartition("!")[0] for at in _numbers(sound, path)}
        free = sorted(used - {name for name in named if name}) if None in named else []
        if free:
            names = {old: f"Part {number}" for number, old in enumerate(free, 1)}
            yield path, f"{', '.join(free)} renamed", books.renamed(sound.files[path], names)


def commentary(sound: Sound) -> Made:
    """Words that nobody asked for, in places where people put them."""
    for path in _books(sound):
        yield path, "a sheet with notes", books.noted(sound.files[path], NOTES)
        if not books.has_formulas(sound.files[path]):
            yield path, "a title above each table", books.titled(sound.files[path], NOTES[0])
    for path in _papers(sound):
        yield path, "paragraphs at the end", papers.noted(sound.files[path], NOTES)
    for path in _lists(sound):
        yield path, "a column with remarks", lists.remarked(sound.files[path])


def formulas(sound: Sound) -> Made:
    """Formulas that come to the values, without cached values as openpyxl writes them, and with."""
    for path in _books(sound):
        numbers = {at: Decimal(fact.value) for at, (fact, _) in _numbers(sound, path).items() if fact.value is not None}  # type: ignore[arg-type]
        if numbers:
            bare = books.computed(sound.files[path], numbers)
            yield path, "formulas without cached values", bare
            yield path, "formulas with cached values", recalculate(bare, path=path)


def table_for_text(sound: Sound) -> Made:
    """Tables for what a text states, and nothing else."""
    for path in _papers(sound):
        mine = [part for part in sound.parts if part.deliverable.path == path]
        yield path, "tables alone", papers.stated_anew(mine, sound.truth.rounded)


def list_for_table(sound: Sound) -> Made:
    """Sentences for what a text states, where the request does not ask for a table."""
    for path in _papers(sound):
        mine = [part for part in sound.parts if part.deliverable.path == path]
        if any(part.stated.form == "prose" and part.asked.parts for part in mine):
            for pattern in papers.SENTENCES:
                yield path, f"sentences: {pattern}", papers.stated_anew(mine, sound.truth.rounded, pattern)


def dialect(sound: Sound) -> Made:
    """The same records as another program writes them: byte order mark, quotes everywhere, CRLF."""
    for path in _lists(sound):
        yield path, "byte order mark, quotes and CRLF", lists.quoted(sound.files[path])


def office_saved(sound: Sound) -> Made:
    """Files opened in LibreOffice and saved there."""
    if office.reason():
        return
    for path, content in office.saved({path: sound.files[path] for path in sound.handed_in}).items():
        if content is not None:
            yield path, "opened and saved", content


REWRITES: Mapping[str, Callable[[Sound], Made]] = {
    "number format": number_format,
    "locale": locale,
    "column order": column_order,
    "row order": row_order,
    "sheet name": sheet_name,
    "commentary": commentary,
    "formulas": formulas,
    "table for text": table_for_text,
    "list for table": list_for_table,
    "csv dialect": dialect,
    OFFICE: office_saved,
}
"""How equivalents are made, by kind."""
