"""Sources where they are asked for: a deliverable names the files that a stated unit rests on.

A file is named by its title, or by its own name, whole or without folder, ending, letter case and separators:
``policies/sourcing_policy.docx`` is *Sourcing policy* as well. Where files have one name (``quotation.pdf`` of several
suppliers), the folder has to be named beside it. A page of the web goes by its address or its title.

It counts where sources are looked for: in a section, sheet or column of that name (*Sources*, *References*, *Based
on*), in a line or a note that begins so, or near the statement: on its sheet, or under the heading that it stands
under, or within a few paragraphs of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from workgym.documents import Document, Fragment
from workgym.package import TaskPackage
from workgym.records import page_url
from workgym.verify.stated.matching import normal

_HEADING = re.compile(
    r"(?:data )?sources?\b|references?\b|bases?\b|based on\b|basis\b|evidence\b|documents? (?:used|read)|"
    r"files? (?:used|read)|inputs?(?: used)?\b|supporting (?:documents?|files?)|taken from\b|according to\b",
)
_NUMBERING = re.compile(r"^(?:#+\s*)?(?:\d+(?:\.\d+)*[.)]?\s+|[-*•]\s+)?")
_JOINTS = re.compile(r"[\W_]+")
_NEAR = 3
"""Paragraphs before and behind a statement that are near it."""
_LONGEST = 20_000


class Source(NamedTuple):
    """A file that has to be named."""

    path: str
    """Its path."""
    names: tuple[tuple[str, ...], ...]
    """Ways to name it: each a tuple of texts, bare of separators, that have to stand together."""


def sources(package: TaskPackage, unit: str) -> tuple[tuple[Source, ...], ...]:
    """The files where the rows of a unit stand: of each inner tuple one has to be named.

    A value that stands in several files needs one of them; values in files of their own need each. Where the key of a
    row is named beside other matters, that is no source of its values.
    """
    key = package.hidden.graph.unit(unit).key if package.hidden.graph.unit(unit).value_columns else ()
    cells: dict[tuple[str, ...], set[str]] = {}
    given = {*package.files, *(card.path for card in package.pages if card.state == "live")}
    for anchor in package.hidden.anchors:
        cell = anchor.cell
        if cell is not None and cell.unit == unit and cell.column not in key and anchor.place.file in given:
            cells.setdefault((*cell.key, cell.column), set()).add(anchor.place.file)
    known = _names(package)
    groups = sorted({tuple(sorted(paths)) for paths in cells.values()})
    smallest = [group for group in groups if not any(set(other) < set(group) for other in groups)]
    return tuple(tuple(Source(path, known[path]) for path in group) for group in smallest)


def _names(package: TaskPackage) -> Mapping[str, tuple[tuple[str, ...], ...]]:
    titles = {carrier.path: carrier.title for carrier in package.hidden.graph.carriers}
    titles |= {card.path: card.title for card in package.pages}
    stems = {path: _bare(path.rpartition("/")[2].rpartition(".")[0]) for path in package.shown}
    found = {}
    for path, stem in stems.items():
        shared = [other for other in stems if stems[other] == stem]
        folder = _bare(path.rpartition("/")[0].rpartition("/")[2])
        ways: list[tuple[str, ...]] = [(_bare(page_url(path) if path in package.external else path),)]
        ways += [(stem,)] if len(shared) == 1 and stem else [(stem, folder)] if folder else []
        title = _bare(titles.get(path, ""))
        if title and sum(_bare(titles.get(other, "")) == title for other in stems) == 1:
            ways.append((title,))
        found[path] = tuple(ways)
    return found


def _bare(text: str) -> str:
    return _JOINTS.sub(" ", normal(text)).strip()


def unnamed(document: Document, wanted: Iterable[tuple[Source, ...]], places: Iterable[str | None]) -> tuple[str, ...]:
    """Of each group that is named nowhere, the paths. ``places`` are those where the unit is stated."""
    texts = [f" {_bare(text[:_LONGEST])} " for text in _where(document, {place for place in places if place})]
    return tuple(
        " or ".join(source.path for source in group)
        for group in wanted
        if not any(_named(source, text) for source in group for text in texts)
    )


def _named(source: Source, text: str) -> bool:
    return any(all(f" {part} " in text for part in way) for way in source.names)


def _where(document: Document, places: set[str]) -> Iterator[str]:
    """The texts where sources count."""
    seen = [fragment for fragment in document.fragments if not fragment.hidden or fragment.at.startswith("n")]
    if document.kind.grids in ("cells", "sheets"):
        yield from _cells([fragment for fragment in seen if fragment.table is not None], places)
        seen = [fragment for fragment in seen if fragment.table is None]
    stated = {number for number, fragment in enumerate(seen) if fragment.at in places}
    section = 0
    sections: list[int] = []
    begins: dict[int, bool] = {0: False}
    for fragment in seen:
        if _is_heading(fragment):
            section += 1
            begins[section] = _of_sources(fragment.text)
        sections.append(section)
    near = {sections[number] for number in stated if sections[number]}
    for number, fragment in enumerate(seen):
        close = any(abs(number - other) <= _NEAR for other in stated)
        if close or sections[number] in near or begins[sections[number]] or _of_sources(fragment.text):
            yield fragment.text


def _cells(cells: list[Fragment], places: set[str]) -> Iterator[str]:
    """Cells of tables where the unit is stated, of tables of sources, and below or beside a heading of that kind."""
    stated = {cell.table for cell in cells if cell.at in places}
    headed: dict[tuple[str | None, int | None], int] = {}
    rows: set[tuple[str | None, int | None]] = set()
    for cell in cells:
        if len(cell.text) <= 80 and _of_sources(cell.text):
            headed.setdefault((cell.table, cell.column), cell.row or 0)
            rows.add((cell.table, cell.row))
    for cell in cells:
        below = headed.get((cell.table, cell.column), 1 << 30) <= (cell.row or 0)
        if cell.table in stated or _of_sources(cell.table or "") or below or (cell.table, cell.row) in rows:
            yield cell.text


def _is_heading(fragment: Fragment) -> bool:
    label = (fragment.label or "").casefold()
    text = fragment.text.strip()
    lead = text.endswith(":") and len(text) < 80
    return label.startswith(("heading", "title")) or text.startswith("#") or lead or _alone(text)


def _alone(text: str) -> bool:
    """A short line that is nothing but a heading of sources."""
    return len(text) < 40 and text[-1:] not in ".!?" and len(text.split()) <= 4 and _of_sources(text)


def _of_sources(text: str) -> bool:
    return _HEADING.match(normal(_NUMBERING.sub("", text.strip(), count=1))) is not None
